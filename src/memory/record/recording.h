// A recording of liblento_record (record_format.h), and its replay in virtual time.
//
// On few cores the threads of a program take turns, and wall-clock order shows none of the contention that
// many cores would bring. The replay gives every thread a core of its own and starts them together, bound
// only by recorded synchronisation: a thread starts when it was created, a join waits for its end, a lock has
// one holder, and each second of bursts begins for all threads at once. Assumptions: each recorded access
// takes 4 cycles with the work around it, a line that another core modified or must give up takes 60 cycles
// more, one at a time, and lines that have left the core's own caches are fetched again (CoreModel). Numbers
// of cycles are those of the model. Which data is contended follows from the program.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "memory/read/access_record.h"
#include "memory/record/private_cache.h"
#include "memory/record/record_format.h"
#include "program/address_space.h"

namespace lento::memory {

class Recording {
 public:
  // Throws base::Error when the file is no recording.
  explicit Recording(const std::string& path);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  struct Event {
    uint64_t first;
    uint64_t second;
  };
  struct Thread {
    uint32_t pid = 0;
    uint32_t number = 0;
    std::vector<std::pair<const Event*, const Event*>> pieces;  // in order
  };
  const std::vector<Thread>& threads() const {
    return threads_;
  }
  std::string maps() const;
  uint64_t events() const {
    return events_;
  }
  bool full() const {
    return full_;
  }  // the byte limit was reached
  bool in_bursts() const;
  bool is_static() const;      // the program is linked so: only calls named by --wrap were recorded
  uint64_t unordered() const;  // waits whose order was not recorded: the runtime's table was full
  // Accesses and locks in the recording, and all that the hooks reported, stored or not.
  uint64_t stored() const {
    return stored_;
  }
  uint64_t reported() const;
  // CPU time of the program in microseconds: while accesses were stored, and of the whole run. 0 if it was
  // killed.
  uint64_t seen_us() const;
  uint64_t worked_us() const;
  uint32_t line_bytes() const;

  // Creates an empty recording of at most `bytes`, ready for a program. The program records in bursts: for
  // `on_us` microseconds, then not for `off_us`. With off_us = 0 it records all the time.
  static void prepare(const std::string& path, uint64_t bytes, uint64_t on_us, uint64_t off_us);

 private:
  void read_chunks();

