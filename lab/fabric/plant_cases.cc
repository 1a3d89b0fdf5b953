// Chooses the components to plant, and judges each planted trace.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/rng.h"
#include "chip/fabric/judge.h"
#include "lab/fabric/plant.h"

namespace lento::chip {
namespace {

std::string kind_of(const std::string& name) {
  const auto holds = [&](const char* part) {
    return name.find(part) != std::string::npos;
  };
  if (holds("link"))
    return "link";
  if (holds("/in") || holds("/out") || holds("dram"))
    return "port";
  return "core";
}

// Returns whether all records have the same times.
bool same_times(const TransferTrace& a, const TransferTrace& b) {
  for (size_t s = 0; s < a.streams.size(); ++s)
    for (size_t r = 0; r < a.streams[s].records.size(); ++r) {
      const auto& x = a.streams[s].records[r];
      const auto& y = b.streams[s].records[r];
      if (x.begin != y.begin || x.end != y.end)
        return false;
    }
  return true;
}

class Cases {
 public:
  Cases(const Fabric& fabric, const std::string& file, const TransferTrace& trace, const PlantPlan& plan)
      : fabric_(fabric),
        file_(file),
        trace_(trace),
        plan_(plan) {
    PlayOptions stamped;
    stamped.issue = Issue::Stamps;
    played_ = play(fabric, trace, stamped);
    classes_ = candidate_classes(fabric, trace, played_);
  }

  std::vector<PlantCase> run() {
    PlantCase untouched;
    untouched.file = file_;
    untouched.kind = "none";
    look(trace_, untouched);
    out_.push_back(untouched);
    for (auto& [kind, ids] : by_kind())
      draw(kind, ids);
    return std::move(out_);
  }

 private:
  std::map<std::string, std::vector<size_t>> by_kind() const {
    std::map<std::string, std::vector<size_t>> out;
    for (size_t i = 0; i < classes_.size(); ++i) {
      std::set<std::string> kinds;
      for (const std::string& name : classes_[i].members)
        kinds.insert(kind_of(name));
      for (const std::string& kind : kinds)
        out[kind].push_back(i);
    }
    return out;
  }

  void draw(const std::string& kind, std::vector<size_t> ids) {
    base::Rng rng(plan_.seed, "lab.fabric.plant." + kind + "." + file_);
    const size_t drawn = std::min<size_t>(ids.size(), plan_.per_kind);
    for (size_t i = 0; i < drawn; ++i)
      std::swap(ids[i], ids[i + rng.below(ids.size() - i)]);
    for (size_t i = 0; i < drawn; ++i)
      for (const double factor : plan_.factors)
        attempt(kind, classes_[ids[i]], factor, rng);
  }

  void attempt(const std::string& kind, const CandidateClass& candidate, double factor, base::Rng& rng) {
    const Planted planted = planted_in(candidate, factor, rng);
    PlantCase c;
    c.file = file_;
    c.kind = kind;
    c.planted = candidate.members;
    c.factor = factor;
    c.moved = planted.moved;
    c.beyond = planted.beyond;
    c.counted = planted.beyond >= plan_.least_moved;
    if (c.counted) {
      const FabricJudgement verdict = look(planted.trace, c);
      c.same = c.among && all_same(verdict.ranked.front(), planted.trace, factor);
    }
    out_.push_back(std::move(c));
  }

  Planted planted_in(const CandidateClass& candidate, double factor, base::Rng& rng) const {
    if (plan_.model == PlantModel::Server) {
      const std::string& name = candidate.members[rng.below(candidate.members.size())];
      return plant_server(fabric_, trace_, played_, name, factor);
    }
    SlowTransfers slow = slow_transfers(candidate.transfers, factor);
    for (double& each : slow.factors)
      each *= std::exp(rng.normal(0, plan_.time_error));
    return plant(fabric_, trace_, played_, slow);
  }

  FabricJudgement look(const TransferTrace& seen, PlantCase& c) const {
    FabricJudgement verdict = judge(fabric_, seen);
    c.judged = verdict.judged;
    c.accused = verdict.blamed;
    if (verdict.ranked.size() > 1)
      c.runner_up = verdict.ranked[1].evidence;
    if (verdict.ranked.empty())
      return verdict;
    const FabricSuspect& first = verdict.ranked.front();
    c.blamed = first.members.front();
    c.blamed_factor = first.factor;
    c.evidence = first.evidence;
    c.spread = first.spread;
    const bool alike = std::ranges::find(first.alike, c.planted) != first.alike.end();
    const bool named = verdict.blamed && (alike || first.members == c.planted);
    c.exact = named && first.alike.empty();
    c.among = named && !first.alike.empty();
    return verdict;
  }

  // Returns whether each named class, planted in place of the right one, makes these records.
  bool all_same(const FabricSuspect& named, const TransferTrace& records, double factor) const {
    if (plan_.model != PlantModel::Transfers || plan_.time_error > 0)
      return false;
    std::vector<std::vector<std::string>> all = named.alike;
    all.push_back(named.members);
    return std::ranges::all_of(all, [&](const std::vector<std::string>& members) {
      const auto found = std::ranges::find(classes_, members, &CandidateClass::members);
      if (found == classes_.end())
        return false;
      const SlowTransfers slow = slow_transfers(found->transfers, factor);
      return same_times(plant(fabric_, trace_, played_, slow).trace, records);
    });
  }

  const Fabric& fabric_;
  const std::string& file_;
  const TransferTrace& trace_;
  const PlantPlan& plan_;
  Played played_;
  std::vector<CandidateClass> classes_;
  std::vector<PlantCase> out_;
};

}  // namespace

std::vector<PlantCase> plant_cases(
    const Fabric& fabric,
    const std::string& file,
    const TransferTrace& trace,
    const PlantPlan& plan) {
  return Cases(fabric, file, trace, plan).run();
}

}  // namespace lento::chip
