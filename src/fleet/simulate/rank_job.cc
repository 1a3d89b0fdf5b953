// Each rank runs a fixed program: segments of own time, each followed by a collective. A collective begins
// when its last member arrives and takes latency + bytes / bandwidth, by ring formulas, after that. Who
// crosses a host pays the slower path.
#include "fleet/simulate/rank_job.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "fleet/simulate/rank_program.h"

namespace lento::fleet {
namespace {

using trace::CollectiveOp;

constexpr int64_t kBegin = 1795000000000000000;  // Unix ns

const std::pair<RankFaultKind, const char*> kNames[] = {
    {RankFaultKind::None, "none"},
    {RankFaultKind::SlowGpu, "slow_gpu"},
    {RankFaultKind::SlowHost, "slow_host"},
    {RankFaultKind::SlowInput, "slow_input"},
    {RankFaultKind::SlowNic, "slow_nic"},
    {RankFaultKind::SlowRail, "slow_rail"},
    {RankFaultKind::SlowLink, "slow_link"},
    {RankFaultKind::Imbalance, "imbalance"},
    {RankFaultKind::Hang, "hang"}};

class Simulation {
 public:
  explicit Simulation(const RankJob& job)
      : job_(checked(job)),
        program_(job),
        groups_(program_.groups()) {
    draw_clocks();
    draw_fault();
    draw_spreads();
  }

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

  void draw_clocks() {
    base::Rng rng(job_.seed, "ranks.clock");
    for (int h = 0; h < job_.hosts(); ++h) {
      const double offset = rng.uniform(-1, 1) * job_.clock_offset_ms * 1e6;
      const double drift = rng.uniform(-1, 1) * job_.clock_drift_ppm * 1e-6;
      out_.truth.offset_ns.push_back(h == 0 ? 0 : offset);
      out_.truth.drift.push_back(h == 0 ? 0 : drift);
    }
    out_.truth.begin_ns = kBegin;
  }

  void draw_fault() {
    base::Rng rng(job_.seed, "ranks.fault");
    RankTruth& t = out_.truth;
    const auto rank = int(rng.below(job_.ranks()));
    const auto host = int(rng.below(job_.hosts()));
    const bool at_start = rng.below(2) == 0;
    const int later = job_.steps / 5 + int(rng.below(std::max(1, job_.steps / 3)));
    t.fault = job_.fault;
    t.factor = job_.factor;
    t.from_step = job_.from_step >= 0 ? job_.from_step : (at_start ? 0 : later);
    if (job_.fault == RankFaultKind::None || job_.fault == RankFaultKind::Imbalance)
      return;
    const bool of_host = job_.fault == RankFaultKind::SlowHost || job_.fault == RankFaultKind::SlowNic;
    if (of_host) {
      t.host = job_.place >= 0 ? job_.place % job_.hosts() : host;
    } else {
      t.rank = job_.place >= 0 ? job_.place % job_.ranks() : rank;
      t.host = host_of(t.rank);
    }
    if (job_.fault == RankFaultKind::Hang && t.from_step == 0)
      t.from_step = job_.steps / 2;
    find_same_places();
  }

  void find_same_places() {
    RankTruth& t = out_.truth;
    const bool inside = t.fault == RankFaultKind::SlowLink;
    if (t.fault != RankFaultKind::SlowNic && t.fault != RankFaultKind::SlowRail && !inside)
      return;
    const auto mine = program_.channels(t.host, t.fault == RankFaultKind::SlowNic ? -1 : t.rank, inside);
    std::set<std::pair<int, int>> all;
    for (int h = 0; h < job_.hosts(); ++h) {
      const auto other = program_.channels(h, -1, inside);
      all.insert(other.begin(), other.end());
      if (other == mine)
        t.same_hosts.push_back(h);
    }
    for (int r = 0; r < job_.ranks(); ++r) {
      if (program_.channels(host_of(r), r, inside) == mine)
        t.same_ranks.push_back(r);
    }
    t.whole_network = all == mine;
  }

  void draw_spreads() {
    base::Rng rng(job_.seed, "ranks.spread");
    for (int r = 0; r < job_.ranks(); ++r)
      speed_.push_back(std::exp(rng.normal(0, job_.rank_spread)));
    for (int r = 0; r < job_.ranks(); ++r) {
      draws_.emplace_back(job_.seed, "ranks.own", r);
      fault_draws_.emplace_back(job_.seed, "ranks.fault.own", r);
    }
  }

