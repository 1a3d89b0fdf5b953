// Holds each row back until all members have a sample, or for as long as samples usually take: a row judged
// too early lacks its late samples, and one that waits for all might wait for ever. Failed and incomplete
// responses do not count against machines, because a hook may follow.
#include "fleet/watch/reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/heap.h"

namespace lento::fleet {
namespace {

constexpr int64_t kMinute = 60'000;  // ms

int64_t round_down(int64_t t, int64_t step) {
  return t / step * step;
}

// Returns the names that both sorted lists have, as pairs of positions in `wanted` and in `names`.
std::vector<std::pair<size_t, size_t>> places(
    const std::vector<std::string>& names,
    const std::vector<std::string>& wanted) {
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto at = std::lower_bound(names.begin(), names.end(), wanted[i]);
    if (at != names.end() && *at == wanted[i])
      found.emplace_back(i, at - names.begin());
  }
  return found;
}

// The values of one response, with their positions in the scan's rows. Names in the response that the scan
// lacks are ignored here, and the next read adds them.
struct Answer {
  const MetricSeries& series;
  size_t width;  // number of machines in a row
  std::vector<std::pair<size_t, size_t>> machines;
  std::vector<std::pair<size_t, size_t>> metrics;

  Answer(const MetricSeries& s, const ScanFleet& f)
      : series(s),
        width(f.machines.size()),
        machines(places(f.machines, s.machines)),
        metrics(places(f.metrics, s.metrics)) {
  }

  void fill(int64_t time_ms, std::vector<float>& row) const {
    const int64_t at = (time_ms - series.begin_ms) / series.step_ms;
    if (time_ms < series.begin_ms || at >= int64_t(series.steps))
      return;
    for (const auto& [k, metric] : metrics) {
      for (const auto& [m, machine] : machines) {
        const float value = series.at(k, size_t(at), m);
        if (!std::isnan(value))
          row[metric * width + machine] = value;
      }
    }
  }
};

}  // namespace

StoreReader::StoreReader(const Clock& clock, Feed& feed, JobJudge& judge, Options options)
    : feed_(feed),
      judge_(judge),
      o_(std::move(options)),
      clock_(clock, feed),
      cadence_(int64_t(o_.step_s * 1000)),
      members_(int64_t(o_.forget_s * 1000)) {
  sight_.started_ms = sight_.looked_ms = clock.steady_ms();
}

void StoreReader::pull() {
  try {
    read_rows();
    if (!sight_.failure.empty())
      o_.note("the store answers again");
    sight_.failure.clear();
  } catch (const std::exception& e) {
    ++counters_.failed;
    sight_.outage_ms = clock_.steady_ms();
    if (sight_.failure.empty())
      o_.note(std::string(e.what()) + "\n  (keeping state, trying again)");
    sight_.failure = e.what();
  }
}

// Returns the length in ms of the history that is read first, to learn the usual values of each machine: an
// hour, or longer if the scrapes are so slow that the first test needs more.
int64_t StoreReader::history_ms() const {
  const int64_t shortest = std::max(int64_t(judge_.options().shortest_s * 1000), 8 * cadence_.step_ms());
  return std::max(60 * kMinute, 5 * shortest);
}

// Returns the end of the period to request from `from_ms` on, limited so that a response fits into memory.
int64_t StoreReader::piece_end(int64_t from_ms) const {
  constexpr int64_t kMostValues = int64_t{1} << 24;  // 64 MiB
  const int64_t rows = std::max<int64_t>(16, kMostValues / int64_t(std::max<size_t>(1, members_.width())));
  return std::min(clock_.now_ms() + cadence_.step_ms(), from_ms + rows * cadence_.step_ms());
}

MetricSeries StoreReader::read(int64_t from_ms) {
  base::ReadReport fresh;
  MetricSeries s =
      feed_.read(from_ms - 2 * cadence_.step_ms(), piece_end(from_ms), cadence_.step_ms(), fresh);
  counters_.samples += fresh.taken;
  counters_.skipped += fresh.skipped;
  return s;
}

// Estimates the sampling period and lists the job's machines and metrics, so that the size of the next
// responses is known. A minute is enough when it has ten samples of a series.
void StoreReader::survey() {
  MetricSeries first;
  for (const int64_t period : {kMinute, 10 * kMinute}) {
    base::ReadReport report;
    try {
      first = feed_.read(clock_.now_ms() - period, clock_.now_ms(), 0, report);
    } catch (const base::Error&) {
      if (period > kMinute)
        throw;
    }
    if (first.sample_gap_ms > 0 && 10 * first.sample_gap_ms <= period)
      break;
  }
  if (first.sample_gap_ms == 0)
    throw base::Error({feed_.name()}, "no series has two samples yet");
  if (cadence_.step_ms() == 0)
    cadence_.begin_with(first.step_ms);
  members_.take(first, targets_, feed_.name());
}

