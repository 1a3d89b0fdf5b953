// Lets a hart perform loads before its turn in the global order, and takes them back when another hart
// interferes (ahead.h). The state before the first such step is kept whole, so going back means restoring it
// and repeating the steps that still precede the interference.
#include "memory/platform/ahead.h"

#include "memory/platform/core.h"
#include "memory/platform/system.h"

namespace lento::memory {

using riscv::Access;

// After an undo a hart does not run ahead for this many turns, because harts that contend for a line would
// repeat all their work.
constexpr uint32_t kPause = 8;

// Stores the state of the core, to return to it when running ahead proves wrong.
void Core::remember() {
  ahead_.hart = hart;
  ahead_.time = time_;
  ahead_.loads = result.loads;
  ahead_.store_stalls = result.store_stalls;
  ahead_.pc = pc_;
  ahead_.quick_line = quick_line_;
  ahead_.current_line = current_line_;
  system_.ahead_ |= uint64_t{1} << hart.id;
}

void Core::confirm_ahead() {
  ahead_.used = 0;
  system_.ahead_ &= ~(uint64_t{1} << hart.id);
}

void Core::allow_ahead(bool allowed) {
  turned_away_ = cut_short_ = false;
  if (pause_ > 0) {
    --pause_;
    allowed = false;
  }
  run_ahead_ = allowed && !tracing_;
}

// Loads before the hart's turn when the line is the most recent of its cache set, and returns Stop otherwise.
// The load is undone when another core writes the line earlier in the global order.
Access Core::load_ahead(uint32_t address, unsigned size, uint32_t& value) {
  const uint32_t line = address >> line_shift_;
  const bool one_line = (address + size - 1) >> line_shift_ == line;
  if (!run_ahead_ || ahead_.full() || !one_line || !in_ram(address, size) || !dcache.newest(line))
    return Access::Stop;
  if (ahead_.empty())
    remember();
  ahead_.add(time_, line);
  ++result.loads;
  value = read_ram(address, size);
  return Access::Done;
}

// Follows a store that was refused because it was not the hart's turn. When the write buffer is certain to be
// full at that turn, the hart starts to wait for room at once.
void Core::wait_ahead() {
  if (!run_ahead_ || stalled_ || ahead_.full() || used_ < uint32_t(platform_.write_buffer))
    return;
  const bool waiting = granted_used_ == 0;
  const Cycles room = waiting ? network_.next_grant() + least_service_ : queued(0).done;
  if (room <= time_)
    return;
  if (ahead_.empty())
    remember();
  ahead_.add(time_, Cache::kNone);
  stalled_ = true;
  begin_ = time_;
  ++result.store_stalls;
  if (!waiting) {
    time_ = room;
    return;
  }
  wait_head_ = true;
  state = State::Blocked;
}

void Core::undo_reads(uint32_t line, Cycles until) {
  if (ahead_.read_after(until, line))
    go_back(until);
}

// Undoes the steps that this core did later than cycle `until`.
void Core::undo_after(Cycles until) {
  if (ahead_.empty())
    return;
  if (ahead_.last() > until)
    return go_back(until);
  if (cut_short_)
    run_on(until);
}

// Restores the state before the first step done ahead and executes again, up to cycle `until`.
void Core::go_back(Cycles until) {
  const bool reserved = hart.reserved;
  hart = ahead_.hart;
  hart.reserved = reserved;
  time_ = ahead_.time;
  result.loads = ahead_.loads;
  result.store_stalls = ahead_.store_stalls;
  pc_ = ahead_.pc;
  quick_line_ = ahead_.quick_line;
  current_line_ = ahead_.current_line;
  state = State::Ready;
  stalled_ = wait_head_ = false;
  pause_ = kPause;
  run_on(until);
}

// Confirms the steps done ahead, and executes further, up to cycle `until`.
void Core::run_on(Cycles until) {
  confirm_ahead();
  run_ahead_ = cut_short_ = false;
  resume(until);
  riscv::run(hart, system_.code_, *this, System::kSlice);
  system_.set_order(*this);
  if (system_.running_)
    system_.running_->limit(time_ - (hart.id < system_.running_->hart.id));
}

}  // namespace lento::memory
