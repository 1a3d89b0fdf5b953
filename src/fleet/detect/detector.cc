// The streaming detector: rings of samples, one LevelTrack for each metric, group and horizon, verdicts.
//
// Invariants
// 1. A verdict is raised only by an evaluation with score >= 1 and k-of-n continuity (level_track.h).
// 2. While a stronger deviation of the same metric stands, or is half a window old, in the group, weaker ones
// (same_cause_share) of the
//    same sign are its consequences: "also affected", no verdict.
//    So it is across groups: a congested network does not stop at a stage.
// 3. A verdict resolves when no track has scored 0.7 or more for one shortest horizon.
// 4. While bursts are not known to be rare (bursts.h) a window under 240 s raises nothing, and a deviation
// must pass
//    the threshold even without its three strongest blocks.
// 5. If over a quarter of the fleet is silent at once the source is at fault: no verdict.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "fleet/detect/budget.h"
#include "fleet/detect/bursts.h"
#include "fleet/detect/detect.h"
#include "fleet/detect/level_track.h"
#include "fleet/detect/row_ring.h"

namespace lento::fleet {
namespace {

constexpr size_t kColumns = 512;
constexpr double kResolveScore = 0.7;
constexpr size_t kLeadingBlocks =
    4;  // of 8: a stronger deviation under way keeps its consequences from being blamed
constexpr double kPatientSeconds = 240;  // of the windows trusted when bursts are frequent
constexpr const char* kStateSchema = "lento.fleet-state/1";

std::string group_name(const trace::Labels& labels, const std::vector<std::string>& keys) {
  std::string name;
  for (const std::string& key : keys) {
    for (const auto& [k, v] : labels) {
      if (k == key) name += key + "=" + v + " ";
    }
  }
  return name;
}

void merge_columns(ScoreHistory& h) {
  const auto merge = [](std::vector<std::vector<float>>& rows, bool maximum) {
    for (size_t i = 0; 2 * i + 1 < rows.size(); ++i) {
      std::vector<float> row = rows[2 * i + 1];
      for (size_t c = 0; maximum && c < row.size(); ++c) row[c] = std::fmax(row[c], rows[2 * i][c]);
      rows[i] = std::move(row);
    }
    rows.resize(rows.size() / 2);
  };
  for (size_t i = 0; 2 * i + 1 < h.time_ms.size(); ++i) h.time_ms[i] = h.time_ms[2 * i + 1];
  h.time_ms.resize(h.time_ms.size() / 2);
  merge(h.score, true);
  for (auto* rows : {&h.level, &h.low, &h.median, &h.high}) merge(*rows, false);
}

}  // namespace

struct Detector::Impl {
  struct Group {
    std::string name;
    std::vector<size_t> machines;
    bool judged = false;
  };
  struct Track {
    size_t metric = 0, group = 0, horizon = 0;
    LevelTrack level;
  };

  Fleet fleet;
  DetectOptions options;
  std::vector<size_t> judged_metrics;
  std::vector<Group> groups;
  std::vector<size_t> group_of;
  std::vector<size_t> horizon_samples;
  std::vector<Track> tracks;
  Bursts bursts{{}};
  struct Leader {  // the strongest deviation that lasts or is half a window old, of a metric, horizon and
                   // group
    double deviation = 0;
    size_t machine = 0;
    int64_t time_ms = INT64_MIN;
  };
  std::vector<Leader> leaders;  // [(metric * horizons + horizon) * groups + group]
  RowRing ring{0, 1};
  std::vector<Verdict> verdicts;
  ScoreHistory history;
  size_t history_stride = 1, history_skip = 0;
  std::vector<float> current;  // [metric * machines + machine][horizon]: last score while steady, else 0
  std::vector<float> shown_score, shown_level, shown_low, shown_median, shown_high;
  std::vector<float> peak;       // [metric * machines + machine]
  std::vector<int64_t> seen_ms;  // last sample of a machine; INT64_MIN never
  int64_t first_ms = INT64_MIN, now_ms = 0;

