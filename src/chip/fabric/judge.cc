#include "chip/fabric/judge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "chip/fabric/candidates.h"
#include "chip/fabric/ends.h"
#include "chip/fabric/held_waits.h"
#include "chip/fabric/play.h"
#include "chip/fabric/tuning.h"
#include "chip/fabric/waits.h"

namespace lento::chip {
namespace {

using trace::TransferRecord;
using trace::TransferTrace;

// A played program and its waits: one opinion on how long each tail should be.
struct Timeline {
  Played played;
  ComparedWaits compared;
  std::vector<size_t> wait_of;  // transfer -> index into compared.waits, SIZE_MAX
  std::optional<Ends> ends;
};

struct Hypothesis {
  double factor = 1;
  SlowSpread slow = kBroadSpread;
  double evidence = 0;  // log-likelihood above that of a healthy fabric, for the same waits
  double support = 0;   // the same summed over the parts of the records that were tried besides
  bool supported = false;
  uint32_t waits = 0;
  EndsFit fit;
  std::vector<uint32_t> stream;  // by compared wait
  std::vector<double> bound;     // of Ends::fit
};

bool is_sharp(const SlowSpread& slow) {
  return slow.spread < kBroadSpread.spread;
}

class Judge {
 public:
  Judge(const Fabric& fabric, const TransferTrace& trace, const EarlierTails* earlier)
      : fabric_(fabric),
        trace_(trace),
        earlier_(earlier) {
  }

  FabricJudgement run() {
    // An earlier run says how long tails are; the second time line would only repeat it.
    std::vector<Timeline> lines;
    lines.push_back(timeline(trace_, Issue::Gaps));
    if (!earlier_)
      lines.push_back(timeline(trace_, Issue::Stamps));
    const ComparedWaits& compared = lines.front().compared;
    out_.waits = uint32_t(compared.waits.size());
    out_.patterns = compared.patterns;
    out_.left_out = compared.left_out;
    if (!enough(lines.front()))
      return std::move(out_);
    out_.judged = true;
    out_.spread = lines.front().ends->healthy().spread;
    common_ = std::exp(lines.front().ends->healthy().centre.front());
    double healthy = -1e300;
    for (const Timeline& each : lines)
      healthy = std::max(healthy, each.ends->healthy().likelihood);
    classes_ = candidate_classes(fabric_, trace_, lines.front().played);
    for (size_t i = 0; i < classes_.size(); ++i)
      by_members_[classes_[i].members] = i;
    best_.resize(classes_.size());
    for (const Timeline& each : lines)
      search(each, healthy, best_);
    refine(lines.back());
    conclude();
    return std::move(out_);
  }

  double common() const {
    return common_;
  }

 private:
  Timeline timeline(const TransferTrace& stamps, Issue issue, uint32_t first = UINT32_MAX) const {
    Timeline line;
    PlayOptions options;
    options.issue = issue;
    line.played = play(fabric_, stamps, options);
    line.compared = compared_waits(fabric_, trace_, line.played, earlier_, first);
    line.wait_of.assign(line.played.transfers.size(), SIZE_MAX);
    std::vector<double> ratio;
    std::vector<uint32_t> sort;
    for (size_t i = 0; i < line.compared.waits.size(); ++i) {
      const ComparedWait& wait = line.compared.waits[i];
      const PlayedWait& played = line.played.waits[wait.played];
      for (uint32_t k = 0; k < played.transfers; ++k)
        line.wait_of[line.played.transfers_of_waits[played.first_transfer + k]] = i;
      ratio.push_back(std::log(wait.tail / wait.modelled));
      sort.push_back(wait.pattern);
    }
    line.ends.emplace(std::move(ratio), std::move(sort), line.compared.patterns, earlier_ != nullptr);
    return line;
  }

  bool enough(const Timeline& line) {
    if (out_.waits >= kEqualWaits)
      return true;
    out_.reason = line.played.waits.empty() ? "no wait for transfers is recorded"
                                            : "no " + std::to_string(kEqualWaits) +
                                                  " waits are for equal transfers: nothing repeats";
    out_.remedy =
        line.played.waits.empty()
            ? "record the barriers at which the program waits, as NoC events of tt-metal or groups of "
              "lento-records hold them, or each transfer's own end"
            : "record a longer run, or give an earlier run of the same program to `lento chip compare`";
    return false;
  }

  // Every class on one time line. Transfers are numbered by issue, and so differently on each.
  void search(const Timeline& line, double healthy, std::vector<Hypothesis>& best) const {
    for (const CandidateClass& each : candidate_classes(fabric_, trace_, line.played)) {
      const auto found = by_members_.find(each.members);
      if (found != by_members_.end())
        try_class(each, line, healthy, best[found->second]);
    }
  }

