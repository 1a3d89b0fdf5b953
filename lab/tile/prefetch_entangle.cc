// The entangling of a missed line with a head that ran long enough before it, and the entry's packing.
#include <algorithm>

#include "lab/tile/prefetch_logic.h"

namespace lento::tile {

void PrefetchLogic::step_entangle() {
  switch (state_) {
    case State::Walk:
      walk();
      break;
    case State::Try:
      try_head();
      break;
    case State::Scan:
      old_ = fresh_ ? Payload{} : decode(scratch_word_);
      start_scan();
      break;
    case State::ScanSlot:
      scan_slot();
      break;
    case State::Pack:
      pack();
      break;
    case State::PackWrite:
      write_scratch(kPayloads + entry_, encode(packed_), 0xff);
      state_ = State::Stale;
      break;
    default:  // Stale
      write_size(entry_, 0, fresh_ ? 3 : 2);
      next_visit();
  }
}

// Takes the oldest entry of the line's set. The tags of the set have been read.
void PrefetchLogic::allocate(uint32_t line) {
  table_new_ = table_row_;
  table_new_.tag[table_row_.oldest] = table_tag(line);
  table_new_.oldest = uint8_t((table_row_.oldest + 1) % 16);
  table_write_ = int(table_set(line));
  entry_ = table_set(line) * 16 + table_row_.oldest;
  write_scratch(kPayloads + entry_, 0, 0xff);
}

// Looks for a head that ran a miss's latency before the line.
void PrefetchLogic::walk() {
  const Head& head = history_[walk_];
  if (walk_ == 0 || (head.valid && head.line == now_.line))
    return tries_ == 0 ? next_visit() : insist();
  if (head.valid && ((history_[0].time - head.time) & kTime) >= latency_) {
    target_ = head.line;
    if (tries_++ == 0)
      first_target_ = head.line;
    table_read_ = int(table_set(target_));
    state_ = State::Try;
  }
  walk_ = (walk_ + 1) % kHistory;
}

// Without room in any head, the first head loses a destination.
void PrefetchLogic::insist() {
  tries_ = 3;
  target_ = first_target_;
  table_read_ = int(table_set(target_));
  state_ = State::Try;
}

void PrefetchLogic::no_room() {
  if (tries_ == 2)
    return insist();
  state_ = State::Walk;
}

void PrefetchLogic::try_head() {
  const int entry = find_entry(table_row_, target_);
  fresh_ = entry < 0;
  if (fresh_ && tries_ < 3)
    return no_room();
  if (fresh_) {
    allocate(target_);
  } else {
    entry_ = uint32_t(entry);
    read_scratch(kPayloads + entry_);
  }
  state_ = State::Scan;
}

void PrefetchLogic::start_scan() {
  packed_ = old_;
  held_ = 1;
  fit_ = format_for(target_, now_.line);
  scan_ = 0;
  weakest_confidence_ = 4;
  state_ = State::ScanSlot;
}

// Examines one destination of the entry each cycle: whether it is the line, how short its address may be,
// and which is the weakest.
void PrefetchLogic::scan_slot() {
  if (packed_.confidence == 0)
    return scanned();
  const uint32_t confidence = packed_.confidence & 3;
  const uint32_t line = widen(target_, packed_);
  if (confidence > 0 && line == now_.line) {
    old_.confidence |= 3u << 2 * scan_;
    write_scratch(kPayloads + entry_, encode(old_), 0xff);
    return next_visit();
  }
  if (confidence > 0) {
    ++held_;
    fit_ = std::min(fit_, format_for(target_, line));
    if (confidence < weakest_confidence_) {
      weakest_ = scan_;
      weakest_confidence_ = confidence;
    }
  }
  shift(packed_), ++scan_;
}

void PrefetchLogic::scanned() {
  if (held_ <= fit_) {
    packed_ = {fit_, 0, 0};
    scan_ = emitted_ = 0;
    placed_ = false;
    state_ = State::Pack;
  } else if (tries_ < 3) {
    no_room();
  } else {
    old_.confidence &= ~(3u << 2 * weakest_);
    start_scan();
  }
}

// Writes the entry in the format that fits, one slot each cycle. Destinations stay in their slots where
// possible, and the line takes the first free one.
void PrefetchLogic::pack() {
  const bool more = scan_ < old_.format;
  uint32_t line = widen(target_, old_);
  uint32_t confidence = more ? old_.confidence & 3 : 0;
  const bool places = confidence == 0 && !placed_;
  if (places) {
    line = now_.line;
    confidence = 3;
    placed_ = true;
  }
  const bool skips = confidence == 0 && more && fit_ < old_.format;
  if (more)
    shift(old_), ++scan_;
  if (skips)
    return;
  const uint32_t bits = kBits[fit_];
  packed_.address = packed_.address >> bits | uint64_t{line & ((1u << bits) - 1)} << bits * (fit_ - 1);
  packed_.confidence |= confidence << 2 * emitted_;
  if (++emitted_ == fit_)
    state_ = State::PackWrite;
}

}  // namespace lento::tile
