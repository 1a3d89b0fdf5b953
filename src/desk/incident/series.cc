// Builds tracks from series and finds their change points. Pettitt's statistic is the largest |U(k)| over k,
// where U(k) compares all values up to k with all later ones by rank, in one pass over the mid-ranks. A few
// slow steps, periodic or not, hardly change it.
#include "desk/incident/series.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/units.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

// Returns ranks from 1. Equal values get their mean rank.
std::vector<double> mid_ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) {
    return values[i];
  });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t k = i; k < end; ++k)
      ranks[order[k]] = double(i + end + 1) / 2;
    i = end;
  }
  return ranks;
}

// Returns the correlation of neighbouring ranks, 0 to 0.99, after the mean before the split is subtracted
// from the ranks before it, and likewise behind it.
double neighbours(std::span<const double> ranks, size_t split) {
  std::vector<double> rest(ranks.begin(), ranks.end());
  for (const auto& [begin, end] : {std::pair(size_t{0}, split), std::pair(split, rest.size())}) {
    const double mean = evidence::mean(std::span(rest).subspan(begin, end - begin));
    for (size_t i = begin; i < end; ++i)
      rest[i] -= mean;
  }
  double product = 0;
  double square = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    square += rest[i] * rest[i];
    if (i > 0)
      product += rest[i] * rest[i - 1];
  }
  return square > 0 ? std::clamp(product / square, 0.0, 0.99) : 0;
}

// Sorts samples by position. Those of equal position stay in their order.
void sort_track(Track& track) {
  std::vector<size_t> order(track.position.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) {
    return track.position[i];
  });
  Track sorted;
  sorted.subject = track.subject;
  sorted.clock = track.clock;
  for (const size_t i : order) {
    sorted.position.push_back(track.position[i]);
    sorted.value.push_back(track.value[i]);
    sorted.expected.push_back(track.expected[i]);
    sorted.time.push_back(track.time[i]);
    sorted.where.push_back(track.where[i]);
  }
  track = std::move(sorted);
}

}  // namespace

// Returns, for each quantity, one track of samples for each subject.
std::vector<Tracks> tracks_of(const Records& records, Scope scope) {
  std::map<uint32_t, std::map<Subject, Track>> all;
  for (const Series& series : records.series()) {
    const Quantity& quantity = records.quantities()[series.quantity];
    const bool is_wanted = quantity.scope == scope || (scope == Scope::Own && quantity.scope == Scope::Job);
    if (!is_wanted || series.rows.empty() || series.rows[0].is_state())
      continue;
    const Subject& subject = records.subjects()[series.subject];
    Track& track = all[series.quantity][subject];
    track.subject = subject;
    const bool by_step = !std::isnan(series.rows[0].step);
    track.clock = by_step ? Clock::None : series.rows[0].time.clock;
    for (const Observation& row : series.rows) {
      if (std::isnan(row.step) == by_step || std::isnan(row.value))
        continue;
      track.position.push_back(by_step ? row.step : row.time.seconds);
      track.value.push_back(row.value);
      track.expected.push_back(row.expected);
      track.time.push_back(row.time);
      track.where.push_back(row.where);
    }
  }
  std::vector<Tracks> out;
  for (auto& [quantity, subjects] : all) {
    Tracks& tracks = out.emplace_back(Tracks{quantity, {}});
    for (auto& [subject, track] : subjects) {
      sort_track(track);
      tracks.tracks.push_back(std::move(track));
    }
  }
  return out;
}

Moment moment_at(const Track& track, double position) {
  const size_t i = size_t(std::ranges::lower_bound(track.position, position) - track.position.begin());
  return i < track.time.size() ? track.time[i] : Moment{};
}

std::string position_text(const Track& track, double position) {
  if (track.clock != Clock::None)
    return moment_text({track.clock, position});
  const std::string when = moment_text(moment_at(track, position));
  return "step " + base::format_number(position, 12) + (when.empty() ? "" : " (" + when + ")");
}

std::string value_with_unit(double value, const Quantity& quantity) {
  return base::format_measure(value, quantity.unit);
}

double times_worse(const Quantity& quantity, double value, double before) {
  if (value <= 0 || before <= 0)
    return 1;
  return quantity.better == Better::Lower ? value / before : before / value;
}

size_t split_between(std::span<const double> values, double before, double behind) {
  double best = 0;
  double cost = 0;
  size_t at = 1;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    if (std::isnan(values[i]))
      continue;
    cost += std::abs(values[i] - before) - std::abs(values[i] - behind);
    if (i == 0 || cost < best) {
      best = cost;
      at = i + 1;
    }
  }
  return at;
}

// Returns the index at which the values before it and from it on differ most in rank, with its probability.
Split best_split(std::span<const double> values) {
  const size_t n = values.size();
  if (n < 4)
    return {};
  const std::vector<double> ranks = mid_ranks(values);
  double u = 0;
  double largest = 0;
  Split split;
  for (size_t k = 1; k < n; ++k) {
    u += 2 * ranks[k - 1] - double(n + 1);
    if (std::abs(u) > largest) {
      largest = std::abs(u);
      split.at = k;
    }
  }
  if (split.at == 0)
    return split;
  const double r = neighbours(ranks, split.at);
  const double t = double(n);
  const double independent = (1 - r) / (1 + r);
  split.chance = std::min(1.0, 2 * std::exp(-6 * largest * largest / (t * t * t + t * t) * independent));
  return split;
}

}  // namespace lento::desk
