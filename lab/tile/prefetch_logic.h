// The emulated instruction prefetcher as soft logic of a tile, register by register as in
// rtl/soft/prefetch_logic.sv. One step() is one clock of that module.
//
// The tile cannot inject anything, therefore the processor runs without prefetcher. The logic keeps the tags
// of the L1I as they would be with one and counts. A miss of the emulated cache takes as long as the
// processor stalled in the same visit (15, 35 or 200 cycles, by the ABI), because a line that is far away is
// absent from both caches. A miss without a stall and every prefetch take the 15 cycles of an L2 hit.
//
// Time. The observed stream is slowed by misses that the prefetcher would have removed, so the emulation has
// a clock of its own. A visit advances this clock by the observed gap less the stall, and a miss of the
// emulated cache adds its own latency. Prefetches take equally long and therefore complete in order. A line
// whose prefetch was late is entangled by the time from the look-up that asked for it to its fill, which
// includes the wait in the prefetch queue.
//
// Space. Lines are folded to 26 bits. Block RAM: two for the shadow tags (64 sets of 8 ways of 16 bits), one
// for the queue, five for the tags of the entangled table (128 sets of 16 ways of 9 bits and a replacement
// pointer). Scratchpad: a 64-bit word for each of the 2,048 entries, its block size with an epoch (2 bytes),
// and for each line of the shadow cache the destination that brought it in (2 bytes), in total 21 KB.
//
// Speed. A visit takes one cycle when its line hits and is no head that needs a look-up. An entry whose
// lines were all present needs none until eight lines have been evicted, which its epoch shows. Look-ups run
// beside the visits, a candidate each cycle. A miss waits for a look-up that is late by a miss's latency, so
// that its requests count. The exact model's queue of 32 prefetches, which issues two each cycle, is
// represented by the time at which it will be empty. Prefetches that do not fit in it need no work. Visits
// wait in a queue of 128. A visit that finds it full is lost and counted, and so are all later ones until
// the queue is empty, so that the remaining visits are stretches without gaps. Visits are lost more often
// where the processor does not stall. Visits with and without a stall are therefore two strata, whose sizes
// and lost visits the logic counts, so that the host can extend misses and useful prefetches to all visits
// (Cochran, Sampling Techniques, chapter 5).
//
// Differences from the exact model (entangling.h): tags are hashed, destinations have at most 26 address
// bits, entries that need no look-up take no place in the queue of prefetches, and a replaced entry with
// destinations does not evict one without.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lab/tile/prefetch_fields.h"
#include "tile/unit/memory.h"

namespace lento::tile {

enum class EmulatedPolicy : uint8_t {
  Entangling,
  NextLine
};

// Access to the scratchpad's 64-bit port in a cycle.
struct ScratchAccess {
  bool read = false;
  uint8_t write = 0;  // a bit for each byte
  uint16_t address = 0;
  uint64_t word = 0;
};

class PrefetchLogic : public SoftLogic {
 public:
  static constexpr uint32_t kVisits = 128;
  static constexpr uint32_t kLooks = 4;
  static constexpr uint32_t kFlights = 32;
  static constexpr uint32_t kUnit = 128;

  // `scratchpad` holds 32 KB, zero at the start, and outlives this.
  explicit PrefetchLogic(
      std::vector<uint8_t>& scratchpad,
      EmulatedPolicy policy = EmulatedPolicy::Entangling);

  // Inputs: the fetch address in IORegs 0 and 1, the end of an interval in IOReg 2.
  void step(const TileInputs* inputs) override;
  // Returns a count of the last interval in units of 128, with the remainder carried over: 0 misses, 1
  // useful, 2 late or wrong.
  uint32_t read(unsigned reg) override {
    return reg < 3 ? sent_[reg] : 0;
  }
  void write(unsigned, uint32_t) override {
  }

  uint32_t visits_lost() const {
    return visits_lost_;
  }
  // Visits in which the processor stalled, and the lost ones among them.
  uint32_t stalls() const {
    return stalls_;
  }
  uint32_t stalls_lost() const {
    return stalls_lost_;
  }
  // Misses in visits in which the processor did not stall.
  uint32_t misses_unstalled() const {
    return misses_unstalled_;
  }
  uint64_t visits() const {
    return visits_;
  }
  uint64_t looks() const {
    return looks_;
  }
  uint8_t state() const {
    return uint8_t(state_);
  }
  const ScratchAccess& scratch_access() const {  // compared with that of the RTL
    return scratch_;
  }

