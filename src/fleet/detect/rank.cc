// Ranking machines over one given window, without a threshold: every metric's LevelTrack with the window's
// own length walks through the history in quarter windows and ends exactly at the window. A metric counts by
// how unusual a score is for it: scores are divided by what one in a hundred of its earlier ones exceeds.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "evidence/sample.h"
#include "fleet/detect/detect.h"
#include "fleet/detect/level_track.h"
#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

using Scores =
    std::vector<std::vector<std::vector<std::pair<double, size_t>>>>;  // [end][machine] -> score, metric

// What one in a hundred of a metric's earlier scores exceeds; 1 while they are too few to tell.
class Usual {
 public:
  void enter(const std::vector<float>& scores) {
    past_.insert(past_.end(), scores.begin(), scores.end());
  }

  double value() {  // found anew when a twentieth is new
    if (double(past_.size()) < tuning::kUsualOf.value || past_.size() < known_ + known_ / 20)
      return value_;
    known_ = past_.size();
    const auto place = size_t(double(known_ - 1) * tuning::kUsualShare.value);
    const float usual = evidence::nth_smallest_reordering(std::span(past_), place);
    value_ = std::max(float(tuning::kLeastUsual.value), usual);
    return value_;
  }

 private:
  std::vector<float> past_;
  size_t known_ = 0;
  float value_ = 1;
};

// Walks one metric of one group through all windows of n steps; enters the scores of those that end at
// `ends`.
void walk(
    const MetricSeries& series,
    size_t metric,
    const std::vector<size_t>& machines,
    const TrackOptions& options,
    const std::vector<size_t>& ends,
    Scores& scores) {
  const size_t steps = ends.back();
  std::vector<std::vector<float>> columns(machines.size(), std::vector<float>(steps));
  for (size_t t = 0; t < steps; ++t) {
    const auto row = series.row(metric, t);
    for (size_t i = 0; i < machines.size(); ++i)
      columns[i][t] = row[machines[i]];
  }
  LevelTrack track(options, machines.size());
  std::vector<Judged> judged(machines.size());
  PeerBand band;
  Usual usual;  // of windows that end over two lengths before
  std::deque<std::pair<size_t, std::vector<float>>> recent;
  size_t next = 0;
  for (size_t end = options.n + (steps - options.n) % options.stride; end <= steps; end += options.stride) {
    track.evaluate(
        [&](size_t i, float* to, size_t stride) {
          for (size_t t = 0; t < options.n; ++t)
            to[t * stride] = columns[i][end - options.n + t];
        },
        judged,
        band);
    for (; !recent.empty() && recent.front().first + 2 * options.n < end; recent.pop_front())
      usual.enter(recent.front().second);
    std::vector<float>& now = recent.emplace_back(end, std::vector<float>()).second;
    for (const Judged& j : judged)
      now.push_back(j.score);
    while (next < ends.size() && ends[next] < end)
      ++next;
    if (next >= ends.size() || ends[next] != end)
      continue;
    const double scale = usual.value();
    for (size_t i = 0; i < machines.size(); ++i)
      scores[next][machines[i]].emplace_back(now[i] / scale, metric);
  }
}

std::vector<RankedMachine> ranked(std::vector<std::vector<std::pair<double, size_t>>>& scores) {
  std::vector<RankedMachine> out;
  for (size_t m = 0; m < scores.size(); ++m) {
    auto& s = scores[m];
    std::ranges::stable_sort(s, [](const auto& a, const auto& b) {
      return a.first > b.first;
    });
    const size_t top = (s.size() + 3) / 4;
    double sum = 0;
    for (size_t i = 0; i < top; ++i)
      sum += s[i].first;
    out.push_back({m, top ? sum / double(top) : 0});
  }
  std::ranges::stable_sort(out, [](const RankedMachine& a, const RankedMachine& b) {
    return a.score > b.score;
  });
  return out;
}

}  // namespace

std::vector<std::vector<RankedMachine>>
rank_windows(const MetricSeries& series, const RankWindows& windows, const DetectOptions& options) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t m = 0; m < series.machines.size(); ++m) {
    std::string name;
    for (const std::string& key : options.group_by)
      name += std::string(label(series, m, key)) + '\n';
    groups[name].push_back(m);
  }
  TrackOptions t;
  t.n = windows.length;
  t.stride = windows.stride;
  t.trust_history = true;
  t.min_peers = std::max<size_t>(options.min_peers, 3);
  Scores scores(
      windows.ends.size(),
      std::vector<std::vector<std::pair<double, size_t>>>(series.machines.size()));
  for (size_t k = 0; k < series.metrics.size(); ++k) {
    const auto& keep = options.metrics;
    if (!keep.empty() && std::ranges::find(keep, series.metrics[k]) == keep.end())
      continue;
    for (const auto& [name, machines] : groups) {
      if (machines.size() >= t.min_peers)
        walk(series, k, machines, t, windows.ends, scores);
    }
  }
  std::vector<std::vector<RankedMachine>> out;
  for (auto& s : scores)
    out.push_back(ranked(s));
  return out;
}

std::vector<RankedMachine>
rank_machines(const MetricSeries& series, size_t from, size_t to, const DetectOptions& options) {
  to = std::min(to, series.steps);
  if (to < from + 8)
    from = to < 8 ? 0 : to - 8;
  const size_t n = std::max<size_t>(1, to - from);
  return rank_windows(series, {n, std::max<size_t>(1, n / 4), {to}}, options).front();
}

}  // namespace lento::fleet
