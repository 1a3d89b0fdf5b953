// Finds the best machine to build and the best way to run a job on it: `lento search SPACE.yaml`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "campaign/campaign.h"
#include "finding/finding.h"
#include "predict/search/search.h"

namespace lento::predict {

struct SearchRequest {
  std::string space;
  std::string method;  // empty: the methods that the space lists, else exchange
  int steps = 100;
  int starts = 10;
  uint64_t seed = 1;
  std::string journal;   // file that stores finished runs; empty: none
  std::string identity;  // version of the program, so that a journal of another version is refused
  unsigned threads = 0;
  campaign::Ranks* ranks = nullptr;  // MPI processes of the search; nullptr: this process alone
};

struct SearchResult {
  finding::Diagnosis diagnosis;
  std::optional<std::string> best_sheet;   // data sheet of the best design; empty when no design works
  std::optional<std::string> best_design;  // design point of the best design
  std::vector<Trial> trials;               // runs of a comparison of methods
  // Runs whose results were read from the journal.
  uint64_t resumed = 0;
  uint64_t runs = 0;
};

// Returns nothing on ranks other than 0.
std::optional<SearchResult> search(const SearchRequest& options, const base::Progress& progress);

}  // namespace lento::predict
