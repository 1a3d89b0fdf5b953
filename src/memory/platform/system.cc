// Schedules the harts of the simulated multiprocessor in the global order (cycle, hart), and keeps their
// caches coherent. The first hart in the order runs a slice, up to the next hart or grant. Every store
// consults a directory of the D-caches that hold the line, so it costs one look-up when no other cache does.
#include "memory/platform/system.h"

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/units.h"

namespace lento::memory {
namespace {

// Throws base::Error when the program does not lie in the platform's memory.
void check_fit(const riscv::ElfImage& program, const Platform& p) {
  const uint64_t end = uint64_t{p.memory_base} + p.memory_bytes;
  if (program.begin() >= p.memory_base && program.end() <= end)
    return;
  throw base::Error(
      {},
      "the program occupies " + base::hex(program.begin()) + " to " + base::hex(program.end()) +
          ", the platform has memory from " + base::hex(p.memory_base) + " to " + base::hex(end),
      "link the program there, or set memory: base and size in the platform");
}

}  // namespace

System::System(const riscv::ElfImage& program, const Platform& platform, const RunOptions& options)
    : platform_(platform),
      options_(options),
      ram_(platform.memory_bytes),
      network_(platform_),
      devices_(platform_, options_, ram_) {
  check_fit(program, platform);
  for (const riscv::ElfSegment& s : program.segments) {
    std::memcpy(ram_.data() + (s.address - platform.memory_base), s.bytes.data(), s.bytes.size());
  }
  const size_t lines = platform.memory_bytes / size_t(platform.dcache.line_bytes);
  sharers_.reset(static_cast<uint64_t*>(std::calloc(lines, sizeof(uint64_t))));
  if (!sharers_)
    throw std::bad_alloc();
  first_line_ = platform.memory_base / uint32_t(platform.dcache.line_bytes);
  for (int i = 0; i < platform.harts; ++i) {
    auto core = std::make_unique<Core>(*this, network_, platform_, uint32_t(i));
    core->ram_ = ram_.data();
    core->hart.pc = program.entry;
    core->tracing_ = options.sink != nullptr;
    cores_.push_back(std::move(core));
  }
  longest_slice_ = kSlice * Cycles(std::max({1, platform_.multiply_cycles, platform_.divide_cycles}));
  ahead_until_ = options_.max_cycles - std::min(options_.max_cycles, longest_slice_);
  for (const auto& core : cores_) {
    core->can_run_on_ = !core->tracing_;
    order_.place(core->hart.id, 0);
  }
  if (const auto address = program.find("tohost"))
    tohost_ = *address;
  result_.blame.resize(cores_.size() * cores_.size());
}

// Grants all requests up to a cycle.
void System::grant_due(Cycles until) {
  while (network_.next_grant() <= until) {
    Transaction& t = network_.grant();
    cores_[t.hart]->granted(t);
  }
}

// Handles a hart in wfi, whose time_ is the cycle of its next check for interrupts. Returns true when an
// enabled interrupt is pending.
bool System::wake_sleeper(Core& core) {
  core.hart.mip = devices_.interrupts(core.hart.id, core.time_);
  if (core.hart.mip & core.hart.mie) {
    core.state = Core::State::Ready;
    return true;
  }
  core.time_ = devices_.next_change(core.hart.id, core.hart.mie, core.time_);
  return false;
}

void System::step(Core& core, Cycles other_limit) {
  core.confirm_ahead();
  if (core.state != Core::State::Sleeping || wake_sleeper(core))
    run_slice(core, other_limit);
  set_order(core);
}

// Runs one core until it might act before another one.
void System::run_slice(Core& core, Cycles other_limit) {
  if (core.time_ >= core.look_at_) {
    core.hart.mip = devices_.interrupts(core.hart.id, core.time_);
    core.look_at_ = devices_.next_change(core.hart.id, ~uint32_t{0}, core.time_);
  }
  const bool between =
      !core.data_ready_ && !core.fetch_ready_ && !core.stalled_;  // not inside an instruction
  if ((core.hart.mip & core.hart.mie) && between) {
    if (const uint32_t cause = core.hart.pending_interrupt()) {
      core.hart.trap(cause, 0);
      core.fetched_ = false;
    }
  }
  core.resume(other_limit);
  // A slice must end before interrupts can change. A hart that takes interrupts does nothing ahead, because
  // the instruction at which it takes one depends on where its slice ended.
  const Cycles last = core.time_ + longest_slice_;
  core.allow_ahead(!core.hart.takes_interrupts() && last < core.look_at_ && last < ahead_until_);
  running_ = &core;
  const riscv::Stop stop = riscv::run(core.hart, code_, core, std::min(kSlice, core.look_at_ - core.time_));
  running_ = nullptr;
  if (core.turned_away_ && !finished_)
    core.wait_ahead();
  if (stop == riscv::Stop::Wait && !finished_)
    core.state = Core::State::Sleeping;
}

// Runs all cores to the end of the program or the cycle limit.
RunResult System::run() {
  // Each hart runs a whole slice at a time, so the first records are out of order. advance(0) keeps the sink
  // from inferring an order from them.
  if (options_.sink)
    options_.sink->advance(0);
  while (!finished_) {
    const uint64_t first = order_.first();
    if (first == Order::kNone && network_.next_grant() == Network::kNever) {
      result_.ending = Ending::Deadlock;
      break;
    }
    if (first == Order::kNone || network_.next_grant() <= first >> 6) {
      grant_due(network_.next_grant());
      continue;
    }
    now_ = first >> 6;
    if (now_ >= options_.max_cycles) {
      result_.ending = Ending::CycleLimit;
      break;
    }
    const uint64_t second = order_.second();
    // The last cycle at which this hart is still first.
    const Cycles limit =
        second == Order::kNone ? Network::kNever : (second >> 6) - ((second & 63) < (first & 63));
    step(*cores_[first & 63], limit);
    if ((++slices_ & 0x3ff) == 0)
      tell_progress();
    if (result_.ending == Ending::Stopped)
      break;
  }
  if (!finished_)
    result_.cycles = now_;
  for (const auto& core : cores_) {
    core->result.instructions = core->hart.instret;
    result_.instructions += core->hart.instret;
    result_.harts.push_back(core->result);
  }
  result_.interconnect_busy = network_.busy();
  result_.channels = network_.channels();
  return std::move(result_);
}

void System::tell_progress() {
  if (options_.sink) {
    Cycles done = Network::kNever;
    for (const auto& core : cores_)
      done = std::min(done, core->earliest_record(now_));
    options_.sink->advance(done);
  }
  if ((slices_ & 0xfffff) == 0)
    options_.progress("simulated cycles", double(now_), 0);
  if (options_.progress.stopped())
    result_.ending = Ending::Stopped;
}

// Clears reservations of other harts on the line that a hart stores to.
void System::break_reservations(uint32_t address, uint16_t hart) {
  const uint32_t line = address / uint32_t(platform_.dcache.line_bytes);
  for (uint64_t others = reserved_ & ~(uint64_t{1} << hart); others; others &= others - 1) {
    Core& other = *cores_[size_t(std::countr_zero(others))];
    if (other.hart.reservation / uint32_t(platform_.dcache.line_bytes) != line)
      continue;
    other.hart.reserved = false;
    reserved_ &= ~(uint64_t{1} << other.hart.id);
  }
}

// Ends the run when the program stored a value other than 0 to `tohost`. Its exit code is the value >> 1.
void System::stored_tohost() {
  uint32_t value = 0;
  std::memcpy(&value, ram_.data() + (tohost_ - platform_.memory_base), 4);
  if (value == 0)
    return;
  result_.exit_code = value >> 1;
  finish();
}

void System::finish() {
  finished_ = true;
  result_.cycles = running_->time_ + 1;  // the instruction that ended it included
}

// Removes the line from all caches except those in `keep`.
void System::take_line(const Transaction& t, uint64_t keep) {
  uint64_t& held = sharers(t.line);
  for (uint64_t losers = held & ~keep; losers; losers &= losers - 1) {
    Core& loser = *cores_[size_t(std::countr_zero(losers))];
    if (ahead_ >> loser.hart.id & 1)
      loser.undo_reads(t.line, t.granted_at - 1);
    loser.dcache.invalidate(t.line, t.hart, t.pc);
  }
  held &= keep;
}

// Undoes reads of this line by other cores that ran ahead of the store.
void System::settle_store_of(uint64_t others, uint32_t address, unsigned size, const Core& by) {
  const uint32_t line = address >> by.line_shift_;
  const bool one_line = (address + size - 1) >> by.line_shift_ == line;
  if (!one_line || address == tohost_ || code_.holds(address, size))
    return settle_all(by);
  for (others &= sharers(line); others; others &= others - 1) {
    Core& other = *cores_[size_t(std::countr_zero(others))];
    other.undo_reads(line, by.time_ - (by.hart.id < other.hart.id));
  }
}

// Undoes everything that other cores did ahead of the core `by`.
void System::settle_all(const Core& by) {
  for (uint64_t others = ahead_ & ~(uint64_t{1} << by.hart.id); others; others &= others - 1) {
    Core& other = *cores_[size_t(std::countr_zero(others))];
    other.undo_after(by.time_ - (by.hart.id < other.hart.id));
  }
}

void System::line_filled(uint32_t line, uint16_t hart, uint32_t evicted) {
  sharers(line) |= uint64_t{1} << hart;
  if (evicted != Cache::kNone)
    sharers(evicted) &= ~(uint64_t{1} << hart);
}

// Handles an access to a device register, which may end the run or wake sleepers.
void System::devices_changed(Cycles now) {
  if (devices_.exited()) {
    result_.exit_code = devices_.exit_code();
    finish();
  }
  for (const auto& core : cores_) {
    core->look_at_ = 0;
    if (core->state != Core::State::Sleeping)
      continue;
    core->time_ = std::min(
        core->time_,
        std::max(
            now + 1,
            devices_.interrupts(core->hart.id, now) & core->hart.mie
                ? now + 1
                : devices_.next_change(core->hart.id, core->hart.mie, now)));
    set_order(*core);
    if (running_)
      running_->limit(core->time_ - (core->hart.id < running_->hart.id));
  }
}

RunResult simulate(const riscv::ElfImage& program, const Platform& platform, const RunOptions& options) {
  return System(program, platform, options).run();
}

}  // namespace lento::memory
