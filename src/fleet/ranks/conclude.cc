// Describes the analysis as a diagnosis: faults with place, begin, cost and evidence, or the reasons why the
// traces allow no verdict.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/ranks/analyse.h"
#include "fleet/ranks/figures.h"
#include "fleet/ranks/ranks.h"
#include "fleet/ranks/roll_call.h"
#include "fleet/ranks/suspects.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Finding;
using ranks::Analysis;
using ranks::Culprit;
using ranks::FaultKind;
using ranks::Job;

constexpr const char* kVerbose =
    "switch on NCCL_INSPECTOR_ENABLE=1, NCCL_INSPECTOR_DUMP_VERBOSE=1 and an interval "
    "(NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS=1000000) on every rank, or record Kineto traces of "
    "all ranks "
    "at the same steps";

std::string ms(double ns) {
  return base::format_number(ns / 1e6, 3) + " ms";
}

std::string where(const Job& job, int rank) {
  const ranks::JobRank& r = job.ranks[rank];
  std::string text = r.label + " (" + job.hosts[r.host].name;
  if (r.trace->process >= 0)
    text += ", pid " + std::to_string(r.trace->process);
  if (r.device >= 0)
    text += ", GPU " + std::to_string(r.device);
  return text + ")";
}

std::string number_or_empty(int number) {
  return number >= 0 ? std::to_string(number) : std::string();
}

finding::Place place(const Job& job, int rank, int host) {
  if (rank < 0)
    return {job.hosts[host].name, "", ""};
  const ranks::JobRank& r = job.ranks[rank];
  return {job.hosts[r.host].name, number_or_empty(r.number), number_or_empty(r.device)};
}

// Returns the rank or host that a slow part of the network belongs to, or nullopt for a part between hosts.
std::optional<finding::Place> place(const Job& job, const ranks::Component& part) {
  using Kind = ranks::Component::Kind;
  const int host = host_of(job, part);
  if (host < 0)
    return std::nullopt;
  const bool of_rank = part.kind == Kind::RankNic || part.kind == Kind::GpuLink;
  return place(job, of_rank ? part.a : -1, host);
}

// Returns the Unix seconds at which a step begins, on the clock of the first host.
double step_begins(const Analysis& a, int step) {
  int64_t first = INT64_MAX;
  for (const ranks::JobRank& r : a.job.ranks) {
    for (size_t i = 0; i < r.step.size(); ++i) {
      if (r.step[i] != step)
        continue;
      first = std::min(first, a.clocks.corrected(r.host, r.trace->records[i].begin_ns));
      break;
    }
  }
  return first == INT64_MAX ? 0 : double(first) / 1e9;
}

// Adds the time window and the steps of a cause.
void add_when(const Analysis& a, const Culprit& c, Finding& f) {
  const int last = std::min(c.stretch.end, a.job.steps - 1);
  f.when = finding::TimeWindow{step_begins(a, c.stretch.begin), step_begins(a, last), "s"};
  const bool whole = c.stretch.begin <= 3 && c.stretch.end >= a.job.steps - 3;
  const std::string from = whole ? "in all steps" : "from step " + std::to_string(c.stretch.begin) + " on";
  const bool ended = c.stretch.end < a.job.steps - 3;
  f.evidence.push_back(
      {from + (ended ? " to step " + std::to_string(c.stretch.end) : ""),
       double(c.stretch.begin),
       "step",
       "excess by step"});
}

// Adds what a cause costs in each step.
void add_loss(const Analysis& a, const Culprit& c, Finding& f) {
  f.lost_share = std::min(1.0, c.lost_ns / std::max(1.0, a.typical_step_ns));
  f.evidence.push_back(
      {"a step would be shorter without it by",
       c.lost_ns / 1e6,
       "ms",
       "replay of the steps with its excess taken out"});
  f.evidence.push_back(
      {"its excess over its standard error", c.significance, "", "noise from neighbouring steps"});
}

// Returns the mean of the series over a stretch of steps.
double series_mean(const std::vector<double>& series, const ranks::Stretch& s) {
  double sum = 0;
  int count = 0;
  for (int i = s.begin; i < std::min(s.end, int(series.size())); ++i) {
    if (std::isnan(series[i]))
      continue;
    sum += series[i];
    ++count;
  }
  return count > 0 ? sum / count : NAN;
}