 private:
  static constexpr int kHistory = 16;
  static constexpr int kMergeDepth = 14;
  static constexpr uint32_t kMaxSize = 63;
  static constexpr uint32_t kLongestBlock = 127;
  static constexpr uint32_t kTime = 0xfff;
  static constexpr uint32_t kMissCycles = 15;
  static constexpr uint32_t kQueued = 32;

  enum class State : uint8_t {
    Idle,
    Check,
    Settle,
    GrowTag,
    GrowSize,
    GrowNew,
    Miss,
    Drain,
    Fill,
    Source,
    Judge,
    Confidence,
    Walk,
    Try,
    Scan,
    ScanSlot,
    Pack,
    PackWrite,
    Stale
  };
  enum class LookState : uint8_t {
    Quiet,
    Payload,
    Block,
    Slot,
    Destination,
    Size
  };
  struct Way {
    uint16_t tag = 0;
    // Whether a destination requested the line, and whether the line is still unused.
    bool asked = false;
    bool prefetched = false;
    uint8_t rank = 0;  // 0: used last
  };
  using ShadowRow = std::array<Way, 8>;
  struct TableRow {
    std::array<uint16_t, 16> tag = {};
    uint8_t oldest = 0;
  };
  // The line, the cycles since the visit before without its stall, and the latency of a miss here: the
  // processor's own stall, or an L2 hit when it did not stall.
  struct Visit {
    uint32_t line = 0;
    uint8_t gap = 0;
    uint8_t latency = kMissCycles;
    bool stalled = false;
  };
  struct Look {
    uint32_t line = 0;
    uint16_t entry = 0;
    uint16_t time = 0;
    uint8_t size = 0;
  };
  // An entry and one of its destinations, or none.
  struct Origin {
    bool valid = false;
    uint16_t entry = 0;
    uint8_t slot = 0;
  };
  struct Flight {
    uint32_t shadow = 0;
    // When its look-up asked for the line, and when the line is there.
    uint16_t asked = 0;
    uint16_t ready = 0;
    Origin origin;
  };
  struct Head {
    bool valid = false;
    uint32_t line = 0;
    uint16_t time = 0;
    uint32_t size = 0;
  };

  void arrive(const TileInputs* inputs);
  void step_visit();
  void next_visit();
  void move_clock(uint32_t cycles);
  bool behind() const;
  void check();
  void pass(int way);
  bool enter_line();
  void answer();
  void grow_tag();
  void after_grow();
  void allocate(uint32_t line);
  void step_fill();
  void miss();
  void start_fill();
  void drain();
  void late();
  void fill();
  void source();
  void write_origin();
  void confidence();
  void step_entangle();
  void walk();
  void insist();
  void no_room();
  void try_head();
  void start_scan();
  void scan_slot();
  void scanned();
  void pack();

  void step_look();
  bool scratch_free() const;
  void start_look();
  void fetch_with_candidate(uint32_t address);
  void payload(bool fetched);
  void first_line();
  void start_block(uint32_t line, uint32_t lines);
  void block(bool fetched);
  void candidate(uint32_t line, const Origin& origin);
  void slot();
  void fetch_destination();
  void destination();
  void destination_size(bool fetched);

  bool due() const {
    return flights_held_ > 0 && ((clock_ - flights_[first_flight_].ready) & kTime) < 0x800;
  }
  bool in_flight(uint32_t line) const;
  void read_lines(uint32_t line);  // shadow tags and table tags of a line, for the next cycle
  void read_scratch(uint32_t address) {
    scratch_ = {true, 0, uint16_t(address), 0};
  }
  void write_scratch(uint32_t address, uint64_t word, uint8_t bytes) {
    scratch_ = {false, bytes, uint16_t(address), word};
  }
  void write_size(uint32_t entry, uint32_t size, uint32_t bytes);
  void write_lane(uint32_t base, uint32_t index, uint64_t lane, uint32_t bytes);
  void clock_memories();