  const char* bytes_ = nullptr;
  uint64_t size_ = 0;
  uint64_t events_ = 0;
  uint64_t stored_ = 0;
  bool full_ = false;
  std::vector<Thread> threads_;
};

// Parts of an event (record_format.h).
inline unsigned kind_of(const Recording::Event& e) {
  return unsigned(e.first >> 52 & 255);
}
inline uint64_t address_of(const Recording::Event& e) {
  return e.first & 0xffffffffffff;
}
inline uint8_t size_of(const Recording::Event& e) {
  return uint8_t(1u << (e.first >> 48 & 15));
}

// Returns whether events of this kind access memory: loads, stores, atomics, and taking or releasing a lock,
// which accesses the lock's word.
bool is_access(unsigned kind);

// Returns whether the address follows from the value that the thread loaded before, as of a list's next node.
inline bool is_dependent(const Recording::Event& e) {
  return (e.first >> 60 & LENTO_DEPENDENT) != 0;
}

// Costs of the replay, in cycles beyond a hit in the first cache. A line's first use is free: only lines that
// a cache held and lost are fetched again. The defaults let a core wait for each miss alone, without a third
// level and with pages that are always found; core_platform.h has the machines on which programs are
// replayed.
struct CoreModel {
  uint64_t step = 4;  // from one access to the next, at least
  // Instructions that a core executes in a cycle, and the cycles of a division: with them, an access follows
  // the one before when the code between them is done (code_work.h). 0: after a step.
  unsigned width = 0;
  uint64_t divide = 0;
  uint64_t transfer = 60;           // a line from another core
  uint64_t atomic = 0;              // an atomic operation on a line that the core owns, beyond a step
  uint64_t forward = 0;             // from a store to the core's next load of the word, which depends on it
  uint64_t stream_step = 4;         // to the next element of an array that comes from beyond the first cache,
                                    // where there are several nodes
  TagShape first = {32 << 10, 8};   // of each core
  TagShape second = {1 << 20, 16};  // of each core, inclusive of the first
  TagShape third = {0, 16};         // of each node; 0 bytes: none
  // A set of the first cache that more lines use than it has ways takes one at a time, however many misses
  // are outstanding: a line from the second cache takes `replace` where it was read, `rewrite` where the core
  // had modified it, and one from farther takes longer as its latency is. 0: the set takes all at once.
  uint64_t replace = 0;
  uint64_t rewrite = 0;
  uint64_t first_hit = 4;  // in all, unlike the latencies that follow, which are beyond it
  uint64_t second_hit = 12;
  uint64_t third_hit = 50;
  uint64_t memory = 120;         // of the node that the core is on
  uint64_t remote_memory = 200;  // of another: 1.6 to 2 times as far on two sockets
  uint64_t memory_line = 5;      // between two lines of a node: 5 are 38 GB/s at 3 GHz
  uint64_t link_line = 0;        // the same for lines that enter a node from the others
  unsigned overlap = 1;          // outstanding misses of a core
  unsigned ahead = 0;  // outstanding prefetches of a core; 0: they always arrive in time. With overlap 1,
                       // those of the local node always do
  uint32_t first_pages = 64;  // entries of the first-level TLB
  uint32_t second_pages = 0;  // of the second-level TLB; 0: no access misses it
  uint64_t walk = 30;         // a page walk; a core makes one at a time
  bool polls = true;          // whether loads that repeat the access before take time: they only wait
  unsigned nodes = 1;         // threads are placed on them in blocks, a page where it is first used
};

// A new layout of data, replayed to predict its effect.
struct Relayout {
  enum class Kind {
    Pad,      // each address on a line of its own; words of one main user together
    Private,  // a copy for each thread; of a mutex too
    Local,    // each page on the node that uses it
    Huge,     // translations are never missed
    Second,   // lines are never lost from the second cache
    Fits      // nor from the first
  };
  Kind kind = Kind::Pad;
  uint64_t low = 0;
  uint64_t high = 0;
  std::shared_ptr<const std::vector<uint32_t>> users;  // of the words from `low` on (main_users); may be null
};

inline constexpr uint64_t kUserWord = 4;  // bytes that have one main user

// Returns, for each word of kUserWord bytes from `low` to `high`, the thread that makes more than half of
// the recorded accesses, as an index of Recording::threads(), or UINT32_MAX where none does. Null when the
// range is wider than 16 MiB.
std::shared_ptr<const std::vector<uint32_t>>
main_users(const Recording& recording, uint64_t low, uint64_t high);

struct VirtualRun {
  // contended: cycles waiting for lines of other cores. worked: sum over the threads, from start to end.
  uint64_t cycles = 0;
  uint64_t worked = 0;
  uint64_t accesses = 0;
  uint64_t contended = 0;
  size_t threads = 0;
  // Heap blocks on lines that cores waited for, with the pc of the call that allocated them.
  struct Block {
    uint64_t low = 0;
    uint64_t bytes = 0;
    uint64_t pc = 0;
    std::array<uint64_t, 2> callers = {};  // of that call's function, and of its caller; 0: not known
  };
  std::vector<Block> blocks;
};

// Replays a recording. `sink` takes the accesses in order of time, with latency, culprit and thread. Null:
// only the sums are computed.
VirtualRun replay_recording(
    const Recording& recording,
    uint32_t line_bytes,
    const std::vector<Relayout>& relayouts,
    AccessSink* sink,
    const base::Progress& progress = {},
    const CoreModel& model = {});

}  // namespace lento::memory
