// Judges a recorded program: compares time lines, searches for classes that delay waits or have a lower rate,
// and concludes from the best hypothesis. It must exceed its threshold, and the next distinguishable
// hypothesis by a margin. Candidates that would have left the same records are reported together. Thresholds
// and raw data: tuning.h. Cost: seconds to minutes, most of it simulations of slow servers.
#include "chip/fabric/judge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "chip/fabric/candidates.h"
#include "chip/fabric/hypothesis.h"
#include "chip/fabric/served_search.h"
#include "chip/fabric/slowed_search.h"
#include "chip/fabric/timeline.h"
#include "chip/fabric/tuning.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

class Judge {
 public:
  explicit Judge(const Recorded& recorded)
      : recorded_(recorded) {
  }

  // Runs the analysis: simulates the recorded transfers, tests each class of components and decides.
  FabricJudgement run() {
    // The expected tails come from the earlier run when there is one, so a time line of the recorded gaps
    // would add nothing.
    std::vector<Timeline> lines;
    if (!recorded_.earlier)
      lines.push_back(timeline(recorded_, recorded_.trace, Issue::Gaps));
    lines.push_back(timeline(recorded_, recorded_.trace, Issue::Stamps));
    const Timeline& stamped = lines.back();
    out_.waits = uint32_t(stamped.compared.waits.size());
    out_.patterns = stamped.compared.patterns;
    out_.left_out = stamped.compared.left_out;
    if (!enough(stamped))
      return std::move(out_);
    out_.judged = true;
    out_.spread = lines.front().ends->healthy().spread;
    common_ = std::exp(lines.front().ends->healthy().centre.front());
    double healthy = -1e300;
    for (const Timeline& each : lines)
      healthy = std::max(healthy, each.ends->healthy().likelihood);
    classes_ = candidate_classes(recorded_.fabric, recorded_.trace, stamped.played);
    best_.resize(classes_.size());
    for (const ComparedWait& wait : stamped.compared.waits)
      log_ratio_.push_back(std::log(wait.tail / wait.modelled));
    const SlowedSearch slowed(recorded_, classes_);
    for (const Timeline& each : lines)
      slowed.search(each, healthy, best_);
    slowed.refine(stamped, best_);
    ServedSearch served = search_served(recorded_, classes_, stamped, healthy, best_);
    out_.played = uint32_t(served.played);
    for (size_t i = 0; i < best_.size(); ++i)
      if (served.best[i].evidence > best_[i].evidence)
        best_[i] = std::move(served.best[i]);
    conclude();
    return std::move(out_);
  }

  double common() const {
    return common_;
  }

 private:
  // Returns whether enough waits can be compared. Otherwise sets reason and remedy.
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

  // Reports the best candidate when its evidence suffices.
  void conclude() {
    std::vector<size_t> order = by_evidence(best_);
    if (order.empty())
      return;
    prefer_support(order);
    const Hypothesis& best = best_[order.front()];
    const std::vector<size_t> alike = take_alike(order);
    for (size_t i = 0; i < order.size() && i < kRanked; ++i)
      out_.ranked.push_back(suspect(order[i]));
    FabricSuspect& first = out_.ranked.front();
    for (const size_t other : alike)
      first.alike.push_back(classes_[other].members);
    out_.strength = first.evidence / discount(best) / repetition(best) - needed(best);
    if (first.factor < kLeastFactor)
      return;
    // The number of delayed waits would suffice if they were independent, but those of one processor may
    // share an error of the model.
    if (out_.strength <= 0 && best.effect == Effect::Holds && first.evidence > needed(best))
      return report_repetition(first);
    if (out_.strength <= 0)
      return;
    if (best.effect == Effect::Serves && !recorded_.earlier && first.factor < kLeastServed)
      return report_model_error(first);
    if (order.size() > 1 && !exceeds_by_margin(best, best_[order[1]]))
      return report_ambiguity(first, out_.ranked[1]);
    out_.blamed = true;
    common_ = std::exp(best.fit.centre.front());
  }

  double needed(const Hypothesis& h) const {
    const double least = h.effect == Effect::Serves ? kServedEvidence : h.slow.evidence;
    return least + std::log(double(classes_.size()));
  }

  // Returns the divisor of the evidence of a slow server. The modelled fabric is never exact, so evidence
  // from many waits counts less than proportionally.
  static double discount(const Hypothesis& h) {
    if (h.effect == Effect::Holds)
      return 1;
    return 1 + double(h.fit.residual.size()) / kServedWaits;
  }

  // Returns whether the support (Hypothesis::support) of `a` exceeds that of `b` by more than kSupportMargin.
  // False unless both were tried on all parts of the records.
  static bool more_support(const Hypothesis& a, const Hypothesis& b) {
    return a.supported && b.supported && a.support - b.support > kSupportMargin;
  }

  static double margin(const Hypothesis& h) {
    if (h.effect == Effect::Serves)
      return kServedMargin;
    return is_sharp(h) ? kSharpMargin : kMargin;
  }

  static bool exceeds_by_margin(const Hypothesis& a, const Hypothesis& b) {
    return (a.evidence - b.evidence) / discount(a) > margin(a) || more_support(a, b);
  }

  // Moves to the front the candidate with the most support (Hypothesis::support), by more than
  // kSupportMargin, among those whose evidence is nearly equal to that of the first.
  void prefer_support(std::vector<size_t>& order) const {
    size_t most = 0;
    for (size_t i = 1; i < order.size() && nearly_equal(best_[order[i]], best_[order.front()]); ++i)
      if (more_support(best_[order[i]], best_[order[most]]))
        most = i;
    std::rotate(order.begin(), order.begin() + ptrdiff_t(most), order.begin() + ptrdiff_t(most) + 1);
  }

