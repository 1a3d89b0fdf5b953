// Recognises counters, whose rise is judged, because where they began says nothing. A metric is a counter
// when it falls in nearly no step, as after a reset, and either its name says so or it rises often on half of
// its machines. Noise makes other metrics fall as often as they rise.
#include "fleet/read/counters.h"

#include <cmath>
#include <limits>

#include "fleet/read/metric_names.h"

namespace lento::fleet {
namespace {

constexpr size_t kFewestRises = 20;

struct Moves {
  size_t up = 0;
  size_t down = 0;
  size_t all = 0;
};

Moves moves_of(const MetricSeries& s, size_t metric, size_t machine) {
  Moves out;
  float last = std::numeric_limits<float>::quiet_NaN();
  for (size_t step = 0; step < s.steps; ++step) {
    const float v = s.at(metric, step, machine);
    if (std::isnan(v))
      continue;
    out.up += v > last;
    out.down += v < last;
    out.all += !std::isnan(last);
    last = v;
  }
  return out;
}

bool only_rises(const MetricSeries& s, size_t metric) {
  size_t judged = 0;
  size_t rising = 0;
  Moves sum;
  for (size_t m = 0; m < s.machines.size(); ++m) {
    const Moves moves = moves_of(s, metric, m);
    sum.up += moves.up;
    sum.down += moves.down;
    judged += moves.all >= kFewestRises;
    rising += moves.up >= kFewestRises;
  }
  const bool rises = is_counter(s.metrics[metric]) ? sum.up > 0 : rising > 0 && 2 * rising >= judged;
  return rises && 100 * sum.down <= sum.up;
}

void to_rate(MetricSeries& s, size_t metric) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> last(s.machines.size(), kNone);
  std::vector<size_t> when(s.machines.size(), 0);
  for (size_t step = 0; step < s.steps; ++step) {
    const auto row = s.row(metric, step);
    for (size_t m = 0; m < row.size(); ++m) {
      const float v = row[m];
      if (std::isnan(v))
        continue;
      const double rise = double(v) - double(last[m]);
      const double seconds = double(step - when[m]) * double(s.step_ms) / 1000;
      row[m] = rise >= 0 ? float(rise / seconds) : kNone;
      last[m] = v;
      when[m] = step;
    }
  }
}

}  // namespace

void counters_to_rates(MetricSeries& s) {
  std::string names;
  for (size_t k = 0; k < s.metrics.size(); ++k) {
    if (!only_rises(s, k))
      continue;
    to_rate(s, k);
    names += (names.empty() ? "" : ", ") + s.metrics[k];
    s.metrics[k] = "rate(" + s.metrics[k] + ")";
  }
  if (!names.empty())
    s.notes.push_back("Judged by the rise per second, because they only rise: " + names);
}

}  // namespace lento::fleet
