// Round by round: simulate the twin, compare, move the twin. In a round first the classes (links, DRAM ports,
// memory units) from all patterns at once, then what is left over is shared out among parts, each class with
// the spread that it turns out to have; operations tell of their core alone. The first round that moves
// nothing surely ends it, so that a chip like its file costs the draws that its diagnosis needs anyway.
#include "chip/fit/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "chip/fit/course.h"
#include "chip/fit/differences.h"
#include "chip/fit/parts.h"
#include "chip/fit/robust.h"
#include "chip/fit/tuning.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

// Classes that transfers tell about, in the order of their unknowns; cores come after them.
constexpr Part kClasses[] = {Part::Link, Part::DramPort, Part::MemoryUnit};
constexpr size_t kClassCount = std::size(kClasses);

size_t class_of(Part part) {
  return size_t(std::find(std::begin(kClasses), std::end(kClasses), part) - std::begin(kClasses));
}

// Octaves a transfer takes longer for each octave that the component does.
double share_of(const Path& path, double bytes, const Component& component) {
  constexpr double kStep = 1.02;  // any small one: a derivative
  return std::log2(path.cycles(bytes, component, kStep) / path.cycles(bytes)) / std::log2(kStep);
}

std::vector<Component> all_parts(const Grid& grid) {
  std::vector<Component> out;
  for (int core = 0; core < grid.core_count(); ++core)
    out.push_back({Part::Core, core});
  for (int id = 0; id < grid.link_count(); ++id)
    out.push_back(link_component(grid, id));
  for (int core = 0; core < grid.core_count(); ++core)
    out.push_back({Part::MemoryUnit, core});
  for (int port = 0; port < grid.port_count(); ++port)
    out.push_back({Part::DramPort, port});
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

class Fitter {
 public:
  Fitter(const std::vector<FitRun>& runs, const spec::Chip& chip, double tolerance, bool buffers = true)
      : file_(chip),
        buffers_(buffers),
        tolerance_(tolerance < 0 ? -1 : std::log2(1 + tolerance)),
        grid_(chip) {
    for (const FitRun& run : runs)
      if (run.replays)
        runs_.push_back({run, cells_of(*run.sketch, grid_), {}});
    std::erase_if(runs_, [](const Run& run) {
      return run.cells.rows.empty();
    });
    fit_ = untouched(chip.network.buffer_segments);
  }

  Fit run() {
    if (runs_.empty())
      return std::move(fit_);
    settle();
    try_buffers();
    describe();
    return std::move(fit_);
  }

  Fit test(Fit fit) {
    fit_ = std::move(fit);
    if (!runs_.empty())
      measure(compare());
    return std::move(fit_);
  }

 private:
  struct Run {
    FitRun given;
    Cells cells;
    std::vector<std::vector<std::pair<size_t, double>>> shares;  // by row: part, share
  };
  // What the runs differ by from the twin: of each run its transfers, and the cores of all.
  struct Seen {
    std::vector<std::vector<Difference>> transfers;
    std::vector<std::vector<std::vector<Difference>>> by_chance;  // by draw, in the place of the recorded run
    std::vector<CoreDifference> cores;
    double course = 0;
  };

  // By class, how many times more than their errors say is found by chance: transfers that wait for one
  // another are off together, in many patterns at once. 1 at least.
  struct Chance {
    std::vector<double> of_classes = std::vector<double>(kClassCount);
    std::vector<double> of_parts = std::vector<double>(kClassCount);
  };

  Fit untouched(int buffer_segments) const {
    Fit out;
    out.twin = {file_, {}};
    out.twin.chip.network.buffer_segments = buffer_segments;
    for (const Part part : kClasses)
      out.classes.push_back({part});
    out.classes.push_back({Part::Core});
    for (const Component& c : all_parts(grid_))
      out.parts.push_back({c});
    return out;
  }

  // Rounds until nothing moves, and how far off the twin then is.
  void settle() {
    double records = 0;
    for (const Run& run : runs_)
      records += double(run.given.sketch->records());
    for (int round = 0; round < fit_rounds(records); ++round) {
      const Seen seen = compare();
      measure(seen);
      const bool cores = move_cores(seen.cores);
      const bool transfers = move_transfers(seen);
      if (!cores && !transfers)
        return;
      fit_.differs = true;
      fit_.twin = twin_of(file_, fit_, fit_.twin.chip.network.buffer_segments);
    }
    measure(compare());
  }

  Seen compare() {
    Seen out;
    std::vector<std::vector<CoreDifference>> cores;
    for (const Run& run : runs_) {
      const Replay replay = run.given.replays(fit_.twin);
      std::vector<Sketch> draws;
      for (uint32_t i = 0; i < kFitDraws; ++i)
        draws.push_back(replay({}, i));
      fit_.simulated += int(kFitDraws);
      out.course += course_misfit(run.cells, draws, fit_.twin.chip, grid_) / double(runs_.size());
      Differences seen = differences_of(*run.given.sketch, run.cells, draws, grid_);
      out.transfers.push_back(std::move(seen.transfers));
      for (size_t draw = 0; draw < seen.by_chance.size(); ++draw) {
        out.by_chance.resize(seen.by_chance.size());
        out.by_chance[draw].push_back(std::move(seen.by_chance[draw]));
      }
      cores.push_back(std::move(seen.cores));
    }
    out.cores = together(cores);
    return out;
  }

  // How far off the twin is. What a fault makes of the patterns that it reaches is no matter of the chip:
  // each counts up to a bound, and the scatter is that of the nearer half.
  void measure(const Seen& seen) {
    double sum = 0;
    std::vector<double> sizes;
    for (const std::vector<Difference>& run : seen.transfers) {
      for (const Difference& d : run) {
        const double z = std::abs(d.octaves / d.deviation);
        sizes.push_back(z);
        sum += std::min(z * z, kMostOfOneRow * kMostOfOneRow);
      }
    }
    fit_.course = seen.course;
    fit_.misfit = sizes.empty() ? 0 : sum / double(sizes.size());
    fit_.scatter = kNormalPerMedian * evidence::median(sizes);
  }

  // How many segments a buffer holds shows in when transfers wait for one another, and nowhere else: it is
  // asked about when the rest does not explain the run, by twice the segments with the parts as they are.
  // When that tells the whole course much better, parts are found anew with each size, and the size that
  // tells it best is taken.
  void try_buffers() {
    if (!buffers_ || fit_.misfit < kMisfit)
      return;
    std::vector<Fit> tried{fit_};
    fit_.twin = twin_of(file_, fit_, 2 * file_.network.buffer_segments);
    measure(compare());
    const bool better = fit_.course < tried[0].course - kMuchBetter;
    if (!better)
      tried.push_back(fit_);
    for (int times = 2; better && times <= kMostBuffers; times *= 2) {
      settle_anew(times * file_.network.buffer_segments);
      tried.push_back(fit_);
      if (fit_.course > tried[tried.size() - 2].course + kAsWell)
        break;
    }
    const int spent = fit_.simulated;
    if (better)
      std::ranges::stable_sort(tried, {}, &Fit::course);
    fit_ = tried[0];
    fit_.simulated = spent;
    if (tried.size() > 1 && tried[1].course <= fit_.course + kAsWell)
      fit_.other_buffers = tried[1].twin.chip.network.buffer_segments;
  }

  void settle_anew(int buffer_segments) {
    const int spent = fit_.simulated;
    fit_ = untouched(buffer_segments);
    fit_.differs = true;
    fit_.simulated = spent;
    settle();
  }

  // ---- transfers

  // Which parts a row passes, each with its share; links by their component.
  void list_parts() {
    for (Run& run : runs_) {
      const std::vector<Path> paths = paths_of(run.cells, fit_.twin.chip, grid_);
      run.shares.assign(run.cells.rows.size(), {});
      for (size_t r = 0; r < run.cells.rows.size(); ++r) {
        const Row& row = run.cells.rows[r];
        std::vector<Component> on_path;
        for (const int link : paths[r].links())
          on_path.push_back(link_component(grid_, link));
        if (row.pattern.kind != chip::ProbeKind::Message) {
          on_path.push_back({Part::MemoryUnit, row.core});
          on_path.push_back({Part::DramPort, row.pattern.subject});
        }
        for (const Component& c : on_path)
          run.shares[r].emplace_back(number_of(c), share_of(paths[r], row.bytes, c));
      }
    }
  }

  size_t number_of(const Component& component) {
    const auto at = numbers_.emplace(component, parts_.size());
    if (at.second)
      parts_.push_back(component);
    return at.first->second;
  }

  bool move_transfers(const Seen& seen) {
    list_parts();
    std::vector<size_t> class_of_part;
    for (const Component& part : parts_)
      class_of_part.push_back(class_of(part.part));
    std::vector<Equation> by_part = part_equations(seen.transfers);
    if (by_part.empty())
      return false;
    const std::vector<Unknown> classes = take_classes(by_part, class_of_part);
    const Chance chance = chance_of(seen.by_chance, class_of_part);
    const OwnShares own =
        own_shares(std::move(by_part), class_of_part, kClassCount, tolerance_, so_far(), chance.of_parts);
    bool moved = false;
    for (size_t k = 0; k < kClassCount; ++k) {
      Unknown found = classes[k];
      found.error *= chance.of_classes[k];
      moved = move_class(k, found, own.classes[k]) || moved;
    }
    for (size_t p = 0; p < parts_.size(); ++p)
      moved = move_part(parts_[p], own.octaves[p], own.errors[p], own.ill[p]) || moved;
    return moved;
  }

  // Finds what the classes have to do with it; what they leave is about parts.
  static std::vector<Unknown> take_classes(
      std::vector<Equation>& by_part,
      const std::vector<size_t>& class_of_part) {
    std::vector<Unknown> classes(kClassCount, Unknown{kClassPrior});
    solve_robustly(class_equations(by_part, class_of_part), classes);
    for (Equation& e : by_part)
      for (const auto& [part, share] : e.shares)
        e.y -= share * classes[class_of_part[part]].value;
    return classes;
  }

  // What is found where nothing differs: each simulated run against the others.
  Chance chance_of(
      const std::vector<std::vector<std::vector<Difference>>>& by_chance,
      const std::vector<size_t>& class_of_part) const {
    Chance out;
    for (const std::vector<std::vector<Difference>>& draw : by_chance) {
      std::vector<Equation> by_part = part_equations(draw);
      const std::vector<Unknown> classes = take_classes(by_part, class_of_part);
      const std::vector<double> scatter = scatter_of_parts(by_part, class_of_part, kClassCount);
      for (size_t k = 0; k < kClassCount; ++k) {
        const double z = classes[k].value / classes[k].error;
        out.of_classes[k] += z * z / double(by_chance.size());
        out.of_parts[k] += scatter[k] / double(by_chance.size());
      }
    }
    for (size_t k = 0; k < kClassCount; ++k) {
      out.of_classes[k] = std::max(1.0, std::sqrt(out.of_classes[k]));
      out.of_parts[k] = std::max(1.0, out.of_parts[k]);
    }
    return out;
  }

  // What the twin takes parts for that transfers pass.
  OwnSoFar so_far() {
    OwnSoFar out;
    for (const Component& part : parts_)
      out.octaves.push_back(std::log2(fitted_part(part).ratio));
    for (size_t k = 0; k < kClassCount; ++k)
      out.spreads.push_back(std::log2(1 + fit_.classes[k].spread));
    return out;
  }

  std::vector<Equation> part_equations(const std::vector<std::vector<Difference>>& seen) const {
    std::vector<Equation> out;
    for (size_t i = 0; i < runs_.size(); ++i)
      for (const Difference& d : seen[i])
        out.push_back({d.octaves, d.deviation, runs_[i].shares[size_t(d.row)]});
    return out;
  }

  static std::vector<Equation> class_equations(
      const std::vector<Equation>& by_part,
      const std::vector<size_t>& class_of_part) {
    std::vector<Equation> out;
    for (const Equation& one : by_part) {
      Equation e{one.y, one.deviation, {}};
      double sums[kClassCount] = {};
      for (const auto& [part, share] : one.shares)
        sums[class_of_part[part]] += share;
      for (size_t k = 0; k < kClassCount; ++k)
        if (sums[k] > 0)
          e.shares.emplace_back(k, sums[k]);
      out.push_back(std::move(e));
    }
    return out;
  }

  bool move_class(size_t k, const Unknown& found, const PartsOfClass& parts) {
    FittedClass& fitted = fit_.classes[k];
    fitted.told = parts.told;
    fitted.spread = std::exp2(parts.spread) - 1;
    fitted.error = std::exp2(found.error) - 1;
    const double octaves = found.value + (parts.spread > 0 ? parts.centre : 0);
    const bool surely = std::abs(octaves) > std::max(kLeastDifference, kSurelyErrors * found.error);
    if (surely)
      fitted.ratio *= std::exp2(octaves);
    return surely;
  }

  // To `octaves` beside its class.
  bool move_part(const Component& part, double octaves, double error, double ill) {
    FittedPart& fitted = fitted_part(part);
    const double before = std::log2(fitted.ratio);
    fitted.told = fitted.told || error < kPartPrior / 2;
    fitted.error = std::exp2(error) - 1;
    fitted.ratio = std::exp2(octaves);
    fitted.ill = std::exp2(ill);
    return std::abs(octaves - before) > kLeastDifference;
  }

  FittedPart& fitted_part(const Component& part) {
    return *std::ranges::lower_bound(fit_.parts, part, {}, &FittedPart::component);
  }

  // ---- cores

  // Of each core the mean over the runs that tell of it.
  static std::vector<CoreDifference> together(const std::vector<std::vector<CoreDifference>>& runs) {
    std::map<int, std::vector<CoreDifference>> by_core;
    for (const std::vector<CoreDifference>& run : runs)
      for (const CoreDifference& d : run)
        by_core[d.core].push_back(d);
    std::vector<CoreDifference> out;
    for (const auto& [core, seen] : by_core) {
      CoreDifference sum{core};
      for (const CoreDifference& d : seen) {
        sum.octaves += d.octaves / double(seen.size());
        sum.cycles += d.cycles;
      }
      out.push_back(sum);
    }
    return out;
  }

  bool move_cores(const std::vector<CoreDifference>& seen) {
    std::vector<double> values;
    for (const CoreDifference& core : seen)
      values.push_back(core.octaves);
    const PartsOfClass found =
        spread_of(values, std::vector<double>(values.size(), kResolution), kSurelyUnequal);
    FittedClass& fitted = fit_.classes[kClassCount];
    fitted.told = found.told;
    fitted.spread = std::max(fitted.spread, std::exp2(found.spread) - 1);
    fitted.error = std::max(kResolution, found.spread) / std::sqrt(std::max(1.0, double(values.size())));
    const bool moved = std::abs(found.centre) > std::max(kLeastDifference, kSurelyErrors * fitted.error);
    if (moved)
      fitted.ratio *= std::exp2(found.centre);
    bool parts_moved = false;
    for (const CoreDifference& core : seen) {
      const double own = core.octaves - (moved ? found.centre : 0);
      const bool ill = std::abs(own) > most_own(std::max(found.spread, kLeastSpread), tolerance_);
      const double taken = ill || found.spread == 0 ? 0 : own;
      const Component part{Part::Core, core.core};
      const double total = std::log2(fitted_part(part).ratio) + taken;
      parts_moved = move_part(part, total, kResolution, ill ? own : 0) || parts_moved;
    }
    return moved || parts_moved;
  }

  void describe() {
    const int segments = fit_.twin.chip.network.buffer_segments;
    if (segments != file_.network.buffer_segments)
      fit_.notes.push_back(
          "buffers behave like ones of " + std::to_string(segments) + " segments, the chip file says " +
          std::to_string(file_.network.buffer_segments));
    for (const FittedClass& c : fit_.classes) {
      if (std::abs(std::log2(c.ratio)) > kLeastDifference)
        fit_.notes.push_back(
            class_name(c.part) + " are " + base::format_number(c.ratio, 3) +
            " times as slow as the chip file says; they are judged against one another");
      if (c.spread > 0)
        fit_.notes.push_back(
            class_name(c.part) + " differ among themselves by about " +
            base::format_number(100 * c.spread, 2) + " %");
    }
  }

  const spec::Chip& file_;
  const bool buffers_;
  const double tolerance_;  // octaves; below 0: estimated
  const Grid grid_;
  std::vector<Run> runs_;
  std::vector<Component> parts_;  // that transfers pass
  std::map<Component, size_t> numbers_;
  Fit fit_;
};

}  // namespace

