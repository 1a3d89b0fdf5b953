// Replays a recording in virtual time: performs the events of the threads in the order of replay_threads.h,
// so that the result does not depend on the machine that recorded. Cost: one line look-up per access.
#include <algorithm>
#include <map>
#include <set>

#include "memory/record/code_work.h"
#include "memory/record/replay_machine.h"
#include "memory/record/replay_threads.h"
#include "memory/record/shared_memory.h"

namespace lento::memory {
namespace {

constexpr size_t kMostBlocks = size_t{1} << 20;
constexpr size_t kKeptBlocks = size_t{1} << 16;

using Core = ReplayCore;

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
        threads_(layout_),
        sink_(sink),
        model_(model) {
    std::map<uint32_t, uint16_t> processes;
    for (const Recording::Thread& thread : recording.threads()) {
      threads_.add(thread);
      process_.push_back(processes.try_emplace(thread.pid, uint16_t(processes.size() + 1)).first->second);
    }
    several_processes_ = processes.size() > 1;
    machine_.emplace(model, threads_.cores().size(), line_bytes);
    if (model.width > 0)
      work_.emplace(recording.maps());
    hold_back_children();
  }

  // Runs all threads in the order of their virtual time.
  VirtualRun run(const base::Progress& progress) {
    threads_.start();
    while (const std::optional<ReplayThreads::Turn> turn = threads_.next()) {
      run(*turn);
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
    for (const Core& core : threads_.cores()) {
      for (const auto& [begin, end] : core.thread->pieces) {
        for (const Recording::Event* e = begin; e != end; ++e) {
          if (kind_of(*e) >= LENTO_ALLOC)
            shared_.add(core.thread->pid, *e);
          if (work_ && is_access(kind_of(*e)))
            work_->add_call(e->second);
          if (kind_of(*e) == LENTO_CREATE)
            threads_.hold_back_child(core, *e);
        }
      }
    }
    shared_.hand_down();
  }

  // Runs the thread as long as it is the earliest.
  void run(const ReplayThreads::Turn& turn) {
    Core& core = threads_.cores()[turn.index];
    while (core.state == Core::State::Ready && ReplayThreads::Instant{core.time, turn.index} < turn.until) {
      const size_t ready = threads_.ready();
      step(core, turn.index);
      if (threads_.ready() != ready)
        break;  // a thread woke, perhaps earlier than `until`
    }
    threads_.enqueue(turn.index);
  }

  void step(Core& core, size_t index) {
    if (core.at == core.thread->pieces[core.piece].second) {
      if (++core.piece == core.thread->pieces.size())
        return threads_.end(core, index);
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
        if (!threads_.lock(core, index, e))
          return;
        access(core, index, e, AccessType::Atomic);
        break;
      case LENTO_LEAVE:
        access(core, index, e, AccessType::Atomic);
        threads_.leave(core, index, e);
        break;
      case LENTO_PERMITS:
        threads_.set_permits(core, index, e);
        break;
      case LENTO_TAKE:
        if (!threads_.take(core, index, e))
          return;
        access(core, index, e, AccessType::Atomic);
        break;
      case LENTO_GIVE:
        access(core, index, e, AccessType::Atomic);
        threads_.give(core, index, e);
        break;
      case LENTO_BURST:
        if (!threads_.reach_burst(core, address_of(e)))
          return;
        break;
      case LENTO_CREATE:
        threads_.create(core, e);
        break;
      case LENTO_JOIN:
        if (!threads_.join(core, e))
          return;
        break;
      case LENTO_UNLOCK:
        access(core, index, e, AccessType::Store);
        threads_.unlock(core, index, e);
        break;
      case LENTO_POST:
        threads_.arrive(core, address_of(e));
        break;
      case LENTO_AWAIT:
        if (!threads_.meet(core, index, e))
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
    for (const Core& core : threads_.cores())
      result_.cycles = std::max(result_.cycles, core.time), result_.worked += core.time - core.began;
    result_.threads = threads_.cores().size();
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
  ReplayThreads threads_;
  AccessSink* sink_;
  const CoreModel model_;
  std::optional<ReplayMachine> machine_;
  std::optional<CodeWork> work_;
  std::vector<uint16_t> process_;
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
