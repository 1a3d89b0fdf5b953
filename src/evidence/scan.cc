// Sums of windows come from prefix sums, so a scan costs parts x columns x lengths. The block length follows
// Politis and White: flat-top lag window, cut where the correlations stay within what chance gives.
#include "evidence/scan.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "evidence/sample.h"

namespace lento::evidence {
namespace {

void scan_part(
    std::span<const double> values,
    size_t part,
    std::span<const size_t> lengths,
    ScanWindow& best) {
  std::vector<double> before(values.size() + 1);
  for (size_t i = 0; i < values.size(); ++i)
    before[i + 1] = before[i] + values[i];
  for (const size_t length : lengths) {
    if (length == 0 || length > values.size())
      continue;
    const double scale = 1 / std::sqrt(double(length));
    for (size_t begin = 0; begin + length <= values.size(); ++begin) {
      const double score = (before[begin + length] - before[begin]) * scale;
      if (score > best.score || best.begin == best.end)
        best = {part, begin, begin + length, score};
    }
  }
}

// Autocovariance at each lag up to `most`.
std::vector<double> autocovariance(std::span<const double> values, size_t most) {
  const double centre = mean(values);
  std::vector<double> out(most + 1);
  for (size_t lag = 0; lag <= most; ++lag) {
    for (size_t i = lag; i < values.size(); ++i)
      out[lag] += (values[i] - centre) * (values[i - lag] - centre);
    out[lag] /= double(values.size());
  }
  return out;
}

}  // namespace

ScanWindow scan_maximum(const Matrix& parts, std::span<const size_t> lengths) {
  ScanWindow best;
  for (size_t part = 0; part < parts.rows; ++part)
    scan_part(parts.row(part), part, lengths, best);
  return best;
}

std::vector<size_t> dyadic_lengths(size_t most) {
  std::vector<size_t> out;
  for (size_t length = 1; length <= most && out.size() < 60; length *= 2)
    out.push_back(length);
  return out;
}

std::vector<double> null_of_maximum(const Matrix& parts, const ScanNull& how, base::Rng& rng) {
  LENTO_CHECK(how.block >= 1, "a block has at least one column");
  Matrix centred = parts;
  for (size_t part = 0; part < parts.rows; ++part) {
    const double centre = mean(parts.row(part));
    for (double& v : centred.row(part))
      v -= centre;
  }
  std::vector<double> out;
  std::vector<size_t> source(parts.columns);
  std::vector<double> drawn(parts.columns);
  for (size_t d = 0; d < how.draws && parts.columns > 0; ++d) {
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = i % how.block == 0 ? rng.below(parts.columns) : (source[i - 1] + 1) % parts.columns;
    ScanWindow best;
    for (size_t part = 0; part < parts.rows; ++part) {
      const std::span<const double> row = centred.row(part);
      for (size_t i = 0; i < source.size(); ++i)
        drawn[i] = row[source[i]];
      scan_part(drawn, part, how.lengths, best);
    }
    out.push_back(best.score);
  }
  return out;
}

double MaximumTail::chance(double score, double pieces) const {
  if (!(score > level) || !(count > 0))
    return 1;
  const double one = chance_above * (excess > 0 ? std::pow(1 + (score - level) / excess, -count) : 0);
  return -std::expm1(pieces * std::log1p(-one));
}

double MaximumTail::threshold(double budget, double pieces) const {
  const double one = -std::expm1(std::log1p(-budget) / pieces);
  if (!(count > 0) || !(one > 0))
    return INFINITY;
  return level + excess * std::max(0.0, std::pow(one / chance_above, -1 / count) - 1);
}

std::vector<double> maxima_of_pieces(const Matrix& parts, size_t length, std::span<const size_t> lengths) {
  LENTO_CHECK(length >= 1, "a piece has at least one column");
  std::vector<double> out;
  for (size_t begin = 0; begin + length <= parts.columns; begin += length) {
    ScanWindow best;
    for (size_t part = 0; part < parts.rows; ++part)
      scan_part(parts.row(part).subspan(begin, length), part, lengths, best);
    if (best.begin != best.end)
      out.push_back(best.score);
  }
  return out;
}

MaximumTail tail_of_maximum(std::span<const double> maxima) {
  MaximumTail tail;
  if (maxima.empty())
    return tail;
  std::vector<double> scratch(maxima.begin(), maxima.end());
  tail.level = upper_median_reordering(std::span(scratch));
  for (const double m : maxima) {
    tail.count += m > tail.level;
    tail.excess += std::max(0.0, m - tail.level);
  }
  tail.chance_above = (tail.count + 1) / double(maxima.size() + 1);
  return tail;
}

size_t block_length(std::span<const double> values) {
  const size_t n = values.size();
  if (n < 9)
    return 1;
  const double decades = std::log10(double(n));
  const size_t quiet = std::max<size_t>(5, size_t(std::sqrt(decades)));  // lags in a row that show nothing
  const size_t most = std::min(n / 3, size_t(std::ceil(std::sqrt(double(n)))) + quiet);
  const std::vector<double> covariance = autocovariance(values, most);
  if (!(covariance[0] > 0))
    return 1;
  const double chance = 2 * std::sqrt(decades / double(n)) * covariance[0];
  size_t last = 0;  // lag after which `quiet` lags in a row are chance
  for (size_t lag = 1; lag <= most && lag <= last + quiet; ++lag)
    if (std::fabs(covariance[lag]) > chance)
      last = lag;
  const size_t reach = std::min(most, 2 * last);
  double weighted = 0;
  double whole = covariance[0];
  for (size_t lag = 1; lag <= reach; ++lag) {
    const double taper = std::min(1.0, 2 * (1 - double(lag) / double(reach)));
    weighted += 2 * taper * double(lag) * covariance[lag];
    whole += 2 * taper * covariance[lag];
  }
  if (!(weighted > 0) || !(whole > 0))
    return 1;
  const double length = std::cbrt(1.5 * std::pow(weighted / whole, 2) * double(n));
  return std::clamp<size_t>(size_t(std::ceil(length)), 1, n / 3);
}

}  // namespace lento::evidence
