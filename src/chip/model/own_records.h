// Finds the stretch of slow records among those that one part serves.
//
// A part serves records in a few layers alone, with gaps between them. Where in a gap its slow interval
// begins or ends, no record shows, so that ends move from gap to gap. The likeliest stretch is the one whose
// records gain most when they are expected to be longer (Kadane's scan of sums; Student's t as in
// likelihood.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "chip/model/factors.h"

namespace lento::chip {

// Range of records of a part, in order of time.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
  double gain = 0;  // twice the log-likelihood ratio of likeliest()
};

class OwnRecords {
 public:
  // `explained` holds by cell the log ratio that the nuisances explain, `shares` the part's share of the
  // duration.
  OwnRecords(
      const ObservedRun& run,
      const Likelihood& likelihood,
      const std::vector<double>& explained,
      const std::vector<float>& shares);

  Stretch all() const {
    return {0, records_.size()};
  }
  Stretch likeliest() const;
  // Draws both ends by the likelihood of each, given the other one.
  Stretch drawn(const Stretch& around, double log_factor, base::Rng& rng) const;
  // Sets begin and end of a part to the gaps around a stretch.
  void set_ends(const Stretch& stretch, SlowPart& slow) const;

 private:
  struct Record {
    uint64_t begin = 0;  // cycles of the chip file's clock
    uint64_t end = 0;
    double log_ratio = 0;  // without what the nuisances explain
    double share = 0;
    double variance = 0;
  };
  double gain(const Record& r, double log_factor) const;

  std::vector<Record> records_;
};

}  // namespace lento::chip
