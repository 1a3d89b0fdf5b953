// Decides which thread of a replay runs next, and hands on what threads wait for.
#include "memory/record/replay_threads.h"

#include <algorithm>

namespace lento::memory {
namespace {

constexpr uint64_t kTogether = 64;  // bursts that are replayed as one

}  // namespace

void ReplayThreads::add(const Recording::Thread& thread) {
  Core core;
  core.thread = &thread;
  core.at = thread.pieces.front().first;
  number_[{thread.pid, thread.number}] = cores_.size();
  cores_.push_back(core);
}

void ReplayThreads::hold_back_child(const Core& creator, const Event& e) {
  const size_t child = find(creator, address_of(e));
  if (child < cores_.size() && &cores_[child] != &creator)
    cores_[child].state = Core::State::Waiting;
}

void ReplayThreads::start() {
  for (size_t i = 0; i < cores_.size(); ++i)
    enqueue(i);
}

std::optional<ReplayThreads::Turn> ReplayThreads::next() {
  while (queue_.empty()) {
    if (!unblock())
      return {};
  }
  const size_t index = queue_.begin()->second;
  queue_.erase(queue_.begin());
  return Turn{index, queue_.empty() ? Instant{Lock::kNobody, cores_.size()} : *queue_.begin()};
}

size_t ReplayThreads::find(const Core& core, uint64_t thread) const {
  const auto at = number_.find({core.thread->pid, uint32_t(thread)});
  if (at == number_.end())
    return cores_.size();
  return at->second;
}

void ReplayThreads::enqueue(size_t index) {
  if (cores_[index].state == Core::State::Ready)
    queue_.emplace(cores_[index].time, index);
}

// Makes a waiting core ready.
void ReplayThreads::wake(size_t index, uint64_t time) {
  Core& core = cores_[index];
  core.state = Core::State::Ready;
  core.time = std::max(core.time, time);
  enqueue(index);
}

// Ends a thread and wakes the threads that wait for it.
void ReplayThreads::end(Core& core, size_t index) {
  core.state = Core::State::Ended;
  for (size_t i = 0; i < cores_.size(); ++i) {
    if (cores_[i].state == Core::State::AtJoin && cores_[i].waits_for == index)
      wake(i, core.time);
  }
}

void ReplayThreads::create(const Core& core, const Event& e) {
  const size_t child = find(core, address_of(e));
  if (child < cores_.size() && cores_[child].state == Core::State::Waiting)
    cores_[child].began = core.time, wake(child, core.time);
}

// Returns whether the joined thread has ended. Otherwise the core waits for it.
bool ReplayThreads::join(Core& core, const Event& e) {
  const size_t child = find(core, address_of(e));
  if (child >= cores_.size())
    return true;
  if (cores_[child].state == Core::State::Ended) {
    core.time = std::max(core.time, cores_[child].time);
    return true;
  }
  core.state = Core::State::AtJoin;
  core.waits_for = child;
  return false;
}

// Counts a thread that arrived at a synchronisation point, and wakes the threads whose number of arrivals
// is reached.
void ReplayThreads::arrive(const Core& core, uint64_t key) {
  ReplayMeeting& m = meetings_[{core.thread->pid, key}];
  ++m.come;
  m.latest = std::max(m.latest, core.time);
  std::erase_if(m.waiting, [&](const auto& who) {
    if (who.first > m.come)
      return false;
    if (cores_[who.second].state == Core::State::AtMeeting && cores_[who.second].waits_for == key)
      wake(who.second, m.latest);
    return true;
  });
}

// Returns whether enough threads arrived. Otherwise the core waits.
bool ReplayThreads::meet(Core& core, size_t index, const Event& e) {
  ReplayMeeting& m = meetings_[{core.thread->pid, address_of(e)}];
  if (m.come >= e.second) {
    core.time = std::max(core.time, m.latest);
    return true;
  }
  m.waiting.emplace_back(e.second, index);
  core.state = Core::State::AtMeeting;
  core.waits_for = address_of(e);
  return false;
}

// Accesses between two bursts of recording are unknown, and so are the holders of locks when a burst
// begins. All threads therefore begin each group of kTogether bursts together. Within a group the bursts
// of a thread follow one another. Groups are needed because on few cores a single burst contains one or
// two threads, and threads of different bursts would never contend.
bool ReplayThreads::reach_burst(Core& core, uint64_t number) {
  core.state = Core::State::AtBurst;
  core.waits_for = number / kTogether;
  if (core.waits_for != core.period)
    return false;
  core.state = Core::State::Ready;
  return true;
}

ReplayThreads::Lock& ReplayThreads::lock_of(const Core& core, size_t index, const Event& e) {
  return locks_[layout_.lock_key(core.thread->pid, index, address_of(e))];
}

// Takes a lock, which readers share. Returns false when the thread must wait for it.
bool ReplayThreads::lock(Core& core, size_t index, const Event& e) {
  Lock& lock = lock_of(core, index, e);
  const bool reads = kind_of(e) == LENTO_READER;
  const bool taken = lock.holder != Lock::kNobody && lock.holder != index;
  if (taken || (lock.readers > 0 && kind_of(e) == LENTO_WRITER)) {
    lock.waiting.push_back(index);
    core.state = Core::State::AtLock;
    core.waits_for = address_of(e);
    core.asked = core.time;
    core.held_up_by = taken ? lock.holder : lock.last;
    return false;
  }
  if (reads)
    ++lock.readers;
  else
    core.hold(index, lock);
  return true;
}

void ReplayThreads::unlock(Core& core, size_t index, const Event& e) {
  Lock& lock = lock_of(core, index, e);
  lock.holder = Lock::kNobody;
  core.let_go();
  hand_over(lock, core.time);
}

// Gives back a read-write lock.
void ReplayThreads::leave(Core& core, size_t index, const Event& e) {
  Lock& lock = lock_of(core, index, e);
  if (lock.holder == index)
    lock.holder = Lock::kNobody, core.let_go();
  else
    lock.readers -= std::min<size_t>(1, lock.readers);
  if (lock.readers == 0)
    hand_over(lock, core.time);
}

// Hands a lock over in the order of requests. Otherwise the thread that released it would always be the
// first to take it again. The readers at the head of the queue take it together.
void ReplayThreads::hand_over(Lock& lock, uint64_t time) {
  bool readers = true;
  for (bool woken = false; readers && !lock.waiting.empty(); woken = true) {
    const size_t next = lock.waiting.front();
    readers = kind_of(*cores_[next].at) == LENTO_READER;
    if (woken && !readers)
      break;
    lock.waiting.pop_front();
    if (!readers)
      lock.holder = next;
    wake(next, time);
  }
}

// Takes a permit of a semaphore. Returns false when the thread must wait for one.
bool ReplayThreads::take(Core& core, size_t index, const Event& e) {
  Lock& lock = lock_of(core, index, e);
  if (lock.permits == 0) {
    lock.waiting.push_back(index);
    core.state = Core::State::AtLock;
    core.waits_for = address_of(e);
    return false;
  }
  if (lock.permits)
    --*lock.permits;
  return true;
}

void ReplayThreads::give(const Core& core, size_t index, const Event& e) {
  Lock& lock = lock_of(core, index, e);
  if (lock.permits)
    ++*lock.permits;
  if (lock.waiting.empty())
    return;
  const size_t next = lock.waiting.front();
  lock.waiting.pop_front();
  wake(next, core.time);
}

// Wakes threads when none can run: the next bursts begin, or an incomplete recording blocks all threads.
// Returns whether any woke.
bool ReplayThreads::unblock() {
  uint64_t burst = Lock::kNobody;
  uint64_t time = 0;
  for (const Core& core : cores_) {
    time = std::max(time, core.time);
    if (core.state == Core::State::AtBurst)
      burst = std::min(burst, core.waits_for);
  }
  bool any = false;
  for (size_t i = 0; i < cores_.size(); ++i) {
    Core& core = cores_[i];
    const bool at_burst = core.state == Core::State::AtBurst;
    const bool stuck = burst == Lock::kNobody &&
                       (core.state == Core::State::AtLock || core.state == Core::State::AtJoin ||
                        core.state == Core::State::AtMeeting || core.state == Core::State::Waiting);
    if (at_burst && core.waits_for != burst)
      continue;
    if (!at_burst && !stuck)
      continue;
    core.forget_locks();
    if (at_burst)
      core.period = burst;
    if (at_burst || core.state == Core::State::AtJoin || core.state == Core::State::AtMeeting)
      ++core.at;
    wake(i, time);
    any = true;
  }
  for (auto& [where, lock] : locks_) {
    for (const size_t i : lock.waiting) {
      if (cores_[i].state == Core::State::AtLock)
        wake(i, time), any = true;
    }
    lock = {};
  }
  return any;
}

void ReplayThreads::set_permits(const Core& core, size_t index, const Event& e) {
  lock_of(core, index, e).permits = e.second;
}

}  // namespace lento::memory
