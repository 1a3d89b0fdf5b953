// Turns losses of cycles into findings, cause by cause in the order of contention_causes.h. Every finding
// subtracts its cycles from the loss that is not explained yet, so that no cycle appears in two findings.
// Thresholds and their reasons are in tuning.h.
#include <algorithm>

#include "base/units.h"
#include "memory/mine/cause_ledger.h"

namespace lento::memory {
namespace {

using finding::Finding;

class CauseFinder {
 public:
  explicit CauseFinder(CauseLedger& ledger)
      : ledger_(ledger),
        scan_(ledger.passes.scan),
        names_(ledger.names) {
  }

  // Explains the lost cycles by causes, the most certain first. Each cycle is explained once.
  void run() {
    for (size_t l = 0; l < kLosses; ++l)
      ledger_.left[l] = scan_.losses[l];
    add_shared_causes(ledger_);
    add_blocks(Cause::Remote, Loss::Remote, " beyond what the own node's memory takes");
    add_blocks(Cause::Bank, Loss::Bank, " waiting for banks");
    add_blocks(Cause::Translation, Loss::Walk, " walking page tables");
    add_misses();
    add_queues();
    ledger_.out.contended_left = 0;
    for (size_t l = 0; l < kLosses; ++l) {
      if (static_cast<Loss>(l) != Loss::Miss && static_cast<Loss>(l) != Loss::Walk)
        ledger_.out.contended_left += ledger_.left[l];
    }
    const double all = double(std::max<uint64_t>(1, ledger_.out.found_cycles));
    for (Finding& f : ledger_.out.findings)
      f.score = *f.lost_share * ledger_.time / all;
    std::ranges::stable_sort(ledger_.out.findings, [](const Finding& a, const Finding& b) {
      return a.score > b.score;
    });
  }

 private:
  std::string region_of(const Object& o) const {
    const std::string where = hex(o.low) + " to " + hex(o.high);
    return (o.name.empty() ? "memory from " + where : o.name + " (" + where + ")") +
           names_.process(o.process);
  }

  std::vector<BlockKey> taken() const {
    std::vector<BlockKey> blocks = ledger_.taken;
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  }

  // Adds a finding for an object whose cost is known for blocks of 128 bytes.
  void add_block_object(const Object& o, Cause cause, Loss loss, const std::string& why) {
    Finding f = ledger_.start(cause, region_of(o), loss, o.cycles);
    f.summary = std::string(name(cause)) + ": " + percent(*f.lost_share) + " of the working time" + why;
    f.evidence.push_back(
        {"blocks of 128 bytes that cost something", double(o.fetched_lines), "", "access records"});
    f.evidence.push_back(
        {"accesses that the own cache did not serve", double(o.misses), "", "access records"});
    if (o.stride > 0)
      f.evidence.push_back({"distance of the lines", double(o.stride), "bytes", "access records"});
    if (o.stride == 0 && cause == Cause::SetConflict)
      f.evidence.push_back(
          {"of them a multiple of 1024 bytes from the one before", double(o.jumps), "", "access records"});
    ledger_.out.objects.push_back(
        {f.subject, f.category, o.process, o.low, o.high + tuning::kBlockBytes, {}});
    ledger_.out.findings.push_back(std::move(f));
  }

  // Adds findings for a loss that a level of memory itself names.
  void add_blocks(Cause cause, Loss loss, const std::string& why) {
    for (const Object& o : block_objects(scan_, loss, names_, {})) {
      if (!ledger_.matters(o.cycles))
        break;
      add_block_object(o, cause, loss, why);
    }
  }

