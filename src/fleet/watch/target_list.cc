// Distinguishes a dead machine from one that was removed from the job, which both send no samples, by the
// store's list of scrape targets. Incomplete lists are not used.
#include "fleet/watch/target_list.h"

#include <algorithm>

namespace lento::fleet {

std::vector<std::string> TargetList::read(Feed& feed, int64_t steady, int64_t step_ms) {
  constexpr int64_t kEvery = 10'000;  // ms
  constexpr double kWhole = 0.75;     // a list with a smaller share of the usual number is incomplete
  if (read_ms_ != INT64_MIN && steady - read_ms_ < std::min(kEvery, std::max<int64_t>(1000, step_ms)))
    return {};
  read_ms_ = steady;
  const std::optional<std::vector<Target>> answer = feed.targets();
  if (!answer)
    return {};
  std::vector<std::string> named;
  for (const Target& t : *answer)
    named.push_back(t.machine);
  if (double(answer->size()) < kWhole * double(usual_)) {
    if (shrunk_ms_ == 0)
      shrunk_ms_ = steady;
    if (steady - shrunk_ms_ < std::max<int64_t>(120'000, 4 * step_ms))
      return named;
  }
  shrunk_ms_ = 0;
  whole_ms_ = steady;
  usual_ = answer->size();
  known_ = !answer->empty();
  up_.clear();
  for (const Target& t : *answer)
    up_[t.machine] = up_[t.machine] || t.up;
  return named;
}

void TargetList::doubt(const MetricSeries& s) {
  size_t found = 0;
  for (const std::string& m : s.machines)
    found += up_.contains(m);
  known_ = known_ && 2 * found >= s.machines.size();
}

}  // namespace lento::fleet
