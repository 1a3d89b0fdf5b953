// Computes the wait of each access of a replay: a transfer from the core that modified the line, a hit in the
// core's own caches, or a fetch from the memory of a node, which serves one line at a time. Each wait names
// the core and instruction that caused it.
#include "memory/record/replay_machine.h"

#include <algorithm>

namespace lento::memory {
namespace {

using Level = PrivateCache::Level;

uint16_t cpu_of(size_t core) {
  return uint16_t(std::min<size_t>(core, UINT16_MAX - 1));
}

uint32_t blamed(uint64_t wait) {
  return uint32_t(std::min<uint64_t>(wait, UINT32_MAX - 1));
}

// Charges a wait for a line that only readers held: to the last reader, or to any holder where that was the
// core itself.
void charge_reader(const LineState& line, size_t core, AccessRecord& r) {
  if (line.last_reader != UINT32_MAX && line.last_reader != core) {
    r.culprit = cpu_of(line.last_reader);
    r.culprit_pc = line.reader_pc;
    return;
  }
  size_t other = 0;
  while (other < LineState::kCores && (other == core % LineState::kCores || !line.held_by(other)))
    ++other;
  r.culprit = uint16_t(other < LineState::kCores ? other : r.cpu == 0);
}

void charge(const LineState& line, size_t core, uint64_t wait, AccessRecord& r) {
  r.cause = memory::DelayCause::Coherence;
  r.blamed = blamed(wait);
  if (line.last_writer == UINT32_MAX || line.last_writer == core)
    return charge_reader(line, core, r);
  r.culprit = cpu_of(line.last_writer);
  r.culprit_pc = line.writer_pc;
}

void take_line(LineState& line, size_t core, bool writes, uint64_t pc) {
  if (!writes) {
    if (line.last_writer != core) {
      line.last_reader = uint32_t(core);
      line.reader_pc = pc;
    }
    line.writer = line.writer == core ? line.writer : UINT32_MAX;
    line.hold(core);
    return;
  }
  line.holders = {};
  line.hold(core);
  line.writer = uint32_t(core);
  line.last_writer = line.writer;
  line.writer_pc = pc;
  line.last_reader = UINT32_MAX;
}

}  // namespace

ReplayMachine::ReplayMachine(const CoreModel& model, size_t cores, uint32_t line_bytes)
    : model_(model),
      caches_(cores, PrivateCache(model.first, model.second, line_bytes)),
      memories_(std::max(1U, model.nodes)) {
}

uint64_t ReplayMachine::access(size_t core, uint64_t key, AccessRecord& r) {
  LineState& line = lines_.of(key);
  const bool writes = r.writes();
  const bool owns = line.writer == core;
  const bool foreign = line.writer != UINT32_MAX && !owns;
  const bool moves = foreign || (writes && !owns && line.held_by_others(core));
  if (memories_.size() > 1) {
    r.node = uint8_t(node_of(core));
    home_of(r, r.node);
  }
  const uint64_t wait = moves ? transfer(core, key, line, r) : fetch(core, key, line, r);
  line.seen = true;
  line.waited_for |= wait > 0;
  take_line(line, core, writes, r.pc);
  return wait;
}

// Transfers the line from the core that modified it, or from all that hold it. A line makes one transfer at a
// time.
uint64_t ReplayMachine::transfer(size_t core, uint64_t key, LineState& line, AccessRecord& r) {
  const uint64_t start = std::max(r.cycle, line.busy_until);
  const uint64_t wait = start + model_.transfer - r.cycle;
  line.busy_until = start + model_.transfer;
  contended_ += wait;
  charge(line, core, wait, r);
  if (key & kElsewhere)
    return wait;
  const Level level = caches_[core].find(key);
  if (level != Level::First)
    give_up(core, caches_[core].take(key, level));
  return wait;
}

// Fetches a line that no other core took away: from the core's own caches, from another core that shares it,
// or from memory where it was evicted.
uint64_t ReplayMachine::fetch(size_t core, uint64_t key, LineState& line, AccessRecord& r) {
  r.flags |= AccessRecord::kLocal;
  if (key & kElsewhere)
    return 0;  // a new layout that ends a fight would not spread words over so many lines
  PrivateCache& cache = caches_[core];
  const Level level = cache.find(key);
  const bool holds = line.held_by(core);
  if (holds && level == Level::First)
    return 0;
  const bool lost = line.seen && !holds && !line.held_by_others(core);
  const bool streams = cache.streams(key);
  if (level != Level::First)
    give_up(core, cache.take(key, level));
  if (lost)
    return from_memory(core, r, streams);
  if (!holds || level == Level::Lost || streams)
    return 0;
  r.flags &= uint8_t(~AccessRecord::kLocal);
  r.service = memory::Service::L2;
  return model_.second_hit;
}

// Removes an evicted line. The write-back is free, like first uses.
void ReplayMachine::give_up(size_t core, uint64_t gone) {
  LineState* const line = gone == Tags::kNone ? nullptr : lines_.find(gone);
  if (line)
    line->lose(core);
}

uint64_t ReplayMachine::from_memory(size_t core, AccessRecord& r, bool streams) {
  const size_t here = node_of(core);
  const size_t there = home_of(r, here);
  Memory& memory = memories_[there];
  const uint64_t queue = memory.free > r.cycle ? memory.free - r.cycle : 0;
  memory.free = r.cycle + queue + model_.memory_line;
  const uint64_t way = there == here ? model_.memory : model_.remote_memory;
  // Prefetched lines arrive in time, except for the memory's rate.
  const uint64_t queued = streams ? queue - std::min(queue, way) : queue;
  const uint64_t wait = streams ? queued : way + queue;
  if (queued > 0 && memory.last != core) {
    r.cause = memory::DelayCause::Interconnect;
    r.culprit = cpu_of(memory.last);
    r.culprit_pc = memory.last_pc;
    r.blamed = blamed(queued);
  }
  memory.last = core;
  memory.last_pc = r.pc;
  if (wait == 0)
    return 0;
  r.flags &= uint8_t(~AccessRecord::kLocal);
  r.service = there == here ? memory::Service::LocalMemory : memory::Service::RemoteMemory;
  return wait;
}

size_t ReplayMachine::node_of(size_t core) const {
  return core * memories_.size() / caches_.size();
}

// Returns the node of the page, which is that of its first user.
size_t ReplayMachine::home_of(const AccessRecord& r, size_t here) {
  if (memories_.size() == 1)
    return 0;
  return homes_.try_emplace(uint64_t{r.process} << 44 | r.address >> 12, here).first->second;
}

}  // namespace lento::memory
