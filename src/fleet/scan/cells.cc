// Computes means and quantiles of cells. A mean contains every loss, however short. An upper quantile ignores
// the dips that a job's iterations leave in sampled power and varies many times less, but it falls only when
// the machine is slow nearly all the time. The peers' median at the same time is subtracted, so that changes
// of the whole job cancel.
#include "fleet/scan/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lento::fleet {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

constexpr std::array<Statistic, 2> kQuantiles{kUpper, kLower};
constexpr std::array<double, 2> kShares{0.9, 0.1};

// Returns the quantile, linear between order statistics.
float quantile_reordering(std::span<float> values, double share) {
  const double at = share * double(values.size() - 1);
  const auto low = values.begin() + std::ptrdiff_t(at);
  std::ranges::nth_element(values, low);
  const auto high = std::min_element(low + 1, values.end());
  return high == values.end() ? *low : *low + float(at - std::floor(at)) * (*high - *low);
}

// Replaces the values of one row by their ranks among the peers, from -1/2 to 1/2. Ties share their mean
// rank.
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

// Fills kMean and kRaw of the cells. They stay NaN for a machine without half of its samples.
void fill_means(const CellSource& s, const Scale& scale, std::vector<float>& cells) {
  const size_t n = s.peers.size();
  std::vector<double> sums(n, 0);
  std::vector<double> raw(n, 0);
  std::vector<size_t> counts(n, 0);
  std::vector<float> ranks;
  for (size_t back = 0; back < s.rows_a_cell; ++back) {
    const auto row = s.rows.row(s.back + back);
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
    cells[i * kStatistics + kMean] = float(sums[i] / double(counts[i]));
    cells[i * kStatistics + kRaw] = float(raw[i] / double(counts[i]));
  }
}

// Fills the upper and lower quantiles of the cells over all rows of the window. The peers' quantile in the
// same row is subtracted from each sample, so that a dip of many machines in one row cancels. `quantiles`
// holds these quantiles by row on the metric's scale.
void fill_quantiles(
    const CellSource& s,
    const Scale& scale,
    std::span<const PeerQuantiles> quantiles,
    std::vector<float>& cells) {
  std::array<std::vector<float>, 2> values;
  for (size_t i = 0; i < s.peers.size(); ++i) {
    for (std::vector<float>& side : values)
      side.clear();
    for (size_t back = 0; back < s.rows.rows(); ++back) {
      const float v = s.rows.row(back)[s.first + s.peers[i]];
      if (std::isnan(v))
        continue;
      const float level = scale.of(v);
      for (const size_t side : {0, 1})
        values[side].push_back(level - quantiles[back][side]);
    }
    for (const size_t side : {0, 1}) {
      if (2 * values[side].size() >= s.rows.rows())
        cells[i * kStatistics + kQuantiles[side]] = quantile_reordering(values[side], kShares[side]);
    }
  }
}

// Subtracts the peers' median from one statistic of all cells. Returns the median, NaN without values.
float subtract_peers(size_t statistic, std::vector<float>& cells) {
  std::vector<float> values;
  for (size_t at = statistic; at < cells.size(); at += kStatistics) {
    if (!std::isnan(cells[at]))
      values.push_back(cells[at]);
  }
  if (values.empty())
    return kMissing;
  const float middle = quantile_reordering(values, 0.5);
  for (size_t at = statistic; at < cells.size(); at += kStatistics)
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

PeerQuantiles peer_quantiles_of(const CellSource& s) {
  static thread_local std::vector<float> values;
  values.clear();
  for (const size_t m : s.peers) {
    if (const float v = s.rows.row(0)[s.first + m]; !std::isnan(v))
      values.push_back(v);
  }
  if (values.empty())
    return {kMissing, kMissing};
  return {quantile_reordering(values, kShares[0]), quantile_reordering(values, kShares[1])};
}

CellPeers fill_cells(
    const CellSource& s,
    const Scale& scale,
    const std::deque<PeerQuantiles>& quantiles,
    std::vector<float>& cells) {
  cells.assign(s.peers.size() * kStatistics, kMissing);
  fill_means(s, scale, cells);
  std::vector<PeerQuantiles> levels;
  for (const PeerQuantiles& row : quantiles)
    levels.push_back({scale.of(row[0]), scale.of(row[1])});
  if (!scale.tied)
    fill_quantiles(s, scale, levels, cells);
  CellPeers peers;
  for (const Statistic c : {kMean, kUpper, kLower})
    peers.median[c] = subtract_peers(c, cells);
  peers.level = peers.median;
  std::vector<float> row;
  for (const size_t side : {0, 1}) {
    row.clear();
    for (const PeerQuantiles& level : levels) {
      if (!std::isnan(level[side]))
        row.push_back(level[side]);
    }
    peers.level[kQuantiles[side]] = row.empty() ? kMissing : quantile_reordering(row, kShares[side]);
  }
  return peers;
}

}  // namespace lento::fleet
