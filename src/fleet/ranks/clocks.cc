// Estimates offset and drift of the hosts' clocks from two kinds of links between hosts a and b.
//
// Collectives: all members of an all-reduce, all-gather or barrier end nearly together. The difference of the
// ends (mean over the members of each host) is the offset. Its bias is bounded by the transfer: a slow sender
// ends early, the tail of a ring late.
//
// Pairs: a receive ends when its send has, end(b) - end(a) = offset + delay. The delay is nearly zero where
// the sender waits until its data is taken. Where it does not, the delay lasts until the receiver comes. The
// lowest delays of both directions bound the offset from both sides, and half their difference estimates it.
//
// Each link is cut into blocks of time, with a robust value a block and a line through the blocks, whose
// errors follow from their scatter. Offsets and drifts of all hosts follow by weighted least squares over the
// graph of links, reweighted so that a link that disagrees with its cycles counts less (Huber). Errors are
// those of the normal equations.
#include "fleet/ranks/clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "evidence/sample.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

struct Sample {
  int64_t at = 0;
  double value = 0;
};

struct Link {
  // The link measures the clock of b minus that of a.
  int a = 0;
  int b = 0;
  double at = 0;  // time of the offset, ns after the reference
  double offset = 0;
  double offset_error = 0;
  double bias = 0;
  double drift = 0;
  double drift_error = 0;
  bool drifts = false;  // the link is long enough to estimate the drift
};

using Series = std::vector<Sample>;

struct Graph {
  // Differences of clocks that collectives show, by host a, host b and index in Job::channels. Delays of
  // sends in both directions, by the lower host, the higher host and the bytes.
  std::map<std::tuple<int, int, int>, Series> together;
  std::map<std::tuple<int, int, int64_t>, std::pair<Series, Series>> delays;
};

// Adds the ends of a collective, which all members reach together, as readings of their hosts' clocks.
void add_collective(const Job& job, const Instance& i, int64_t reference, Graph& graph) {
  std::map<int, std::pair<double, int>> ends;  // host -> sum, count
  for (const Member& m : job.of(i)) {
    auto& [sum, count] = ends[job.ranks[m.rank].host];
    sum += double(job.record(m).end_ns - reference);
    ++count;
  }
  if (ends.size() < 2)
    return;
  const auto first = ends.begin();
  const double base = first->second.first / first->second.second;
  for (auto next = std::next(first); next != ends.end(); ++next) {
    const double end = next->second.first / next->second.second;
    graph.together[{first->first, next->first, i.channel}].push_back({int64_t(base), end - base});
  }
}

// Adds the delay from the end of a send to the end of its receive, unless both are on one host.
void add_pair(const Job& job, const Instance& i, int64_t reference, Graph& graph) {
  const Channel& c = job.channels[i.channel];
  const std::span<const Member> members = job.of(i);
  const Member& send = members[0].rank == c.from ? members[0] : members[1];
  const Member& recv = members[0].rank == c.from ? members[1] : members[0];
  const int a = job.ranks[send.rank].host;
  const int b = job.ranks[recv.rank].host;
  if (a == b)
    return;
  const int64_t sent = job.record(send).end_ns;
  const Sample delay{sent - reference, double(job.record(recv).end_ns - sent)};
  auto& [up, down] = graph.delays[{std::min(a, b), std::max(a, b), c.bytes}];
  (a < b ? up : down).push_back(delay);
}

// Collects the samples that relate the clocks of two hosts, from all collectives, sends and receives.
Graph collect(const Job& job, int64_t reference) {
  Graph graph;
  for (const Instance& i : job.instances) {
    const Channel& c = job.channels[i.channel];
    if (c.hosts.size() < 2)
      continue;
    if (c.from >= 0) {
      add_pair(job, i, reference, graph);
    } else if (is_symmetric(c.op)) {
      add_collective(job, i, reference, graph);
    }
  }
  return graph;
}

struct Block {
  double at = 0;
  double value = 0;
};

