// Gives counters of GPU kernels their meaning: which names of which profiler state the requests of shared and
// global memory, the loads of slices and channels, and the busy shares of the units. Sources: the metrics
// references of Nsight Compute and of the MI200 and MI300 series.
//
// A unit of a multiprocessor is busy in a share of the cycles in which the multiprocessor has work. Caches
// and memory are busy in a share of the time from the first multiprocessor's start to the last one's end.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "memory/gpu/counter_values.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {
namespace {

// Returns the counter for loads and stores together, or the sum of their separate counters where the profile
// has those.
double of_loads_and_stores(const Values& v, const std::string& before, const std::string& after) {
  if (v.has(before + after))
    return v.sum(before + after);
  return v.sum(before + "_op_ld" + after) + v.sum(before + "_op_st" + after);
}

// Returns requests and needed requests of shared memory, from whichever counters the profile has.
Requests shared_of(const Values& v) {
  const std::string pipe = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
  const double conflicts = of_loads_and_stores(v, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared", ".sum");
  const double wavefronts = of_loads_and_stores(v, pipe, ".sum");
  if (v.has("memory_l1_wavefronts_shared_ideal") || v.has("L1 Wavefronts Shared Ideal"))
    return {
        v.first_sum({"memory_l1_wavefronts_shared", "L1 Wavefronts Shared"}),
        v.first_sum({"memory_l1_wavefronts_shared_ideal", "L1 Wavefronts Shared Ideal"})};
  if (v.has("derived__memory_l1_wavefronts_shared_excessive") && v.has("memory_l1_wavefronts_shared"))
    return {
        v.sum("memory_l1_wavefronts_shared"),
        v.sum("memory_l1_wavefronts_shared") - v.sum("derived__memory_l1_wavefronts_shared_excessive")};
  if (v.has("rule all wavefronts"))
    return {v.sum("rule all wavefronts"), v.sum("rule all wavefronts") - v.sum("rule excessive wavefronts")};
  if (wavefronts > 0)
    return {wavefronts, wavefronts - std::min(conflicts, wavefronts)};
  if (v.has("rule wavefronts"))
    return {v.sum("rule wavefronts"), v.sum("rule wavefronts") - v.sum("rule bank conflicts")};
  const double instructions =
      v.sum("smsp__inst_executed_op_shared_ld.sum") + v.sum("smsp__inst_executed_op_shared_st.sum");
  if (conflicts > 0 && instructions > 0)
    return {instructions + conflicts, instructions};
  const double active = v.first_sum({"SQ_LDS_IDX_ACTIVE", "SQ_LDS_IDX_ACTIVE_sum"});
  const double stalled = v.first_sum({"SQ_LDS_BANK_CONFLICT", "SQ_LDS_BANK_CONFLICT_sum"});
  return {active, active - std::min(active, stalled)};
}

constexpr size_t kMostBefore = size_t{1} << 20;  // bytes that a program may print before the first header
constexpr double kSector = 32;                   // bytes
constexpr double kWidestLoad = 16;               // sectors that a warp's widest loads need
constexpr double kUsualLoad = 4;                 // sectors of a load of four bytes per lane

// Returns sectors and needed sectors of global memory. Sets `ambiguous` when the sectors per request fit both
// wide loads and uncoalesced ones.
Requests global_of(const Values& v, bool& ambiguous) {
  if (v.has("memory_l2_theoretical_sectors_global_ideal") || v.has("L2 Theoretical Sectors Global Ideal"))
    return {
        v.first_sum({"memory_l2_theoretical_sectors_global", "L2 Theoretical Sectors Global"}),
        v.first_sum({"memory_l2_theoretical_sectors_global_ideal", "L2 Theoretical Sectors Global Ideal"})};
  const char* kExcess = "derived__memory_l2_theoretical_sectors_global_excessive";
  if (v.has(kExcess) && v.has("memory_l2_theoretical_sectors_global"))
    return {
        v.sum("memory_l2_theoretical_sectors_global"),
        v.sum("memory_l2_theoretical_sectors_global") - v.sum(kExcess)};
  if (v.has("rule sectors"))
    return {v.sum("rule sectors"), v.sum("rule sectors") - v.sum("rule excessive sectors")};
  Requests r;
  for (const std::string way : {"ld", "st"}) {
    const double sectors = v.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_" + way + ".sum");
    const double requests = v.sum("l1tex__t_requests_pipe_lsu_mem_global_op_" + way + ".sum");
    const Sum* used = v.find("smsp__sass_average_data_bytes_per_sector_mem_global_op_" + way + ".ratio");
    if (used && sectors > 0) {
      r.served += sectors;
      r.ideal += sectors * std::min(1.0, used->mean() / kSector);
    } else if (sectors > 0 && requests > 0) {
      const double each = sectors / requests;
      r.served += sectors;
      r.ideal += each > kWidestLoad ? requests * kUsualLoad : sectors;
      ambiguous |= each > kUsualLoad * 1.25 && each <= kWidestLoad;
    }
  }
  if (r.served > 0)
    return r;
  // On AMD a wavefront of 64 lanes makes an access for each four lanes whose data lie together.
  constexpr double kLanes = 64;
  constexpr double kQuad = 4;
  const double wavefronts = v.first_sum({"TA_TOTAL_WAVEFRONTS_sum", "TA_TOTAL_WAVEFRONTS"});
  const double accesses = v.first_sum({"TCP_TOTAL_ACCESSES_sum", "TCP_TOTAL_ACCESSES"});
  if (wavefronts > 0 && accesses > 0)
    return {accesses, std::min(accesses, wavefronts * kLanes / kQuad)};
  return {};
}

// Returns the largest and the mean load, from counters of single channels such as TCC_REQ[0] to TCC_REQ[15],
// or from the profiler's .max and .avg.
Channels channels_of(
    const Values& v,
    std::initializer_list<std::string_view> arrays,
    std::initializer_list<std::string_view> named) {
  for (const std::string_view array : arrays) {
    const std::string begin = std::string(array) + "[";
    Channels c;
    double sum = 0;
    for (auto at = v.by_name.lower_bound(begin); at != v.by_name.end() && at->first.starts_with(begin);
         ++at) {
      c.most = std::max(c.most, at->second.sum);
      sum += at->second.sum;
      ++c.count;
    }
    if (c.count > 1) {
      c.mean = sum / double(c.count);
      return c;
    }
  }
  for (const std::string_view name : named) {
    const Sum* most = v.find(std::string(name) + ".max");
    const Sum* mean = v.find(std::string(name) + ".avg");
    if (most && mean)
      return {most->sum, mean->sum, 0};
  }
  return {};
}

// Returns the busy share that the first of these counters states in percent, -1 without any.
double share_of(const Values& v, std::initializer_list<std::string_view> names) {
  const auto percent = v.first_mean(names);
  return percent ? std::clamp(*percent / 100, 0.0, 1.0) : -1;
}

// Converts a busy share of the whole time to one of the `part` of it in which the unit can be busy. Returns a
// share below 0 (not measured) unchanged.
double within(double share, double part) {
  return share < 0 || part <= 0 ? share : std::min(1.0, share / part);
}

// Returns how busy the units are. Averages over the multiprocessors refer to all cycles, so they are divided
// by the share of cycles in which a multiprocessor has work.
BusyShares busy_of(const Values& v) {
  BusyShares b;
  const auto elapsed = v.first_mean({"sm__cycles_elapsed.avg", "Elapsed Cycles"});
  const auto active = v.first_mean({"sm__cycles_active.avg", "SM Active Cycles"});
  const double working = elapsed && active && *elapsed > 0 ? std::min(1.0, *active / *elapsed) : 1;
  const double last = v.sum("sm__cycles_elapsed.max") > 0 && v.has("sm__cycles_active.max")
                          ? std::min(1.0, v.sum("sm__cycles_active.max") / v.sum("sm__cycles_elapsed.max"))
                          : 1;
  b.waiting = 1 - last;
  const double wavefronts =
      share_of(v, {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"});
  b.shared_pipe = within(wavefronts, working);
  b.l1 = within(share_of(v, {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed"}), working);
  if (b.l1 < 0)
    b.l1 = share_of(v, {"l1tex__throughput.avg.pct_of_peak_sustained_active", "L1/TEX Cache Throughput %"});
  b.issue = within(
      share_of(v, {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput %"}),
      working);
  b.l2 = within(
      share_of(v, {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 Cache Throughput %"}),
      last);
  b.fullest_slice = within(share_of(v, {"lts__t_sectors.max.pct_of_peak_sustained_elapsed"}), last);
  b.mean_slice = within(share_of(v, {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed"}), last);
  b.memory = within(
      share_of(
          v,
          {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
           "dram__throughput.avg.pct_of_peak_sustained_elapsed",
           "DRAM Throughput %"}),
      last);
  b.fullest = within(
      share_of(
          v,
          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput %"}),
      last);
  const double cycles = v.first_sum({"sm__cycles_elapsed.sum", "Total SM Elapsed Cycles"});
  b.cycles = cycles > 0 ? cycles * working : v.sum("sm__cycles_active.sum");
  return b;
}

// Adds the sectors and requests that reached the second cache, the miss share of the first, and the bytes
// that the memory moved.
void add_traffic(const Values& v, KernelMemory& k) {
  k.l2_sectors = v.first_sum({"lts__t_sectors_srcunit_tex.sum", "lts__t_sectors.sum"});
  k.l2_requests = v.first_sum({"lts__t_requests_srcunit_tex.sum"});
  if (const auto hits = v.first_mean({"l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate %"}))
    k.l1_misses = std::clamp(1 - *hits / 100, 0.0, 1.0);
  k.nanoseconds = v.first_sum({"gpu__time_duration.sum", "Duration"});
  constexpr double kNanosecond = 1e-9;
  if (v.has("dram__bytes.sum"))
    k.memory_bytes = v.sum("dram__bytes.sum");
  else if (v.has("dram__bytes_read.sum") && v.has("dram__bytes_write.sum"))
    k.memory_bytes = v.sum("dram__bytes_read.sum") + v.sum("dram__bytes_write.sum");
  else if (const auto rate = v.first_mean({"dram__bytes.sum.per_second", "Memory Throughput"}))
    k.memory_bytes = *rate * k.nanoseconds * kNanosecond;
}

// Returns the memory figures of one kernel or source line.
KernelMemory kernel_of(const PlaceKey& key, const Values& v) {
  KernelMemory k;
  k.kernel = key.first;
  k.line = key.second;
  k.launches = v.launches;
  for (const auto& [name, sum] : v.by_name)
    k.is_amd |= name.starts_with("SQ_") || name.starts_with("TCC_") || name.starts_with("TCP_") ||
                name.starts_with("TA_") || name == "LDSBankConflict";
  k.shared = shared_of(v);
  k.global = global_of(v, k.ambiguous);
  k.slices = channels_of(v, {"TCC_REQ", "TCC_READ", "TCC_HIT"}, {"lts__t_sectors", "lts__t_requests"});
  k.memory = channels_of(
      v,
      {"TCC_EA_RDREQ", "TCC_EA0_RDREQ", "TCC_EA_WRREQ", "TCC_EA0_WRREQ", "TCC_MISS"},
      {"dram__sectors", "dram__bytes", "dram__sectors_read", "dram__bytes_read", "fbpa__dram_sectors"});
  k.busy = busy_of(v);
  add_traffic(v, k);
  if (const Sum* share = v.find("LDSBankConflict"))
    k.conflict_time = share->mean() / 100;
  if (!k.line.empty())
    k.instructions = v.first_sum({"Instructions Executed"});
  k.has_rules = v.has("rules") && v.has("Branch Instructions");
  for (const std::string way : {"ld", "st"}) {
    const Sum* used = v.find("smsp__sass_average_data_bytes_per_sector_mem_global_op_" + way + ".pct");
    if (used && used->mean() > 0 && k.global.served == 0)
      k.used = std::min(k.used, used->mean() / 100);
  }
  return k;
}

// Returns whether a profile states anything of this place. Most lines of a source page ask for no memory.
bool is_measured(const KernelMemory& k) {
  return k.line.empty() || k.shared.served > 0 || k.global.served > 0 || k.instructions > 0;
}

}  // namespace

bool is_gpu_counters(std::string_view head) {
  head = head.substr(0, kMostBefore);
  return is_counter_table(head) || is_counter_sections(head);
}

std::vector<KernelMemory>
read_gpu_counters(std::string_view text, const std::string& path, base::ReadReport& report) {
  if (!is_gpu_counters(text))
    throw base::Error(
        {path},
        "is no profile with counters of GPU kernels",
        "write it with: ncu --set full, with or without --csv, or rocprofv3 --pmc ... -f csv");
  const bool is_sections = is_counter_sections(text.substr(0, kMostBefore));
  const ValuesByPlace values =
      !is_sections ? read_counter_tables(text, path, report) : read_counter_sections(text, report);
  std::vector<KernelMemory> out;
  for (const auto& [key, value] : values) {
    KernelMemory k = kernel_of(key, value);
    if (is_measured(k))
      out.push_back(std::move(k));
  }
  return out;
}

}  // namespace lento::memory
