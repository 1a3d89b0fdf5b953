// Numbers the runs of a campaign: stage by stage, in each the faulty runs, then the clean ones, then those of
// altered structures, each repeated with every mismatch and every probe plan. A run follows from its number
// alone, so runs may be executed in any order and in any process.
#include "lab/chip/plan.h"

#include <algorithm>

#include "base/file.h"
#include "base/rng.h"
#include "base/units.h"
#include "chip/detect/alike.h"
#include "chip/make_mapping.h"
#include "chip/map/file/map_file.h"
#include "desk/transformer_shape.h"
#include "lab/chip/alter.h"

namespace lento::chip {
namespace {

using base::Json;
using spec::Chip;

// Clean runs have seeds that no faulty run has. They begin at this multiple of the first seed of faulty runs.
constexpr uint64_t kCleanSeeds = 1'000'000;
constexpr uint64_t kAlteredSeeds = 2'000'000;
// The healthy run that accompanies a run has the seed of that run plus this number.
constexpr uint64_t kHealthySeeds = 500'000;

Mapping mapping_of(const Campaign::Workload& w, const Chip& machine, const base::Progress& progress) {
  if (w.is_tree)
    return map_binary_tree(w.tree, machine);
  if (!w.mapping.empty())
    return read_map(w.mapping);
  ChipMappingOptions options;
  options.model = w.model;
  options.chip = w.chip;
  options.batch = w.batch;
  options.transformer = {desk::read_transformer_shape, w.run};
  return map_network(options, w.name, progress).mapping;
}

std::vector<Case> drawn_cases(const Campaign& c, const Chip& machine, uint64_t run_cycles) {
  std::vector<Case> all;
  DataSetOptions draw = c.draw;
  draw.clock_hz = machine.clock_hz;
  draw.run_cycles = run_cycles;
  for (const double factor : c.factors) {
    draw.factor = factor;
    for (Case& one : draw_cases(Grid(machine), draw)) {
      if (c.factors.size() > 1)
        one.name += " x" + base::format_number(factor);
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::vector<Case> cases_of(const Campaign& c, const Chip& machine, uint64_t run_cycles) {
  std::vector<Case> all;
  if (c.fault_files.empty())
    all = drawn_cases(c, machine, run_cycles);
  else
    all = read_cases(c.fault_files, machine);
  if (c.training_only)
    std::erase_if(all, [](const Case& one) {
      return !one.training;
    });
  return all;
}

// Counts the events that start inside each fault. Until the first of them a run with the fault equals the run
// without it, so one noise-free run in which all faults have factor 1 is enough to find the cases that change
// anything.
void decide_touching(Stage& stage, const base::Progress& progress) {
  std::vector<Fault> harmless;
  for (const Case& c : stage.cases) {
    for (Fault f : c.faults) {
      f.factor = 1;
      if (f.exists())
        harmless.push_back(f);
    }
  }
  std::vector<uint64_t> hits;
  if (!harmless.empty())
    hits = stage.bench->hits(harmless, progress.stop);
  size_t next = 0;
  for (const Case& c : stage.cases) {
    uint64_t fewest = UINT64_MAX;
    for (const Fault& f : c.faults) {
      if (f.exists())
        fewest = std::min(fewest, hits[next++]);
    }
    stage.hits.push_back(c.faults.empty() ? 0 : fewest);
  }
}

Chip chip_of(const Campaign::Workload& w, const std::string& path) {
  Chip chip = spec::read_chip(path);
  if (w.noise_of_cores >= 0)
    chip.core.rate_deviation = w.noise_of_cores;
  if (w.noise_of_links >= 0)
    chip.network.transit_cv = w.noise_of_links;
  return chip;
}

Stage make_stage(const Campaign& c, const Campaign::Workload& w, const base::Progress& progress) {
  const Chip machine = chip_of(w, w.chip);
  const Mapping mapping = mapping_of(w, machine, progress);
  TrialOptions options;
  options.inferences = uint32_t(c.inferences);
  options.lost_share = c.lost_records;
  options.replay = c.replay;
  options.model = true;
  options.recorders = c.recorders;
  Stage stage;
  stage.name = w.name;
  stage.runs_on = machine;
  if (!w.runs_on.empty())
    stage.runs_on = chip_of(w, w.runs_on);
  stage.bench = std::make_unique<PreparedWorkload>(w.name, machine, mapping, options);
  const int64_t structures = c.altered_runs > 0 ? c.altered_structures : 0;
  for (int64_t i = 1; i <= structures; ++i) {
    const Mapping other = altered(mapping, machine, uint64_t(i));
    stage.altered.push_back(std::make_unique<PreparedWorkload>(w.name, machine, other, options));
  }
  Options quiet;
  quiet.inferences = options.inferences;
  quiet.noise = false;
  quiet.stop = progress.stop;
  stage.run_cycles = simulate(stage.bench->model(), {}, quiet).cycles;
  progress.throw_if_stopped();
  stage.cases = cases_of(c, machine, stage.run_cycles);
  decide_touching(stage, progress);
  progress.throw_if_stopped();
  return stage;
}

std::string identity_of(const Stage& stage) {
  std::string text;
  for (const Case& c : stage.cases) {
    text += c.name;
    for (const Fault& f : c.faults) {
      text += f.name + std::to_string(f.begin);
      text += " " + std::to_string(f.end);
      text += base::format_exact(f.factor);
      text += " " + std::to_string(f.ramp);
      text += " " + std::to_string(f.period);
      text += " " + std::to_string(f.on);
    }
  }
  return text;
}

uint64_t runs_of(const Campaign& c, uint64_t cases) {
  const uint64_t faulty = cases * c.seeds.size();
  return (faulty + uint64_t(c.clean_runs + c.altered_runs)) * c.probes.size() * c.mismatches.size();
}

// The meaning of a run's number within its stage.
struct Place {
  const Stage& stage;
  const PreparedWorkload& bench;
  const Case* fault_case = nullptr;  // nullptr: a clean run
  uint64_t hits = 0;
  uint64_t seed = 1;
  std::string probes;
  std::string name;
  const Mismatch* mismatch = nullptr;
  uint64_t draw = 0;  // of the mismatch: the same in the runs that differ in probes only
};

// Returns the meaning of run `i` of a stage, for one probe plan and one mismatch.
Place place_within(const Plan& plan, const Stage& stage, uint64_t i, const std::string& probes) {
  const Campaign& c = plan.campaign;
  const uint64_t faulty = stage.cases.size() * c.seeds.size();
  const uint64_t clean = uint64_t(c.clean_runs);
  if (i < faulty) {
    const size_t k = i / c.seeds.size();
    Place at{stage, *stage.bench};
    at.probes = probes;
    at.fault_case = &stage.cases[k];
    at.hits = stage.hits[k];
    at.seed = c.seeds[i % c.seeds.size()];
    at.name = stage.cases[k].name;
    return at;
  }
  if (i < faulty + clean) {
    Place at{stage, *stage.bench};
    at.probes = probes;
    at.seed = kCleanSeeds * c.seeds.front() + i - faulty;
    at.name = "clean";
    return at;
  }
  const uint64_t k = i - faulty - clean;
  Place at{stage, *stage.altered[k % stage.altered.size()]};
  at.probes = probes;
  at.seed = kAlteredSeeds + k;
  at.name = "altered";
  return at;
}

Place place_of(const Plan& plan, uint64_t run) {
  const Campaign& c = plan.campaign;
  const auto next = std::ranges::upper_bound(plan.first, run);
  const auto w = size_t(next - plan.first.begin() - 1);
  const uint64_t within = run - plan.first[w];
  const uint64_t one = within / c.probes.size();
  const uint64_t i = one / c.mismatches.size();
  const std::string& probes = c.probes[within % c.probes.size()];
  Place at = place_within(plan, plan.stages[w], i, probes);
  at.mismatch = &c.mismatches[one % c.mismatches.size()];
  at.draw = base::mix64(base::hash_text(at.mismatch->name) ^ i);
  return at;
}

RunResult unjudged(const Plan& plan, const Place& at) {
  RunResult r;
  r.workload = at.stage.name;
  if (plan.campaign.probes.size() > 1)
    r.probes = at.probes;
  if (plan.campaign.mismatches.size() > 1)
    r.mismatch = at.mismatch->name;
  r.name = at.name;
  r.seed = at.seed;
  if (at.fault_case == nullptr)
    return r;
  r.training = at.fault_case->training;
  r.applicable = applicable(at.fault_case->faults);
  if (!r.applicable) {
    r.truth = {"elsewhere"};
    return r;
  }
  r.hits = at.hits;
  if (!at.fault_case->faults.empty())
    r.factor = at.fault_case->faults[0].factor;
  const Grid& grid = at.bench.model().grid;
  for (const Fault& f : at.fault_case->faults)
    r.truth.push_back(name_of(component_of(f), grid));
  return r;
}

// Adds the overlap in time: the smallest one over the true components, and the same for an answer that spans
// the whole run.
void add_overlaps(
    const std::vector<Claim>& truth,
    const std::vector<std::pair<Edge, Edge>>& edges,
    const Detection& detection,
    uint64_t run_cycles,
    RunResult& r) {
  bool first = true;
  for (size_t i = 0; i < truth.size(); ++i) {
    const Claim& t = truth[i];
    double named = 0;
    for (const Suspect& s : detection.reported) {
      const bool alike = std::ranges::find(s.alike, t.component) != s.alike.end();
      if (!alike && t.component != s.component)
        continue;
      const Claim claim{s.component, s.begin, s.end};
      named = std::max(named, overlap(nearest_to(t, edges[i], claim), claim, run_cycles));
      if (first)
        r.numbers["named_factor"] = s.factor;
    }
    const double whole = overlap(t, {t.component, 0, run_cycles}, run_cycles);
    r.overlap = first ? named : std::min(r.overlap, named);
    r.whole_overlap = first ? whole : std::min(r.whole_overlap, whole);
    first = false;
  }
}

std::map<std::string, double> numbers_of(const PreparedWorkload::Run& run, size_t recorder) {
  const PreparedWorkload::Run::Recorded& recorded = run.recorded[recorder];
  std::map<std::string, double> out = {
      {"cycles", double(run.result.cycles)},
      {"compute_records", double(run.computes)},
      {"message_records", double(run.messages)},
      {"memory_records", double(run.memory)},
      {"recorder_bytes", double(recorded.bytes)},
      {"kept_bytes", double(kept_bytes(recorded.sketch))}};
  if (!run.apart.empty())
    out["apart_events"] = double(*std::ranges::min_element(run.apart));
  return out;
}

// Names reported components. A set that holds a faulty component, and no other than those that carried the
// same transfers, has the name of all of these: an answer that the records narrowed is right, too.
std::string
answer_name(const Place& at, const PreparedWorkload::Run& run, const std::vector<Component>& reported) {
  const auto holds = [](const std::vector<Component>& set, const Component& c) {
    return std::ranges::find(set, c) != set.end();
  };
  for (size_t i = 0; i < run.classes.size(); ++i)
    if (holds(reported, component_of(at.fault_case->faults[i])) &&
        std::ranges::all_of(reported, [&](const Component& c) {
          return holds(run.classes[i], c);
        }))
      return name_of(run.classes[i], at.bench.model().grid);
  return name_of(reported, at.bench.model().grid);
}

RunResult judged(
    const Place& at,
    const PreparedWorkload::Run& run,
    size_t recorder,
    const MethodChoice& method,
    const ReplayOf& replays,
    const PreparedWorkload::Run* healthy,
    RunResult r) {
  const MethodResult found = at.bench.judge_run(run, recorder, method, replays, healthy);
  const Grid& grid = at.bench.model().grid;
  for (const Suspect& s : found.detection.reported)
    r.reported.push_back(answer_name(at, run, s.alike.empty() ? std::vector{s.component} : s.alike));
  r.unjudged = !found.detection.unjudged.empty();
  if (r.unjudged)
    r.reported = {"cannot judge"};
  for (const Suspect& s : found.detection.ranked) {
    r.ranked.push_back(name_of(s.component, grid));
    r.scores.push_back(s.score);
  }
  r.numbers = numbers_of(run, recorder);
  if (at.fault_case != nullptr)
    add_overlaps(claims_of(at.fault_case->faults), run.edges, found.detection, run.result.cycles, r);
  r.numbers.insert(found.numbers.begin(), found.numbers.end());
  return r;
}

}  // namespace

Plan make_plan(const std::string& path, const std::string& version, const base::Progress& progress) {
  Plan plan;
  const std::string text = base::read_file(path, 16 << 20);
  plan.campaign = parse_campaign(text, path);
  std::string parts = version + text;
  uint64_t at = 0;
  for (const auto& w : plan.campaign.workloads) {
    progress("workloads", double(plan.stages.size()), double(plan.campaign.workloads.size()));
    parts += w.name;
    for (const std::string& input : {w.chip, w.runs_on, w.mapping, w.model}) {
      if (!input.empty())
        parts += base::digest(base::read_file(input));
    }
    plan.first.push_back(at);
    plan.stages.push_back(make_stage(plan.campaign, w, progress));
    parts += identity_of(plan.stages.back());
    at += runs_of(plan.campaign, plan.stages.back().cases.size());
  }
  plan.first.push_back(at);
  plan.identity = base::digest(parts);
  return plan;
}

PlanSize size_of_plan(const std::string& path) {
  const Campaign c = read_campaign(path);
  PlanSize out;
  out.title = c.title;
  for (const Campaign::Workload& w : c.workloads) {
    // The number of cases does not depend on the length of a run.
    const uint64_t cases = cases_of(c, chip_of(w, w.chip), 1).size();
    out.rows.push_back({w.name, cases, runs_of(c, cases)});
    out.runs += out.rows.back().runs;
  }
  return out;
}

std::vector<Fault>
faults_of_case(const std::string& path, const std::string& name, const base::Progress& progress) {
  const Campaign c = read_campaign(path);
  for (const Campaign::Workload& w : c.workloads) {
    if (!name.starts_with(w.name + "/"))
      continue;
    const Stage stage = make_stage(c, w, progress);
    for (const Case& one : stage.cases)
      if (w.name + "/" + one.name == name)
        return one.faults;
  }
  throw base::Error(
      {path},
      "there is no case '" + name + "'",
      "WORKLOAD/CASE as the results name them, such as resnet50/fault7");
}

std::vector<RunResult> run_one(const Plan& plan, uint64_t run) {
  const Place at = place_of(plan, run);
  RunResult empty = unjudged(plan, at);
  const Campaign& c = plan.campaign;
  const bool runs = empty.applicable && (at.fault_case == nullptr || empty.hits > 0);
  PreparedWorkload::Run made;
  PreparedWorkload::Run healthy;
  if (runs) {
    const Twin real = drawn(*at.mismatch, at.stage.runs_on, at.draw);
    const Model model(real.chip, at.bench.model().program, real.own);
    std::vector<Fault> faults;
    if (at.fault_case != nullptr)
      faults = at.fault_case->faults;
    made = at.bench.simulate_run_on(model, faults, at.seed, at.probes);
    if (c.healthy_run)
      healthy = at.bench.simulate_run_on(model, {}, at.seed + kHealthySeeds, at.probes);
  }
  // Components that the same transfers passed are one answer, so the truth is the set of them.
  for (size_t i = 0; i < made.classes.size(); ++i)
    empty.truth[i] = name_of(made.classes[i], at.bench.model().grid);
  std::vector<RunResult> out;
  for (size_t recorder = 0; recorder < c.recorders.size(); ++recorder) {
    ReplayOf replays;
    if (runs)
      replays = at.bench.replays_of(made.recorded[recorder], recorder);
    for (const MethodChoice& method : c.methods) {
      RunResult r = empty;
      r.method = method.label;
      if (c.recorders.size() > 1)
        r.recorder = c.recorders[recorder].label;
      if (runs)
        r = judged(at, made, recorder, method, replays, c.healthy_run ? &healthy : nullptr, std::move(r));
      out.push_back(std::move(r));
    }
  }
  return out;
}

std::string write_results(const std::vector<RunResult>& results) {
  Json list = Json::array();
  for (const RunResult& r : results)
    list.push(to_json(r));
  return base::write_json(list);
}

std::vector<RunResult> read_results(const std::string& line, const base::Location& where) {
  std::vector<RunResult> out;
  const Json json = base::parse_json(line, where.file);
  for (const Json& one : json.array(where))
    out.push_back(run_result_from_json(one, where));
  return out;
}

}  // namespace lento::chip
