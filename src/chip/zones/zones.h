// Finds a slow core from the durations of its zones, as profilers of real chips record them.
//
//   log duration = level of (processor, zone, occurrence) + slowness of the core + noise
//
// Cores that ran the same zones equally often are compared with each other, where they are five or more, and
// the remaining ones with the largest group. A zone in which most cores are not alike is no evidence. With
// an earlier run of the same program, each core is compared with itself, so that cores may do different
// work, and relative to the median of the cores of its chip, because a chip has a clock of its own. Of a chip
// with four cores or fewer, each is compared with its earlier run alone. Cycles are converted into time where
// the logs state the clock. A core is named when it is slower than the tolerance and than chance allow in all
// zones that can be judged, and when its raw records are slower by rank. A core that is slower in at least
// half of them but not in all had other work than its peers. With an earlier run, in which its work was the
// same, it is named too. Sources: Rousseeuw, Croux 1993 (spread), Student 1908, Mann, Whitney 1947. Cost:
// sorting the records.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chip/read/transfer_record.h"

namespace lento::chip {

struct ZoneSuspect {
  Place core;
  std::string zone;  // zone with the largest deviation, in standard deviations
  double factor = 1;
  // The 90 % interval of `factor`.
  double low = 1;
  double high = 1;
  double chance = 1;  // probability that any of as many healthy cores and zones deviates as far
  double rank = 1;    // probability, for a healthy core, of records that rank as high among its peers'
  size_t zones = 0;   // zones in which it deviates, out of `judged_zones`
  size_t judged_zones = 0;
};

struct ZoneJudgement {
  bool judged = false;
  // Set when the records could not be judged.
  std::string reason;
  std::string remedy;
  size_t cores = 0;
  size_t zones = 0;                  // compared zones, with an earlier run those of each chip
  size_t unmatched = 0;              // with an earlier run: zones that no core ran equally often in both
  size_t records = 0;                // records of those zones
  double detectable = 0;             // factor that would be named with probability 95 %, in the best zone
  std::map<int32_t, double> common;  // with an earlier run: by chip, factor by which its cores became slower
  // Cores that are slower than their peers in all zones that can be judged, or slower than in an earlier run.
  std::vector<ZoneSuspect> suspects;
  std::vector<ZoneSuspect> other_work;  // longer than their peers in some zones and not in others
};

struct ZoneOptions {
  const TransferTrace* earlier = nullptr;  // an earlier run of the same program
  double false_alarms = 0.005;             // probability of a false finding in a healthy run
  double tolerance = 0.1;                  // relative difference between healthy cores
};
ZoneJudgement judge_zones(const TransferTrace& trace, const ZoneOptions& options = {});

}  // namespace lento::chip
