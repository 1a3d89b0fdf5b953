// Many independent runs, done once each: on all cores of a machine and, with Ranks, on many machines; a
// journal remembers what is done, so that a killed campaign resumes without a lost or doubled run.
//
// A run is a number from 0; what it does and what its result looks like is the caller's: one line of text.
// Results are handed back in the order of the numbers, so tables do not depend on how many workers there
// were.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"

namespace lento::campaign {

// From several threads at a time; a line without '\n'. Empty: given up, which only a user's stop allows.
using Run = std::function<std::string(uint64_t run)>;

class Ranks;  // campaign/ranks.h

struct Options {
  Ranks* ranks = nullptr;  // the other processes; nullptr: there is one
  std::string journal;     // path; empty: nothing is remembered
  std::string identity;    // of everything that decides the results: a journal of another campaign is refused
  unsigned threads = 0;    // of one process; 0: all cores
  base::Progress progress;
};

struct Outcome {
  std::vector<std::string> results;  // by run; empty text: not done (stopped early)
  uint64_t resumed = 0;              // taken from the journal
  bool complete = false;
};

// Does the runs that the journal does not hold. With several ranks, rank 0 hands out runs and writes
// the journal; the others return an empty Outcome. Throws base::Error when the journal belongs to another
// campaign or cannot be written, and passes on what a run throws (what was done stays in the journal).
Outcome run_all(uint64_t count, const Run& run, const Options& options);

// The place of this process among those of the campaign. Without ranks there is one.
struct World {
  int rank = 0;
  int size = 1;
};
World world(Ranks* ranks);

}  // namespace lento::campaign
