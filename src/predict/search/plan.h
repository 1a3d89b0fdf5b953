// A search as numbered runs, which `campaign` spreads over threads and ranks and keeps in a journal.
//
// Run 0 of each design point evaluates every way to run the job (job.h). The runs after it are starts of the
// optimiser, one for each method, seed, way and start. A run's result is one line of numbers, the same for
// any number of workers.
#pragma once

#include <functional>
#include <memory>

#include "predict/search/search.h"

namespace lento::predict {

struct SearchOptions {
  MinimiseOptions minimise;  // steps, starts and evaluations of one run, and the first seed
  // True once the user requested a stop. The current run then returns an empty line.
  std::function<bool()> stop;
};

class SearchPlan {
 public:
  SearchPlan(SearchSpace space, SearchOptions options);
  ~SearchPlan();

  uint64_t runs() const;
  std::string run(uint64_t index) const;  // thread-safe

  // Combine the lines of all runs, which are empty for runs that were not done. A point whose ways were not
  // evaluated is left out.
  std::vector<DesignResult> results(const std::vector<std::string>& lines) const;
  std::vector<Trial> trials(const std::vector<std::string>& lines) const;

  const SearchSpace& space() const {
    return space_;
  }

 private:
  struct Candidates;
  struct Slot;  // the point, method, seed, way and start of a run
  Slot slot_of(uint64_t index) const;
  const Candidates& candidates(size_t point) const;
  uint64_t runs_of_point() const;
  std::string evaluate_ways(size_t point) const;
  std::string optimise(const Slot& slot) const;
  DesignResult result_of(size_t point, const std::vector<std::string>& lines) const;

  SearchSpace space_;
  SearchOptions options_;
  std::vector<DesignPoint> points_;
  std::unique_ptr<Candidates[]> candidates_;  // by point, filled on first use
};

}  // namespace lento::predict