  void build();
  void form_groups();
  void evaluate(Track& track);
  void consider(const Track& track, const std::vector<Judged>& judged, const PeerBand& band);
  Leader find_leader(const Track& track, const std::vector<Judged>& judged);
  bool believed(const Track& track, const Judged& j) const;
  double seconds(size_t horizon) const {
    return static_cast<double>(horizon_samples[horizon]) * static_cast<double>(fleet.step_ms) / 1000;
  }
  void raise(const Track& track, size_t machine, const Judged& j, const PeerBand& band);
  void refresh(Verdict& v, const Track& track, const Judged& j, const PeerBand& band);
  void watch_bursts(const Track& track, const std::vector<Judged>& judged);
  void watch_silence();
  void resolve();
  void record();
  int64_t onset(const Track& track, size_t machine, double deviation) const;
  Verdict* standing(size_t machine, bool silent);
  bool judging() const { return !options.judge_from_ms || now_ms >= *options.judge_from_ms; }
  size_t cell(size_t metric, size_t machine) const { return metric * fleet.machines.size() + machine; }
};

void Detector::Impl::form_groups() {
  std::map<std::string, size_t> ids;
  group_of.resize(fleet.machines.size());
  for (size_t m = 0; m < fleet.machines.size(); ++m) {
    const std::string name = m < fleet.labels.size() ? group_name(fleet.labels[m], options.group_by) : "";
    const auto [at, fresh] = ids.emplace(name, groups.size());
    if (fresh) groups.push_back({name, {}, false});
    groups[at->second].machines.push_back(m);
    group_of[m] = at->second;
  }
  for (Group& g : groups) g.judged = g.machines.size() >= std::max<size_t>(options.min_peers, 3);
}

void Detector::Impl::build() {
  const size_t machines = fleet.machines.size();
  for (size_t k = 0; k < fleet.metrics.size(); ++k) {
    if (options.metrics.empty()) judged_metrics.push_back(k);
  }
  for (const std::string& name : options.metrics) {
    const auto at = std::find(fleet.metrics.begin(), fleet.metrics.end(), name);
    if (at != fleet.metrics.end()) judged_metrics.push_back(static_cast<size_t>(at - fleet.metrics.begin()));
  }
  form_groups();
  double looks = 0;
  for (size_t i = 0; i < options.horizons_s.size(); ++i) {
    const double samples = std::ceil(options.horizons_s[i] * 1000 / static_cast<double>(fleet.step_ms));
    const size_t n = std::max<size_t>(static_cast<size_t>(std::min(samples, 1e5)), size_t{8} << i);
    if (!horizon_samples.empty() && n <= horizon_samples.back()) continue;
    horizon_samples.push_back(n);
    looks += 2 * 86400e3 / (static_cast<double>(n) * static_cast<double>(fleet.step_ms));
  }
  const double z = options.tail_factor *
                   budget_threshold({machines, judged_metrics.size(), looks}, options.false_alarms_per_day);
  for (const size_t metric : judged_metrics) {
    for (size_t g = 0; g < groups.size(); ++g) {
      for (size_t h = 0; groups[g].judged && h < horizon_samples.size(); ++h) {
        TrackOptions t;
        t.n = horizon_samples[h];
        t.stride = std::max<size_t>(1, t.n / 16);
        t.z_level = t.z_change = z;
        t.min_peers = std::max<size_t>(options.min_peers, 3);
        tracks.push_back({metric, g, h, LevelTrack(t, groups[g].machines.size())});
      }
    }
  }
  const size_t cells = fleet.metrics.size() * machines;
  const size_t longest = horizon_samples.empty() ? 1 : horizon_samples.back();
  ring = RowRing(cells, longest);
  leaders.assign(fleet.metrics.size() * horizon_samples.size() * groups.size(), {});
  const double shortest_h = horizon_samples.empty() ? 0 : seconds(0) / 3600;
  bursts = Bursts({machines, fleet.metrics.size(), shortest_h, options.false_alarms_per_day});
  current.assign(cells * std::max<size_t>(1, horizon_samples.size()), 0);
  peak.assign(cells, 0);
  shown_score.assign(cells, 0);
  shown_level.assign(cells, std::numeric_limits<float>::quiet_NaN());
  const size_t bands = fleet.metrics.size() * groups.size();
  for (auto* v : {&shown_low, &shown_median, &shown_high})
    v->assign(bands, std::numeric_limits<float>::quiet_NaN());
  seen_ms.assign(machines, INT64_MIN);
  history_stride = horizon_samples.empty() ? 1 : std::max<size_t>(1, horizon_samples[0] / 16);
}

Verdict* Detector::Impl::standing(size_t machine, bool silent) {
  for (Verdict& v : verdicts) {
    if (v.active && v.machine == machine && v.silent == silent) return &v;
  }
  return nullptr;
}

// The step after which the machine's distance from its peers, summed against half the deviation, is largest.
int64_t Detector::Impl::onset(const Track& track, size_t machine, double deviation) const {
  const auto& peers = groups[track.group].machines;
  const size_t n = std::min(ring.capacity(), ring.pushed());
  const float* own = ring.window(cell(track.metric, machine), n);
  double sum = 0, best = 0;
  size_t start = n;
  std::vector<float> column;
  for (size_t i = n; i-- > 0;) {
    column.clear();
    for (const size_t p : peers) {
      const float v = ring.window(cell(track.metric, p), n)[i];
      if (!std::isnan(v)) column.push_back(v);
    }
    if (column.empty() || std::isnan(own[i])) continue;
    std::nth_element(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2),
                     column.end());
    sum += (own[i] - column[column.size() / 2] - deviation / 2) * (deviation > 0 ? 1 : -1);
    if (sum > best) best = sum, start = i;
  }
  return now_ms - static_cast<int64_t>(n - std::min(start, n - 1) - 1) * fleet.step_ms;
}

