// lento search SPACE.yaml: what to build and how to run it.
#include "predict/search/search.h"

#include <algorithm>

#include "base/file.h"
#include "base/units.h"
#include "cli/context.h"

namespace lento::cli {
namespace {

struct SearchArguments {
  std::string space, method = "exchange", best;
  int steps = 100, starts = 10;
};

void run_search(Context& context, const SearchArguments& a) {
  const predict::SearchSpace space = predict::read_search_space(a.space);
  predict::SearchOptions options;
  options.threads = context.jobs;
  options.minimise.method = predict::method_of(a.method);
  options.minimise.steps = a.steps;
  options.minimise.starts = a.starts;
  options.minimise.seed = context.seed;
  options.minimise.progress = context.progress();
  const auto results = predict::search(space, options);
  finding::Diagnosis d = predict::conclude(space, results);
  d.seed = context.seed;
  d.inputs = {Context::input("space", a.space, base::read_file(a.space))};
  d.options = {
      {"method", a.method}, {"steps", std::to_string(a.steps)}, {"starts", std::to_string(a.starts)}};
  if (results.size() < predict::design_points(space).size())
    d.notes.push_back("Interrupted: the best of the designs searched so far.");
  if (!a.best.empty() && !results.empty()) {
    const auto best = std::min_element(results.begin(), results.end(),
                                       [](const auto& x, const auto& y) { return x.joint_s < y.joint_s; });
    base::write_file(a.best, predict::write_crossflow(best->config));
  }
  context.show(std::move(d));
}

}  // namespace

void add_search(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("search", "Find what to build and how to run it under budgets");
  auto a = std::make_shared<SearchArguments>();
  command->add_option("SPACE", a->space, "Search space (lento.search/1)")->required();
  command->add_option("--method", a->method, "exchange, subplex, or soe (the paper's)")
      ->capture_default_str();
  command->add_option("--steps", a->steps, "Gradient steps a start, or as many evaluations")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--starts", a->starts, "Starts")->check(CLI::Range(1, 10000))->capture_default_str();
  command->add_option("--best", a->best, "Write the best design as a system file")->type_name("FILE");
  context.add_seed(*command);
  context.add_jobs(*command);
  context.add_output_options(*command);
  example(*command, "lento search examples/search/quick.yaml --best best.yaml");
  command->callback([&context, a] { run_search(context, *a); });
}

}  // namespace lento::cli
