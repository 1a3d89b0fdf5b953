// Finds the clock that drives each signal. For each pair of a signal and a clock, it keeps the distinct times
// from the clock's last rising edge to a change of the signal (at most kMostDistances + 1). The clock with
// the fewest distinct times drives the signal, and on a tie the one that samples it. Of the changes between
// two samples, all but the one that the later sample shows count as lost.
#include "tile/block/clock_domain.h"

#include <algorithm>

namespace lento::tile {

size_t ClockDomains::add_clock(const std::string& name) {
  clocks_.push_back({name, std::nullopt});
  return clocks_.size() - 1;
}

size_t ClockDomains::add_signal(const std::string& name, size_t clock, bool counts) {
  Signal signal;
  signal.counts = counts;
  signal.name = name;
  signal.clock = clock;
  signals_.push_back(signal);
  return signals_.size() - 1;
}

void ClockDomains::rise(size_t clock, uint64_t time) {
  clocks_[clock].last_rise = time;
  for (Signal& s : signals_) {
    if (!s.counts || !s.last_sample || s.value == 0)
      continue;
    s.high.resize(clocks_.size());
    ++s.high[clock];
  }
}

// Counts a change of a signal, and adds the time since the last rising edge of each clock to the distinct
// times of the signal and that clock. All changes before a clock's first edge are one further time.
void ClockDomains::change(size_t signal, uint64_t time, uint64_t value) {
  Signal& s = signals_[signal];
  s.value = value;
  if (!s.last_sample)
    return;  // initial values of the recording
  ++s.changes;
  ++s.since_sample;
  s.distances.resize(clocks_.size());
  for (size_t c = 0; c < clocks_.size(); ++c) {
    if (s.distances[c].size() > kMostDistances)
      continue;
    const uint64_t distance = time - std::min(time, clocks_[c].last_rise.value_or(0));
    const auto at = std::ranges::lower_bound(s.distances[c], distance);
    if (at == s.distances[c].end() || *at != distance)
      s.distances[c].insert(at, distance);
  }
}

// The clock stood still in a gap that is at least twice as long as the gaps before and behind it, so that an
// edge is missing there. Changes in the latest gap count as lost once the next gap is known.
void ClockDomains::sample(size_t signal, uint64_t time, uint64_t value) {
  Signal& s = signals_[signal];
  s.sampled += s.counts && value != 0;
  const uint64_t seen = s.last_sample && *s.last_sample != value ? 1 : 0;
  const Gap next = {s.last_sample ? time - s.last_time : 0, s.since_sample - std::min(s.since_sample, seen)};
  const bool stood_still = s.last.time / 2 >= std::max({s.before.time, next.time, uint64_t(1)});
  s.lost += stood_still ? 0 : s.last.hidden;
  s.before = s.last;
  s.last = next;
  s.since_sample = 0;
  s.last_sample = value;
  s.last_time = time;
}

std::vector<UnsampledSignal> ClockDomains::foreign() const {
  std::vector<UnsampledSignal> out;
  for (const Signal& s : signals_) {
    const uint64_t lost = s.lost + s.last.hidden;
    if ((lost == 0 && !s.counts) || s.distances.empty())
      continue;
    size_t best = s.clock;
    for (size_t c = 0; c < s.distances.size(); ++c) {
      if (clocks_[c].last_rise && s.distances[c].size() < s.distances[best].size())
        best = c;
    }
    const uint64_t meant = best < s.high.size() ? s.high[best] : 0;
    if (best != s.clock && (lost > 0 || s.sampled > meant))
      out.push_back({s.name, clocks_[s.clock].name, clocks_[best].name, s.changes, lost, s.sampled, meant});
  }
  return out;
}

}  // namespace lento::tile
