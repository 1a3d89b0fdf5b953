// Runs a design search over threads and MPI ranks with a journal, and turns its results into a diagnosis
// with the best design's data sheet.
#include "predict/search_job.h"

#include "base/file.h"
#include "campaign/campaign.h"
#include "predict/search/data_sheet.h"
#include "predict/search/plan.h"

namespace lento::predict {
namespace {

// Reads the search space and applies the options of the request to it.
SearchPlan make_plan(const SearchRequest& o, const base::Progress& progress) {
  SearchSpace space = read_search_space(o.space);
  if (!o.method.empty())
    space.methods = {method_of(o.method)};
  SearchOptions options;
  options.minimise.steps = o.steps;
  options.minimise.starts = o.starts;
  options.minimise.seed = o.seed;
  if (campaign::world(o.ranks).rank == 0)
    options.stop = progress.stop;  // the other ranks end when rank 0 sends no further run
  return {std::move(space), std::move(options)};
}

// Fills the options of the campaign. The journal's identity covers everything that decides the results.
campaign::Options campaign_options(const SearchRequest& o, const base::Progress& progress) {
  campaign::Options options;
  options.ranks = o.ranks;
  options.journal = o.journal;
  options.identity = base::digest(
      o.identity + identity_of(o.space) + o.method + " " + std::to_string(o.steps) + " " +
      std::to_string(o.starts) + " " + std::to_string(o.seed));
  options.threads = o.threads;
  if (campaign::world(o.ranks).rank == 0)
    options.progress = progress;
  return options;
}

// Adds inputs, options and seed to the diagnosis, and a note when the search was interrupted.
void add_provenance(const SearchRequest& o, bool complete, finding::Diagnosis& d) {
  d.seed = o.seed;
  d.inputs = {{"space", o.space, base::digest(base::read_file(o.space))}};
  d.options = {{"steps", std::to_string(o.steps)}, {"starts", std::to_string(o.starts)}};
  if (!o.method.empty())
    d.options.emplace_back("method", o.method);
  if (!complete)
    d.notes.push_back(
        "Interrupted: the best so far" +
        std::string(o.journal.empty() ? "." : "; the same command goes on."));
}

}  // namespace

std::optional<SearchResult> search(const SearchRequest& o, const base::Progress& progress) {
  const SearchPlan plan = make_plan(o, progress);
  const campaign::Outcome outcome = campaign::run_all(
      plan.runs(),
      [&](uint64_t i) {
        return plan.run(i);
      },
      campaign_options(o, progress));
  if (campaign::world(o.ranks).rank > 0)
    return std::nullopt;
  SearchResult result;
  const auto designs = plan.results(outcome.results);
  result.trials = plan.trials(outcome.results);
  result.diagnosis = conclude(plan.space(), designs, result.trials);
  add_provenance(o, outcome.complete, result.diagnosis);
  result.resumed = outcome.resumed;
  result.runs = plan.runs();
  if (const DesignResult* best = best_of(designs)) {
    result.best_design = write_crossflow(best->config);
    if (const auto sheet = data_sheet(best->config, plan.space().rules.as_released))
      result.best_sheet = write_system(*sheet);
  }
  return result;
}

}  // namespace lento::predict
