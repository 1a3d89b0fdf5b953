// lento chip campaign FILE.yaml: every workload with every fault, seed and method; tables.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/file.h"
#include "base/units.h"
#include "campaign/campaign.h"
#include "chip/evaluate/campaign_file.h"
#include "chip/evaluate/table.h"
#include "chip/evaluate/trial.h"
#include "chip/map/map_file.h"
#include "chip/map/mapper.h"
#include "cli/context.h"
#include "cli/version.h"

namespace lento::cli {
namespace {

using chip::Campaign;
using chip::Case;

// One workload ready to run, with its cases; made once a process.
struct Stage {
  std::string name;
  std::unique_ptr<chip::Bench> bench;
  std::vector<Case> cases;
  std::vector<uint64_t> hits;  // by case: fewest of its faults
  uint64_t run_cycles = 0;
};

// Run i of the campaign: workload, then case (faulty ones first), then seed.
struct Plan {
  Campaign campaign;
  std::vector<Stage> stages;
  std::vector<uint64_t> first;  // run of each stage, and one past the last
  std::string identity;         // of all that decides the results

  uint64_t faulty(const Stage& s) const { return s.cases.size() * campaign.seeds.size(); }
};

chip::Mapping mapping_of(const Campaign::Workload& w, const spec::Chip& machine) {
  if (w.is_tree) return chip::map_binary_tree(w.tree, machine);
  if (!w.mapping.empty()) return chip::read_map(w.mapping);
  base::ReadReport report;
  chip::MapOptions options;
  options.batch = w.batch;
  return chip::map_network(chip::lower(spec::read_onnx(w.model, {}, report), w.model), machine, options,
                           w.model);
}

std::vector<Case> cases_of(const Campaign& c, const spec::Chip& machine, uint64_t run_cycles) {
  if (!c.fault_files.empty()) return chip::read_cases(c.fault_files, machine);
  chip::DataSetOptions draw = c.draw;
  draw.clock_hz = machine.clock_hz;
  draw.run_cycles = run_cycles;
  std::vector<Case> all;
  for (const double factor : c.factors) {
    draw.factor = factor;
    std::vector<Case> cases = chip::draw_cases(chip::Grid(machine), draw);
    for (Case& one : cases) {
      if (c.factors.size() > 1) one.name += " x" + base::format_number(factor);
      all.push_back(std::move(one));
    }
  }
  return all;
}

// Events that start inside each fault. Up to the first of them a run with the fault is the run without it, so
// whether a case touches follows from one noise-free run in which all faults have factor 1.
void decide_touching(Stage& stage) {
  std::vector<chip::Fault> harmless;
  for (const Case& c : stage.cases) {
    for (chip::Fault f : c.faults) {
      f.factor = 1;
      if (f.exists()) harmless.push_back(f);
    }
  }
  const std::vector<uint64_t> hits = harmless.empty() ? std::vector<uint64_t>{} : stage.bench->hits(harmless);
  size_t next = 0;
  for (const Case& c : stage.cases) {
    uint64_t fewest = UINT64_MAX;
    for (const chip::Fault& f : c.faults) {
      if (f.exists()) fewest = std::min(fewest, hits[next++]);
    }
    stage.hits.push_back(c.faults.empty() ? 0 : fewest);
  }
}

Stage make_stage(const Campaign& c, const Campaign::Workload& w) {
  const spec::Chip machine = spec::read_chip(w.chip);
  chip::TrialOptions options;
  options.inferences = static_cast<uint32_t>(c.inferences);
  options.lost_share = c.lost_records;
  options.replay = c.replay;
  Stage stage;
  stage.name = w.name;
  stage.bench = std::make_unique<chip::Bench>(w.name, machine, mapping_of(w, machine), options);
  chip::Options quiet;
  quiet.inferences = options.inferences;
  quiet.noise = false;
  stage.run_cycles = chip::simulate(stage.bench->model(), {}, quiet).cycles;
  stage.cases = cases_of(c, machine, stage.run_cycles);
  decide_touching(stage);
  return stage;
}

Plan make_plan(const std::string& path, const base::Progress& progress) {
  Plan plan;
  const std::string text = base::read_file(path, 16 << 20);
  plan.campaign = chip::parse_campaign(text, path);
  std::string parts = std::string(kVersion) + text;
  uint64_t at = 0;
  for (const auto& w : plan.campaign.workloads) {
    progress("workloads", double(plan.stages.size()), double(plan.campaign.workloads.size()));
    for (const std::string& input : {w.chip, w.mapping, w.model}) {
      if (!input.empty()) parts += base::digest(base::read_file(input));
    }
    plan.first.push_back(at);
    plan.stages.push_back(make_stage(plan.campaign, w));
    const Stage& s = plan.stages.back();
    for (const Case& c : s.cases) {
      parts += c.name;
      for (const auto& f : c.faults)
        parts +=
            f.name + std::to_string(f.begin) + " " + std::to_string(f.end) + base::format_exact(f.factor);
    }
    at += plan.faulty(s) + static_cast<uint64_t>(plan.campaign.clean_runs);
  }
  plan.first.push_back(at);
  plan.identity = base::digest(parts);
  return plan;
}

std::string name_of(const chip::Bench& bench, const chip::Component& component) {
  return chip::name_of(component, bench.model().grid);
}

chip::RunResult run_one(const Plan& plan, uint64_t run) {
  const size_t w = std::upper_bound(plan.first.begin(), plan.first.end(), run) - plan.first.begin() - 1;
  const Stage& stage = plan.stages[w];
  const uint64_t i = run - plan.first[w], seeds = plan.campaign.seeds.size();
  static const Case clean{"clean", {}, false};
  const bool faulty = i < plan.faulty(stage);
  const Case& one = faulty ? stage.cases[i / seeds] : clean;
  chip::RunResult r;
  r.workload = stage.name;
  r.method = plan.campaign.methods.front();
  r.name = one.name;
  r.training = one.training;
  // Clean runs have seeds that no faulty run has.
  r.seed = faulty ? plan.campaign.seeds[i % seeds] : 1'000'000 + i - plan.faulty(stage);
  r.applicable = chip::applicable(one.faults);
  if (!r.applicable) {
    r.truth = {"elsewhere"};
    return r;
  }
  r.hits = faulty ? stage.hits[i / seeds] : 0;
  for (const auto& f : one.faults) r.truth.push_back(name_of(*stage.bench, chip::component_of(f)));
  if (faulty && r.hits == 0) return r;
  const chip::Bench::Outcome outcome = stage.bench->run(one.faults, r.seed);
  for (const auto& s : outcome.detection.reported) r.reported.push_back(name_of(*stage.bench, s.component));
  for (const auto& s : outcome.detection.ranked) r.ranked.push_back(name_of(*stage.bench, s.component));
  for (const auto& s : outcome.detection.reported) {
    for (const auto& t : outcome.truth) {
      if (t.component == s.component)
        r.overlap = std::max(r.overlap, chip::overlap(t, {s.component, s.begin, s.end}, outcome.run_cycles));
    }
  }
  return r;
}

// What it would cost, from one run.
finding::Diagnosis dry_run(const Plan& plan, unsigned jobs) {
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = plan.campaign.title;
  finding::TableFigure table;
  table.columns = {"workload", "cases", "that touch", "runs", "seconds a run"};
  double seconds = 0;
  for (size_t w = 0; w < plan.stages.size(); ++w) {
    const Stage& s = plan.stages[w];
    const auto begin = std::chrono::steady_clock::now();
    s.bench->run({}, 1);
    const double each = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const uint64_t runs = plan.first[w + 1] - plan.first[w];
    seconds += each * double(runs);
    table.rows.push_back({s.name, std::to_string(s.cases.size()),
                          std::to_string(std::count_if(s.hits.begin(), s.hits.end(),
                                                       [](uint64_t h) { return h > 0 && h < UINT64_MAX; })),
                          std::to_string(runs), base::format_number(each, 3)});
  }
  d.verdict = std::to_string(plan.first.back()) + " runs, about " +
              base::format_quantity(seconds / std::max(1u, jobs ? jobs : std::thread::hardware_concurrency()),
                                    base::Dimension::Time) +
              ".";
  d.figures.push_back({"Runs", "Nothing was evaluated.", table});
  return d;
}

void write_results(const std::string& path, const std::vector<std::string>& lines) {
  base::OutputFile file(path);
  for (const std::string& line : lines) file.write(line + "\n");
  file.commit();
}

struct CampaignCommand {
  std::string file, journal, results;
  bool dry = false;
};

void run_campaign(const CampaignCommand& command, Context& context) {
  const campaign::World here = campaign::world();
  base::Progress progress = here.rank == 0 ? context.progress() : base::Progress{};
  const Plan plan = make_plan(command.file, progress);
  if (command.dry) {
    if (here.rank == 0) context.show(dry_run(plan, context.jobs));
    return;
  }
  campaign::Options options;
  options.journal = command.journal;
  options.identity = plan.identity;
  options.threads = context.jobs;
  options.progress = progress;
  const campaign::Outcome outcome = campaign::run_all(
      plan.first.back(), [&](uint64_t i) { return base::write_json(chip::to_json(run_one(plan, i))); },
      options);
  if (here.rank > 0) return;
  std::vector<chip::RunResult> results;
  for (const std::string& line : outcome.results) {
    if (!line.empty())
      results.push_back(chip::run_result_from_json(base::parse_json(line, "results"), {"results"}));
  }
  if (!command.results.empty() && outcome.complete) write_results(command.results, outcome.results);
  finding::Diagnosis d = chip::summarize(results, plan.campaign.title);
  if (!outcome.complete)
    d.notes.push_back("Stopped early: " + std::to_string(results.size()) + " of " +
                      std::to_string(plan.first.back()) + " runs; the same command goes on.");
  d.inputs = {Context::input("campaign", command.file, base::read_file(command.file))};
  context.show(std::move(d));
}

}  // namespace

void add_chip_campaign(CLI::App& chip_app, Context& context) {
  CLI::App* app = chip_app.add_subcommand(
      "campaign", "Many runs: workloads, faults, seeds; how often the verdict is right");
  auto command = std::make_shared<CampaignCommand>();
  app->add_option("FILE", command->file, "Campaign (YAML)")->required();
  app->add_option("--journal", command->journal,
                  "Remember finished runs here; a killed campaign goes on from it");
  app->add_option("--results", command->results, "Write one JSON line a run here, for 'lento chip evaluate'");
  app->add_flag("--dry-run", command->dry, "Say how many runs there are and about how long they take");
  context.add_output_options(*app);
  context.add_jobs(*app);
  example(*app, "lento chip campaign campaigns/quick.yaml --journal quick.journal --results quick.jsonl");
  app->callback([command, &context] { run_campaign(*command, context); });
}

}  // namespace lento::cli