  std::vector<uint8_t>& scratchpad_;
  EmulatedPolicy policy_;

  // Block RAM, its output registers, and the access of the cycle.
  std::array<ShadowRow, 64> shadow_ = {};
  std::array<TableRow, 128> table_ = {};
  ShadowRow shadow_row_ = {};
  ShadowRow shadow_new_ = {};
  ShadowRow shadow_seen_ = {};
  TableRow table_row_ = {};
  TableRow table_new_ = {};
  TableRow table_seen_ = {};
  uint32_t shadow_look_ = 0;
  uint32_t table_look_ = 0;
  int shadow_read_ = -1;
  int shadow_write_ = -1;
  int table_read_ = -1;
  int table_write_ = -1;
  ScratchAccess scratch_;
  uint64_t scratch_word_ = 0;

  State state_ = State::Idle;
  std::array<Visit, kVisits> waiting_ = {};
  Visit front_;
  bool front_valid_ = false;
  // The newest visit, whose stall only the arrival of the next one shows.
  Visit newest_;
  bool newest_valid_ = false;
  bool shedding_ = false;
  uint32_t first_waiting_ = 0;
  uint32_t waiting_held_ = 0;
  uint32_t gap_ = 0;
  // The clock in cycles, and the next possible issue of a prefetch in half cycles.
  uint32_t clock_ = 0;
  uint32_t issue_ = 0;
  std::array<Flight, kFlights> flights_ = {};
  uint32_t first_flight_ = 0;
  uint32_t flights_held_ = 0;
  std::array<Head, kHistory> history_ = {};  // the newest first

  // The visit, its results so far, and its remaining work.
  Visit now_;
  bool checks_ = false;
  bool absent_ = false;
  bool missed_ = false;
  bool pushed_ = false;
  bool began_ = false;
  bool grows_ = false;
  bool waits_ = false;
  bool fills_ = false;
  // The running block, the recorded size of its head, and the record of the block before.
  uint32_t head_ = 0;
  uint32_t extra_ = 0;
  uint32_t merged_ = 0;
  uint32_t head_at_ = 0;
  uint32_t known_size_ = 0;
  uint32_t grow_line_ = 0;
  uint32_t grow_size_ = 0;
  // The look-up.
  LookState look_state_ = LookState::Quiet;
  std::array<Look, kLooks> looks_waiting_ = {};
  uint32_t first_look_ = 0;
  uint32_t looks_held_ = 0;
  Look look_;
  Look asked_look_;
  Look queued_look_;
  bool asked_ = false;
  bool queues_look_ = false;
  bool fetched_ = false;
  bool incomplete_ = false;
  bool full_ = false;
  Payload payload_;
  uint32_t epoch_ = 1;
  uint32_t look_epoch_ = 0;
  uint32_t left_ = 0;
  uint32_t candidate_ = 0;
  uint32_t slot_ = 0;
  uint32_t destination_ = 0;
  uint32_t destination_entry_ = 0;
  // The fill, and the destination to be judged for it.
  Flight fill_;
  uint32_t fill_at_ = 0;
  bool fill_prefetched_ = false;
  bool late_ = false;
  bool judged_up_ = false;
  Origin judged_;
  // The entangling of the line with a head.
  uint32_t latency_ = 0;  // from the request for the line to its fill
  uint32_t walk_ = 0;
  uint32_t tries_ = 0;
  uint32_t target_ = 0;
  uint32_t first_target_ = 0;
  uint32_t entry_ = 0;
  uint32_t scan_ = 0;
  bool fresh_ = false;
  bool placed_ = false;
  uint32_t held_ = 0;
  uint32_t fit_ = 0;
  uint32_t weakest_ = 0;
  uint32_t weakest_confidence_ = 0;
  uint32_t emitted_ = 0;
  Payload old_;
  Payload packed_;

  std::array<uint32_t, 3> counts_ = {};
  std::array<uint32_t, 3> sent_ = {};
  uint32_t visits_lost_ = 0;
  uint32_t stalls_ = 0;
  uint32_t stalls_lost_ = 0;
  uint32_t misses_unstalled_ = 0;
  uint64_t visits_ = 0;
  uint64_t looks_ = 0;
};

}  // namespace lento::tile
