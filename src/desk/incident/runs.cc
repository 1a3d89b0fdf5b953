// Benchmarks of pairs or groups of hosts, and summaries of kernels.
//
// A collective is as fast as its slowest member, so a host can do at least what the best run with it reached.
// The host whose best run is worse than those of the others is common to the slow runs. The hosts are
// compared by the spread of the others (outliers.h).
//
// A collective kernel that waits for a rank that comes late takes long in some calls and its usual time in
// the others: its mean is above its median. The difference of the two is waiting, and the rank that waits is
// not the slow one.
#include <algorithm>
#include <map>
#include <set>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/read/ends.h"
#include "evidence/outliers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestHosts = 4;

// Compares a run with what the links of the named system should reach. Returns false when it cannot be.
bool compare_bus(const Records& records, const Run& run, const JudgeOptions& options, Judgement& out) {
  MeasuredSpeed speed;
  speed.kind = MeasuredSpeed::Kind::BusBandwidth;
  speed.value = measured(run, "bus bandwidth").value_or(0) * 1e9;
  speed.collective = fact(run, "collective");
  speed.bytes = measured(run, "message").value_or(0);
  speed.devices = measured(run, "GPUs").value_or(0);
  std::string reason;
  const auto compared = options.compare ? options.compare(speed, reason) : std::nullopt;
  if (!compared && !reason.empty())
    out.notes.push_back("the bus bandwidth is not compared with what should be: " + reason);
  if (!compared)
    return false;
  add_compared(*compared, "the collective", place_text(records, run.where), out);
  if (compared->outcome == ComparedSpeed::Outcome::Slow)
    out.findings.back().next_step =
        "run it on fewer GPUs and on other hosts; NCCL_DEBUG=INFO shows the transport, nvidia-smi nvlink -s, "
        "ibstat and nvidia-smi topo -m the links";
  return true;
}

struct Best {
  double value = 0;
  const Run* run = nullptr;
  std::vector<const Run*> runs;
};
using Hosts = std::map<std::string, Best>;

// The runs of one collective between as many hosts, each with its bus bandwidth (GB/s) at one size of
// message.
struct Operation {
  std::vector<std::pair<const Run*, double>> runs;
  Hosts hosts;
};

std::vector<std::string> members_of(const Run& run) {
  return run.members.empty() ? ends_of(run.subject.host.empty() ? "one host" : run.subject.host)
                             : run.members;
}

// Formats the bus bandwidths of runs: "291.3 and 466.2".
std::string levels_text(const std::set<const Run*>& runs) {
  std::set<double> speeds;
  for (const Run* run : runs)
    speeds.insert(*measured(*run, "bus bandwidth"));
  const std::string least = base::format_number(*speeds.begin());
  const std::string most = base::format_number(*speeds.rbegin());
  return least == most ? least : least + (speeds.size() > 2 ? " to " : " and ") + most;
}

// Returns the bus bandwidth of a run in an operation ("all_reduce of 512 MiB"): its row of that size, or its
// own.
std::optional<double> speed_in(const Run& run, const std::string& operation) {
  if (fact(run, "operation") == operation)
    return measured(run, "bus bandwidth");
  const std::string& test = fact(run, "test");
  if (test.empty() || !operation.starts_with(test + " of "))
    return std::nullopt;
  return measured(run, "bus bandwidth at " + operation.substr(test.size() + 4));
}

// Returns the operations with the best run of each host. The largest message of each run is an operation, in
// which all runs take part that measured that size, so that a run that was cut is compared as well.
std::map<std::string, Operation> operations_of(const Records& records) {
  std::map<std::pair<std::string, size_t>, Operation> operations;
  for (const Run& run : records.runs())
    if (run.kind == "collective benchmark")
      operations[{fact(run, "operation"), members_of(run).size()}];
  std::map<std::string, Operation> out;
  for (auto& [key, operation] : operations) {
    for (const Run& run : records.runs()) {
      const std::vector<std::string> members = members_of(run);
      const auto speed = run.kind == "collective benchmark" && members.size() == key.second
                             ? speed_in(run, key.first)
                             : std::nullopt;
      if (!speed || *speed <= 0)
        continue;
      operation.runs.emplace_back(&run, *speed);
      for (const std::string& host : members) {
        Best& best = operation.hosts[host];
        best.runs.push_back(&run);
        if (*speed > best.value) {
          best.value = *speed;
          best.run = &run;
        }
      }
    }
    if (!operation.runs.empty())
      out[key.first + " of " + std::to_string(key.second)] = std::move(operation);
  }
  return out;
}

// Returns how many groups of hosts can be told apart by the runs that they take part in.
size_t groups_of(const Hosts& hosts) {
  std::set<std::vector<const Run*>> groups;
  for (const auto& [host, best] : hosts)
    groups.insert(best.runs);
  return groups.size();
}

