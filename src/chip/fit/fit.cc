// Round by round: simulate the twin, compare, move the twin. In a round first the classes (links, DRAM ports,
// memory units) from all patterns at once, then what is left over is shared out among parts, each class with
// the spread that it turns out to have; operations tell of their core alone. The first round that moves
// nothing surely ends it, so that a chip like its file costs the draws that its diagnosis needs anyway.
#include "chip/fit/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/stats.h"
#include "base/units.h"
#include "chip/fit/differences.h"
#include "chip/fit/parts.h"
#include "chip/fit/robust.h"
#include "chip/fit/tuning.h"

namespace lento::chip {
namespace {

// Classes that transfers tell about, in the order of their unknowns.
constexpr Part kClasses[] = {Part::Link, Part::DramPort, Part::MemoryUnit};
constexpr size_t kClassCount = std::size(kClasses);

size_t class_of(Part part) {
  return size_t(std::find(std::begin(kClasses), std::end(kClasses), part) - std::begin(kClasses));
}

// Octaves a transfer takes longer for each octave that the component does.
double share_of(const Path& path, double bytes, const Component& component) {
  constexpr double kStep = 1.02;
  return std::log2(path.cycles(bytes, component, kStep) / path.cycles(bytes)) / std::log2(kStep);
}

class Fitter {
 public:
  Fitter(const Sketch& sketch, const spec::Chip& chip, const FitOptions& options)
      : sketch_(sketch),
        file_(chip),
        options_(options),
        grid_(chip),
        cells_(cells_of(sketch, grid_)) {
    fit_.twin = {chip, {}};
    fit_.classes = untouched_classes();
  }

  Fit run() {
    if (!options_.replays || cells_.rows.empty())
      return std::move(fit_);
    settle();
    try_buffers();
    describe();
    return std::move(fit_);
  }

 private:
  // Rounds until nothing moves, and how far off the twin then is.
  void settle() {
    for (int round = 0; round < kFitRounds; ++round) {
      const Differences seen = compare(fit_.twin);
      measure(seen);
      const bool cores = move_cores(seen.cores);
      const bool transfers = move_transfers(seen.transfers);
      if (!cores && !transfers)
        return;
      fit_.differs = true;
    }
    measure(compare(fit_.twin));
  }

  Differences compare(const Twin& twin) {
    const Replay replay = options_.replays(twin);
    std::vector<Sketch> draws;
    for (uint32_t i = 0; i < kFitDraws; ++i)
      draws.push_back(replay({}, i));
    fit_.simulated += int(kFitDraws);
    return differences_of(sketch_, cells_, draws, grid_);
  }

  // How far off the twin is. What a fault makes of the patterns that it reaches is no matter of the chip:
  // each counts up to a bound, and the scatter is that of the nearer half.
  void measure(const Differences& seen) {
    double sum = 0;
    std::vector<double> sizes;
    for (const Difference& d : seen.transfers) {
      const double z = std::abs(d.octaves / d.deviation);
      sizes.push_back(z);
      sum += std::min(z * z, kMostOfOneRow * kMostOfOneRow);
    }
    fit_.misfit = sizes.empty() ? 0 : sum / double(sizes.size());
    fit_.scatter = kNormalPerMedian * base::median(sizes);
  }

  // How many segments a buffer holds shows in how transfers wait for one another, and nowhere else: it is
  // asked about when the rest does not explain the run, and taken when it explains much more.
  void try_buffers() {
    if (fit_.misfit < kMisfit)
      return;
    Fit best = fit_;
    for (const int times : {2, 4}) {
      const int spent = fit_.simulated;
      fit_ = Fit{{file_, {}}, untouched_classes(), true, spent};
      fit_.twin.chip.network.buffer_segments *= times;
      settle();
      if (fit_.misfit < kMuchBetter * best.misfit)
        best = fit_;
    }
    best.simulated = fit_.simulated;
    fit_ = std::move(best);
  }

  static std::vector<FittedClass> untouched_classes() {
    std::vector<FittedClass> out;
    for (const Part part : kClasses)
      out.push_back({part});
    out.push_back({Part::Core});
    return out;
  }

  // ---- transfers

  // Which parts a row passes, each with its share; links by their component.
  void list_parts() {
    paths_ = paths_of(cells_, fit_.twin.chip, grid_);
    shares_.assign(cells_.rows.size(), {});
    for (size_t r = 0; r < cells_.rows.size(); ++r) {
      std::vector<Component> on_path;
      for (const int link : paths_[r].links())
        on_path.push_back(link_component(grid_, link));
      const Row& row = cells_.rows[r];
      if (row.pattern.kind != trace::ProbeKind::Message) {
        on_path.push_back({Part::MemoryUnit, row.core});
        on_path.push_back({Part::DramPort, row.pattern.subject});
      }
      for (const Component& c : on_path)
        shares_[r].emplace_back(number_of(c), share_of(paths_[r], row.bytes, c));
    }
  }

  size_t number_of(const Component& component) {
    const auto at = numbers_.emplace(component, parts_.size());
    if (at.second)
      parts_.push_back(component);
    return at.first->second;
  }

