// Simulates the collectives of a training job. Each rank runs a fixed program: segments of computing and
// gaps, each followed by a collective. The transfer of a collective begins when its last member arrives, and
// takes latency + bytes / bandwidth of a ring. Members on different hosts use the slower path. Cost: a few
// draws a member and operation.
#include "fleet/simulate/rank_job.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "fleet/simulate/rank_fault.h"
#include "fleet/simulate/rank_program.h"

namespace lento::fleet {
namespace {

using base::Rng;
using fleet::ranks::CollectiveOp;
using fleet::ranks::CollectiveRecord;
using fleet::ranks::Communicator;
using fleet::ranks::RankTrace;

constexpr int64_t kBegin = 1795000000000000000;  // Unix ns

class Simulation {
 public:
  explicit Simulation(const RankJob& job)
      : job_(checked(job)),
        program_(job),
        groups_(program_.groups()) {
    draw_clocks();
    draw_rank_fault(job, program_, out_.truth);
    draw_spreads();
  }

  // Simulates the job and returns the traces of all ranks with the true fault.
  SimulatedRanks run() {
    make_traces();
    const int n = job_.ranks();
    now_.assign(n, 0);
    for (int step = 0; step < job_.steps && !hung_; ++step)
      run_step(step);
    finish();
    return std::move(out_);
  }

 private:
  // Throws base::Error for impossible sizes.
  static const RankJob& checked(const RankJob& job) {
    const auto fail = [](const char* what, const char* hint) {
      throw base::Error({}, what, hint);
    };
    for (const int size : {job.tp, job.cp, job.dp, job.pp, job.ep, job.gpus_a_host, job.steps}) {
      if (size < 1)
        fail("a size below 1", "sizes of the parallelisms count ranks");
    }
    if (int64_t{job.tp} * job.cp * job.dp * job.pp > 16384)
      fail("over 16,384 ranks", "make a size smaller");
    if (job.ep > 1 && (job.cp * job.dp) % job.ep != 0)
      fail("the expert groups do not divide CP x DP", "choose an --ep that divides them");
    return job;
  }

  int host_of(int rank) const {
    return program_.host_of(rank);
  }

  // Draws offset (ms) and drift (ppm) of each host's clock.
  void draw_clocks() {
    Rng rng(job_.seed, "ranks.clock");
    for (int h = 0; h < job_.hosts(); ++h) {
      const double offset_ms = rng.uniform(-1, 1) * job_.clock_offset_ms;
      const double drift_ppm = rng.uniform(-1, 1) * job_.clock_drift_ppm;
      const bool reference = h == 0;
      out_.truth.offset_ns.push_back(reference ? 0 : offset_ms * 1e6);
      out_.truth.drift.push_back(reference ? 0 : drift_ppm * 1e-6);
    }
    out_.truth.begin_ns = kBegin;
  }

  // Draws the lasting speed of each rank.
  void draw_spreads() {
    Rng rng(job_.seed, "ranks.spread");
    for (int r = 0; r < job_.ranks(); ++r)
      speed_.push_back(std::exp(rng.normal(0, job_.rank_spread)));
    for (int r = 0; r < job_.ranks(); ++r) {
      draws_.emplace_back(job_.seed, "ranks.own", r);
      fault_draws_.emplace_back(job_.seed, "ranks.fault.own", r);
    }
  }

  // Makes an empty trace for each rank.
  void make_traces() {
    for (int r = 0; r < job_.ranks(); ++r) {
      RankTrace& t = out_.traces.emplace_back();
      t.layout = "kineto";
      t.rank = r;
      t.world = job_.ranks();
      t.host = "host" + std::to_string(host_of(r));
      t.process = 1000 + r;
      t.device = r % job_.gpus_a_host;
      t.computes = true;
      std::vector<int>& local = local_.emplace_back(groups_.size(), -1);
      for (size_t g = 0; g < groups_.size(); ++g) {
        const std::vector<int>& ranks = groups_[g].ranks;
        const auto own = std::ranges::find(ranks, r);
        if (own == ranks.end() || ranks.size() < 2)
          continue;
        const int index = int(own - ranks.begin());
        local[g] = int(t.communicators.size());
        t.communicators.push_back(communicator(groups_[g], index));
      }
    }
  }

  // Returns the communicator of a group as one rank sees it.
  Communicator communicator(const RankGroup& group, int own) const {
    Communicator c;
    c.key = group.key;
    c.name = group.name;
    c.size = int(group.ranks.size());
    c.own = own;
    c.ranks.assign(group.ranks.begin(), group.ranks.end());
    c.nodes = int(hosts_of(group.ranks).size());
    return c;
  }

