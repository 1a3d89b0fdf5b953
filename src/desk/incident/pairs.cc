// Judges measurements between all parts of one kind, by the slowest pair of each part.
//
// A part whose slowest pair is slower than those of its peers has a slow link at one of its ends. The end
// that several of these pairs share is the slow one. When a slow pair shares no end with another one, the
// link between its ends is slow, and the finding is about both ends.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "evidence/outliers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestPairs = 4;

struct SlowestPair {
  std::string part;
  std::string other;
  double value = 0;
  double false_alarm = 1;
  const Run* run = nullptr;
};

finding::Finding
finding_of_pair(const Records& records, const SlowestPair& pair, const std::string& shared, double typical) {
  const Quantity& quantity = pair.run->measured[0].first;
  const auto with_unit = [&](double value) {
    return base::format_number(value) + (quantity.unit.empty() ? "" : " " + quantity.unit);
  };
  finding::Finding finding;
  finding.subject = shared.empty() ? list_text({pair.part, pair.other}) : shared;
  finding.category = "slow link";
  finding.summary = finding.subject + ": " + quantity.name + " " + with_unit(pair.value) +
                    (shared.empty() ? " between the two, where the slowest pair of other parts has "
                                    : " in its slowest pair, where those of others have ") +
                    with_unit(typical);
  if (shared.empty())
    finding.summary += "; which end is slow is not shown, as both are fast with others";
  finding.score = 0.85;
  finding::set_ratio(finding, pair.value, typical, quantity.name);
  finding.evidence = {
      {quantity.name + " of " + list_text({pair.part, pair.other}),
       pair.value,
       quantity.unit,
       place_text(records, pair.run->where)},
      {"healthy parts hold one that is as far out " + false_alarm_text(pair.false_alarm),
       std::nullopt,
       "",
       quantity.name}};
  finding.next_step =
      "look at the link between them: nvidia-smi nvlink -s and -e, nvidia-smi topo -m, lspci -vv, or cable "
      "and "
      "switch ports between hosts; measure both with a third one";
  return finding;
}

void judge_operation(
    const Records& records,
    const std::vector<SlowestPair>& pairs,
    const JudgeOptions& options,
    Judgement& out) {
  if (pairs.size() < kFewestPairs)
    return;
  out.covered.push_back("slowest pair of each of " + std::to_string(pairs.size()) + " parts");
  std::vector<double> logs;
  std::vector<double> values;
  for (const SlowestPair& pair : pairs) {
    values.push_back(pair.value);
    logs.push_back(std::log(pair.value));
  }
  const double typical = evidence::median(values);
  std::map<std::string, std::set<std::string>> ends;
  std::vector<SlowestPair> slow;
  for (const evidence::Outlier& outlier :
       evidence::outliers(logs, evidence::Side::Low, options.false_alarms)) {
    SlowestPair pair = pairs[outlier.index];
    if (typical < pair.value * (1 + options.least_effect))
      continue;
    pair.false_alarm = outlier.false_alarm;
    ends[pair.part].insert(pair.other);
    ends[pair.other].insert(pair.part);
    slow.push_back(std::move(pair));
  }
  std::set<std::string> named;
  for (const SlowestPair& pair : slow) {
    const size_t own = ends[pair.part].size();
    const size_t others = ends[pair.other].size();
    const std::string shared = own > 1 && own > others      ? pair.part
                               : others > 1 && others > own ? pair.other
                                                            : "";
    const std::string key =
        shared.empty() ? std::min(pair.part, pair.other) + std::max(pair.part, pair.other) : shared;
    if (named.insert(key).second)
      out.findings.push_back(finding_of_pair(records, pair, shared, typical));
  }
}

}  // namespace

void judge_pairs(const Records& records, const JudgeOptions& options, Judgement& out) {
  std::map<std::pair<std::string, int32_t>, std::vector<SlowestPair>> operations;
  for (const Run& run : records.runs()) {
    if (run.kind != "slowest pair" || run.members.size() != 2 || run.measured.empty())
      continue;
    const double value = run.measured[0].second;
    const std::string host = run.subject.host.empty() ? "" : run.subject.host + "/";
    if (value > 0)
      operations[{fact(run, "operation"), run.where.file}].push_back(
          {host + run.members[0], host + run.members[1], value, 1, &run});
  }
  for (const auto& [operation, pairs] : operations)
    judge_operation(records, pairs, options, out);
}

}  // namespace lento::desk
