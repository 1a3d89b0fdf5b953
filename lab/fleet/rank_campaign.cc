// Draws the shape of a job, a fault and its place, simulates the ranks and judges what they record. Faults
// that no record can show, such as a slow stage of one host, are not drawn.
#include "lab/fleet/rank_campaign.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/rng.h"
#include "base/scan/csv.h"
#include "base/units.h"
#include "fleet/ranks/analyse.h"

namespace lento::fleet {
namespace {

using ranks::Analysis;
using ranks::Component;
using ranks::Culprit;
using ranks::FaultKind;

template <typename T>
T pick(base::Rng& rng, std::initializer_list<T> from) {
  return *(from.begin() + rng.below(from.size()));
}

bool holds(const std::vector<int>& list, int value) {
  return std::ranges::find(list, value) != list.end();
}

bool right_part(const Analysis& a, const Component& part, const RankTruth& t) {
  using Kind = Component::Kind;
  switch (part.kind) {
    case Kind::Nic:
    case Kind::NicOut:
    case Kind::NicIn:
    case Kind::HostFabric:
      return holds(t.same_hosts, part.a);
    case Kind::RankNic:
    case Kind::GpuLink:
      return holds(t.same_ranks, a.job.ranks[part.a].number);
    case Kind::Network:
      return t.whole_network;
    case Kind::HostPair:
      return t.whole_network && a.job.hosts.size() == 2;
    case Kind::Switch:
      return false;
  }
  return false;
}

bool is_right(const Analysis& a, const Culprit& c, const RankTruth& t) {
  switch (t.fault) {
    case RankFaultKind::SlowGpu:
      return c.kind == FaultKind::SlowGpu && c.rank >= 0 && a.job.ranks[c.rank].number == t.rank;
    case RankFaultKind::SlowInput:
      return c.kind == FaultKind::SlowInput && c.rank >= 0 && a.job.ranks[c.rank].number == t.rank;
    case RankFaultKind::SlowHost:
      return c.kind == FaultKind::SlowHost && c.rank < 0 && c.host == t.host;
    case RankFaultKind::SlowNic:
    case RankFaultKind::SlowRail:
    case RankFaultKind::SlowLink:
      return c.part >= 0 && right_part(a, a.parts[c.part].part, t);
    default:
      return false;
  }
}

std::string told(const Analysis& a, const Culprit& c) {
  const std::string place = c.part >= 0   ? text(a.job, a.parts[c.part].part, a.switches)
                            : c.rank >= 0 ? a.job.ranks[c.rank].label
                                          : a.job.hosts[c.host].name;
  return std::string(name(c.kind)) + " " + place;
}

void judge_clocks(const Analysis& a, const RankTruth& t, RankResult& r) {
  r.aligned = a.clocks.aligned();
  for (size_t h = 0; h < a.job.hosts.size(); ++h) {
    const int rank = a.job.hosts[h].ranks.front();
    const int host = std::stoi(a.job.ranks[rank].trace->host.substr(4));
    const auto& records = a.job.ranks[rank].trace->records;
    if (records.empty())
      continue;
    for (const fleet::ranks::CollectiveRecord* record : {&records.front(), &records.back()}) {
      const double local = double(record->end_ns - t.begin_ns);
      const double true_ns = (local - t.offset_ns[host]) / (1 + t.drift[host]);
      const double said = double(a.clocks.corrected(int(h), record->end_ns) - t.begin_ns);
      r.clock_error_ms = std::max(r.clock_error_ms, std::abs(said - true_ns) / 1e6);
    }
    if (h == 0)
      continue;
    ++r.drifts;
    const ranks::HostClock& c = a.clocks.hosts[h];
    r.drifts_held += c.drift95.low <= t.drift[host] && t.drift[host] <= c.drift95.high;
  }
}

}  // namespace

RankCase rank_case(const RankCaseOptions& o, uint64_t index) {
  base::Rng rng(o.seed, o.healthy ? "ranks.healthy" : "ranks.case", index);
  RankCase c;
  c.index = index;
  c.inspector = rng.below(2) == 1;
  RankJob& j = c.job;
  j.seed = base::mix64(o.seed * 1000003 + index);
  // Every shape has at least two hosts and two ranks that do the same. Large jobs are rarer because they
  // cost more.
  for (;;) {
    const int most = rng.below(20) == 0 ? o.most_ranks : (rng.below(4) == 0 ? 128 : 32);
    j.tp = pick(rng, {1, 2, 2, 4, 8});
    j.cp = pick(rng, {1, 1, 1, 2});
    j.dp = pick(rng, {2, 2, 4, 8, 16, 32});
    j.pp = pick(rng, {1, 2, 2, 4, 8});
    j.ep = pick(rng, {1, 1, 2, 4});
    j.gpus_a_host = pick(rng, {2, 4, 8});
    const int n = j.ranks();
    if (n < 8 || n > std::min(most, o.most_ranks) || (j.cp * j.dp) % j.ep != 0)
      continue;
    // A stage must reach over two hosts: a whole stage that is slow may be so by design, which is no finding.
    if (n / j.pp < 2 * j.gpus_a_host)
      continue;
    break;
  }
  j.micro_batches = j.ranks() > 256 ? 2 : 4;
  j.steps = 200 + int(rng.below(60));
  if (o.healthy) {
    // An hour of steps of five to ten seconds.
    j.compute_ms = rng.uniform(5000, 10000) / (3 * j.micro_batches);
    j.steps = int(3600e3 / (j.compute_ms * 3 * (j.micro_batches + j.pp - 1)));
    j.tp_mib *= 40;
    j.pp_mib *= 40;
    j.dp_mib *= 40;
    j.ep_mib *= 40;
    j.cp_mib *= 40;
    if (rng.below(4) == 0)
      j.fault = RankFaultKind::Imbalance;
    j.factor = 1.5;
    return c;
  }
  j.fault = pick(
      rng,
      {RankFaultKind::SlowGpu,
       RankFaultKind::SlowHost,
       RankFaultKind::SlowInput,
       RankFaultKind::SlowNic,
       RankFaultKind::SlowRail,
       RankFaultKind::SlowLink});
  j.factor = pick(rng, {1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0});
  // A link inside a host shows only where a group of some weight stays inside.
  if (j.fault == RankFaultKind::SlowLink) {
    if (j.tp < 2 || j.tp > j.gpus_a_host)
      j.fault = RankFaultKind::SlowGpu;
    j.tp_mib = 256;
  }
  // A link that all traffic between hosts crosses shows only as a change, because no other link is there to
  // be compared with.
  RankJob probe = j;
  probe.steps = 1;
  if (simulate_ranks(probe).truth.whole_network)
    j.from_step = j.steps / 5 + int(rng.below(j.steps / 3));
  return c;
}

RankResult judge_rank_case(const RankCase& which) {
  RankResult r;
  r.which = which;
  SimulatedRanks job = simulate_ranks(which.job);
  r.truth = job.truth;
  if (which.inspector) {
    for (fleet::ranks::RankTrace& t : job.traces)
      t = as_inspector(t);
  }
  const auto start = std::chrono::steady_clock::now();
  const Analysis a = ranks::analyse(job.traces, {});
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  judge_clocks(a, r.truth, r);
  r.findings = int(a.culprits.size());
  for (const Culprit& c : a.culprits) {
    r.wrong += !is_right(a, c, r.truth);
    r.said += (r.said.empty() ? "" : "; ") + told(a, c);
  }
  if (a.culprits.empty())
    return r;
  const Culprit& first = a.culprits.front();
  r.right = is_right(a, first, r.truth);
  const bool link = r.truth.fault == RankFaultKind::SlowNic || r.truth.fault == RankFaultKind::SlowRail ||
                    r.truth.fault == RankFaultKind::SlowLink;
  r.right_kind = link == (first.part >= 0);
  r.onset_error = first.stretch.begin - r.truth.from_step;
  if (!r.right)
    return r;
  RankJob without = which.job;
  without.fault = RankFaultKind::None;
  without.from_step = r.truth.from_step;
  const double healthy_ms = simulate_ranks(without).truth.faulty_step_ms;
  // Without a fault faulty_step_ms is the mean from the same step on.
  const double faulty_ms = r.truth.faulty_step_ms;
  const double saved_ms = first.lost_ns / 1e6;
  r.what_if_error = (faulty_ms - saved_ms) / healthy_ms - 1;
  r.saving_error = faulty_ms - healthy_ms > 0 ? saved_ms / (faulty_ms - healthy_ms) - 1 : 0;
  return r;
}

std::string rank_result_header() {
  return "index,ranks,tp,cp,dp,pp,ep,gpus_a_host,steps,layout,fault,factor,rank,host,from_step,right,link_or_"
         "not,"
         "findings,wrong,onset_error,what_if_error,saving_error,clock_error_ms,aligned,drifts,drifts_held,"
         "seconds,said\n";
}

std::string rank_result_line(const RankResult& r) {
  const RankJob& j = r.which.job;
  std::vector<std::string> fields;
  for (const int64_t v :
       {int64_t(r.which.index),
        int64_t{j.ranks()},
        int64_t{j.tp},
        int64_t{j.cp},
        int64_t{j.dp},
        int64_t{j.pp},
        int64_t{j.ep},
        int64_t{j.gpus_a_host},
        int64_t{j.steps}})
    fields.push_back(std::to_string(v));
  fields.push_back(r.which.inspector ? "inspector" : "kineto");
  fields.push_back(name(r.truth.fault));
  fields.push_back(base::format_number(j.factor));
  for (const int v :
       {r.truth.rank,
        r.truth.host,
        r.truth.from_step,
        int{r.right},
        int{r.right_kind},
        r.findings,
        r.wrong,
        r.onset_error})
    fields.push_back(std::to_string(v));
  for (const double v : {r.what_if_error, r.saving_error, r.clock_error_ms})
    fields.push_back(base::format_number(v));
  for (const int v : {int{r.aligned}, r.drifts, r.drifts_held})
    fields.push_back(std::to_string(v));
  fields.push_back(base::format_number(r.seconds, 3));
  fields.push_back(r.said);
  return base::csv_line(fields) + "\n";
}

}  // namespace lento::fleet
