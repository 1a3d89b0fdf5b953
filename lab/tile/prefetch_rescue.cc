// A line gets the oldest entry of its set. What leaves is kept when it holds more than some other entry of
// the set: it takes the place of the next one without destinations, of one without a block where there is
// any.
#include "lab/tile/prefetch_logic.h"

namespace lento::tile {

// The set's tags have been read; `then` follows once `line` has its entry.
void PrefetchLogic::start_rescue(uint32_t line, State then) {
  newcomer_ = line;
  then_ = then;
  steps_ = 0;
  place_found_ = place_sized_ = false;
  entry_ = set_of(line) * 16 + table_row_.oldest;
  read_scratch(shape_.sizes() + entry_ / 4);
  state_ = State::Rescue;
}

void PrefetchLogic::step_rescue() {
  switch (state_) {
    case State::Rescue:
      rescue();
      break;
    case State::RescueRead:
      read_scratch(entry_);
      state_ = State::RescueWrite;
      break;
    case State::RescueWrite:
      write_scratch((entry_ & ~15u) | place_, scratch_word_, 0xff);
      state_ = State::RescueLane;
      break;
    case State::RescueLane:
      write_lane(shape_.sizes(), (entry_ & ~15u) | place_, leaving_);
      state_ = State::Allocate;
      break;
    default:  // Allocate
      allocate();
  }
}

// An entry of the set a cycle, the oldest first.
void PrefetchLogic::rescue() {
  const uint32_t at = (entry_ + steps_) & 15;
  const uint32_t lane = lane_of(scratch_word_, at);
  const bool has = (lane & kHasDestinations) != 0;
  const bool sized = (lane & kMaxSize) != 0;
  bool ends = false;
  if (steps_ == 0) {
    leaving_ = lane;
    ends = !has && !sized;
  } else if (!has && (!place_found_ || (place_sized_ && !sized))) {
    place_ = at;
    place_found_ = true;
    place_sized_ = sized;
    ends = !sized;
  }
  const bool moves = place_found_ && (!place_sized_ || (leaving_ & kHasDestinations) != 0);
  if (ends || steps_ == 15) {
    place_found_ = moves;
    state_ = moves ? State::RescueRead : State::Allocate;
    return;
  }
  ++steps_;
  read_scratch(shape_.sizes() + ((entry_ & ~15u) | ((entry_ + steps_) & 15)) / 4);
}

void PrefetchLogic::allocate() {
  const uint32_t oldest = table_row_.oldest;
  table_new_ = table_row_;
  if (place_found_)
    table_new_.tag[place_] = table_row_.tag[oldest];
  table_new_.tag[oldest] = table_tag(newcomer_, shape_.set_bits);
  table_new_.oldest = uint8_t((oldest + 1) % 16);
  table_write_ = int(set_of(newcomer_));
  write_scratch(entry_, 0, 0xff);
  state_ = then_;
}

}  // namespace lento::tile
