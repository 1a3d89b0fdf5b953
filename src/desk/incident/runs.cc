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
#include "desk/incident/outliers.h"
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

// Formats the bus bandwidths of runs: "291.3 and 466.2".
std::string levels_text(const std::set<const Run*>& runs) {
  std::set<double> speeds;
  for (const Run* run : runs)
    speeds.insert(*measured(*run, "bus bandwidth"));
  const std::string least = base::format_number(*speeds.begin());
  const std::string most = base::format_number(*speeds.rbegin());
  return least == most ? least : least + (speeds.size() > 2 ? " to " : " and ") + most;
}

void judge_benchmarks(const Records& records, const JudgeOptions& options, Judgement& out) {
  std::map<std::string, std::map<std::string, Best>> operations;
  for (const Run& run : records.runs()) {
    const auto speed = measured(run, "bus bandwidth");
    if (run.kind != "collective benchmark" || !speed || *speed <= 0)
      continue;
    std::vector<std::string> members = run.members;
    if (members.empty())
      members.push_back(run.subject.host.empty() ? "one host" : run.subject.host);
    for (const std::string& host : members) {
      Best& best = operations[fact(run, "operation") + " of " + std::to_string(members.size())][host];
      best.runs.push_back(&run);
      if (*speed > best.value) {
        best.value = *speed;
        best.run = &run;
      }
    }
  }
  for (const auto& [operation, hosts] : operations) {
    std::vector<std::string> names;
    std::vector<double> logs;
    std::vector<double> speeds;
    std::set<const Run*> best_runs;
    std::set<std::vector<const Run*>> groups;  // of hosts with the same runs, which cannot be told apart
    for (const auto& [host, best] : hosts) {
      names.push_back(host);
      best_runs.insert(best.run);
      groups.insert(best.runs);
      speeds.push_back(best.value);
      logs.push_back(std::log(best.value));
    }
    if (groups.size() < kFewestHosts) {
      if (compare_bus(records, *hosts.begin()->second.run, options, out)) {
        out.covered.push_back("bus bandwidth of " + list_text(names) + " against the system");
        continue;
      }
      out.open.push_back(
          {"bus bandwidth of " + list_text(names) + " is " + levels_text(best_runs) + " GB/s (" + operation +
               "), and " + std::to_string(groups.size()) +
               (groups.size() == 1 ? " group of hosts is" : " groups of hosts are") +
               " too few to find one that is common to slow runs",
           "runs of other pairs of hosts, each host in several, or the system (--system h100), whose links "
           "give what "
           "it should be"});
      continue;
    }
    out.covered.push_back("bus bandwidth of " + std::to_string(hosts.size()) + " hosts");
    const double typical = evidence::median(speeds);
    const std::vector<Outlier> slow = outliers(logs, Side::Low, options.false_alarms);
    std::set<const Run*> shared;
    for (const Outlier& outlier : slow) {
      const Best& best = hosts.at(names[outlier.index]);
      if (typical < best.value * (1 + options.least_effect) || shared.contains(best.run))
        continue;
      // Hosts whose best run is the same one cannot be told from each other by it.
      std::vector<std::string> together;
      for (const Outlier& other : slow)
        if (hosts.at(names[other.index]).run == best.run)
          together.push_back(names[other.index]);
      std::ranges::sort(together);
      const bool is_one = together.size() == 1;
      if (!is_one)
        shared.insert(best.run);
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
      finding.evidence.push_back(
          {"healthy hosts hold one that is as far out " + false_alarm_text(outlier.false_alarm),
           outlier.t,
           "times their spread",
           std::to_string(hosts.size()) + " hosts"});
      finding.next_step =
          std::string(is_one ? "" : "run each of them with a host of a fast run; ") +
          "compare its network ports with a peer's: ibstat, ethtool -S, nvidia-smi topo -m; NCCL_DEBUG=INFO "
          "shows which "
          "ports and whether GPUDirect RDMA are used";
      out.findings.push_back(std::move(finding));
    }
  }
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
