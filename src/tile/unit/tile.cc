// The control of a tile around its pipeline: commands, triggers, the queue of inputs, and the begin and end
// of regions. One step is one tile cycle. Commands take effect at its end, and what happens to an input
// depends on the state at its start (tile.h states all timing rules).
#include "tile/unit/tile.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace lento::tile {

std::string_view fault_name(FaultCause cause) {
  static constexpr std::string_view kNames[] = {
      "none",
      "illegal instruction",
      "load outside the map",
      "store outside the map",
      "jump outside the code"};
  return kNames[int(cause)];
}

Tile::Tile(const TileOptions& options)
    : options_(options),
      memory_(options.fifo_bytes) {
  LENTO_CHECK(options.fifo_bytes >= 4, "the output FIFO holds a word");
}

void Tile::config_image(const Image& image) {
  next_image_ = image;
  want_image_ = true;
}
void Tile::config_start(uint32_t address) {
  next_start_ = address;
  want_resume_ = true;
}
void Tile::config_stop(uint32_t address) {
  next_stop_ = address;
}
void Tile::pause() {
  want_pause_ = true;
}
void Tile::resume() {
  want_resume_ = true;
}
void Tile::finalize() {
  want_finalize_ = true;
}
void Tile::reset() {
  want_reset_ = true;
}

std::string Tile::drain(size_t bytes) {
  const size_t count = std::min(bytes, memory_.fifo_.size());
  std::string out = memory_.fifo_.substr(0, count);
  memory_.fifo_.erase(0, count);
  return out;
}

// Starts a region of the program (init, main or finish) at its first instruction, with the return address in
// `ra`.
void Tile::start(Region region) {
  region_ = region;
  running_ = true;
  pc_ = region == Region::Init ? 0 : region == Region::Main ? image_.main_entry : kFinishEntry;
  x_[1] = kReturnAddress;
  flush_front();
  stream_mask_ = 0;
  main_began_ = memory_.counters.cycles;
  if (region == Region::Main)
    ++memory_.counters.started;
}

// Ends the running region. An input that is left in the registers that hist.in freed counts as dropped.
void Tile::end_region() {
  running_ = false;
  flush_front();
  if (region_ == Region::Init)
    return;
  if (memory_.valid & stream_mask_)
    drop(Drop::Running);  // arrived after the last hist.in
  const uint64_t took = memory_.counters.cycles - main_began_;
  if (region_ == Region::Main)
    memory_.counters.worst_main_cycles = std::max(memory_.counters.worst_main_cycles, took);
  status_ = next_status(status_, Event::Done);
  memory_.valid = 0;
}

// Returns whether the address trigger lets this input through. The trigger opens with an input at the start
// address TS, and closes after one at the stop address TE.
bool Tile::armed(const TileInputs& inputs) {
  if (inputs.has_address)
    memory_.address = inputs.address;
  if (!trigger_on_ || !inputs.has_address)
    return region_armed_;
  if (inputs.address == memory_.trigger_start)
    region_armed_ = true;
  const bool now = region_armed_;
  if (inputs.address == memory_.trigger_end)
    region_armed_ = false;
  return now;
}

// Copies those IORegs of the input that `mask` names into the tile's, and marks them valid. `arrival` is the
// tile cycle in which the input arrived.
void Tile::latch(const TileInputs& inputs, uint32_t mask, uint32_t arrival) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    memory_.io[size_t(i)] = inputs.data[size_t(i)];
  }
  memory_.valid |= mask;
  memory_.arrival = arrival;
}

void Tile::abandon_queue(Drop cause) {
  memory_.counters.dropped[size_t(cause)] += queue_.size();
  queue_.clear();
}

// Returns as bits the IORegs that can take `next`, the oldest waiting input, in this cycle: all that it holds
// data for when it can start main, those that hist.in freed while main runs, else none.
uint32_t Tile::take_next(const TileInputs& next, Status before) {
  const bool asked = want_pause_ || want_finalize_;  // a pending command takes precedence
  if (before == Status::ActivePaused)
    return status_ == before && !asked ? next.valid : 0;
  const bool runs_on = before == Status::ActiveRunning && status_ != Status::ActivePaused;
  return runs_on ? stream_mask_ & ~memory_.valid & next.valid : 0;
}

// Queues or drops an input, unless it is the one that was taken. `taken` tells whether the oldest input was
// taken in this cycle. It is this one when the queue was empty.
void Tile::keep_or_drop(const TileInputs& inputs, Status before, bool queue_was_empty, bool taken) {
  const Arrived arrived{inputs, uint32_t(memory_.counters.cycles)};
  if (before == Status::ActiveRunning) {
    if (queue_was_empty && taken)
      return;
    if (queue_.size() < options_.input_queue)
      return queue_.push_back(arrived);
    return drop(Drop::Running);
  }
  if (before == Status::ActivePaused) {
    if (want_pause_)
      return drop(Drop::Paused);
    if (want_finalize_)
      return drop(Drop::Finalizing);
    if (!queue_was_empty)
      queue_.push_back(arrived);
    return;
  }
  drop(before == Status::Paused ? Drop::Paused : before == Status::Finalize ? Drop::Finalizing : Drop::Error);
}

