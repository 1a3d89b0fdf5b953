// The threads of a replay: which of them runs next, and what holds the others up. The thread with the
// smallest (time, number) always performs its next event. Locks, semaphores, joins, barriers and the begin of
// bursts hold threads up as in the program. When an incomplete recording blocks all threads, they are
// released together. Cost: one queue operation per wake-up.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "memory/record/new_layout.h"
#include "memory/record/replay_core.h"

namespace lento::memory {

class ReplayThreads {
 public:
  using Core = ReplayCore;
  using Event = Recording::Event;
  using Instant = std::pair<uint64_t, size_t>;  // time and number of a thread

  // `layout` must outlive the object.
  explicit ReplayThreads(const NewLayout& layout)
      : layout_(layout) {
  }

  void add(const Recording::Thread& thread);
  // Makes the thread that the event creates wait for that event.
  void hold_back_child(const Core& creator, const Event& e);
  void start();

  std::vector<Core>& cores() {
    return cores_;
  }
  // Returns the number of threads that could run beside the running one.
  size_t ready() const {
    return queue_.size();
  }

  struct Turn {
    size_t index = 0;
    Instant until;  // when another thread may be the earliest
  };
  // Takes the thread that runs next from the queue. Returns nothing when all have ended.
  std::optional<Turn> next();
  // Puts a thread into the queue if it can run.
  void enqueue(size_t index);

  void end(Core& core, size_t index);
  void create(const Core& core, const Event& e);
  void arrive(const Core& core, uint64_t key);
  // These return false when the thread must wait, and handles the event again later.
  bool join(Core& core, const Event& e);
  bool meet(Core& core, size_t index, const Event& e);
  bool reach_burst(Core& core, uint64_t number);
  bool lock(Core& core, size_t index, const Event& e);
  bool take(Core& core, size_t index, const Event& e);  // a permit of a semaphore
  // These follow the access that releases.
  void unlock(Core& core, size_t index, const Event& e);
  void leave(Core& core, size_t index, const Event& e);
  void give(const Core& core, size_t index, const Event& e);
  void set_permits(const Core& core, size_t index, const Event& e);

 private:
  using Lock = ReplayLock;

  size_t find(const Core& core, uint64_t thread) const;
  void wake(size_t index, uint64_t time);
  Lock& lock_of(const Core& core, size_t index, const Event& e);
  void hand_over(Lock& lock, uint64_t time);
  bool unblock();

  const NewLayout& layout_;
  std::vector<Core> cores_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> number_;  // by process and its number of the thread
  std::set<Instant> queue_;                                 // threads that can run
  std::map<std::pair<uint32_t, uint64_t>, Lock> locks_;
  std::map<std::pair<uint32_t, uint64_t>, ReplayMeeting> meetings_;  // by process and key
};

}  // namespace lento::memory
