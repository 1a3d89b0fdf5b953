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

// One wait as the judgement sees it; times count from the trace's first zone.
struct Wait {
  uint32_t played = 0;  // index into Played::waits
  uint32_t pattern = 0;
  double last_issue = 0;
  double end = 0;           // recorded
  double modelled_end = 0;  // on a healthy fabric
};

struct Fit {
  double likelihood = -1e300;
  double spread = 1;
  uint32_t moved = 0;
};

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  return values[half];
}

// Tails of an earlier run's waits: stream, number of the wait in it -> cycles from last issue to end.
using EarlierTails = std::map<std::pair<uint32_t, uint32_t>, double>;

class Judge {
 public:
  Judge(const Fabric& fabric, const TransferTrace& trace, const EarlierTails* earlier = nullptr)
      : fabric_(fabric), trace_(trace), earlier_(earlier) {
    PlayOptions options;
    options.use_stamps = true;
    played_ = play(fabric, trace, options);
  }

  FabricJudgement run() {
    collect();
    if (!enough()) return std::move(out_);
    const Fit healthy = fit({}, 1);
    out_.judged = true;
    out_.spread = healthy.spread;
    const std::vector<CandidateClass> classes = candidate_classes(fabric_, trace_, played_);
    wait_of_transfer();
    for (const CandidateClass& each : classes) try_class(each, healthy);
    std::stable_sort(out_.ranked.begin(), out_.ranked.end(),
                     [](const FabricSuspect& a, const FabricSuspect& b) { return a.evidence > b.evidence; });
    if (out_.ranked.size() > 10) out_.ranked.resize(10);
    const double needed = kEvidence + std::log(static_cast<double>(std::max<size_t>(1, classes.size())));
    out_.blamed = !out_.ranked.empty() && out_.ranked.front().evidence > needed &&
                  out_.ranked.front().factor >= kLeastFactor;
    settle_common(classes);
    return std::move(out_);
  }

  double common() const { return common_; }

 private:
  // The origin of Played's times: the first zone, else the first record.
  uint64_t origin() const {
    uint64_t zone = trace::kNoTime, any = trace::kNoTime;
    for (const auto& stream : trace_.streams) {
      for (const TransferRecord& record : stream.records) {
        any = std::min(any, record.begin);
        if (record.kind == trace::TransferKind::Zone) zone = std::min(zone, record.begin);
      }
    }
    return zone == trace::kNoTime ? any : zone;
  }

  void collect() {
    const double start = static_cast<double>(origin());
    std::map<std::string, std::vector<Wait>> by_pattern;
    std::map<uint32_t, uint32_t> number;  // of waits in each stream so far
    for (uint32_t i = 0; i < played_.waits.size(); ++i) {
      const PlayedWait& wait = played_.waits[i];
      const TransferRecord& record = trace_.streams[wait.stream].records[wait.record];
      const uint32_t nth = number[wait.stream]++;
      if (wait.transfers == 0 || record.end == trace::kNoTime) continue;
      Wait out;
      out.played = i;
      out.end = static_cast<double>(record.end) - start;
      out.modelled_end = wait.end;
      for_transfers(
          wait, [&](uint32_t id) { out.last_issue = std::max(out.last_issue, played_.transfers[id].issue); });
      if (earlier_) {
        const auto found = earlier_->find({wait.stream, nth});
        if (found == earlier_->end()) continue;
        out.modelled_end = out.last_issue + found->second;
      }
      if (out.end <= out.last_issue || out.modelled_end <= out.last_issue) continue;
      by_pattern[pattern_of(wait)].push_back(out);
    }
    for (auto& [name, waits] : by_pattern) {
      if (waits.size() < kEqualWaits) {
        out_.left_out += static_cast<uint32_t>(waits.size());
        continue;
      }
      for (Wait& wait : waits) {
        wait.pattern = out_.patterns;
        waits_.push_back(wait);
      }
      ++out_.patterns;
    }
    out_.waits = static_cast<uint32_t>(waits_.size());
  }

  template <typename Do>
  void for_transfers(const PlayedWait& wait, Do action) const {
    for (uint32_t k = 0; k < wait.transfers; ++k) action(played_.transfers_of_waits[wait.first_transfer + k]);
  }

  // Equal: the same network, direction, number and size of transfers, kind of peer.
  std::string pattern_of(const PlayedWait& wait) const {
    if (earlier_) return {};
    uint64_t bytes = 0;
    std::string kinds;
    uint8_t network = 0;
    for_transfers(wait, [&](uint32_t id) {
      const PlayedTransfer& transfer = played_.transfers[id];
      const TransferRecord& record = trace_.streams[transfer.stream].records[transfer.record];
      bytes += record.bytes;
      network = record.network;
      const int peer = fabric_.component(record.peer);
      if (kinds.empty()) kinds = spec::name(fabric_.kind(peer));
    });
    return std::to_string(network) + "/" + std::to_string(wait.transfers) + "/" + std::to_string(bytes) +
           "/" + kinds;
  }

