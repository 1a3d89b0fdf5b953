#include "chip/fabric/judge.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "chip/fabric/candidates.h"
#include "chip/fabric/play.h"
#include "chip/fabric/tuning.h"

namespace lento::chip {
namespace {

using trace::TransferRecord;
using trace::TransferTrace;

// One wait as the judgement sees it, on the time line of the played program.
struct Wait {
  uint32_t played = 0;  // index into Played::waits
  uint32_t pattern = 0;
  double last_issue = 0;
  double end = 0;           // the recorded tail after last_issue
  double modelled_end = 0;  // on a healthy fabric
};

struct Fit {
  double likelihood = -1e300;
  double spread = 1;
  uint32_t moved = 0;
};

double median(std::vector<double>& values) {
  if (values.empty())
    return 0;
  const size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  return values[half];
}

// Tails of an earlier run's waits: stream, number of the wait in it -> cycles from last issue to end.
using EarlierTails = std::map<std::pair<uint32_t, uint32_t>, double>;

class Judge {
 public:
  Judge(const Fabric& fabric, const TransferTrace& trace, Issue issue, const EarlierTails* earlier = nullptr)
      : fabric_(fabric),
        trace_(trace),
        earlier_(earlier) {
    PlayOptions options;
    options.issue = issue;
    played_ = play(fabric, trace, options);
  }

  FabricJudgement run() {
    collect();
    if (!enough())
      return std::move(out_);
    const Fit healthy = fit({}, 1);
    out_.judged = true;
    out_.spread = healthy.spread;
    const std::vector<CandidateClass> classes = candidate_classes(fabric_, trace_, played_);
    wait_of_transfer();
    for (const CandidateClass& each : classes)
      try_class(each, healthy);
    std::ranges::stable_sort(out_.ranked, [](const FabricSuspect& a, const FabricSuspect& b) {
      return a.evidence > b.evidence;
    });
    if (out_.ranked.size() > 10)
      out_.ranked.resize(10);
    decide(classes);
    return std::move(out_);
  }

  double common() const {
    return common_;
  }

 private:
  void collect() {
    std::map<std::string, std::vector<Wait>> by_pattern;
    std::map<uint32_t, uint32_t> number;  // of waits in each stream so far
    for (uint32_t i = 0; i < played_.waits.size(); ++i) {
      const PlayedWait& wait = played_.waits[i];
      const TransferRecord& record = trace_.streams[wait.stream].records[wait.record];
      const uint32_t nth = number[wait.stream]++;
      if (wait.transfers == 0 || record.end == trace::kNoTime)
        continue;
      Wait out;
      out.played = i;
      out.modelled_end = wait.end;
      uint64_t asked = 0;  // the last issue, as recorded
      for_transfers(wait, [&](uint32_t id) {
        out.last_issue = std::max(out.last_issue, played_.transfers[id].issue);
        asked = std::max(asked, trace_.streams[wait.stream].records[played_.transfers[id].record].begin);
      });
      if (record.end <= asked)
        continue;
      out.end = out.last_issue + double(record.end - asked);
      if (earlier_) {
        const auto found = earlier_->find({wait.stream, nth});
        if (found == earlier_->end())
          continue;
        out.modelled_end = out.last_issue + found->second;
      }
      if (out.end <= out.last_issue || out.modelled_end <= out.last_issue)
        continue;
      by_pattern[pattern_of(wait)].push_back(out);
    }
    for (auto& [name, waits] : by_pattern) {
      if (waits.size() < kEqualWaits) {
        out_.left_out += uint32_t(waits.size());
        continue;
      }
      for (Wait& wait : waits) {
        wait.pattern = out_.patterns;
        waits_.push_back(wait);
      }
      ++out_.patterns;
    }
    out_.waits = uint32_t(waits_.size());
  }

  template <typename Do>
  void for_transfers(const PlayedWait& wait, Do action) const {
    for (uint32_t k = 0; k < wait.transfers; ++k)
      action(played_.transfers_of_waits[wait.first_transfer + k]);
  }

