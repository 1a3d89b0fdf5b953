// lento search SPACE.yaml: searches for the best design of a system and the best parallel layout of a
// workload on it.
#include "base/file.h"
#include "base/scan/csv.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/commands/commands.h"
#include "predict/search_job.h"

namespace lento::cli {
namespace {

struct SearchArguments {
  predict::SearchRequest search;
  std::string best;
  std::string design;
  std::string trials;
};

void write_trials(const std::string& path, const std::vector<predict::Trial>& trials) {
  base::OutputFile file(path);
  file.write("point,method,seed,value,evaluations\n");
  for (const predict::Trial& t : trials) {
    file.write(
        base::csv_line(
            {std::to_string(t.point),
             predict::name_of(t.method),
             std::to_string(t.seed),
             base::format_exact(t.value),
             std::to_string(t.evaluations)}) +
        "\n");
  }
  file.commit();
}

void write_best(const SearchArguments& a, const predict::SearchResult& result) {
  if (!result.best_design)
    return;
  if (!a.design.empty())
    base::write_file(a.design, *result.best_design);
  if (a.best.empty())
    return;
  if (!result.best_sheet)
    throw base::Error({a.best}, "the best design leaves a component without area or power");
  base::write_file(a.best, *result.best_sheet);
}

void run_search(Context& context, SearchArguments& a) {
  a.search.seed = context.seed;
  a.search.threads = context.jobs;
  a.search.identity = base::kVersion;
  a.search.ranks = context.program.ranks;
  const auto result = predict::search(a.search, context.progress());
  if (!result)
    return;
  if (result->resumed > 0)
    context.warn(
        std::to_string(result->resumed) + " of " + std::to_string(result->runs) +
        " runs were taken from the journal");
  write_best(a, *result);
  if (!a.trials.empty())
    write_trials(a.trials, result->trials);
  context.show(result->diagnosis);
}

}  // namespace

void add_search(Command& app, Context& context) {
  Command* command = app.add_subcommand("search", "Find what to build and how to run it under budgets");
  auto a = std::make_shared<SearchArguments>();
  command->add_option("SPACE", a->search.space, "Search space (lento.search/1)")->required();
  command->add_option(
      "--method",
      a->search.method,
      "exchange, subplex, or soe (the paper's); default: what the space compares, else exchange");
  command->add_option("--steps", a->search.steps, "Gradient steps a start, or as many evaluations")
      ->check(range(1, 100000))
      ->capture_default_str();
  command->add_option("--starts", a->search.starts, "Starts")->check(range(1, 10000))->capture_default_str();
  command
      ->add_option(
          "--journal",
          a->search.journal,
          "Remember what is done here; the same command goes on from it")
      ->type_name("FILE");
  command->add_option("--best", a->best, "Write the best design as a data sheet for 'lento predict --system'")
      ->type_name("FILE");
  command
      ->add_option(
          "--design",
          a->design,
          "Write the best design point (technology, budgets, shares, strategy)")
      ->type_name("FILE");
  command->add_option("--trials", a->trials, "Of a comparison: write the value of every seed and method")
      ->type_name("FILE");
  context.add_seed(*command);
  context.add_jobs(*command);
  context.add_output_options(*command);
  example(*command, "lento search examples/search/quick.yaml --best best.yaml");
  command->callback([&context, a] {
    run_search(context, *a);
  });
}

}  // namespace lento::cli