// Cuts a series into blocks with equal numbers of samples, by time.
template <typename Value>
std::vector<Block> blocks_of(Series series, Value value) {
  std::ranges::sort(series, [](const Sample& x, const Sample& y) {
    return x.at < y.at;
  });
  constexpr size_t kMostBlocks = 24;
  constexpr size_t kLeastSamples = 4;
  const size_t count = std::clamp<size_t>(series.size() / kLeastSamples, 1, kMostBlocks);
  std::vector<Block> out;
  for (size_t b = 0; b < count; ++b) {
    std::vector<double> values;
    double at = 0;
    for (size_t i = series.size() * b / count; i < series.size() * (b + 1) / count; ++i) {
      values.push_back(series[i].value);
      at += double(series[i].at);
    }
    out.push_back({at / double(values.size()), value(std::move(values))});
  }
  return out;
}

// Fits a line through blocks: value and slope at their mean time, with errors from their scatter.
void fit(const std::vector<Block>& blocks, Link& link) {
  const auto n = double(blocks.size());
  double at = 0;
  for (const Block& b : blocks)
    at += b.at / n;
  std::vector<double> values;
  for (const Block& b : blocks)
    values.push_back(b.value);
  link.at = at;
  if (blocks.size() < 4) {
    link.offset = evidence::median(values);
    link.offset_error = 1e6 / std::sqrt(n);
    return;
  }
  // Theil-Sen: the median slope between blocks, which a stray block does not move.
  std::vector<double> slopes;
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t j = i + 1; j < blocks.size(); ++j) {
      if (blocks[j].at > blocks[i].at)
        slopes.push_back((blocks[j].value - blocks[i].value) / (blocks[j].at - blocks[i].at));
    }
  }
  link.drift = evidence::median(slopes);
  std::vector<double> rest;
  double spread = 0;
  for (const Block& b : blocks) {
    rest.push_back(b.value - link.drift * (b.at - at));
    spread += (b.at - at) * (b.at - at);
  }
  link.offset = evidence::median(rest);
  double squares = 0;
  for (const double r : rest)
    squares += (r - link.offset) * (r - link.offset);
  const double deviation = std::sqrt(squares / (n - 2));
  // The standard error of a median of normal values is 1.25 times that of a mean. The floor is the resolution
  // of the clocks.
  link.offset_error = 1.25 * deviation / std::sqrt(n) + 1e3;
  link.drift_error = (1.25 * deviation + 1e3) / std::sqrt(std::max(spread, 1.0));
  link.drifts = spread > 0;
}

double middle(std::vector<double> values) {
  return evidence::median(std::move(values));
}
double low(std::vector<double> values) {
  return evidence::quantile(std::move(values), 0.05);
}

Series without_drift(Series series, double drift) {
  for (Sample& s : series)
    s.value -= drift * double(s.at);
  return series;
}

// Estimates the offset as half the difference of the lowest delays of both directions, block by block. A
// lowest delay may lie anywhere in its block, and in two minutes clocks diverge by milliseconds, so the drift
// of each pass is removed from the delays before the next.
Link fit_delays(const Series& forth, const Series& back) {
  constexpr int kPasses = 3;
  Link link;
  double drift = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::vector<Block> up = blocks_of(without_drift(forth, drift), low);
    const std::vector<Block> down = blocks_of(without_drift(back, -drift), low);
    std::vector<Block> half;
    double round = 0;
    for (size_t b = 0; b < std::min(up.size(), down.size()); ++b) {
      half.push_back({(up[b].at + down[b].at) / 2, (up[b].value - down[b].value) / 2});
      round += up[b].value + down[b].value;
    }
    link = {};
    fit(half, link);
    link.bias = std::max(1e3, std::abs(round) / double(half.size()) / 4);
    link.offset += drift * link.at;
    link.drift += drift;
    drift = link.drift;
  }
  return link;
}