// Raises the question which host is slow, for too few groups of hosts, unless the system is named.
void question_few(
    const Records& records,
    const std::string& operation,
    const Hosts& hosts,
    const JudgeOptions& options,
    Judgement& out) {
  std::vector<std::string> names;
  std::set<const Run*> best_runs;
  for (const auto& [host, best] : hosts) {
    names.push_back(host);
    best_runs.insert(best.run);
  }
  if (compare_bus(records, *hosts.begin()->second.run, options, out)) {
    out.covered.push_back("bus bandwidth of " + list_text(names) + " against the system");
    return;
  }
  const size_t groups = groups_of(hosts);
  out.open.push_back(
      {"bus bandwidth of " + list_text(names) + " is " + levels_text(best_runs) + " GB/s (" + operation +
           "), and " + std::to_string(groups) +
           (groups == 1 ? " group of hosts is" : " groups of hosts are") +
           " too few to find one that is common to slow runs",
       "runs of other pairs of hosts, each host in several, or the system (--system h100), whose links "
       "give what it should be"});
}

finding::Finding finding_of_hosts(
    const Records& records,
    const std::vector<std::string>& together,
    const Best& best,
    double typical) {
  const bool is_one = together.size() == 1;
  finding::Finding finding;
  finding.subject = is_one ? together[0] : list_text(together);
  finding.category = "common to the slow runs";
  finding.summary = finding.subject + (is_one ? " is" : " are") + " common to the slow runs: at best " +
                    base::format_number(best.value) + " GB/s of bus bandwidth in " +
                    std::to_string(best.runs.size()) + " runs with " + (is_one ? "it" : "them") +
                    " where the others reach " + base::format_number(typical) +
                    (is_one ? "" : "; which of them it is these runs do not show");
  finding.score = 0.9;
  finding::set_ratio(finding, best.value, typical, "bus bandwidth");
  if (is_one)
    finding.where = finding::Place{finding.subject, "", ""};
  constexpr size_t kMostQuoted = 8;
  for (size_t i = 0; i < best.runs.size() && i < kMostQuoted; ++i)
    finding.evidence.push_back(
        {"bus bandwidth of " + list_text(best.runs[i]->members),
         measured(*best.runs[i], "bus bandwidth"),
         "GB/s",
         place_text(records, best.runs[i]->where)});
  finding.next_step =
      std::string(is_one ? "" : "run each of them with a host of a fast run; ") +
      "compare its network ports with a peer's: ibstat, ethtool -S, nvidia-smi topo -m; NCCL_DEBUG=INFO "
      "shows which ports and whether GPUDirect RDMA are used";
  return finding;
}

void judge_hosts(const Records& records, const Hosts& hosts, const JudgeOptions& options, Judgement& out) {
  std::vector<std::string> names;
  std::vector<double> logs;
  std::vector<double> speeds;
  for (const auto& [host, best] : hosts) {
    names.push_back(host);
    speeds.push_back(best.value);
    logs.push_back(std::log(best.value));
  }
  out.covered.push_back("bus bandwidth of " + std::to_string(hosts.size()) + " hosts");
  const double typical = evidence::median(speeds);
  const std::vector<evidence::Outlier> slow =
      evidence::outliers(logs, evidence::Side::Low, options.false_alarms);
  std::set<const Run*> shared;
  for (const evidence::Outlier& outlier : slow) {
    const Best& best = hosts.at(names[outlier.index]);
    if (typical < best.value * (1 + options.least_effect) || shared.contains(best.run))
      continue;
    // Hosts whose best run is the same one cannot be told from each other by it.
    std::vector<std::string> together;
    for (const evidence::Outlier& other : slow)
      if (hosts.at(names[other.index]).run == best.run)
        together.push_back(names[other.index]);
    std::ranges::sort(together);
    if (together.size() > 1)
      shared.insert(best.run);
    finding::Finding finding = finding_of_hosts(records, together, best, typical);
    finding.evidence.push_back(
        {"healthy hosts hold one that is as far out " + false_alarm_text(outlier.false_alarm),
         outlier.t,
         "times their spread",
         std::to_string(hosts.size()) + " hosts"});
    out.findings.push_back(std::move(finding));
  }
}

