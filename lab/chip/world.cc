// Rows are data: a change of the chip, of its routes and of the records. Runs of a row draw their seeds from
// the position of the row and the number of the run, so that rows do not depend on one another.
#include "lab/chip/world.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <regex>

#include "base/rng.h"
#include "base/units.h"
#include "chip/detect/path.h"
#include "chip/diagnose.h"
#include "chip/map/file/map_file.h"
#include "chip/model/model.h"
#include "chip/read/probe_file.h"
#include "chip/sim/simulate.h"
#include "evidence/sample.h"
#include "lab/chip/score.h"

namespace lento::chip {
namespace {

using Records = std::vector<ProbeRecord>;
using ChangeChip = std::function<void(Twin&, Program&, base::Rng&)>;
using ChangeRecords = std::function<void(Records&, base::Rng&)>;

struct Row {
  std::string name;
  ChangeChip chip;
  ChangeRecords recorder{};
};

// ---- changes of the records

ChangeRecords warped(std::function<double(double t, double end)> clock) {
  return [clock = std::move(clock)](Records& records, base::Rng&) {
    double end = 1;
    for (const ProbeRecord& r : records)
      end = std::max(end, double(r.end));
    for (ProbeRecord& r : records) {
      r.begin = uint64_t(std::llround(clock(double(r.begin), end)));
      r.end = uint64_t(std::llround(clock(double(r.end), end)));
    }
  };
}

ChangeRecords grain(uint64_t cycles) {
  return [cycles](Records& records, base::Rng&) {
    for (ProbeRecord& r : records) {
      r.begin -= r.begin % cycles;
      r.end -= r.end % cycles;
    }
  };
}

// Lets the counter of each core start at a random value below `most` and wrap after `bits` bits.
ChangeRecords counters(uint64_t most, unsigned bits = 64) {
  return [most, bits](Records& records, base::Rng& rng) {
    std::vector<uint64_t> starts;
    const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    for (ProbeRecord& r : records) {
      while (starts.size() <= r.core)
        starts.push_back(rng.below(most) & mask);
      r.begin = (r.begin + starts[r.core]) & mask;
      r.end = (r.end + starts[r.core]) & mask;
    }
  };
}

// Lets 32-bit counters start so late that half of the cores wrap during the run.
ChangeRecords wrapping_counters() {
  return [](Records& records, base::Rng& rng) {
    uint64_t end = 1;
    for (const ProbeRecord& r : records)
      end = std::max(end, r.end);
    std::vector<uint64_t> starts;
    for (ProbeRecord& r : records) {
      while (starts.size() <= r.core)
        starts.push_back(UINT32_MAX - rng.below(2 * end));
      r.begin = (r.begin + starts[r.core]) & UINT32_MAX;
      r.end = (r.end + starts[r.core]) & UINT32_MAX;
    }
  };
}

ChangeRecords lost(double share) {
  return [share](Records& records, base::Rng& rng) {
    std::erase_if(records, [&](const ProbeRecord&) {
      return rng.uniform() < share;
    });
  };
}

// ---- changes of the chip

ChangeChip window(int instructions) {
  return [instructions](Twin& twin, Program&, base::Rng&) {
    twin.chip.core.issue_window = instructions;
  };
}

ChangeChip off_by(double share) {
  return [share](Twin& twin, Program&, base::Rng& rng) {
    for (double* rate :
         {&twin.chip.core.ops_per_cycle,
          &twin.chip.network.link_bytes_per_cycle,
          &twin.chip.memory_unit.bytes_per_cycle,
          &twin.chip.dram.port_bytes_per_cycle})
      *rate *= 1 + rng.uniform(-share, share);
  };
}

ChangeChip own_spread(double deviation) {
  return [deviation](Twin& twin, Program&, base::Rng& rng) {
    const Grid grid(twin.chip);
    const auto draw = [&](std::vector<double>& parts, int count) {
      for (int i = 0; i < count; ++i)
        parts.push_back(std::exp(rng.normal(0, deviation)));
    };
    draw(twin.own.cores, grid.core_count());
    draw(twin.own.memory_units, grid.core_count());
    draw(twin.own.ports, grid.port_count());
    draw(twin.own.links, grid.link_count());
    for (int id = 0; id < grid.link_count(); ++id)
      if (const int back = grid.find_link(grid.link(id).to, grid.link(id).from); back > id)
        twin.own.links[size_t(back)] = twin.own.links[size_t(id)];
  };
}

// Returns the hops of a message that goes along columns first, where the routing of the file goes along rows
// first.
std::optional<std::vector<Grid::Hop>> other_way(const Grid& grid, int from, int to) {
  const Position a = grid.position(from);
  const Position b = grid.position(to);
  const int corner = grid.core(a.x, b.y);
  if (corner < 0 || a.x == b.x || a.y == b.y)
    return {};
  std::vector<Grid::Hop> hops = grid.route(from, corner);
  for (const Grid::Hop& hop : grid.route(corner, to))
    hops.push_back(hop);
  return hops;
}

ChangeChip other_routes(size_t count) {
  return [count](Twin& twin, Program& program, base::Rng& rng) {
    const Grid grid(twin.chip);
    for (size_t done = 0, tried = 0; done < count && tried < 100 * count && !program.channels.empty();
         ++tried) {
      Program::Channel& channel = program.channels[rng.below(program.channels.size())];
      const auto hops = other_way(grid, int(channel.from), int(channel.to));
      if (!hops)
        continue;
      channel.route = uint32_t(program.routes.size());
      const auto begin = uint32_t(program.hops.size());
      program.hops.insert(program.hops.end(), hops->begin(), hops->end());
      program.routes.push_back({begin, uint32_t(program.hops.size())});
      ++done;
    }
  };
}

ChangeChip chip_with(void (*change)(spec::Chip&)) {
  return [change](Twin& twin, Program&, base::Rng&) {
    change(twin.chip);
  };
}

ChangeChip routes_of(SheetError error) {
  return [error](Twin& twin, Program& program, base::Rng&) {
    if (auto other = with_error(error, twin.chip, program)) {
      twin.chip = std::move(other->chip);
      program = std::move(other->program);
    }
  };
}

// Adds rows of chips whose file is wrong about more than a rate.
void add_wrong_sheets(std::vector<Row>& rows) {
  rows.push_back({"sheet: another topology", routes_of(SheetError::Topology)});
  rows.push_back({"sheet: all routes along columns first", routes_of(SheetError::ColumnsFirst)});
  const auto add = [&rows](const std::string& name, void (*change)(spec::Chip&)) {
    rows.push_back({"sheet: " + name, chip_with(change)});
  };
  // clang-format off
  add("DRAM latency 200 cycles more", [](spec::Chip& c) { c.dram.latency_cycles += 200; });
  add("DRAM latency 2000 cycles more", [](spec::Chip& c) { c.dram.latency_cycles += 2000; });
  add("links half as wide", [](spec::Chip& c) { c.network.link_bytes_per_cycle /= 2; });
  add("routers take 30 cycles more", [](spec::Chip& c) { c.network.router_cycles += 30; });
  add("segments a quarter as large", [](spec::Chip& c) { c.network.segment_bytes /= 4; });
  add("buffers of 6 segments more", [](spec::Chip& c) { c.network.buffer_segments += 6; });
  add("twice the slots", [](spec::Chip& c) { c.memory_unit.slots *= 2; });
  add("start-up of 200 cycles more", [](spec::Chip& c) { c.core.start_up_cycles += 200; });
  // clang-format on
}

std::vector<Row> all_rows() {
  std::vector<Row> rows{{"as the file says", {}, {}}};
  for (const uint64_t cycles : {8, 32, 64})
    rows.push_back({"timer grain " + std::to_string(cycles), {}, grain(cycles)});
  for (const uint64_t cycles : {500, 2000})
    rows.push_back({"clocks apart by up to " + std::to_string(cycles), {}, counters(2 * cycles)});
  rows.push_back({"counters start anywhere", {}, counters(uint64_t{1} << 40)});
  rows.push_back({"counters of 32 bits wrap", {}, wrapping_counters()});
  rows.push_back({"records lost 2 %", {}, lost(0.02)});
  rows.push_back({"all parts drift to x1.6", {}, warped([](double t, double end) {
                    return t + 0.3 * t * t / end;
                  })});
  for (const int instructions : {6, 16})
    rows.push_back({"issue window " + std::to_string(instructions), window(instructions), {}});
  for (const double factor : {1.15, 1.25, 3.0})
    rows.push_back({"whole chip x" + base::format_number(factor, 3), {}, warped([factor](double t, double) {
                      return factor * t;
                    })});
  rows.push_back({"all links x1.3", chip_with([](spec::Chip& c) {
                    c.network.link_bytes_per_cycle /= 1.3;
                  })});
  rows.push_back({"all cores x1.3", chip_with([](spec::Chip& c) {
                    c.core.ops_per_cycle /= 1.3;
                  })});
  rows.push_back({"classes within 5 %", off_by(0.05), {}});
  rows.push_back({"own spread 5 %", own_spread(0.05), {}});
  rows.push_back({"36 routes differ", other_routes(36), {}});
  add_wrong_sheets(rows);
  return rows;
}

// ---- runs of one row

bool is_part(const std::string& subject) {
  static const std::regex kPart("(core|link|router|lsu|dram|memory|port).*[0-9].*");
  return std::regex_match(subject, kPart);
}

class World {
 public:
  World(const WorldOptions& options)
      : options_(options),
        chip_(spec::read_chip(options.chip)),
        program_(expand(read_map(options.mapping), chip_, options.mapping)),
        grid_(chip_),
        file_((std::filesystem::temp_directory_path() /
               ("lento-world-" + std::to_string(::getpid()) + ".probe"))
                  .string()) {
    if (options.model)
      learnt_ = std::make_shared<ChipModel>(learn({chip_, program_, options.inferences}));
    Result result;
    simulated(*this, {}, 1, &result);
    cycles_ = result.cycles;
    std::vector<uint64_t> used;
    for (const Result::Use& use : result.links)
      used.push_back(use.busy);
    usual_use_ = evidence::lower_median_reordering(std::span(used));
    links_ = std::move(result.links);
  }
  ~World() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

