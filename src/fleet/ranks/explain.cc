// Finds the parts of the network that explain the slow channels (one communicator, operation and size each).
// A candidate part predicts that every channel that crosses it is slow and no other. Its score is the number
// of slow channels that it explains, minus the number of informative quick channels that cross it. The best
// part is taken, the channels that it explains are removed, and the search continues with the others. A
// quick channel is informative only when other channels of its shape (operation, size, number of ranks and
// of hosts) are slow, or when it moves at least as many bytes as the smallest slow one.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "evidence/sample.h"
#include "fleet/ranks/transfers.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

using Kind = Component::Kind;
using Key = std::tuple<Kind, int, int>;

// Returns every part of the network that the collectives of a channel cross.
std::vector<Key> crossed(const Job& job, const Channel& c, const std::vector<int>& switch_of) {
  std::vector<Key> out;
  if (c.hosts.size() <= 1) {
    if (c.hosts.size() == 1)
      out.push_back({Kind::HostFabric, c.hosts[0], -1});
    for (const int r : c.ranks)
      out.push_back({Kind::GpuLink, r, -1});
    return out;
  }
  out.push_back({Kind::Network, -1, -1});
  std::set<int> switches;
  for (const int h : c.hosts) {
    out.push_back({Kind::Nic, h, -1});
    if (!switch_of.empty() && switch_of[h] >= 0)
      switches.insert(switch_of[h]);
  }
  for (const int s : switches)
    out.push_back({Kind::Switch, s, -1});
  for (const int r : c.ranks)
    out.push_back({Kind::RankNic, r, -1});
  if (c.hosts.size() == 2)
    out.push_back({Kind::HostPair, c.hosts[0], c.hosts[1]});
  if (c.from >= 0) {
    out.push_back({Kind::NicOut, job.ranks[c.from].host, -1});
    out.push_back({Kind::NicIn, job.ranks[c.to].host, -1});
    return out;
  }
  for (const int h : c.hosts) {
    out.push_back({Kind::NicOut, h, -1});
    out.push_back({Kind::NicIn, h, -1});
  }
  return out;
}

// Returns the place of a kind of part in the order in which parts that explain the same channels are
// preferred, the preferred one lowest: simpler and larger parts first, the whole NIC before one direction of
// it.
int preference(Kind kind) {
  switch (kind) {
    case Kind::Nic:
      return 0;
    case Kind::HostFabric:
      return 0;
    case Kind::NicOut:
      return 1;
    case Kind::NicIn:
      return 2;
    case Kind::RankNic:
      return 3;
    case Kind::GpuLink:
      return 3;
    case Kind::HostPair:
      return 4;
    case Kind::Switch:
      return 5;
    case Kind::Network:
      return 6;
  }
  return 7;
}

struct Explainer {
  const Job& job;
  const TransferVerdict& v;
  const std::vector<int>& switch_of;
  std::vector<bool> open;       // slow and not explained yet
  std::vector<bool> explained;  // slow, by a part that was found
  std::map<Key, std::vector<int>> crossing = {};
  int64_t slow_bytes = INT64_MAX;
  std::set<int> shown = {};  // shapes that have slow channels

  // Lists the channels (job.h) that cross each part of the network, and the shapes that have slow channels.
  void index() {
    std::map<int, std::pair<int, int>> by_shape;  // slow, quick
    for (size_t c = 0; c < job.channels.size(); ++c) {
      if (!v.channels[c].judged)
        continue;
      for (const Key& key : crossed(job, job.channels[c], switch_of))
        crossing[key].push_back(int(c));
      auto& [slow, quick] = by_shape[job.channels[c].shape];
      (v.channels[c].slow ? slow : quick) += 1;
      if (v.channels[c].slow)
        slow_bytes = std::min(slow_bytes, job.channels[c].bytes);
    }
    for (const auto& [shape, counts] : by_shape) {
      if (counts.first > 0)
        shown.insert(shape);
    }
  }

  bool informs(int channel) const {
    const Channel& c = job.channels[channel];
    return shown.contains(c.shape) || c.bytes >= slow_bytes;
  }

  // Returns the most significant of the stretches of steps in which these channels are slow.
  const Stretch& clearest(const std::vector<int>& hits) const {
    const auto most = std::ranges::max_element(hits, {}, [&](int c) {
      return v.channels[c].stretch.significance;
    });
    return v.channels[*most].stretch;
  }