// Returns the median, over the healthy peers of the culprit, of a series' mean in the steps in which the
// culprit is slow.
double peers_mean(const Analysis& a, const std::vector<std::vector<double>>& series, const Culprit& c) {
  std::set<int> late;
  for (const ranks::LateRank& l : a.late.late)
    late.insert(l.rank);
  std::vector<double> values;
  for (size_t r = 0; r < a.job.ranks.size(); ++r) {
    if (late.contains(int(r)) || a.job.ranks[r].peers != a.job.ranks[c.ranks.front()].peers)
      continue;
    const double mean = series_mean(series[r], c.stretch);
    if (!std::isnan(mean))
      values.push_back(mean);
  }
  return values.empty() ? NAN : evidence::median(values);
}

Finding own_finding(const Analysis& a, const Culprit& c) {
  Finding f;
  f.subject = ranks::subject(a, c);
  f.category = name(c.kind);
  f.factor = c.factor;
  f.where = place(a.job, c.rank, c.host);
  const std::string who = c.rank >= 0
                              ? where(a.job, c.rank)
                              : a.job.hosts[c.host].name + " (" + std::to_string(c.ranks.size()) + " ranks)";
  f.summary = who + " takes " + ms(c.excess_ns) + " a step longer than its peers between collectives (x" +
              base::format_number(c.factor, 3) + ")";
  const auto& own = a.own.own_ns[c.ranks.front()];
  f.evidence.push_back(
      {"own time a step", series_mean(own, c.stretch) / 1e6, "ms", "ends and begins on its own clock"});
  f.evidence.push_back(
      {"own time of its peers", peers_mean(a, a.own.own_ns, c) / 1e6, "ms", "median of equal ranks"});
  f.evidence.push_back({"excess a step", c.excess_ns / 1e6, "ms", "own time over its peers'"});
  f.evidence.push_back(
      {"time inside collectives a step, waiting included",
       series_mean(a.own.waiting_ns[c.ranks.front()], c.stretch) / 1e6,
       "ms",
       "collectives"});
  f.evidence.push_back(
      {"the same of its peers", peers_mean(a, a.own.waiting_ns, c) / 1e6, "ms", "median of equal ranks"});
  const auto late = std::ranges::find_if(a.late.late, [&](const ranks::LateRank& l) {
    return l.rank == c.ranks.front();
  });
  if (late != a.late.late.end()) {
    if (!std::isnan(late->compute_share))
      f.evidence.push_back(
          {"of the excess, kernels that run longer", 100 * late->compute_share, "%", "kernels"});
    f.evidence.push_back(
        {"of the excess, before the first collective of a step",
         100 * late->first_share,
         "%",
         "collectives"});
  }
  if (c.kind == FaultKind::SlowGpu && a.job.hosts[c.host].ranks.size() == 1)
    f.evidence.push_back(
        {"cannot be told from: its host " + a.job.hosts[c.host].name + ", which runs no other rank",
         std::nullopt,
         "",
         "ranks by host"});
  if (c.kind == FaultKind::SlowGpu && (late == a.late.late.end() || std::isnan(late->compute_share)))
    f.evidence.push_back(
        {"cannot be told from: the process of this rank alone (kernels were not recorded)",
         std::nullopt,
         "",
         a.job.layout});
  return f;
}

// Returns the advice for a kind of fault.
const char* advice(FaultKind kind) {
  switch (kind) {
    case FaultKind::SlowGpu:
      return "Check clocks, power cap, temperature and ECC of this GPU; move the rank if it stays.";
    case FaultKind::SlowHost:
      return "Check CPU load, other tenants, memory and garbage collection on this host.";
    case FaultKind::SlowInput:
      return "Check the data loader of these ranks: storage, workers, pinning, decoding.";
    case FaultKind::SlowLink:
      return "Check NIC, cable and switch port: rate, errors, pauses, congestion.";
  }
  return "";
}

