// Misses, fills of the shadow cache, and the judgement of the destination that prefetched a line.
#include <algorithm>

#include "lab/tile/prefetch_logic.h"

namespace lento::tile {

void PrefetchLogic::step_fill() {
  switch (state_) {
    case State::Miss:
      miss();
      break;
    case State::Drain:
      drain();
      break;
    case State::Fill:
      fill();
      break;
    case State::Source:
      source();
      break;
    case State::Judge:
      read_scratch(kPayloads + judged_.entry);
      state_ = State::Confidence;
      break;
    default:
      confidence();
  }
}

bool PrefetchLogic::in_flight(uint32_t line) const {
  for (uint32_t i = 0; i < flights_held_; ++i) {
    if (flights_[(first_flight_ + i) % kFlights].shadow == shadow_of(line))
      return true;
  }
  return false;
}

void PrefetchLogic::miss() {
  if (fetched_)
    return;  // the look-up compares with what is in flight
  waits_ = in_flight(now_.line);
  fills_ = !waits_;
  latency_ = now_.latency;
  if (fills_)
    move_clock(latency_);
  state_ = State::Drain;
}

void PrefetchLogic::start_fill() {
  shadow_read_ = int(shadow_set(fill_.shadow));
  state_ = State::Fill;
}

// Performs the fills that are due, or the one that the visit waits for, then continues with the visit.
void PrefetchLogic::drain() {
  if (waits_ || due()) {
    fill_ = flights_[first_flight_];
    first_flight_ = (first_flight_ + 1) % kFlights;
    --flights_held_;
    fill_prefetched_ = !(waits_ && fill_.shadow == shadow_of(now_.line));
    start_fill();
    if (!fill_prefetched_)
      late();
  } else if (fills_) {
    fills_ = fill_prefetched_ = false;
    fill_.shadow = shadow_of(now_.line);
    fill_.origin.valid = false;
    start_fill();
  } else if (!checks_) {
    next_visit();
  } else if (!missed_) {
    read_lines(now_.line);
    state_ = State::Check;
  } else if (pushed_) {
    walk_ = 1;
    tries_ = 0;
    state_ = State::Walk;
  } else {
    next_visit();
  }
}

// The request for the line that the visit waits for is on its way. When it was still to be sent, the visit
// sends its own.
void PrefetchLogic::late() {
  const uint32_t until = (fill_.ready - clock_) & kTime;
  const bool sent = until <= kMissCycles || until >= 0x800;
  counts_[2] += sent;
  if (until < 0x800)
    move_clock(sent ? until : now_.latency);
  latency_ = (clock_ - fill_.asked) & kTime;
  waits_ = false;
  if (!fill_.origin.valid)
    return;
  fill_.origin.valid = false;
  judged_ = fill_.origin;
  judged_up_ = false;
  late_ = true;
  state_ = State::Judge;
}

// Replaces the least recently used way. The origin of the new line replaces the origin of the evicted one,
// which is judged.
void PrefetchLogic::fill() {
  size_t way = 0;
  while (shadow_row_[way].rank != 7)
    ++way;
  const Way& victim = shadow_row_[way];
  counts_[2] += victim.prefetched;
  judged_up_ = !victim.prefetched;
  epoch_ = (epoch_ + 1) & kEpoch;
  shadow_new_ = shadow_row_;
  shadow_new_[way] = {uint16_t(fill_.shadow >> 6), fill_.origin.valid, fill_prefetched_, 7};
  renew(shadow_new_, int(way));
  shadow_write_ = int(shadow_set(fill_.shadow));
  fill_at_ = shadow_set(fill_.shadow) * 8 + uint32_t(way);
  state_ = State::Drain;
  if (victim.asked) {
    read_scratch(kOrigins + fill_at_ / 4);
    state_ = State::Source;
  } else if (fill_.origin.valid) {
    write_origin();
  }
}

void PrefetchLogic::source() {
  const uint32_t lane = lane_of(scratch_word_, fill_at_);
  judged_ = {true, uint16_t(lane & 0x7ff), uint8_t(lane >> 11 & 7)};
  if (fill_.origin.valid)
    write_origin();
  state_ = State::Judge;
}

void PrefetchLogic::write_origin() {
  write_lane(kOrigins, fill_at_, uint64_t{fill_.origin.slot} << 11 | fill_.origin.entry, 3);
}

void PrefetchLogic::confidence() {
  Payload p = decode(scratch_word_);
  const uint32_t by = 2 * judged_.slot;
  const uint32_t old = p.confidence >> by & 3;
  const uint32_t changed = old == 0 ? 0 : judged_up_ ? std::min(old + 1, 3u) : old - 1;
  p.confidence = (p.confidence & ~(3u << by)) | changed << by;
  write_scratch(kPayloads + judged_.entry, encode(p), 0xff);
  state_ = late_ ? State::Fill : State::Drain;
  late_ = false;
}

}  // namespace lento::tile
