// Does many independent runs once each, on all cores of a machine and, with Ranks, on many machines. A
// journal keeps the results, so that a killed campaign resumes without a lost or repeated run.
//
// A run is a number from 0, and its result is one line of text. The caller defines both. Results are returned
// in the order of the numbers, so tables do not depend on the number of workers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"

namespace lento::campaign {

// Does one run and returns a line without '\n'. It is called from several threads at a time. An empty text
// means that the run was given up, which is legal only after an interrupt by the user.
using Run = std::function<std::string(uint64_t run)>;

class Ranks;  // campaign/ranks.h

struct Options {
  Ranks* ranks = nullptr;  // the other processes; nullptr: this is the only one
  std::string journal;     // path; empty: no journal is written
  std::string identity;    // digest of all inputs; a journal with another identity is refused
  unsigned threads = 0;    // of one process; 0: all cores
  base::Progress progress;
};

struct Outcome {
  std::vector<std::string> results;  // by run; empty text: not done (stopped early)
  uint64_t resumed = 0;              // runs whose results came from the journal
  bool complete = false;
};

// Does the runs that the journal does not hold. With several ranks, rank 0 hands out runs and writes the
// journal, and the others return an empty Outcome. Throws base::Error when the journal belongs to another
// campaign or cannot be written, and rethrows the error of a run. The journal keeps what was done.
Outcome run_all(uint64_t count, const Run& run, const Options& options);

// The rank of this process and the number of processes. Without ranks there is one process.
struct World {
  int rank = 0;
  int size = 1;
};
World world(Ranks* ranks);

}  // namespace lento::campaign