  // Replaces `best` by this class on this time line where that is likelier.
  void try_class(const CandidateClass& candidate, const Timeline& line, double healthy, Hypothesis& best)
      const {
    const HeldWaits held(
        candidate,
        line.played,
        line.compared.waits,
        line.wait_of,
        fabric_.sheet().completion_cycles);
    if (held.count() == 0)
      return;
    const auto consider = [&](double factor, const SlowSpread& slow) {
      std::vector<double> bound = held.bounds(factor);
      EndsFit fit = line.ends->fit(bound, slow.spread);
      if (is_sharp(slow) && fit.held < kSharpWaits - 0.5)
        return;
      // Of all factors between the least and the most, those that explain as much lie this near to the best.
      const double room = slow.spread * 2.5 / std::sqrt(std::max(1.0, fit.held));
      const double gain = fit.likelihood - healthy + std::log(std::min(1.0, room / kFactorRange));
      if (gain > best.evidence)
        best = {
            factor,
            slow,
            gain,
            best.support,
            best.supported,
            uint32_t(held.count()),
            std::move(fit),
            line.compared.streams,
            std::move(bound)};
    };
    for (const double factor : sharp_factors(held.factors()))
      for (const SlowSpread& slow : kSharpSpreads)
        consider(factor, slow);
    for (const double factor : kFactors)
      consider(factor, kBroadSpread);
  }

  // Factors that most waits agree on.
  static std::vector<double> sharp_factors(const std::vector<double>& factors) {
    std::vector<std::pair<int, double>> by_company;
    for (const double factor : factors) {
      if (factor < kLeastFactor || factor > kMostFactor)
        continue;
      const auto low = std::ranges::lower_bound(factors, factor * (1 - kAgree));
      const auto high = std::ranges::upper_bound(factors, factor * (1 + kAgree));
      by_company.emplace_back(-int(high - low), factor);
    }
    std::ranges::stable_sort(by_company);
    std::vector<double> out;
    for (const auto& [company, factor] : by_company) {
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

  // What a slow candidate held up came later into the traffic, and so did all that its processor asked for
  // afterwards. Candidates that explain each processor's first waits, or all, are tried again with the waits
  // that they explain put back to where a healthy fabric would have ended them; what follows such a wait is
  // right only once the wait is, so one wait of each processor after the other.
  void refine(const Timeline& recorded) {
    const uint32_t rounds = std::min(kPutBack, most_waits(recorded));
    if (earlier_ || rounds < 2)
      return;
    std::vector<double> healthy;  // of the first 1, 2, ... waits
    std::vector<Hypothesis> first(classes_.size());
    for (uint32_t n = 1; n <= rounds; ++n) {
      const Timeline line = timeline(trace_, Issue::Stamps, n);
      healthy.push_back(line.ends->healthy().likelihood);
      if (n == 1)
        search(line, healthy.back(), first);
    }
    std::set<size_t> tried;
    for (const std::vector<Hypothesis>& ranking : {best_, first}) {
      std::vector<size_t> order = by_evidence(ranking);
      while (order.size() > kRefined && !level(ranking[order.back()], ranking[order.front()]))
        order.pop_back();
      for (const size_t index : order)
        if (tried.insert(index).second)
          put_back(index, healthy);
    }
  }

  static bool level(const Hypothesis& a, const Hypothesis& b) {
    return a.evidence > b.evidence - kMargin;
  }

  // Of one processor.
  static uint32_t most_waits(const Timeline& line) {
    std::map<uint32_t, uint32_t> count;
    uint32_t most = 0;
    for (const ComparedWait& wait : line.compared.waits)
      most = std::max(most, ++count[wait.stream]);
    return most;
  }

  void put_back(size_t index, const std::vector<double>& healthy) {
    TransferTrace stamps = trace_;
    for (uint32_t n = 1; n <= healthy.size(); ++n) {
      const Timeline line = timeline(stamps, Issue::Stamps, n);
      Hypothesis here;
      try_members(index, line, healthy[n - 1], here);
      // So many parts of the records, so many chances for the model's error: only what it cannot imitate.
      const double support = best_[index].support + (is_sharp(here.slow) ? here.evidence : 0);
      if (is_sharp(here.slow) && here.evidence > best_[index].evidence)
        best_[index] = here;
      best_[index].support = support;
      best_[index].supported = true;
      std::optional<TransferTrace> next = restore(line, here.fit);
      if (next)
        stamps = std::move(*next);
    }
  }

  void try_members(size_t index, const Timeline& line, double healthy, Hypothesis& best) const {
    for (const CandidateClass& each : candidate_classes(fabric_, trace_, line.played))
      if (each.members == classes_[index].members)
        try_class(each, line, healthy, best);
  }

  // The recorded program with the waits that the fit explains put back; nothing when none has a transfer
  // after it.
  std::optional<TransferTrace> restore(const Timeline& line, const EndsFit& fit) const {
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> later;  // stream, record -> cycles
    for (size_t i = 0; i < fit.share.size(); ++i) {
      const ComparedWait& wait = line.compared.waits[i];
      const double healthy = wait.modelled * std::exp(fit.centre[wait.pattern]);
      if (fit.share[i] > 0.5 && wait.tail > healthy)
        later[{wait.stream, line.played.waits[wait.played].record}] = uint64_t(wait.tail - healthy);
    }
    TransferTrace out = trace_;
    bool moved = false;
    for (uint32_t s = 0; s < out.streams.size(); ++s) {
      uint64_t shift = 0;
      for (uint32_t r = 0; r < out.streams[s].records.size(); ++r) {
        TransferRecord& record = out.streams[s].records[r];
        record.begin -= std::min(record.begin, shift);
        moved = moved || (shift > 0 && trace::is_transfer(record.kind));
        const auto found = later.find({s, r});
        const uint64_t late = found == later.end() ? 0 : found->second;
        if (record.end != trace::kNoTime)
          record.end -= std::min(record.end, shift + late);
        if (!trace::ends_alone(record) || trace::waited_for(trace_.streams[s], r))
          shift += late;
      }
    }
    if (!moved)
      return std::nullopt;
    return out;
  }

  static std::vector<size_t> by_evidence(const std::vector<Hypothesis>& all) {
    std::vector<size_t> order;
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].evidence > 0)
        order.push_back(i);
    std::ranges::stable_sort(order, [&all](size_t a, size_t b) {
      return all[a].evidence > all[b].evidence;
    });
    return order;
  }

