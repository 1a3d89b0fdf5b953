// Compares the durations of one zone between the cores that ran it equally often, or of each core with those
// of an earlier run.
//
//   log duration = level of (processor, zone, occurrence) + slowness of the core + noise
//
// Two statistics describe the slowness: the median over a core's records, which single delays do not move,
// and the time of all its records together, which a delay in a part of them moves as well. The spread over
// cores is estimated robustly, so that a few slow cores do not widen it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chip/read/transfer_record.h"

namespace lento::chip {

constexpr size_t kLeastPeers = 4;  // fewest cores to compare a core with

struct ZoneSort {
  std::string processor;
  std::string zone;
  auto operator<=>(const ZoneSort&) const = default;
};

// The durations of one zone of one processor.
struct ZoneDurations {
  std::map<Place, std::vector<double>> log_duration;  // in order of occurrence; of cycles or of seconds
  uint64_t grain = 0;                                 // greatest common divisor of the durations, cycles
};

// Returns the durations of each zone and of each computation of a table. `seconds` converts cycles into time,
// for which the log must state the clock of each chip. Without `zones` only computations are taken.
std::map<ZoneSort, ZoneDurations> zone_durations(const TransferTrace& trace, bool seconds, bool zones);

// The excess of cores over what they are compared with, in natural logarithms.
struct ZoneExcess {
  std::map<Place, double> of_core;  // less `middle`
  double middle = 0;                // median over cores; 0 when too few ran the zone (few())
  double spread = 0;                // robust standard deviation between cores
};

struct ComparedZone {
  ZoneSort sort;
  uint64_t grain = 0;
  // Log durations less the median of the cores for the same occurrence, or less those of the same core in
  // an earlier run.
  std::map<Place, std::vector<double>> residuals;
  // Log durations, less the median of the peers', of cores that ran the zone another number of times. They
  // have no share in the spread, and one that is slower may have had other work.
  std::map<Place, std::vector<double>> unpaired;
  // Log durations of the same cores in an earlier run.
  std::map<Place, std::vector<double>> earlier;
  ZoneExcess typical;  // median of a core's residuals
  ZoneExcess total;    // time of all its records together

  // Returns whether the cores are too few to be compared with one another. Each is then compared with its own
  // earlier run, and the spread holds only the error that single records give.
  bool few() const {
    return residuals.size() <= kLeastPeers;
  }
  // Returns the residuals of a core, paired or not.
  const std::vector<double>& records_of(const Place& core) const {
    const auto at = residuals.find(core);
    return at == residuals.end() ? unpaired.at(core) : at->second;
  }
};

// Adds to `out` the comparisons among the cores that ran a zone equally often, each such group of more than
// kLeastPeers for itself. The cores without such a group are compared with the largest one.
void compare_peers(const ZoneSort& sort, const ZoneDurations& durations, std::vector<ComparedZone>& out);

// Adds to `out` the comparison of each core with an earlier run, for the cores of each chip, because a chip
// has a clock of its own.
void compare_with_earlier(
    const ZoneSort& sort,
    const ZoneDurations& later,
    const ZoneDurations& earlier,
    std::vector<ComparedZone>& out);

}  // namespace lento::chip
