// Replays a recording in virtual time. The thread with the smallest (time, number) always performs its next
// event, so the result does not depend on the machine that recorded. Locks, joins, barriers and the begin of
// bursts hold threads up as in the program. When an incomplete recording blocks all threads, they are
// released together. Cost: one queue operation per wake-up and one line look-up per access.
#include <algorithm>
#include <map>
#include <set>

#include "memory/record/code_work.h"
#include "memory/record/new_layout.h"
#include "memory/record/replay_core.h"
#include "memory/record/replay_machine.h"
#include "memory/record/shared_memory.h"

namespace lento::memory {
namespace {

constexpr uint64_t kTogether = 64;  // bursts that are replayed as one
constexpr size_t kMostBlocks = size_t{1} << 20;
constexpr size_t kKeptBlocks = size_t{1} << 16;
constexpr uint64_t kNobody = ReplayLock::kNobody;

using Core = ReplayCore;
using Lock = ReplayLock;
using Meeting = ReplayMeeting;

class Replay {
 public:
  Replay(
      const Recording& recording,
      uint32_t line_bytes,
      const std::vector<Relayout>& relayouts,
      AccessSink* sink,
      const CoreModel& model)
      : line_bytes_(line_bytes),
        layout_(relayouts, line_bytes),
        sink_(sink),
        model_(model) {
    std::map<uint32_t, uint16_t> processes;
    for (const Recording::Thread& thread : recording.threads()) {
      Core core;
      core.thread = &thread;
      core.at = thread.pieces.front().first;
      number_[{thread.pid, thread.number}] = cores_.size();
      process_.push_back(processes.try_emplace(thread.pid, uint16_t(processes.size() + 1)).first->second);
      cores_.push_back(core);
    }
    several_processes_ = processes.size() > 1;
    machine_.emplace(model, cores_.size(), line_bytes);
    if (model.width > 0)
      work_.emplace(recording.maps());
    hold_back_children();
  }

  // Runs all threads in the order of their virtual time.
  VirtualRun run(const base::Progress& progress) {
    for (size_t i = 0; i < cores_.size(); ++i)
      enqueue(i);
    for (;;) {
      if (queue_.empty() && !unblock())
        break;
      if (queue_.empty())
        continue;
      const auto [time, index] = *queue_.begin();
      queue_.erase(queue_.begin());
      run_until(index, queue_.empty() ? std::pair{kNobody, cores_.size()} : *queue_.begin());
      if ((++rounds_ & 0xffff) != 0)
        continue;
      progress("replayed accesses", double(result_.accesses), 0);
      if (progress.stopped())
        break;
    }
    return finish();
  }

 private:
  // Marks each thread that another one creates as waiting for its creation, and reads all shared mappings
  // before the first access.
  void hold_back_children() {
    for (const Core& core : cores_) {
      for (const auto& [begin, end] : core.thread->pieces) {
        for (const Recording::Event* e = begin; e != end; ++e) {
          if (kind_of(*e) >= LENTO_ALLOC)
            shared_.add(core.thread->pid, *e);
          if (work_ && is_access(kind_of(*e)))
            work_->add_call(e->second);
          if (kind_of(*e) != LENTO_CREATE)
            continue;
          const auto child = find(core, address_of(*e));
          if (child < cores_.size() && &cores_[child] != &core)
            cores_[child].state = Core::State::Waiting;
        }
      }
    }
    shared_.hand_down();
  }

  size_t find(const Core& core, uint64_t thread) const {
    const auto at = number_.find({core.thread->pid, uint32_t(thread)});
    if (at == number_.end())
      return cores_.size();
    return at->second;
  }

  void enqueue(size_t index) {
    if (cores_[index].state == Core::State::Ready)
      queue_.emplace(cores_[index].time, index);
  }

  // Makes a waiting core ready.
  void wake(size_t index, uint64_t time) {
    Core& core = cores_[index];
    core.state = Core::State::Ready;
    core.time = std::max(core.time, time);
    enqueue(index);
  }

  // Runs the core as long as it is the earliest.
  void run_until(size_t index, const std::pair<uint64_t, size_t>& next) {
    Core& core = cores_[index];
    while (core.state == Core::State::Ready && std::pair{core.time, index} < next) {
      const size_t waiting = queue_.size();
      step(core, index);
      if (queue_.size() != waiting)
        break;  // a thread woke, perhaps earlier than `next`
    }
    enqueue(index);
  }

