// Verdicts of the streaming detector: raised, kept up, resolved, forgotten.
#include <algorithm>
#include <cmath>

#include "evidence/sample.h"
#include "fleet/detect/detector_impl.h"
#include "fleet/detect/tuning.h"

namespace lento::fleet {
Verdict* Detector::Impl::standing(size_t machine, bool silent) {
  for (Verdict& v : verdicts) {
    if (v.active && v.machine == machine && v.silent == silent)
      return &v;
  }
  return nullptr;
}

// The step after which the machine's distance from its peers, summed against half the deviation, is largest.
int64_t Detector::Impl::onset(const Track& track, size_t machine, double deviation) const {
  const auto& peers = groups[track.group].machines;
  const size_t n = std::min(ring.capacity(), ring.pushed());
  double sum = 0;
  double best = 0;
  size_t start = n;
  std::vector<float> column;
  for (size_t i = n; i-- > 0;) {
    column.clear();
    const std::span<const float> row = ring.row(n, i);
    const float own = row[cell(track.metric, machine)];
    for (const size_t p : peers) {
      const float v = row[cell(track.metric, p)];
      if (!std::isnan(v))
        column.push_back(v);
    }
    if (column.empty() || std::isnan(own))
      continue;
    const float middle = evidence::upper_median_reordering(std::span(column));
    sum += (own - middle - deviation / 2) * (deviation > 0 ? 1 : -1);
    if (sum > best) {
      best = sum;
      start = i;
    }
  }
  return now_ms - int64_t(n - std::min(start, n - 1) - 1) * fleet.step_ms;
}

void Detector::Impl::refresh(Verdict& v, const Track& track, const Judged& j, const PeerBand& band) {
  v.last_ms = now_ms;
  v.score = std::max<double>(v.score, j.score);
  const auto at = std::ranges::find_if(v.metrics, [&](const MetricScore& s) {
    return s.metric == track.metric;
  });
  MetricScore& s = at == v.metrics.end() ? v.metrics.emplace_back() : *at;
  if (j.score > s.score)
    s = {track.metric, j.score, j.deviation, j.level, band.median, j.threshold};
  std::ranges::stable_sort(v.metrics, [](const MetricScore& a, const MetricScore& b) {
    return a.score > b.score;
  });
}

void Detector::Impl::raise(const Track& track, size_t machine, const Judged& j, const PeerBand& band) {
  if (Verdict* v = standing(machine, false))
    return refresh(*v, track, j, band);
  Verdict& v = verdicts.emplace_back();
  v.machine = machine;
  v.raised_ms = now_ms;
  v.onset_ms = onset(track, machine, j.deviation);
  v.horizon_s = seconds(track.horizon);
  refresh(v, track, j, band);
}

// A silent machine is one whose samples ended; only a later sample, or its leaving the job, ends the verdict.
void Detector::Impl::watch_silence() {
  const bool enough = roll.members() >= options.min_peers;
  for (size_t m = 0; m < fleet.machines.size(); ++m) {
    Verdict* v = standing(m, true);
    if (v && (!roll.member(m) || roll.seen_ms(m) > v->onset_ms))
      v->active = false;
    if (!roll.silent(m) || !enough || !judging())
      continue;
    if (!v || !v->active) {
      v = &verdicts.emplace_back();
      v->machine = m;
      v->silent = true;
      v->onset_ms = roll.seen_ms(m);
      v->raised_ms = now_ms;
      v->horizon_s = double(roll.limit_ms()) / 1000;
    }
    v->last_ms = now_ms;
    const double share = double(roll.quiet_for_ms(m)) / double(roll.limit_ms());
    v->score = std::max(v->score, share);
  }
}

void Detector::Impl::resolve() {
  if (horizon_samples.empty())
    return;
  const int64_t patience = int64_t(horizon_samples[0]) * fleet.step_ms;
  for (Verdict& v : verdicts) {
    if (!v.active || v.silent)
      continue;
    for (const size_t metric : judged_metrics) {
      for (size_t h = 0; h < horizon_samples.size(); ++h) {
        if (current[cell(metric, v.machine) * horizon_samples.size() + h] >= tuning::kAtRest.value)
          v.last_ms = now_ms;
      }
    }
    if (now_ms - v.last_ms >= patience)
      v.active = false;
  }
}

void Detector::forget_resolved(int64_t before_ms) {
  std::erase_if(impl_->verdicts, [&](const Verdict& v) {
    return !v.active && v.last_ms < before_ms;
  });
}

}  // namespace lento::fleet