bool Fit::explains() const {
  return scatter <= kMostScatter;
}

std::string class_name(Part part) {
  if (part == Part::Link)
    return "links";
  if (part == Part::DramPort)
    return "DRAM ports";
  return part == Part::MemoryUnit ? "memory units" : "cores";
}

Twin twin_of(const spec::Chip& file, const Fit& fit, int buffer_segments) {
  Twin out{file, {}};
  out.chip.network.buffer_segments = buffer_segments;
  for (const FittedClass& c : fit.classes) {
    if (c.part == Part::Link)
      out.chip.network.link_bytes_per_cycle = file.network.link_bytes_per_cycle / c.ratio;
    if (c.part == Part::DramPort)
      out.chip.dram.port_bytes_per_cycle = file.dram.port_bytes_per_cycle / c.ratio;
    if (c.part == Part::MemoryUnit)
      out.chip.memory_unit.bytes_per_cycle = file.memory_unit.bytes_per_cycle / c.ratio;
    if (c.part == Part::Core)
      out.chip.core.ops_per_cycle = file.core.ops_per_cycle / c.ratio;
  }
  const Grid grid(file);
  for (const FittedPart& part : fit.parts)
    if (part.ratio != 1)
      make_slower(out.own, grid, part.component, part.ratio);
  return out;
}

Fit fit_twin(const std::vector<FitRun>& runs, const spec::Chip& chip, double tolerance, bool buffers) {
  return Fitter(runs, chip, tolerance, buffers).run();
}

Fit fit_twin(const Sketch& sketch, const spec::Chip& chip, const FitOptions& options) {
  const FitRun run{&sketch, options.replays};
  if (options.given != nullptr)
    return tested(*options.given, run);
  return fit_twin(std::vector<FitRun>{run}, chip, options.tolerance, options.buffers);
}

Fit tested(const Fit& fit, const FitRun& run) {
  return Fitter({run}, fit.twin.chip, -1).test(fit);
}

}  // namespace lento::chip
