// The look-up of an entry: the rest of its block, its destinations and their blocks are candidates.
#include <algorithm>

#include "lab/tile/prefetch_logic.h"

namespace lento::tile {

// Takes a line to prefetch unless it is present or on its way. Its shadow row has been read. Each candidate
// takes half a cycle of the prefetch queue, and a full queue takes no further candidates of the look-up.
void PrefetchLogic::candidate(uint32_t line, const Origin& origin) {
  const uint32_t asked = 2 * look_.time;
  const uint32_t ahead = (issue_ - asked) & kHalves;
  // The last fill may be on its way into the row, and so may the visit's line.
  if (in_flight(line) || shadow_of(line) == fill_.shadow)
    return;
  if ((ahead >= kQueued && ahead < 0x1000) || flights_held_ == kFlights) {
    full_ = incomplete_ = true;
    return;
  }
  const uint32_t at = ahead < 0x1000 ? issue_ : asked;
  issue_ = (at + 1) & kHalves;
  if ((missed_ && shadow_of(line) == shadow_of(now_.line)) || find_way(shadow_seen_, line) >= 0)
    return;
  const auto ready = uint16_t((at / 2 + kMissCycles) & kTime);
  flights_[(first_flight_ + flights_held_++) % kFlights] = {shadow_of(line), look_.time, ready, origin};
}

// The look-up uses the ports when the visits leave them free. `fetched_`: the look-up read in the cycle
// before.
void PrefetchLogic::step_look() {
  const bool fetched = fetched_;
  fetched_ = false;
  switch (look_state_) {
    case LookState::Quiet:
      start_look();
      break;
    case LookState::Payload:
      payload(fetched);
      break;
    case LookState::Block:
      block(fetched);
      break;
    case LookState::Slot:
      slot();
      break;
    case LookState::Destination:
      if (fetched)
        destination();
      else
        fetch_destination();
      break;
    case LookState::Size:
      destination_size(fetched);
      break;
  }
}

bool PrefetchLogic::scratch_free() const {
  return !scratch_.read && scratch_.write == 0;
}

void PrefetchLogic::start_look() {
  look_state_ = LookState::Quiet;
  if (looks_held_ == 0)
    return;
  look_ = looks_waiting_[first_look_];
  first_look_ = (first_look_ + 1) % kLooks;
  --looks_held_;
  full_ = incomplete_ = false;
  slot_ = 0;
  look_epoch_ = epoch_;
  candidate_ = (look_.line + 1) & kLineMask;
  left_ = look_.size;
  if (policy_ == EmulatedPolicy::NextLine)
    return start_block(look_.line, 1);
  look_state_ = LookState::Payload;
  payload(false);
}

// Reads a word of the scratchpad and the shadow row of the first candidate.
void PrefetchLogic::fetch_with_candidate(uint32_t address) {
  if (!scratch_free() || state_ == State::Miss)
    return;
  read_scratch(address);
  shadow_look_ = shadow_set(candidate_);
  fetched_ = true;
}

void PrefetchLogic::payload(bool fetched) {
  if (!fetched)
    return fetch_with_candidate(kPayloads + look_.entry);
  payload_ = decode(scratch_word_);
  first_line();
}

// Starts the rest of a block. The row of its first line has been read together with the size.
void PrefetchLogic::first_line() {
  if (left_ == 0)
    slot();
  else
    block(true);
}

// Makes the `lines` lines after `line` candidates.
void PrefetchLogic::start_block(uint32_t line, uint32_t lines) {
  candidate_ = (line + 1) & kLineMask;
  left_ = lines;
  if (lines == 0 || full_)
    return slot();
  look_state_ = LookState::Block;
  fetched_ = state_ != State::Miss;
  shadow_look_ = shadow_set(candidate_);
}

void PrefetchLogic::block(bool fetched) {
  if (fetched)
    candidate(candidate_, {});
  start_block(candidate_ - !fetched, left_ - fetched);
}

// Goes to the next destination, or ends.
void PrefetchLogic::slot() {
  look_state_ = LookState::Slot;
  if (policy_ == EmulatedPolicy::NextLine) {
    look_state_ = LookState::Quiet;
  } else if (payload_.confidence == 0 || full_) {
    if (!incomplete_ && !scratch_free())
      return;
    if (!incomplete_)
      write_lane(kSizes, look_.entry, look_epoch_ << 8, 2);
    look_state_ = LookState::Quiet;
  } else {
    destination_ = widen(look_.line, payload_);
    const bool wanted = (payload_.confidence & 3) > 0 && destination_ != look_.line;
    shift(payload_), ++slot_;
    if (wanted)
      fetch_destination();
  }
}

void PrefetchLogic::fetch_destination() {
  look_state_ = LookState::Destination;
  fetched_ = state_ != State::Miss;
  shadow_look_ = shadow_set(destination_);
  table_look_ = table_set(destination_);
}

void PrefetchLogic::destination() {
  candidate(destination_, {true, look_.entry, uint8_t(slot_ - 1)});
  const int entry = find_entry(table_seen_, destination_);
  if (entry < 0)
    return slot();
  destination_entry_ = uint32_t(entry);
  candidate_ = (destination_ + 1) & kLineMask;
  look_state_ = LookState::Size;
  destination_size(false);
}

void PrefetchLogic::destination_size(bool fetched) {
  if (!fetched)
    return fetch_with_candidate(kSizes + destination_entry_ / 4);
  left_ = lane_of(scratch_word_, destination_entry_) & kMaxSize;
  first_line();
}

}  // namespace lento::tile