  // Removes from `order` the candidates that predict the same records as its first one, and returns them.
  std::vector<size_t> take_alike(std::vector<size_t>& order) const {
    const Hypothesis& best = best_[order.front()];
    std::vector<size_t> alike;
    for (size_t i = 1; i < order.size(); ++i)
      if (same_records(best, best_[order[i]]) && !more_support(best, best_[order[i]]))
        alike.push_back(order[i]);
    std::erase_if(order, [&](size_t i) {
      return std::ranges::find(alike, i) != alike.end();
    });
    return alike;
  }

  // Returns whether two hypotheses predict the same records, so that no recording distinguishes them: the
  // same effect, factor and earliest ends of the same waits. For slow servers the log tails may differ by
  // less than kLeastSpread in all (root of the sum of squares over waits).
  static bool same_records(const Hypothesis& a, const Hypothesis& b) {
    if (a.effect != b.effect)
      return false;
    if (a.effect == Effect::Serves) {
      double apart = 0;
      for (size_t i = 0; i < a.tails.size(); ++i)
        apart += std::pow((a.tails[i] - b.tails[i]) / kLeastSpread, 2);
      return apart < 1;
    }
    if (std::abs(b.factor / a.factor - 1) > 1e-9 || a.bound.size() != b.bound.size())
      return false;
    for (size_t i = 0; i < a.bound.size(); ++i)
      if ((a.fit.share[i] > 0.5 || b.fit.share[i] > 0.5) && std::abs(a.bound[i] - b.bound[i]) > 1e-9)
        return false;
    return true;
  }

  // Returns the description of class `index` with its best hypothesis.
  FabricSuspect suspect(size_t index) const {
    const Hypothesis& h = best_[index];
    FabricSuspect out;
    out.members = classes_[index].members;
    out.factor = h.factor;
    out.evidence = h.evidence;
    out.spread = h.effect == Effect::Serves ? h.fit.spread : h.slow.first;
    out.waits = h.waits;
    out.transfers = uint32_t(classes_[index].transfers.size());
    for (const double share : h.fit.share)
      out.moved += share > 0.5;
    for (const double tail : h.tails)
      out.moved += tail > kLeastSpread;
    // The waits give the factor relative to an earlier run, whatever rate the sheet gives the component.
    std::vector<double> longer;
    for (size_t i = 0; recorded_.earlier && i < h.fit.share.size(); ++i)
      if (h.fit.share[i] > 0.5)
        longer.push_back(log_ratio_[i]);
    if (!longer.empty())
      out.factor = std::exp(evidence::median(longer));
    return out;
  }

  // Reports no judgement: a slow server explains the waits, but the model of the fabric is wrong by as much
  // on healthy chips.
  void report_model_error(const FabricSuspect& first) {
    out_.judged = false;
    out_.reason = "waits end later than they should, as if " + first.members.front() + " were less than " +
                  base::format_number(kLeastServed) +
                  " times as slow, and the fabric itself may be wrong by as much";
    out_.remedy = "give an earlier run of the same program to `lento chip compare`";
  }

  // Reports no judgement: too few processors show that a component is slow. With few waits, one outlier among
  // the records makes the others resemble an error of the model.
  void report_repetition(const FabricSuspect& first) {
    out_.judged = false;
    out_.reason = "waits end later than they should, as if " + first.members.front() +
                  " were slow, and waits of one processor differ together by as much";
    out_.remedy =
        "record a longer run, or one with more cores, or give an earlier run to `lento chip compare`";
  }

  // Reports no judgement: more than one component would explain the slowness, so the run is neither healthy
  // nor a finding.
  void report_ambiguity(const FabricSuspect& best, const FabricSuspect& next) {
    out_.judged = false;
    out_.reason = "waits end later than they should, and " + best.members.front() + " and " +
                  next.members.front() + " would explain it equally well";
    out_.remedy = "record the program placed otherwise, so that the two carry different transfers";
  }

  // Returns the number of waits that count as one independent wait. The model's error is the same in all
  // waits of a processor. Its share of the residuals' variance is estimated as the part of that variance that
  // lies between processors (intraclass correlation).
  double repetition(const Hypothesis& h) const {
    // Tails that agree on one factor within one of kSharpSpreads (at most 3 %) cannot be an error of the
    // model.
    if (is_sharp(h))
      return 1;
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

  Recorded recorded_;
  std::vector<CandidateClass> classes_;
  std::vector<Hypothesis> best_;   // by class
  std::vector<double> log_ratio_;  // by compared wait: recorded over modelled tail
  double common_ = 1;
  FabricJudgement out_;
};

// Returns how two programs differ, empty when they are the same.
std::string program_difference(const TransferTrace& a, const TransferTrace& b) {
  if (a.streams.size() != b.streams.size())
    return "they have other processors";
  for (size_t s = 0; s < a.streams.size(); ++s) {
    const TransferStream& x = a.streams[s];
    const TransferStream& y = b.streams[s];
    const std::string where = "core " + to_string(x.core);
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

FabricJudgement judge(const Fabric& fabric, const TransferTrace& trace) {
  return Judge({fabric, trace}).run();
}

// Compares two recordings of the same program and names the component that became slower.
FabricComparison compare(const Fabric& fabric, const TransferTrace& before, const TransferTrace& after) {
  FabricComparison out;
  const std::string difference = program_difference(before, after);
  if (!difference.empty()) {
    out.judgement.reason = "the two are not runs of one program: " + difference;
    out.judgement.remedy = "give two recordings of the same program on the same cores";
    return out;
  }
  const EarlierTails earlier = tails_of(before);
  Judge judge({fabric, after, &earlier});
  out.judgement = judge.run();
  out.common = judge.common();
  return out;
}

}  // namespace lento::chip
