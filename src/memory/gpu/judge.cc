// Judges kernels one by one. A request that the best layout would not need is excess, and a finding needs
// both a notable excess and a time that could be gained: of all cycles where they are known, else of the
// requests themselves, which is an upper bound. Loads of channels are compared with their mean, since the
// fullest one ends last.
#include "memory/gpu/judge.h"

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/units.h"
#include "finding/inputs.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {
namespace {

using base::format_number;
using base::percent;
using finding::Diagnosis;
using finding::Finding;

// Counters of conflicts include those of units that share the pipe, a few in a hundred of healthy kernels.
constexpr double kConflicts = 1.15;
// Rows that do not start at a sector cost one sector in eight more.
constexpr double kUncoalesced = 1.5;
// Hashed addresses load channels within a few in a hundred of one another. Kernels with few requests do not.
constexpr double kImbalance = 1.4;
constexpr double kLeastLoad = 1000;  // requests of the mean channel
constexpr double kLeastPieces = 64;  // of traces, over all channels
// Gains below are not worth a change.
constexpr double kLeastGain = 1.02;
// A memory that is used less than this does not bound the kernel.
constexpr double kBusy = 0.3;

class Judge {
 public:
  Judge(const std::string& path, bool strict) {
    constexpr uint64_t kMost = uint64_t{256} << 20;
    base::InputStream in(path);
    const std::string text = base::read_all(in, kMost);
    base::ReadReport read;
    read.strict = strict;
    kernels_ =
        is_gpu_counters(text) ? read_gpu_counters(text, path, read) : read_gpu_accesses(text, path, read);
    finding::add_read_report(d_, read);
    d_.inputs.push_back(finding::input_of("counters", path));
  }

  // Judges shared memory, global memory and channels of each kernel, and concludes.
  Diagnosis run() {
    d_.scale = "memory";
    d_.title = "Memory of GPU kernels";
    for (const KernelMemory& k : kernels_)
      all_time_ += k.nanoseconds;
    for (const KernelMemory& k : kernels_) {
      judge_shared(k);
      judge_global(k);
      judge_channels(
          k,
          k.slices,
          "slices of the second cache",
          k.is_amd ? "L2 channel imbalance" : "L2 slice imbalance");
      judge_channels(k, k.memory, "channels of the memory", "HBM channel imbalance");
    }
    finding::sort_findings(d_.findings);
    add_table();
    conclude();
    return std::move(d_);
  }

 private:
  static std::string subject(const KernelMemory& k) {
    return k.line.empty() ? k.kernel : k.kernel + " at " + k.line;
  }

  // The share of all kernels' time that this one takes, 1 where times are not known.
  double weight(const KernelMemory& k) const {
    return all_time_ > 0 && k.nanoseconds > 0 ? k.nanoseconds / all_time_ : 1;
  }

  // Adds a finding whose excess is gone after the fix, at most `gain` times as fast.
  Finding& add(const KernelMemory& k, const std::string& category, double low, double high) {
    Finding f;
    f.subject = subject(k);
    f.category = category;
    f.factor = high;
    f.factor_of = "slower than in the best layout, at most";
    f.score = std::min(1.0, (1 - 1 / std::max(1.0, high)) * weight(k));
    f.evidence.push_back(
        {low < high ? "predicted speed-up of the kernel at most; " + format_number(low, 3) +
                          " times where other work hides the requests"
                    : std::string("predicted speed-up of the kernel"),
         high,
         "x",
         "requests beyond the best layout"});
    d_.findings.push_back(std::move(f));
    return d_.findings.back();
  }

  // Adds a finding when bank conflicts of shared memory cost enough.
  void judge_shared(const KernelMemory& k) {
    if (k.shared.served > 0 || k.conflict_time >= 0)
      ++seen_;
    const bool stated = k.conflict_time >= 0;
    const double degree = k.shared.degree();
    if (k.shared.served > 0 && degree < kConflicts)
      return;
    if (k.shared.served == 0 && !stated)
      return;
    double gain = degree;
    if (stated)
      gain = 1 / (1 - std::min(0.99, k.conflict_time));
    else if (k.cycles > 0)
      gain = 1 / (1 - std::min(0.97, k.shared.excess() / k.cycles));
    if (gain < kLeastGain)
      return note(k, "bank conflicts", gain);
    Finding& f = add(k, "bank conflicts", 1, gain);
    f.summary = "bank conflicts: " + (k.shared.served > 0 ? format_number(degree, 3) +
                                                                " wavefronts for each that the "
                                                                "data needs"
                                                          : percent(k.conflict_time) + " of the time");
    if (k.shared.served > 0)
      f.evidence.push_back(
          {"wavefronts of shared memory beyond the least", k.shared.excess(), "", "counters or accesses"});
    f.next_step = k.layout.empty()
                      ? "pad the rows of the shared array by one element ([32][33]), or exchange its "
                        "columns (column xor row), so that the lanes of a warp fall into different banks"
                      : k.layout;
    if (!k.layout.empty())
      f.evidence.push_back(
          {"wavefronts with that layout, of " + format_number(k.shared.served, 6),
           k.relaid,
           "",
           "accesses moved"});
  }

