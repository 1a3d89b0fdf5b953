// Searches for classes with a slow server. Simulates the recorded issues with one server of a class slowed,
// and compares the tails with the recorded ones. The factor of the best classes is refined by steps whose
// logarithm halves. Cost: one simulation per class and factor. Of long programs only the classes that the
// search of slowed transfers ranked first are simulated (kServedEvents).
#include "chip/fabric/served_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "chip/fabric/tuning.h"

namespace lento::chip {
namespace {

class Search {
 public:
  Search(
      const Recorded& recorded,
      const std::vector<CandidateClass>& classes,
      const Timeline& stamped,
      double healthy)
      : recorded_(recorded),
        classes_(classes),
        stamped_(stamped),
        waits_(stamped.compared.waits),
        healthy_(healthy) {
    for (size_t i = 0; i < waits_.size(); ++i)
      wait_at_[{waits_[i].stream, stamped.played.waits[waits_[i].wait].record}] = i;
    std::map<std::string, int> servers;  // servers by name; the name of a component gives its memory
    for (int id = 0; id < recorded.fabric.server_count(); ++id)
      servers[recorded.fabric.server_name(id)] = id;
    for (const CandidateClass& each : classes)
      server_.push_back(slowest_of(each, servers));
    out_.best.resize(classes.size());
    distance_.assign(classes.size(), std::numeric_limits<double>::infinity());
    factor_.assign(classes.size(), 1);
  }

  // Simulates the classes of order_of() with kServedFactors, and refines the factors of those whose tails fit
  // best. Returns the best hypothesis of each class.
  ServedSearch run(const std::vector<Hypothesis>& slowed) {
    std::vector<size_t> order = order_of(slowed);
    out_.played = order.size();
    for (const size_t index : order)
      for (const double factor : kServedFactors)
        attempt(index, factor);
    std::ranges::stable_sort(order, {}, [this](size_t index) {
      return distance_[index];
    });
    order.resize(std::min(order.size(), kServedRefined));
    for (const size_t index : order)
      sharpen(index);
    return std::move(out_);
  }

 private:
  // Returns the classes to simulate, as many as kServedEvents allows: those with the most evidence in the
  // search of slowed transfers first, and among equals those with the most transfers.
  std::vector<size_t> order_of(const std::vector<Hypothesis>& slowed) const {
    std::vector<size_t> order(classes_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, [&](size_t a, size_t b) {
      if (slowed[a].evidence != slowed[b].evidence)
        return slowed[a].evidence > slowed[b].evidence;
      return classes_[a].transfers.size() > classes_[b].transfers.size();
    });
    double events = 0;
    for (const PlayedTransfer& t : stamped_.played.transfers)
      events += double(stamped_.played.routes[size_t(t.route)].size());
    const double plays = kServedEvents / std::max(1.0, events) / std::size(kServedFactors);
    order.resize(std::min(order.size(), std::max(kServedLeast, size_t(plays))));
    return order;
  }

  // Multiplies and divides the factor of a class by smaller and smaller steps, and repeats a step as long as
  // the tails come nearer to the recorded ones.
  void sharpen(size_t index) {
    for (double step = kServedStep; step > 1.02; step = std::sqrt(step))
      for (const double each : {step, 1 / step})
        while (attempt(index, factor_[index] * each)) {
        }
  }

  // Tries a factor and keeps it when it has the most evidence. Returns whether its tails are nearer to the
  // recorded ones than those of all factors tried so far.
  bool attempt(size_t index, double factor) {
    const int server = server_[index];
    if (server < 0 || factor > kMostFactor || factor <= 1)
      return false;
    Hypothesis h{Effect::Serves, factor};
    h.tails = tails_with({server, factor});
    std::vector<double> ratio;
    std::vector<uint32_t> sort;
    for (size_t i = 0; i < waits_.size(); ++i) {
      h.waits += h.tails[i] != 0;
      ratio.push_back(std::log(waits_[i].tail / waits_[i].modelled) - h.tails[i]);
      sort.push_back(waits_[i].pattern);
    }
    const Ends ends(
        std::move(ratio),
        std::move(sort),
        stamped_.compared.patterns,
        recorded_.earlier != nullptr);
    h.fit = ends.healthy();
    h.evidence = h.fit.likelihood - healthy_ - kServedCost;
    h.stream = stamped_.compared.streams;
    double distance = 0;
    for (const double r : h.fit.residual)
      distance += std::abs(r);
    if (h.evidence > out_.best[index].evidence)
      out_.best[index] = std::move(h);
    if (distance >= distance_[index])
      return false;
    distance_[index] = distance;
    factor_[index] = factor;
    return true;
  }

  // Returns for each compared wait the log of the slow tail over the healthy tail. Transfers are issued at
  // their recorded times in both simulations.
  std::vector<double> tails_with(const Slowdown& slow) const {
    PlayOptions options;
    options.issue = Issue::Stamps;
    options.slow = {slow};
    std::vector<double> out(waits_.size(), 0);
    for (const PlayedWait& wait : play(recorded_.fabric, recorded_.trace, options).waits) {
      const auto found = wait_at_.find({wait.stream, wait.record});
      if (found == wait_at_.end())
        continue;
      const ComparedWait& healthy = waits_[found->second];
      out[found->second] = std::log(std::max(1.0, wait.end - healthy.last_issue) / healthy.played);
    }
    return out;
  }

  // Returns the server of a class that takes longest when healthy. It needs the smallest factor to explain
  // the same delay.
  int slowest_of(const CandidateClass& candidate, const std::map<std::string, int>& servers) const {
    int slowest = -1;
    double most = 0;
    for (const std::string& name : candidate.members) {
      const auto found = servers.find(name);
      if (found == servers.end())
        continue;
      const Server& server = recorded_.fabric.server(found->second);
      const double time = packet_cycles(server);
      if (time <= most)
        continue;
      most = time;
      slowest = found->second;
    }
    return slowest;
  }

  const Recorded& recorded_;
  const std::vector<CandidateClass>& classes_;
  const Timeline& stamped_;
  const std::vector<ComparedWait>& waits_;
  double healthy_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> wait_at_;  // stream, record -> index into waits_
  // Vectors by class.
  std::vector<int> server_;  // by class; -1: none
  // The smallest sum of absolute residuals (EndsFit::residual) over the compared waits, and the factor that
  // gave it.
  std::vector<double> distance_;
  std::vector<double> factor_;
  ServedSearch out_;
};

}  // namespace

ServedSearch search_served(
    const Recorded& recorded,
    const std::vector<CandidateClass>& classes,
    const Timeline& stamped,
    double healthy,
    const std::vector<Hypothesis>& slowed) {
  return Search(recorded, classes, stamped, healthy).run(slowed);
}

}  // namespace lento::chip