// Returns the finding for a slow link or network part.
Finding link_finding(const Analysis& a, const Culprit& c) {
  const ranks::SlowPart& part = a.parts[c.part];
  Finding f;
  f.subject = ranks::subject(a, c);
  f.category = name(c.kind);
  f.factor = c.factor;
  f.where = place(a.job, part.part);
  f.summary = f.subject + ": collectives that cross it take x" + base::format_number(c.factor, 3) +
              " of what others of their kind take";
  const size_t crossing = part.part.hits.size() + part.part.misses.size();
  f.evidence.push_back(
      {"slow channels among the " + std::to_string(crossing) + " that cross it",
       double(part.part.hits.size()),
       "",
       "transfer after the last arrival"});
  size_t shown = 0;
  for (const int channel : part.part.hits) {
    const ranks::ChannelTime& t = a.channels.channels[channel];
    f.evidence.push_back(
        {text(a.job, a.job.channels[channel]) + ", others " + ms(t.undisturbed_ns),
         series_mean(t.log_ns, t.stretch) > 0
             ? std::optional<double>(std::exp(series_mean(t.log_ns, t.stretch)) / 1e6)
             : std::nullopt,
         "ms",
         "shortest kernel of its members"});
    if (++shown == 6)
      break;
  }
  for (size_t i = 0; i < std::min<size_t>(part.alternatives.size(), 8); ++i)
    f.evidence.push_back(
        {"cannot be told from: " + text(a.job, part.alternatives[i], a.switches),
         std::nullopt,
         "",
         "explains the same channels"});
  if (part.alternatives.size() > 8)
    f.evidence.push_back(
        {"and from further places", double(part.alternatives.size() - 8), "", "explain the same channels"});
  f.evidence.push_back({"NIC, cable and switch port look alike from here", std::nullopt, "", "collectives"});
  return f;
}

// Adds facts about the job: ranks, hosts, steps.
void add_facts(const Analysis& a, Diagnosis& d) {
  const Job& job = a.job;
  d.facts.push_back(
      {"ranks",
       std::to_string(job.ranks.size()) +
           (job.world > 0 ? " of " + std::to_string(job.world) : std::string())});
  d.facts.push_back({"hosts", std::to_string(job.hosts.size())});
  d.facts.push_back({"steps", std::to_string(job.steps)});
  d.facts.push_back({"step, median", ms(a.typical_step_ns)});
  d.facts.push_back({"collectives", std::to_string(job.instances.size())});
  if (!a.culprits.empty()) {
    const double without = std::max(0.0, series_mean(a.step_ns, {1, job.steps}) - a.lost_together_ns);
    d.facts.push_back({"mean step without all that is found", ms(without)});
  }
  if (job.hosts.size() > 1) {
    d.facts.push_back(
        {"clocks",
         a.clocks.aligned() ? "aligned, links disagree by " + ms(a.clocks.residual_ns)
                            : "not aligned: " + std::to_string(a.clocks.groups) +
                                  " groups of hosts without a common collective"});
  }
}

// Adds notes on what was inferred or left out.
void add_notes(const Analysis& a, Diagnosis& d) {
  const Job& job = a.job;
  if (job.hosts_inferred)
    d.notes.push_back("Hosts are counted by the numbers of GPUs: the traces do not name them.");
  if (job.ranks_inferred)
    d.notes.push_back("Ranks are counted by host and process: the logs hold no global rank.");
  if (!a.completed.empty())
    d.notes.push_back(
        "A barrier at the end of every step is not in the logs (operations under 8 KiB are left out); "
        "waiting at it was taken out of own times.");
  if (!a.late.without_peers.empty())
    d.notes.push_back(
        std::to_string(a.late.without_peers.size()) +
        " ranks do what no other rank does in a step: their own time was compared with nobody's.");
  if (job.matching.unlabelled > 0)
    d.notes.push_back(
        std::to_string(job.matching.unlabelled) + " of " + std::to_string(job.matching.communication) +
        " communication kernels do not say what they belong to.");
  if (!a.clocks.aligned())
    d.notes.push_back(
        "Times of hosts that share no collective cannot be compared; verdicts rest on each rank's own "
        "clock.");
  for (const std::string& complaint : job.matching.complaints)
    d.notes.push_back("Sizes disagree: " + complaint);
}