  void make_traces() {
    for (int r = 0; r < job_.ranks(); ++r) {
      trace::RankTrace& t = out_.traces.emplace_back();
      t.layout = "kineto";
      t.rank = r;
      t.world = job_.ranks();
      t.host = "host" + std::to_string(host_of(r));
      t.process = 1000 + r;
      t.device = r % job_.gpus_a_host;
      t.computes = true;
      local_.emplace_back(groups_.size(), -1);
      for (size_t g = 0; g < groups_.size(); ++g) {
        const auto own = std::find(groups_[g].ranks.begin(), groups_[g].ranks.end(), r);
        if (own == groups_[g].ranks.end() || groups_[g].ranks.size() < 2)
          continue;
        trace::Communicator c;
        c.key = groups_[g].key;
        c.name = groups_[g].name;
        c.size = int(groups_[g].ranks.size());
        c.own = int(own - groups_[g].ranks.begin());
        c.ranks.assign(groups_[g].ranks.begin(), groups_[g].ranks.end());
        std::set<int> hosts;
        for (const int m : groups_[g].ranks)
          hosts.insert(host_of(m));
        c.nodes = int(hosts.size());
        local_[r][g] = int(t.communicators.size());
        t.communicators.push_back(std::move(c));
      }
    }
  }

  bool faulty(int step) const {
    return step >= out_.truth.from_step;
  }

  // Own time before an operation: computing and the gap around it, ns.
  std::pair<double, double> own(int rank, const RankOp& op, int index) {
    const RankTruth& t = out_.truth;
    base::Rng& rng = draws_[rank];
    const double noise = std::exp(rng.normal(0, job_.compute_noise));
    double gap = job_.gap_ms * 1e6 * (0.5 + rng.uniform());
    double compute = op.compute * 1e6 * noise * speed_[rank];
    const bool now = faulty(op.step);
    if (now && t.fault == RankFaultKind::SlowGpu && rank == t.rank)
      compute *= t.factor;
    if (t.fault == RankFaultKind::SlowHost && host_of(rank) == t.host) {
      const double extra = 2 * fault_draws_[rank].uniform() * (t.factor - 1) * op.compute * 1e6;
      if (now)
        gap += extra;
    }
    if (t.fault == RankFaultKind::SlowInput && rank == t.rank && op.first && now)
      gap += (t.factor - 1) * 3 * job_.compute_ms * 1e6 * job_.micro_batches;
    if (t.fault == RankFaultKind::Imbalance && op.compute > 0) {
      base::Rng which(job_.seed, "ranks.imbalance", uint64_t(op.step) * 4096 + index);
      if (int(which.below(job_.ranks())) == rank || which.below(4) == uint64_t(rank % 4))
        compute *= 1 + (t.factor - 1) * which.uniform();
    }
    return {compute, gap};
  }

  double transfer(const RankOp& op, const std::vector<int>& ranks, int64_t instance) const {
    std::set<int> hosts;
    for (const int r : ranks)
      hosts.insert(host_of(r));
    const bool inside = hosts.size() == 1;
    const auto n = double(ranks.size());
    double share = (n - 1) / n;
    if (op.op == CollectiveOp::AllReduce)
      share *= 2;
    if (op.peer >= 0)
      share = 1;
    const double speed = inside ? job_.inside_gb_s : job_.between_gb_s;
    const double wire = share * double(op.bytes) / speed;  // ns: GB/s is bytes a ns
    base::Rng rng(job_.seed, "ranks.transfer", uint64_t(instance));
    const uint64_t channel =
        op.peer >= 0 ? uint64_t(ranks[0]) << 20 | ranks[1] : op.group + (uint64_t{1} << 50);
    base::Rng lasting(job_.seed, "ranks.channel", channel);
    double ns = (wire + job_.latency_us * 1e3 * (1 + std::log2(n))) *
                std::exp(rng.normal(0, job_.transfer_noise)) *
                std::exp(lasting.normal(0, job_.channel_spread));
    if (rng.below(100) == 0)
      ns *= 1.5 + rng.uniform();
    const RankTruth& t = out_.truth;
    if (!faulty(op.step) || op.bytes < 1024)
      return ns;
    const bool there = std::ranges::find(ranks, t.rank) != ranks.end();
    if (t.fault == RankFaultKind::SlowNic && !inside && hosts.contains(t.host))
      ns *= t.factor;
    if (t.fault == RankFaultKind::SlowRail && !inside && there)
      ns *= t.factor;
    if (t.fault == RankFaultKind::SlowLink && inside && there)
      ns *= t.factor;
    return ns;
  }

