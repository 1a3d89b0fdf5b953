// The state of one run, which can be copied and continued twice: cores with their windows, memory units,
// channels and layer progress, above the network.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "chip/sim/network.h"
#include "chip/sim/simulate.h"

namespace lento::chip {

class Machine : public NetworkUser {
 public:
  Machine(const Model& model, const std::vector<Fault>& faults, const Options& options, RecordSink* sink);
  // Continues from the state of `at` with other faults and another sink.
  Machine(const Machine& at, const std::vector<Fault>& faults, RecordSink* sink);

  // Passes every event to `influence`, which computes derivatives. Precondition: nothing was simulated yet.
  void keep(Influence& influence);

  // Handles every event up to `cycles`, or until Options::stop. Returns whether there are more.
  bool run_until(uint64_t cycles);
  Result result();  // call once

  void source_begins(uint32_t transfer) override;
  void source_done(uint32_t transfer) override;
  void delivered(uint32_t transfer, uint32_t bytes) override;

 private:
  // The kind of an event. Its index is in the low 29 bits of EventHeap::Event::what. The network pushes plain
  // server numbers, so ServerDone is 0.
  enum class Kind : uint32_t {
    ServerDone = 0,
    ComputeDone,
    StartUpDone,
    SlotDone
  };
  static constexpr int kKindShift = 29;
  static uint32_t event(Kind kind, uint32_t index) {
    return uint32_t(kind) << kKindShift | index;
  }

  // An instruction in a core's window. Entries are numbered from 0 over the whole run, and `number & mask_`
  // is the slot in the core's ring.
  struct Entry {
    uint32_t instruction = 0;
    uint32_t inference = 0;
    uint32_t repeat = 0;  // repetition of its section within the inference
    uint32_t tile = 0;    // number over the whole run
    enum State : uint8_t {
      Waiting,
      Active,
      Done
    } state = Waiting;
  };
  struct Tile {
    uint32_t pending = 0;      // inputs of this tile in the window that are not done
    uint32_t compute = kNone;  // the tile's compute instruction, once it is in the window
    uint32_t first_instruction = 0;
    bool computed = false;
  };
  struct Core {
    // Position of the next instruction to enter.
    uint32_t inference = 0;
    uint32_t section = 0;
    uint32_t repeat = 0;
    uint32_t next = 0;
    bool exhausted = false;
    // Entries in the window: [head, tail).
    uint32_t head = 0;
    uint32_t tail = 0;
    uint32_t tiles = 0;         // opened so far; the last one is open
    uint32_t next_compute = 0;  // tile whose compute is next
    bool computing = false;
    bool advance_asked = false;  // the core is in advance_asked_
    uint64_t compute_began = 0;
    uint64_t debt = 0;        // cycles spent on probes, added before the next compute
    uint32_t free_slots = 0;  // of the memory unit
    // The queue holds the transfers that wait until this memory unit has a free slot.
    uint32_t slot_head = kNone;
    uint32_t slot_tail = kNone;
  };
  struct Channel {
    // The channel counts the repetitions of its transfer that were sent, have arrived and were used.
    uint32_t sent = 0;
    uint32_t arrived = 0;
    uint32_t used = 0;
    uint32_t waiting_entry = kNone;  // of the sender, while it has no credits
  };
  struct Transfer {
    uint64_t begin = UINT64_MAX;
    uint64_t noise = 0;
    uint64_t to_offer = 0;   // bytes not yet passed to the network (reads: not yet requested from the port)
    uint64_t to_finish = 0;  // bytes not yet at their destination
    uint64_t to_slot = 0;    // bytes that the slot still has to move
    uint32_t instruction = 0;
    uint32_t inference = 0;
    uint32_t repeat = 0;
    uint32_t core = 0;  // core that issued it
    uint32_t entry = 0;
    uint32_t segment = 0;   // number of the next segment
    uint32_t next = kNone;  // next in the free list or in a slot queue
    uint32_t landed = 0;    // read: bytes at the core that wait for the slot
    uint32_t ahead = 0;     // segments between slot and network
    Action action = Action::Send;
    bool slot_busy = false;
  };
  struct Waiter {
    uint32_t core;
    uint32_t entry;
    uint64_t needed;  // repetitions of the layer over the whole run
  };
  struct Progress {                 // progress of a layer whose output is read from DRAM
    std::vector<uint32_t> written;  // writes done, by repetition over the run
    uint64_t complete = 0;          // complete repetitions, counted in order
    std::vector<Waiter> waiters;
  };