  // Equal: the same network, direction, number and size of transfers, kind of peer.
  std::string pattern_of(const PlayedWait& wait) const {
    if (earlier_)
      return {};
    uint64_t bytes = 0;
    std::string kinds;
    uint8_t network = 0;
    for_transfers(wait, [&](uint32_t id) {
      const PlayedTransfer& transfer = played_.transfers[id];
      const TransferRecord& record = trace_.streams[transfer.stream].records[transfer.record];
      bytes += record.bytes;
      network = record.network;
      const int peer = fabric_.component(record.peer);
      if (kinds.empty())
        kinds = spec::name(fabric_.kind(peer));
    });
    return std::to_string(network) + "/" + std::to_string(wait.transfers) + "/" + std::to_string(bytes) +
           "/" + kinds;
  }

  bool enough() {
    if (out_.waits >= kEqualWaits)
      return true;
    out_.reason = played_.waits.empty() ? "no wait for transfers is recorded"
                                        : "no " + std::to_string(kEqualWaits) +
                                              " waits are for equal transfers: nothing repeats";
    out_.remedy = "record a longer run, or give an earlier run of the same program to `lento chip compare`";
    return false;
  }

  // Residual of each wait when `ends` are the modelled ones; spread and likelihood follow from the residuals,
  // corrections from each pattern's median.
  Fit score(const std::vector<double>& ends) {
    Fit fit;
    std::vector<std::vector<double>> by_pattern(out_.patterns);
    residual_.resize(waits_.size());
    for (size_t i = 0; i < waits_.size(); ++i) {
      const Wait& wait = waits_[i];
      residual_[i] = std::log((wait.end - wait.last_issue) / std::max(1.0, ends[i] - wait.last_issue));
      by_pattern[wait.pattern].push_back(residual_[i]);
    }
    centre_.clear();
    for (auto& values : by_pattern)
      centre_.push_back(median(values));
    std::vector<double> size;
    for (size_t i = 0; i < waits_.size(); ++i) {
      residual_[i] -= centre_[waits_[i].pattern];
      size.push_back(std::abs(residual_[i]));
    }
    fit.spread = std::max(kLeastSpread, 1.4826 * median(size));
    fit.likelihood = 0;
    // An earlier run has the model's errors too; without one a correction is one of them.
    if (!earlier_)
      for (const double c : centre_)
        fit.likelihood -= 0.5 * (kTails + 1) * std::log1p(c * c / (kTails * kModelError * kModelError));
    for (const double r : residual_) {
      const double z = r / fit.spread;
      fit.likelihood -= std::log(fit.spread) + 0.5 * (kTails + 1) * std::log1p(z * z / kTails);
    }
    return fit;
  }

  Fit fit(const std::vector<std::pair<size_t, uint32_t>>& affected, double factor) {
    std::vector<double> ends;
    for (const Wait& wait : waits_)
      ends.push_back(wait.modelled_end);
    uint32_t moved = 0;
    const double completion = fabric_.sheet().completion_cycles;
    for (const auto& [wait, id] : affected) {
      const PlayedTransfer& transfer = played_.transfers[id];
      const double arrival = transfer.issue + factor * (transfer.arrival - transfer.issue) + completion;
      if (arrival <= ends[wait])
        continue;
      if (ends[wait] == waits_[wait].modelled_end)
        ++moved;
      ends[wait] = arrival;
    }
    Fit out = score(ends);
    out.moved = moved;
    return out;
  }

  void wait_of_transfer() {
    wait_of_.assign(played_.transfers.size(), SIZE_MAX);
    for (size_t i = 0; i < waits_.size(); ++i)
      for_transfers(played_.waits[waits_[i].played], [&](uint32_t id) {
        wait_of_[id] = i;
      });
  }

