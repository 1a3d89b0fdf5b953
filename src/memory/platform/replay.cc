// Replays a foreign trace on the same caches, write buffer rules and network, driven by addresses instead of
// a program. Accesses are taken in trace order, and each CPU delays its own later accesses by its waits.
//
// Problem: a trace has every access at the time it had on its own machine. Idea: keep the gaps. With s(i) the
// cycle of access i of a CPU in the trace, it is issued here at e(i-1) + s(i) - s(i-1), where e(i-1) is the
// cycle in which the previous access of that CPU ended here. A CPU falls back by its waits and never catches
// up. The first access is issued at s(0). A foreign unit of time (ns, ticks) is read as cycles.
#include <bit>
#include <deque>
#include <memory>
#include <unordered_map>

#include "base/error.h"
#include "memory/platform/cache.h"
#include "memory/platform/network.h"

namespace lento::memory {
namespace {

bool is_write(AccessType type) {
  return type == AccessType::Store;
}
bool is_atomic(AccessType type) {
  return type == AccessType::LoadLinked || type == AccessType::StoreConditional || type == AccessType::Atomic;
}

// One CPU of the trace: its accesses not yet performed, and its clock.
struct Lane {
  Lane(const Platform& p)
      : icache(p.icache),
        dcache(p.dcache) {
  }

  std::deque<AccessRecord> waiting;
  Cache icache;
  Cache dcache;
  uint16_t original = 0;
  uint64_t source_cycle = 0;  // cycle in the trace of the access last issued
  uint64_t source_wait = 0;   // cycles that it waited in the trace, with ReplayGaps::WithoutWaits
  Cycles time = 0;            // the cycle that the CPU has reached; gaps to the next access count from it
  bool started = false;
  bool blocked = false;
  bool stalled = false;
  Cycles begin = 0;
  AccessRecord current;  // the access last taken from `waiting`
  Transaction demand;
  std::deque<std::unique_ptr<Transaction>> writes;  // posted, oldest first
  size_t granted = 0;
};

class Replayer {
 public:
  Replayer(const Platform& platform, AccessSink& sink, ReplayGaps gaps)
      : platform_(platform),
        network_(platform_),
        sink_(sink),
        gaps_(gaps) {
    line_shift_ = uint32_t(std::countr_zero(unsigned(platform.dcache.line_bytes)));
  }

  // Replays the accesses of all CPUs on the platform, in the order of their new times.
  ReplayResult run(AccessSource& source, const base::Progress& progress) {
    for (auto batch = source.next(); !batch.empty(); batch = source.next()) {
      for (const AccessRecord& r : batch)
        lane_of(r.cpu).waiting.push_back(r);
      result_.accesses += batch.size();
      if (gaps_ == ReplayGaps::Kept)
        work(batch.back().cycle);
      sink_.advance(first_open());
      progress("replayed accesses", double(result_.accesses), 0);
      if (progress.stopped())
        break;
    }
    work(UINT64_MAX);
    result_.blame.resize(lanes_.size() * lanes_.size());
    for (size_t v = 0; v < lanes_.size(); ++v) {
      for (size_t c = 0; c < lanes_.size(); ++c)
        result_.blame[v * lanes_.size() + c] = blame_[v][c];
    }
    return std::move(result_);
  }

 private:
  // Returns the replayed core for a CPU of the trace.
  Lane& lane_of(uint16_t cpu) {
    const auto [at, fresh] = index_.try_emplace(cpu, lanes_.size());
    if (fresh) {
      if (lanes_.size() == size_t(platform_.harts)) {
        throw base::Error(
            {},
            "the trace has more than " + std::to_string(platform_.harts) + " CPUs",
            "give the platform more harts (at most 64)");
      }
      lanes_.push_back(std::make_unique<Lane>(platform_));
      lanes_.back()->original = cpu;
    }
    return *lanes_[at->second];
  }

  // Returns the cycle at which the next access of the lane is due, and kNever while it is blocked or has no
  // access that may be issued.
  Cycles due(const Lane& lane, uint64_t known) const {
    if (lane.blocked)
      return Network::kNever;
    if (lane.stalled)
      return lane.time;
    if (lane.waiting.empty() || lane.waiting.front().cycle > known)
      return Network::kNever;
    return next_issue(lane);
  }

