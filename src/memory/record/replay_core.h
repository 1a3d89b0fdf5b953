// A thread of a replay: its place in the recording, its virtual time, the addresses that its instructions
// used last, and the locks between threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "memory/record/record_format.h"
#include "memory/record/recording.h"

namespace lento::memory {

struct ReplayLock {
  static constexpr uint64_t kNobody = UINT64_MAX;
  uint64_t holder = kNobody;  // thread that holds it exclusively
  size_t readers = 0;
  uint64_t last = kNobody;  // last exclusive holder
  bool passed_on = false;   // several threads have held it exclusively
  std::deque<size_t> waiting;
  std::optional<uint64_t> permits;  // of a semaphore; without a value it blocks no thread
};

// Threads that arrive at a barrier, or at the begin or end of a parallel region.
struct ReplayMeeting {
  uint64_t come = 0;
  uint64_t latest = 0;
  std::vector<std::pair<uint64_t, size_t>> waiting = {};  // arrivals that it waits for, thread
};

struct ReplayCore {
  const Recording::Thread* thread = nullptr;
  size_t piece = 0;
  const Recording::Event* at = nullptr;
  uint64_t time = 0;
  uint64_t began = 0;  // when it was created
  uint64_t parts = 0;  // of a cycle that its instructions have begun, in CoreModel::width parts
  enum class State {
    Waiting,
    Ready,
    AtBurst,
    AtLock,
    AtJoin,
    AtMeeting,
    Ended
  } state = State::Ready;
  uint64_t waits_for = 0;  // period of bursts, lock, thread or key of a synchronisation point
  uint64_t period = 0;     // period of bursts that it is in
  size_t guards = 0;       // locks that it holds and that other threads have held too
  // Time at which it requested the lock that it waits for, and the thread that had the lock then.
  std::optional<uint64_t> asked;
  uint64_t held_up_by = ReplayLock::kNobody;

  // Takes a lock exclusively. The thread's accesses until let_go() count as guarded if other threads have
  // held it.
  void hold(size_t index, ReplayLock& lock) {
    lock.holder = index;
    lock.passed_on |= lock.last != ReplayLock::kNobody && lock.last != index;
    lock.last = index;
    guards += lock.passed_on;
  }
  void let_go() {
    guards -= std::min<size_t>(1, guards);
  }
  void forget_locks() {
    asked.reset();
    guards = 0;
  }

  // Charges the time that the thread waited for a lock to the access that took it.
  void charge_lock(AccessRecord& r) {
    const uint64_t waited = time - std::min(time, *asked);
    asked.reset();
    if (waited == 0 || held_up_by == ReplayLock::kNobody)
      return;
    r.latency = uint32_t(std::min<uint64_t>(r.latency + waited, AccessRecord::kNoLatency - 1));
    r.blamed = uint32_t(std::min<uint64_t>(r.blamed + waited, r.latency));
    r.cause = DelayCause::Coherence;
    r.culprit = uint16_t(std::min<uint64_t>(held_up_by, UINT16_MAX - 1));
    r.flags &= uint8_t(~AccessRecord::kLocal);
  }

  // Returns whether the instruction used a neighbouring address before, as loops over arrays do, and the line
  // came from beyond the first cache.
  bool streams(uint64_t pc, uint64_t address, bool hit_first) {
    constexpr uint64_t kNear = 64;
    LastUse& use = last_uses[pc / 4 % last_uses.size()];
    const bool near = use.pc == pc && address != use.address && address + kNear - use.address <= 2 * kNear;
    use = {pc, address};
    const uint64_t line = address / kNear + 1;
    const bool far = std::ranges::find(far_lines, line) != far_lines.end();
    if (!far && !hit_first)
      far_lines[next_far++ % far_lines.size()] = line;
    return near && (far || !hit_first);
  }
  // Returns whether the event behind the present one is a store to the line of the address.
  bool stores_next(uint64_t address) const {
    constexpr uint64_t kLine = 64;
    const Recording::Event* const next = at + 1;
    return next != thread->pieces[piece].second && kind_of(*next) == LENTO_WRITE &&
           address_of(*next) / kLine == address / kLine;
  }

  // Returns whether the present event repeats the one before.
  bool repeats() const {
    return at != thread->pieces[piece].first && at[-1].first == at->first && at[-1].second == at->second;
  }

  // Returns the access that follows the present event, or null where another event does.
  const Recording::Event* next_access() const {
    const Recording::Event* const next = at + 1;
    return next != thread->pieces[piece].second && is_access(kind_of(*next)) ? next : nullptr;
  }

  // Returns the cycles that the access takes in the core beyond its step, once its line is there at `now`:
  // those of an atomic operation, or what is left of the way from the core's last store to a load of the
  // word.
  uint64_t in_core(const AccessRecord& r, bool is_atomic, uint64_t now, const CoreModel& model) {
    LastStore& last = last_stores[r.address / sizeof(uint64_t) % last_stores.size()];
    uint64_t wait = 0;
    if (is_atomic)
      wait = model.atomic;
    else if (r.type != AccessType::Store && last.address == r.address)
      wait = std::max(now, last.ready) - now;
    if (r.writes())
      last = {r.address, now + wait + model.forward};
    return wait;
  }
  struct LastStore {
    uint64_t address = 0;
    uint64_t ready = 0;  // cycle at which a load has the stored value
  };
  std::array<LastStore, 64> last_stores = {};

  std::array<uint64_t, 8> far_lines = {};  // last lines that missed the first cache, as line number + 1
  size_t next_far = 0;
  struct LastUse {
    uint64_t pc = 0;
    uint64_t address = 0;
  };
  std::array<LastUse, 32> last_uses = {};
};

// Returns the flags of an access record for an event.
inline uint8_t flags_of(unsigned kind) {
  switch (kind) {
    case LENTO_UPDATE:
    case LENTO_GIVE:
    case LENTO_READER:
      return AccessRecord::kUpdate;
    case LENTO_DROP:
    case LENTO_TAKE:
    case LENTO_LEAVE:
      return AccessRecord::kUpdate | AccessRecord::kDown;
    case LENTO_COMPARE:
      return AccessRecord::kCompare;
    case LENTO_LOST:
      return AccessRecord::kCompare | AccessRecord::kFailed;
    default:
      return 0;
  }
}

}  // namespace lento::memory
