// lento-lab chip campaign FILE.yaml: every workload with every fault, seed and method; tables.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/file.h"
#include "base/units.h"
#include "base/version.h"
#include "campaign/campaign.h"
#include "cli/tables.h"
#include "lab/chip/plan.h"
#include "lab/chip/table.h"
#include "lab/cli/commands.h"

namespace lento::lab {
namespace {

using base::Progress;
using finding::Diagnosis;

// Returns the number of runs without making any.
Diagnosis dry_run(const chip::PlanSize& plan) {
  Diagnosis d;
  d.scale = "chip";
  d.title = plan.title;
  finding::TableFigure table;
  table.columns = {"workload", "cases", "runs"};
  for (const chip::PlanSize::Row& row : plan.rows)
    table.rows.push_back({row.workload, std::to_string(row.cases), std::to_string(row.runs)});
  d.verdict = std::to_string(plan.runs) + " runs.";
  d.figures.push_back({"Runs", "Nothing was simulated.", table});
  return d;
}

// One line a result.
void write_lines(const std::string& path, const std::vector<chip::RunResult>& results) {
  base::OutputFile file(path);
  for (const chip::RunResult& r : results)
    file.write(base::write_json(chip::to_json(r)) + "\n");
  file.commit();
}

void show(Diagnosis d, Context& context) {
  const std::string tables = cli::tables_as_text(d);
  context.show(std::move(d));
  if (!context.json)
    context.streams.out << tables;
}

// Adds the remaining time at the pace so far. Runs of an earlier start are left out.
Progress with_time_left(Progress progress) {
  if (!progress.report)
    return progress;
  struct Pace {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    double first = -1;
  };
  progress.report = [pace = std::make_shared<Pace>(),
                     inner = progress.report](std::string_view what, double done, double total) {
    if (pace->first < 0)
      *pace = {std::chrono::steady_clock::now(), done - 1};
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - pace->start;
    const double left = spent.count() / std::max(1.0, done - pace->first) * (total - done);
    inner(
        std::string(what) + " (" + base::format_quantity(std::round(left), base::Dimension::Time) + " left)",
        done,
        total);
  };
  return progress;
}

struct CampaignCommand {
  std::string file;
  std::string journal;
  std::string results;
  std::string one_case;
  bool dry = false;
};

void run_campaign(const CampaignCommand& command, Context& context) {
  const campaign::World here = campaign::world(context.program.ranks);
  Progress progress = here.rank == 0 ? context.progress() : Progress{};
  if (command.dry) {
    if (here.rank == 0)
      show(dry_run(chip::size_of_plan(command.file)), context);
    return;
  }
  if (!command.one_case.empty()) {
    if (here.rank == 0)
      context.streams.out << chip::write_faults(
          chip::faults_of_case(command.file, command.one_case, progress));
    return;
  }
  const chip::Plan plan = chip::make_plan(command.file, base::kVersion, progress);
  campaign::Options options;
  options.ranks = context.program.ranks;
  options.journal = command.journal;
  options.identity = plan.identity;
  options.threads = context.jobs;
  options.progress = with_time_left(progress);
  const campaign::Outcome outcome = campaign::run_all(
      plan.runs(),
      [&](uint64_t i) {
        return chip::write_results(run_one(plan, i));
      },
      options);
  if (here.rank > 0)
    return;
  std::vector<chip::RunResult> results;
  uint64_t finished = 0;
  for (const std::string& line : outcome.results) {
    if (line.empty())
      continue;
    ++finished;
    const std::vector<chip::RunResult> more = chip::read_results(line, {command.journal});
    results.insert(results.end(), more.begin(), more.end());
  }
  if (!command.results.empty())
    write_lines(command.results, results);
  Diagnosis d = chip::summarize(results, plan.campaign.title);
  if (!outcome.complete)
    d.notes.push_back(
        "Stopped early: " + std::to_string(finished) + " of " + std::to_string(plan.runs()) + " runs; " +
        (command.journal.empty() ? "without --journal the next start begins anew."
                                 : "the same command goes on."));
  d.inputs = {Context::input("campaign", command.file, base::read_file(command.file))};
  if (command.results != "-")
    show(std::move(d), context);
}

}  // namespace

void add_chip_campaign(Command& chip_app, Context& context) {
  Command* app = chip_app.add_subcommand(
      "campaign",
      "Many runs: workloads, faults, seeds, methods, recorders; how often the verdict is right");
  auto command = std::make_shared<CampaignCommand>();
  app->add_option("FILE", command->file, "Campaign (YAML)")->required();
  app->add_option(
      "--journal",
      command->journal,
      "Remember finished runs here; a killed campaign goes on from it");
  app->add_option(
      "--results",
      command->results,
      "Write one JSON line a run and method here, for 'lento-lab chip evaluate'");
  auto* dry = app->add_flag("--dry-run", command->dry, "Say how many runs there are, without simulating any");
  app->add_option(
         "--case",
         command->one_case,
         "WORKLOAD/CASE: print what it slows, as 'lento chip simulate --faults' reads it, and run nothing")
      ->excludes(dry);
  context.add_output_options(*app);
  context.add_jobs(*app);
  example(*app, "lento-lab chip campaign campaigns/quick.yaml --journal quick.journal --results quick.jsonl");
  app->callback([command, &context] {
    run_campaign(*command, context);
  });
}

}  // namespace lento::lab
