// Simulates a recorded program with one rule of issue and compares the simulated waits with the recorded
// ones.
#include "chip/fabric/timeline.h"

#include <cmath>
#include <utility>

namespace lento::chip {

Timeline timeline(const Recorded& recorded, const TransferTrace& stamps, Issue issue, uint32_t first) {
  Timeline line;
  PlayOptions options;
  options.issue = issue;
  line.played = play(recorded.fabric, stamps, options);
  line.compared = compared_waits(recorded.fabric, recorded.trace, line.played, recorded.earlier, first);
  line.wait_of.assign(line.played.transfers.size(), SIZE_MAX);
  std::vector<double> ratio;
  std::vector<uint32_t> sort;
  for (size_t i = 0; i < line.compared.waits.size(); ++i) {
    const ComparedWait& wait = line.compared.waits[i];
    const PlayedWait& played = line.played.waits[wait.wait];
    for (uint32_t k = 0; k < played.transfers; ++k)
      line.wait_of[line.played.transfers_of_waits[played.first_transfer + k]] = i;
    ratio.push_back(std::log(wait.tail / wait.modelled));
    sort.push_back(wait.pattern);
  }
  const bool free_correction = recorded.earlier != nullptr;
  line.ends.emplace(std::move(ratio), std::move(sort), line.compared.patterns, free_correction);
  return line;
}

}  // namespace lento::chip
