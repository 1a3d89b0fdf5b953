// Simulates, records and diagnoses the runs of each row (world_changes.h). Runs of a row draw their seeds
// from the position of the row and the number of the run, so that rows do not depend on one another.
#include "lab/chip/world.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
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
#include "lab/chip/world_changes.h"

namespace lento::chip {
namespace {

using Records = std::vector<ProbeRecord>;

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

  WorldRow run(const WorldChange& row, uint64_t number) {
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
  Records simulated_run(
      const WorldChange& row,
      const std::vector<Fault>& faults,
      uint64_t seed,
      base::Rng& rng) const {
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

  finding::Diagnosis judged(const WorldChange& row, const std::vector<Fault>& faults, uint64_t seed) const {
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

  // Returns whether a finding of several parts ("A or B") names the slow one among them.
  bool holds(const finding::Finding& f, const Fault& fault) const {
    return (f.subject + " or ").find(name_of(component_of(fault), grid_) + " or ") != std::string::npos;
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
    if (parts.size() == 1 && holds(*parts[0], fault))
      ++out.among;
    else
      ++(parts.empty() && !d.reason.empty() ? out.faulty_unsure : out.wrong);
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
  for (const WorldChange& row : all_world_changes())
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
  const std::vector<WorldChange> rows = all_world_changes();
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
      "one of several",
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
         std::to_string(r.among),
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
