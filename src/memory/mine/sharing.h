// Judges why a line is hot from the accesses of its threads to its bytes.
//
// Two accesses of different threads conflict when one of them writes. Conflicting accesses that touch a
// common byte share data. Those that do not share only the line, and padding would end the conflict. With
// n(r, t) the accesses of thread t to byte range r, the shares of all conflicting pairs are exact sums over
// the pairs of ranges, and do not depend on sampling: a sampler that keeps one access in N keeps one pair in
// N^2, of both kinds alike. Where every access is recorded, the loads of a loop that waits for a value count
// once for each time that the line was taken away.
//
// Data that is handed from thread to thread has such pairs too, where the last word of one thread and the
// first of the next are neighbours. False sharing is therefore concluded only when padding removes at least
// half of the pairs: when each word is laid out next to the others of its main user, at most half of the
// pairs may remain.
//
// A queue or a buffer exists to hand data over. Its words are stored by one thread and loaded by another, and
// each value moves to one reader. With w and r as the stores and loads of two threads to a word, they have w
// r' + r w' + w w' conflicting pairs, and |w r' - r w'| of them go one way. Where that is most of them, and
// readers had to fetch no more often than writers stored, the line is handed on. Threads that update a word
// load as often as they store, and have no pairs that go one way. A line of one such word is a signal, and an
// object of one such line a record that one thread publishes, which threads may well contend for.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/mine/cpu_set.h"
#include "memory/mine/scan_state.h"
#include "memory/read/access_record.h"

namespace lento::memory {

// The accesses of one thread (or CPU, where threads are unknown) to one byte range of a block.
struct Use {
  uint32_t offset = 0;  // from the start of the block, later of the line
  uint32_t size = 1;    // bytes; 1 where the trace does not state it
  uint32_t actor = 0;
  uint16_t cpu = 0;  // where it last ran
  uint8_t node = memory::AccessRecord::kNoNode;
  bool several_pcs = false;
  // Numbers of accesses. paired: load-linked and store-conditional.
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t atomics = 0;
  uint64_t paired = 0;
  uint64_t updates = 0;   // atomics that add or set bits
  uint64_t downs = 0;     // of them, those that subtract
  uint64_t compares = 0;  // compare-and-swaps
  uint64_t guarded = 0;   // made under a lock that threads pass on
  uint64_t polls = 0;     // reads that repeat the last access and found the line still there
  // Accesses that another cache answered.
  uint64_t peers = 0;
  uint64_t remote_peers = 0;
  // excess and latency are in cycles. high and slow are numbers of accesses: of those whose latency reaches
  // the threshold, and of those with an excess.
  uint64_t excess = 0;
  uint64_t high = 0;
  uint64_t slow = 0;
  uint64_t latency = 0;
  // The costliest access.
  uint64_t pc = 0;
  uint64_t pc_excess = 0;
  uint64_t accesses() const {
    return reads + writes;
  }
  uint64_t looks() const {
    return reads - polls;
  }
};

// A block that lost many cycles, with its uses by byte range.
struct HotBlock {
  BlockKey key;
  uint64_t excess = 0;
  std::unordered_map<uint64_t, Use> uses;       // by actor, offset and size
  std::unordered_map<uint32_t, uint64_t> last;  // by actor: key of its last access

  static uint64_t use_key(uint32_t actor, uint32_t offset, uint32_t size) {
    return uint64_t{actor} << 16 | offset << 8 | size;
  }
};

enum class Cause : uint8_t {
  None,
  FalseSharing,
  TrueSharing,
  Lock,
  Bank,
  SetConflict,
  Capacity,
  Remote,
  Bandwidth,
  Fetch,
  Translation,
  HandOver,  // no contention: data moves from its producer to its consumer
};
// Returns "false sharing", "true sharing", "lock", "bank or set conflict", "set conflict", "capacity",
// "remote memory", "saturation", "fetch conflict", "address translation" or "hand-over", and "" for None.
const char* name(Cause cause);

// Returns the advice for a cause.
std::string next_step(Cause cause);

// One line of a given size.
struct Line {
  uint64_t address = 0;  // of its first byte
  uint16_t process = 0;
  std::vector<Use> uses;  // offsets from the line's first byte; by offset, size, actor
  Cause cause = Cause::None;
  uint64_t excess = 0;
  uint64_t accesses = 0;
  uint64_t high = 0;
  uint64_t slow = 0;
  uint64_t writes = 0;
  uint64_t atomics = 0;
  uint64_t guarded = 0;
  uint64_t peers = 0;
  uint64_t remote_peers = 0;
  double overlap = 0;    // share of conflicting pairs that touch a common byte
  double conflicts = 0;  // number of conflicting pairs
  double kept = 0;       // share of them that remains when words are laid out by main user
  double one_way = 0;    // share of the pairs within words that go from writer to reader
  size_t moved = 0;      // number of 8-byte words whose pairs mostly go that way
  size_t actors = 0;
  size_t users = 0;  // actors without those that only touch it, as the one that sets it up does
  size_t writers = 0;
  CpuSet cpus;  // of the users
};

// Returns the used lines of a block, with their causes. `line_bytes` must divide kBlockBytes. `all` means
// that the trace has every access, so that a line for which is_taken_once() holds is a hand-over and not
// contended.
std::vector<Line> lines_of(const HotBlock& block, uint32_t line_bytes, bool all = false);

// Computes the sums and the cause of a line whose uses are filled in.
void judge(Line& line);

// Returns whether the line was handed over once: only one thread was delayed on it, and by at most two
// accesses, its first load and its first store.
bool is_taken_once(const Line& line);

// Returns whether most accesses are made under a lock that threads pass on. The words then move together,
// whatever lines they are in.
bool is_guarded(const Line& line);

// The accesses to words that several threads take with atomics, which are lock words, and what they cost:
// computed with the classes of words, in word_use.cc.
struct LockUse {
  uint64_t accesses = 0;
  uint64_t excess = 0;
};
LockUse lock_use(const Line& line);

}  // namespace lento::memory