  bool enough() {
    if (out_.waits >= kEqualWaits) return true;
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
    for (auto& values : by_pattern) centre_.push_back(median(values));
    std::vector<double> size;
    for (size_t i = 0; i < waits_.size(); ++i) {
      residual_[i] -= centre_[waits_[i].pattern];
      size.push_back(std::abs(residual_[i]));
    }
    fit.spread = std::max(kLeastSpread, 1.4826 * median(size));
    fit.likelihood = 0;
    for (const double r : residual_) {
      const double z = r / fit.spread;
      fit.likelihood -= std::log(fit.spread) + 0.5 * (kTails + 1) * std::log1p(z * z / kTails);
    }
    return fit;
  }

  Fit fit(const std::vector<std::pair<size_t, uint32_t>>& affected, double factor) {
    std::vector<double> ends;
    for (const Wait& wait : waits_) ends.push_back(wait.modelled_end);
    uint32_t moved = 0;
    const double completion = fabric_.sheet().completion_cycles;
    for (const auto& [wait, id] : affected) {
      const PlayedTransfer& transfer = played_.transfers[id];
      const double arrival = transfer.issue + factor * (transfer.arrival - transfer.issue) + completion;
      if (arrival <= ends[wait]) continue;
      if (ends[wait] == waits_[wait].modelled_end) ++moved;
      ends[wait] = arrival;
    }
    Fit out = score(ends);
    out.moved = moved;
    return out;
  }

  void wait_of_transfer() {
    wait_of_.assign(played_.transfers.size(), SIZE_MAX);
    for (size_t i = 0; i < waits_.size(); ++i)
      for_transfers(played_.waits[waits_[i].played], [&](uint32_t id) { wait_of_[id] = i; });
  }

  // What all waits share once the blamed component's part is taken out.
  void settle_common(const std::vector<CandidateClass>& classes) {
    fit({}, 1);
    if (out_.blamed) {
      for (const CandidateClass& each : classes)
        if (each.members == out_.ranked.front().members) fit(affected_by(each), out_.ranked.front().factor);
    }
    common_ = std::exp(centre_.front());
  }

  std::vector<std::pair<size_t, uint32_t>> affected_by(const CandidateClass& candidate) const {
    std::vector<std::pair<size_t, uint32_t>> out;
    for (const uint32_t id : candidate.transfers)
      if (wait_of_[id] != SIZE_MAX) out.emplace_back(wait_of_[id], id);
    return out;
  }

  void try_class(const CandidateClass& candidate, const Fit& healthy) {
    const auto affected = affected_by(candidate);
    if (affected.empty()) return;
    FabricSuspect best;
    for (const double factor : kFactors) {
      const Fit hypothesis = fit(affected, factor);
      const double gain = hypothesis.likelihood - healthy.likelihood;
      if (gain <= best.evidence) continue;
      best.evidence = gain;
      best.factor = factor;
      best.moved = hypothesis.moved;
    }
    if (best.evidence <= 0) return;
    best.members = candidate.members;
    best.transfers = static_cast<uint32_t>(candidate.transfers.size());
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
  std::vector<double> residual_, centre_;
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
      if (trace::is_transfer(record.kind)) last = record.begin;
      if (!trace::is_group(record.kind)) continue;
      if (record.end != trace::kNoTime && last > 0 && record.end > last)
        out[{s, number}] = static_cast<double>(record.end - last);
      ++number;
    }
  }
  return out;
}

// Empty when both are the same program; else what differs.
std::string program_difference(const TransferTrace& a, const TransferTrace& b) {
  if (a.streams.size() != b.streams.size()) return "they have other processors";
  for (size_t s = 0; s < a.streams.size(); ++s) {
    const trace::TransferStream &x = a.streams[s], &y = b.streams[s];
    const std::string where = "core " + trace::to_string(x.core);
    if (x.core != y.core || a.names[x.processor] != b.names[y.processor]) return "they have other processors";
    if (x.records.size() != y.records.size()) return where + " recorded another number of events";
    for (size_t r = 0; r < x.records.size(); ++r) {
      const TransferRecord &p = x.records[r], &q = y.records[r];
      if (p.kind != q.kind || p.peer != q.peer || p.bytes != q.bytes) return where + " moves other data";
    }
  }
  return {};
}

}  // namespace

FabricJudgement judge(const Fabric& fabric, const TransferTrace& trace) { return Judge(fabric, trace).run(); }

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
