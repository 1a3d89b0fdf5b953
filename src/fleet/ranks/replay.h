// Replays a job with some own times and transfers changed, to predict the length of a step without a fault.
//
//   arrival = end of the collective that it waited for + own time
//   end     = last arrival of the members + transfer
//
// A changed replay is compared with the unchanged one, so that effects outside the model (ends a little
// apart, sends that do not wait) cancel.
#pragma once

#include <functional>
#include <vector>

#include "fleet/ranks/clocks.h"
#include "fleet/ranks/job.h"
#include "fleet/ranks/own_time.h"

namespace lento::fleet::ranks {

struct Change {
  // Functions that return the new own time before a record and the new transfer time of a collective (an
  // index into Job::instances), in ns. Null: as recorded.
  std::function<double(int rank, int record, double own_ns)> own;
  std::function<double(size_t instance, double transfer_ns)> transfer;
};

class Replay {
 public:
  Replay(const Job& job, const OwnTime& own, const Clocks& clocks);

  // Returns the length of every step, ns, NaN where the replay does not reach.
  std::vector<double> steps(const Change& change) const;

 private:
  struct State;
  bool advance(State& state, int rank) const;
  void resolve(State& state, size_t instance) const;

  const Job& job_;
  const OwnTime& own_;
  std::vector<std::vector<int32_t>> instance_of_;  // by rank, by record; -1: no other rank recorded it
  std::vector<double> transfer_ns_;
  std::vector<bool> eager_;       // by channel: the send does not wait for its receive
  std::vector<double> start_ns_;  // by rank: begin of its first record, on the common clock
};

// Returns the mean of the finite values in [begin, end).
double mean_between(const std::vector<double>& series, int begin, int end);

}  // namespace lento::fleet::ranks
