// The streaming detector: what it judges, a row at a time (detector_impl.h: the parts and their invariants).
#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "evidence/sample.h"
#include "fleet/detect/budget.h"
#include "fleet/detect/detector_impl.h"
#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

constexpr size_t kColumns = 512;
constexpr size_t kLeastColumns = 64;
constexpr size_t kHistoryCells = size_t{8} << 20;  // of scores and of levels: 64 MB of a large fleet

void merge_columns(ScoreHistory& h) {
  const auto merge = [](std::vector<std::vector<float>>& rows, bool maximum) {
    for (size_t i = 0; 2 * i + 1 < rows.size(); ++i) {
      std::vector<float> row = rows[2 * i + 1];
      for (size_t c = 0; maximum && c < row.size(); ++c)
        row[c] = std::fmax(row[c], rows[2 * i][c]);
      rows[i] = std::move(row);
    }
    rows.resize(rows.size() / 2);
  };
  for (size_t i = 0; 2 * i + 1 < h.time_ms.size(); ++i)
    h.time_ms[i] = h.time_ms[2 * i + 1];
  h.time_ms.resize(h.time_ms.size() / 2);
  merge(h.score, true);
  for (auto* rows : {&h.level, &h.low, &h.median, &h.high})
    merge(*rows, false);
}

}  // namespace

void Detector::Impl::form_groups() {
  std::map<std::string, size_t> ids;
  group_of.resize(fleet.machines.size());
  for (size_t m = 0; m < fleet.machines.size(); ++m) {
    const std::string name = m < fleet.labels.size() ? group_name(fleet.labels[m], options.group_by) : "";
    const auto [at, fresh] = ids.emplace(name, groups.size());
    if (fresh)
      groups.push_back({name, {}, false});
    groups[at->second].machines.push_back(m);
    group_of[m] = at->second;
  }
  for (Group& g : groups)
    g.judged = g.machines.size() >= std::max<size_t>(options.min_peers, 3);
}

void Detector::Impl::choose_metrics() {
  for (size_t k = 0; options.metrics.empty() && k < fleet.metrics.size(); ++k)
    judged_metrics.push_back(k);
  for (const std::string& name : options.metrics) {
    const auto at = std::ranges::find(fleet.metrics, name);
    if (at != fleet.metrics.end())
      judged_metrics.push_back(size_t(at - fleet.metrics.begin()));
  }
}

// Windows in samples, each longer than the one before.
double Detector::Impl::choose_horizons() {
  constexpr double kMostSamples = 1e5;
  constexpr size_t kLeastSamples = 8;
  double looks = 0;
  for (size_t i = 0; i < options.horizons_s.size(); ++i) {
    const double samples = std::ceil(options.horizons_s[i] * 1000 / double(fleet.step_ms));
    const size_t n = std::max<size_t>(size_t(std::min(samples, kMostSamples)), kLeastSamples << i);
    if (!horizon_samples.empty() && n <= horizon_samples.back())
      continue;
    horizon_samples.push_back(n);
    looks += 2 * 86400e3 / (double(n) * double(fleet.step_ms));
  }
  return looks;
}

void Detector::Impl::make_tracks(double looks) {
  const size_t machines = fleet.machines.size();
  const double z = options.tail_factor *
                   budget_threshold({machines, judged_metrics.size(), looks}, options.false_alarms_per_day);
  for (const size_t metric : judged_metrics) {
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t h = 0; groups[g].judged && h < horizon_samples.size(); ++h) {
        TrackOptions t;
        t.n = horizon_samples[h];
        t.stride = std::max<size_t>(1, t.n / size_t(tuning::kLooksAWindow.value));
        t.z_level = z;
        t.z_change = z;
        t.min_peers = std::max<size_t>(options.min_peers, 3);
        const size_t members = groups[g].machines.size();
        const int64_t window_ms = int64_t(t.n) * fleet.step_ms;
        tracks.push_back({metric, g, h, LevelTrack(t, members), Excursions(members, h, window_ms)});
      }
    }
  }
}

void Detector::Impl::make_room() {
  const size_t machines = fleet.machines.size();
  const size_t cells = fleet.metrics.size() * machines;
  const size_t bands = fleet.metrics.size() * groups.size();
  const bool judges = !horizon_samples.empty();
  ring = RowRing(cells, judges ? horizon_samples.back() : 1);
  leaders.assign(bands * horizon_samples.size(), {});
  current.assign(cells * std::max<size_t>(1, horizon_samples.size()), 0);
  peak.assign(cells, 0);
  shown_score.assign(cells, 0);
  shown_level.assign(cells, std::numeric_limits<float>::quiet_NaN());
  for (auto* v : {&shown_low, &shown_median, &shown_high})
    v->assign(bands, std::numeric_limits<float>::quiet_NaN());
  reports.assign(machines, 0);
  history_stride = judges ? std::max<size_t>(1, horizon_samples[0] / size_t(tuning::kLooksAWindow.value)) : 1;
}