  struct Arrival {
    int rank = 0;
    double at = 0;
    int op = 0;
  };

  // All ranks' programs of a step together: a rank goes on until it waits for somebody.
  void run_step(int step) {
    const int n = job_.ranks();
    std::vector<std::vector<RankOp>> programs;
    for (int r = 0; r < n; ++r)
      programs.push_back(program_.operations(r, step));
    std::vector<size_t> at(n, 0);
    std::vector<bool> waits(n, false);
    std::map<std::tuple<int, int, int, int>, std::vector<Arrival>> open;  // group, from, to, number
    std::map<std::tuple<int, int, int, int>, int> numbers;                // by rank: group, from, to
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
        if (out_.truth.fault == RankFaultKind::Hang && r == out_.truth.rank && step == out_.truth.from_step &&
            at[r] > programs[r].size() / 2) {
          hung_ = true;
          break;
        }
        const auto [compute, gap] = own(r, op, int(at[r]));
        add_compute(r, compute, gap);
        now_[r] += compute + gap;
        const bool pair = op.peer >= 0;
        const int from = pair ? (op.op == CollectiveOp::Send ? r : op.peer) : -1;
        const int to = pair ? (op.op == CollectiveOp::Send ? op.peer : r) : int(op.op);
        const int number = numbers[{r, op.group, from, to}]++;
        const auto key = std::make_tuple(op.group, from, to, number);
        std::vector<Arrival>& arrived = open[key];
        arrived.push_back({r, now_[r], int(at[r])});
        waits[r] = true;
        const size_t members = pair ? 2 : groups_[op.group].ranks.size();
        if (arrived.size() < members)
          continue;
        complete(op, pair ? std::vector<int>{from, to} : groups_[op.group].ranks, arrived, programs);
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

  void complete(
      const RankOp& op,
      const std::vector<int>& ranks,
      const std::vector<Arrival>& arrived,
      const std::vector<std::vector<RankOp>>& programs) {
    double last = 0;
    for (const Arrival& a : arrived)
      last = std::max(last, a.at);
    // The order of completion differs with and without a fault; the number of the draw must not.
    const uint64_t id =
        base::mix64(
            uint64_t(op.group) << 40 ^ uint64_t(ranks[0]) << 20 ^
            uint64_t(counts_[{op.group, ranks[0], ranks[1], op.peer >= 0 ? -1 : int(op.op)}]++)) ^
        uint64_t(op.bytes);
    const double end = last + transfer(op, ranks, int64_t(id));
    base::Rng skew(job_.seed, "ranks.skew", id);
    for (const Arrival& a : arrived) {
      const RankOp& mine = programs[a.rank][a.op];
      now_[a.rank] = std::max(a.at, end + skew.uniform() * 0.05e6);
      add_record(a.rank, mine, a.at, now_[a.rank]);
    }
  }

  int64_t local_time(int rank, double ns) const {
    const int h = host_of(rank);
    return kBegin + int64_t(ns + out_.truth.offset_ns[h] + out_.truth.drift[h] * ns);
  }

  void add_record(int rank, const RankOp& op, double begin, double end) {
    trace::CollectiveRecord r;
    r.begin_ns = local_time(rank, begin);
    r.end_ns = local_time(rank, end);
    r.op = op.op;
    r.bytes = op.bytes;
    r.communicator = local_[rank][op.group];
    r.step = op.step;
    const trace::Communicator& c = out_.traces[rank].communicators[r.communicator];
    if (op.peer >= 0)
      r.peer = int32_t(std::ranges::find(c.ranks, op.peer) - c.ranks.begin());
    out_.traces[rank].records.push_back(r);
  }

  void add_compute(int rank, double compute, double gap) {
    if (compute <= 0)
      return;
    const double begin = now_[rank] + gap / 2;
    out_.traces[rank].compute.push_back({local_time(rank, begin), local_time(rank, begin + compute)});
  }

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

  // What a flight recorder holds when everybody waits: counters by group, and the operation each waits in.
  void make_dumps(
      const std::vector<std::vector<RankOp>>& programs,
      const std::vector<size_t>& at,
      const std::vector<bool>& waits) {
    for (int r = 0; r < job_.ranks(); ++r) {
      trace::HangDump d;
      d.rank = r;
      d.version = "2.9";
      std::map<int, int64_t> done;
      for (const trace::CollectiveRecord& c : out_.traces[r].records)
        done[c.communicator] += 1;
      const trace::RankTrace& t = out_.traces[r];
      for (size_t g = 0; g < groups_.size(); ++g) {
        if (local_[r][g] < 0)
          continue;
        const std::string name = std::to_string(g);
        d.groups[name].description = groups_[g].name;
        d.groups[name].ranks.assign(groups_[g].ranks.begin(), groups_[g].ranks.end());
        const int64_t count = done[local_[r][g]];
        d.status[name] = {count, -1, count};
      }
      if (waits[r]) {
        const RankOp& op = programs[r][at[r]];
        const std::string group = std::to_string(op.group);
        trace::PendingOp p;
        p.group = group;
        p.p2p = op.peer >= 0;
        p.sequence = ++d.status[group].last_enqueued;
        p.op = trace::name(op.op);
        const trace::Communicator& c = t.communicators[local_[r][op.group]];
        const auto peer = std::ranges::find(c.ranks, op.peer) - c.ranks.begin();
        if (op.op == CollectiveOp::Send)
          p.op = "send " + std::to_string(c.own) + "->" + std::to_string(peer);
        if (op.op == CollectiveOp::Recv)
          p.op = "recv " + std::to_string(c.own) + "<-" + std::to_string(peer);
        p.input_sizes = "[" + std::to_string(op.bytes / 2) + "]";
        p.sizes = p.input_sizes + " -> " + p.input_sizes;
        p.dtype = "BFloat16";
        d.pending.push_back(std::move(p));
      }
      d.status_known = true;
      out_.dumps.push_back(std::move(d));
    }
  }

  void finish() {
    RankTruth& t = out_.truth;
    const auto count = double(ends_.size());
    if (count > 1)
      t.step_ms = (ends_.back() - ends_.front()) / (count - 1) / 1e6;
    const int from = std::max(t.from_step, 1);
    if (from < int(ends_.size()))
      t.faulty_step_ms = (ends_.back() - ends_[from - 1]) / (count - from) / 1e6;
    base::Rng rng(job_.seed, "ranks.missing");
    std::vector<trace::RankTrace> kept;
    for (trace::RankTrace& trace : out_.traces) {
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
  std::vector<base::Rng> draws_;
  std::vector<base::Rng> fault_draws_;
  std::map<std::tuple<int, int, int, int>, uint64_t> counts_;
  bool hung_ = false;
};

}  // namespace

const char* name(RankFaultKind kind) {
  for (const auto& [k, text] : kNames) {
    if (k == kind)
      return text;
  }
  return "";
}

RankFaultKind rank_fault_kind(const std::string& text) {
  std::vector<std::string> known;
  for (const auto& [kind, name] : kNames) {
    if (text == name)
      return kind;
    known.push_back(name);
  }
  throw base::Error({}, "fault '" + text + "' is not known", base::suggestion(text, known));
}

SimulatedRanks simulate_ranks(const RankJob& job) {
  return Simulation(job).run();
}

trace::RankTrace as_inspector(const trace::RankTrace& full) {
  constexpr int64_t kLeastBytes = 8192;
  trace::RankTrace t = full;
  t.layout = "inspector";
  t.rank = -1;
  t.device = -1;
  t.world = -1;
  t.computes = false;
  t.compute.clear();
  t.steps.clear();
  t.records.clear();
  std::map<std::pair<int, int>, int64_t> numbers;
  for (trace::CollectiveRecord r : full.records) {
    const int kind = is_p2p(r.op) ? -1 : int(r.op);
    r.sequence = ++numbers[{r.communicator, kind}];
    if (r.bytes < kLeastBytes)
      continue;
    r.begin_ns -= r.begin_ns % 1000;
    r.end_ns -= r.end_ns % 1000;
    r.step = -1;
    t.records.push_back(r);
  }
  for (trace::Communicator& c : t.communicators)
    c.ranks.clear();
  return t;
}

}  // namespace lento::fleet