  WorldRow run(const Row& row, uint64_t number) {
    WorldRow out;
    out.name = row.name;
    for (int i = 0; i < options_.healthy; ++i)
      count_healthy(out, judged(row, {}, seed_of(number, i)));
    for (int i = 0; i < options_.faulty; ++i) {
      const uint64_t seed = seed_of(number, 10'000 + i);
      const Fault fault = drawn_fault(seed);
      count_faulty(out, fault, judged(row, {fault}, seed));
    }
    return out;
  }

 private:
  uint64_t seed_of(uint64_t row, int run) const {
    return base::mix64(base::mix64(options_.seed) ^ (row << 32 | uint64_t(run)));
  }

  static void simulated(const World& w, const std::vector<Fault>& faults, uint64_t seed, Result* result) {
    Options run;
    run.inferences = w.options_.inferences;
    run.seed = seed;
    *result = simulate(Model(w.chip_, w.program_), faults, run);
  }

  // Draws a fault that at least kFewHits operations or segments meet, as campaigns count them.
  Fault drawn_fault(uint64_t seed) const {
    constexpr int kMostDrawn = 100;
    base::Rng rng(seed, "chip.world.fault");
    for (int drawn = 1;; ++drawn) {
      const Fault fault = drawn_fault(rng);
      if (events_of(fault) >= kFewHits || drawn == kMostDrawn)
        return fault;
    }
  }

  // Returns the number of operations or segments that a fault makes slower, on the file's chip.
  uint64_t events_of(const Fault& fault) const {
    Result result;
    simulated(*this, {fault}, 1, &result);
    return result.fault_hits.front();
  }

  // Draws a core, or a link with at least the median traffic, that is slow for a fifth to a third of the run.
  Fault drawn_fault(base::Rng& rng) const {
    Component part{Part::Core, int(rng.below(uint64_t(grid_.core_count())))};
    if (rng.uniform() < 2.0 / 3) {
      int link = 0;
      do
        link = int(rng.below(uint64_t(grid_.link_count())));
      while (links_[size_t(link)].busy < usual_use_);
      part = link_component(grid_, link);
    }
    Fault fault = fault_of(part, grid_);
    fault.factor = rng.uniform() < 0.5 ? 3 : 10;
    const double begin = rng.uniform(0.1, 0.4);
    fault.begin = uint64_t(begin * double(cycles_));
    fault.end = uint64_t((begin + rng.uniform(0.2, 0.35)) * double(cycles_));
    return fault;
  }

  // Routes with mixed turns can deadlock. Then other routes are drawn.
  Records simulated_run(const Row& row, const std::vector<Fault>& faults, uint64_t seed, base::Rng& rng)
      const {
    constexpr int kMostTries = 20;
    for (int tried = 1;; ++tried) {
      Twin twin{chip_, {}};
      Program program = program_;
      if (row.chip)
        row.chip(twin, program, rng);
      try {
        return simulated_records({chip_, program, options_.inferences}, twin, faults, base::mix64(seed));
      } catch (const base::Error&) {
        if (tried == kMostTries)
          throw;
      }
    }
  }

  finding::Diagnosis judged(const Row& row, const std::vector<Fault>& faults, uint64_t seed) const {
    base::Rng rng(seed, "chip.world");
    Records records = simulated_run(row, faults, seed, rng);
    if (row.recorder)
      row.recorder(records, rng);
    ProbeHeader head;
    head.chip = chip_.name;
    head.mapping = program_.name;
    head.cores = uint32_t(grid_.core_count());
    head.inferences = options_.inferences;
    head.clock_hz = chip_.clock_hz;
    ProbeWriter writer(file_, head);
    for (const ProbeRecord& r : records)
      writer.write(r);
    writer.commit();
    ChipDiagnosisOptions job;
    job.records = file_;
    job.chip = options_.chip;
    job.mapping = options_.mapping;
    job.model = options_.model;
    job.learnt = learnt_;
    return diagnose_chip(job);
  }

  static std::string answer(const finding::Diagnosis& d) {
    std::string out = d.outcome == finding::Outcome::CannotJudge ? "cannot judge" : "";
    for (const finding::Finding& f : d.findings)
      out += (out.empty() ? "" : ", ") + f.subject + " x" + base::format_number(f.factor.value_or(1), 3);
    return out.empty() ? "healthy" : out;
  }

  static void count_healthy(WorldRow& out, const finding::Diagnosis& d) {
    const bool accused = std::ranges::any_of(d.findings, [](const finding::Finding& f) {
      return is_part(f.subject);
    });
    const bool whole = std::ranges::any_of(d.findings, [](const finding::Finding& f) {
      return !is_part(f.subject);
    });
    ++out.healthy;
    out.accused += accused;
    out.whole += whole;
    out.unsure += d.outcome == finding::Outcome::CannotJudge;
    if (accused || d.outcome == finding::Outcome::CannotJudge)
      out.odd.push_back("healthy: " + answer(d) + (d.reason.empty() ? "" : " (" + d.reason + ")"));
  }

  static void count_interval(WorldRow& out, const finding::Finding& f, double factor) {
    const auto end = [&](const std::string& which) {
      const auto at = std::ranges::find_if(f.evidence, [&](const finding::Evidence& e) {
        return e.text.starts_with(which);
      });
      return at == f.evidence.end() ? std::nullopt : at->value;
    };
    const std::optional<double> low = end("lower end");
    const std::optional<double> high = end("upper end");
    if (!low || !high)
      return;
    ++out.intervals;
    out.covered += *low <= factor && factor <= *high;
  }

  void count_faulty(WorldRow& out, const Fault& fault, const finding::Diagnosis& d) const {
    std::vector<const finding::Finding*> parts;
    for (const finding::Finding& f : d.findings)
      if (is_part(f.subject))
        parts.push_back(&f);
    ++out.faulty;
    if (parts.size() == 1 && parts[0]->subject == name_of(component_of(fault), grid_)) {
      ++out.right;
      const double off = std::abs(parts[0]->factor.value_or(1) / fault.factor - 1);
      out.factor_errors.push_back(off);
      count_interval(out, *parts[0], fault.factor);
      constexpr double kFarOff = 0.2;
      if (off > kFarOff)
        out.odd.push_back("x" + base::format_number(fault.factor, 3) + ": " + parts[0]->summary);
      return;
    }
    const bool unsure = parts.empty() && d.outcome == finding::Outcome::CannotJudge;
    ++(unsure ? out.faulty_unsure : out.wrong);
    out.odd.push_back(
        name_of(component_of(fault), grid_) + " x" + base::format_number(fault.factor, 3) + ", " +
        std::to_string(events_of(fault)) + " events: " + answer(d) +
        (d.reason.empty() ? "" : " (" + d.reason + ")"));
  }

  const WorldOptions& options_;
  const spec::Chip chip_;
  const Program program_;
  const Grid grid_;
  const std::string file_;
  std::shared_ptr<const ChipModel> learnt_;
  uint64_t cycles_ = 0;
  uint64_t usual_use_ = 0;
  std::vector<Result::Use> links_;
};

}  // namespace

std::vector<std::string> world_rows() {
  std::vector<std::string> out;
  for (const Row& row : all_rows())
    out.push_back(row.name);
  return out;
}

std::vector<WorldRow> run_world(const WorldOptions& options, const base::Progress& progress) {
  std::regex wanted;
  try {
    wanted = std::regex(options.rows.empty() ? "." : options.rows);
  } catch (const std::regex_error&) {
    throw base::Error({"--rows"}, "'" + options.rows + "' is not a regular expression");
  }
  World world(options);
  const std::vector<Row> rows = all_rows();
  std::vector<WorldRow> out;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (progress.stop && progress.stop())
      break;
    if (!std::regex_search(rows[i].name, wanted))
      continue;
    if (progress.report)
      progress.report(rows[i].name, double(i), double(rows.size()));
    out.push_back(world.run(rows[i], i));
  }
  return out;
}

finding::Diagnosis world_table(const std::vector<WorldRow>& rows, const WorldOptions& options) {
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "Chips and recorders unlike their file";
  d.seed = options.seed;
  finding::TableFigure table;
  table.columns = {
      "row",
      "healthy",
      "accused",
      "cannot judge",
      "class or chip named",
      "faults",
      "right",
      "cannot judge",
      "wrong",
      "median factor error, %",
      "90 % intervals that cover"};
  int accused = 0;
  int healthy = 0;
  for (const WorldRow& r : rows) {
    accused += r.accused;
    healthy += r.healthy;
    table.rows.push_back(
        {r.name,
         std::to_string(r.healthy),
         std::to_string(r.accused),
         std::to_string(r.unsure),
         std::to_string(r.whole),
         std::to_string(r.faulty),
         std::to_string(r.right),
         std::to_string(r.faulty_unsure),
         std::to_string(r.wrong),
         r.factor_errors.empty() ? "-" : base::format_number(100 * evidence::median(r.factor_errors), 3),
         std::to_string(r.covered) + " of " + std::to_string(r.intervals)});
    for (const std::string& line : r.odd)
      d.notes.push_back(r.name + ": " + line);
  }
  d.verdict = std::to_string(accused) + " of " + std::to_string(healthy) + " healthy runs accused.";
  d.figures.push_back({"Rows", "Right: the planted part alone was named.", table});
  return d;
}

}  // namespace lento::chip
