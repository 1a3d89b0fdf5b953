// Follows in one pass which threads hold each block: a store makes its thread the only holder, a load adds
// its thread. The smallest reachable p is that of Fisher's exact test when all high latencies are among the
// contended accesses. quiet.h gives the method.
#include "memory/mine/quiet.h"

#include <algorithm>
#include <bit>

#include "memory/mine/contention_patterns.h"
#include "memory/mine/contention_records.h"

namespace lento::memory {
namespace {

constexpr uint64_t kEnough = 10;  // accesses, for a tenth percentile

// The threads that hold a block, one bit for each thread number modulo 64. Threads that share a bit count as
// one.
class Holders {
 public:
  // Returns whether the access had to take the block from another thread.
  bool take(const AccessRecord& r) {
    const uint64_t own = uint64_t{1} << r.actor() % 64;
    const bool any = holders_ != 0;
    const bool taken = any && (r.writes() ? holders_ != own : (holders_ & own) == 0 && written_);
    holders_ = r.writes() ? own : holders_ | own;
    written_ |= r.writes();
    users_ |= own;
    return taken;
  }
  bool is_shared() const {
    return written_ && !std::has_single_bit(users_);
  }

 private:
  uint64_t holders_ = 0;
  uint64_t users_ = 0;
  bool written_ = false;
};

}  // namespace

void find_quiet(const OpenTrace& open, const ContentionOptions& options, Functions& functions, Scan& scan) {
  std::unordered_map<BlockKey, Holders, BlockHash> blocks;
  base::ReadReport again;
  each_record(open, options, functions, again, "accesses compared", [&](const AccessRecord& r) {
    if (r.type == AccessType::Fetch)
      return;
    const BlockKey key = block_of(r);
    if (blocks.size() >= kMostLines && !blocks.contains(key))
      return;
    Holders& holders = blocks[key];
    const bool taken = holders.take(r);
    if (r.latency == AccessRecord::kNoLatency)
      return;
    if (scan.sampled ? holders.is_shared() : taken) {
      ++scan.contended[size_t(r.type)];
      return;
    }
    scan.quiet.add(r.latency);
    scan.quiet_by_type[size_t(r.type)].add(r.latency);
  });
}

bool has_quiet(const Scan& scan, size_t type) {
  return scan.quiet_by_type[type].total() >= kEnough;
}

double least_chance(const Scan& scan, uint64_t high) {
  double most = 0;
  for (size_t t = 0; t < kAccessTypes; ++t) {
    const uint64_t contended = scan.contended[t];
    if (contended < tuning::kLeastMeetings)
      continue;  // too few for a finding
    if (!has_quiet(scan, t))
      return 1;
    const uint64_t its = high > 0 ? std::min(high, contended) : contended;
    most = std::max(most, fisher_tail(its, contended, 0, scan.quiet_by_type[t].total()));
  }
  return most;
}

}  // namespace lento::memory
