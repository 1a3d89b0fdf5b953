// Finds the node that is common to the jobs that failed.
//
// The state NODE_FAIL of a scheduler means that a node failed, but not which. One node that was in every such
// job and in none that completed explains them all. A node on which some jobs fail and others complete is
// found by its share (job_shares.cc). When job j runs on a share p_j of the nodes, a healthy node is in all
// failed jobs with a probability of the product of the p_j: with large jobs that is no small number, and it
// is printed. Jobs that ended by themselves are judged by job_shares.cc.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/units.h"
#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

bool is_node_failure(const Run& job) {
  const std::string& state = fact(job, "state");
  return state.starts_with("NODE_FAIL") || state.starts_with("BOOT_FAIL");
}
bool is_completed(const Run& job) {
  return fact(job, "state").starts_with("COMPLETED");
}

struct Node {
  std::vector<const Run*> failed;
  std::vector<const Run*> completed;
};

// Adds a finding for each node that the failed jobs have in common.
void accuse(
    const Records& records,
    const std::vector<std::string>& suspects,
    const std::map<std::string, Node>& nodes,
    size_t failures,
    size_t jobs,
    double chance,
    Judgement& out) {
  for (const std::string& name : suspects) {
    const Node& node = nodes.at(name);
    finding::Finding finding;
    finding.subject = name;
    finding.category = "common to the failed jobs";
    finding.summary = name + " was in " +
                      (failures == 1 ? "the job" : "each of the " + std::to_string(failures) + " jobs") +
                      " that failed and in none that completed" +
                      (suspects.size() > 1 ? ", as " + std::to_string(suspects.size() - 1) + " others" : "");
    finding.score = std::clamp((1 - chance) / double(suspects.size()), 0.05, 0.95);
    finding.where = finding::Place{name, "", ""};
    constexpr size_t kMostQuoted = 8;
    for (size_t i = 0; i < node.failed.size() && i < kMostQuoted; ++i)
      finding.evidence.push_back(
          {node.failed[i]->text, std::nullopt, "", place_text(records, node.failed[i]->where)});
    finding.evidence.push_back(
        {"a healthy node of these jobs has that pattern by chance; " + std::to_string(jobs) + " jobs" +
             (jobs < 10 ? " are few" : ""),
         chance,
         "",
         std::to_string(nodes.size()) + " nodes"});
    finding.next_step = "look at its kernel log (dmesg -T) and at scontrol show node " + name + " first";
    out.findings.push_back(std::move(finding));
  }
}

}  // namespace

void judge_jobs(const Records& records, const JudgeOptions& options, Judgement& out) {
  std::map<std::string, Node> nodes;
  size_t failures = 0;
  size_t jobs = 0;
  std::vector<const Run*> all;
  for (const Run& run : records.runs()) {
    if (run.kind != "job")
      continue;
    ++jobs;
    all.push_back(&run);
    failures += is_node_failure(run);
    for (const std::string& host : std::set<std::string>(run.members.begin(), run.members.end())) {
      Node& node = nodes[host];
      if (is_node_failure(run))
        node.failed.push_back(&run);
      else if (is_completed(run))
        node.completed.push_back(&run);
    }
  }
  if (jobs == 0)
    return;
  out.covered.push_back(std::to_string(jobs) + " jobs on " + std::to_string(nodes.size()) + " nodes");
  if (failures == 0)
    return;
  if (nodes.empty()) {
    out.open.push_back(
        {std::to_string(failures) + " jobs lost a node, and the table does not list their nodes",
         "the same with them: sacct -P -o JobID,JobName,NodeList,State,ExitCode,Elapsed"});
    return;
  }
  std::vector<std::string> suspects;
  for (const auto& [name, node] : nodes)
    if (node.failed.size() == failures && node.completed.empty())
      suspects.push_back(name);
  // The probability that a node without a fault was in all failed jobs and in no completed one.
  double chance = 1;
  for (const Run* job : all) {
    const double share = double(job->members.size()) / double(std::max<size_t>(nodes.size(), 1));
    if (is_node_failure(*job))
      chance *= share;
    else if (is_completed(*job))
      chance *= 1 - share;
  }
  constexpr size_t kMostSuspects = 3;  // a longer list does not answer which node is faulty
  if (!suspects.empty() && suspects.size() <= kMostSuspects) {
    accuse(records, suspects, nodes, failures, jobs, std::min(1.0, chance), out);
    return;
  }
  PlacedJobs placed;
  std::ranges::copy_if(all, std::back_inserter(placed), [](const Run* job) {
    return !job->members.empty() && (is_node_failure(*job) || is_completed(*job));
  });
  if (accuse_by_share(records, placed, is_node_failure, options, out))
    return;
  std::vector<std::string> common;
  for (const auto& [name, node] : nodes)
    if (node.failed.size() == failures)
      common.push_back(name);
  const std::string lost = failures == 1
                               ? "the job that lost a node"
                               : "each of the " + std::to_string(failures) + " jobs that lost a node";
  out.open.push_back(
      {common.empty()
           ? "no node was in " + lost
           : (suspects.empty() ? list_text(common) : list_text(suspects)) + " were in " + lost +
                 (suspects.empty() ? " and in jobs that completed" : " and in none that completed") +
                 ": which one failed is not in this table",
       "the scheduler's reasons (scontrol show node, sinfo -R) and the kernel logs of these nodes"});
}

}  // namespace lento::desk
