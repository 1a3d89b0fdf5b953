// The first pass: latencies, baselines, and the cycles that each access lost to each cause. Records that name
// culprits are costed at once. For all others the cost of an access is its latency above a baseline, the
// tenth percentile of its level or type, which is only available after the pass. They are costed in a pass of
// their own.
#include "memory/mine/contention_scan.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "memory/mine/checkpoint.h"
#include "memory/mine/contention_records.h"
#include "memory/mine/quiet.h"

namespace lento::memory {
namespace {

constexpr size_t kMostPairs = size_t{1} << 18;  // pairs of delayed and delaying functions

// Returns whether the line lies a multiple of tuning::kConflictStride lines from the thread's previous miss.
// Both lines may then belong to one cache set.
bool jumps(Scan& scan, const AccessRecord& r) {
  uint64_t& last = scan.last_miss[r.actor()];
  const uint64_t line = r.address / tuning::kLineSizes[1];
  const bool wide = last != 0 && last != line && (last - line) % tuning::kConflictStride == 0;
  last = line;
  return wide;
}

// Adds the excess cycles of an access to the sums by loss, type, line and CPU.
void add_cost(Scan& scan, const AccessRecord& r, const Cost& cost) {
  const uint64_t all = cost.cycles + cost.miss + cost.remote + cost.walk;
  if (all == 0)
    return;
  scan.excess += cost.cycles;
  scan.slow += cost.cycles > 0;
  scan.losses[size_t(cost.loss)] += cost.cycles;
  scan.losses[size_t(Loss::Miss)] += cost.miss;
  scan.losses[size_t(Loss::Remote)] += cost.remote;
  scan.losses[size_t(Loss::Walk)] += cost.walk;
  scan.excess_by_type[size_t(r.type)] += cost.cycles;
  if (r.type == memory::AccessType::Fetch)
    return;
  const BlockKey key = block_of(r);
  auto at = scan.blocks.find(key);
  if (at == scan.blocks.end()) {
    if (scan.blocks.size() >= kMostLines) {
      ++scan.blocks_dropped;
      return;
    }
    at = scan.blocks.emplace(key, BlockCost{}).first;
  }
  BlockCost& block = at->second;
  block.cycles[size_t(cost.loss)] += cost.cycles;
  block.cycles[size_t(Loss::Miss)] += cost.miss;
  block.cycles[size_t(Loss::Remote)] += cost.remote;
  block.cycles[size_t(Loss::Walk)] += cost.walk;
  ++block.accesses;
  const bool own_miss = cost.miss > 0 || (!scan.culprits_known && r.service == memory::Service::Unknown);
  if (own_miss) {
    ++block.misses;
    block.jumps += jumps(scan, r);
    block.cpus |= uint64_t{1} << r.cpu % 64;
  }
  if (all <= block.worst)
    return;
  block.worst = all;
  block.address = r.address;
}

// Returns the cycles above the baseline.
uint64_t over(uint32_t latency, double baseline) {
  const double extra = double(latency) - baseline;
  if (extra > 0)
    return uint64_t(extra);
  return 0;
}

// Costs a record that names its culprit: the part of the latency charged to the culprit, and the rest of a
// miss.
Cost charged_cost(const AccessRecord& r) {
  const bool charged = r.culprit != AccessRecord::kNoCpu;
  const uint64_t blamed = charged ? std::min(r.blamed, r.latency) : 0;
  const bool taken = r.cause == memory::DelayCause::Coherence;
  const uint64_t rest = is_trivial(r) || taken || r.latency == 0 ? 0 : r.latency - blamed;
  const Loss loss = r.cause == memory::DelayCause::Bank ? Loss::Bank : Loss::Contended;
  return {loss, blamed, rest > 0 ? rest - 1 : 0};
}

class FirstPass {
 public:
  FirstPass(Scan& scan, Functions& functions)
      : scan_(scan),
        functions_(functions) {
  }