  std::set<int> hosts_of(const std::vector<int>& ranks) const {
    std::set<int> hosts;
    for (const int rank : ranks)
      hosts.insert(host_of(rank));
    return hosts;
  }

  bool faulty(int step) const {
    return step >= out_.truth.from_step;
  }

  // Draws the computing time before an operation, and the time without a kernel that lies half before and
  // half after this computation, in ns.
  std::pair<double, double> own(int rank, const RankOp& op, int index) {
    const RankTruth& t = out_.truth;
    Rng& rng = draws_[rank];
    const double noise = std::exp(rng.normal(0, job_.compute_noise));
    const double usual = op.compute * 1e6;
    const double excess = t.factor - 1;
    double gap = job_.gap_ms * 1e6 * (0.5 + rng.uniform());
    double compute = usual * noise * speed_[rank];
    const bool now = faulty(op.step);
    const bool own_fault = now && rank == t.rank;
    if (t.fault == RankFaultKind::SlowGpu && own_fault)
      compute *= t.factor;
    if (t.fault == RankFaultKind::SlowHost && host_of(rank) == t.host) {
      const double extra = 2 * fault_draws_[rank].uniform() * excess * op.compute * 1e6;
      if (now)
        gap += extra;
    }
    if (t.fault == RankFaultKind::SlowInput && own_fault && op.first)
      gap += excess * 3 * job_.compute_ms * 1e6 * job_.micro_batches;
    if (t.fault == RankFaultKind::Imbalance && op.compute > 0) {
      const uint64_t draw = uint64_t(op.step) * 4096 + index;
      Rng which(job_.seed, "ranks.imbalance", draw);
      const bool chosen = int(which.below(job_.ranks())) == rank;
      if (chosen || which.below(4) == uint64_t(rank % 4))
        compute *= 1 + excess * which.uniform();
    }
    return {compute, gap};
  }

  // Returns the transfer time of an operation in ns, from the arrival of its last member.
  double transfer(const RankOp& op, const std::vector<int>& ranks, int64_t instance) const {
    const std::set<int> hosts = hosts_of(ranks);
    const bool inside = hosts.size() == 1;
    const auto n = double(ranks.size());
    double share = (n - 1) / n;
    if (op.op == CollectiveOp::AllReduce)
      share *= 2;
    if (op.peer >= 0)
      share = 1;
    const double speed = inside ? job_.inside_gb_s : job_.between_gb_s;
    const double wire = share * double(op.bytes) / speed;  // ns: GB/s is bytes a ns
    const double latency = job_.latency_us * 1e3 * (1 + std::log2(n));
    Rng rng(job_.seed, "ranks.transfer", uint64_t(instance));
    Rng lasting(job_.seed, "ranks.channel", channel_of(op, ranks));
    const double noise = std::exp(rng.normal(0, job_.transfer_noise));
    const double spread = std::exp(lasting.normal(0, job_.channel_spread));
    double ns = (wire + latency) * noise * spread;
    if (rng.below(100) == 0)
      ns *= 1.5 + rng.uniform();
    if (!faulty(op.step) || op.bytes < 1024)
      return ns;
    if (slowed(ranks, hosts))
      ns *= out_.truth.factor;
    return ns;
  }

  // Returns a number for the path of an operation, a pair of ranks or a group, whose speed never changes.
  static uint64_t channel_of(const RankOp& op, const std::vector<int>& ranks) {
    if (op.peer >= 0)
      return uint64_t(ranks[0]) << 20 | ranks[1];
    return op.group + (uint64_t{1} << 50);
  }

  // Returns whether a transfer among these ranks passes the faulty part of the network.
  bool slowed(const std::vector<int>& ranks, const std::set<int>& hosts) const {
    const RankTruth& t = out_.truth;
    const bool inside = hosts.size() == 1;
    const bool there = std::ranges::find(ranks, t.rank) != ranks.end();
    switch (t.fault) {
      case RankFaultKind::SlowNic:
        return !inside && hosts.contains(t.host);
      case RankFaultKind::SlowRail:
        return !inside && there;
      case RankFaultKind::SlowLink:
        return inside && there;
      default:
        return false;
    }
  }

  using CallKey = std::tuple<int, int, int, int>;

  struct Arrival {
    int rank = 0;
    double at = 0;
    int op = 0;
  };

  bool hangs_in(int rank, int step) const {
    const RankTruth& t = out_.truth;
    return t.fault == RankFaultKind::Hang && rank == t.rank && step == t.from_step;
  }