  // Adds misses that no other CPU causes. Whether misses are many can only be judged where hits were recorded
  // too.
  void add_misses() {
    const bool by_level = scan_.culprits_known || scan_.levels_known;
    const bool hits_seen = by_level ? scan_.trivial > 0 : scan_.trivial * 2 > scan_.events;
    if (!hits_seen) {
      ledger_.out.notes.push_back(
          "no hits in the own cache were recorded: whether misses are many cannot be told");
      return;
    }
    const Loss loss = by_level ? Loss::Miss : Loss::Contended;
    for (const Object& o : block_objects(scan_, loss, names_, taken())) {
      if (!ledger_.matters(o.cycles))
        break;
      const uint64_t wide = tuning::kConflictStride * tuning::kLineSizes[1];
      const bool in_turn = !scan_.sampled && double(o.jumps) >= tuning::kJumps * double(o.misses);
      const bool conflict = (o.stride >= wide || in_turn) && o.fetched_lines > 2;
      if (!conflict && double(o.cycles) < tuning::kMissLoss * ledger_.time)
        continue;
      const double per_line = double(o.misses) * std::max(1.0, ledger_.options.period) /
                              double(std::max<uint64_t>(1, lines_in(o) * o.makers));
      if (per_line < tuning::kRefetched)
        continue;  // each line came once: nothing was lost from a cache
      if (!conflict && footprint(o) < tuning::kLeastFootprint)
        continue;
      if (miss_ratio(o) < tuning::kMissRatio)
        continue;
      add_block_object(
          o,
          conflict ? Cause::SetConflict : Cause::Capacity,
          loss,
          conflict ? " on lines of one set" : " fetching what the cache had lost");
    }
  }

  // Returns the number of lines of an object. Samples hit few of them, so in a sampled trace all lines
  // between its ends count, at its stride.
  uint64_t lines_in(const Object& o) const {
    if (!scan_.sampled)
      return o.fetched_lines;
    const uint64_t step = std::max<uint64_t>(o.stride, tuning::kBlockBytes);
    return std::max(o.fetched_lines, (o.high - o.low) / step + 1);
  }

  // Returns the share of the accesses between the object's first and last byte that miss.
  double miss_ratio(const Object& o) const {
    uint64_t all = 0;
    uint64_t missed = 0;
    for (const AccessSample::Kept& k : scan_.sample.kept()) {
      const bool inside = k.address >= o.low && k.address < o.high + tuning::kBlockBytes;
      if (!inside || (k.process != o.process && o.process != 0))
        continue;
      ++all;
      missed += k.missed;
    }
    if (all == 0)
      return 0;
    return double(missed) / double(all);
  }

  // Returns the bytes that an object's misses lie in. Samples hit few of its lines, and their whole span
  // counts.
  uint64_t footprint(const Object& o) const {
    if (scan_.sampled)
      return o.high - o.low;
    return o.fetched_lines * tuning::kBlockBytes;
  }

  // Adds findings for cycles spent waiting in queues of memory or interconnect.
  void add_queues() {
    add_fetches();
    if (scan_.culprits_known)
      return add_interconnect();
    if (!scan_.levels_known || working_cpus() < 2 || !is_loaded())
      return;
    std::vector<Object> objects = block_objects(scan_, Loss::Queue, names_, {});
    uint64_t all = 0;
    for (const Object& o : objects)
      all += o.cycles;
    if (!ledger_.matters(all))
      return;
    const std::string most = objects.empty() ? "" : ", most of it " + region_of(objects.front());
    Finding f = ledger_.start(Cause::Bandwidth, "memory bandwidth" + most, Loss::Queue, all);
    f.summary = "saturation: " + percent(*f.lost_share) + " of the working time in queues in front of memory";
    const auto& memory = scan_.by_service[size_t(memory::Service::LocalMemory)];
    f.evidence.push_back(
        {"median latency of local memory",
         memory.quantile(0.5, QuantileRule::NearestRank),
         "cycles",
         "data source of the samples"});
    f.evidence.push_back(
        {"its tenth percentile",
         memory.quantile(0.1, QuantileRule::NearestRank),
         "cycles",
         "data source of the samples"});
    add_largest(objects, f);
    ledger_.out.findings.push_back(std::move(f));
  }

