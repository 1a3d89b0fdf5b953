// One clock of the logic: arrival of inputs, and the memories with their words.
#include "lab/tile/prefetch_logic.h"

#include <algorithm>
#include <cstring>

namespace lento::tile {

PrefetchLogic::PrefetchLogic(std::vector<uint8_t>& scratchpad, EmulatedPolicy policy)
    : scratchpad_(scratchpad),
      policy_(policy) {
  for (uint8_t way = 0; way < 8; ++way) {
    for (ShadowRow& row : shadow_)
      row[way].rank = way;
  }
}

void PrefetchLogic::step(const TileInputs* inputs) {
  scratch_.read = false;
  scratch_.write = 0;
  shadow_read_ = shadow_write_ = table_read_ = table_write_ = -1;
  answer();
  if (state_ < State::Miss)
    step_visit();
  else if (state_ < State::Walk)
    step_fill();
  else
    step_entangle();
  step_look();
  if (queues_look_)
    looks_waiting_[(first_look_ + looks_held_++) % kLooks] = queued_look_;
  arrive(inputs);
  clock_memories();
}

// Once visits are lost, all further ones are lost until the waiting ones are processed, so that the judged
// stretches have no gaps.
void PrefetchLogic::arrive(const TileInputs* inputs) {
  gap_ = std::min(gap_ + 1, 511u);
  front_valid_ = waiting_held_ > 0;
  front_ = waiting_[first_waiting_];
  if (!inputs)
    return;
  if ((inputs->valid & 3) == 3) {
    ++visits_;
    const uint32_t stall = stall_in(gap_);
    if (waiting_held_ == 0 && state_ == State::Idle)
      shedding_ = false;
    shedding_ = shedding_ || waiting_held_ == kVisits;
    stalls_ += stall > 0;
    stalls_lost_ += stall > 0 && shedding_;
    if (shedding_) {
      ++visits_lost_;
    } else if (newest_valid_) {
      newest_.stalled = stall > 0;
      newest_.latency = uint8_t(std::max(stall, kMissCycles));
      waiting_[(first_waiting_ + waiting_held_++) % kVisits] = newest_;
    }
    const uint64_t line = (uint64_t{inputs->data[1]} << 32 | inputs->data[0]) >> 6;
    newest_ = {fold(line), uint8_t(std::min(gap_ - stall, kLongestGap)), kMissCycles};
    newest_valid_ = true;
    gap_ = 0;
  }
  if (inputs->valid & 4) {
    for (size_t i = 0; i < 3; ++i) {
      sent_[i] = std::min(counts_[i] / kUnit, 255u);
      counts_[i] -= sent_[i] * kUnit;
    }
  }
}

void PrefetchLogic::read_lines(uint32_t line) {
  shadow_read_ = int(shadow_set(line));
  table_read_ = int(table_set(line));
}

// Writes the size of an entry. The entry then needs a new look-up, also when one is under way.
void PrefetchLogic::write_size(uint32_t entry, uint32_t size, uint32_t bytes) {
  if (entry == look_.entry)
    incomplete_ = true;
  write_lane(kSizes, entry, ((epoch_ ^ 128) & kEpoch) << 8 | (size & kMaxSize), bytes);
}

void PrefetchLogic::write_lane(uint32_t base, uint32_t index, uint64_t lane, uint32_t bytes) {
  write_scratch(base + index / 4, lane * 0x0001000100010001, uint8_t(bytes << 2 * (index & 3)));
}

// Performs the reads of the cycle before its writes.
void PrefetchLogic::clock_memories() {
  shadow_seen_ = shadow_[shadow_look_];
  table_seen_ = table_[table_look_];
  if (shadow_read_ >= 0)
    shadow_row_ = shadow_[size_t(shadow_read_)];
  if (shadow_write_ >= 0)
    shadow_[size_t(shadow_write_)] = shadow_new_;
  if (table_read_ >= 0)
    table_row_ = table_[size_t(table_read_)];
  if (table_write_ >= 0)
    table_[size_t(table_write_)] = table_new_;
  uint8_t* const bytes = &scratchpad_[size_t{scratch_.address} * 8];
  if (scratch_.read)
    std::memcpy(&scratch_word_, bytes, 8);
  for (size_t i = 0; i < 8; ++i) {
    if (scratch_.write >> i & 1)
      bytes[i] = uint8_t(scratch_.word >> 8 * i);
  }
}

}  // namespace lento::tile