void Detector::Impl::refresh(Verdict& v, const Track& track, const Judged& j, const PeerBand& band) {
  v.last_ms = now_ms;
  v.score = std::max<double>(v.score, j.score);
  const auto at = std::find_if(v.metrics.begin(), v.metrics.end(),
                               [&](const MetricScore& s) { return s.metric == track.metric; });
  MetricScore& s = at == v.metrics.end() ? v.metrics.emplace_back() : *at;
  if (j.score > s.score) s = {track.metric, j.score, j.deviation, j.level, band.median, j.threshold};
  std::stable_sort(v.metrics.begin(), v.metrics.end(),
                   [](const MetricScore& a, const MetricScore& b) { return a.score > b.score; });
}

void Detector::Impl::raise(const Track& track, size_t machine, const Judged& j, const PeerBand& band) {
  if (Verdict* v = standing(machine, false)) return refresh(*v, track, j, band);
  Verdict& v = verdicts.emplace_back();
  v.machine = machine;
  v.raised_ms = now_ms;
  v.onset_ms = onset(track, machine, j.deviation);
  v.horizon_s = seconds(track.horizon);
  refresh(v, track, j, band);
}

// Enters this track's strongest deviation; returns the strongest of all groups with the same sign.
Detector::Impl::Leader Detector::Impl::find_leader(const Track& track, const std::vector<Judged>& judged) {
  const size_t row = (track.metric * horizon_samples.size() + track.horizon) * groups.size();
  Leader& own = leaders[row + track.group];
  own = {0, 0, now_ms};
  for (size_t i = 0; i < judged.size(); ++i) {
    const bool lasting = judged[i].steady || judged[i].blocks >= kLeadingBlocks;
    if (judged[i].score >= 1 && lasting && std::abs(judged[i].deviation) > std::abs(own.deviation)) {
      own.deviation = judged[i].deviation;
      own.machine = groups[track.group].machines[i];
    }
  }
  Leader best = own;
  const int64_t fresh = now_ms - 2 * static_cast<int64_t>(track.level.options().stride) * fleet.step_ms;
  for (size_t g = 0; g < groups.size(); ++g) {
    const Leader& other = leaders[row + g];
    if (other.time_ms >= fresh && other.deviation * own.deviation > 0 &&
        std::abs(other.deviation) > std::abs(best.deviation)) {
      best = other;
    }
  }
  return best;
}