// Adds the findings for runs that are slow although each of their hosts is fast in others: what lies between
// these hosts is slow.
void judge_between(
    const Records& records,
    const std::string& name,
    const Operation& operation,
    const JudgeOptions& options,
    Judgement& out) {
  std::map<std::vector<std::string>, std::pair<const Run*, double>> best;  // by hosts
  for (const auto& [run, speed] : operation.runs) {
    auto& kept = best[members_of(*run)];
    if (speed > kept.second)
      kept = {run, speed};
  }
  std::vector<std::vector<std::string>> groups;
  std::vector<double> logs;
  std::vector<double> speeds;
  for (const auto& [hosts, kept] : best) {
    groups.push_back(hosts);
    speeds.push_back(kept.second);
    logs.push_back(std::log(kept.second));
  }
  const double typical = evidence::median(speeds);
  for (const evidence::Outlier& outlier :
       evidence::outliers(logs, evidence::Side::Low, options.false_alarms)) {
    const double speed = speeds[outlier.index];
    if (typical < speed * (1 + options.least_effect) || groups[outlier.index].size() < 2)
      continue;
    const Run& run = *best.at(groups[outlier.index]).first;
    finding::Finding finding;
    finding.subject = list_text(groups[outlier.index]);
    finding.category = "slow link";
    finding.summary = finding.subject + " have " + base::format_number(speed) +
                      " GB/s of bus bandwidth between them where other hosts have " +
                      base::format_number(typical) + ", and each is fast with others";
    finding.score = 0.85;
    finding::set_ratio(finding, speed, typical, "bus bandwidth");
    finding.evidence = {
        {"bus bandwidth of " + name, speed, "GB/s", place_text(records, run.where)},
        {"healthy runs hold one that is as far out " + false_alarm_text(outlier.false_alarm),
         outlier.t,
         "times their spread",
         std::to_string(speeds.size()) + " groups of hosts"}};
    finding.next_step = "look at the switches and cables between them, and run the two again";
    out.findings.push_back(std::move(finding));
  }
}

void judge_benchmarks(const Records& records, const JudgeOptions& options, Judgement& out) {
  const std::map<std::string, Operation> operations = operations_of(records);
  std::set<const Run*> judged;
  for (const auto& [name, operation] : operations) {
    if (groups_of(operation.hosts) < kFewestHosts)
      continue;
    const size_t before = out.findings.size();
    judge_hosts(records, operation.hosts, options, out);
    if (out.findings.size() == before)
      judge_between(records, name, operation, options, out);
    for (const auto& [run, speed] : operation.runs)
      judged.insert(run);
  }
  for (const auto& [name, operation] : operations)
    if (groups_of(operation.hosts) < kFewestHosts &&
        !std::ranges::all_of(operation.runs, [&](const auto& run) {
          return judged.contains(run.first);
        }))
      question_few(records, name, operation.hosts, options, out);
}

// Judges whether collectives wait for a slow rank, from kernel summaries of several ranks.
void judge_waits(const Records& records, const JudgeOptions& options, Judgement& out) {
  size_t kernels = 0;
  size_t collectives = 0;
  std::map<std::string, std::set<int32_t>> files;  // of each kernel
  for (const Run& run : records.runs()) {
    if (run.kind != "kernel summary")
      continue;
    const auto mean = measured(run, "mean");
    const auto median = measured(run, "median");
    const auto longest = measured(run, "longest");
    const std::string& kernel = fact(run, "kernel");
    ++kernels;
    files[kernel].insert(run.where.file);
    if (fact(run, "collective") != "yes" || !mean || !median || *median <= 0)
      continue;
    ++collectives;
    if (*mean < *median * (1 + options.least_effect))
      continue;
    // Only long single calls are a sign of waiting. A wide distribution around the median is not.
    if (longest && *longest < 2 * *mean)
      continue;
    const double share = 1 - *median / *mean;
    out.open.push_back(
        {kernel + " takes " + base::format_quantity(*median, base::Dimension::Time) + " as a rule and " +
             base::format_quantity(*mean, base::Dimension::Time) + " on average" +
             (longest ? ", up to " + base::format_quantity(*longest, base::Dimension::Time) : "") +
             ": this rank waits for a slower one " + base::percent(share) +
             " of that time, and one rank's summary does not show which",
         "traces of all ranks (nsys profile, exported to SQLite, or torch.profiler) for lento fleet ranks"});
  }
  if (kernels == 0)
    return;
  if (collectives > 0)
    out.covered.push_back(
        "waiting in " + std::to_string(collectives) + " of " + std::to_string(kernels) + " kernels");
  // The times of one kernel on several ranks are compared with each other, as states.
  const bool has_peers = std::ranges::any_of(files, [](const auto& kernel) {
    return kernel.second.size() >= kFewestHosts;
  });
  if (collectives == 0 && !has_peers)
    out.open.push_back(
        {"times of " + std::to_string(kernels) +
             " kernels, none a collective with its median: how fast they should be follows from their sizes",
         "the workload and the system: lento predict WORKLOAD --system h100 lists the kernels with their "
         "times"});
}

}  // namespace

void judge_runs(const Records& records, const JudgeOptions& options, Judgement& out) {
  judge_benchmarks(records, options, out);
  judge_waits(records, options, out);
}

}  // namespace lento::desk