void Detector::Impl::build() {
  choose_metrics();
  form_groups();
  make_tracks(choose_horizons());
  make_room();
  const size_t machines = fleet.machines.size();
  const double shortest_h = horizon_samples.empty() ? 0 : seconds(0) / 3600;
  bursts = Bursts({machines, fleet.metrics.size(), shortest_h, options.false_alarms_per_day});
  const int64_t silence = int64_t(options.silence_s * 1000);
  const int64_t least = int64_t(tuning::kSilentSteps.value) * fleet.step_ms;
  const int64_t gone = int64_t(tuning::kGone.value) * 1000;
  roll = RollCall(machines, fleet.step_ms, std::max(silence, least), gone);
}

// Enters this track's strongest deviation; returns the strongest of all groups and windows with the same
// sign. Windows weigh a window's statistics differently: the same storm can be 600 in one of them and 40 in
// another. Who stands accused leads by what it showed, though one look may find it under its threshold.
Detector::Impl::Leader Detector::Impl::find_leader(const Track& track, const std::vector<Judged>& judged) {
  const size_t windows = horizon_samples.size();
  const size_t first = track.metric * windows * groups.size();
  Leader& own = leaders[first + track.horizon * groups.size() + track.group];
  own = {0, 0, now_ms + 2 * int64_t(track.level.options().stride) * fleet.step_ms};
  for (size_t i = 0; i < judged.size(); ++i) {
    const bool lasting = judged[i].steady || judged[i].blocks >= tuning::kLeadingBlocks.value;
    if (judged[i].score >= 1 && lasting && std::abs(judged[i].deviation) > std::abs(own.deviation)) {
      own.deviation = judged[i].deviation;
      own.machine = groups[track.group].machines[i];
    }
  }
  Leader best = own;
  const auto hear = [&](size_t machine, double deviation) {
    if (deviation * own.deviation > 0 && std::abs(deviation) > std::abs(best.deviation))
      best = {deviation, machine, now_ms};
  };
  for (const Leader& other : std::span(leaders).subspan(first, windows * groups.size())) {
    if (other.until_ms >= now_ms)
      hear(other.machine, other.deviation);
  }
  for (const Verdict& v : verdicts) {
    for (const MetricScore& s : v.metrics) {
      if (v.active && s.metric == track.metric)
        hear(v.machine, s.deviation);
    }
  }
  return best;
}

// Machines that begin to deviate in the same look have more probably one cause than each a fault of its own:
// by how much further each of them must go.
double Detector::Impl::crowd(const Track& track, const std::vector<Judged>& judged) {
  size_t fresh = 0;
  for (size_t i = 0; i < judged.size(); ++i) {
    if (judged[i].score >= 1 && judged[i].steady)
      fresh += standing(groups[track.group].machines[i], false) == nullptr;
  }
  return fresh > 1 ? 1 + tuning::kCrowd.value * double(fresh - 1) : 1;
}

// How far the machine was from its peers in each of the rows that are kept, less what is normal for it.
std::vector<float> Detector::Impl::distances(const Track& track, size_t machine, double normal) const {
  const auto& peers = groups[track.group].machines;
  const size_t n = std::min(ring.capacity(), ring.pushed());
  const size_t every = 1 + (peers.size() - 1) / size_t(tuning::kPeersOfARow.value);
  std::vector<float> out(n);
  std::vector<float> column;
  for (size_t i = 0; i < n; ++i) {
    const std::span<const float> row = ring.row(n, i);
    column.clear();
    for (size_t p = 0; p < peers.size(); p += every) {
      const float v = row[cell(track.metric, peers[p])];
      if (!std::isnan(v))
        column.push_back(v);
    }
    const float median = column.empty() ? std::numeric_limits<float>::quiet_NaN()
                                        : evidence::upper_median_reordering(std::span(column));
    out[i] = row[cell(track.metric, machine)] - median - float(normal);
  }
  return out;
}

// Longer than any burst, and than chains of two are within the budget of the job.
bool Detector::Impl::outlasts(const Track& track, std::span<const float> rows, double size) const {
  const double row_s = double(fleet.step_ms) / 1000;
  const double run_s = double(last_run(rows, size).rows) * row_s;
  if (run_s < track.outlast.needed_s())
    return false;
  const auto judges = [](const Track& t) {
    return t.horizon == 0;
  };
  const double assumed = tuning::kAssumedBursts.value / double(std::ranges::count_if(tracks, judges));
  double chains = 0;
  for (const Track& t : tracks) {
    if (judges(t))
      chains += t.outlast.chains_a_day(run_s, row_s, groups[t.group].machines.size(), assumed);
  }
  return chains <= options.false_alarms_per_day;
}

