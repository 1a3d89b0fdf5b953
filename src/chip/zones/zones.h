// Finds a slow core from the durations of its zones, as profilers of real chips record them.
//
// Cores that ran the same zones equally often are compared with each other (compared_zone.h), where they are
// five or more, and the remaining ones with the largest group. A zone in which most cores are not alike is no
// evidence. With an earlier run of the same program, each core is compared with itself, so that cores may do
// different work, and relative to the median of the cores of its chip. Of a chip with four cores or fewer,
// each is compared with its earlier run alone. Cycles are converted into time where the logs state the clock.
//
// A core stands out in a zone when its median record, or the time of all its records together, is longer than
// the tolerance and than chance allow. It is named when it stands out in all zones that can be judged and its
// raw records are slower by rank. With an earlier run, in which its work was the same, one zone is enough. A
// core that stands out otherwise had other work, or its records are too few, and the run is not healthy.
// Sources: Rousseeuw, Croux 1993 (spread), Student 1908, Mann, Whitney 1947. Cost: sorting the records.
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
  // Records of the zone from `first` up to before `last`, of `records`, during which it was slower.
  size_t first = 0;
  size_t last = 0;
  size_t records = 0;
  bool ranked = true;  // false: its records are not slower by rank, so that a single delay may explain it
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
  double detectable = 0;             // factor that would be named with probability 95 %
  std::map<int32_t, double> common;  // with an earlier run: by chip, factor by which its cores became slower
  // Cores that are slower than their peers in all zones that can be judged, or slower than in an earlier run.
  std::vector<ZoneSuspect> suspects;
  std::vector<ZoneSuspect> unclear;  // cores that stand out and are no suspects
  std::vector<std::string> unlike;   // zones that are no evidence, because healthy cores differ too much
  // Cores without a zone: those of the earlier run that recorded none in this one, or else tiles whose row
  // and column are complete without them.
  std::vector<Place> silent;
};

struct ZoneOptions {
  const TransferTrace* earlier = nullptr;  // an earlier run of the same program
  bool zones = true;                       // false: only computations, since zones hold waits for transfers
  double false_alarms = 0.005;             // probability of a false finding in a healthy run
  double tolerance = 0.1;                  // relative difference between healthy cores
};
ZoneJudgement judge_zones(const TransferTrace& trace, const ZoneOptions& options = {});

}  // namespace lento::chip