  // Returns the cycle in which the next access starts: after the previous one and the computation between. An
  // access of a trace out of order whose time is already past starts at once.
  Cycles next_issue(const Lane& lane) const {
    const AccessRecord& next = lane.waiting.front();
    if (!lane.started)
      return std::max(next.cycle, floor_);
    const uint64_t waits = lane.source_wait + (gaps_ == ReplayGaps::WithoutWaits ? next.blamed : 0);
    const uint64_t gap = next.cycle - std::min(next.cycle, lane.source_cycle);
    return std::max(floor_, lane.time + gap - std::min(gap, waits));
  }

  // Returns a cycle that no record still to be written precedes.
  Cycles first_open() const {
    Cycles first = floor_;
    for (const auto& lane : lanes_) {
      if (lane->blocked || lane->stalled)
        first = std::min(first, lane->begin);
    }
    return first;
  }

  // Performs every step that no access later than `known` in the trace can change. A lane whose next access
  // is still to be read cannot issue it before its gap since the last one is over.
  void work(uint64_t known) {
    for (;;) {
      size_t best = lanes_.size();
      Cycles at = Network::kNever;
      Cycles limit = Network::kNever;
      for (size_t i = 0; i < lanes_.size(); ++i) {
        const Lane& lane = *lanes_[i];
        const Cycles time = due(lane, known);
        if (time < at) {
          at = time;
          best = i;
        }
        if (known != UINT64_MAX && lane.waiting.empty() && !lane.blocked && !lane.stalled) {
          limit = std::min(limit, lane.time + (known - lane.source_cycle));
        }
      }
      const bool grant = network_.next_grant() <= at;
      const Cycles next = grant ? network_.next_grant() : at;
      if (next == Network::kNever || next > limit)
        return;
      grant ? granted(network_.grant()) : step(*lanes_[best], best, at);
    }
  }

  // Executes one access of a core at cycle `at`.
  void step(Lane& lane, size_t id, Cycles at) {
    floor_ = at;
    result_.cycles = std::max(result_.cycles, at);
    if (!lane.stalled) {
      lane.current = lane.waiting.front();
      lane.waiting.pop_front();
      lane.source_cycle = lane.current.cycle;
      take_out_waits(lane);
      lane.started = true;
      lane.begin = at;
    }
    lane.time = at;
    const AccessRecord& r = lane.current;
    const uint32_t line = line_of(r.address);
    drop_done(lane);
    if (is_write(r.type))
      return store(lane, id, line);
    const bool fetch = r.type == AccessType::Fetch;
    Cache& cache = fetch ? lane.icache : lane.dcache;
    if (!is_atomic(r.type) && cache.hit(line))
      return finish(lane, true);
    if (!fetch)
      note_lost(lane, line, r.type);
    demand(
        lane,
        id,
        line,
        fetch               ? Kind::Fetch
        : is_atomic(r.type) ? (r.type == AccessType::LoadLinked ? Kind::Uncached : Kind::Atomic)
                            : Kind::Fill);
  }

  // Stores in source_wait how long the access waited in the trace, and clears its culprit, because the replay
  // determines a new one. Does nothing with ReplayGaps::Kept.
  void take_out_waits(Lane& lane) const {
    AccessRecord& r = lane.current;
    if (gaps_ == ReplayGaps::Kept)
      return;
    const bool known = r.latency != AccessRecord::kNoLatency && r.latency > 0;
    lane.source_wait = known ? r.latency - 1 : 0;
    r.culprit = AccessRecord::kNoCpu;
    r.blamed = 0;
    r.cause = DelayCause::None;
  }

  // Enters the core whose write invalidated the line in this cache as the culprit of the current access.
  void note_lost(Lane& lane, uint32_t line, AccessType type) {
    const Cache::Lost* lost = is_atomic(type) ? nullptr : lane.dcache.lost(line);
    if (!lost)
      return;
    lane.current.culprit = lanes_[lost->culprit]->original;
    lane.current.culprit_pc = lost->culprit_pc;
    lane.current.blamed = UINT32_MAX;
    lane.current.cause = DelayCause::Coherence;
  }

  // Sends a request that the core waits for.
  void demand(Lane& lane, size_t id, uint32_t line, Kind kind) {
    Transaction& t = lane.demand;
    t.kind = kind;
    t.line = line;
    t.pc = uint32_t(lane.current.pc);
    t.hart = uint16_t(id);
    t.issue = lane.time;
    t.blocking = true;
    t.forget_charges();
    lane.blocked = true;
    network_.inject(t, lane.time + 1);
  }

