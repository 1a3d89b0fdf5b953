// Corrects the recorders' counters. A 32-bit counter that wraps shows as ends that drop by about 2^32. A
// recorder whose counter started at another value shows in the begin of its first records, compared with the
// expected begins and with the other recorders.
#include "chip/model/clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "evidence/sample.h"

namespace lento::chip {
namespace {

constexpr uint64_t kWrap = uint64_t{1} << 32;

int unwrap(std::vector<ProbeRecord>& records, size_t cores) {
  std::vector<uint64_t> last(cores);
  std::vector<uint64_t> added(cores);
  std::vector<bool> wrapped(cores);
  for (ProbeRecord& r : records) {
    uint64_t& add = added[r.core];
    const bool astride = r.end >= kWrap;  // the counter wrapped within the record
    const uint64_t begun = astride && add > 0 ? add - kWrap : add;
    r.begin += begun;
    r.end += begun;
    if (r.end + kWrap / 2 < last[r.core]) {
      add += kWrap;
      r.begin += kWrap;
      r.end += kWrap;
    }
    wrapped[r.core] = wrapped[r.core] || add > 0;
    last[r.core] = std::max(last[r.core], r.end);
  }
  int count = 0;
  for (size_t c = 0; c < cores; ++c)
    count += wrapped[c];
  return count;
}

// Returns the timer's step in cycles: the largest that divides all time differences of a recorder, the
// smallest over recorders. Recorders are taken one by one, because timers with the same step may be out of
// phase.
uint64_t grain_of(const std::vector<ProbeRecord>& records, size_t cores) {
  std::vector<uint64_t> first(cores, UINT64_MAX);
  std::vector<uint64_t> grain(cores);
  for (const ProbeRecord& r : records) {
    if (first[r.core] == UINT64_MAX)
      first[r.core] = r.begin;
    for (const uint64_t t : {r.begin, r.end})
      grain[r.core] = std::gcd(grain[r.core], t > first[r.core] ? t - first[r.core] : first[r.core] - t);
  }
  uint64_t least = 0;
  for (const uint64_t g : grain)
    if (g > 0)
      least = least == 0 ? g : std::min(least, g);
  return std::max<uint64_t>(1, least);
}

}  // namespace

Clocks align_clocks(std::vector<ProbeRecord>& records, const Dictionary& d) {
  Clocks out;
  size_t cores = 0;
  for (const ProbeRecord& r : records)
    cores = std::max(cores, size_t{r.core} + 1);
  if (cores == 0)
    return out;
  out.wrapped = unwrap(records, cores);
  out.grain = grain_of(records, cores);
  // The slope of recorded over expected begins, between the first and the last tenth of a core's records,
  // shows by which factor the run took longer than expected.
  std::vector<std::vector<std::pair<double, double>>> begins(cores);  // expected, recorded
  for (const ProbeRecord& r : records)
    if (const int64_t at = d.find(key_of(r)); at >= 0)
      begins[r.core].emplace_back(d.expected[size_t(at)].begin, double(r.begin));
  std::vector<double> stretches;
  for (auto& of : begins) {
    if (of.size() < 2)
      continue;
    std::ranges::sort(of);
    const size_t tenth = of.size() / 10;
    const auto& low = of[tenth];
    const auto& high = of[of.size() - 1 - tenth];
    if (high.first > low.first)
      stretches.push_back((high.second - low.second) / (high.first - low.first));
  }
  const double stretch = stretches.empty() ? 1 : evidence::median(stretches);
  // The first records of each core are used, because a fault has delayed them least.
  std::vector<double> starts(cores);
  std::vector<double> spans;
  std::vector<double> known;
  for (size_t c = 0; c < cores; ++c) {
    std::vector<double> late;
    for (const auto& [expected, recorded] : begins[c])
      if (late.size() <= begins[c].size() / 10)
        late.push_back(recorded - stretch * expected);
    if (late.empty())
      continue;
    starts[c] = evidence::median(late);
    known.push_back(starts[c]);
    spans.push_back(begins[c].back().second - begins[c].front().second);
  }
  // A fault delays the begin of a core's first records by a share of the run. A counter that started
  // elsewhere is off by an arbitrary number of cycles.
  constexpr double kElsewhere = 0.25;  // of the run length
  const double common = evidence::median(known);
  const double width = kElsewhere * std::max(1.0, evidence::median(spans));
  std::vector<int64_t> shift(cores);
  for (size_t c = 0; c < cores; ++c) {
    const bool elsewhere = std::abs(starts[c] - common) > width || std::abs(common) > width;
    if (begins[c].empty() || !elsewhere)
      continue;
    shift[c] = -int64_t(std::llround(starts[c]));
    ++out.aligned;
  }
  for (ProbeRecord& r : records) {
    const int64_t by = std::max(shift[r.core], -int64_t(r.begin));
    r.begin = uint64_t(int64_t(r.begin) + by);
    r.end = uint64_t(int64_t(r.end) + by);
  }
  return out;
}

ClockMap::ClockMap(const Likelihood& model, const Solution& fit)
    : end_(model.end_cycles()) {
  constexpr double kCertain = 4;     // standard deviations
  constexpr double kMatters = 0.01;  // of the rate; a smaller drift is lost in the noise of any record
  double surest = std::numeric_limits<double>::infinity();
  for (const Effect& e : fit.classes)
    surest = std::min(surest, e.deviation);
  bool differs = std::abs(fit.eta[0]) > std::max(kMatters, kCertain * surest);
  for (size_t k = size_t(Nuisance::Drift); k <= size_t(Nuisance::Drift3); ++k)
    differs = differs || (std::abs(fit.eta[k]) > kMatters &&
                          std::abs(fit.eta[k]) > kCertain * std::sqrt(fit.variance[k]));
  if (!differs)
    return;
  constexpr size_t kSteps = 256;
  file_.resize(kSteps + 1);
  for (size_t i = 0; i < kSteps; ++i)
    file_[i + 1] =
        file_[i] + std::exp(-Likelihood::clock_at(fit, (double(i) + 0.5) / kSteps)) * end_ / kSteps;
}

double ClockMap::to_file(double t) const {
  if (file_.empty())
    return t;
  const size_t steps = file_.size() - 1;
  const double x = std::max(0.0, t) / end_ * double(steps);
  const size_t i = std::min(steps - 1, size_t(x));
  return file_[i] + (x - double(i)) * (file_[i + 1] - file_[i]);
}

double ClockMap::to_recorder(double t) const {
  if (file_.empty())
    return t;
  const size_t steps = file_.size() - 1;
  const auto above = std::ranges::upper_bound(file_, t) - file_.begin();
  const size_t i = std::min(steps - 1, size_t(std::max<std::ptrdiff_t>(1, above)) - 1);
  return (double(i) + (t - file_[i]) / (file_[i + 1] - file_[i])) * end_ / double(steps);
}

void retime(std::vector<ProbeRecord>& records, const ClockMap& map) {
  if (!map.differs())
    return;
  for (ProbeRecord& r : records) {
    r.begin = uint64_t(std::llround(map.to_file(double(r.begin))));
    r.end = std::max(r.begin, uint64_t(std::llround(map.to_file(double(r.end)))));
  }
}

void smooth_grain(std::vector<ProbeRecord>& records, const Dictionary& d, uint64_t grain) {
  if (grain <= 1)
    return;
  for (ProbeRecord& r : records) {
    const int64_t at = d.find(key_of(r));
    if (at < 0)
      continue;
    const double expected = d.expected[size_t(at)].cycles;
    const auto taken = double(r.end - r.begin);
    const double off = taken - expected;
    const double left = std::copysign(std::max(0.0, std::abs(off) - double(grain)), off);
    r.end = r.begin + uint64_t(std::llround(std::max(1.0, expected + left)));
  }
}

}  // namespace lento::chip
