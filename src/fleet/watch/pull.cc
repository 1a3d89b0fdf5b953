// Reads rows from the store: when they are due, and which machines and steps they have.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/heap.h"
#include "evidence/sample.h"
#include "fleet/scan/expected.h"
#include "fleet/watch/watch.h"

namespace lento::fleet {
namespace {

constexpr int64_t kLookEvery = 60'000;     // ms between looks at the store's clock
constexpr int64_t kTargetsEvery = 10'000;  // and at its targets
constexpr int64_t kLongestDelay = 900'000;
constexpr size_t kDelays = 32;         // pulls that the usual delay is taken of
constexpr size_t kGaps = 3;            // in a row that agree make a new step
constexpr double kWholeAnswer = 0.75;  // of the members: fewer are half an answer
constexpr size_t kHalves = 16;         // answers kept at most
constexpr int64_t kRecent = 300'000;   // ms of rows that a prediction is held against
constexpr double kWholeList = 0.75;    // of the usual number of targets: fewer are half an answer

int64_t round_down(int64_t t, int64_t step) {
  return t / step * step;
}

template <class T>
T quantile(std::vector<T> v, double q) {
  return evidence::nth_smallest_reordering(std::span(v), size_t(q * double(v.size() - 1)));
}

// Returns the places of `names` (sorted) in `wanted`: pairs of (place in wanted, place in names).
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

// The values of one answer at their places in the scan's rows. A later answer may have names that the lists
// lack, which the next pull adds.
struct Answer {
  const MetricSeries& series;
  size_t width;  // machines of a row
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

int64_t FleetWatch::now_ms() const {
  return source_ms_ + world_.clock.steady_ms() - source_steady_ms_;
}

void FleetWatch::look_at_clock() {
  const int64_t steady = world_.clock.steady_ms();
  if (clock_looked_ms_ != INT64_MIN && steady - clock_looked_ms_ < kLookEvery)
    return;
  const std::optional<int64_t> now = world_.feed.now_ms();
  clock_looked_ms_ = steady;
  if (!now)
    return;
  source_ms_ = *now;
  source_steady_ms_ = steady;
}

// Returns the length of the first reading. An hour is enough to learn what is usual for each machine. With
// slow scrapes it is as many rows as the first windows need.
int64_t FleetWatch::history_ms() const {
  constexpr int64_t kHour = 3'600'000;
  const int64_t shortest = std::max(int64_t(o_.scan.shortest_s * 1000), 8 * step_ms_);
  return std::max(kHour, 5 * shortest);
}

// Returns the length of one answer: an hour of ten thousand machines is read in pieces.
int64_t FleetWatch::piece_ms() const {
  constexpr int64_t kMostValues = int64_t{1} << 24;  // 64 MiB
  const auto width = int64_t(std::max<size_t>(1, known_machines_.size() * known_metrics_.size()));
  return std::max<int64_t>(16, kMostValues / width) * step_ms_;
}

MetricSeries FleetWatch::read(int64_t from_ms, int64_t until_ms) {
  base::ReadReport fresh;
  MetricSeries s = world_.feed.read(from_ms - 2 * step_ms_, until_ms, step_ms_, fresh);
  counters_.samples += fresh.taken;
  counters_.skipped += fresh.skipped;
  return s;
}

void FleetWatch::pull() {
  constexpr int64_t kFirstLook = 600'000;  // ms in which the distance of samples is looked for
  ++counters_.pulls;
  look_at_clock();
  read_targets();
  if (step_ms_ == 0) {
    base::ReadReport report;
    const MetricSeries first = world_.feed.read(now_ms() - kFirstLook, now_ms(), 0, report);
    if (first.sample_gap_ms == 0)
      throw base::Error({world_.feed.name()}, "no series has two samples yet");
    step_ms_ = first.step_ms;
  }
  start_rows();
  const auto end_of = [&](int64_t from) {
    return std::min(now_ms() + step_ms_, from + piece_ms());
  };
  MetricSeries s = read(next_ms_, end_of(next_ms_));
  const bool step_changed = learn_step(s);
  const bool names_changed = take_names(s);
  const bool anew = step_changed || names_changed || !scan_;
  if (anew) {
    forget_left();
    rebuild();
    halves_.clear();
    next_ms_ = round_down(now_ms() - history_ms(), step_ms_);
    s = {};  // before as much is read again
    s = read(next_ms_, end_of(next_ms_));
  }
  while (end_of(next_ms_) <= now_ms()) {  // whole rows of the past
    push(s, end_of(next_ms_) - step_ms_);
    s = {};
    s = read(next_ms_, end_of(next_ms_));
  }
  learn_delay(s);
  if (targets_known_ && !targets_fit(s))
    targets_known_ = false;
  keep_members();
  if (const auto until = frontier(s))
    push(s, *until);
  take_over();
  keep_half(s);
  last_ = std::move(s);
  look_behind();
  if (anew)
    base::return_free_memory();  // the answers to a whole history
}

// Sets where the next rows begin: after a long outage at the oldest useful row, and after a backward step of
// the store's clock at its present time, once the step is certain.
void FleetWatch::start_rows() {
  const int64_t steady = world_.clock.steady_ms();
  const int64_t oldest = round_down(now_ms() - history_ms(), step_ms_);
  if (next_ms_ == INT64_MIN || next_ms_ < oldest)
    next_ms_ = oldest;
  if (next_ms_ <= now_ms() + 10 * step_ms_) {
    stepped_back_ms_ = 0;
    return;
  }
  if (stepped_back_ms_ == 0)
    stepped_back_ms_ = steady;
  if (steady - stepped_back_ms_ < std::max<int64_t>(120'000, 4 * step_ms_))
    return;
  next_ms_ = round_down(now_ms(), step_ms_);
  newest_.clear();
  log_.note("the store's clock went back: rows go on from there");
}

// Learns a new distance between scrapes. The time grid follows once it is certain.
bool FleetWatch::learn_step(const MetricSeries& s) {
  if (o_.step_s > 0 || s.sample_gap_ms == 0)
    return false;
  bool news = false;
  for (size_t m = 0; m < s.newest_ms.size(); ++m) {
    const auto at = newest_.find(s.machines[m]);
    news = news || at == newest_.end() || s.newest_ms[m] > at->second;
  }
  if (!news)
    return false;
  const double ratio = double(s.sample_gap_ms) / double(step_ms_);
  const bool other = ratio > 1.4 || ratio < 0.7;
  if (!other) {
    gaps_.clear();
    return false;
  }
  gaps_.push_back(s.sample_gap_ms);
  if (gaps_.size() < kGaps)
    return false;
  const auto [low, high] = std::minmax_element(gaps_.begin(), gaps_.end());
  if (*high > *low * 5 / 4) {
    gaps_.pop_front();
    return false;
  }
  const int64_t unit = s.sample_gap_ms > 900 ? 1000 : 100;
  step_ms_ = std::max(unit, (s.sample_gap_ms + unit / 2) / unit * unit);
  gaps_.clear();
  log_.note("samples now come every " + std::to_string(step_ms_) + " ms");
  return true;
}

// Learns the age of samples at their first reading, with the time between two pulls included.
void FleetWatch::learn_delay(const MetricSeries& s) {
  std::vector<int64_t> ages;
  for (size_t m = 0; m < s.newest_ms.size(); ++m) {
    int64_t& newest = newest_.try_emplace(s.machines[m], INT64_MIN).first->second;
    if (newest != INT64_MIN && s.newest_ms[m] > newest)
      ages.push_back(now_ms() - s.newest_ms[m]);
    newest = std::max(newest, s.newest_ms[m]);
  }
  if (ages.empty())
    return;
  delays_.push_back(std::clamp<int64_t>(quantile(ages, 0.9), 0, kLongestDelay));
  if (delays_.size() > kDelays)
    delays_.pop_front();
  delay_ms_ = quantile(std::vector<int64_t>(delays_.begin(), delays_.end()), 0.8);
}

bool FleetWatch::take_names(const MetricSeries& s) {
  const auto unknown = std::ranges::count_if(s.machines, [&](const std::string& m) {
    return !known_machines_.contains(m);
  });
  if (known_machines_.size() + size_t(unknown) > kMostMachines)
    throw base::Error(
        {world_.feed.name()},
        "the store names over " + std::to_string(kMostMachines) + " machines",
        "choose the labels that name one with --machine-label, or the job with --match");
  bool fresh = false;
  for (const std::string& m : s.machines)
    fresh = known_machines_.insert(m).second || fresh;
  for (const std::string& k : s.metrics)
    fresh = known_metrics_.insert(k).second || fresh;
  for (const Target& t : targets_)
    fresh = known_machines_.insert(t.machine).second || fresh;
  for (size_t m = 0; m < s.labels.size(); ++m)
    labels_[s.machines[m]] = s.labels[m];
  return fresh;
}

// Drops names of machines that left, when the lists are made anew.
void FleetWatch::forget_left() {
  for (const auto& [machine, since] : left_) {
    known_machines_.erase(machine);
    labels_.erase(machine);
    newest_.erase(machine);
    missing_.erase(machine);
  }
  left_.clear();
}

void FleetWatch::rebuild() {
  ++counters_.rebuilds;
  if (scan_ && state_.is_null())
    state_ = scan_->save();
  ScanFleet f;
  f.machines.assign(known_machines_.begin(), known_machines_.end());
  f.metrics.assign(known_metrics_.begin(), known_metrics_.end());
  f.step_ms = step_ms_;
  for (const std::string& name : f.machines)
    f.labels.push_back(labels_[name]);
  history_ = std::make_unique<History>(f);
  scan_ = std::make_unique<Scan>(std::move(f), o_.scan);
  looks_ = 0;
  if (state_.is_null())
    return;
  try {
    scan_->join_members(state_);
  } catch (const base::Error& e) {
    log_.note(std::string(e.what()) + "\n  (starting without the saved state)");
    state_ = {};
  }
}

// Continues the episodes that lasted before the scan was made anew.
void FleetWatch::take_over() {
  const base::Json state = std::exchange(state_, {});
  if (state.is_null())
    return;
  try {
    scan_->take_over(state);
  } catch (const base::Error& e) {
    log_.note(std::string(e.what()) + "\n  (going on without the rest of the saved state)");
  }
}

// Returns the last complete row: every member has a sample at or after it, or no further sample can be on
// its way.
std::optional<int64_t> FleetWatch::frontier(const MetricSeries& s) const {
  int64_t newest = INT64_MIN;
  int64_t slowest = INT64_MAX;
  const ScanFleet& f = scan_->fleet();
  for (const int64_t t : s.newest_ms)
    newest = std::max(newest, t);
  for (size_t m = 0; m < f.machines.size(); ++m) {
    if (!scan_->roll().member(m))
      continue;
    const auto at = newest_.find(f.machines[m]);
    slowest = std::min(slowest, at == newest_.end() ? INT64_MIN : at->second);
  }
  if (newest == INT64_MIN)
    return std::nullopt;
  const int64_t slack = std::max<int64_t>(2000, step_ms_ / 4);
  const int64_t late = now_ms() - step_ms_ - delay_ms_ - slack;
  return round_down(std::min(newest, std::max(slowest, late)), step_ms_);
}

void FleetWatch::push(const MetricSeries& s, int64_t until_ms) {
  const ScanFleet& f = scan_->fleet();
  std::vector<Answer> answers;
  for (const MetricSeries& half : halves_)
    answers.emplace_back(half, f);
  answers.emplace_back(s, f);
  std::vector<float> row(f.machines.size() * f.metrics.size());
  const int64_t steady = world_.clock.steady_ms();
  for (; next_ms_ <= until_ms; next_ms_ += step_ms_) {
    std::ranges::fill(row, std::numeric_limits<float>::quiet_NaN());
    for (const Answer& answer : answers)
      answer.fill(next_ms_, row);
    scan_->push(next_ms_, row);
    history_->push(next_ms_, row);
    note_medians(next_ms_, row);
    ++counters_.rows;
    if (scan_->roll().answered()) {
      answered_ms_ = steady;
    } else {
      ++counters_.unanswered;
      outage_ms_ = steady;
    }
  }
  for (const auto& [m, machine] : answers.back().machines) {
    if (s.newest_ms[m] != INT64_MIN)
      scan_->heard(machine, s.newest_ms[m]);
  }
  if (scan_->looks() == looks_)
    return;
  looks_ = scan_->looks();
  looked_ms_ = steady;
}

// Keeps medians of the metrics that a prediction is compared with.
void FleetWatch::note_medians(int64_t time_ms, std::span<const float> row) {
  const ScanFleet& f = scan_->fleet();
  medians_.resize(o_.scan.expectations.size());
  for (size_t i = 0; i < medians_.size(); ++i) {
    std::deque<std::pair<int64_t, double>>& medians = medians_[i];
    while (!medians.empty() && medians.front().first < time_ms - kRecent)
      medians.pop_front();
    const auto metric = expected_metric(o_.scan.expectations[i], f.metrics, o_.scan.expected_metric);
    if (!metric)
      continue;
    std::vector<double> values;
    for (const float v : row.subspan(*metric * f.machines.size(), f.machines.size())) {
      if (!std::isnan(v))
        values.push_back(double(v));
    }
    if (!values.empty())
      medians.emplace_back(time_ms, evidence::median(values));
  }
}

// Keeps an answer that lacks many members until its rows are used. Several such answers may be complete
// together.
void FleetWatch::keep_half(const MetricSeries& s) {
  std::erase_if(halves_, [&](const MetricSeries& half) {
    return half.time_ms(half.steps) <= next_ms_;
  });
  const double members = double(scan_->roll().members());
  if (double(s.machines.size()) >= kWholeAnswer * members)
    return;
  halves_.push_back(s);
  if (halves_.size() > kHalves)
    halves_.pop_front();
}

// Looks for samples whose time stamps are so late that no row waited for them, which looks like silence. A
// dead machine has no stamp after its last row.
void FleetWatch::look_behind() {
  constexpr int64_t kAgain = 30'000;    // ms between looks at a machine that lives
  constexpr int64_t kRarely = 300'000;  // and at one that seems not to
  const auto wait_of = [&](const Behind& b) {
    return b.open ? 2 * step_ms_ : b.arrives ? kAgain : kRarely;
  };
  const int64_t steady = world_.clock.steady_ms();
  const ScanFleet& f = scan_->fleet();
  const RollCall& roll = scan_->roll();
  std::map<std::string, int64_t> silent;  // with the time of its last row
  bool due = false;
  for (size_t m = 0; m < f.machines.size(); ++m) {
    if (!roll.silent(m))
      continue;
    silent.emplace(f.machines[m], roll.seen_ms(m));
    const auto known = behind_.find(f.machines[m]);
    due |= known == behind_.end() || steady - known->second.looked_ms >= wait_of(known->second);
  }
  std::erase_if(behind_, [&](const auto& entry) {
    return !silent.contains(entry.first) && !entry.second.alert;
  });
  for (auto& [name, b] : behind_)
    b.arrives &= silent.contains(name);
  if (!due)
    return;
  MetricSeries s;
  try {
    base::ReadReport ignored;
    s = world_.feed.read(now_ms() - 4 * roll.limit_ms() - delay_ms_, now_ms() + step_ms_, step_ms_, ignored);
  } catch (const base::Error&) {
    return;  // the next pull notes a store that is away
  }
  for (const auto& [name, seen_ms] : silent) {
    const auto column = size_t(std::ranges::find(s.machines, name) - s.machines.begin());
    const int64_t newest = column < s.newest_ms.size() ? s.newest_ms[column] : INT64_MIN;
    Behind& b = behind_[name];
    const bool first = b.looked_ms == INT64_MIN;
    b.arrives = newest != INT64_MIN && (first ? newest > seen_ms + 2 * step_ms_ : newest > b.newest_ms);
    b.open = first && !b.arrives && seen_ms < now_ms() - (steady - started_ms_) - 2 * step_ms_;
    b.newest_ms = newest;
    b.looked_ms = steady;
  }
}

void FleetWatch::read_targets() {
  const int64_t steady = world_.clock.steady_ms();
  if (targets_ms_ != INT64_MIN &&
      steady - targets_ms_ < std::min(kTargetsEvery, std::max<int64_t>(1000, step_ms_)))
    return;
  targets_ms_ = steady;
  std::optional<std::vector<Target>> answer = world_.feed.targets();
  if (!answer)
    return;
  std::vector<Target>& now = *answer;
  // A partial answer does not show which machines have left, but the machines in it have not.
  for (const Target& t : now)
    missing_.erase(t.machine);
  // Far fewer targets than usual are a partial answer, unless the number remains low.
  const bool whole = double(now.size()) >= kWholeList * double(usual_targets_);
  if (!whole) {
    if (targets_shrunk_ms_ == 0)
      targets_shrunk_ms_ = steady;
    if (steady - targets_shrunk_ms_ < std::max<int64_t>(120'000, 4 * step_ms_))
      return;
  }
  targets_shrunk_ms_ = 0;
  targets_whole_ms_ = steady;
  usual_targets_ = now.size();
  targets_ = std::move(now);
  targets_known_ = !targets_.empty();
  up_.clear();
  for (const Target& t : targets_)
    up_[t.machine] = up_[t.machine] || t.up;
}

bool FleetWatch::in_job(const std::string& machine) const {
  return !left_.contains(machine) && (!targets_known_ || up_.contains(machine));
}

// Returns whether the targets have the names of the reporting machines. Otherwise the targets cannot be
// used.
bool FleetWatch::targets_fit(const MetricSeries& s) const {
  size_t found = 0;
  for (const std::string& m : s.machines)
    found += up_.contains(m);
  return 2 * found >= s.machines.size();
}

// Adds and removes members of the job, by the scrape targets when the store has them.
void FleetWatch::keep_members() {
  const int64_t steady = world_.clock.steady_ms();
  const int64_t patience = std::max<int64_t>(30'000, 2 * step_ms_);
  const ScanFleet& f = scan_->fleet();
  const RollCall& roll = scan_->roll();
  for (size_t m = 0; m < f.machines.size(); ++m) {
    const std::string& name = f.machines[m];
    if (roll.member(m))
      left_.erase(name);
    if (targets_known_ && up_.contains(name)) {
      missing_.erase(name);
      left_.erase(name);
      if (!roll.member(m))
        scan_->join(m);
    } else if (targets_known_) {
      const int64_t since = missing_.try_emplace(name, steady).first->second;
      const auto newest = newest_.find(name);
      const bool never = newest == newest_.end() || newest->second == INT64_MIN;
      const bool quiet = never || now_ms() - newest->second > 2 * step_ms_ + delay_ms_;
      if (quiet && targets_whole_ms_ - since >= patience)
        left_.try_emplace(name, steady);
    } else if (roll.member(m) && roll.quiet_for_ms(m) > int64_t(o_.forget_s * 1000)) {
      left_.try_emplace(name, steady);
    }
    if (left_.contains(name) && roll.member(m))
      scan_->leave(m);
  }
}

}  // namespace lento::fleet