bool Detector::Impl::believed(const Track& track, const Judged& j) const {
  if (j.score < 1 || !j.steady) return false;
  if (bursts.rare()) return true;
  const double patient = std::min(kPatientSeconds, seconds(horizon_samples.size() - 1));
  return seconds(track.horizon) >= patient && j.score * j.rest >= 1;
}

void Detector::Impl::consider(const Track& track, const std::vector<Judged>& judged, const PeerBand& band) {
  const Group& group = groups[track.group];
  const Leader leader = find_leader(track, judged);
  for (size_t i = 0; i < judged.size(); ++i) {
    const Judged& j = judged[i];
    const size_t machine = group.machines[i];
    if (!believed(track, j)) continue;
    const bool weak = std::abs(j.deviation) < options.same_cause_share * std::abs(leader.deviation);
    if (!weak || (standing(machine, false) && machine != leader.machine)) {
      raise(track, machine, j, band);
    } else if (Verdict* v = standing(leader.machine, false)) {
      if (std::find(v->also_affected.begin(), v->also_affected.end(), machine) == v->also_affected.end()) {
        v->also_affected.push_back(machine);
      }
    }
  }
}

void Detector::Impl::watch_bursts(const Track& track, const std::vector<Judged>& judged) {
  for (size_t i = 0; i < judged.size(); ++i) {
    if (judged[i].judged) bursts.see(cell(track.metric, groups[track.group].machines[i]), judged[i]);
  }
  const double step_h = static_cast<double>(fleet.step_ms) / 3.6e6;
  bursts.pass(static_cast<double>(judged.size() * track.level.options().stride) * step_h);
}

void Detector::Impl::evaluate(Track& track) {
  const Group& group = groups[track.group];
  std::vector<Judged> judged;
  PeerBand band;
  const size_t n = track.level.options().n;
  const bool ok = track.level.evaluate(
      [&](size_t i) { return ring.window(cell(track.metric, group.machines[i]), n); }, judged, band);
  for (size_t i = 0; i < judged.size(); ++i) {
    const size_t c = cell(track.metric, group.machines[i]);
    const float score = ok && judged[i].steady ? judged[i].score : 0.0f;
    current[c * horizon_samples.size() + track.horizon] = score;
    shown_score[c] = std::max(shown_score[c], score);
    if (judging()) peak[c] = std::max(peak[c], score);
    if (track.horizon == 0 && judged[i].judged) shown_level[c] = judged[i].level;
  }
  if (track.horizon == 0) {
    if (ok) watch_bursts(track, judged);
    const size_t b = track.metric * groups.size() + track.group;
    shown_low[b] = band.low, shown_median[b] = band.median, shown_high[b] = band.high;
  }
  if (ok && judging()) consider(track, judged, band);
}

void Detector::Impl::watch_silence() {
  const int64_t limit = std::max<int64_t>(static_cast<int64_t>(options.silence_s * 1000), 10 * fleet.step_ms);
  size_t silent = 0, known = 0;
  for (const int64_t seen : seen_ms) {
    if (seen == INT64_MIN) continue;
    ++known;
    silent += now_ms - seen > limit / 2;
  }
  const bool source_fault = silent > std::max<size_t>(2, known / 4) || known < options.min_peers;
  for (size_t m = 0; m < seen_ms.size(); ++m) {
    Verdict* v = standing(m, true);
    const bool quiet = seen_ms[m] != INT64_MIN && now_ms - seen_ms[m] > limit;
    if (v && !quiet) v->active = false;
    if (!quiet || source_fault || !judging()) continue;
    if (!v) {
      v = &verdicts.emplace_back();
      v->machine = m;
      v->silent = true;
      v->onset_ms = seen_ms[m];
      v->raised_ms = now_ms;
      v->horizon_s = options.silence_s;
    }
    v->last_ms = now_ms;
    v->score = std::max(v->score, static_cast<double>(now_ms - seen_ms[m]) / static_cast<double>(limit));
  }
}