// Adds notes on ranks without a trace.
void add_notes(const ranks::RollCall& roll, Diagnosis& d) {
  if (roll.count > 0) {
    const std::string who =
        roll.numbered ? std::to_string(roll.count) + " ranks of the job left no trace: " + unseen_text(roll)
                      : unseen_text(roll) + " of the job left no trace";
    d.notes.push_back(
        who + "; transfers of their groups were not judged." +
        (roll.numbered ? "" : " Without them the numbers of the other ranks do not follow from the order."));
  }
  if (roll.whole_ns > 0)
    d.notes.push_back(
        "Collectives that lack a member mostly last over " + ms(roll.lacking_ns) +
        " for every rank at hand, and under " + ms(roll.whole_ns) +
        " where all members are at hand: their ranks wait for one that left no trace" +
        (roll.count > 0 ? "." : " from there on."));
  for (const std::string& file : roll.not_closed)
    d.notes.push_back(file + ": the file was not closed; it was read up to its last whole event.");
}

std::string covered_text(const Analysis& a) {
  const Job& job = a.job;
  return std::to_string(job.ranks.size()) + " ranks on " + std::to_string(job.hosts.size()) + " hosts, " +
         std::to_string(job.steps) + " steps, " + std::to_string(job.instances.size()) +
         " collectives matched";
}

// Concludes without a finding on a job in which some ranks or hosts were compared with no other.
void end_without_peers(const Analysis& a, Diagnosis& d) {
  const std::vector<int>& ranks = a.late.without_peers;
  const std::vector<int>& hosts = a.late.hosts_without_peers;
  std::string who = std::to_string(ranks.size()) + " ranks do what no other rank does in a step";
  if (ranks.size() == 1)
    who = where(a.job, ranks.front()) + " does what no other rank does in a step";
  if (ranks.empty())
    who = (hosts.size() == 1 ? a.job.hosts[hosts.front()].name + " does"
                             : std::to_string(hosts.size()) + " hosts do") +
          " what no other host does in a step";
  finding::cannot_judge(
      d,
      who + ", and no rank is slower than others with its work",
      "give a job in which each stage runs on at least two hosts",
      covered_text(a));
}

// Concludes without a finding on a job whose records are incomplete.
void end_incomplete(const ranks::RollCall& roll, const std::string& covered, Diagnosis& d) {
  if (roll.count > 0) {
    finding::cannot_judge(
        d,
        unseen_text(roll) + " left no trace, and the ranks at hand are no slower than one another",
        "give the traces of all ranks",
        covered);
    return;
  }
  finding::cannot_judge(
      d,
      roll.unfinished.front() + " ends before the steps that the other ranks recorded",
      "give whole traces of all ranks",
      covered);
}

// Adds a finding when members of at least two collectives recorded different sizes.
void add_mismatches(const Analysis& a, Diagnosis& d) {
  // A single mismatch may be one damaged record, and no verdict may depend on one record. It becomes a note.
  const ranks::Matching& m = a.job.matching;
  if (m.mismatched < 2 || m.mismatched * 100 > m.matched)
    return;
  Finding f;
  f.subject = "sizes";
  f.category = "mismatch";
  f.summary = std::to_string(m.mismatched) + " collectives whose members disagree about the size";
  f.score = 0.5;
  for (const std::string& c : m.complaints)
    f.evidence.push_back({c, std::nullopt, "", "bytes of the records"});
  f.next_step = "Compare the shapes of these ranks.";
  d.findings.push_back(std::move(f));
}

// Returns why the traces allow no verdict and the remedy, empty when they allow one.
std::pair<std::string, std::string> obstacle(const Analysis& a) {
  const Job& job = a.job;
  const ranks::Matching& m = job.matching;
  if (m.records == 0 && m.communication > 0)
    return {
        std::to_string(m.communication) +
            " communication kernels carry no arguments, so they are not matchable",
        std::string("record with a PyTorch that writes process groups (2.3 or newer), or ") + kVerbose};
  if (m.records == 0)
    return {"no collective was recorded", kVerbose};
  if (job.ranks.size() < 2) {
    const std::string of = job.world > 1 ? " among " + std::to_string(job.world) : "";
    return {
        "the collectives of one rank" + of + " are not matchable with anything",
        "give the traces of all ranks"};
  }
  if (m.matched * 2 < m.records - m.unlabelled || m.matched < 10)
    return {
        "only " + std::to_string(m.matched) + " of " + std::to_string(m.records) +
            " records have a partner: the ranks are not matchable",
        std::string("give whole traces of all ranks, begun at the same step; or ") + kVerbose};
  if (job.steps < 5)
    return {
        "the traces show " + std::to_string(job.steps) + " training steps; 5 are needed",
        "record at least 20 steps, with profiler steps marked (torch.profiler's step())"};
  return {};
}