// Returns the clock difference of each pair of hosts that communicate.
std::vector<Link> links_of(const Job& job, const std::vector<double>& transfer_ns, Graph& graph) {
  std::vector<std::vector<double>> transfers(job.channels.size());
  for (size_t i = 0; i < job.instances.size(); ++i) {
    if (!std::isnan(transfer_ns[i]))
      transfers[job.instances[i].channel].push_back(transfer_ns[i]);
  }
  std::vector<double> typical(job.channels.size(), 0);
  std::map<int, double> least;  // by shape
  for (size_t c = 0; c < job.channels.size(); ++c) {
    if (transfers[c].empty())
      continue;
    typical[c] = evidence::median(transfers[c]);
    const auto [found, fresh] = least.emplace(job.channels[c].shape, typical[c]);
    found->second = std::min(found->second, typical[c]);
  }
  std::vector<Link> links;
  for (auto& [key, series] : graph.together) {
    const int channel = std::get<2>(key);
    Link link;
    link.a = std::get<0>(key);
    link.b = std::get<1>(key);
    fit(blocks_of(std::move(series), middle), link);
    // The bias of the measured offset is at most a quarter of the transfer time, plus the excess of that
    // time over the fastest channel with the same operation, size and number of ranks and hosts. An excess
    // means that one end is slow.
    const double beyond = typical[channel] - least[job.channels[channel].shape];
    link.bias = typical[channel] / 4 + std::max(0.0, beyond);
    links.push_back(link);
  }
  for (auto& [key, both] : graph.delays) {
    if (both.first.size() < 2 || both.second.size() < 2)
      continue;
    Link link = fit_delays(both.first, both.second);
    link.a = std::get<0>(key);
    link.b = std::get<1>(key);
    links.push_back(link);
  }
  return links;
}

// Solves symmetric positive definite normal equations by Cholesky. The diagonal of the inverse holds the
// variances of the unknowns.
class Normal {
 public:
  explicit Normal(size_t n)
      : n_(n),
        matrix_(n * n, 0),
        right_(n, 0) {
  }

  // Adds a measured difference between two clocks to the equations.
  void add(int a, int b, double value, double weight) {
    touch(a, a, weight);
    touch(b, b, weight);
    touch(a, b, -weight);
    touch(b, a, -weight);
    if (a > 0)
      right_[a - 1] -= weight * value;
    if (b > 0)
      right_[b - 1] += weight * value;
  }

  // Host 0 is the origin and not among the unknowns.
  void solve(std::vector<double>& value, std::vector<double>& variance) {
    for (size_t i = 0; i < n_; ++i)
      matrix_[i * n_ + i] += 1e-30;
    for (size_t j = 0; j < n_; ++j) {
      for (size_t i = j; i < n_; ++i) {
        double sum = matrix_[i * n_ + j];
        for (size_t k = 0; k < j; ++k)
          sum -= matrix_[i * n_ + k] * matrix_[j * n_ + k];
        matrix_[i * n_ + j] = i == j ? std::sqrt(std::max(sum, 1e-40)) : sum / matrix_[j * n_ + j];
      }
    }
    value.assign(n_ + 1, 0);
    variance.assign(n_ + 1, 0);
    std::vector<double> x = right_;
    forward(x, 0);
    back(x);
    std::ranges::copy(x, value.begin() + 1);
    // The variance of an unknown is the squared length of its column in the inverse of the Cholesky factor,
    // which has only zeros above the diagonal.
    for (size_t i = 0; i < n_; ++i) {
      std::vector<double> unit(n_, 0);
      unit[i] = 1;
      forward(unit, i);
      for (size_t k = i; k < n_; ++k)
        variance[i + 1] += unit[k] * unit[k];
    }
  }

 private:
  void touch(int row, int column, double weight) {
    if (row > 0 && column > 0)
      matrix_[(row - 1) * n_ + (column - 1)] += weight;
  }
  // Solves the lower triangular system for the values from `from` on.
  void forward(std::vector<double>& x, size_t from) const {
    for (size_t i = from; i < n_; ++i) {
      for (size_t k = from; k < i; ++k)
        x[i] -= matrix_[i * n_ + k] * x[k];
      x[i] /= matrix_[i * n_ + i];
    }
  }
  // Solves the upper triangular system.
  void back(std::vector<double>& x) const {
    for (size_t i = n_; i-- > 0;) {
      for (size_t k = i + 1; k < n_; ++k)
        x[i] -= matrix_[k * n_ + i] * x[k];
      x[i] /= matrix_[i * n_ + i];
    }
  }

  size_t n_;
  std::vector<double> matrix_;
  std::vector<double> right_;
};