void Detector::Impl::resolve() {
  if (horizon_samples.empty()) return;
  const int64_t patience = static_cast<int64_t>(horizon_samples[0]) * fleet.step_ms;
  for (Verdict& v : verdicts) {
    if (!v.active || v.silent) continue;
    for (const size_t metric : judged_metrics) {
      for (size_t h = 0; h < horizon_samples.size(); ++h) {
        if (current[cell(metric, v.machine) * horizon_samples.size() + h] >= kResolveScore)
          v.last_ms = now_ms;
      }
    }
    if (now_ms - v.last_ms >= patience) v.active = false;
  }
}

void Detector::Impl::record() {
  if (!options.keep_history || ring.pushed() % history_stride != 0) return;
  history.time_ms.push_back(now_ms);
  history.score.push_back(shown_score);
  history.level.push_back(shown_level);
  history.low.push_back(shown_low);
  history.median.push_back(shown_median);
  history.high.push_back(shown_high);
  std::fill(shown_score.begin(), shown_score.end(), 0.0f);
  if (history.time_ms.size() >= kColumns) {
    merge_columns(history);
    history_stride *= 2;
  }
}

Detector::Detector(Fleet fleet, DetectOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->fleet = std::move(fleet);
  impl_->options = std::move(options);
  impl_->build();
}

Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;

void Detector::push(int64_t time_ms, std::span<const float> values) {
  Impl& d = *impl_;
  const size_t machines = d.fleet.machines.size();
  LENTO_CHECK(values.size() == machines * d.fleet.metrics.size(), "a row does not fit the fleet");
  d.now_ms = time_ms;
  d.ring.push(values);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) d.seen_ms[i % machines] = time_ms;
  }
  if (d.first_ms == INT64_MIN) {  // start-up counts from the first data, not from empty rows before it
    const bool any = std::any_of(values.begin(), values.end(), [](float v) { return !std::isnan(v); });
    if (any) d.first_ms = time_ms;
  }
  const int64_t running_ms = d.first_ms == INT64_MIN ? -1 : time_ms - d.first_ms + d.fleet.step_ms;
  const int64_t startup_ms = static_cast<int64_t>(d.options.startup_s * 1000);
  for (Impl::Track& track : d.tracks) {
    const TrackOptions& t = track.level.options();
    const bool whole = running_ms >= static_cast<int64_t>(t.n) * d.fleet.step_ms + startup_ms;
    if (whole && d.ring.pushed() % t.stride == 0) d.evaluate(track);
  }
  d.watch_silence();
  d.resolve();
  d.record();
}

const Fleet& Detector::fleet() const { return impl_->fleet; }
const std::vector<Verdict>& Detector::verdicts() const { return impl_->verdicts; }
const ScoreHistory& Detector::history() const { return impl_->history; }
size_t Detector::group_of(size_t machine) const { return impl_->group_of[machine]; }
size_t Detector::groups() const { return impl_->groups.size(); }

void Detector::forget_resolved(int64_t before_ms) {
  std::erase_if(impl_->verdicts, [&](const Verdict& v) { return !v.active && v.last_ms < before_ms; });
}

std::vector<std::vector<size_t>> Detector::unjudged_groups() const {
  std::vector<std::vector<size_t>> out;
  for (const auto& g : impl_->groups) {
    if (!g.judged) out.push_back(g.machines);
  }
  return out;
}

double Detector::peak_score(size_t machine) const {
  std::vector<float> scores;
  for (const size_t k : impl_->judged_metrics) scores.push_back(impl_->peak[impl_->cell(k, machine)]);
  std::sort(scores.rbegin(), scores.rend());
  const size_t top = (scores.size() + 3) / 4;
  double sum = 0;
  for (size_t i = 0; i < top; ++i) sum += scores[i];
  return top ? sum / static_cast<double>(top) : 0;
}