bool Detector::Impl::believed(
    const Track& track,
    size_t machine,
    const Judged& j,
    const PeerBand& band,
    double crowd) const {
  if (j.score < 1 || !j.steady || !track.excursions.passes(j, crowd))
    return false;
  if (bursts.rare())
    return true;
  const double patient = std::min(tuning::kPatient.value, seconds(horizon_samples.size() - 1));
  if (j.score * j.rest < 1)
    return false;
  if (seconds(track.horizon) >= patient)
    return true;
  const double normal = double(j.level) - band.median - j.deviation;
  return track.horizon == 0 && outlasts(track, distances(track, machine, normal), j.deviation);
}

void Detector::Impl::consider(const Track& track, const std::vector<Judged>& judged, const PeerBand& band) {
  const Group& group = groups[track.group];
  const Leader leader = find_leader(track, judged);
  const double crowded = crowd(track, judged);
  for (size_t i = 0; i < judged.size(); ++i) {
    const Judged& j = judged[i];
    const size_t machine = group.machines[i];
    if (!believed(track, machine, j, band, crowded))
      continue;
    const bool weak = std::abs(j.deviation) < options.same_cause_share * std::abs(leader.deviation);
    if (!weak || (standing(machine, false) && machine != leader.machine)) {
      raise(track, machine, j, band);
    } else if (Verdict* v = standing(leader.machine, false)) {
      if (std::ranges::find(v->also_affected, machine) == v->also_affected.end()) {
        v->also_affected.push_back(machine);
      }
    }
  }
}

void Detector::Impl::watch_bursts(Track& track, const std::vector<Judged>& judged) {
  for (size_t i = 0; i < judged.size(); ++i) {
    const size_t machine = groups[track.group].machines[i];
    const bool ended = judged[i].judged && bursts.see(cell(track.metric, machine), judged[i]);
    if (ended)
      track.outlast.learn(distances(track, machine, 0), double(fleet.step_ms) / 1000, now_ms);
  }
  const double step_h = double(fleet.step_ms) / 3.6e6;
  const double hours = double(judged.size() * track.level.options().stride) * step_h;
  bursts.pass(hours);
  track.outlast.pass(hours);
}

void Detector::Impl::watch_together(Track& track) {
  Together& now = track.together;
  const std::vector<size_t>& members = track.level.together();
  if (members.empty()) {
    now.machines.clear();
    return;
  }
  if (now.machines.empty())
    now.begin_ms = now_ms;
  now.metric = track.metric;
  now.end_ms = now_ms;
  now.machines.clear();
  for (const size_t m : members)
    now.machines.push_back(groups[track.group].machines[m]);
  if (lasts(track) && now.end_ms - now.begin_ms > together.end_ms - together.begin_ms)
    together = now;
}

// A moment is seen for as long as it lies in the window.
bool Detector::Impl::lasts(const Track& track) const {
  const double lasted_s = double(track.together.end_ms - track.together.begin_ms) / 1000;
  return !track.together.machines.empty() && lasted_s >= seconds(track.horizon) + seconds(0);
}

void Detector::Impl::evaluate(Track& track) {
  const Group& group = groups[track.group];
  std::vector<Judged> judged;
  PeerBand band;
  const size_t n = track.level.options().n;
  const bool ok = track.level.evaluate(
      [&](size_t i, float* to, size_t stride) {
        ring.read(cell(track.metric, group.machines[i]), n, to, stride);
      },
      judged,
      band);
  for (size_t i = 0; i < judged.size(); ++i) {
    const size_t c = cell(track.metric, group.machines[i]);
    const float score = ok && judged[i].steady ? judged[i].score : 0.0f;
    current[c * horizon_samples.size() + track.horizon] = score;
    shown_score[c] = std::max(shown_score[c], score);
    if (judging())
      peak[c] = std::max(peak[c], score);
    if (track.horizon == 0 && judged[i].judged)
      shown_level[c] = judged[i].level;
  }
  if (track.horizon == 0) {
    if (ok)
      watch_bursts(track, judged);
    const size_t b = track.metric * groups.size() + track.group;
    shown_low[b] = band.low;
    shown_median[b] = band.median;
    shown_high[b] = band.high;
  }
  for (size_t i = 0; ok && i < judged.size(); ++i) {
    if (judged[i].judged)
      track.excursions.see(i, judged[i], now_ms);
  }
  if (judging())
    watch_together(track);
  if (ok && judging()) {
    for (const Judged& j : judged)
      coverage.looks += j.judged;
    measure_reach(track, judged, band);
    consider(track, judged, band);
  }
}