  void add(const AccessRecord& r) {
    ++scan_.events;
    scan_.first_cycle = std::min(scan_.first_cycle, r.cycle);
    scan_.last_cycle = std::max(scan_.last_cycle, r.cycle);
    scan_.extent.add(r.cycle);
    count_source(r);
    scan_.writes += r.writes();
    scan_.service_known |= (r.flags & AccessRecord::kServiceKnown) != 0;
    scan_.sampled |= (r.flags & AccessRecord::kSampled) != 0;
    scan_.failed_sc += (r.flags & AccessRecord::kFailed) != 0;
    if (r.latency == AccessRecord::kNoLatency) {
      ++scan_.no_latency;
      return;
    }
    scan_.latency_sum += r.latency;
    scan_.unnamed_latency += went_unnamed(r) ? r.latency : 0;
    scan_.by_type[size_t(r.type)].add(r.latency);
    if (cpu_)
      cpu_->latency += r.latency;
    if (r.service != memory::Service::Unknown) {
      scan_.levels_known = true;
      scan_.by_service[size_t(r.service)].add(r.latency);
    }
    if (r.type != memory::AccessType::Fetch)
      scan_.sample.add(r, !is_trivial(r) || is_hidden_miss(r));
    if (is_trivial(r)) {
      ++scan_.trivial;
    } else {
      scan_.latencies.add(r.latency);
    }
    if (r.flags & AccessRecord::kSampled)
      add_sample(r);
    if (r.culprit != AccessRecord::kNoCpu)
      blame(r);
    // Assumes that the trace names culprits, which only its first delayed access shows. The costs are cleared
    // when it names none.
    if (!scan_.levels_known)
      add_cost(scan_, r, charged_cost(r));
  }

 private:
  // Counts an access for its CPU and where it was served from.
  void count_source(const AccessRecord& r) {
    if (!cpu_ || r.cpu != last_cpu_) {
      cpu_ = &scan_.cpus[r.cpu];
      last_cpu_ = r.cpu;
    }
    cpu_->first = std::min(cpu_->first, r.cycle);
    cpu_->last = std::max(cpu_->last, r.cycle);
    ++cpu_->accesses;
    if (!actor_ || r.actor() != last_actor_) {
      actor_ = &scan_.actors[r.actor()];
      last_actor_ = r.actor();
    }
    ++*actor_;
    if (!process_ || r.process != last_process_) {
      process_ = &scan_.processes[r.process];
      last_process_ = r.process;
    }
    ++*process_;
    if (!r.has_context())
      return;
    scan_.local_hits += r.service == Service::L1;
    scan_.peers += r.service == Service::LocalPeer || r.service == Service::RemotePeer;
    scan_.remote += r.service == Service::RemoteMemory || r.service == Service::RemotePeer;
    scan_.with_node += r.node != AccessRecord::kNoNode;
    scan_.with_thread += r.thread != 0;
  }

  // Adds the latency of a sampled access to its code and its data.
  void add_sample(const AccessRecord& r) {
    add_to(scan_.sampled_code[functions_.of(r.process, r.pc)], r.pc, r.latency);
    if (r.type == memory::AccessType::Fetch)
      return;
    const BlockKey key = block_of(r);
    if (scan_.sampled_data.size() < kMostLines || scan_.sampled_data.contains(key))
      add_to(scan_.sampled_data[key], r.address, r.latency);
  }

  static void add_to(Sampled& sum, uint64_t address, uint32_t latency) {
    sum.latency += latency;
    if (++sum.accesses > 1 && latency <= sum.worst)
      return;
    sum.address = address;
    sum.worst = latency;
  }