base::Json Detector::save() const {
  const Impl& d = *impl_;
  base::Json tracks = base::Json::array(), verdicts = base::Json::array();
  for (const Impl::Track& t : d.tracks) {
    base::Json numbers = base::Json::array(), names = base::Json::array();
    for (const double x : t.level.state()) numbers.push(x);
    for (const size_t m : d.groups[t.group].machines) names.push(d.fleet.machines[m]);
    tracks.push(base::Json::object()
                    .set("metric", d.fleet.metrics[t.metric])
                    .set("samples", static_cast<int64_t>(t.level.options().n))
                    .set("machines", std::move(names))
                    .set("state", std::move(numbers)));
  }
  for (const Verdict& v : d.verdicts) {
    base::Json metrics = base::Json::array();
    for (const MetricScore& s : v.metrics) {
      metrics.push(base::Json::object()
                       .set("metric", d.fleet.metrics[s.metric])
                       .set("numbers", base::Json(base::Json::Array{s.score, s.deviation, s.level, s.peers,
                                                                    s.threshold})));
    }
    verdicts.push(base::Json::object()
                      .set("machine", d.fleet.machines[v.machine])
                      .set("silent", v.silent)
                      .set("active", v.active)
                      .set("onset_ms", v.onset_ms)
                      .set("raised_ms", v.raised_ms)
                      .set("last_ms", v.last_ms)
                      .set("score", v.score)
                      .set("horizon_s", v.horizon_s)
                      .set("metrics", std::move(metrics)));
  }
  return base::Json::object()
      .set("schema", kStateSchema)
      .set("time_ms", d.now_ms)
      .set("bursts", d.bursts.count())
      .set("watched_h", d.bursts.hours())
      .set("verdicts", std::move(verdicts))
      .set("tracks", std::move(tracks));
}

void Detector::restore(const base::Json& json) {
  Impl& d = *impl_;
  const base::Location where{"state"};
  if (json.string_or("schema", "", where) != kStateSchema)
    throw base::Error(where, "not a state of 'lento fleet watch'");
  d.bursts.restore(json.number_or("bursts", 0, where), json.number_or("watched_h", 0, where));
  const auto index = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  for (const base::Json& t : json.at("tracks", where).array(where)) {
    std::vector<double> numbers;
    for (const base::Json& x : t.at("state", where).array(where))
      numbers.push_back(x.is_null() ? NAN : x.number(where));
    std::vector<std::string> machines;
    for (const base::Json& m : t.at("machines", where).array(where)) machines.push_back(m.string(where));
    for (Impl::Track& track : d.tracks) {
      const auto& members = d.groups[track.group].machines;
      const bool same =
          d.fleet.metrics[track.metric] == t.at("metric", where).string(where) &&
          static_cast<int64_t>(track.level.options().n) == t.at("samples", where).integer(where) &&
          std::equal(members.begin(), members.end(), machines.begin(), machines.end(),
                     [&](size_t m, const std::string& name) { return d.fleet.machines[m] == name; });
      if (same) track.level.restore(numbers);
    }
  }
  for (const base::Json& entry : json.at("verdicts", where).array(where)) {
    Verdict v;
    v.machine = index(d.fleet.machines, entry.at("machine", where).string(where));
    if (v.machine == d.fleet.machines.size()) continue;
    v.silent = entry.at("silent", where).boolean(where);
    v.active = entry.at("active", where).boolean(where);
    v.onset_ms = entry.at("onset_ms", where).integer(where);
    v.raised_ms = entry.at("raised_ms", where).integer(where);
    v.last_ms = entry.at("last_ms", where).integer(where);
    v.score = entry.at("score", where).number(where);
    v.horizon_s = entry.at("horizon_s", where).number(where);
    for (const base::Json& m : entry.at("metrics", where).array(where)) {
      const auto& n = m.at("numbers", where).array(where);
      MetricScore s{index(d.fleet.metrics, m.at("metric", where).string(where))};
      if (s.metric == d.fleet.metrics.size() || n.size() != 5) continue;
      s.score = n[0].number(where), s.deviation = n[1].number(where), s.level = n[2].number(where);
      s.peers = n[3].number(where), s.threshold = n[4].number(where);
      v.metrics.push_back(s);
    }
    if (v.silent || !v.metrics.empty()) d.verdicts.push_back(std::move(v));
  }
}

}  // namespace lento::fleet
