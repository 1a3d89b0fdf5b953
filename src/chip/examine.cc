// Judges the records of a real chip by its waits (chip/fabric) and its zones (chip/zones), and compares two
// runs of one program.
#include "chip/examine.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "chip/fabric/judge.h"
#include "chip/fabric/play.h"
#include "chip/zone_findings.h"
#include "evidence/distribution.h"

namespace lento::chip {
namespace {

using base::format_number;
using finding::Diagnosis;

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

// Returns the category of a finding from the name of the component.
std::string category_of(const std::string& name) {
  if (name.find("link") != std::string::npos)
    return "slow link";
  if (name.find("/in") != std::string::npos || name.find("/out") != std::string::npos)
    return "slow port";
  if (name.find("dram") != std::string::npos)
    return "slow memory port";
  return "slow core";
}

// Returns the finding for a component that delays transfers. The score is 1 - exp(-lead) / 2, where lead is
// the evidence (log-likelihood) of the component less that of the second candidate.
finding::Finding finding_of(const FabricSuspect& suspect, const FabricJudgement& verdict) {
  finding::Finding f;
  f.subject = suspect.members.front();
  f.category = category_of(f.subject);
  f.factor = suspect.factor;
  const double second = verdict.ranked.size() > 1 ? verdict.ranked[1].evidence : 0;
  f.score = 1 - 0.5 * std::exp(-(suspect.evidence - second));
  const std::string among = suspect.alike.empty() ? "" : " or another that leaves the same records";
  f.summary = "Transfers over " + f.subject + among + " take about " + format_number(suspect.factor, 3) +
              " times as long as they should.";
  f.evidence.push_back(
      {"waits that its transfers hold up, of " + std::to_string(suspect.waits) + " they take part in",
       double(suspect.moved),
       "waits",
       "group records"});
  f.evidence.push_back(
      {"log-likelihood above that of a healthy fabric", suspect.evidence, "", "ends of waits"});
  f.evidence.push_back({"the same of the next candidate", second, "", "ends of waits"});
  f.evidence.push_back({"spread of equal waits", 100 * verdict.spread, "%", "ends of waits"});
  if (suspect.members.size() > 1)
    f.evidence.push_back(
        {"cannot be told apart, the same transfers take them all: " + joined(suspect.members),
         double(suspect.members.size()),
         "components",
         "routes"});
  for (const std::vector<std::string>& other : suspect.alike)
    f.evidence.push_back(
        {"would have left the same ends of waits, and cannot be excluded: " + joined(other),
         double(other.size()),
         "components",
         "ends of waits"});
  f.next_step = "Run the program with this component left out, or its traffic on another network or route.";
  return f;
}

// Returns the candidates, best first, as a table.
finding::Figure candidate_table(const FabricJudgement& verdict) {
  finding::TableFigure table;
  table.columns = {"components", "factor", "evidence", "waits held up", "waits", "transfers"};
  for (const FabricSuspect& s : verdict.ranked)
    table.rows.push_back(
        {joined(s.members),
         format_number(s.factor, 3),
         format_number(s.evidence, 4),
         std::to_string(s.moved),
         std::to_string(s.waits),
         std::to_string(s.transfers)});
  return {
      "Candidates",
      "Classes of components by how much better the records fit when they are slow.",
      table};
}

constexpr size_t kShown = 20;  // most rows of a ranking

// Lists the waits that became longer, by their increase. Both runs must have the same waits.
finding::Figure longer_waits(const TransferTrace& before, const TransferTrace& after) {
  struct Row {
    double more = 0;
    std::vector<std::string> cells;
  };
  std::vector<Row> rows;
  const auto was = groups_of(before);
  const auto is = groups_of(after);
  for (size_t i = 0; i < was.size() && i < is.size(); ++i) {
    const auto& a = before.streams[was[i].stream].records[was[i].wait];
    const auto& stream = after.streams[is[i].stream];
    const auto& b = stream.records[is[i].wait];
    if (a.end == kNoTime || b.end == kNoTime)
      continue;
    const double first = double(a.end - a.begin);
    const double second = double(b.end - b.begin);
    rows.push_back(
        {second - first,
         {to_string(stream.core),
          after.names[stream.processor],
          std::to_string(is[i].transfers),
          format_number(first, 12),
          format_number(second, 12)}});
  }
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return a.more > b.more;
  });
  if (rows.size() > kShown)
    rows.resize(kShown);
  finding::TableFigure table;
  table.columns = {"core", "processor", "transfers", "cycles, earlier", "cycles, later"};
  for (Row& row : rows)
    table.rows.push_back(std::move(row.cells));
  return {"Waits that became longer", "Those that grew most, first.", table};
}

