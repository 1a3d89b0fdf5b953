// Finds the clock that drives each signal. For each pair of a signal and a clock, it keeps the distinct times
// from the clock's last rising edge to a change of the signal (at most kMostDistances + 1). The clock with
// the fewest distinct times drives the signal, and on a tie the one that samples it. A signal that is derived
// from a clock cannot have fewer than that clock has, so that dividers and counters are harmless candidates.
// Of the changes between two samples, all but the one that the later sample shows count as lost.
#include "tile/block/clock_domain.h"

#include <algorithm>
#include <cmath>

namespace lento::tile {
namespace {

constexpr uint64_t kLeastRises = 16;  // of a signal that is recognised as a clock by its behaviour
// A clock's interval may be an eighth of its period off a multiple (jitter), and one of eight further.
constexpr double kJitter = 1.0 / 8;
constexpr uint64_t kOddShare = 8;
// After so many periods without a rising edge, jitter has added up and any interval is a multiple.
constexpr double kLongStop = 8;

}  // namespace

bool ClockDomains::Clock::is_regular() const {
  return rises >= kLeastRises && odd * kOddShare <= rises;
}

size_t ClockDomains::add_clock(const std::string& name, bool certain) {
  clocks_.emplace_back();
  clocks_.back().name = name;
  clocks_.back().certain = certain;
  return clocks_.size() - 1;
}

size_t ClockDomains::add_signal(const std::string& name, size_t clock) {
  signals_.emplace_back();
  signals_.back().name = name;
  signals_.back().clock = clock;
  return signals_.size() - 1;
}

void ClockDomains::add_local(size_t signal, size_t clock) {
  signals_[signal].locals.push_back({clock, 0});
}

// Dismisses a clock that is not certain once too many of its intervals are irregular.
void ClockDomains::note_interval(Clock& clock, uint64_t interval) {
  if (interval == 0)
    return;
  if (clock.period == 0)
    clock.period = interval;
  const double ratio = double(std::max(interval, clock.period)) / double(std::min(interval, clock.period));
  clock.odd += ratio <= kLongStop && std::abs(ratio - std::round(ratio)) > kJitter;
  clock.period = std::min(clock.period, interval);
  clock.dismissed = !clock.certain && clock.odd * kOddShare > clock.rises + kLeastRises;
}

// Handles the first rising edge of a clock.
void ClockDomains::begin(size_t clock) {
  ticking_.push_back(clock);
  for (const Signal& s : signals_)
    clocks_[clock].unrelated.push_back(s.changes);
}

void ClockDomains::rise(size_t clock, uint64_t time) {
  Clock& c = clocks_[clock];
  if (c.dismissed)
    return;
  ++c.rises;
  if (c.last_rise)
    note_interval(c, time - *c.last_rise);
  else
    begin(clock);
  c.last_rise = time;
  if (c.dismissed) {
    std::erase(ticking_, clock);
    for (Signal& s : signals_) {
      if (clock < s.distances.size())
        s.distances[clock] = {};
    }
    return;
  }
  for (Signal& s : signals_) {
    if (!s.counts || !s.last_sample || s.value == 0)
      continue;
    s.high.resize(clocks_.size());
    ++s.high[clock];
  }
}

// Counts a change of a signal, and adds the time since the last rising edge of each clock to the distinct
// times of the signal and that clock.
void ClockDomains::change(size_t signal, uint64_t time, uint64_t value) {
  Signal& s = signals_[signal];
  s.value = value;
  if (!s.last_sample)
    return;  // initial values of the recording
  ++s.changes;
  ++s.since_sample;
  s.distances.resize(clocks_.size());
  for (const size_t c : ticking_) {
    if (s.distances[c].size() > kMostDistances)
      continue;
    const uint64_t distance = time - *clocks_[c].last_rise;
    const auto at = std::ranges::lower_bound(s.distances[c], distance);
    if (at == s.distances[c].end() || *at != distance)
      s.distances[c].insert(at, distance);
  }
}

// The clock stood still in a gap that is at least twice as long as the gaps before and behind it, so that an
// edge is missing there. Changes in the latest gap count as lost once the next gap is known.
void ClockDomains::sample(size_t signal, uint64_t time, uint64_t value) {
  Signal& s = signals_[signal];
  if (s.last_sample && time == s.last_time)
    return;  // it is both the data and the valid signal of an input
  s.sampled += s.counts && value != 0;
  if (s.last_sample && value != 0) {
    for (Local& local : s.locals)
      local.still += clocks_[local.clock].last_rise.value_or(0) < s.last_time;
  }
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

// Returns how many distinct times a signal keeps to a clock. Each change before the clock's first edge is one
// further time.
size_t ClockDomains::distances_to(size_t signal, size_t clock) const {
  const std::vector<uint64_t>& before = clocks_[clock].unrelated;
  return signals_[signal].distances[clock].size() + (signal < before.size() ? before[signal] : 0);
}

size_t ClockDomains::driver_of(size_t signal) const {
  const Signal& s = signals_[signal];
  size_t best = s.clock;
  if (s.distances.empty())
    return best;
  for (const size_t c : ticking_) {
    if ((clocks_[c].certain || clocks_[c].is_regular()) &&
        distances_to(signal, c) < distances_to(signal, best))
      best = c;
  }
  return best;
}

// Returns whether a signal changes all over the cycle of its sampling clock, so that this one cannot drive
// it: logic settles some time before the edge that samples it, also when it glitches. Of so many changes at
// random times, an eighth of the cycle has none with a chance of 1 %.
bool ClockDomains::has_no_driver(const Signal& s) const {
  const uint64_t period = clocks_[s.clock].period;
  if (s.clock >= s.distances.size() || s.distances[s.clock].size() <= kMostDistances)
    return false;
  std::vector<uint64_t> times = s.distances[s.clock];
  if (times.back() >= 2 * period)
    return false;  // the clock stood still
  for (uint64_t& time : times)
    time %= period;
  std::ranges::sort(times);
  uint64_t quiet = times.front() + period - times.back();
  for (size_t i = 1; i < times.size(); ++i)
    quiet = std::max(quiet, times[i] - times[i - 1]);
  return quiet < period / 8;
}

// Returns the clock of a signal's scope that is the sampling clock but for times at which it stands still.
// When several clocks of the scope have the sampling clock's period, that is the one with most edges. Returns
// the sampling clock when there is none, or when it stands in the scope too, so that the signal may be its
// own.
size_t ClockDomains::gated_copy(const Signal& s) const {
  const Local* best = nullptr;
  for (const Local& local : s.locals) {
    const Clock& clock = clocks_[local.clock];
    if (local.clock == s.clock)
      return s.clock;
    if (clock.is_regular() && clock.period == clocks_[s.clock].period &&
        (!best || clock.rises > clocks_[best->clock].rises))
      best = &local;
  }
  return best && best->still > 0 ? best->clock : s.clock;
}

std::vector<UnsampledSignal> ClockDomains::foreign() const {
  std::vector<UnsampledSignal> out;
  for (size_t i = 0; i < signals_.size(); ++i) {
    const Signal& s = signals_[i];
    uint64_t lost = s.lost + s.last.hidden;
    size_t driver = driver_of(i);
    if (driver == s.clock && lost > 0 && has_no_driver(s)) {
      out.push_back({s.name, clocks_[s.clock].name, "", s.changes, lost, s.sampled, 0});
      continue;
    }
    if (driver == s.clock && s.counts) {
      driver = gated_copy(s);
      lost = 0;
    }
    const uint64_t meant = driver < s.high.size() ? s.high[driver] : 0;
    if (driver != s.clock && (lost > 0 || (s.counts && s.sampled > meant)))
      out.push_back({s.name, clocks_[s.clock].name, clocks_[driver].name, s.changes, lost, s.sampled, meant});
  }
  return out;
}

}  // namespace lento::tile
