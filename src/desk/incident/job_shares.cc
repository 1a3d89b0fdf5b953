// Jobs that ended by their own exit code, a time limit or a lack of memory: a program that fails does so on
// any node, so a node is named only when its jobs fail more often than those of the others. The same test
// finds a node that loses some of its jobs and completes others.
//
// With K of N jobs failed, k or more of the n jobs of a node are among them by chance with the tail of a
// hypergeometric distribution (Fisher's exact test), times the number of nodes. Assumption: what runs on a
// node does not depend on the node. Nodes that had the same jobs cannot be told apart: two or three
// are named together, more are not.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

bool is_finished(const Run& job) {
  return fact(job, "state").starts_with("COMPLETED");
}
bool is_own_failure(const Run& job) {
  const std::string& state = fact(job, "state");
  return state.starts_with("FAILED") || state.starts_with("TIMEOUT") || state.starts_with("OUT_OF_ME");
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// Returns the probability that at least `k` of the `n` jobs of a node are among the `failed` ones of `jobs`
// jobs.
double chance_of_share(double jobs, double failed, double n, double k) {
  double sum = 0;
  for (double i = k; i <= std::min(n, failed); ++i)
    if (n - i <= jobs - failed)
      sum += std::exp(log_choose(failed, i) + log_choose(jobs - failed, n - i) - log_choose(jobs, n));
  return std::min(sum, 1.0);
}

using Jobs = PlacedJobs;

struct Share {
  std::string node;
  Jobs failed;
  Jobs of_all;
  double jobs = 0;  // jobs on this node
  double chance = 1;
};

// Returns the node whose number of failed jobs is least probable by chance, with all others that have the
// same jobs.
std::vector<Share> least_likely(const Jobs& jobs, IsFailed is_failed) {
  std::map<std::string, Share> shares;
  double failed = 0;
  for (const Run* job : jobs) {
    failed += is_failed(*job);
    for (const std::string& host : std::set<std::string>(job->members.begin(), job->members.end())) {
      Share& share = shares[host];
      share.jobs += 1;
      share.of_all.push_back(job);
      if (is_failed(*job))
        share.failed.push_back(job);
    }
  }
  Share least;
  for (auto& [name, share] : shares) {
    share.node = name;
    share.chance = std::min(
        1.0,
        chance_of_share(double(jobs.size()), failed, share.jobs, double(share.failed.size())) *
            double(shares.size()));
    if (!share.failed.empty() && share.chance < least.chance)
      least = share;
  }
  std::vector<Share> alike;
  for (const auto& [name, share] : shares)
    if (share.of_all == least.of_all)
      alike.push_back(share);
  return alike;
}

// Returns the finding for a node on which more jobs fail than elsewhere.
finding::Finding
finding_of(const Records& records, const Share& share, const Jobs& jobs, IsFailed is_failed) {
  const auto failed = double(std::ranges::count_if(jobs, [is_failed](const Run* job) {
    return is_failed(*job);
  }));
  const double own = double(share.failed.size());
  finding::Finding finding;
  finding.subject = share.node;
  finding.category = "common to the failed jobs";
  finding.summary = base::format_number(own) + " of " + base::format_number(share.jobs) + " jobs on " +
                    share.node + " failed, and " + base::format_number(failed - own) + " of " +
                    base::format_number(double(jobs.size()) - share.jobs) + " elsewhere";
  finding.score = std::clamp(1 - share.chance, 0.05, 0.9);
  finding.where = finding::Place{share.node, "", ""};
  constexpr size_t kMostQuoted = 8;
  for (size_t i = 0; i < share.failed.size() && i < kMostQuoted; ++i)
    finding.evidence.push_back(
        {share.failed[i]->text, std::nullopt, "", place_text(records, share.failed[i]->where)});
  finding.evidence.push_back(
      {"healthy nodes hold one with that share " + false_alarm_text(share.chance),
       share.chance,
       "",
       std::to_string(jobs.size()) + " jobs"});
  finding.next_step = "look at its kernel log (dmesg -T) and at the logs of these jobs";
  return finding;
}

}  // namespace

// Names up to four groups of nodes by their shares of failed jobs. Returns whether any was named. The jobs of
// a named node are removed before the next search, because neighbouring nodes share jobs.
bool accuse_by_share(
    const Records& records,
    PlacedJobs jobs,
    IsFailed is_failed,
    const JudgeOptions& options,
    Judgement& out) {
  constexpr int kMostNamed = 4;
  for (int named = 0; named < kMostNamed; ++named) {
    const std::vector<Share> least = least_likely(jobs, is_failed);
    constexpr size_t kMostAlike = 3;  // a longer list does not answer which node is faulty
    if (least.empty() || least.size() > kMostAlike || least[0].chance > options.false_alarms)
      return named > 0;
    for (const Share& share : least) {
      out.findings.push_back(finding_of(records, share, jobs, is_failed));
      if (least.size() > 1)
        out.findings.back().summary += ", as on " + std::to_string(least.size() - 1) + " with the same jobs";
      out.findings.back().score /= double(least.size());
    }
    std::erase_if(jobs, [&](const Run* job) {
      return std::ranges::find(job->members, least[0].node) != job->members.end();
    });
  }
  return true;
}

// Judges nodes by their share of failed jobs.
void judge_job_shares(const Records& records, const JudgeOptions& options, Judgement& out) {
  Jobs placed;
  size_t own = 0;
  size_t jobs = 0;
  for (const Run& run : records.runs()) {
    if (run.kind != "job")
      continue;
    ++jobs;
    own += is_own_failure(run);
    if (!run.members.empty() && (is_finished(run) || is_own_failure(run)))
      placed.push_back(&run);
  }
  if (own == 0 || accuse_by_share(records, placed, is_own_failure, options, out))
    return;
  const std::string text =
      std::to_string(own) + " of " + std::to_string(jobs) +
      " jobs ended by themselves (exit code, time limit or memory), which this table does not explain";
  if (has_course_of_job(records))
    out.notes.push_back(text);  // about other jobs than the one whose log is here
  else
    out.open.push_back({text, "the logs of these jobs"});
}

}  // namespace lento::desk