// Writes the verdict. `differ` completes the sentence "No component makes ..." of a healthy verdict: equal
// waits differ, or waits differ from an earlier run.
void conclude(Diagnosis& d, const FabricJudgement& verdict, const std::string& differ) {
  d.facts.emplace_back("waits compared", std::to_string(verdict.waits));
  if (verdict.left_out > 0)
    d.facts.emplace_back("waits without an equal", std::to_string(verdict.left_out));
  if (!verdict.judged) {
    if (!verdict.ranked.empty())
      d.figures.push_back(candidate_table(verdict));
    return finding::cannot_judge(d, verdict.reason, verdict.remedy);
  }
  d.facts.emplace_back("classes of components played slow", std::to_string(verdict.played));
  const std::string spread = format_number(100 * verdict.spread, 3) + " %";
  d.facts.emplace_back("spread of equal waits", spread);
  d.figures.push_back(candidate_table(verdict));
  if (verdict.blamed)
    d.findings.push_back(finding_of(verdict.ranked.front(), verdict));
  d.verdict = verdict.blamed ? d.findings.front().summary : "No component makes " + differ;
  d.notes.push_back(
      "Seen are the ends of waits. A component that is slow but never holds the last transfer of a wait "
      "leaves no "
      "trace in these records.");
  finding::judged(d, std::to_string(verdict.waits) + " waits, whose equals differ by " + spread);
}

// Adds a finding when the later run is slower as a whole by more than kTolerance: in its waits, with the
// lower end of the 90 % interval, even when one component is named as well. Or, when none is named, in its
// cycles `is` against `was` of the earlier run.
void conclude_common(Diagnosis& d, const FabricComparison& comparison, double was, double is) {
  constexpr double kTolerance = 1.1;  // factor by which two healthy runs of one program may differ
  const FabricJudgement& verdict = comparison.judgement;
  if (!verdict.judged || verdict.waits == 0)
    return;
  const double deviation = evidence::kNinety * verdict.spread / std::sqrt(double(verdict.waits));
  const double low = comparison.common * std::exp(-deviation);
  const bool waits = low > kTolerance;
  const bool other = !waits && !verdict.blamed && was > 0 && is > kTolerance * was;
  if (!waits && !other)
    return;
  finding::Finding f;
  f.subject = waits ? "all transfers" : "the run outside its transfers";
  f.category = "slower than the earlier run";
  f.score = waits ? 1 : 0.9;
  f.factor = waits ? comparison.common : is / was;
  if (waits)
    f.summary = "All waits for transfers took " + format_number(comparison.common, 3) +
                " times what they took in the earlier run (90 %: " + format_number(low, 3) + " to " +
                format_number(comparison.common * std::exp(deviation), 3) + ").";
  else
    f.summary = "The run took " + format_number(is / was, 3) +
                " times what the earlier one took, and its waits for transfers did not grow as much.";
  f.evidence.push_back({"cycles of the later run over those of the earlier", is / was, "x", "records"});
  f.next_step = waits ? "Compare clock, power limit and temperature of the chip in both runs."
                      : "Compare the time that cores compute in both runs, and the clock.";
  d.findings.push_back(std::move(f));
  finding::sort_findings(d.findings);
  d.verdict = d.findings.front().summary;
  finding::judged(d, d.covered);
}

