// The replay of a recording: always the thread with the smallest (time, number) does its next event.
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "memory/record/line_table.h"
#include "memory/record/record_format.h"
#include "memory/record/recording.h"

namespace lento::memory {
namespace {

using trace::AccessRecord;
using trace::AccessType;

constexpr uint64_t kTogether = 64;  // bursts that are replayed as one
constexpr size_t kMostBlocks = size_t{1} << 20;
constexpr size_t kKeptBlocks = size_t{1} << 16;
constexpr uint64_t kNobody = UINT64_MAX;
constexpr uint64_t kElsewhere = uint64_t{1} << 62;  // of a line's key: laid out anew

struct Core {
  const Recording::Thread* thread = nullptr;
  size_t piece = 0;
  const Recording::Event* at = nullptr;
  uint64_t time = 0;
  enum class State {
    Waiting,
    Ready,
    AtBurst,
    AtLock,
    AtJoin,
    Ended
  } state = State::Ready;
  uint64_t waits_for = 0;  // period of bursts, lock, thread
  uint64_t period = 0;     // of the bursts it is in
};

unsigned kind_of(const Recording::Event& e) {
  return unsigned(e.first >> 52 & 15);
}
uint64_t address_of(const Recording::Event& e) {
  return e.first & 0xffffffffffff;
}
uint8_t size_of(const Recording::Event& e) {
  return uint8_t(1u << (e.first >> 48 & 15));
}

class Replay {
 public:
  Replay(
      const Recording& recording,
      uint32_t line_bytes,
      const std::vector<Relayout>& relayouts,
      trace::AccessSink* sink,
      const CoreModel& model)
      : line_bytes_(line_bytes),
        relayouts_(relayouts),
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
      caches_.emplace_back(model.first, model.second, line_bytes);
    }
    memories_.resize(std::max(1U, model.nodes));
    hold_back_children();
  }

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
  // Threads that somebody creates wait for that.
  void hold_back_children() {
    for (const Core& core : cores_) {
      for (const auto& [begin, end] : core.thread->pieces) {
        for (const Recording::Event* e = begin; e != end; ++e) {
          if (kind_of(*e) != LENTO_CREATE)
            continue;
          const auto child = find(core, address_of(*e));
          if (child < cores_.size() && &cores_[child] != &core)
            cores_[child].state = Core::State::Waiting;
        }
      }
    }
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

  void wake(size_t index, uint64_t time) {
    Core& core = cores_[index];
    core.state = Core::State::Ready;
    core.time = std::max(core.time, time);
    enqueue(index);
  }

  // As long as it is the earliest.
  void run_until(size_t index, const std::pair<uint64_t, size_t>& next) {
    Core& core = cores_[index];
    while (core.state == Core::State::Ready && std::pair{core.time, index} < next) {
      const size_t waiting = queue_.size();
      step(core, index);
      if (queue_.size() != waiting)
        break;  // somebody woke, perhaps earlier than `next`
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
        access(core, index, e, AccessType::Load);
        break;
      case LENTO_WRITE:
        access(core, index, e, AccessType::Store);
        break;
      case LENTO_UPDATE:
      case LENTO_ATOMIC:
        access(core, index, e, AccessType::Atomic);
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
      case LENTO_LOCK:
        if (!lock(core, index, e))
          return;
        break;
      case LENTO_UNLOCK:
        unlock(core, index, e);
        break;
      case LENTO_ALLOC:
        allocate(e);
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
      wake(child, core.time);
  }

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

  // All threads begin a second of bursts together; who holds which lock is not known then. Within it the
  // bursts of a thread follow one another: on few cores a single burst holds a thread or two, and nobody
  // would meet.
  void reach_burst(Core& core, uint64_t number) {
    core.state = Core::State::AtBurst;
    core.waits_for = number / kTogether;
    if (core.waits_for != core.period)
      return;
    core.state = Core::State::Ready;
    ++core.at;
  }

  // A mutex that each thread has a copy of is a mutex each.
  std::pair<uint32_t, uint64_t> lock_key(const Core& core, size_t index, uint64_t address) const {
    for (const Relayout& r : relayouts_) {
      if (r.kind == Relayout::Kind::Private && address >= r.low && address < r.high)
        return {core.thread->pid, address | uint64_t{index + 1} << 48};
    }
    return {core.thread->pid, address};
  }

  bool lock(Core& core, size_t index, const Recording::Event& e) {
    Lock& lock = locks_[lock_key(core, index, address_of(e))];
    if (lock.holder != kNobody && lock.holder != index) {
      lock.waiting.push_back(index);
      core.state = Core::State::AtLock;
      core.waits_for = address_of(e);
      return false;
    }
    lock.holder = index;
    access(core, index, e, AccessType::Atomic);
    return true;
  }

  void unlock(Core& core, size_t index, const Recording::Event& e) {
    Lock& lock = locks_[lock_key(core, index, address_of(e))];
    access(core, index, e, AccessType::Store);
    lock.holder = kNobody;
    if (lock.waiting.empty())
      return;
    // Handed over in the order of asking; else who gave it back would always be the first to ask again.
    const size_t next = lock.waiting.front();
    lock.waiting.pop_front();
    lock.holder = next;
    wake(next, core.time);
  }

  void allocate(const Recording::Event& e) {
    if (blocks_.size() < kMostBlocks)
      blocks_.push_back({address_of(e), 0, e.second});
  }

  // Nobody can go on: a burst begins, or what was recorded in part holds everybody up.
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
                               core.state == Core::State::Waiting);
      if (at_burst && core.waits_for != burst)
        continue;
      if (!at_burst && !stuck)
        continue;
      if (at_burst)
        core.period = burst;
      if (at_burst || core.state == Core::State::AtJoin)
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

  // The line that the access falls into, after a new layout; and whether it is the same for all threads.
  uint64_t line_key(const Core& core, size_t index, uint64_t address) const {
    constexpr uint64_t kCopies = uint64_t{1} << 61;
    for (const Relayout& r : relayouts_) {
      if (address < r.low || address >= r.high)
        continue;
      if (r.kind == Relayout::Kind::Pad)
        return kElsewhere | uint64_t{process_[index] & 0x1fffU} << 48 | address;
      return kElsewhere | kCopies | index << 44 | (address / line_bytes_ & 0xfffffffffff);
    }
    // Processes at equal addresses have memory of their own: the number of the process stands above 48 bits.
    return uint64_t{process_[size_t(&core - cores_.data())]} << 44 | address / line_bytes_;
  }

  void access(Core& core, size_t index, const Recording::Event& e, AccessType type) {
    const uint64_t address = address_of(e);
    const uint64_t key = line_key(core, index, address);
    LineState& line = lines_.of(key);
    const bool writes = type != AccessType::Load;
    const bool owns = line.writer == index;
    const bool foreign = line.writer != UINT32_MAX && !owns;
    const bool moves = foreign || (writes && !owns && line.held_by_others(index));
    AccessRecord r;
    r.cycle = core.time;
    r.pc = e.second == 0 ? 0 : e.second - 1;  // of the call, not of what follows it
    r.address = address;
    r.type = type;
    r.size = size_of(e);
    r.cpu = uint16_t(std::min<size_t>(index, UINT16_MAX - 1));
    r.thread = core.thread->number;
    r.process = process_[index];
    r.flags = AccessRecord::kServiceKnown;
    uint64_t wait = 0;
    if (memories_.size() > 1) {
      r.node = uint8_t(node_of(index));
      home_of(r, node_of(index));
    }
    if (kind_of(e) == LENTO_UPDATE)
      r.flags |= AccessRecord::kUpdate;
    if (moves) {
      const uint64_t start = std::max(core.time, line.busy_until);
      wait = start + model_.transfer - core.time;
      line.busy_until = start + model_.transfer;
      result_.contended += wait;
      charge(line, index, wait, r);
      hold(index, key);
    } else {
      wait = fetch(index, key, line, r);
    }
    line.seen = true;
    line.waited_for |= wait > 0;
    r.latency = uint32_t(std::min<uint64_t>(1 + wait, AccessRecord::kNoLatency - 1));
    core.time += model_.step + wait;
    ++result_.accesses;
    take_line(line, index, writes, r.pc);
    if (!sink_)
      return;
    sink_->record(r);
    if ((result_.accesses & 0xffff) == 0)
      sink_->advance(r.cycle);
  }

  // A line that nobody took away: from the core's own caches, from whoever holds it too, or from memory where
  // it was lost. The cycles that it takes beyond a hit.
  uint64_t fetch(size_t index, uint64_t key, LineState& line, AccessRecord& r) {
    r.flags |= AccessRecord::kLocal;
    if (key & kElsewhere)
      return 0;  // a new layout that ends a fight would not spread words over so many lines
    PrivateCache& cache = caches_[index];
    const auto level = cache.find(key);
    const bool holds = line.held_by(index);
    if (holds && level == PrivateCache::Level::First)
      return 0;
    const bool lost = line.seen && !holds && !line.held_by_others(index);
    const bool streams = cache.streams(key);
    if (level != PrivateCache::Level::First)
      give_up(index, cache.take(key, level));
    if (lost)
      return from_memory(index, r, streams);
    if (!holds || level == PrivateCache::Level::Lost || streams)
      return 0;
    r.flags &= uint8_t(~AccessRecord::kLocal);
    r.service = trace::Service::L2;
    return model_.second_hit;
  }

  // What came from another core stands in the caches.
  void hold(size_t index, uint64_t key) {
    if (key & kElsewhere)
      return;
    PrivateCache& cache = caches_[index];
    const auto level = cache.find(key);
    if (level != PrivateCache::Level::First)
      give_up(index, cache.take(key, level));
  }

  // A line that had to go. What is written back costs nothing, as first uses do.
  void give_up(size_t index, uint64_t gone) {
    LineState* const line = gone == Tags::kNone ? nullptr : lines_.find(gone);
    if (line)
      line->lose(index);
  }

  uint64_t from_memory(size_t index, AccessRecord& r, bool streams) {
    const auto here = node_of(index);
    const auto there = home_of(r, here);
    Memory& memory = memories_[there];
    const uint64_t queue = memory.free > r.cycle ? memory.free - r.cycle : 0;
    memory.free = r.cycle + queue + model_.memory_line;
    const uint64_t way = there == here ? model_.memory : model_.remote_memory;
    // What is fetched ahead comes in time but for the memory's rate.
    const uint64_t queued = streams ? queue - std::min(queue, way) : queue;
    const uint64_t wait = streams ? queued : way + queue;
    if (queued > 0 && memory.last != index) {
      r.cause = trace::DelayCause::Interconnect;
      r.culprit = uint16_t(std::min<size_t>(memory.last, UINT16_MAX - 1));
      r.culprit_pc = memory.last_pc;
      r.blamed = uint32_t(std::min<uint64_t>(queued, UINT32_MAX - 1));
    }
    memory.last = index;
    memory.last_pc = r.pc;
    if (wait == 0)
      return 0;
    r.flags &= uint8_t(~AccessRecord::kLocal);
    r.service = there == here ? trace::Service::LocalMemory : trace::Service::RemoteMemory;
    return wait;
  }

  size_t node_of(size_t index) const {
    return index * memories_.size() / cores_.size();
  }

  // The node of the page, which is the first user's.
  size_t home_of(const AccessRecord& r, size_t here) {
    if (memories_.size() == 1)
      return 0;
    return homes_.try_emplace(uint64_t{r.process} << 44 | r.address >> 12, here).first->second;
  }

  void charge(const LineState& line, size_t index, uint64_t wait, AccessRecord& r) const {
    r.cause = trace::DelayCause::Coherence;
    r.blamed = uint32_t(std::min<uint64_t>(wait, UINT32_MAX - 1));
    if (line.last_writer == UINT32_MAX || line.last_writer == index)
      return charge_reader(line, index, r);
    r.culprit = uint16_t(std::min<uint32_t>(line.last_writer, UINT16_MAX - 1));
    r.culprit_pc = line.writer_pc;
  }

  // Only readers had taken the line: the last one, or any where that was the core itself.
  void charge_reader(const LineState& line, size_t index, AccessRecord& r) const {
    if (line.last_reader != UINT32_MAX && line.last_reader != index) {
      r.culprit = uint16_t(std::min<uint32_t>(line.last_reader, UINT16_MAX - 1));
      r.culprit_pc = line.reader_pc;
      return;
    }
    size_t other = 0;
    while (other < LineState::kCores && (other == index % LineState::kCores || !line.held_by(other)))
      ++other;
    r.culprit = uint16_t(other < LineState::kCores ? other : r.cpu == 0);
  }

  static void take_line(LineState& line, size_t index, bool writes, uint64_t pc) {
    if (!writes) {
      if (line.last_writer != index) {
        line.last_reader = uint32_t(index);
        line.reader_pc = pc;
      }
      line.writer = line.writer == index ? line.writer : UINT32_MAX;
      line.hold(index);
      return;
    }
    line.holders = {};
    line.hold(index);
    line.writer = uint32_t(index);
    line.last_writer = line.writer;
    line.writer_pc = pc;
    line.last_reader = UINT32_MAX;
  }

  VirtualRun finish() {
    for (const Core& core : cores_)
      result_.cycles = std::max(result_.cycles, core.time);
    result_.threads = cores_.size();
    std::set<uint64_t> hot;
    lines_.each([&](const LineState& line) {
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

  struct Lock {
    uint64_t holder = kNobody;
    std::deque<size_t> waiting;
  };

  const uint32_t line_bytes_;
  const std::vector<Relayout>& relayouts_;
  trace::AccessSink* sink_;
  const CoreModel model_;
  std::vector<Core> cores_;
  std::vector<uint16_t> process_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> number_;
  std::set<std::pair<uint64_t, size_t>> queue_;  // who can go on, earliest first
  std::map<std::pair<uint32_t, uint64_t>, Lock> locks_;
  LineTable lines_;
  std::vector<PrivateCache> caches_;  // by core
  struct Memory {                     // of a node
    uint64_t free = 0;
    size_t last = 0;  // who fetched, and by which instruction
    uint64_t last_pc = 0;
  };
  std::vector<Memory> memories_;
  std::unordered_map<uint64_t, size_t> homes_;  // of pages, by process and number
  std::vector<VirtualRun::Block> blocks_;
  VirtualRun result_;
  uint64_t rounds_ = 0;
};

}  // namespace

VirtualRun replay_recording(
    const Recording& recording,
    uint32_t line_bytes,
    const std::vector<Relayout>& relayouts,
    trace::AccessSink* sink,
    const base::Progress& progress,
    const CoreModel& model) {
  if (recording.threads().empty())
    return {};
  return Replay(recording, line_bytes, relayouts, sink, model).run(progress);
}

}  // namespace lento::memory