  // Returns the mean log ratio of a channel's transfer time to its undisturbed time in the steps of
  // `window`, NaN without a transfer in them.
  double excess_in(const Stretch& window, int channel) const {
    double sum = 0;
    int count = 0;
    for (int s = window.begin; s < window.end; ++s) {
      const double log_ns = v.channels[channel].log_ns[s];
      if (std::isnan(log_ns))
        continue;
      sum += log_ns - std::log(v.channels[channel].undisturbed_ns);
      ++count;
    }
    return count > 0 ? sum / count : NAN;
  }

  // Returns whether the excess of a channel that is not judged slow exceeds half of the median excess of the
  // part's slow channels. A mild fault leaves some channels just below the threshold.
  bool shows_it(const Component& part, int channel) const {
    std::vector<double> excess;
    for (const int c : part.hits)
      excess.push_back(v.channels[c].stretch.mean);
    return excess_in(clearest(part.hits), channel) > 0.5 * evidence::median(excess);
  }

  // Returns the part of the network that `key` names, with the channels that cross it: the slow ones that no
  // part explains yet, and the informative others.
  Component candidate(const Key& key, const std::vector<int>& channels) const {
    Component part;
    part.kind = std::get<0>(key);
    part.a = std::get<1>(key);
    part.b = std::get<2>(key);
    std::map<int, int> inside;  // shape -> channels that cross the part
    for (const int c : channels)
      ++inside[job.channels[c].shape];
    for (const int c : channels) {
      if (open[c])
        part.hits.push_back(c);
    }
    if (part.hits.empty())
      return part;
    for (const int c : channels) {
      const int shape = job.channels[c].shape;
      const bool comparable = shown.contains(shape) || inside[shape] < v.shapes[shape].channels;
      if (v.channels[c].slow || !informs(c) || !comparable)
        continue;
      (shows_it(part, c) ? part.near : part.misses).push_back(c);
    }
    return part;
  }

  // Returns whether x explains the slow channels better: by score, then by kind of part.
  static bool better(const Component& x, const Component& y) {
    if (x.score() != y.score())
      return x.score() > y.score();
    if (preference(x.kind) != preference(y.kind))
      return preference(x.kind) < preference(y.kind);
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  }

  // Returns the parts of the network that slow channels cross and of whose channels most are slow, the best
  // part first.
  std::vector<Component> candidates() const {
    std::vector<Component> out;
    for (const auto& [key, channels] : crossing) {
      Component part = candidate(key, channels);
      const auto shown_by = double(part.hits.size() + part.near.size());
      const double all = shown_by + double(part.misses.size());
      if (part.hits.empty() || shown_by < tuning::kShareOfWhole * all)
        continue;
      out.push_back(std::move(part));
    }
    std::ranges::sort(out, better);
    return out;
  }

  // Returns the 10 % quantile of the log excess, in the steps of `window`, over the channels of a shape that
  // do not cross the part. The part does not cause an excess that these have too, for instance one from a
  // busy machine. Returns 0 when there is no such channel.
  double shared_excess(const Stretch& window, const std::vector<int>& part_channels, int shape) const {
    std::vector<double> others;
    for (size_t c = 0; c < job.channels.size(); ++c) {
      if (job.channels[c].shape != shape || !v.channels[c].judged || explained[c] ||
          std::ranges::count(part_channels, int(c)) > 0)
        continue;
      const double excess = excess_in(window, int(c));
      if (!std::isnan(excess))
        others.push_back(excess);
    }
    return others.empty() ? 0 : std::max(0.0, evidence::quantile(std::move(others), 0.1));
  }