  bool move_transfers(const std::vector<Difference>& seen) {
    list_parts();
    std::vector<Equation> equations = class_equations(seen);
    if (equations.empty())
      return false;
    std::vector<Unknown> classes(kClassCount, Unknown{kClassPrior});
    solve_robustly(equations, classes);
    // What the classes leave is about parts.
    for (size_t i = 0; i < equations.size(); ++i) {
      for (const auto& [k, share] : equations[i].shares)
        equations[i].y -= share * classes[k].value;
      equations[i].shares = shares_[size_t(seen[i].row)];
    }
    std::vector<size_t> class_of_part;
    for (const Component& part : parts_)
      class_of_part.push_back(class_of(part.part));
    const OwnShares own = own_shares(std::move(equations), class_of_part, kClassCount, tolerance());
    bool moved = false;
    for (size_t k = 0; k < kClassCount; ++k)
      moved = move_class(k, classes[k], own.classes[k]) || moved;
    for (size_t p = 0; p < parts_.size(); ++p)
      moved = move_part(parts_[p], own.octaves[p]) || moved;
    return moved;
  }

  std::vector<Equation> class_equations(const std::vector<Difference>& seen) const {
    std::vector<Equation> out;
    for (const Difference& d : seen) {
      Equation e{d.octaves, d.deviation, {}};
      double sums[kClassCount] = {};
      for (const auto& [part, share] : shares_[size_t(d.row)])
        sums[class_of(parts_[part].part)] += share;
      for (size_t k = 0; k < kClassCount; ++k)
        if (sums[k] > 0)
          e.shares.emplace_back(k, sums[k]);
      out.push_back(std::move(e));
    }
    return out;
  }

  double tolerance() const {
    return options_.tolerance < 0 ? -1 : std::log2(1 + options_.tolerance);
  }

  bool move_class(size_t k, const Unknown& found, const PartsOfClass& parts) {
    FittedClass& fitted = fit_.classes[k];
    fitted.told = parts.told;
    fitted.spread = std::max(fitted.spread, std::exp2(parts.spread) - 1);
    fitted.error = std::exp2(found.error) - 1;
    const double octaves = found.value + (parts.spread > 0 ? parts.centre : 0);
    const bool surely = std::abs(octaves) > std::max(kLeastDifference, kSurelyErrors * found.error);
    if (!surely)
      return false;
    const double times = std::exp2(octaves);
    fitted.ratio *= times;
    spec::Chip& chip = fit_.twin.chip;
    if (kClasses[k] == Part::Link)
      chip.network.link_bytes_per_cycle /= times;
    if (kClasses[k] == Part::DramPort)
      chip.dram.port_bytes_per_cycle /= times;
    if (kClasses[k] == Part::MemoryUnit)
      chip.memory_unit.bytes_per_cycle /= times;
    return true;
  }

  bool move_part(const Component& part, double octaves) {
    if (octaves == 0)
      return false;
    const double times = std::exp2(octaves);
    Deviations& own = fit_.twin.own;
    if (part.part == Part::MemoryUnit)
      scale(own.memory_units, grid_.core_count(), part.index, times);
    if (part.part == Part::DramPort)
      scale(own.ports, grid_.port_count(), part.index, times);
    if (part.part == Part::Link) {
      for (const int link :
           {grid_.find_link(part.index, part.other), grid_.find_link(part.other, part.index)})
        if (link >= 0)
          scale(own.links, grid_.link_count(), link, times);
    }
    return std::abs(octaves) > kLeastDifference;
  }

  static void scale(std::vector<double>& parts, int count, int index, double times) {
    parts.resize(size_t(count), 1);
    parts[size_t(index)] *= times;
  }

  // ---- cores

  bool move_cores(const std::vector<CoreDifference>& seen) {
    std::vector<double> values;
    for (const CoreDifference& core : seen)
      values.push_back(core.octaves);
    const PartsOfClass found = spread_of(values, kResolution);
    FittedClass& fitted = fit_.classes[kClassCount];
    fitted.told = found.told;
    fitted.spread = std::max(fitted.spread, std::exp2(found.spread) - 1);
    fitted.error = std::max(kResolution, found.spread) / std::sqrt(std::max(1.0, double(values.size())));
    bool moved = false;
    if (std::abs(found.centre) > std::max(kLeastDifference, kSurelyErrors * fitted.error)) {
      fitted.ratio *= std::exp2(found.centre);
      fit_.twin.chip.core.ops_per_cycle /= std::exp2(found.centre);
      moved = true;
    }
    const double centre = moved ? found.centre : 0;
    for (const CoreDifference& core : seen) {
      const double own = core.octaves - centre;
      if (found.spread == 0 || std::abs(own) > most_own(found.spread, tolerance()))
        continue;
      scale(fit_.twin.own.cores, grid_.core_count(), core.core, std::exp2(own));
      moved = moved || std::abs(own) > kLeastDifference;
    }
    return moved;
  }

  void describe() {
    if (fit_.twin.chip.network.buffer_segments != file_.network.buffer_segments)
      fit_.notes.push_back(
          "buffers behave like ones of " + std::to_string(fit_.twin.chip.network.buffer_segments) +
          " segments, the chip file says " + std::to_string(file_.network.buffer_segments));
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

  static std::string class_name(Part part) {
    if (part == Part::Link)
      return "links";
    if (part == Part::DramPort)
      return "DRAM ports";
    return part == Part::MemoryUnit ? "memory units" : "cores";
  }

  const Sketch& sketch_;
  const spec::Chip& file_;
  const FitOptions& options_;
  const Grid grid_;
  const Cells cells_;
  std::vector<Path> paths_;
  std::vector<Component> parts_;
  std::map<Component, size_t> numbers_;
  std::vector<std::vector<std::pair<size_t, double>>> shares_;  // by row: part, share
  Fit fit_;
};

}  // namespace

bool Fit::explains() const {
  return scatter <= kMostScatter;
}

Fit fit_twin(const Sketch& sketch, const spec::Chip& chip, const FitOptions& options) {
  return Fitter(sketch, chip, options).run();
}

}  // namespace lento::chip