  // Sender and receiver. A collective has -1 and the number of its operation.
  struct Ends {
    int from = -1;
    int to = -1;
  };
  // Returns the key of a transfer: sender and receiver, or the operation of a collective.
  static Ends ends_of(const RankOp& op, int rank) {
    if (op.peer < 0)
      return {-1, int(op.op)};
    if (op.op == CollectiveOp::Send)
      return {rank, op.peer};
    return {op.peer, rank};
  }
  size_t member_count(const RankOp& op) const {
    if (op.peer >= 0)
      return 2;
    return groups_[op.group].ranks.size();
  }
  std::vector<int> members_of(const RankOp& op, const Ends& ends) const {
    if (op.peer >= 0)
      return {ends.from, ends.to};
    return groups_[op.group].ranks;
  }

  // Runs all ranks' programs of a step together. A rank continues until it waits for another one.
  void run_step(int step) {
    const int n = job_.ranks();
    std::vector<std::vector<RankOp>> programs;
    for (int r = 0; r < n; ++r)
      programs.push_back(program_.operations(r, step));
    std::vector<size_t> at(n, 0);
    std::vector<bool> waits(n, false);
    std::map<CallKey, std::vector<Arrival>> open;  // group, from, to, number
    std::map<CallKey, int> numbers;                // key: rank, group, from, to
    std::vector<int> ready;
    for (int r = n - 1; r >= 0; --r)
      ready.push_back(r);
    for (int r = 0; r < n; ++r)
      step_begin_.push_back(now_[r]);
    while (!ready.empty()) {
      const int r = ready.back();
      ready.pop_back();
      while (!waits[r] && at[r] < programs[r].size()) {
        const RankOp& op = programs[r][at[r]];
        const bool late = at[r] > programs[r].size() / 2;
        if (hangs_in(r, step) && late) {
          hung_ = true;
          break;
        }
        const auto [compute, gap] = own(r, op, int(at[r]));
        add_compute(r, compute, gap);
        now_[r] += compute + gap;
        const Ends ends = ends_of(op, r);
        const int number = numbers[{r, op.group, ends.from, ends.to}]++;
        const CallKey key{op.group, ends.from, ends.to, number};
        std::vector<Arrival>& arrived = open[key];
        arrived.push_back({r, now_[r], int(at[r])});
        waits[r] = true;
        if (arrived.size() < member_count(op))
          continue;
        complete(op, members_of(op, ends), arrived, programs);
        for (const Arrival& a : arrived) {
          waits[a.rank] = false;
          ++at[a.rank];
          if (a.rank != r)
            ready.push_back(a.rank);
        }
        open.erase(key);
      }
    }
    if (hung_) {
      make_dumps(programs, at, waits);
      return;
    }
    mark_step(step);
  }

  // Ends an operation whose members have all arrived.
  void complete(
      const RankOp& op,
      const std::vector<int>& ranks,
      const std::vector<Arrival>& arrived,
      const std::vector<std::vector<RankOp>>& programs) {
    double last = 0;
    for (const Arrival& a : arrived)
      last = std::max(last, a.at);
    // Operations complete in another order when there is a fault, so the seed of the draw must not depend on
    // that order.
    const int kind = op.peer >= 0 ? -1 : int(op.op);
    const uint64_t count = counts_[{op.group, ranks[0], ranks[1], kind}]++;
    const uint64_t place = uint64_t(op.group) << 40 ^ uint64_t(ranks[0]) << 20;
    const uint64_t id = base::mix64(place ^ count) ^ uint64_t(op.bytes);
    const double end = last + transfer(op, ranks, int64_t(id));
    Rng skew(job_.seed, "ranks.skew", id);
    for (const Arrival& a : arrived) {
      const RankOp& mine = programs[a.rank][a.op];
      now_[a.rank] = std::max(a.at, end + skew.uniform() * 0.05e6);
      add_record(a.rank, mine, a.at, now_[a.rank]);
    }
  }

  // Returns a time in the clock of the rank's host.
  int64_t local_time(int rank, double ns) const {
    const int h = host_of(rank);
    const double offset = out_.truth.offset_ns[h];
    const double drift = out_.truth.drift[h];
    return kBegin + int64_t(ns + offset + drift * ns);
  }

  static int32_t place_in(const Communicator& c, int rank) {
    return int32_t(std::ranges::find(c.ranks, rank) - c.ranks.begin());
  }

  // Adds the record of an operation in the rank's own clock.
  void add_record(int rank, const RankOp& op, double begin, double end) {
    CollectiveRecord r;
    r.begin_ns = local_time(rank, begin);
    r.end_ns = local_time(rank, end);
    r.op = op.op;
    r.bytes = op.bytes;
    r.communicator = local_[rank][op.group];
    r.step = op.step;
    RankTrace& trace = out_.traces[rank];
    if (op.peer >= 0)
      r.peer = place_in(trace.communicators[r.communicator], op.peer);
    trace.records.push_back(r);
  }

