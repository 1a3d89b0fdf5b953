// A mean contains every loss, however short. An upper quantile ignores the dips that a job's iterations
// leave in a sampled power and varies many times less, but it falls only when the machine is slow nearly all
// the time. Therefore both are kept. Peers enter as their median at the same moment, so that changes of the
// whole job cancel.
#include "fleet/scan/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lento::fleet {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// Returns the quantile, linear between order statistics. `values` is sorted.
float quantile(std::span<const float> values, double share) {
  const double at = share * double(values.size() - 1);
  const auto low = size_t(at);
  const size_t high = std::min(low + 1, values.size() - 1);
  return float(double(values[low]) + (at - double(low)) * double(values[high] - values[low]));
}

// Ranks one row among the peers from -1/2 to 1/2. Ties share their mean rank.
void rank_row(std::span<const float> row, const CellSource& s, std::vector<float>& ranks) {
  static thread_local std::vector<std::pair<float, size_t>> sorted;
  sorted.clear();
  ranks.assign(s.peers.size(), kMissing);
  for (size_t i = 0; i < s.peers.size(); ++i) {
    const float v = row[s.first + s.peers[i]];
    if (!std::isnan(v))
      sorted.emplace_back(v, i);
  }
  std::ranges::sort(sorted);
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin;
    while (end < sorted.size() && sorted[end].first == sorted[begin].first)
      ++end;
    const double rank = (double(begin + end) / 2) / double(sorted.size()) - 0.5;
    for (; begin < end; ++begin)
      ranks[sorted[begin].second] = float(rank);
  }
}

// Fills the means of a cell. A machine without half of its samples has none.
void fill_means(const CellSource& s, const Scale& scale, std::vector<float>& cells) {
  const size_t n = s.peers.size();
  std::vector<double> sums(n, 0);
  std::vector<double> raw(n, 0);
  std::vector<size_t> counts(n, 0);
  std::vector<float> ranks;
  for (size_t back = 0; back < s.rows_a_cell; ++back) {
    const auto row = s.rows.row(back);
    if (scale.law == Scale::Law::Rank)
      rank_row(row, s, ranks);
    for (size_t i = 0; i < n; ++i) {
      const float v = row[s.first + s.peers[i]];
      if (std::isnan(v))
        continue;
      const double level = double(scale.of(v));
      raw[i] += level;
      sums[i] += scale.law == Scale::Law::Rank ? double(ranks[i]) : level;
      ++counts[i];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    if (counts[i] == 0 || 2 * counts[i] < s.rows_a_cell)
      continue;
    cells[i * kChannels + kMean] = float(sums[i] / double(counts[i]));
    cells[i * kChannels + kRaw] = float(raw[i] / double(counts[i]));
  }
}

// Fills the upper and lower quantiles of a cell over the whole window of rows.
void fill_quantiles(const CellSource& s, const Scale& scale, std::vector<float>& cells) {
  std::vector<float> values;
  for (size_t i = 0; i < s.peers.size(); ++i) {
    values.clear();
    for (size_t back = 0; back < s.rows.rows(); ++back) {
      const float v = s.rows.row(back)[s.first + s.peers[i]];
      if (!std::isnan(v))
        values.push_back(v);
    }
    if (2 * values.size() < s.rows.rows())
      continue;
    std::ranges::sort(values);
    cells[i * kChannels + kUpper] = scale.of(quantile(values, 0.9));
    cells[i * kChannels + kLower] = scale.of(quantile(values, 0.1));
  }
}

// Subtracts the peers' median from one channel. Returns the median, NaN without values.
float subtract_peers(size_t channel, std::vector<float>& cells) {
  std::vector<float> values;
  for (size_t at = channel; at < cells.size(); at += kChannels) {
    if (!std::isnan(cells[at]))
      values.push_back(cells[at]);
  }
  if (values.empty())
    return kMissing;
  std::ranges::sort(values);
  const float middle = quantile(values, 0.5);
  for (size_t at = channel; at < cells.size(); at += kChannels)
    cells[at] -= middle;
  return middle;
}

}  // namespace

void RowWindow::push(std::span<const float> row) {
  std::ranges::copy(row, values_.begin() + std::ptrdiff_t((pushed_ % rows_) * width_));
  ++pushed_;
}

std::vector<float> gather(const CellSource& s) {
  std::vector<float> values;
  values.reserve(s.rows.rows() * s.peers.size());
  for (size_t back = s.rows.rows(); back-- > 0;) {
    for (const size_t m : s.peers)
      values.push_back(s.rows.row(back)[s.first + m]);
  }
  return values;
}

std::array<float, kChannels> fill_cells(const CellSource& s, const Scale& scale, std::vector<float>& cells) {
  cells.assign(s.peers.size() * kChannels, kMissing);
  fill_means(s, scale, cells);
  if (!scale.tied)
    fill_quantiles(s, scale, cells);
  std::array<float, kChannels> medians{};
  for (const Channel c : {kMean, kUpper, kLower})
    medians[c] = subtract_peers(c, cells);
  return medians;
}

}  // namespace lento::fleet
