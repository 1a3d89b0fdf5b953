// Searches for classes that delay waits. Tries factors and spreads on each time line, keeps the hypothesis
// with the most evidence, and repeats the search for the best classes after the waits that they delayed were
// moved to their healthy ends (slowed_search.h). Factors that many waits agree on are tried first, then a
// fixed grid. Cost: one fit per class, factor and spread.
#include "chip/fabric/slowed_search.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "chip/fabric/slowed_waits.h"
#include "chip/fabric/tuning.h"

namespace lento::chip {
namespace {

// Returns the factors that most waits agree on, the most common first. `factors` holds the factor that each
// wait implies, ascending.
std::vector<double> most_common_factors(const std::vector<double>& factors) {
  std::vector<std::pair<int, double>> by_count;
  for (const double factor : factors) {
    if (factor < kLeastFactor || factor > kMostFactor)
      continue;
    const auto low = std::ranges::lower_bound(factors, factor * (1 - kAgree));
    const auto high = std::ranges::upper_bound(factors, factor * (1 + kAgree));
    by_count.emplace_back(-int(high - low), factor);
  }
  std::ranges::stable_sort(by_count);
  std::vector<double> out;
  for (const auto& [count, factor] : by_count) {
    const auto near = [factor = factor](double other) {
      return std::abs(factor / other - 1) < kAgree / 2;
    };
    if (std::ranges::none_of(out, near))
      out.push_back(factor);
    if (out.size() == kSharpFactors)
      break;
  }
  return out;
}

// Returns the largest number of compared waits of any processor.
uint32_t most_waits(const Timeline& line) {
  std::map<uint32_t, uint32_t> count;
  uint32_t most = 0;
  for (const ComparedWait& wait : line.compared.waits)
    most = std::max(most, ++count[wait.stream]);
  return most;
}

// Returns for each wait the standard deviation of log(recorded length / simulated length). A processor's
// first wait is simulated with the recorded traffic. The traffic of its later waits is only approximately
// that of the recording, so their spread is larger.
std::vector<double> spreads_of(const std::vector<ComparedWait>& waits, const SlowSpread& slow) {
  std::vector<double> out;
  out.reserve(waits.size());
  for (const ComparedWait& wait : waits)
    out.push_back(wait.number == 0 ? slow.first : slow.later);
  return out;
}

}  // namespace

SlowedSearch::SlowedSearch(const Recorded& recorded, const std::vector<CandidateClass>& classes)
    : recorded_(recorded),
      classes_(classes) {
  for (size_t i = 0; i < classes.size(); ++i)
    by_members_[classes[i].members] = i;
}

// Searches all classes on one time line. Transfers are numbered in the order of their issue, which differs
// between time lines, so the classes are formed again and matched by their members.
void SlowedSearch::search(const Timeline& line, double healthy, std::vector<Hypothesis>& best) const {
  for (const CandidateClass& each : candidate_classes(recorded_.fabric, recorded_.trace, line.played)) {
    const auto found = by_members_.find(each.members);
    if (found != by_members_.end())
      try_class(each, line, healthy, best[found->second]);
  }
}

// Tries factors for one class of components and keeps the hypothesis with the most evidence.
void SlowedSearch::try_class(
    const CandidateClass& candidate,
    const Timeline& line,
    double healthy,
    Hypothesis& best) const {
  const std::vector<ComparedWait>& waits = line.compared.waits;
  const double completion = recorded_.fabric.sheet().completion_cycles;
  const SlowedWaits slowed(candidate, line.played, waits, line.wait_of, completion);
  if (slowed.count() == 0)
    return;
  const auto consider = [&](double factor, const SlowSpread& slow) {
    Hypothesis h{Effect::Holds, factor, slow};
    h.bound = slowed.bounds(factor);
    h.fit = line.ends->fit(h.bound, spreads_of(waits, slow));
    if (is_sharp(h) && h.fit.waits_ended < kSharpWaits - 0.5)
      return;
    // The log of a prior: the width of the range of factors that explain the waits equally well, over that of
    // all factors (both of the logarithm).
    const double room = slow.first * 2.5 / std::sqrt(std::max(1.0, h.fit.waits_ended));
    h.evidence = h.fit.likelihood - healthy + std::log(std::min(1.0, room / kFactorRange));
    if (h.evidence <= best.evidence)
      return;
    h.support = best.support;
    h.supported = best.supported;
    h.waits = uint32_t(slowed.count());
    h.stream = line.compared.streams;
    best = std::move(h);
  };
  for (const double factor : most_common_factors(slowed.factors()))
    for (const SlowSpread& slow : kSharpSpreads)
      consider(factor, slow);
  for (const double factor : kFactors)
    consider(factor, kBroadSpread);
}

// Refines the best hypotheses. A transfer that the slow component delayed has shifted all later transfers of
// its processor, so the simulation is wrong after such a wait. Each round moves one delayed wait of each
// processor to its healthy end and searches again.
void SlowedSearch::refine(const Timeline& stamped, std::vector<Hypothesis>& best) const {
  const uint32_t rounds = std::min(kPutBack, most_waits(stamped));
  if (recorded_.earlier || rounds < 2)
    return;
  std::vector<double> healthy;  // log-likelihoods of the first 1, 2, ... waits of each processor
  std::vector<Hypothesis> first(classes_.size());
  for (uint32_t n = 1; n <= rounds; ++n) {
    const Timeline line = timeline(recorded_, recorded_.trace, Issue::Stamps, n);
    healthy.push_back(line.ends->healthy().likelihood);
    if (n == 1)
      search(line, healthy.back(), first);
  }
  std::set<size_t> again;
  const auto add = [&again](const std::vector<Hypothesis>& ranking) {
    std::vector<size_t> order = by_evidence(ranking);
    while (order.size() > kRefined && !nearly_equal(ranking[order.back()], ranking[order.front()]))
      order.pop_back();
    again.insert(order.begin(), order.end());
  };
  add(best);
  add(first);
  for (const size_t index : again)
    put_back(index, healthy, best[index]);
}

// Tests one class on the first wait of each processor, then on the first two, and so on. After each test the
// waits that the class delayed are moved to their healthy ends. Keeps the best hypothesis.
void SlowedSearch::put_back(size_t index, const std::vector<double>& healthy, Hypothesis& best) const {
  TransferTrace stamps = recorded_.trace;
  for (uint32_t n = 1; n <= healthy.size(); ++n) {
    const Timeline line = timeline(recorded_, stamps, Issue::Stamps, n);
    Hypothesis here;
    try_members(index, line, healthy[n - 1], here);
    // Each further part of the records is another chance for an error of the model to resemble evidence.
    // Therefore only evidence from hypotheses with one of kSharpSpreads is summed (ends that agree closely on
    // one factor), because an error of the model does not agree so closely.
    const double support = best.support + (is_sharp(here) ? here.evidence : 0);
    std::optional<TransferTrace> next = restore(line, here.fit);
    if (is_sharp(here) && here.evidence > best.evidence)
      best = std::move(here);
    best.support = support;
    best.supported = true;
    if (next)
      stamps = std::move(*next);
  }
}

void SlowedSearch::try_members(size_t index, const Timeline& line, double healthy, Hypothesis& best) const {
  for (const CandidateClass& each : candidate_classes(recorded_.fabric, recorded_.trace, line.played))
    if (each.members == classes_[index].members)
      try_class(each, line, healthy, best);
}

// Returns the recorded program with the waits that the slow component probably ended (share above 0.5) moved
// to their healthy ends, and later records of the same processor moved by as much. nullopt when no transfer
// follows such a wait.
std::optional<TransferTrace> SlowedSearch::restore(const Timeline& line, const EndsFit& fit) const {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> later;  // stream, record -> cycles
  for (size_t i = 0; i < fit.share.size(); ++i) {
    const ComparedWait& wait = line.compared.waits[i];
    const double healthy = wait.modelled * std::exp(fit.centre[wait.pattern]);
    if (fit.share[i] > 0.5 && wait.tail > healthy)
      later[{wait.stream, line.played.waits[wait.wait].record}] = uint64_t(wait.tail - healthy);
  }
  TransferTrace out = recorded_.trace;
  bool moved = false;
  for (uint32_t s = 0; s < out.streams.size(); ++s) {
    uint64_t shift = 0;
    for (uint32_t r = 0; r < out.streams[s].records.size(); ++r) {
      TransferRecord& record = out.streams[s].records[r];
      record.begin -= std::min(record.begin, shift);
      moved = moved || (shift > 0 && is_transfer(record.kind));
      const auto found = later.find({s, r});
      const uint64_t late = found == later.end() ? 0 : found->second;
      if (record.end != kNoTime)
        record.end -= std::min(record.end, shift + late);
      if (!ends_alone(record) || waited_for(recorded_.trace.streams[s], r))
        shift += late;
    }
  }
  if (!moved)
    return std::nullopt;
  return out;
}

}  // namespace lento::chip
