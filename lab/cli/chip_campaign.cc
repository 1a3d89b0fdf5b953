// lento-lab chip campaign FILE.yaml: every workload with every fault, seed and method; tables.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "base/file.h"
#include "base/units.h"
#include "campaign/campaign.h"
#include "cli/tables.h"
#include "cli/version.h"
#include "lab/chip/plan.h"
#include "lab/chip/table.h"
#include "lab/cli/commands.h"

namespace lento::lab {
namespace {

// Runs that stand for the others of a stage: the last, which is without fault when there are such, and the
// first whose fault touches, since a fault is what hypotheses are replayed for.
std::vector<uint64_t> samples_of(const chip::Plan& plan, size_t stage) {
  const chip::Stage& s = plan.stages[stage];
  const uint64_t begin = plan.first[stage], end = plan.first[stage + 1];
  if (begin == end) return {};
  const auto touching = std::find_if(s.hits.begin(), s.hits.end(),
                                     [](uint64_t hits) { return hits >= 10 && hits < UINT64_MAX; });
  if (touching == s.hits.end()) return {end - 1};
  const auto each = plan.campaign.seeds.size() * plan.campaign.probes.size();
  return {begin + static_cast<uint64_t>(touching - s.hits.begin()) * each, end - 1};
}

// What it would cost, from one run without fault and one with.
finding::Diagnosis dry_run(const chip::Plan& plan, unsigned jobs, const base::Progress& progress) {
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = plan.campaign.title;
  finding::TableFigure table;
  table.columns = {"workload", "cases", "that touch", "runs", "seconds a run"};
  double seconds = 0;
  for (size_t w = 0; w < plan.stages.size(); ++w) {
    const chip::Stage& s = plan.stages[w];
    const uint64_t runs = plan.first[w + 1] - plan.first[w];
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<uint64_t> samples = samples_of(plan, w);
    for (const uint64_t run : samples) {
      progress.throw_if_stopped();
      run_one(plan, run);
    }
    const double each = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                        double(std::max<size_t>(samples.size(), 1));
    seconds += each * double(runs);
    table.rows.push_back({s.name, std::to_string(s.cases.size()),
                          std::to_string(std::count_if(s.hits.begin(), s.hits.end(),
                                                       [](uint64_t h) { return h > 0 && h < UINT64_MAX; })),
                          std::to_string(runs), base::format_number(each, 3)});
  }
  d.verdict = std::to_string(plan.runs()) + " runs, about " +
              base::format_quantity(seconds / std::max(1u, jobs ? jobs : std::thread::hardware_concurrency()),
                                    base::Dimension::Time) +
              ".";
  d.figures.push_back({"Runs", "Nothing was evaluated.", table});
  return d;
}

// One line a result.
void write_lines(const std::string& path, const std::vector<chip::RunResult>& results) {
  base::OutputFile file(path);
  for (const chip::RunResult& r : results) file.write(base::write_json(chip::to_json(r)) + "\n");
  file.commit();
}

void show(finding::Diagnosis d, Context& context) {
  const std::string tables = cli::tables_as_text(d);
  context.show(std::move(d));
  if (!context.json) context.streams.out << tables;
}

// Adds how long the rest will take at the pace so far, runs of an earlier start left out.
base::Progress with_time_left(base::Progress progress) {
  if (!progress.report) return progress;
  struct Pace {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    double first = -1;
  };
  progress.report = [pace = std::make_shared<Pace>(), inner = progress.report](std::string_view what,
                                                                               double done, double total) {
    if (pace->first < 0) *pace = {std::chrono::steady_clock::now(), done - 1};
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - pace->start;
    const double left = spent.count() / std::max(1.0, done - pace->first) * (total - done);
    inner(
        std::string(what) + " (" + base::format_quantity(std::round(left), base::Dimension::Time) + " left)",
        done, total);
  };
  return progress;
}

struct CampaignCommand {
  std::string file, journal, results;
  bool dry = false;
};

void run_campaign(const CampaignCommand& command, Context& context) {
  const campaign::World here = campaign::world();
  base::Progress progress = here.rank == 0 ? context.progress() : base::Progress{};
  const chip::Plan plan = chip::make_plan(command.file, cli::kVersion, progress);
  if (command.dry) {
    if (here.rank == 0) show(dry_run(plan, context.jobs, progress), context);
    return;
  }
  campaign::Options options;
  options.journal = command.journal;
  options.identity = plan.identity;
  options.threads = context.jobs;
  options.progress = with_time_left(progress);
  const campaign::Outcome outcome = campaign::run_all(
      plan.runs(), [&](uint64_t i) { return chip::write_results(run_one(plan, i)); }, options);
  if (here.rank > 0) return;
  std::vector<chip::RunResult> results;
  uint64_t finished = 0;
  for (const std::string& line : outcome.results) {
    if (line.empty()) continue;
    ++finished;
    const std::vector<chip::RunResult> more = chip::read_results(line, {command.journal});
    results.insert(results.end(), more.begin(), more.end());
  }
  if (!command.results.empty()) write_lines(command.results, results);
  finding::Diagnosis d = chip::summarize(results, plan.campaign.title);
  if (!outcome.complete)
    d.notes.push_back("Stopped early: " + std::to_string(finished) + " of " + std::to_string(plan.runs()) +
                      " runs; " +
                      (command.journal.empty() ? "without --journal the next start begins anew."
                                               : "the same command goes on."));
  d.inputs = {Context::input("campaign", command.file, base::read_file(command.file))};
  if (command.results != "-") show(std::move(d), context);
}

}  // namespace

void add_chip_campaign(Command& chip_app, Context& context) {
  Command* app = chip_app.add_subcommand(
      "campaign", "Many runs: workloads, faults, seeds, methods, recorders; how often the verdict is right");
  auto command = std::make_shared<CampaignCommand>();
  app->add_option("FILE", command->file, "Campaign (YAML)")->required();
  app->add_option("--journal", command->journal,
                  "Remember finished runs here; a killed campaign goes on from it");
  app->add_option("--results", command->results,
                  "Write one JSON line a run and method here, for 'lento-lab chip evaluate'");
  app->add_flag("--dry-run", command->dry, "Say how many runs there are and about how long they take");
  context.add_output_options(*app);
  context.add_jobs(*app);
  example(*app, "lento-lab chip campaign campaigns/quick.yaml --journal quick.journal --results quick.jsonl");
  app->callback([command, &context] { run_campaign(*command, context); });
}

}  // namespace lento::lab