  void add_largest(const std::vector<Object>& objects, Finding& f) const {
    constexpr size_t kShown = 8;
    for (size_t i = 0; i < std::min(kShown, objects.size()); ++i)
      f.evidence.push_back({region_of(objects[i]), double(objects[i].cycles), "cycles", "access records"});
  }

  // Returns the number of working CPUs, which make at least the share tuning::kWorkingShare of the busiest
  // CPU's accesses.
  size_t working_cpus() const {
    uint64_t most = 0;
    for (const auto& [cpu, time] : scan_.cpus)
      most = std::max(most, time.accesses);
    size_t n = 0;
    for (const auto& [cpu, time] : scan_.cpus)
      n += double(time.accesses) >= tuning::kWorkingShare * double(most);
    return n;
  }

  // Returns whether memory latency is raised by load: the median is well above the lowest tenth.
  bool is_loaded() const {
    const auto median = [&](Service s, double q) {
      return scan_.by_service[size_t(s)].quantile(q, QuantileRule::NearestRank);
    };
    const double loaded = median(memory::Service::LocalMemory, 0.5);
    const double alone = median(memory::Service::LocalMemory, 0.1);
    const double cache = median(memory::Service::L3, 0.1);
    if (alone > 0 && loaded >= tuning::kLoaded * alone)
      return true;
    return cache > 0 && loaded >= tuning::kLoadedOverCache * cache;
  }

  // Adds a finding when instruction fetches cause most of the cost.
  void add_fetches() {
    const uint64_t fetches = scan_.excess_by_type[size_t(memory::AccessType::Fetch)];
    const uint64_t cost = std::min(fetches, ledger_.left[size_t(Loss::Contended)]);
    if (fetches * 2 <= scan_.excess || !ledger_.matters(cost) || !scan_.culprits_known)
      return;
    Finding f = ledger_.start(Cause::Fetch, "instruction fetches", Loss::Contended, cost);
    f.summary = "fetch conflict: " + percent(*f.lost_share) + " of the working time";
    ledger_.out.findings.push_back(std::move(f));
  }

  // Adds a finding for cycles spent waiting for the interconnect and write buffers.
  void add_interconnect() {
    const auto cycles = [&](DelayCause c) {
      return scan_.cycles_by_cause[size_t(c)];
    };
    const uint64_t waits = cycles(memory::DelayCause::Interconnect) + cycles(memory::DelayCause::WriteBuffer);
    const uint64_t cost = std::min(waits, ledger_.left[size_t(Loss::Contended)]);
    if (!ledger_.matters(cost))
      return;
    Finding f = ledger_.start(Cause::Bandwidth, "memory interconnect", Loss::Contended, cost);
    f.summary = "saturation: " + percent(*f.lost_share) + " of the working time waiting for the interconnect";
    std::vector<Object> objects = block_objects(scan_, Loss::Contended, names_, taken());
    add_largest(objects, f);
    ledger_.out.findings.push_back(std::move(f));
  }

  CauseLedger& ledger_;
  const Scan& scan_;
  const ContentionNames& names_;
};

}  // namespace

finding::Finding CauseLedger::start(Cause cause, std::string subject, Loss loss, uint64_t cycles) {
  uint64_t& rest = left[size_t(loss)];
  cycles = std::min(cycles, rest);
  rest -= cycles;
  out.found_cycles += cycles;
  Finding f;
  f.subject = std::move(subject);
  f.category = name(cause);
  f.lost_share = std::min(1.0, double(cycles) / time);
  f.evidence.push_back({"cycles lost", double(cycles), "cycles", "access records"});
  f.next_step = next_step(cause);
  return f;
}

Causes find_causes(
    const PassResults& passes,
    const ContentionNames& names,
    const ContentionOptions& options,
    double time) {
  CauseLedger ledger{passes, names, options, time};
  CauseFinder(ledger).run();
  return std::move(ledger.out);
}

}  // namespace lento::memory
