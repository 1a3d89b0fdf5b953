// The look-up of an entry: the rest of its block, its destinations and their blocks are candidates.
#include <algorithm>

#include "tile/cases/prefetch_fields.h"
#include "tile/cases/prefetch_logic.h"

namespace lento::tile {

// A line to prefetch unless it is there or on its way; its shadow row has been read.
void PrefetchLogic::candidate(uint32_t line, const Origin& origin) {
  // The visit's line and the one that landed last may be on their way into the row.
  if ((missed_ && line == now_.line) || line == fill_.line) return;
  if (find_way(shadow_seen_, line) >= 0 || in_flight(line)) return;
  if (flights_held_ == kFlights) {
    incomplete_ = true;
    return;
  }
  const uint32_t asked = 2 * look_.time;
  const uint32_t at = ((issue_ - asked) & kHalves) < 0x1000 ? issue_ : asked;
  issue_ = (at + 1) & kHalves;
  const auto ready = static_cast<uint16_t>((at / 2 + kMissCycles) & kTime);
  flights_[(first_flight_ + flights_held_++) % kFlights] = {line, ready, origin};
}

// The look-up uses what the visits leave of the ports. `fetched_`: it read in the cycle before.
void PrefetchLogic::step_look() {
  const bool fetched = fetched_;
  fetched_ = false;
  switch (look_state_) {
    case LookState::Quiet:
      start_look();
      break;
    case LookState::Own:
      own_size(fetched);
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
      if (fetched && !must_wait_)
        destination();
      else
        fetch_destination();
      break;
    case LookState::Size:
      destination_size(fetched);
      break;
  }
}

bool PrefetchLogic::scratch_free() const { return !scratch_.read && scratch_.write == 0; }

void PrefetchLogic::start_look() {
  look_state_ = LookState::Quiet;
  if (looks_held_ == 0) return;
  look_ = looks_waiting_[first_look_];
  first_look_ = (first_look_ + 1) % kLooks, --looks_held_;
  incomplete_ = false, slot_ = 0, look_epoch_ = epoch_;
  if (policy_ == EmulatedPolicy::NextLine) return start_block(look_.line, 1);
  look_state_ = LookState::Own;
  own_size(false);
}

void PrefetchLogic::own_size(bool fetched) {
  if (fetched) {
    candidate_ = (look_.line + 1) & kLineMask, left_ = lane_of(scratch_word_, look_.entry) & kMaxSize;
    look_state_ = LookState::Payload;
    payload(false);
  } else if (scratch_free()) {
    read_scratch(kSizes + look_.entry / 4);
    fetched_ = true;
  }
}

void PrefetchLogic::payload(bool fetched) {
  if (fetched) {
    payload_ = decode(scratch_word_);
    if (left_ == 0) return slot();
    return block(true);
  }
  if (!scratch_free() || state_ == State::Miss) return;
  read_scratch(kPayloads + look_.entry);
  shadow_look_ = shadow_set(candidate_);
  fetched_ = true;
}

// The `lines` after `line` are candidates.
void PrefetchLogic::start_block(uint32_t line, uint32_t lines) {
  candidate_ = (line + 1) & kLineMask, left_ = lines;
  if (lines == 0) return slot();
  look_state_ = LookState::Block;
  fetched_ = state_ != State::Miss;
  shadow_look_ = shadow_set(candidate_);
}

void PrefetchLogic::block(bool fetched) {
  fetched = fetched && !must_wait_;
  if (fetched) candidate(candidate_, {policy_ == EmulatedPolicy::Entangling, look_.entry, 7});
  start_block(candidate_ - !fetched, left_ - fetched);
}

// The next destination, or the end.
void PrefetchLogic::slot() {
  look_state_ = LookState::Slot;
  if (policy_ == EmulatedPolicy::NextLine) {
    look_state_ = LookState::Quiet;
  } else if (payload_.confidence == 0) {
    if (!incomplete_ && !scratch_free()) return;
    if (!incomplete_) write_size(look_.entry, 0, look_epoch_, 2);
    look_state_ = LookState::Quiet;
  } else {
    destination_ = widen(look_.line, payload_.address, payload_.format);
    const bool wanted = (payload_.confidence & 3) > 0 && destination_ != look_.line;
    shift(payload_), ++slot_;
    if (wanted) fetch_destination();
  }
}

void PrefetchLogic::fetch_destination() {
  look_state_ = LookState::Destination;
  fetched_ = state_ != State::Miss;
  shadow_look_ = shadow_set(destination_), table_look_ = table_set(destination_);
}

void PrefetchLogic::destination() {
  candidate(destination_, {true, look_.entry, static_cast<uint8_t>(slot_ - 1)});
  const int entry = find_entry(table_seen_, destination_);
  if (entry < 0) return slot();
  destination_entry_ = static_cast<uint32_t>(entry);
  look_state_ = LookState::Size;
  destination_size(false);
}

void PrefetchLogic::destination_size(bool fetched) {
  if (fetched) {
    const uint32_t lane = lane_of(scratch_word_, destination_entry_);
    start_block(destination_, lane >> 8 == look_epoch_ ? 0 : lane & kMaxSize);
  } else if (scratch_free()) {
    read_scratch(kSizes + destination_entry_ / 4);
    fetched_ = true;
  }
}

}  // namespace lento::tile