// Concludes from durations only, for recordings without start times.
Diagnosis by_durations(const Analysis& a, Diagnosis d) {
  const auto suspects = ranks::suspects_by_duration(a.job, a.channels);
  for (const ranks::DurationSuspect& s : suspects) {
    Finding f;
    f.subject = s.rank >= 0 ? a.job.ranks[s.rank].label : a.job.hosts[s.host].name;
    f.category = s.rank >= 0 ? "suspect: slow GPU" : "suspect: slow host";
    f.where = place(a.job, s.rank, s.host);
    f.summary = (s.rank >= 0 ? where(a.job, s.rank) : f.subject) +
                " is a suspect: it is the last of its collectives most often, by durations alone";
    f.score = 0.5;
    f.evidence.push_back(
        {"share of its collectives in which its kernel is the shortest",
         100 * s.last_share,
         "%",
         "coll_exec_time_us"});
    f.evidence.push_back(
        {"others wait for it, mean a collective", s.lag_ns / 1e6, "ms", "coll_exec_time_us"});
    f.next_step =
        "Switch on NCCL_INSPECTOR_DUMP_VERBOSE=1 to tell a slow GPU from a slow host and to get its cost.";
    d.findings.push_back(std::move(f));
  }
  d.notes.push_back(
      "The logs hold durations without times (no verbose mode): suspects, no costs and no times.");
  const std::string covered = covered_text(a) + ", durations only";
  end_suspicion(d, {"the logs hold durations only, and no rank is clearly the last", kVerbose}, covered);
  return d;
}

// Returns the verdict: the costliest finding and the step time without it, or that none is slower.
std::string verdict_of(const Analysis& a, const Diagnosis& d) {
  if (d.findings.empty())
    return "No rank, host or link is slower than its peers.";
  const Finding& first = d.findings.front();
  std::string text = "A " + first.category + ": " + first.summary;
  if (a.lost_together_ns > 0) {
    const double mean = series_mean(a.step_ns, {1, a.job.steps});
    text += "; without " + std::string(d.findings.size() > 1 ? "all that is found" : "it") +
            " the mean step would take " + ms(std::max(0.0, mean - a.lost_together_ns)) + " instead of " +
            ms(mean);
  }
  return text + ".";
}

}  // namespace

Diagnosis diagnose_ranks(
    const std::vector<fleet::ranks::RankTrace>& traces,
    const RanksOptions& options,
    const base::Progress& progress) {
  const Analysis a = ranks::analyse(traces, {options.switch_of, true}, progress);
  Diagnosis d;
  d.scale = "fleet";
  d.title = "Collectives of " + std::to_string(a.job.ranks.size()) + " ranks";
  const auto [reason, remedy] = obstacle(a);
  const ranks::RollCall roll = ranks::call_roll(a.job);
  add_notes(roll, d);
  if (!a.job.timed && a.job.matching.matched >= 10)
    return by_durations(a, std::move(d));
  add_facts(a, d);
  add_notes(a, d);
  if (!reason.empty()) {
    finding::cannot_judge(d, reason, remedy, covered_text(a));
    return d;
  }
  for (const Culprit& c : a.culprits) {
    Finding f = c.part >= 0 ? link_finding(a, c) : own_finding(a, c);
    f.score = c.significance / (c.significance + 4);
    add_when(a, c, f);
    add_loss(a, c, f);
    f.next_step = advice(c.kind);
    d.findings.push_back(std::move(f));
  }
  add_mismatches(a, d);
  finding::sort_findings(d.findings);
  if (options.figures)
    ranks::add_figures(a, options.lane_steps, d);
  if (d.findings.empty() && !(a.late.without_peers.empty() && a.late.hosts_without_peers.empty())) {
    end_without_peers(a, d);
    return d;
  }
  if (d.findings.empty() && !roll.complete()) {
    end_incomplete(roll, covered_text(a), d);
    return d;
  }
  d.verdict = verdict_of(a, d);
  finding::judged(d, covered_text(a));
  return d;
}

}  // namespace lento::fleet