  // Blames the best candidate if its evidence is enough. What all waits share is what is left of them once
  // its part is taken out.
  void decide(const std::vector<CandidateClass>& classes) {
    fit({}, 1);
    common_ = std::exp(centre_.front());
    if (out_.ranked.empty())
      return;
    const FabricSuspect& best = out_.ranked.front();
    for (const CandidateClass& each : classes)
      if (each.members == best.members)
        fit(affected_by(each), best.factor);
    const double needed = kEvidence + std::log(double(classes.size()));
    const double second = out_.ranked.size() > 1 ? out_.ranked[1].evidence : 0;
    out_.strength = best.evidence / repetition() - needed;
    const bool slow = out_.strength > 0 && best.factor >= kLeastFactor;
    out_.blamed = slow && best.evidence - second > kMargin;
    if (slow && !out_.blamed)
      tell_apart(best, out_.ranked[1]);
    if (out_.blamed)
      common_ = std::exp(centre_.front());
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
  double repetition() const {
    std::map<uint32_t, std::vector<double>> by_stream;
    double all = 0;
    for (size_t i = 0; i < waits_.size(); ++i) {
      const double limit = 3 * out_.spread;
      const double r = std::clamp(residual_[i], -limit, limit);
      by_stream[played_.waits[waits_[i].played].stream].push_back(r);
      all += r;
    }
    const double n = double(waits_.size());
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

  std::vector<std::pair<size_t, uint32_t>> affected_by(const CandidateClass& candidate) const {
    std::vector<std::pair<size_t, uint32_t>> out;
    for (const uint32_t id : candidate.transfers)
      if (wait_of_[id] != SIZE_MAX)
        out.emplace_back(wait_of_[id], id);
    return out;
  }

  void try_class(const CandidateClass& candidate, const Fit& healthy) {
    const auto affected = affected_by(candidate);
    if (affected.empty())
      return;
    FabricSuspect best;
    for (const double factor : kFactors) {
      const Fit hypothesis = fit(affected, factor);
      const double gain = hypothesis.likelihood - healthy.likelihood;
      if (gain <= best.evidence)
        continue;
      best.evidence = gain;
      best.factor = factor;
      best.moved = hypothesis.moved;
    }
    if (best.evidence <= 0)
      return;
    best.members = candidate.members;
    best.transfers = uint32_t(candidate.transfers.size());
    for (size_t i = 0; i < affected.size(); ++i)
      best.waits += i == 0 || affected[i].first != affected[i - 1].first;
    out_.ranked.push_back(std::move(best));
  }

  const Fabric& fabric_;
  const TransferTrace& trace_;
  Played played_;
  FabricJudgement out_;
  std::vector<Wait> waits_;
  std::vector<size_t> wait_of_;  // transfer -> index into waits_
  std::vector<double> residual_;
  std::vector<double> centre_;
  const EarlierTails* earlier_;
  double common_ = 1;
};

// The waits of a run by stream and number; cycles from the last issue before each.
EarlierTails tails_of(const TransferTrace& trace) {
  EarlierTails out;
  for (uint32_t s = 0; s < trace.streams.size(); ++s) {
    uint32_t number = 0;
    uint64_t last = 0;
    for (const TransferRecord& record : trace.streams[s].records) {
      if (trace::is_transfer(record.kind))
        last = record.begin;
      if (!trace::is_group(record.kind))
        continue;
      if (record.end != trace::kNoTime && last > 0 && record.end > last)
        out[{s, number}] = double(record.end - last);
      ++number;
    }
  }
  return out;
}

// Empty when both are the same program; else what differs.
std::string program_difference(const TransferTrace& a, const TransferTrace& b) {
  if (a.streams.size() != b.streams.size())
    return "they have other processors";
  for (size_t s = 0; s < a.streams.size(); ++s) {
    const trace::TransferStream &x = a.streams[s], &y = b.streams[s];
    const std::string where = "core " + trace::to_string(x.core);
    if (x.core != y.core || a.names[x.processor] != b.names[y.processor])
      return "they have other processors";
    if (x.records.size() != y.records.size())
      return where + " recorded another number of events";
    for (size_t r = 0; r < x.records.size(); ++r) {
      const TransferRecord &p = x.records[r], &q = y.records[r];
      if (p.kind != q.kind || p.peer != q.peer || p.bytes != q.bytes)
        return where + " moves other data";
    }
  }
  return {};
}

}  // namespace

// Two time lines: the recorded one, and the modelled one with the recorded gaps. On the recorded one, what a
// slow component shifted meets traffic that it never met; on the other, the model's errors add up from wait
// to wait. A slow component may be plain on one only.
FabricJudgement judge(const Fabric& fabric, const TransferTrace& trace) {
  FabricJudgement gaps = Judge(fabric, trace, Issue::Gaps).run();
  if (gaps.waits < kEqualWaits)
    return gaps;
  FabricJudgement stamps = Judge(fabric, trace, Issue::Stamps).run();
  if (gaps.blamed != stamps.blamed)
    return gaps.blamed ? gaps : stamps;
  if (gaps.judged != stamps.judged)
    return gaps.judged ? stamps : gaps;
  return gaps.strength >= stamps.strength ? gaps : stamps;
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
  Judge judge(fabric, after, Issue::Gaps, &earlier);
  out.judgement = judge.run();
  out.common = judge.common();
  return out;
}

}  // namespace lento::chip
