// Computes the wait of each access of a replay: a transfer from the core that modified the line, a hit in the
// core's own caches, or a fetch from the cache or memory of a node, which serves one line at a time. Misses
// overlap as far as a core has slots for them, unless an address follows from a value that is still on its
// way. Each wait names the core and instruction that caused it.
#include "memory/record/replay_machine.h"

#include <algorithm>
#include <bit>

namespace lento::memory {
namespace {

using Level = PrivateCache::Level;
using memory::Service;

uint16_t cpu_of(size_t core) {
  return uint16_t(std::min<size_t>(core, UINT16_MAX - 1));
}

uint32_t blamed(uint64_t wait) {
  return uint32_t(std::min<uint64_t>(wait, UINT32_MAX - 1));
}

// Charges a wait for a line that only readers have copies of: to the last reader, or to any other core with a
// copy where the last reader was the core itself.
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

// Names the core that caused a wait for the line.
void charge(const LineState& line, size_t core, uint64_t wait, AccessRecord& r) {
  r.cause = memory::DelayCause::Coherence;
  r.blamed = blamed(wait);
  if (line.last_writer == UINT32_MAX || line.last_writer == core)
    return charge_reader(line, core, r);
  r.culprit = cpu_of(line.last_writer);
  r.culprit_pc = line.writer_pc;
}

// Records that a core reads or writes the line.
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
      third_(std::max(1U, model.nodes), Tags(model.third, line_bytes)),
      memories_(std::max(1U, model.nodes)) {
  const auto pages = [](uint32_t entries) {
    constexpr uint32_t kLeastWays = 4;
    const uint32_t sets = std::bit_floor(std::max(1U, entries / kLeastWays));
    return Tags({entries, std::max(1U, entries / sets)}, 1);
  };
  const Slots misses{std::vector<uint64_t>(std::max(1U, model.overlap)), 0};
  const Slots ahead{std::vector<uint64_t>(std::max(1U, model.ahead)), 0};
  for (size_t i = 0; i < cores; ++i)
    cores_.push_back(
        {PrivateCache(model.first, model.second, line_bytes),
         misses,
         ahead,
         pages(model.first_pages),
         pages(model.second_pages)});
}

uint64_t ReplayMachine::access(size_t core, uint64_t key, const Hints& hints, AccessRecord& r) {
  LineState& line = lines_.of(key);
  hit_first_ = false;
  Core& own = cores_[core];
  const bool is_moved = (key & kMovedLine) != 0;
  const uint64_t place = is_moved ? hints.place : key;
  if (is_moved && line.writer != UINT32_MAX && !cores_[line.writer].cache.holds(place))
    line.lose(line.writer);
  if (is_moved && line.held_by(core) && !own.cache.holds(place))
    line.lose(core);
  const bool writes = r.writes() || (hints.updates && model_.overlap > 1);
  if (line.leaving == core && r.cycle < line.leaves_at) {
    r.flags |= AccessRecord::kLocal;
    return 0;
  }
  const bool owns = line.writer == core;
  const bool foreign = line.writer != UINT32_MAX && !owns;
  // Each thread initialises its own data under Relayout::Kind::Local, so no line moves from another thread.
  const bool moves = !hints.local && (foreign || (writes && !owns && line.held_by_others(core)));
  const size_t here = node_of(core);
  size_t home = here;
  if (memories_.size() > 1) {
    r.node = uint8_t(here);
    home = home_of(r, here);
    home = hints.local ? here : home;
  }
  // An atomic waits for all misses of its core, and a dependent access for the load of its address.
  uint64_t now = r.cycle;
  if (hints.dependent)
    now = std::max(now, own.value_ready);
  if (r.is_atomic())
    now = std::max(now, own.last_end);
  const uint64_t walk = hints.huge ? 0 : translate(own, r, now);
  uint64_t wait = 0;
  uint64_t ready = 0;  // cycle at which a loaded value arrives
  if (moves) {
    wait = walk + transfer(core, place, line, now + walk, r) + now - r.cycle;
  } else {
    r.flags |= AccessRecord::kLocal;
    Answer answer = fetch(core, place, hints, line, now, r);
    if (walk > answer.latency)
      answer.service = Service::PageWalk;
    answer.latency += walk;
    answer.streams &= walk == 0;
    const uint64_t stall = issue(own, answer, now);
    wait = stall + now - r.cycle;
    ready = now + stall + (model_.overlap > 1 && !answer.streams ? answer.latency : 0);
    note(answer, wait, core, home, r);
  }
  if (r.type == AccessType::Load && r.size == 8)
    own.value_ready = ready;
  line.seen = true;
  line.waited_for |= wait > 0;
  take_line(line, core, writes, r.pc);
  return wait;
}

// Moves the line to `core` and returns the wait in cycles. A line makes one transfer at a time. The request
// takes its first half, in which the owner still uses the line, because measured programs pay one transfer
// for many stores of a contended loop.
uint64_t
ReplayMachine::transfer(size_t core, uint64_t place, LineState& line, uint64_t now, AccessRecord& r) {
  const uint64_t start = std::max(now, line.busy_until);
  const uint64_t wait = start + model_.transfer - now;
  line.busy_until = start + model_.transfer;
  line.leaving = line.writer;
  line.leaves_at = start + model_.transfer / 2;
  contended_ += wait;
  charge(line, core, wait, r);
  const Level level = cores_[core].cache.find(place);
  if (level != Level::First)
    give_up(core, cores_[core].cache.take(place, level));
  return wait;
}

// Fetches a line that no other core took away: from the core's own caches, from another core that shares it,
// or from the node's cache or memory where it was evicted.
ReplayMachine::Answer ReplayMachine::fetch(
    size_t core,
    uint64_t place,
    const Hints& hints,
    LineState& line,
    uint64_t now,
    const AccessRecord& r) {
  PrivateCache& cache = cores_[core].cache;
  const Level level = cache.find(place);
  const bool holds = line.held_by(core);
  hit_first_ = holds && level == Level::First;
  if (hit_first_)
    return {};
  const bool lost = line.seen && !holds && !line.held_by_others(core);
  const bool streams = cache.streams(place);
  if (level != Level::First)
    give_up(core, cache.take(place, level));
  if (hints.fits)
    return {};
  const size_t here = node_of(core);
  const bool near = level == Level::Lost && model_.third.bytes > 0 && third_[here].hit(place);
  if (level == Level::Lost && model_.third.bytes > 0 && !near)
    third_[here].fill(place);
  Answer answer;
  if (lost && near)
    answer = {model_.third_hit, 0, Service::L3};
  else if (lost && hints.second)
    answer = {model_.second_hit, 0, Service::L2};
  else if (lost)
    answer = from_memory(core, hints.local ? here : home_of(r, here), now);
  else if (holds && level == Level::Second && !streams)
    answer = {model_.second_hit, 0, Service::L2};
  answer.streams = streams;
  if (answer.latency > 0 && !streams)
    answer.latency += wait_for_set(cores_[core], place, line.writer == core, answer.latency, now);
  return answer;
}

// Returns how long the line's set of the first cache is busy with other lines, and makes it busy with this
// one, which comes after `latency`. A set has few fills under way, so each takes a share of its latency, and
// `replace` and `rewrite` are those of lines from the second cache.
uint64_t ReplayMachine::wait_for_set(
    Core& core,
    uint64_t key,
    bool is_modified,
    uint64_t latency,
    uint64_t now) const {
  const uint64_t takes = is_modified ? model_.rewrite : model_.replace;
  if (takes == 0)
    return 0;
  if (core.sets_free.empty())
    core.sets_free.resize(core.cache.first().sets());
  uint64_t& free = core.sets_free[core.cache.first().set_number(key)];
  const uint64_t start = std::max(now, free);
  const uint64_t from_second = model_.first_hit + model_.second_hit;
  free = start + takes * (model_.first_hit + std::max(latency, model_.second_hit)) /
                     std::max<uint64_t>(1, from_second);
  return start - now;
}

// Removes an evicted line. The write-back is free, like first uses.
void ReplayMachine::give_up(size_t core, uint64_t gone) {
  LineState* const line = gone == Tags::kNone ? nullptr : lines_.find(gone);
  if (line)
    line->lose(core);
}

// Returns the latency of a line from the memory of node `home`. Lines leave a memory, and enter another node,
// one at a time.
ReplayMachine::Answer ReplayMachine::from_memory(size_t core, size_t home, uint64_t now) {
  const size_t here = node_of(core);
  Memory& memory = memories_[home];
  uint64_t start = std::max(now, memory.free);
  memory.free = start + model_.memory_line;
  const uint64_t queue = start - now;  // without the wait for the link, which counts as remote memory
  if (home != here && model_.link_line > 0) {
    start = std::max(start, memories_[here].link_free);
    memories_[here].link_free = start + model_.link_line;
  }
  const uint64_t way = home == here ? model_.memory : model_.remote_memory;
  const Answer answer{start - now + way, queue, home == here ? Service::LocalMemory : Service::RemoteMemory};
  return answer;
}

// Returns the cycles until the page's translation is there. A core walks its page tables once at a time.
uint64_t ReplayMachine::translate(Core& core, const AccessRecord& r, uint64_t now) {
  constexpr unsigned kPageBits = 12;
  if (model_.second_pages == 0)
    return 0;
  const uint64_t page = uint64_t{r.process} << 44 | r.address >> kPageBits;
  if (core.first_pages.hit(page))
    return 0;
  core.first_pages.fill(page);
  if (core.second_pages.hit(page))
    return 0;
  core.second_pages.fill(page);
  if (core.known_pages.insert(page).second)
    return 0;  // a first use is free, as it is of lines
  core.walks_until = std::max(now, core.walks_until) + model_.walk;
  return core.walks_until - now;
}

// Starts a miss and returns how long the core waits: for all of it where misses do not overlap, else for a
// free slot. Prefetched lines have slots of their own, or wait only for the memory's bandwidth.
uint64_t ReplayMachine::issue(Core& core, const Answer& answer, uint64_t now) {
  if (answer.latency == 0)
    return 0;
  const bool in_time = model_.ahead == 0 || (model_.overlap <= 1 && answer.service != Service::RemoteMemory);
  if (answer.streams && in_time)
    return answer.queue - std::min(answer.queue, answer.latency - answer.queue);
  if (!answer.streams && model_.overlap <= 1)
    return answer.latency;
  uint64_t& slot = answer.streams ? core.ahead.take() : core.misses.take();
  const uint64_t start = std::max(now, slot);
  slot = start + answer.latency;
  if (!answer.streams) {
    core.last_end = std::max(core.last_end, slot);
  }
  return start - now;
}

// Enters in the record which part of the machine answered, and the core whose request the memory served
// before.
void ReplayMachine::note(const Answer& answer, uint64_t stall, size_t core, size_t home, AccessRecord& r) {
  const bool from_memory = answer.service == Service::LocalMemory || answer.service == Service::RemoteMemory;
  if (from_memory) {
    Memory& memory = memories_[home];
    const uint64_t blame = std::min(answer.queue, stall);
    if (blame > 0 && memory.last != core) {
      r.cause = memory::DelayCause::Interconnect;
      r.culprit = cpu_of(memory.last);
      r.culprit_pc = memory.last_pc;
      r.blamed = blamed(blame);
    }
    memory.last = core;
    memory.last_pc = r.pc;
  }
  if (stall > 0)
    r.flags &= uint8_t(~AccessRecord::kLocal);
  // Lines that came without a stall count too where misses overlap, so that an object's share of misses is
  // known. Local lines of several nodes show how long remote lines would take if they were local.
  const bool overlaps = model_.overlap > 1 && answer.latency > 0 && !answer.streams;
  if (stall > 0 || overlaps || (answer.service == Service::LocalMemory && memories_.size() > 1))
    r.service = answer.service;
}

size_t ReplayMachine::node_of(size_t core) const {
  return core * memories_.size() / cores_.size();
}

// Returns the node of the page, which is that of its first user.
size_t ReplayMachine::home_of(const AccessRecord& r, size_t here) {
  if (memories_.size() == 1)
    return 0;
  return homes_.try_emplace(uint64_t{r.process} << 44 | r.address >> 12, here).first->second;
}

}  // namespace lento::memory
