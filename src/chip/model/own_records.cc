// The variance of a single record is that of its cell times the number of records there.
#include "chip/model/own_records.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "evidence/stretch.h"

namespace lento::chip {
namespace {

constexpr double kFreedom = 4;  // of Student's t for a record

double loss(double residual, double variance) {
  return (kFreedom + 1) * std::log1p(residual * residual / (kFreedom * variance));
}

}  // namespace

OwnRecords::OwnRecords(
    const ObservedRun& run,
    const Likelihood& likelihood,
    const std::vector<double>& explained,
    const std::vector<float>& shares) {
  const Dictionary& d = likelihood.dictionary();
  for (const ProbeRecord& r : run.records) {
    const int64_t at = d.find(key_of(r));
    if (at < 0)
      continue;
    const Dictionary::Expected& e = d.expected[size_t(at)];
    const Dictionary::Cell& cell = d.cells[e.cell];
    if (shares[e.cell] <= 0)
      continue;
    const double ticks = double(run.grain) / e.cycles;
    Record& own = records_.emplace_back();
    own.begin = uint64_t(std::max(0.0, run.clock.to_file(double(r.begin))));
    own.end = uint64_t(std::max(0.0, run.clock.to_file(double(r.end))));
    own.log_ratio = std::log(std::max(0.5, double(r.end - r.begin)) / e.cycles) - explained[e.cell] -
                    std::log(cell.middle);
    own.share = shares[e.cell];
    own.variance = cell.variance * std::max(1U, cell.records) + (run.grain > 1 ? ticks * ticks / 6 : 0);
  }
  std::ranges::sort(records_, {}, &Record::begin);
}

double OwnRecords::gain(const Record& r, double log_factor) const {
  const double longer = std::log1p(r.share * std::expm1(log_factor));
  return loss(r.log_ratio, r.variance) - loss(r.log_ratio - longer, r.variance);
}

Stretch OwnRecords::likeliest() const {
  constexpr double kStep = 0.25;  // of the log factor
  Stretch best = all();
  double best_gain = 0;
  std::vector<double> gains(records_.size());
  for (double x = kStep; x <= kMostLogFactor; x += kStep) {
    std::ranges::transform(records_, gains.begin(), [&](const Record& r) {
      return gain(r, x);
    });
    if (const evidence::Stretch found = evidence::largest_stretch(gains); found.sum > best_gain) {
      best_gain = found.sum;
      best = {found.first, found.last, found.sum};
    }
  }
  return best;
}

Stretch OwnRecords::drawn(const Stretch& around, double log_factor, base::Rng& rng) const {
  // Chooses an end between `low` and `high` by the sum of gains from it to the middle of the stretch.
  const auto choose = [&](size_t from, size_t to, bool forward) {
    std::vector<double> sums;
    double sum = 0;
    for (size_t i = from; i != to; forward ? ++i : --i) {
      sums.push_back(sum);
      sum += gain(records_[forward ? i : i - 1], log_factor);
    }
    sums.push_back(sum);
    const double most = *std::ranges::max_element(sums);
    double total = 0;
    for (double& s : sums)
      total += s = std::exp((s - most) / 2);
    double left = rng.uniform(0, total);
    size_t i = 0;
    while (i + 1 < sums.size() && (left -= sums[i]) > 0)
      ++i;
    return forward ? from + i : from - i;
  };
  const size_t middle = (around.begin + around.end) / 2;
  const size_t begin = choose(middle, 0, false);
  const size_t end = choose(middle, records_.size(), true);
  return {begin, std::max(begin + 1, end)};
}

void OwnRecords::set_ends(const Stretch& stretch, SlowPart& slow) const {
  const auto gap_before = [&](size_t i) {
    const uint64_t end = records_[i - 1].end;
    const uint64_t begin = records_[i].begin;
    return end < begin ? end + (begin - end) / 2 : begin;
  };
  slow.begin = stretch.begin == 0 ? 0 : gap_before(stretch.begin);
  slow.end = stretch.end >= records_.size() ? kForever : std::max(slow.begin + 1, gap_before(stretch.end));
}

}  // namespace lento::chip