  // Adds a store to the write buffer. A full buffer stalls the core.
  void store(Lane& lane, size_t id, uint32_t line) {
    if (lane.writes.size() >= size_t(platform_.write_buffer)) {
      lane.stalled = true;
      if (lane.granted > 0) {
        charge(lane, *lane.writes.front(), id);
        lane.time = lane.writes.front()->done;
      } else {
        lane.blocked = true;
      }
      return;
    }
    auto t = std::make_unique<Transaction>();
    t->kind = Kind::Write;
    t->line = line;
    t->pc = uint32_t(lane.current.pc);
    t->hart = uint16_t(id);
    t->issue = lane.time;
    lane.writes.push_back(std::move(t));
    if (lane.writes.size() == lane.granted + 1)
      network_.inject(*lane.writes.back(), lane.time + 1);
    finish(lane, !lane.stalled);
  }

  void drop_done(Lane& lane) {
    while (lane.granted > 0 && lane.writes.front()->done <= lane.time) {
      lane.writes.pop_front();
      --lane.granted;
    }
  }

  // Adds the transaction's waits to the blame matrix, and enters the largest of them in the current record.
  void charge(Lane& lane, const Transaction& t, size_t id) {
    t.each_charge([&](const Charge& c) {
      blame_[id][c.hart] += c.cycles;
    });
    const Charge* main = t.main_charge();
    if (!main || lane.current.cause == DelayCause::Coherence)
      return;
    lane.current.culprit = lanes_[main->hart]->original;
    lane.current.culprit_pc = main->pc;
    lane.current.blamed = main->cycles;
    const bool buffer = t.kind == Kind::Write && main->cause != DelayCause::Bank;
    lane.current.cause = buffer ? DelayCause::WriteBuffer : main->cause;
  }

  // Completes a transaction that the network granted. A blocking access ends in cycle done - 1. A posted
  // write injects the next one. When the oldest write is granted, a stalled core continues at its end.
  void granted(Transaction& t) {
    Lane& lane = *lanes_[t.hart];
    if (t.kind == Kind::Write || t.kind == Kind::Atomic)
      invalidate(t);
    if (t.kind == Kind::Fill)
      lane.dcache.fill(t.line);
    if (t.kind == Kind::Fetch)
      lane.icache.fill(t.line);
    if (t.blocking) {
      lane.blocked = false;
      lane.time = t.done - 1;
      charge(lane, t, t.hart);
      finish(lane, false);
      return;
    }
    ++lane.granted;
    if (lane.granted < lane.writes.size())
      network_.inject(
          *lane.writes[lane.granted],
          std::max(lane.writes[lane.granted]->issue + 1, t.granted_at));
    if (lane.blocked && lane.stalled && lane.granted == 1) {
      lane.blocked = false;
      charge(lane, t, t.hart);
      lane.time = t.done;
    }
  }

  void invalidate(const Transaction& t) {
    for (size_t i = 0; i < lanes_.size(); ++i) {
      if (i != t.hart || t.kind == Kind::Atomic)
        lanes_[i]->dcache.invalidate(t.line, t.hart, t.pc);
    }
  }

  // Writes the access with its new cycle and latency.
  void finish(Lane& lane, bool local) {
    AccessRecord& r = lane.current;
    r.cycle = lane.begin;
    r.latency = uint32_t(std::min<Cycles>(lane.time - lane.begin + 1, AccessRecord::kNoLatency - 1));
    r.blamed = std::min(r.blamed, r.latency - 1);
    r.flags = uint8_t(
        (r.flags & ~AccessRecord::kLocal) | AccessRecord::kServiceKnown | (local ? AccessRecord::kLocal : 0));
    lane.stalled = false;
    sink_.record(r);
  }

  uint32_t line_of(uint64_t address) {
    const uint64_t line = address >> line_shift_;
    if (line < Cache::kNone)
      return uint32_t(line);
    ++result_.folded;
    return uint32_t(line ^ (line >> 31)) & 0x7fffffff;
  }

  const Platform platform_;
  Network network_;
  AccessSink& sink_;
  const ReplayGaps gaps_;
  uint32_t line_shift_ = 5;
  std::unordered_map<uint16_t, size_t> index_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  uint64_t blame_[Platform::kMaxHarts][Platform::kMaxHarts] = {};
  Cycles floor_ = 0;
  ReplayResult result_;
};

}  // namespace

ReplayResult replay(
    AccessSource& source,
    const Platform& platform,
    AccessSink& sink,
    const base::Progress& progress,
    ReplayGaps gaps) {
  return Replayer(platform, sink, gaps).run(source, progress);
}

}  // namespace lento::memory