  // Blames the best candidate if its evidence is enough.
  void conclude() {
    std::vector<size_t> order = by_evidence(best_);
    if (order.empty())
      return;
    prefer_support(order);
    const Hypothesis& best = best_[order.front()];
    // Ends that agree on one factor to a percent are no error of the model, however often it repeats.
    const bool sharp = is_sharp(best.slow);
    const double needed = best.slow.evidence + std::log(double(classes_.size()));
    const std::vector<size_t> alike = take_alike(order);
    for (size_t i = 0; i < order.size() && i < kRanked; ++i)
      out_.ranked.push_back(suspect(order[i]));
    FabricSuspect& first = out_.ranked.front();
    for (const size_t other : alike)
      first.alike.push_back(classes_[other].members);
    out_.strength = first.evidence / (sharp ? 1 : repetition(best)) - needed;
    const bool slow = out_.strength > 0 && first.factor >= kLeastFactor;
    out_.blamed = slow && (order.size() < 2 || ahead(best, best_[order[1]]));
    if (slow && !out_.blamed)
      tell_apart(first, out_.ranked[1]);
    if (out_.blamed)
      common_ = std::exp(best.fit.centre.front());
  }

  // Of two of which the same was tried.
  static bool more_support(const Hypothesis& a, const Hypothesis& b) {
    return a.supported && b.supported && a.support - b.support > kSupportMargin;
  }

  static bool ahead(const Hypothesis& a, const Hypothesis& b) {
    const double margin = is_sharp(a.slow) ? kSharpMargin : kMargin;
    return a.evidence - b.evidence > margin || more_support(a, b);
  }

  // Of candidates that the best part of the records does not tell apart, the one that the rest speaks for.
  void prefer_support(std::vector<size_t>& order) const {
    size_t most = 0;
    for (size_t i = 1; i < order.size() && level(best_[order[i]], best_[order.front()]); ++i)
      if (more_support(best_[order[i]], best_[order[most]]))
        most = i;
    std::rotate(order.begin(), order.begin() + ptrdiff_t(most), order.begin() + ptrdiff_t(most) + 1);
  }

  // Takes out of `order` what would have left the same records as its first: the same earliest ends of the
  // same waits, with the same factor.
  std::vector<size_t> take_alike(std::vector<size_t>& order) const {
    const Hypothesis& best = best_[order.front()];
    const auto same = [&](size_t index) {
      const Hypothesis& other = best_[index];
      if (std::abs(other.factor / best.factor - 1) > 1e-9 || other.bound.size() != best.bound.size())
        return false;
      for (size_t i = 0; i < best.bound.size(); ++i)
        if ((best.fit.share[i] > 0.5 || other.fit.share[i] > 0.5) &&
            std::abs(best.bound[i] - other.bound[i]) > 1e-9)
          return false;
      return !more_support(best, other);
    };
    std::vector<size_t> alike;
    for (size_t i = 1; i < order.size(); ++i)
      if (same(order[i]))
        alike.push_back(order[i]);
    std::erase_if(order, [&](size_t i) {
      return std::ranges::find(alike, i) != alike.end();
    });
    return alike;
  }