  // Returns how far all channels that cross a part lie above the mean of healthy channels while the part is
  // slow, in standard errors of their sum. The undisturbed time is a lower quartile, 0.674 deviations below
  // that mean.
  double strength(const Component& part) const {
    constexpr double kQuartile = 0.674;
    const Stretch& window = clearest(part.hits);
    std::vector<int> all = part.hits;
    all.insert(all.end(), part.near.begin(), part.near.end());
    all.insert(all.end(), part.misses.begin(), part.misses.end());
    std::map<int, double> shared;  // by shape
    // Channels of the same ranks deviate together from the others of their shape, so they count once, with
    // their mean.
    std::map<std::vector<int>, std::pair<double, int>> groups;
    for (const int c : all) {
      const int shape = job.channels[c].shape;
      if (!shared.contains(shape))
        shared[shape] = shared_excess(window, all, shape);
      const double excess = excess_in(window, c) - shared[shape];
      if (std::isnan(excess))
        continue;
      auto& [sum, count] = groups[job.channels[c].ranks];
      sum += excess / v.shapes[shape].spread - kQuartile;
      ++count;
    }
    double sum = 0;
    for (const auto& [ranks, group] : groups)
      sum += group.first / group.second;
    return groups.empty() ? 0 : sum / std::sqrt(double(groups.size()));
  }

  // Describes the best part of the network and those that explain the slow channels equally well.
  SlowPart describe(const std::vector<Component>& found) const {
    SlowPart slow;
    slow.part = found[0];
    for (size_t i = 1; i < found.size(); ++i) {
      const Component& other = found[i];
      if (other.score() < slow.part.score())
        break;
      slow.alternatives.push_back(other);
    }
    std::vector<double> series(job.steps, NAN);
    std::vector<double> factors;
    for (int s = 0; s < job.steps; ++s) {
      double sum = 0;
      int count = 0;
      for (const int c : slow.part.hits) {
        const ChannelTime& time = v.channels[c];
        if (std::isnan(time.log_ns[s]))
          continue;
        sum += time.log_ns[s] - std::log(time.undisturbed_ns);
        ++count;
      }
      if (count > 0)
        series[s] = sum / count;
    }
    for (const int c : slow.part.hits)
      factors.push_back(v.channels[c].stretch.mean);
    slow.factor = std::exp(evidence::median(factors));
    slow.stretch = best_stretch(series, std::log(slow.factor) / 2);
    return slow;
  }
};

}  // namespace

// Explains the slow channels by as few parts of the network as possible, at most eight.
std::vector<SlowPart>
explain_channels(const Job& job, const TransferVerdict& verdict, const std::vector<int>& switch_of) {
  constexpr size_t kMostParts = 8;
  Explainer e{job, verdict, switch_of, {}, std::vector<bool>(job.channels.size(), false)};
  for (const ChannelTime& c : verdict.channels)
    e.open.push_back(c.slow);
  e.index();
  std::vector<SlowPart> parts;
  while (parts.size() < kMostParts) {
    const std::vector<Component> found = e.candidates();
    if (found.empty())
      break;
    const bool strong = e.strength(found[0]) >= tuning::kLeastPartSpread;
    if (strong)
      parts.push_back(e.describe(found));
    for (const int c : found[0].hits) {
      e.open[c] = false;
      e.explained[c] = strong;
    }
  }
  return parts;
}

std::string text(const Job& job, const Component& part, const std::vector<std::string>& switches) {
  const auto host = [&](int h) {
    return job.hosts[h].name;
  };
  switch (part.kind) {
    case Kind::Nic:
      return "NIC of " + host(part.a);
    case Kind::NicOut:
      return "NIC of " + host(part.a) + ", sending";
    case Kind::NicIn:
      return "NIC of " + host(part.a) + ", receiving";
    case Kind::RankNic:
      return "NIC of " + job.ranks[part.a].label + " on " + host(job.ranks[part.a].host);
    case Kind::HostFabric:
      return "links inside " + host(part.a);
    case Kind::GpuLink:
      return "link of the GPU of " + job.ranks[part.a].label + " on " + host(job.ranks[part.a].host);
    case Kind::HostPair:
      return "path between " + host(part.a) + " and " + host(part.b);
    case Kind::Switch:
      return "switch " + switches[part.a];
    case Kind::Network:
      return "network between hosts";
  }
  return "";
}

int host_of(const Job& job, const Component& part) {
  using Kind = Component::Kind;
  switch (part.kind) {
    case Kind::Nic:
    case Kind::NicOut:
    case Kind::NicIn:
    case Kind::HostFabric:
      return part.a;
    case Kind::RankNic:
    case Kind::GpuLink:
      return job.ranks[part.a].host;
    default:
      return -1;
  }
}

}  // namespace lento::fleet::ranks