  // Adds a finding when accesses of global memory are not coalesced.
  void judge_global(const KernelMemory& k) {
    if (k.global.served > 0 && !k.ambiguous)
      ++seen_;
    const double degree = k.global.degree();
    if (k.ambiguous && degree < kUncoalesced) {
      d_.notes.push_back(
          subject(k) +
          ": more sectors a request than 4-byte loads need, and the width of the loads is not known: record "
          "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio");
      return;
    }
    if (degree < kUncoalesced)
      return;
    if (k.memory_busy >= 0 && k.memory_busy < kBusy)
      return note(k, "uncoalesced accesses", 1);
    Finding& f = add(k, "uncoalesced access", 1, degree);
    f.summary = std::string("uncoalesced access: ") + format_number(degree, 3) + " times the " +
                (k.is_amd ? "accesses" : "sectors") + " that the data needs";
    f.evidence.push_back({"requests beyond the least", k.global.excess(), "", "counters or accesses"});
    f.next_step =
        "let neighbouring lanes use neighbouring elements: exchange the loops or the dimensions of the "
        "array, make "
        "an array for each member of a struct, or go through a tile in shared memory";
  }

  // Adds a finding when one channel carries much more than the mean.
  void judge_channels(
      const KernelMemory& k,
      const Channels& c,
      const std::string& what,
      const std::string& category) {
    if (c.mean <= 0)
      return;
    ++seen_;
    const bool by_sum = c.count == 0 || c.mean >= kLeastLoad || k.cycles == 0;
    // A few requests never fill all channels alike, so one less of the fullest must still be too many.
    const bool is_sure = c.most - 1 >= kImbalance * c.mean;
    if (!is_sure || !by_sum || (c.count > 0 && c.mean * double(c.count) < kLeastPieces))
      return;
    const double busy = k.memory_busy >= 0 ? std::min(1.0, k.memory_busy * c.imbalance()) : 1;
    if (busy < kBusy)
      return note(k, category, 1);
    Finding& f = add(k, category, 1, c.imbalance());
    f.summary = category + ": the fullest of the " + what + " has " + format_number(c.imbalance(), 3) +
                " times the mean";
    f.evidence.push_back({"load of the fullest", c.most, "", "counters or accesses"});
    f.evidence.push_back({"load of the mean", c.mean, "", "counters or accesses"});
    f.next_step =
        "change the stride that the blocks of the kernel have in common: pad the leading dimension by a line "
        "or "
        "two (not a power of two), or give the blocks another order";
  }

  void note(const KernelMemory& k, const std::string& what, double gain) {
    d_.notes.push_back(
        subject(k) + ": " + what + " are there, and ending them would gain " + format_number(gain, 3) +
        " times at most");
  }

  void add_table() {
    finding::TableFigure table;
    table.columns = {
        "kernel",
        "line",
        "launches",
        "shared wavefronts",
        "least",
        "global requests",
        "least",
        "fullest slice",
        "fullest channel"};
    constexpr size_t kRows = 400;
    for (const KernelMemory& k : kernels_) {
      if (table.rows.size() >= kRows)
        break;
      const auto load = [](const Channels& c) {
        return c.mean > 0 ? format_number(c.imbalance(), 3) + " x" : "";
      };
      table.rows.push_back(
          {k.kernel,
           k.line,
           std::to_string(k.launches),
           format_number(k.shared.served, 6),
           format_number(k.shared.ideal, 6),
           format_number(k.global.served, 6),
           format_number(k.global.ideal, 6),
           load(k.slices),
           load(k.memory)});
    }
    d_.figures.push_back(
        {"Kernels", "Requests served, and those that the data needs in the best layout.", table});
  }

  // Writes the verdict, or why the profile allows none.
  void conclude() {
    const std::string covered = std::to_string(kernels_.size()) + " kernels or lines, " +
                                std::to_string(seen_) + " measurements of shared memory, sectors or channels";
    if (seen_ == 0)
      return finding::cannot_judge(
          d_,
          "no counter shows bank conflicts, sectors or channels",
          "record them: ncu --csv --page raw --section MemoryWorkloadAnalysis_Tables --section "
          "SourceCounters, or "
          "rocprofv3 --pmc SQ_LDS_BANK_CONFLICT SQ_LDS_IDX_ACTIVE TA_TOTAL_WAVEFRONTS_sum "
          "TCP_TOTAL_ACCESSES_sum TCC_REQ",
          covered);
    const auto& found = d_.findings;
    d_.verdict = found.empty()
                     ? "No memory conflict: banks, sectors and channels are used evenly, as far as measured."
                     : found.front().category + " in " + found.front().subject + " leads; up to " +
                           format_number(*found.front().factor, 3) + " times as fast without.";
    finding::judged(d_, covered);
  }

  std::vector<KernelMemory> kernels_;
  double all_time_ = 0;
  size_t seen_ = 0;
  Diagnosis d_;
};

}  // namespace

Diagnosis diagnose_gpu_memory(const std::string& path, bool strict) {
  return Judge(path, strict).run();
}

}  // namespace lento::memory
