// What to build and how to run it: `lento search SPACE.yaml`.
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
  std::string method;  // empty: what the space compares, else exchange
  int steps = 100;
  int starts = 10;
  uint64_t seed = 1;
  std::string journal;   // empty: nothing is remembered
  std::string identity;  // of the program, so that a journal of another version is refused
  unsigned threads = 0;
  campaign::Ranks* ranks = nullptr;  // the other processes; nullptr: there is one
};

struct SearchResult {
  finding::Diagnosis diagnosis;
  std::optional<std::string> best_sheet;   // data sheet of the best design, when it can work
  std::optional<std::string> best_design;  // its design point
  std::vector<Trial> trials;               // of a comparison of methods
  // runs taken from the journal
  uint64_t resumed = 0;
  uint64_t runs = 0;
};

// Nothing on ranks above 0.
std::optional<SearchResult> search(const SearchRequest& options, const base::Progress& progress);

}  // namespace lento::predict