void Detector::Impl::record() {
  if (!options.keep_history || ring.pushed() % history_stride != 0)
    return;
  history.time_ms.push_back(now_ms);
  history.score.push_back(shown_score);
  history.level.push_back(shown_level);
  history.low.push_back(shown_low);
  history.median.push_back(shown_median);
  history.high.push_back(shown_high);
  std::ranges::fill(shown_score, 0.0f);
  const size_t most = kHistoryCells / std::max<size_t>(1, shown_score.size());
  if (history.time_ms.size() >= std::clamp(most, kLeastColumns, kColumns)) {
    merge_columns(history);
    history_stride *= 2;
  }
}

Detector::Detector(Fleet fleet, DetectOptions options)
    : impl_(std::make_unique<Impl>()) {
  impl_->fleet = std::move(fleet);
  impl_->options = std::move(options);
  impl_->build();
}

Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;

// Enters who reports; true when the row is kept.
bool Detector::Impl::take_row(std::span<const float> values) {
  const size_t machines = fleet.machines.size();
  std::ranges::fill(reports, uint8_t{0});
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i]))
      reports[i % machines] = 1;
  }
  const double members = double(roll.members());
  roll.row(now_ms, reports);
  return roll.reporting() > 0 && double(roll.reporting()) >= tuning::kAnyAnswer.value * members;
}

void Detector::Impl::count(std::span<const float> values) {
  if (!judging())
    return;
  if (coverage.rows == 0)
    coverage.begin_ms = now_ms;
  coverage.end_ms = now_ms;
  ++coverage.rows;
  coverage.samples += uint64_t(std::ranges::count_if(values, [](float v) {
    return !std::isnan(v);
  }));
}

void Detector::push(int64_t time_ms, std::span<const float> values) {
  Impl& d = *impl_;
  LENTO_CHECK(
      values.size() == d.fleet.machines.size() * d.fleet.metrics.size(),
      "a row does not fit the fleet");
  d.now_ms = time_ms;
  const bool kept = d.take_row(values);
  if (kept)
    d.ring.push(values);
  if (kept && d.first_ms == INT64_MIN)
    d.first_ms = time_ms;  // start-up counts from the first data
  d.count(values);
  const int64_t running_ms = int64_t(d.ring.pushed()) * d.fleet.step_ms;
  const int64_t startup_ms = int64_t(d.options.startup_s * 1000);
  for (Impl::Track& track : d.tracks) {
    const TrackOptions& t = track.level.options();
    const bool whole = running_ms >= int64_t(t.n) * d.fleet.step_ms + startup_ms;
    if (kept && whole && d.ring.pushed() % t.stride == 0)
      d.evaluate(track);
  }
  d.watch_silence();
  d.resolve();
  if (kept)
    d.record();
}

void Detector::heard(size_t machine, int64_t time_ms) {
  impl_->roll.heard(machine, time_ms);
}
void Detector::leave(size_t machine) {
  impl_->roll.leave(machine);
}
void Detector::join(size_t machine) {
  impl_->roll.join(machine, impl_->now_ms);
}
const RollCall& Detector::roll() const {
  return impl_->roll;
}
const Together& Detector::together() const {
  return impl_->together;
}
size_t Detector::together_now() const {
  size_t most = 0;
  for (const Impl::Track& t : impl_->tracks) {
    if (impl_->lasts(t))
      most = std::max(most, t.together.machines.size());
  }
  return most;
}
const Coverage& Detector::coverage() const {
  return impl_->coverage;
}
double Detector::needed_s() const {
  const Impl& d = *impl_;
  return d.horizon_samples.empty() ? 0 : d.seconds(0) + d.options.startup_s;
}

const Fleet& Detector::fleet() const {
  return impl_->fleet;
}
const std::vector<Verdict>& Detector::verdicts() const {
  return impl_->verdicts;
}
const ScoreHistory& Detector::history() const {
  return impl_->history;
}
size_t Detector::group_of(size_t machine) const {
  return impl_->group_of[machine];
}
size_t Detector::groups() const {
  return impl_->groups.size();
}

std::vector<std::vector<size_t>> Detector::unjudged_groups() const {
  std::vector<std::vector<size_t>> out;
  for (const auto& g : impl_->groups) {
    if (!g.judged)
      out.push_back(g.machines);
  }
  return out;
}

double Detector::peak_score(size_t machine) const {
  std::vector<float> scores;
  for (const size_t k : impl_->judged_metrics)
    scores.push_back(impl_->peak[impl_->cell(k, machine)]);
  std::sort(scores.rbegin(), scores.rend());
  const size_t top = (scores.size() + 3) / 4;
  double sum = 0;
  for (size_t i = 0; i < top; ++i)
    sum += scores[i];
  return top ? sum / double(top) : 0;
}

}  // namespace lento::fleet