  void step(Core& core, size_t index) {
    if (core.at == core.thread->pieces[core.piece].second) {
      if (++core.piece == core.thread->pieces.size())
        return end(core, index);
      core.at = core.thread->pieces[core.piece].first;
    }
    const Recording::Event& e = *core.at;
    switch (kind_of(e)) {
      case LENTO_READ:
        if (!model_.polls && core.repeats())
          break;
        access(core, index, e, AccessType::Load);
        break;
      case LENTO_WRITE:
        access(core, index, e, AccessType::Store);
        break;
      case LENTO_UPDATE:
      case LENTO_DROP:
      case LENTO_ATOMIC:
      case LENTO_COMPARE:
      case LENTO_LOST:
        access(core, index, e, AccessType::Atomic);
        break;
      case LENTO_LOCK:
      case LENTO_READER:
      case LENTO_WRITER:
        if (!lock(core, index, e))
          return;
        break;
      case LENTO_LEAVE:
        leave(core, index, e);
        break;
      case LENTO_PERMITS:
        lock_of(core, index, e).permits = e.second;
        break;
      case LENTO_TAKE:
        if (!take(core, index, e))
          return;
        break;
      case LENTO_GIVE:
        give(core, index, e);
        break;
      case LENTO_BURST:
        return reach_burst(core, address_of(e));
      case LENTO_CREATE:
        create(core, e);
        break;
      case LENTO_JOIN:
        if (!join(core, e))
          return;
        break;
      case LENTO_UNLOCK:
        unlock(core, index, e);
        break;
      case LENTO_POST:
        arrive(core, address_of(e));
        break;
      case LENTO_AWAIT:
        if (!meet(core, index, e))
          return;
        break;
      case LENTO_ALLOC:
        if (blocks_.size() < kMostBlocks)
          blocks_.push_back({address_of(e), 0, e.second});
        break;
      case LENTO_CALLERS:
        if (!blocks_.empty())
          blocks_.back().callers = {address_of(e), e.second};
        break;
      case LENTO_SIZE:
        if (!blocks_.empty() && blocks_.back().bytes == 0)
          blocks_.back().bytes = address_of(e);
        break;
      default:
        break;
    }
    ++core.at;
  }

  // Ends a thread and wakes the threads that wait for it.
  void end(Core& core, size_t index) {
    core.state = Core::State::Ended;
    for (size_t i = 0; i < cores_.size(); ++i) {
      if (cores_[i].state == Core::State::AtJoin && cores_[i].waits_for == index)
        wake(i, core.time);
    }
  }

  void create(Core& core, const Recording::Event& e) {
    const size_t child = find(core, address_of(e));
    if (child < cores_.size() && cores_[child].state == Core::State::Waiting)
      cores_[child].began = core.time, wake(child, core.time);
  }

