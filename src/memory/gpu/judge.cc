// Judges kernels one by one. A request that the best layout would not need is excess. Where the profile
// states how busy the units are, these shares bound the gain of removing the excess, and a finding needs an
// interval above 1. A trace of accesses allows a finding by the excess alone, in requests and not in time. A
// source page counts instructions too, whose issue rate bounds the gain (source_page.h). The load of the
// fullest channel is compared with the mean load, because the fullest channel ends last.
#include "memory/gpu/judge.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/file.h"
#include "base/units.h"
#include "finding/inputs.h"
#include "memory/gpu/bottleneck.h"
#include "memory/gpu/fixes.h"
#include "memory/gpu/kernel_memory.h"
#include "memory/gpu/source_page.h"

namespace lento::memory {
namespace {

using base::format_number;
using base::percent;
using finding::Diagnosis;
using finding::Finding;

// The least ratio of requests to needed requests that counts as bank conflicts. In healthy kernels the
// counters of conflicts exceed the need by a few per cent, because they include units that share the pipe.
constexpr double kConflicts = 1.15;
// The least ratio of sectors to needed sectors that counts as uncoalesced. Rows that do not start at a
// sector boundary need 9 sectors instead of 8.
constexpr double kUncoalesced = 1.5;
// The least ratio of the fullest channel's load to the mean load that counts as imbalance. Where addresses
// are hashed over the channels, loads differ by a few per cent, but by more in kernels with few requests.
constexpr double kImbalance = 1.4;
constexpr double kLeastLoad = 1000;  // requests of the mean channel
constexpr double kLeastPieces = 64;  // requests of a trace, over all channels
// The least speed-up that is worth a change of the program.
constexpr double kLeastGain = 1.02;
constexpr double kSure = 0.9;  // score of the smallest certain gain
constexpr const char* kUncoalescedName = "uncoalesced access";
constexpr const char* kPadRows =
    "pad the rows of the shared array by one element ([32][33]), or exchange its columns (column xor row), "
    "so "
    "that the lanes of a warp fall into different banks";

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
    for (const KernelMemory& k : kernels_) {
      all_time_ += k.nanoseconds;
      work_[k.kernel].add(k);
      add_line(k, true);
      add_line(k, false);
    }
    for (const KernelMemory& k : kernels_) {
      judge_shared(k);
      judge_global(k);
      judge_channels(k, k.slices, true);
      judge_channels(k, k.memory, false);
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

  // The lines of a kernel that ask for more than the data needs, of shared or global memory.
  struct Lines {
    const KernelMemory* worst = nullptr;
    std::vector<const KernelMemory*> all;
  };

  void add_line(const KernelMemory& k, bool is_shared) {
    const auto excess = [is_shared](const KernelMemory& line) {
      return (is_shared ? line.shared : line.global).excess();
    };
    if (k.line.empty() || excess(k) <= 0)
      return;
    Lines& lines = lines_[{k.kernel, is_shared}];
    lines.all.push_back(&k);
    if (lines.worst == nullptr || excess(k) > excess(*lines.worst))
      lines.worst = &k;
  }

  // Returns whether another line of the kernel has a larger excess. The finding of the worst line covers all.
  bool is_named_by_another(const KernelMemory& k, bool is_shared) const {
    const auto at = lines_.find({k.kernel, is_shared});
    return at != lines_.end() && at->second.worst != &k;
  }

  // Adds the other lines of the kernel to the finding of the worst.
  void add_others(const KernelMemory& k, bool is_shared, Finding& f) const {
    constexpr size_t kShown = 4;
    const auto at = lines_.find({k.kernel, is_shared});
    if (at == lines_.end() || at->second.all.size() < 2)
      return;
    std::string names;
    size_t shown = 0;
    for (const KernelMemory* other : at->second.all) {
      if (other != &k && shown++ < kShown)
        names += (names.empty() ? "" : ", ") + other->line;
    }
    f.evidence.push_back(
        {"other places of this kernel with the same fault, among them " + names,
         double(at->second.all.size() - 1),
         "",
         "counters or accesses"});
  }

  // Returns the largest speed-up from removing the excess when no busy shares are known: the ratio of
  // requests, bounded by the issue time where instructions are counted.
  double degree_by_requests(const KernelMemory& k, bool is_shared) const {
    const double degree = (is_shared ? k.shared : k.global).degree();
    const PageWork& work = work_.at(k.kernel);
    return work.counts_instructions() ? std::min(degree, work.most_gain(is_shared)) : degree;
  }

  // Returns the share of all kernels' time that this one takes, 1 where times are not known.
  double weight(const KernelMemory& k) const {
    return all_time_ > 0 && k.nanoseconds > 0 ? k.nanoseconds / all_time_ : 1;
  }

  // Adds a finding of a kernel whose speed-up is bounded on both sides by the shares of time in which its
  // units are busy.
  Finding& add_bounded(const KernelMemory& k, const std::string& category, const SpeedUp& gain) {
    Finding& f = add(k, category, gain.middle());
    // An interval above 1 is sure. Such findings are ordered by their loss of the time of all kernels.
    const double lost = (1 - 1 / gain.middle()) * weight(k);
    f.score = kSure + (1 - kSure) * std::clamp(lost, 0.0, 1.0);
    if (all_time_ > 0)
      f.lost_share = std::clamp(lost, 0.0, 1.0);
    f.factor_of = "slower than without (" + interval(gain) + ")";
    f.evidence.push_back(
        {"predicted speed-up of the kernel at least", gain.low, "x", "busy shares of the units"});
    f.evidence.push_back(
        {"predicted speed-up of the kernel at most", gain.high, "x", "busy shares of the units"});
    const std::string missing = missing_counters(k, category == kUncoalescedName);
    if (!missing.empty())
      f.evidence.push_back(
          {"a narrower interval needs ncu " + missing, {}, "", "counters that are not in the profile"});
    return f;
  }

  // Adds a finding by the requests alone: the profile does not state what part of the time they take.
  Finding& add_by_requests(const KernelMemory& k, const std::string& category, double degree) {
    Finding& f = add(k, category, degree);
    f.factor_of = "slower than in the best layout, at most";
    f.evidence.push_back(
        {"predicted speed-up of the kernel at most; none where other work hides the requests",
         degree,
         "x",
         "requests beyond the best layout"});
    return f;
  }

  Finding& add(const KernelMemory& k, const std::string& category, double factor) {
    Finding f;
    f.subject = subject(k);
    f.category = category;
    f.factor = factor;
    f.score = std::min(1.0, (1 - 1 / std::max(1.0, factor)) * weight(k));
    d_.findings.push_back(std::move(f));
    return d_.findings.back();
  }

  static std::string interval(const SpeedUp& gain) {
    return format_number(gain.low, 3) + " to " + format_number(gain.high, 3) + " times";
  }

  // Adds and returns a finding when the lower bound of the fix's speed-up reaches kLeastGain. Otherwise
  // returns null, and adds a note when the upper bound reaches it.
  Finding* bounded(const KernelMemory& k, const std::string& category, const std::vector<BusyUnit>& units) {
    if (relief(units) < 1 - 1 / kLeastGain)
      return nullptr;
    const SpeedUp gain = speed_up(units, k.busy.waiting, has_all_shares(k.busy));
    if (gain.low >= kLeastGain)
      return &add_bounded(k, category, gain);
    const auto busiest = std::ranges::max_element(units, {}, &BusyUnit::busy);
    // The fix may relieve the busiest unit, or a unit is not measured. The true gain is then unknown, so the
    // outcome cannot be "healthy".
    undecided_ += !has_all_shares(k.busy) || busiest->busy > kLeastGain * busiest->fewest;
    if (gain.high >= kLeastGain)
      note(k, category, *busiest, gain);
    return nullptr;
  }

  // Adds a finding when bank conflicts of shared memory cost enough.
  void judge_shared(const KernelMemory& k) {
    if (k.shared.served > 0 || k.conflict_time >= 0 || k.has_rules)
      ++seen_;
    if (k.conflict_time >= 0 && k.shared.served == 0)
      return judge_stated(k);
    if (k.shared.excess() == 0 || is_named_by_another(k, true))
      return;
    const double degree = k.shared.degree();
    const double most = degree_by_requests(k, true);
    const std::string category = "bank conflicts";
    Finding* f = nullptr;
    const std::vector<BusyUnit> units = without_conflicts(k);
    if (!units.empty())
      f = bounded(k, category, units);
    else if (most >= kConflicts)
      f = &add_by_requests(k, category, most);
    if (f == nullptr)
      return;
    f->summary = "bank conflicts: " + format_number(degree, 3) + " wavefronts for each that the data needs";
    f->evidence.push_back(
        {"wavefronts of shared memory beyond the least", k.shared.excess(), "", "counters or accesses"});
    add_others(k, true, *f);
    f->next_step = k.layout.empty() ? kPadRows : k.layout;
    if (!k.layout.empty())
      f->evidence.push_back(
          {"wavefronts with that layout, of " + format_number(k.shared.served, 6),
           k.relaid,
           "",
           "accesses moved"});
  }

  // Adds a finding when the profiler itself states a share of the time that conflicts take.
  void judge_stated(const KernelMemory& k) {
    const double gain = 1 / (1 - std::min(0.99, k.conflict_time));
    if (gain < kLeastGain)
      return;
    Finding& f = add_by_requests(k, "bank conflicts", gain);
    f.summary = "bank conflicts: " + percent(k.conflict_time) + " of the time";
    f.next_step = kPadRows;
  }

  // Adds a finding when accesses of global memory are not coalesced.
  void judge_global(const KernelMemory& k) {
    if ((k.global.served > 0 && !k.ambiguous) || k.has_rules)
      ++seen_;
    const double degree = k.global.degree();
    if (k.used < 1 / kUncoalesced)
      d_.notes.push_back(
          subject(k) + ": loads or stores use " + percent(k.used) +
          " of their sectors, and how many there are is not known: record "
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum and "
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
          ++undecided_;
    if (k.ambiguous && degree < kUncoalesced) {
      d_.notes.push_back(
          subject(k) +
          ": more sectors a request than 4-byte loads need, and the width of the loads is not known: record "
          "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio");
      ++undecided_;
      return;
    }
    if (k.global.excess() == 0 || is_named_by_another(k, false))
      return;
    const std::string category = kUncoalescedName;
    const double most = degree_by_requests(k, false);
    const std::vector<BusyUnit> units = when_coalesced(k);
    Finding* f = nullptr;
    if (!units.empty())
      f = bounded(k, category, units);
    else if (most >= kUncoalesced && work_.at(k.kernel).may_share_sectors(kUncoalesced))
      note_shared_sectors(k);
    else if (most >= kUncoalesced)
      f = &add_by_requests(k, category, most);
    if (f == nullptr)
      return;
    f->summary = std::string("uncoalesced access: ") + format_number(degree, 3) + " times the " +
                 (k.is_amd ? "accesses" : "sectors") + " that the data needs";
    f->evidence.push_back({"requests beyond the least", k.global.excess(), "", "counters or accesses"});
    add_others(k, false, *f);
    f->next_step =
        "let neighbouring lanes use neighbouring elements: exchange the loops or the dimensions of the "
        "array, make "
        "an array for each member of a struct, or go through a tile in shared memory";
  }

  // Notes that the first cache may absorb the excess, which a source page does not show.
  void note_shared_sectors(const KernelMemory& k) {
    d_.notes.push_back(
        subject(k) + ": " + format_number(k.global.degree(), 3) +
        " times the sectors that the data needs, and neighbouring instructions may find theirs in the first "
        "cache: record ncu --set full");
    ++undecided_;
  }

  // Adds a finding when one slice or channel carries much more than the mean and bounds the kernel.
  void judge_channels(const KernelMemory& k, const Channels& c, bool is_slices) {
    if (c.mean <= 0)
      return;
    ++seen_;
    const bool is_many = c.count == 0 || c.mean >= kLeastLoad || k.busy.cycles == 0;
    // A few requests never fill all channels alike, so one less of the fullest must still be too many.
    const bool is_sure = c.most - 1 >= kImbalance * c.mean;
    if (!is_sure || !is_many || (c.count > 0 && c.mean * double(c.count) < kLeastPieces))
      return;
    const std::string category = !is_slices ? "HBM channel imbalance"
                                 : k.is_amd ? "L2 channel imbalance"
                                            : "L2 slice imbalance";
    const bool knows = (is_slices ? std::max(k.busy.l2, k.busy.fullest_slice) : k.busy.memory) >= 0;
    Finding* f = nullptr;
    if (knows)
      f = bounded(k, category, when_even(k, is_slices, c.imbalance()));
    else if (!k.busy.any())
      f = &add_by_requests(k, category, c.imbalance());
    else
      d_.notes.push_back(
          subject(k) + ": " + category + " of " + format_number(c.imbalance(), 3) +
          ", and how busy the unit is was not recorded: ncu " + missing_counters(k, false)),
          ++undecided_;
    if (f == nullptr)
      return;
    f->summary = category + ": the fullest of the " +
                 (is_slices ? "slices of the second cache" : "channels of the memory") + " has " +
                 format_number(c.imbalance(), 3) + " times the mean";
    f->evidence.push_back({"load of the fullest", c.most, "", "counters or accesses"});
    f->evidence.push_back({"load of the mean", c.mean, "", "counters or accesses"});
    f->next_step =
        "change the stride that the blocks of the kernel have in common: pad the leading dimension by a line "
        "or "
        "two (not a power of two), or give the blocks another order";
  }

  // Notes a conflict that is not certain to cost time, with the unit that bounds the kernel.
  void note(const KernelMemory& k, const std::string& what, const BusyUnit& busiest, const SpeedUp& gain) {
    const std::string missing = missing_counters(k, what == kUncoalescedName);
    if (without_cost_.empty())
      without_cost_ = what + " in " + subject(k) + " (" + interval(gain) + " as fast without)";
    d_.notes.push_back(
        subject(k) + ": " + what + " without a certain cost: the kernel would be " + interval(gain) +
        " as fast without, and its busiest unit is " + busiest.name + " (" + percent(busiest.busy) + ")" +
        (missing.empty() ? "" : "; record ncu " + missing));
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
    if (found.empty() && undecided_ > 0)
      return finding::cannot_judge(
          d_,
          "requests beyond the least are there, and the counters do not show whether they cost time",
          "record what the notes name, or all: ncu --set full",
          covered);
    const std::string none =
        without_cost_.empty()
            ? "No memory conflict: banks, sectors and channels are used evenly, as far as measured."
            : "No memory conflict is certain to cost time; there are " + without_cost_ + ".";
    d_.verdict = found.empty() ? none
                               : found.front().category + " in " + found.front().subject +
                                     " leads: " + finding::factor_text(found.front()) + ".";
    finding::judged(d_, covered);
  }

  std::vector<KernelMemory> kernels_;
  std::map<std::pair<std::string, bool>, Lines> lines_;  // of a kernel; true: of shared memory
  std::map<std::string, PageWork> work_;                 // by kernel
  double all_time_ = 0;
  size_t seen_ = 0;
  std::string without_cost_;  // the first conflict that is not certain to cost time
  size_t undecided_ = 0;      // pairs of kernel and cause whose cost is not known
  Diagnosis d_;
};

}  // namespace

Diagnosis diagnose_gpu_memory(const std::string& path, bool strict) {
  return Judge(path, strict).run();
}

}  // namespace lento::memory
