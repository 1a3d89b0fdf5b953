// Finds a slow core in records that hold only how long its zones took, as profilers of real chips write them.
//
//   log duration = level of (processor, zone, occurrence) + slowness of the core + noise
//
// Cores that ran the same zones are peers of one another. With an earlier run of the same program each core
// is its own peer, so that cores may do unlike work. A core is named when it exceeds the spread of its
// peers in most of its zones, and when its raw records are slower by rank. Sources: Rousseeuw, Croux 1993
// (spread), Student 1908, Mann, Whitney 1947. Cost: the number of records, sorted.
#pragma once

#include <string>
#include <vector>

#include "chip/read/transfer_record.h"

namespace lento::chip {

struct ZoneSuspect {
  Place core;
  std::string zone;  // that shows it best
  double factor = 1;
  // 90 %
  double low = 1;
  double high = 1;
  double chance = 1;  // of such a core among as many healthy ones
  double rank = 1;    // chance of its records' ranks; 1: it has too few
  size_t zones = 0;   // sorts of zones in which it stands out, of `judged_zones`
  size_t judged_zones = 0;
};

struct ZoneJudgement {
  bool judged = false;
  // Set when it could not be judged.
  std::string reason;
  std::string remedy;
  size_t cores = 0;
  size_t zones = 0;       // sorts that enough cores ran
  size_t records = 0;     // of them
  double common = 1;      // with an earlier run: times that all cores became slower
  double detectable = 0;  // the factor that would be named with 95 %, in the zone that shows it best
  std::vector<ZoneSuspect> suspects;  // surest first
};

struct ZoneOptions {
  const TransferTrace* earlier = nullptr;  // of the same program
  double false_alarms = 0.005;             // of a healthy run
  double tolerance = 0.1;                  // by which healthy cores may differ
};
ZoneJudgement judge_zones(const TransferTrace& trace, const ZoneOptions& options = {});

}  // namespace lento::chip