  // Adds a span of computation to the rank's trace.
  void add_compute(int rank, double compute, double gap) {
    if (compute <= 0)
      return;
    const double begin = now_[rank] + gap / 2;
    const int64_t local_begin = local_time(rank, begin);
    const int64_t local_end = local_time(rank, begin + compute);
    out_.traces[rank].compute.push_back({local_begin, local_end});
  }

  // Marks the step in all traces.
  void mark_step(int step) {
    double last = 0;
    const int n = job_.ranks();
    for (int r = 0; r < n; ++r) {
      const double begin = step_begin_[size_t(step) * n + r];
      out_.traces[r].steps.push_back({step, local_time(r, begin), local_time(r, now_[r])});
      last = std::max(last, now_[r]);
    }
    ends_.push_back(last);
  }

  // Makes the flight-recorder dumps once all ranks wait: counters by group, and the operation in which each
  // rank waits.
  void make_dumps(
      const std::vector<std::vector<RankOp>>& programs,
      const std::vector<size_t>& at,
      const std::vector<bool>& waits) {
    for (int r = 0; r < job_.ranks(); ++r) {
      fleet::ranks::HangDump d;
      d.rank = r;
      d.version = "2.9";
      std::map<int, int64_t> done;
      for (const CollectiveRecord& c : out_.traces[r].records)
        done[c.communicator] += 1;
      const RankTrace& t = out_.traces[r];
      for (size_t g = 0; g < groups_.size(); ++g) {
        if (local_[r][g] < 0)
          continue;
        const std::string name = std::to_string(g);
        const RankGroup& group = groups_[g];
        auto& held = d.groups[name];
        held.description = group.name;
        held.ranks.assign(group.ranks.begin(), group.ranks.end());
        const int64_t count = done[local_[r][g]];
        d.status[name] = {count, -1, count};
      }
      if (waits[r]) {
        const RankOp& op = programs[r][at[r]];
        fleet::ranks::PendingOp waiting = pending(op, t.communicators[local_[r][op.group]]);
        waiting.sequence = ++d.status[waiting.group].last_enqueued;
        d.pending.push_back(std::move(waiting));
      }
      d.status_known = true;
      out_.dumps.push_back(std::move(d));
    }
  }

  // Returns the pending operation for the dump of a hanging rank.
  static fleet::ranks::PendingOp pending(const RankOp& op, const Communicator& c) {
    fleet::ranks::PendingOp p;
    p.group = std::to_string(op.group);
    p.p2p = op.peer >= 0;
    p.op = name(op.op);
    const std::string own = std::to_string(c.own);
    const std::string peer = std::to_string(place_in(c, op.peer));
    if (op.op == CollectiveOp::Send)
      p.op = "send " + own + "->" + peer;
    if (op.op == CollectiveOp::Recv)
      p.op = "recv " + own + "<-" + peer;
    p.input_sizes = "[" + std::to_string(op.bytes / 2) + "]";
    p.sizes = p.input_sizes + " -> " + p.input_sizes;
    p.dtype = "BFloat16";
    return p;
  }

  // Computes the true mean length of all steps and of those with the fault, and drops ranks without a file.
  void finish() {
    RankTruth& t = out_.truth;
    const auto count = double(ends_.size());
    if (count > 1)
      t.step_ms = (ends_.back() - ends_.front()) / (count - 1) / 1e6;
    const int from = std::max(t.from_step, 1);
    if (from < int(ends_.size()))
      t.faulty_step_ms = (ends_.back() - ends_[from - 1]) / (count - from) / 1e6;
    Rng rng(job_.seed, "ranks.missing");
    std::vector<RankTrace> kept;
    for (RankTrace& trace : out_.traces) {
      trace.communication = trace.records.size();
      if (rng.uniform() < job_.missing) {
        t.missing.push_back(trace.rank);
      } else {
        kept.push_back(std::move(trace));
      }
    }
    out_.traces = std::move(kept);
  }

  const RankJob& job_;
  const RankProgram program_;
  const std::vector<RankGroup>& groups_;
  SimulatedRanks out_;
  std::vector<std::vector<int>> local_;  // communicator of a rank by group; -1: none
  std::vector<double> speed_;
  std::vector<double> now_;
  std::vector<double> step_begin_;
  std::vector<double> ends_;
  std::vector<Rng> draws_;
  std::vector<Rng> fault_draws_;
  std::map<CallKey, uint64_t> counts_;
  bool hung_ = false;
};

}  // namespace

SimulatedRanks simulate_ranks(const RankJob& job) {
  return Simulation(job).run();
}

}  // namespace lento::fleet