// Returns the fabric of the named sheet. Without a name that of wormhole is assumed, and a note says so.
Fabric fabric_of(const std::string& chip, Diagnosis& d) {
  const std::string name = chip.empty() ? "wormhole" : chip;
  d.options = {{"chip", name}};
  if (chip.empty())
    d.notes.push_back("No --chip was given: the fabric of " + name + " is assumed.");
  return Fabric(spec::read_fabric(name));
}

// Answers "cannot judge" where every record was skipped. Returns whether it did.
bool nothing_read(Diagnosis& d, const base::ReadReport& report) {
  if (report.taken > 0 || report.skipped == 0)
    return false;
  finding::cannot_judge(
      d,
      "none of " + std::to_string(report.skipped) +
          " records could be read: " + report.reasons.begin()->first,
      "docs/formats/transfers.md lists what a record needs");
  return true;
}

}  // namespace

Diagnosis chip_examine(const ChipExamineOptions& options) {
  Records records = read_records(options.sources);
  Diagnosis d;
  d.scale = "chip";
  d.title = "Recorded program, judged without a mapping";
  add_record_facts(d, records.trace);
  finding::add_read_report(d, records.report);
  d.inputs = std::move(records.inputs);
  if (nothing_read(d, records.report))
    return d;
  if (only_zones(records.trace)) {
    conclude_zones(d, records.trace, nullptr);
    return d;
  }
  const Fabric fabric = fabric_of(options.chip, d);
  d.title = "Recorded program on " + fabric.sheet().name + ", judged without a mapping";
  const FabricJudgement verdict = judge(fabric, records.trace);
  d.facts.emplace_back("sorts of equal waits", std::to_string(verdict.patterns));
  conclude(d, verdict, "equal waits differ by more than they do anyway.");
  add_computations(d, records.trace, nullptr);
  return d;
}

Diagnosis chip_compare(const ChipCompareOptions& options) {
  Records before = read_records(options.before);
  Records after = read_records(options.after);
  Diagnosis d;
  d.scale = "chip";
  d.title = "Two recorded runs";
  finding::add_read_report(d, before.report);
  finding::add_read_report(d, after.report);
  d.inputs = before.inputs;
  d.inputs.insert(d.inputs.end(), after.inputs.begin(), after.inputs.end());
  if (nothing_read(d, before.report) || nothing_read(d, after.report))
    return d;
  for (const auto& [chip, hz] : before.trace.clock_hz)
    if (const auto later = after.trace.clock_hz.find(chip); later != after.trace.clock_hz.end())
      d.facts.emplace_back(
          "clock of chip " + std::to_string(chip) + ", earlier and later run",
          base::format_measure(hz, "Hz") + ", " + base::format_measure(later->second, "Hz"));
  if (only_zones(before.trace) && only_zones(after.trace)) {
    conclude_zones(d, after.trace, &before.trace);
    return d;
  }
  const Fabric fabric = fabric_of(options.chip, d);
  d.title = "Two recorded runs on " + fabric.sheet().name;
  const FabricComparison comparison = compare(fabric, before.trace, after.trace);
  const double was = measured_cycles(before.trace);
  const double is = measured_cycles(after.trace);
  d.facts.emplace_back("cycles, earlier run", format_number(was, 12));
  d.facts.emplace_back("cycles, later run", format_number(is, 12));
  if (comparison.judgement.judged) {
    d.facts.emplace_back("all waits together", format_number(comparison.common, 3) + " times as long");
    d.figures.push_back(longer_waits(before.trace, after.trace));
  }
  conclude(d, comparison.judgement, "waits differ from the earlier run by more than all of them do.");
  conclude_common(d, comparison, was, is);
  add_computations(d, after.trace, &before.trace);
  return d;
}

}  // namespace lento::chip
