// lento-lab fleet ranks: the inference over collectives on simulated jobs with known truth.
#include <cmath>

#include "base/file.h"
#include "base/parallel.h"
#include "base/units.h"
#include "evidence/share.h"
#include "lab/cli/commands.h"
#include "lab/fleet/rank_campaign.h"

namespace lento::lab {
namespace {

struct FleetRanksArguments {
  fleet::RankCaseOptions cases;
  uint64_t runs = 100;
  uint64_t first = 0;
  std::string out;
  std::string real;
};

std::string share(uint64_t hits, uint64_t all) {
  const evidence::Interval i = evidence::wilson95(hits, all);
  return std::to_string(hits) + " of " + std::to_string(all) + " (" +
         base::format_number(100.0 * double(hits) / std::max<double>(1, double(all)), 4) +
         " %, 95 %: " + base::format_number(100 * i.low, 4) + " to " + base::format_number(100 * i.high, 4) +
         " %)";
}

finding::Diagnosis conclude(const std::vector<fleet::RankResult>& results, const FleetRanksArguments& o) {
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = o.cases.healthy ? "Healthy jobs of ranks" : "Jobs of ranks with one fault";
  uint64_t mild = 0;
  uint64_t mild_right = 0;
  uint64_t right = 0;
  uint64_t all = 0;
  uint64_t kinds = 0;
  uint64_t accused = 0;
  uint64_t held = 0;
  uint64_t drifts = 0;
  uint64_t close = 0;
  uint64_t costs = 0;
  uint64_t clocks = 0;
  uint64_t wrong = 0;
  uint64_t alone = 0;
  for (const fleet::RankResult& r : results) {
    accused += r.findings > 0;
    held += r.drifts_held;
    drifts += r.drifts;
    clocks += r.clock_error_ms < 1;
    const bool is_mild = r.which.job.factor < 1.15;
    (is_mild ? mild : all) += 1;
    (is_mild ? mild_right : right) += r.right;
    wrong += r.wrong > 0;
    alone += r.right && r.wrong == 0;
    kinds += r.findings > 0 && r.right_kind;
    costs += r.right;
    close += r.right && std::abs(r.what_if_error) <= 0.1;
  }
  if (o.cases.healthy) {
    d.facts.emplace_back("accused", share(accused, results.size()));
  } else {
    d.facts.emplace_back("kind and place right, from x1.2", share(right, all));
    d.facts.emplace_back("kind and place right, x1.1", share(mild_right, mild));
    d.facts.emplace_back("right and nothing else accused", share(alone, results.size()));
    d.facts.emplace_back("jobs with a wrong finding too", share(wrong, results.size()));
    d.facts.emplace_back("link told from GPU or host", share(kinds, results.size()));
    d.facts.emplace_back("step without the fault within 10 %", share(close, costs));
  }
  d.facts.emplace_back("clocks within 1 ms at every event", share(clocks, results.size()));
  d.facts.emplace_back("drift inside its interval", share(held, drifts));
  d.verdict = "Measured on " + std::to_string(results.size()) + " simulated jobs.";
  return d;
}

void run(Context& context, FleetRanksArguments& o) {
  if (!o.real.empty()) {
    const std::string csv = fleet::measure_gloo8(o.real);
    if (!o.out.empty())
      base::write_file(o.out, csv);
    context.streams.out << csv;
    return;
  }
  o.cases.seed = context.seed;
  std::vector<fleet::RankResult> results(o.runs);
  const base::Progress progress = context.progress();
  base::parallel_for(o.runs, context.jobs, [&](size_t i) {
    if (progress.stopped())
      return;
    results[i] = fleet::judge_rank_case(fleet::rank_case(o.cases, o.first + i));
  });
  if (!o.out.empty()) {
    std::string csv = fleet::rank_result_header();
    for (const fleet::RankResult& r : results)
      csv += fleet::rank_result_line(r);
    base::write_file(o.out, csv);
  }
  finding::Diagnosis d = conclude(results, o);
  d.seed = context.seed;
  context.show(std::move(d));
}

}  // namespace

void add_fleet_ranks(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("ranks", "Jobs of ranks with a fault of known place, or healthy ones");
  auto o = std::make_shared<FleetRanksArguments>();
  app->add_option("--runs", o->runs, "Jobs")->check(range(1, 1000000))->capture_default_str();
  app->add_option("--first", o->first, "Index of the first job")->capture_default_str();
  app->add_flag("--healthy", o->cases.healthy, "Healthy hours instead, some of them imbalanced");
  app->add_option("--most-ranks", o->cases.most_ranks, "Largest job")
      ->check(range(8, 4096))
      ->capture_default_str();
  app->add_option(
         "--real",
         o->real,
         "Folder with the measured runs (kineto/gloo8_*, inspector/gloo8_*) instead")
      ->type_name("FOLDER");
  app->add_option("--table", o->out, "CSV of all jobs")->type_name("FILE");
  context.add_seed(*app);
  context.add_jobs(*app);
  context.add_output_options(*app);
  example(*app, "lento-lab fleet ranks --runs 100 --most-ranks 64 --table ranks.csv");
  app->callback([&context, o] {
    run(context, *o);
  });
}

}  // namespace lento::lab
