// Storms of pause frames from a simulated job to a watch's alert: the whole way of an operator, on a clock
// without waiting. A storm is a fault of `simulate_fleet` that shows in the pause frames and in nothing else
// of the seven metrics. Its neighbours send a little more, too, and healthy machines have storms of seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/figure.h"

namespace lento::fleet {

struct StormResult {
  std::string machine;
  double lasts_s = 0;
  std::optional<double> named_after_s;
  std::vector<std::string> wrong;  // other machines that were named, before or during it
};

// The storm of this number of a seed, judged by a FleetWatch that pulls every 5 s.
struct StormCase {
  uint64_t seed = 1;
  uint64_t index = 0;
  size_t machines = 64;
  bool jitters = false;  // healthy machines have storms of up to a minute, too
};
StormResult run_storm(const StormCase& c);

// Storms in jobs of 16, 64 and 256 machines in turn, without jitters and with them: a row for each.
finding::TableFigure
measure_storms(uint64_t seed, uint64_t storms, unsigned threads, const base::Progress& progress);

}  // namespace lento::fleet