  const Instruction& at(uint32_t index) const {
    return model_.program.instructions[index];
  }
  Entry& entry(uint32_t core, uint32_t number) {
    return entries_[core * ring_ + (number & mask_)];
  }
  Tile& tile(uint32_t core, uint32_t number) {
    return tiles_[core * ring_ + (number & mask_)];
  }
  uint32_t run_repeat(const Entry& e) const {
    return e.inference * model_.program.layers[at(e.instruction).layer].repeats + e.repeat;
  }

  // The functions of a core's instruction window.
  void request_advance(uint32_t core);
  void advance_windows();
  void advance(uint32_t core);
  bool enter_next(uint32_t core);
  void step_cursor(Core& core, uint32_t id);
  void enter(uint32_t core, uint32_t number);
  void finish(uint32_t core, uint32_t number);
  void input_done(uint32_t core, uint32_t number);
  bool read_ready(uint32_t core, uint32_t number);

  // The functions of a core's compute unit.
  void try_compute(uint32_t core);
  void compute_done(uint32_t core);
  uint64_t compute_cycles(uint32_t core, const Entry& e);
  void release_outputs(uint32_t core, const Tile& t);
  void give_credits(uint32_t core, const Tile& t);

  // The functions of messages between cores.
  void try_send(uint32_t core, uint32_t number);
  void message_arrived(uint32_t transfer);

  // The functions of reads and writes of DRAM.
  void want_slot(uint32_t core, uint32_t number);
  void take_slot(uint32_t transfer);
  void free_slot(uint32_t core);
  void move_slot(uint32_t transfer);  // starts the slot on its next segment when there is one
  void slot_done(uint32_t transfer);
  void transfer_done(uint32_t transfer);
  void written(uint32_t layer, uint64_t run_repeat);

  uint32_t new_transfer(uint32_t core, uint32_t number);
  void free_transfer(uint32_t transfer);
  void offer_segment(uint32_t transfer);
  uint32_t segment_size(uint64_t bytes) const;

  // Writes a record. `mark` is the index of its derivatives: the number of a core, or the number of cores
  // plus that of a transfer.
  void record(const ProbeRecord& r, uint32_t mark);
  uint32_t mark_of(uint32_t transfer) const {
    return uint32_t(cores_.size()) + transfer;
  }
  void push(uint64_t time, uint32_t what, uint32_t column, double cycles);
  ProbeRecord record_of(const Transfer& t, ProbeKind kind) const;
  double slowdown(const std::vector<uint32_t>& faults);
  void set_faults();
  [[noreturn]] void deadlock();
  std::string waits_of(uint32_t core, int& next_core);

  Machine(const Machine&) = default;

  const Model& model_;
  std::vector<Fault> faults_;
  const Options options_;
  RecordSink* sink_;
  uint64_t now_ = 0;
  EventHeap events_;
  Result result_;
  Network network_;
  uint32_t ring_;
  uint32_t mask_;
  std::vector<Core> cores_;
  std::vector<Entry> entries_;
  std::vector<Tile> tiles_;
  std::vector<Channel> channels_;
  std::vector<Transfer> transfers_;
  uint32_t free_transfer_ = kNone;
  std::vector<Progress> progress_;
  std::vector<uint32_t> advance_asked_;  // cores whose window may move
  std::vector<int32_t> costs_;           // cycles of a record by kind and layer; -1: none
  std::vector<std::vector<uint32_t>> core_faults_;
  std::vector<std::vector<uint32_t>> memory_faults_;
  uint64_t unfinished_ = 0;  // cores not done
  Influence* influence_ = nullptr;
};

}  // namespace lento::chip
