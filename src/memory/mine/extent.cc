// The intervals keep their exact first and last times, so a gap between two of them is exact. A gap inside an
// interval is shorter than the rest of the trace, because the width doubles only while many intervals have
// times.
#include "memory/mine/extent.h"

#include <algorithm>
#include <vector>

namespace lento::memory {
namespace {

constexpr size_t kMostIntervals = 1024;

}  // namespace

void Extent::join(const Times& from, Times& to) {
  to.first = std::min(to.first, from.first);
  to.last = std::max(to.last, from.last);
  to.count += from.count;
}

// Closes the open interval. When too many are kept, intervals become twice as wide.
void Extent::close() {
  if (open_.count == 0)
    return;
  join(open_, closed_[interval(open_.first)]);
  while (closed_.size() > kMostIntervals) {
    std::map<uint64_t, Times> wider;
    ++shift_;
    for (const auto& [at, times] : closed_)
      join(times, wider[interval(times.first)]);
    closed_ = std::move(wider);
  }
}

Extent::Times Extent::kept(double most_share) const {
  Extent whole = *this;
  whole.close();
  std::vector<Times> groups;
  double all = 0;
  for (const auto& [at, times] : whole.closed_) {
    groups.push_back(times);
    all += double(times.count);
  }
  const auto together = [&](size_t from, size_t to) {
    Times sum;
    for (size_t i = from; i < to; ++i)
      join(groups[i], sum);
    return sum;
  };
  size_t low = 0;
  size_t high = groups.size();
  Times best = together(low, high);
  // Each round at least halves the time, so there are at most 64.
  while (high - low > 1) {
    size_t cut = low + 1;
    for (size_t i = low + 1; i < high; ++i) {
      if (groups[i].first - groups[i - 1].last > groups[cut].first - groups[cut - 1].last)
        cut = i;
    }
    const Times below = together(low, cut);
    const Times above = together(cut, high);
    const Times& rest = below.count < above.count ? above : below;
    const bool near = above.first - below.last <= rest.last - rest.first;
    if (near || all - double(rest.count) > most_share * all)
      break;
    best = rest;
    (below.count < above.count ? low : high) = cut;
  }
  return best;
}

}  // namespace lento::memory