struct Unknown {
  std::vector<double> value;
  std::vector<double> variance;
};

// Solves least squares over links, reweighted by their distance from the common solution.
template <typename Value, typename Error>
Unknown solve(size_t hosts, const std::vector<Link>& links, Value value, Error error) {
  constexpr int kRounds = 6;
  constexpr double kHuber = 1.5;
  Unknown u;
  u.value.assign(hosts, 0);
  u.variance.assign(hosts, 0);
  if (hosts < 2)
    return u;
  for (int round = 0; round < kRounds; ++round) {
    Normal normal(hosts - 1);
    for (const Link& l : links) {
      const double e = error(l);
      if (!(e > 0))
        continue;
      double weight = 1 / (e * e);
      const double off = std::abs(value(l) - (u.value[l.b] - u.value[l.a])) / e;
      if (round > 0 && off > kHuber)
        weight *= kHuber / off;
      normal.add(l.a, l.b, value(l), weight);
    }
    normal.solve(u.value, u.variance);
  }
  return u;
}

// Returns for each host the number of the connected part of the graph of links that it belongs to.
std::vector<int> groups_of(size_t hosts, const std::vector<Link>& links) {
  std::vector<int> root(hosts);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int h) {
    while (root[h] != h)
      h = root[h] = root[root[h]];
    return h;
  };
  for (const Link& l : links)
    root[std::max(find(l.a), find(l.b))] = std::min(find(l.a), find(l.b));
  for (size_t h = 0; h < hosts; ++h)
    root[h] = find(int(h));
  return root;
}

// Returns the middle of the recorded time, in nanoseconds.
int64_t middle_time(const Job& job) {
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (const JobRank& r : job.ranks) {
    if (r.trace->records.empty())
      continue;
    first = std::min(first, r.trace->records.front().begin_ns);
    last = std::max(last, r.trace->records.back().end_ns);
  }
  return first > last ? 0 : first + (last - first) / 2;
}

}  // namespace

Clocks align_clocks(const Job& job, const std::vector<double>& transfer_ns) {
  Clocks clocks;
  clocks.reference_ns = middle_time(job);
  clocks.hosts.resize(job.hosts.size());
  Graph graph = collect(job, clocks.reference_ns);
  std::vector<Link> links = links_of(job, transfer_ns, graph);
  clocks.rejected = std::erase_if(links, [](const Link& l) {
    return std::abs(l.drift) > tuning::kMostDrift + 3 * l.drift_error;
  });
  clocks.links = links.size();
  const std::vector<int> groups = groups_of(job.hosts.size(), links);
  clocks.groups = 0;
  for (size_t h = 0; h < groups.size(); ++h)
    clocks.groups += groups[h] == int(h);

  const Unknown drift = solve(
      job.hosts.size(),
      links,
      [](const Link& l) {
        return l.drift;
      },
      [](const Link& l) {
        return l.drifts ? l.drift_error : 0;
      });
  const auto at_reference = [&](const Link& l) {
    return l.offset - (drift.value[l.b] - drift.value[l.a]) * l.at;
  };
  const Unknown offset = solve(job.hosts.size(), links, at_reference, [](const Link& l) {
    return std::hypot(l.offset_error, l.bias);
  });
  std::vector<double> residuals;
  for (const Link& l : links)
    residuals.push_back(std::abs(at_reference(l) - (offset.value[l.b] - offset.value[l.a])));
  clocks.residual_ns = evidence::median(residuals);
  for (size_t h = 0; h < job.hosts.size(); ++h) {
    HostClock& c = clocks.hosts[h];
    c.aligned = groups[h] == 0;
    c.offset_ns = c.aligned ? offset.value[h] : 0;
    c.offset_error_ns = std::sqrt(offset.variance[h]);
    c.drift = c.aligned ? drift.value[h] : 0;
    // 2.3 instead of 1.96, because the error itself is estimated from some twenty blocks, and blocks are not
    // independent.
    const double margin = h == 0 ? 0 : std::min(2.3 * std::sqrt(drift.variance[h]), 2 * tuning::kMostDrift);
    c.drift95 = {c.drift - margin, c.drift + margin};
  }
  return clocks;
}

}  // namespace lento::fleet::ranks