  FabricSuspect suspect(size_t index) const {
    const Hypothesis& h = best_[index];
    FabricSuspect out;
    out.members = classes_[index].members;
    out.factor = h.factor;
    out.evidence = h.evidence;
    out.spread = h.slow.spread;
    out.waits = h.waits;
    out.transfers = uint32_t(classes_[index].transfers.size());
    for (const double share : h.fit.share)
      out.moved += share > 0.5;
    return out;
  }

  // Something is slow, and more than one component would explain it: neither healthy nor a finding.
  void tell_apart(const FabricSuspect& best, const FabricSuspect& next) {
    out_.judged = false;
    out_.reason = "waits end later than they should, and " + best.members.front() + " and " +
                  next.members.front() + " would explain it equally well";
    out_.remedy = "record the program placed otherwise, so that the two carry different transfers";
  }

  // How many waits say as much as one: the waits of one processor repeat its part of the model's error, by
  // the share of the residuals' variance that lies between processors.
  double repetition(const Hypothesis& h) const {
    const EndsFit& fit = h.fit;
    std::map<uint32_t, std::vector<double>> by_stream;
    double all = 0;
    const double limit = 3 * out_.spread;
    for (size_t i = 0; i < fit.residual.size(); ++i) {
      const double r = std::clamp(fit.residual[i], -limit, limit);
      by_stream[h.stream[i]].push_back(r);
      all += r;
    }
    const double n = double(fit.residual.size());
    const double groups = double(by_stream.size());
    if (n <= groups || groups < 2)
      return 1;
    double between = 0;
    double within = 0;
    for (const auto& [stream, values] : by_stream) {
      double mean = 0;
      for (const double v : values)
        mean += v / double(values.size());
      between += double(values.size()) * (mean - all / n) * (mean - all / n);
      for (const double v : values)
        within += (v - mean) * (v - mean);
    }
    between /= groups - 1;
    within /= n - groups;
    const double each = n / groups;
    const double total = between + (each - 1) * within;
    const double share = total > 0 ? std::clamp((between - within) / total, 0.0, 1.0) : 0;
    return 1 + (each - 1) * share;
  }

  const Fabric& fabric_;
  const TransferTrace& trace_;
  const EarlierTails* earlier_;
  std::vector<CandidateClass> classes_;
  std::map<std::vector<std::string>, size_t> by_members_;
  std::vector<Hypothesis> best_;  // by class
  double common_ = 1;
  FabricJudgement out_;
};

// Empty when both are the same program; else what differs.
std::string program_difference(const TransferTrace& a, const TransferTrace& b) {
  if (a.streams.size() != b.streams.size())
    return "they have other processors";
  for (size_t s = 0; s < a.streams.size(); ++s) {
    const trace::TransferStream& x = a.streams[s];
    const trace::TransferStream& y = b.streams[s];
    const std::string where = "core " + trace::to_string(x.core);
    if (x.core != y.core || a.names[x.processor] != b.names[y.processor])
      return "they have other processors";
    if (x.records.size() != y.records.size())
      return where + " recorded another number of events";
    for (size_t r = 0; r < x.records.size(); ++r) {
      const TransferRecord& p = x.records[r];
      const TransferRecord& q = y.records[r];
      if (p.kind != q.kind || p.peer != q.peer || p.bytes != q.bytes)
        return where + " moves other data";
    }
  }
  return {};
}

}  // namespace

// Two time lines: the recorded one, and the modelled one with the recorded gaps. On the recorded one, what a
// slow component shifted meets traffic that it never met; on the other, the model's errors add up from wait
// to wait. The likelihood of the same recorded tails says which is nearer.
FabricJudgement judge(const Fabric& fabric, const TransferTrace& trace) {
  return Judge(fabric, trace, nullptr).run();
}

FabricComparison compare(const Fabric& fabric, const TransferTrace& before, const TransferTrace& after) {
  FabricComparison out;
  const std::string difference = program_difference(before, after);
  if (!difference.empty()) {
    out.judgement.reason = "the two are not runs of one program: " + difference;
    out.judgement.remedy = "give two recordings of the same program on the same cores";
    return out;
  }
  const EarlierTails earlier = tails_of(before);
  Judge judge(fabric, after, &earlier);
  out.judgement = judge.run();
  out.common = judge.common();
  return out;
}

}  // namespace lento::chip