// Takes, queues or drops the input of this cycle, and starts main when the tile waits for an input. `before`
// is the state at the start of the cycle.
void Tile::accept(const TileInputs* inputs, Status before) {
  memory_.valid &= ~consumed_;
  consumed_ = 0;
  const bool offered = inputs && (inputs->valid & image_.input_mask) && before != Status::Undefined;
  const bool passes = inputs && (offered || inputs->has_address) && armed(*inputs);
  if (offered)
    ++memory_.counters.inputs;
  if (offered && !passes)
    drop(Drop::Untriggered);
  const bool comes = offered && passes;
  const bool queue_was_empty = queue_.empty();
  if (!comes && queue_was_empty)
    return;
  const Arrived next = queue_was_empty ? Arrived{*inputs, uint32_t(memory_.counters.cycles)} : queue_.front();
  const uint32_t taken = take_next(next.inputs, before);
  if (taken) {
    latch(next.inputs, taken, next.cycle);
    if (!queue_was_empty)
      queue_.erase(queue_.begin());
  }
  if (comes)
    keep_or_drop(*inputs, before, queue_was_empty, taken != 0);
  if (!taken || before != Status::ActivePaused)
    return;
  status_ = next_status(status_, Event::Input);
  start(Region::Main);
}

void Tile::take_commands(Status before) {
  if (next_start_) {
    trigger_on_ = true;
    region_armed_ = false;
    memory_.trigger_start = *next_start_;
    next_start_.reset();
  }
  if (next_stop_) {
    memory_.trigger_end = *next_stop_;
    next_stop_.reset();
  }
  if (want_reset_) {
    running_ = want_reset_ = want_pause_ = want_finalize_ = want_resume_ = want_image_ = false;
    flush_front();
    memory_stage_.valid = false;
    status_ = next_status(status_, Event::Reset);
    return;
  }
  if (want_image_) {
    want_image_ = false;
    image_ = *next_image_;
    code_.clear();
    for (const TileOp& op : decode_code(image_.code)) {
      Slot slot;
      slot.op = op;
      slot.rd = op.writes_rd() ? op.base.rd : 0;
      slot.rs1 = op.reads_rs1() ? op.base.rs1 : 0;
      slot.rs2 = op.reads_rs2() ? op.base.rs2 : 0;
      slot.is_load = riscv::is_load(op.base.op);
      slot.answers_late = slot.is_load || op.custom == Custom::HistRead;
      slot.is_store = riscv::is_store(op.base.op);
      slot.is_alu = op.base.op >= riscv::Op::Add && op.base.op <= riscv::Op::And;
      slot.is_alu_immediate = op.base.op >= riscv::Op::Addi && op.base.op <= riscv::Op::Srai;
      code_.push_back(slot);
    }
    memory_stage_.valid = false;
    x_ = {};
    x_[2] = kDataBase + kDataBytes;
    std::ranges::fill(memory_.scratchpad, uint8_t{0});
    std::ranges::copy(image_.data, memory_.scratchpad.begin());
    histogram_ = {};
    memory_.valid = 0;
    abandon_queue(Drop::Paused);
    trigger_on_ = image_.triggered;
    region_armed_ = !trigger_on_;
    memory_.trigger_start = image_.trigger_start;
    memory_.trigger_end = image_.trigger_end;
    status_ = next_status(status_, Event::Image);
    fault_ = {};
    start(Region::Init);
    return;
  }
  // The commands below wait while a region runs, so pause and finalize take effect when main returns.
  if (running_ || before == Status::ActiveRunning)
    return;
  if (want_pause_) {
    status_ = next_status(status_, Event::Pause);
    want_pause_ = false;
  }
  if (want_resume_) {
    status_ = next_status(status_, Event::Resume);
    want_resume_ = false;
  }
  if (want_finalize_) {
    want_finalize_ = false;
    const Status next = next_status(status_, Event::Finalize);
    if (next == Status::Finalize && status_ != Status::Finalize) {
      abandon_queue(Drop::Finalizing);
      start(Region::Finish);
    }
    status_ = next;
  }
}

void Tile::rest(uint64_t cycles) {
  memory_.counters.cycles += cycles;
  memory_.status = uint32_t(status_);
  retired_.valid = false;
}

void Tile::step(const TileInputs* inputs) {
  ++memory_.counters.cycles;
  memory_.counters.active_cycles += running_;
  const Status before = status_;
  memory_.status = uint32_t(before);
  if (memory_.soft)
    memory_.soft->step(inputs);
  retired_.valid = write_back_.valid;
  if (write_back_.valid)
    retired_ = {true, write_back_.pc, write_back_.rd, write_back_.value};
  if (running_ || draining()) {
    if (access_memory() && execute()) {
      decode();
      fetch();
    }
  }
  accept(inputs, before);
  histogram_.tick();
  take_commands(before);
}

}  // namespace lento::tile