void StoreReader::read_rows() {
  ++counters_.pulls;
  clock_.look();
  members_.named(targets_.read(feed_, clock_.steady_ms(), cadence_.step_ms()));
  if (cadence_.step_ms() == 0 || members_.width() == 0)
    survey();
  start_rows();
  MetricSeries s = read(next_ms_);
  const bool step_changed = cadence_.learn_step(s);
  if (step_changed)
    o_.note("samples now come every " + std::to_string(cadence_.step_ms()) + " ms");
  const bool names_changed = members_.take(s, targets_, feed_.name());
  const bool anew = step_changed || names_changed || !judge_.begun();
  if (anew) {
    members_.forget_left(cadence_);
    judge_.begin(members_.fleet(cadence_.step_ms()));
    halves_.clear();
    next_ms_ = round_down(clock_.now_ms() - history_ms(), cadence_.step_ms());
    s = {};  // frees the memory before the next response
    s = read(next_ms_);
  }
  while (piece_end(next_ms_) <= clock_.now_ms()) {  // whole rows of the past
    push(s, piece_end(next_ms_) - cadence_.step_ms());
    s = {};
    s = read(next_ms_);
  }
  cadence_.learn_delay(s, clock_.now_ms());
  targets_.doubt(s);
  members_.keep(judge_.scan(), targets_, cadence_, {clock_.steady_ms(), clock_.now_ms()});
  if (const auto until = frontier(s))
    push(s, *until);
  judge_.take_over();
  keep_half(s);
  last_ = std::move(s);
  apart_.look(feed_, judge_.scan(), cadence_, clock_, sight_.started_ms);
  if (anew)
    base::return_free_memory();  // the answers to a whole history
}

// Sets the first row to read. After a long outage it is the oldest row of the history. When the store's clock
// has stepped back and stays so, it is the store's current time.
void StoreReader::start_rows() {
  const int64_t step = cadence_.step_ms();
  const int64_t steady = clock_.steady_ms();
  const int64_t now = clock_.now_ms();
  const int64_t oldest = round_down(now - history_ms(), step);
  if (next_ms_ == INT64_MIN || next_ms_ < oldest)
    next_ms_ = oldest;
  if (next_ms_ <= now + 10 * step) {
    back_ms_ = 0;
    return;
  }
  if (back_ms_ == 0)
    back_ms_ = steady;
  if (steady - back_ms_ < std::max<int64_t>(120'000, 4 * step))
    return;
  next_ms_ = round_down(now, step);
  cadence_.forget_all();
  o_.note("the store's clock went back: rows go on from there");
}

// Returns the last row that may be pushed, because every member has a sample at or after it or no later
// sample is expected.
std::optional<int64_t> StoreReader::frontier(const MetricSeries& s) const {
  int64_t newest = INT64_MIN;
  int64_t slowest = INT64_MAX;
  const ScanFleet& f = judge_.scan().fleet();
  for (const int64_t t : s.newest_ms)
    newest = std::max(newest, t);
  for (size_t m = 0; m < f.machines.size(); ++m) {
    if (judge_.scan().roll().member(m))
      slowest = std::min(slowest, cadence_.newest_ms(f.machines[m]));
  }
  if (newest == INT64_MIN)
    return std::nullopt;
  const int64_t step = cadence_.step_ms();
  const int64_t slack = std::max<int64_t>(2000, step / 4);
  const int64_t late = clock_.now_ms() - step - cadence_.delay_ms() - slack;
  return round_down(std::min(newest, std::max(slowest, late)), step);
}

void StoreReader::push(const MetricSeries& s, int64_t until_ms) {
  Scan& scan = judge_.scan();
  const ScanFleet& f = scan.fleet();
  std::vector<Answer> answers;
  for (const MetricSeries& half : halves_)
    answers.emplace_back(half, f);
  answers.emplace_back(s, f);
  std::vector<float> row(f.machines.size() * f.metrics.size());
  const int64_t steady = clock_.steady_ms();
  const uint64_t looks = scan.tests();
  for (; next_ms_ <= until_ms; next_ms_ += cadence_.step_ms()) {
    std::ranges::fill(row, std::numeric_limits<float>::quiet_NaN());
    for (const Answer& answer : answers)
      answer.fill(next_ms_, row);
    judge_.push(next_ms_, row);
    ++counters_.rows;
    if (scan.roll().answered()) {
      sight_.answered_ms = steady;
    } else {
      ++counters_.unanswered;
      sight_.outage_ms = steady;
    }
  }
  for (const auto& [m, machine] : answers.back().machines) {
    if (s.newest_ms[m] != INT64_MIN)
      scan.heard(machine, s.newest_ms[m]);
  }
  if (scan.tests() != looks)
    sight_.looked_ms = steady;
}

// Keeps a response that lacks many members until its rows are pushed, because several such responses together
// may be complete.
void StoreReader::keep_half(const MetricSeries& s) {
  constexpr double kWholeAnswer = 0.75;  // share of the members that a complete response has
  constexpr size_t kHalves = 16;         // most incomplete responses that are kept
  std::erase_if(halves_, [&](const MetricSeries& half) {
    return half.time_ms(half.steps) <= next_ms_;
  });
  const double members = double(judge_.scan().roll().members());
  if (double(s.machines.size()) >= kWholeAnswer * members)
    return;
  halves_.push_back(s);
  if (halves_.size() > kHalves)
    halves_.pop_front();
}

int64_t StoreReader::lag_ms() const {
  return next_ms_ == INT64_MIN ? 0 : clock_.now_ms() - (next_ms_ - cadence_.step_ms());
}

}  // namespace lento::fleet
