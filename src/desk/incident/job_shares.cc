// Jobs that ended by their own exit code, a time limit or a lack of memory: a program that fails does so on
// any node, so a node is named only when its jobs fail more often than those of the others.
//
// With K of N jobs failed, k or more of the n jobs of a node are among them by chance with the tail of a
// hypergeometric distribution (Fisher's exact test), times the number of nodes. Assumption: what runs on a
// node does not depend on the node.
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

// Jobs that completed or ended by themselves, with the hosts that took part.
using Jobs = std::vector<const Run*>;

struct Share {
  std::string node;
  Jobs failed;
  double jobs = 0;  // jobs on this node
  double chance = 1;
};

// Returns the node whose number of failed jobs is least probable by chance. Ties are resolved by name.
Share least_likely(const Jobs& jobs) {
  std::map<std::string, Share> shares;
  double failed = 0;
  for (const Run* job : jobs) {
    failed += is_own_failure(*job);
    for (const std::string& host : std::set<std::string>(job->members.begin(), job->members.end())) {
      Share& share = shares[host];
      share.jobs += 1;
      if (is_own_failure(*job))
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
  return least;
}

// Returns the finding for a node on which more jobs fail than elsewhere.
finding::Finding finding_of(const Records& records, const Share& share, const Jobs& jobs) {
  const auto failed = double(std::ranges::count_if(jobs, [](const Run* job) {
    return is_own_failure(*job);
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

// Names the nodes whose jobs end by themselves more often than chance allows. The jobs of a named node are
// removed before the other nodes are examined again, because neighbouring nodes share jobs. Returns false
// when no node is named.
bool accuse_by_share(const Records& records, Jobs jobs, const JudgeOptions& options, Judgement& out) {
  constexpr int kMostNamed = 4;
  for (int named = 0; named < kMostNamed; ++named) {
    const Share least = least_likely(jobs);
    if (least.node.empty() || least.chance > options.false_alarms)
      return named > 0;
    out.findings.push_back(finding_of(records, least, jobs));
    std::erase_if(jobs, [&](const Run* job) {
      return std::ranges::find(job->members, least.node) != job->members.end();
    });
  }
  return true;
}

}  // namespace

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
  if (own == 0 || accuse_by_share(records, placed, options, out))
    return;
  out.open.push_back(
      {std::to_string(own) + " of " + std::to_string(jobs) +
           " jobs ended by themselves (exit code, time limit or memory), which this table does not explain",
       "the logs of these jobs"});
}

}  // namespace lento::desk
