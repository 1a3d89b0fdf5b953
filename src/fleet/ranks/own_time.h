// A rank's own time: from the end of one collective to its arrival at the next. Waiting for others happens
// inside collectives, so it never counts, and both times are on the rank's own clock.
#pragma once

#include <vector>

#include "fleet/ranks/job.h"
#include "fleet/ranks/stretch.h"

namespace lento::fleet::ranks {

struct OwnTime {
  // Vectors by rank, by record.
  std::vector<std::vector<double>> before_ns;  // own time before the record's begin
  std::vector<std::vector<int32_t>> after;     // the record whose end it counts from; -1: none
  // Times of each rank by step, NaN where the rank's step is not complete: all own time, own time before the
  // step's first collective, time of kernels within the own time, and time inside collectives.
  std::vector<std::vector<double>> own_ns;
  std::vector<std::vector<double>> first_ns;
  std::vector<std::vector<double>> compute_ns;
  std::vector<std::vector<double>> waiting_ns;
};

OwnTime own_time(const Job& job);

// Returns the length of every step, ns: from the end of the previous step's last collective to the end of its
// own last one, the median over ranks. NaN where it is unknown.
std::vector<double> step_lengths(const Job& job);

// A rank whose own time exceeds that of its peers.
struct LateRank {
  int rank = 0;
  Stretch stretch;           // steps in which it is late; values are its excess in each step, ns
  double level_ns = 0;       // peers' own time a step
  double first_share = 0;    // share of the excess that lies before the step's first collective
  double compute_share = 0;  // share of the excess in which kernels run; NaN when they were not recorded
  bool alone = true;         // significant by itself; false: only together with other ranks of its host
  double first_level = 0;    // the peers' share of own time before the step's first collective
};

struct OwnVerdict {
  std::vector<LateRank> late;                  // by rank
  std::vector<std::vector<double>> excess_ns;  // by rank, by step; NaN: not known
  std::vector<double> level_ns;                // by rank: its peers' own time
  std::vector<int> without_peers;              // ranks that no other rank has the same work as
  std::vector<int> hosts_without_peers;        // of several hosts, those whose work no other host does
  std::vector<double> roughness;               // by rank: slow_noise of its peers
};

OwnVerdict late_ranks(const Job& job, const OwnTime& own, double step_ns);

}  // namespace lento::fleet::ranks