  // Returns whether the joined thread has ended. Otherwise the core waits for it.
  bool join(Core& core, const Recording::Event& e) {
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
  void arrive(const Core& core, uint64_t key) {
    Meeting& m = meetings_[{core.thread->pid, key}];
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
  bool meet(Core& core, size_t index, const Recording::Event& e) {
    Meeting& m = meetings_[{core.thread->pid, address_of(e)}];
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
  void reach_burst(Core& core, uint64_t number) {
    core.state = Core::State::AtBurst;
    core.waits_for = number / kTogether;
    if (core.waits_for != core.period)
      return;
    core.state = Core::State::Ready;
    ++core.at;
  }

  Lock& lock_of(const Core& core, size_t index, const Recording::Event& e) {
    return locks_[layout_.lock_key(core.thread->pid, index, address_of(e))];
  }

  // Takes a lock, which readers share. Returns false when the thread must wait for it.
  bool lock(Core& core, size_t index, const Recording::Event& e) {
    Lock& lock = lock_of(core, index, e);
    const bool reads = kind_of(e) == LENTO_READER;
    const bool taken = lock.holder != kNobody && lock.holder != index;
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
    access(core, index, e, AccessType::Atomic);
    return true;
  }

  void unlock(Core& core, size_t index, const Recording::Event& e) {
    Lock& lock = lock_of(core, index, e);
    access(core, index, e, AccessType::Store);
    lock.holder = kNobody;
    core.let_go();
    hand_over(lock, core.time);
  }

  // Gives back a read-write lock.
  void leave(Core& core, size_t index, const Recording::Event& e) {
    Lock& lock = lock_of(core, index, e);
    access(core, index, e, AccessType::Atomic);
    if (lock.holder == index)
      lock.holder = kNobody, core.let_go();
    else
      lock.readers -= std::min<size_t>(1, lock.readers);
    if (lock.readers == 0)
      hand_over(lock, core.time);
  }

  // Hands a lock over in the order of requests. Otherwise the thread that released it would always be the
  // first to take it again. The readers at the head of the queue take it together.
  void hand_over(Lock& lock, uint64_t time) {
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
  bool take(Core& core, size_t index, const Recording::Event& e) {
    Lock& lock = lock_of(core, index, e);
    if (lock.permits == 0) {
      lock.waiting.push_back(index);
      core.state = Core::State::AtLock;
      core.waits_for = address_of(e);
      return false;
    }
    if (lock.permits)
      --*lock.permits;
    access(core, index, e, AccessType::Atomic);
    return true;
  }

  void give(Core& core, size_t index, const Recording::Event& e) {
    Lock& lock = lock_of(core, index, e);
    access(core, index, e, AccessType::Atomic);
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
  bool unblock() {
    uint64_t burst = kNobody;
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
      const bool stuck =
          burst == kNobody && (core.state == Core::State::AtLock || core.state == Core::State::AtJoin ||
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

  void access(Core& core, size_t index, const Recording::Event& e, AccessType type) {
    AccessRecord r;
    r.cycle = core.time;
    r.pc = e.second == 0 ? 0 : e.second - 1;  // of the call, not of what follows it
    r.address = address_of(e);
    r.type = type;
    r.size = size_of(e);
    r.cpu = uint16_t(std::min<size_t>(index, UINT16_MAX - 1));
    r.thread = core.thread->number;
    r.process = process_[index];
    if (const auto place = several_processes_ ? shared_.place(core.thread->pid, r.address) : std::nullopt)
      r.address = *place, r.process = 0;
    r.flags = AccessRecord::kServiceKnown;
    r.flags |= flags_of(kind_of(e));
    ReplayMachine::Hints hints = layout_.hints(r.process, r.address);
    hints.dependent = is_dependent(e);
    hints.updates = type == AccessType::Load && core.stores_next(address_of(e));
    const uint64_t wait = machine_->access(index, layout_.line_key(r.process, index, r.address), hints, r);
    r.latency = uint32_t(std::min<uint64_t>(1 + wait, AccessRecord::kNoLatency - 1));
    if (core.asked)
      core.charge_lock(r);
    if (core.guards > 0)
      r.flags |= AccessRecord::kGuarded;
    // A thread needs no atomic operation for a count of its own, and releases a lock with one.
    const unsigned kind = kind_of(e);
    const bool own_count = hints.copied && (kind == LENTO_UPDATE || kind == LENTO_DROP);
    const bool is_atomic = (r.is_atomic() && !own_count) || kind == LENTO_UNLOCK;
    core.time += step_of(core, r, e) + wait + core.in_core(r, is_atomic, core.time + wait, model_);
    ++result_.accesses;
    if (!sink_)
      return;
    sink_->record(r);
    if ((result_.accesses & 0xffff) == 0)
      sink_->advance(r.cycle);
  }

  // Returns the cycles to the thread's next access: those of the instructions between, and a step at least.
  uint64_t step_of(Core& core, const AccessRecord& r, const Recording::Event& e) {
    const bool streams = model_.nodes > 1 && core.streams(r.pc, r.address, machine_->hit_first());
    const uint64_t step = streams ? model_.stream_step : model_.step;
    const Recording::Event* const next = work_ ? core.next_access() : nullptr;
    if (!next)
      return step;
    const Work& work = work_->between(e.second, next->second);
    const uint64_t parts = work.instructions + work.divisions * model_.divide * model_.width;
    core.parts += std::max(step * model_.width, parts);
    const uint64_t cycles = core.parts / model_.width;
    core.parts %= model_.width;
    return cycles;
  }

  // Returns the results of the run, with the heap blocks on lines that cores waited for.
  VirtualRun finish() {
    for (const Core& core : cores_)
      result_.cycles = std::max(result_.cycles, core.time), result_.worked += core.time - core.began;
    result_.threads = cores_.size();
    result_.contended = machine_->contended();
    std::set<uint64_t> hot;
    machine_->lines().each([&](const LineState& line) {
      if (line.waited_for)
        hot.insert(line.key & 0xfffffffffff);
    });
    for (const VirtualRun::Block& block : blocks_) {
      const auto first = hot.lower_bound(block.low / line_bytes_);
      const bool is_hot = first != hot.end() && *first <= (block.low + block.bytes) / line_bytes_;
      if (is_hot && block.bytes > 0 && result_.blocks.size() < kKeptBlocks)
        result_.blocks.push_back(block);
    }
    return std::move(result_);
  }

  const uint32_t line_bytes_;
  const NewLayout layout_;
  AccessSink* sink_;
  const CoreModel model_;
  std::optional<ReplayMachine> machine_;
  std::optional<CodeWork> work_;
  std::vector<Core> cores_;
  std::vector<uint16_t> process_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> number_;
  std::set<std::pair<uint64_t, size_t>> queue_;  // threads that can run, as (time, index)
  std::map<std::pair<uint32_t, uint64_t>, Lock> locks_;
  std::map<std::pair<uint32_t, uint64_t>, Meeting> meetings_;  // by process and key
  SharedMemory shared_;
  bool several_processes_ = false;
  std::vector<VirtualRun::Block> blocks_;
  VirtualRun result_;
  uint64_t rounds_ = 0;
};

}  // namespace

VirtualRun replay_recording(
    const Recording& recording,
    uint32_t line_bytes,
    const std::vector<Relayout>& relayouts,
    AccessSink* sink,
    const base::Progress& progress,
    const CoreModel& model) {
  if (recording.threads().empty())
    return {};
  return Replay(recording, line_bytes, relayouts, sink, model).run(progress);
}

}  // namespace lento::memory