  // Adds the waiting cycles of an access to the CPU and function that caused them.
  void blame(const AccessRecord& r) {
    scan_.culprits_known = true;
    scan_.cycles_by_cause[size_t(r.cause)] += r.blamed;
    Blame& by_cpu = scan_.cpu_blame[{r.cpu, r.culprit}];
    by_cpu.cycles += r.blamed;
    ++by_cpu.accesses;
    std::pair<uint32_t, uint32_t> functions{
        functions_.of(r.process, r.pc),
        functions_.of(r.process, r.culprit_pc)};
    if (scan_.function_blame.size() >= kMostPairs && !scan_.function_blame.contains(functions))
      functions = {functions_.others(), functions_.others()};
    Blame& by_function = scan_.function_blame[functions];
    by_function.cycles += r.blamed;
    ++by_function.accesses;
  }

  Scan& scan_;
  Functions& functions_;
  // Pointers to the entries of `scan_` for the previous record's CPU, thread and process. The next record
  // usually has the same, which saves a look-up.
  CpuTime* cpu_ = nullptr;
  uint64_t* actor_ = nullptr;
  uint64_t* process_ = nullptr;
  uint16_t last_cpu_ = 0;
  uint16_t last_process_ = 0;
  uint32_t last_actor_ = 0;
};

// Sets all costs to zero before they are counted with the final expected latencies.
void clear_costs(Scan& scan) {
  scan.excess = 0;
  scan.slow = 0;
  scan.losses = {};
  scan.excess_by_type = {};
  scan.blocks.clear();
  scan.blocks_dropped = 0;
  scan.last_miss.clear();
}

// Adds the costs of all accesses in a further pass. Without culprits, or with levels, they need the
// baselines, which are complete only after the first pass.
void add_costs(const OpenTrace& open, const ContentionOptions& options, Functions& functions, Scan& scan) {
  base::ReadReport again;
  each_record(open, options, functions, again, "accesses costed", [&](const AccessRecord& r) {
    add_cost(scan, r, cost_of(r, scan));
  });
}

// Estimates the latency of each type and level without contention as its tenth percentile, of quiet accesses
// where there are any. The baseline of a line that another CPU modified is a hit, because it would have hit
// in the CPU's own cache.
void find_baselines(Scan& scan) {
  for (size_t t = 0; t < kAccessTypes; ++t) {
    const LatencyHistogram& alone = has_quiet(scan, t) ? scan.quiet_by_type[t] : scan.by_type[t];
    scan.baseline[t] = alone.quantile(0.1, QuantileRule::NearestRank);
  }
  for (size_t s = 0; s < kServices; ++s)
    scan.service_baseline[s] = scan.by_service[s].quantile(0.1, QuantileRule::NearestRank);
  auto& base = scan.service_baseline;
  const auto at = [](Service s) {
    return size_t(s);
  };
  const double hit = base[at(memory::Service::L1)];
  base[at(memory::Service::LocalPeer)] = hit;
  base[at(memory::Service::RemotePeer)] = hit;
  if (base[at(memory::Service::LocalMemory)] == 0)
    base[at(memory::Service::LocalMemory)] = base[at(memory::Service::RemoteMemory)] / tuning::kRemoteFactor;
}

}  // namespace

namespace {

// Returns the cycles that an access lost, by the level that answered.
Cost level_cost(const AccessRecord& r, const Scan& scan) {
  const auto base = [&](Service s) {
    return scan.service_baseline[size_t(s)];
  };
  const double hit = base(Service::L1);
  const auto miss_up_to = [&](double level) {
    return uint64_t(std::max(0.0, level - hit));
  };
  switch (r.service) {
    case Service::L1:
      return {};
    case Service::LocalPeer:
    case Service::RemotePeer:
      return {Loss::Contended, over(r.latency, hit), 0};
    case Service::RemoteMemory: {
      const double local = base(Service::LocalMemory);
      return {Loss::Remote, over(r.latency, local), miss_up_to(std::min<double>(r.latency, local))};
    }
    case Service::LocalMemory: {
      const double alone = base(Service::LocalMemory);
      return {Loss::Queue, over(r.latency, alone), miss_up_to(std::min<double>(r.latency, alone))};
    }
    default:
      return {Loss::Contended, 0, over(r.latency, hit)};
  }
}

}  // namespace

// Returns the cycles that an access took beyond its expected latency, by kind of loss.
Cost cost_of(const AccessRecord& r, const Scan& scan) {
  if (r.latency == AccessRecord::kNoLatency)
    return {};
  if (scan.culprits_known) {
    Cost cost = charged_cost(r);
    if (r.service == memory::Service::RemoteMemory)
      cost.remote =
          cost.miss -
          std::min(cost.miss, uint64_t(scan.service_baseline[size_t(memory::Service::LocalMemory)]));
    cost.miss -= cost.remote;
    if (r.service == memory::Service::PageWalk)
      std::swap(cost.walk, cost.miss);
    return cost;
  }
  // In a trace that records which cache level answered, an access beyond the CPU's own caches without a
  // recorded level costs what a miss costs.
  if (r.service != memory::Service::Unknown || (scan.levels_known && went_unnamed(r)))
    return level_cost(r, scan);
  if (is_trivial(r))
    return {};
  // The record names neither culprit nor level. The loss counts as contention where the line is shared and as
  // a miss where it is not, and BlockCost keeps the sums for both.
  const uint64_t extra = over(r.latency, scan.baseline[size_t(r.type)]);
  return {Loss::Contended, extra, 0};
}

uint32_t Items::of(Kind kind, uint32_t cpu, uint64_t value) {
  const uint64_t key = uint64_t(kind) << 60 | uint64_t{cpu} << 44 | (value & ((uint64_t{1} << 44) - 1));
  const auto [at, is_new] = ids_.emplace(key, uint32_t(items_.size()));
  if (is_new)
    items_.push_back({kind, cpu, value});
  return at->second;
}

bool passes(const AccessFilter& filter, const AccessRecord& r, Functions& functions) {
  if (r.cycle < filter.first_cycle || r.cycle > filter.last_cycle)
    return false;
  if (!filter.cpus.empty() && !filter.cpus.contains(r.cpu))
    return false;
  return filter.function.empty() || functions.name(functions.of(r.process, r.pc)) == filter.function;
}

Scan scan_trace(
    const OpenTrace& open,
    const ContentionOptions& options,
    Functions& functions,
    base::ReadReport& report) {
  Scan scan;
  PassMark mark;
  const bool keeps = !options.checkpoint.empty();
  const auto keep = [&] {
    base::write_file(options.checkpoint, pack_pass(options.checkpoint_key, mark, scan, functions));
  };
  std::error_code unreadable;
  if (keeps && std::filesystem::exists(options.checkpoint, unreadable) &&
      !unpack_pass(
          base::read_file(options.checkpoint),
          options.checkpoint,
          options.checkpoint_key,
          {mark, scan, functions})) {
    throw base::Error(
        {options.checkpoint},
        "the checkpoint belongs to another trace or other options",
        "name another file, or remove it to give up what it holds");
  }
  if (!mark.finished) {
    FirstPass pass(scan, functions);
    uint64_t next_keep = mark.records + options.checkpoint_every;
    const auto pause = [&](uint64_t done) {
      options.progress("accesses read", double(done), 0);
      mark.records = done;
      if (!keeps || done < next_keep)
        return;
      next_keep = done + options.checkpoint_every;
      keep();
    };
    mark.finished = each_record(
        open,
        options,
        functions,
        report,
        mark.records,
        std::min(kPause, options.checkpoint_every),
        [&](const AccessRecord& r) {
          pass.add(r);
        },
        pause);
    if (keeps)
      keep();
  }
  if (scan.events == 0)
    scan.first_cycle = 0;
  if (!scan.has_reasons())
    find_quiet(open, options, functions, scan);
  find_baselines(scan);
  if (!scan.culprits_known || scan.levels_known) {
    clear_costs(scan);
    add_costs(open, options, functions, scan);
  }
  return scan;
}

}  // namespace lento::memory
