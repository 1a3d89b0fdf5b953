// lento search SPACE.yaml: what to build and how to run it.
#include "predict/search/search.h"

#include <algorithm>

#include "base/csv.h"
#include "base/file.h"
#include "base/units.h"
#include "campaign/campaign.h"
#include "cli/commands.h"
#include "cli/version.h"
#include "predict/search/data_sheet.h"
#include "predict/search/plan.h"

namespace lento::cli {
namespace {

struct SearchArguments {
  std::string space, method, best, design, journal, trials;
  int steps = 100, starts = 10;
};

void write_trials(const std::string& path, const std::vector<predict::Trial>& trials) {
  base::OutputFile file(path);
  file.write("point,method,seed,value,evaluations\n");
  for (const predict::Trial& t : trials) {
    file.write(base::csv_line({std::to_string(t.point), predict::name_of(t.method), std::to_string(t.seed),
                               base::format_exact(t.value), std::to_string(t.evaluations)}) +
               "\n");
  }
  file.commit();
}

void write_best(const SearchArguments& a, const predict::SearchSpace& space,
                const predict::DesignResult& best) {
  if (!a.design.empty()) base::write_file(a.design, predict::write_crossflow(best.config));
  if (a.best.empty()) return;
  const auto sheet = predict::data_sheet(best.config, space.rules.as_released);
  if (!sheet) throw base::Error({a.best}, "the best design leaves a component without area or power");
  base::write_file(a.best, predict::write_system(*sheet));
}

predict::SearchPlan make_plan(const Context& context, const SearchArguments& a,
                              const base::Progress& progress) {
  predict::SearchSpace space = predict::read_search_space(a.space);
  if (!a.method.empty()) space.methods = {predict::method_of(a.method)};
  predict::SearchOptions options;
  options.minimise.steps = a.steps;
  options.minimise.starts = a.starts;
  options.minimise.seed = context.seed;
  if (campaign::world().rank == 0) options.stop = progress.stop;  // rank 0 tells the others
  return {std::move(space), std::move(options)};
}

void run_search(Context& context, const SearchArguments& a) {
  const campaign::World here = campaign::world();
  const base::Progress progress = context.progress();
  const predict::SearchPlan plan = make_plan(context, a, progress);
  campaign::Options options;
  options.journal = a.journal;
  options.identity = base::digest(std::string(kVersion) + predict::identity_of(a.space) + a.method + " " +
                                  std::to_string(a.steps) + " " + std::to_string(a.starts) + " " +
                                  std::to_string(context.seed));
  options.threads = context.jobs;
  if (here.rank == 0) options.progress = progress;
  const campaign::Outcome outcome = campaign::run_all(
      plan.runs(), [&](uint64_t i) { return plan.run(i); }, options);
  if (here.rank > 0) return;
  const auto results = plan.results(outcome.results);
  const auto trials = plan.trials(outcome.results);
  finding::Diagnosis d = predict::conclude(plan.space(), results, trials);
  d.seed = context.seed;
  d.inputs = {Context::input("space", a.space, base::read_file(a.space))};
  d.options = {{"steps", std::to_string(a.steps)}, {"starts", std::to_string(a.starts)}};
  if (!a.method.empty()) d.options.emplace_back("method", a.method);
  if (outcome.resumed > 0)
    context.warn(std::to_string(outcome.resumed) + " of " + std::to_string(plan.runs()) +
                 " runs were taken from the journal");
  if (!outcome.complete)
    d.notes.push_back("Interrupted: the best so far" +
                      std::string(a.journal.empty() ? "." : "; the same command goes on."));
  if (const predict::DesignResult* best = predict::best_of(results)) write_best(a, plan.space(), *best);
  if (!a.trials.empty()) write_trials(a.trials, trials);
  context.show(std::move(d));
}

}  // namespace

void add_search(Command& app, Context& context) {
  Command* command = app.add_subcommand("search", "Find what to build and how to run it under budgets");
  auto a = std::make_shared<SearchArguments>();
  command->add_option("SPACE", a->space, "Search space (lento.search/1)")->required();
  command->add_option(
      "--method", a->method,
      "exchange, subplex, or soe (the paper's); default: what the space compares, else exchange");
  command->add_option("--steps", a->steps, "Gradient steps a start, or as many evaluations")
      ->check(range(1, 100000))
      ->capture_default_str();
  command->add_option("--starts", a->starts, "Starts")->check(range(1, 10000))->capture_default_str();
  command->add_option("--journal", a->journal, "Remember what is done here; the same command goes on from it")
      ->type_name("FILE");
  command->add_option("--best", a->best, "Write the best design as a data sheet for 'lento predict --system'")
      ->type_name("FILE");
  command
      ->add_option("--design", a->design,
                   "Write the best design point (technology, budgets, shares, strategy)")
      ->type_name("FILE");
  command->add_option("--trials", a->trials, "Of a comparison: write the value of every seed and method")
      ->type_name("FILE");
  context.add_seed(*command);
  context.add_jobs(*command);
  context.add_output_options(*command);
  example(*command, "lento search examples/search/quick.yaml --best best.yaml");
  command->callback([&context, a] { run_search(context, *a); });
}

}  // namespace lento::cli
