// Turns a judgement of zones into findings and sentences. An all-clear names what it does not cover: zones in
// which healthy cores differ too much, zones without an equal, and cores without records.
#include "chip/zone_findings.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/units.h"
#include "chip/zones/zones.h"

namespace lento::chip {
namespace {

using base::format_number;
using finding::Diagnosis;

// Returns the sentence part on the records of the zone in which the core was slower, empty where that is all
// of them.
std::string stretch_words(const ZoneSuspect& s) {
  if (s.last - s.first == s.records)
    return "";
  return " in its records " + std::to_string(s.first + 1) + " to " + std::to_string(s.last) + " of " +
         std::to_string(s.records);
}

// Returns both ends with as many digits as tell them apart.
std::string interval_words(double low, double high) {
  int digits = 3;
  while (digits < 6 && format_number(low, digits) == format_number(high, digits))
    ++digits;
  return format_number(low, digits) + " to " + format_number(high, digits);
}

// Returns the finding for a core whose zones (named parts of a kernel) take longer than on other cores.
finding::Finding finding_of(const ZoneSuspect& s, bool beside_earlier) {
  finding::Finding f;
  f.subject = "core " + to_string(s.core);
  f.category = "slow core";
  f.factor = s.factor;
  f.score = 1 - s.chance;
  f.summary = "Zone " + s.zone + " took " + format_number(s.factor, 3) + " times as long on " + f.subject +
              (beside_earlier ? " as in the earlier run" : " as on its peers") + stretch_words(s) +
              " (90 %: " + interval_words(s.low, s.high) + ").";
  f.evidence.push_back({"chance of such a core among as many healthy ones", s.chance, "", "zones"});
  f.evidence.push_back({"chance of the ranks of its records beside those of peers", s.rank, "", "zones"});
  f.evidence.push_back(
      {"sorts of zones in which it stands out, of " + std::to_string(s.judged_zones),
       double(s.zones),
       "zones",
       "zones"});
  f.next_step = beside_earlier ? "Check clock and temperature of that core."
                               : "Make sure that it had no more work than its peers: `lento chip compare` "
                                 "with an earlier run does.";
  return f;
}

std::string unclear_words(const ZoneSuspect& s, bool beside_earlier) {
  const std::string than = beside_earlier ? "in the earlier run" : "its peers";
  const std::string start =
      "core " + to_string(s.core) + " took " + format_number(s.factor, 3) + " times as long as " + than;
  if (!s.ranked)
    return start + " for all its records of " + s.zone + " together, and so few of them (" +
           std::to_string(s.last - s.first) + " of " + std::to_string(s.records) +
           ") are longer that a single delay may be the reason";
  return start + " in " + std::to_string(s.zones) + " of its " + std::to_string(s.judged_zones) +
         " sorts of zones, most in " + s.zone + stretch_words(s) +
         (s.zones < s.judged_zones ? ", and no longer in the others"
                                   : ", which it ran another number of times") +
         ": it had other work, or a part of it is slow";
}

std::string unclear_remedy(const ZoneSuspect& s) {
  return s.ranked ? "give an earlier run of the same program to `lento chip compare`"
                  : "another run of the same program, which shows whether the delay returns";
}

constexpr size_t kMostZonesShown = 3;

// Joins the first of the names.
std::string some_of(const std::vector<std::string>& names) {
  std::string out;
  const std::set<std::string> sorted(names.begin(), names.end());
  size_t shown = 0;
  for (const std::string& name : sorted)
    if (shown++ < kMostZonesShown)
      out += (out.empty() ? "" : ", ") + (name.empty() ? "without a name" : name);
  return out + (sorted.size() > kMostZonesShown ? ", ..." : "");
}

// Adds the findings: slow cores, and chips that became slower as a whole.
void add_findings(Diagnosis& d, const ZoneJudgement& verdict, bool beside_earlier) {
  for (const ZoneSuspect& s : verdict.suspects)
    d.findings.push_back(finding_of(s, beside_earlier));
  constexpr double kTolerance = 1.1;
  for (const auto& [chip, factor] : verdict.common) {
    const bool one = verdict.common.size() == 1;
    const std::string name = "chip " + std::to_string(chip);
    d.facts.emplace_back(
        one ? "all zones together" : "all zones of " + name,
        format_number(factor, 3) + " times as long");
    if (factor <= kTolerance)
      continue;
    finding::Finding f;
    f.subject = one ? "the whole chip" : name;
    f.category = "slower than the earlier run";
    f.score = 1;
    f.factor = factor;
    f.summary = "Zones took " + format_number(factor, 3) +
                " times as long as in the earlier run, on all cores" + (one ? "." : " of " + name + ".");
    f.next_step = "Compare clock, power limit and temperature of the chip in both runs.";
    d.findings.push_back(std::move(f));
  }
  finding::sort_findings(d.findings);
}

// Adds what a verdict on zones does not cover.
void add_limits(Diagnosis& d, const ZoneJudgement& verdict, bool beside_earlier) {
  if (verdict.unmatched > 0)
    d.notes.push_back(
        std::to_string(verdict.unmatched) +
        " sorts of zones were run by no core equally often in both runs, and are not compared.");
  if (!verdict.unlike.empty())
    d.notes.push_back(
        "Not judged, because healthy cores differ too much: zones of " + some_of(verdict.unlike));
  std::vector<std::string> silent;
  for (const Place& core : verdict.silent)
    silent.push_back(to_string(core));
  if (!silent.empty() && !beside_earlier)
    d.notes.push_back(
        "No record came from core " + some_of(silent) +
        ", although every other core of its row and column recorded: it had no work, or it hangs.");
  // The first is the reason of the verdict where nothing was found.
  const size_t reasons = d.findings.empty() ? 1 : 0;
  for (size_t i = reasons; i < std::min(verdict.unclear.size(), reasons + kMostZonesShown); ++i)
    d.notes.push_back(unclear_words(verdict.unclear[i], beside_earlier));
  if (verdict.unclear.size() > reasons + kMostZonesShown)
    d.notes.push_back(
        std::to_string(verdict.unclear.size() - reasons - kMostZonesShown) + " more cores stand out.");
}

// Returns the sentence of a verdict without findings.
std::string healthy_words(const ZoneJudgement& verdict) {
  return std::string("No core is slower than its peers in the zones ") +
         (verdict.unlike.empty() ? "that it ran." : "in which healthy cores are alike.");
}

// Answers "cannot judge" where a core stands out and is not named, or recorded in the earlier run alone.
// Returns whether it did.
bool doubted(Diagnosis& d, const ZoneJudgement& verdict, bool beside_earlier) {
  if (!d.findings.empty())
    return false;
  if (!verdict.unclear.empty()) {
    const ZoneSuspect& first = verdict.unclear.front();
    finding::cannot_judge(d, unclear_words(first, beside_earlier), unclear_remedy(first), d.covered);
    return true;
  }
  if (beside_earlier && !verdict.silent.empty()) {
    finding::cannot_judge(
        d,
        "core " + to_string(verdict.silent.front()) + " recorded in the earlier run and not in this one",
        "see whether that core still runs, and record it",
        d.covered);
    return true;
  }
  return false;
}

std::string covered_words(const ZoneJudgement& verdict, const char* what) {
  return std::to_string(verdict.records) + what + std::to_string(verdict.cores) + " cores";
}

std::string detectable_words(const ZoneJudgement& verdict) {
  return "x" + format_number(verdict.detectable, 3);
}

}  // namespace

bool only_zones(const TransferTrace& trace) {
  return std::ranges::any_of(
             trace.streams,
             [](const TransferStream& s) {
               return std::ranges::any_of(s.records, [](const TransferRecord& r) {
                 return r.kind == TransferKind::ZoneEnd || r.kind == TransferKind::Compute;
               });
             }) &&
         groups_of(trace).empty();
}

void conclude_zones(Diagnosis& d, const TransferTrace& trace, const TransferTrace* earlier) {
  const ZoneJudgement verdict = judge_zones(trace, {.earlier = earlier});
  const bool beside_earlier = earlier != nullptr;
  d.facts.emplace_back("zones compared", std::to_string(verdict.records));
  d.facts.emplace_back("sorts of zones", std::to_string(verdict.zones));
  if (!verdict.judged)
    return finding::cannot_judge(d, verdict.reason, verdict.remedy);
  d.facts.emplace_back("slow-down of a core that would be named", detectable_words(verdict));
  add_findings(d, verdict, beside_earlier);
  d.verdict = d.findings.empty() ? healthy_words(verdict) : d.findings.front().summary;
  d.notes.push_back("Seen are zones alone: links, memories and waits for them are not.");
  add_limits(d, verdict, beside_earlier);
  if (const uint64_t transfers = count(trace).transfers; transfers > 0)
    d.notes.push_back(std::to_string(transfers) + " transfers without an end were not judged.");
  if (!doubted(d, verdict, beside_earlier))
    finding::judged(d, covered_words(verdict, " zones of "));
}

void add_computations(Diagnosis& d, const TransferTrace& trace, const TransferTrace* earlier) {
  size_t zones = 0;
  size_t computations = 0;
  for (const TransferStream& stream : trace.streams)
    for (const TransferRecord& r : stream.records) {
      zones += r.kind == TransferKind::ZoneEnd;
      computations += r.kind == TransferKind::Compute;
    }
  if (zones > 0)
    d.notes.push_back(
        std::to_string(zones) + " zones of cores were not judged, because they hold waits for transfers.");
  if (computations == 0)
    return;
  const ZoneJudgement verdict = judge_zones(trace, {.earlier = earlier, .zones = false});
  const bool beside_earlier = earlier != nullptr;
  const bool healthy = d.outcome == finding::Outcome::Healthy;
  if (!verdict.judged) {
    const std::string unjudged =
        "The " + std::to_string(computations) + " computations were not judged: " + verdict.reason + ".";
    d.notes.push_back(unjudged);
    if (healthy)
      d.verdict += " " + unjudged;
    return;
  }
  d.facts.emplace_back("slow-down of a core's computations that would be named", detectable_words(verdict));
  add_findings(d, verdict, beside_earlier);
  add_limits(d, verdict, beside_earlier);
  const std::string covered = covered_words(verdict, " computations of ");
  if (!d.findings.empty()) {
    d.verdict = d.findings.front().summary;
    d.reason.clear();
    d.remedy.clear();
    finding::judged(d, d.covered.empty() ? covered : d.covered + ", and " + covered);
  } else if (healthy && !doubted(d, verdict, beside_earlier)) {
    d.verdict += " Computations: " + healthy_words(verdict);
    finding::judged(d, d.covered + ", and " + covered);
  }
}

}  // namespace lento::chip
