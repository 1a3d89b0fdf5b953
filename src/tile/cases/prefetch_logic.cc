// The visits: arrival, check against the shadow tags, blocks, fills.
#include "tile/cases/prefetch_logic.h"

#include <algorithm>
#include <cstring>

#include "tile/cases/prefetch_fields.h"

namespace lento::tile {
PrefetchLogic::PrefetchLogic(std::vector<uint8_t>& scratchpad, EmulatedPolicy policy)
    : scratchpad_(scratchpad), policy_(policy) {
  for (uint8_t way = 0; way < 8; ++way) {
    for (ShadowRow& row : shadow_) row[way].rank = way;
  }
}

void PrefetchLogic::step(const TileInputs* inputs) {
  scratch_.read = false, scratch_.write = 0;
  shadow_read_ = shadow_write_ = table_read_ = table_write_ = -1;
  must_wait_ = flights_held_ == kFlights && due();
  answer();
  switch (state_) {
    case State::Idle:
      idle();
      break;
    case State::Check:
      check();
      break;
    case State::Settle:
      if (due()) {
        state_ = State::Drain;
      } else if (!looking()) {
        read_lines(now_.line);
        state_ = State::Check;
      }
      break;
    case State::GrowTag:
      grow_tag();
      break;
    case State::GrowSize:
      if (grow_size_ > (lane_of(scratch_word_, entry_) & kMaxSize))
        write_size(entry_, grow_size_, epoch_ ^ 128, 3);
      after_grow();
      break;
    case State::GrowNew:
      write_size(entry_, grow_size_, epoch_ ^ 128, 3);
      after_grow();
      break;
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
    case State::Confidence:
      confidence();
      break;
    case State::Mark:
      write_size(judged_.entry, 0, epoch_ ^ 128, 2);
      drain();
      break;
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
    case State::Stale:
      write_size(entry_, 0, epoch_ ^ 128, fresh_ ? 3 : 2);
      next_visit();
      break;
  }
  step_look();
  if (queues_look_) looks_waiting_[(first_look_ + looks_held_++) % kLooks] = queued_look_;
  arrive(inputs);
  clock_memories();
}

void PrefetchLogic::arrive(const TileInputs* inputs) {
  gap_ = std::min(gap_ + 1, 511u);
  front_valid_ = waiting_held_ > 0, front_ = waiting_[first_waiting_];
  if (!inputs) return;
  if ((inputs->valid & 3) == 3) {
    ++visits_;
    if (waiting_held_ == kVisits) {
      ++visits_lost_;
    } else {
      const uint64_t line = (uint64_t{inputs->data[1]} << 32 | inputs->data[0]) >> 6;
      waiting_[(first_waiting_ + waiting_held_++) % kVisits] = {fold(line), without_stall(gap_)};
    }
    gap_ = 0;
  }
  if (inputs->valid & 4) {
    for (size_t i = 0; i < 3; ++i) {
      sent_[i] = std::min(counts_[i] / kUnit, 255u);
      counts_[i] -= sent_[i] * kUnit;
    }
  }
}

uint64_t PrefetchLogic::encode(const Payload& p) {
  return p.format | uint64_t{p.confidence} << 3 | p.address << 15;
}
PrefetchLogic::Payload PrefetchLogic::decode(uint64_t word) {
  return {static_cast<uint8_t>(word & 7), static_cast<uint16_t>(word >> 3 & 0xfff),
          word >> 15 & 0xffffffffffff};
}
// Moves every slot down by one.
void PrefetchLogic::shift(Payload& p) { p.confidence >>= 2, p.address >>= kStride[p.format]; }

bool PrefetchLogic::in_flight(uint32_t line) const {
  for (uint32_t i = 0; i < flights_held_; ++i) {
    if (flights_[(first_flight_ + i) % kFlights].line == line) return true;
  }
  return false;
}

void PrefetchLogic::read_lines(uint32_t line) {
  shadow_read_ = static_cast<int>(shadow_set(line));
  table_read_ = static_cast<int>(table_set(line));
}

void PrefetchLogic::next_visit() {
  state_ = State::Idle;
  if (!front_valid_ || shadow_write_ >= 0 || table_write_ >= 0) return;
  now_ = front_;
  first_waiting_ = (first_waiting_ + 1) % kVisits, --waiting_held_;
  read_lines(now_.line);
  state_ = State::Check;
}

void PrefetchLogic::move_clock(uint32_t cycles) {
  clock_ = (clock_ + cycles) & kTime;
  if (((2 * clock_ - issue_) & kHalves) - 0x800 < 0x800) issue_ = (2 * clock_ - 0x400) & kHalves;
}

void PrefetchLogic::idle() {
  missed_ = checks_ = false;
  if (due())
    state_ = State::Drain;
  else
    next_visit();
}

void PrefetchLogic::check() {
  checks_ = true;
  move_clock(now_.gap);
  now_.gap = 0;
  missed_ = false;
  if (due()) {
    state_ = State::Drain;
    return;
  }
  const int way = find_way(shadow_row_, now_.line);
  if ((way < 0 && looking()) || looks_held_ + queues_look_ == kLooks) {
    state_ = State::Settle;
    return;
  }
  missed_ = way < 0;
  if (missed_) {
    ++counts_[0];
  } else {
    const Way& here = shadow_row_[static_cast<size_t>(way)];
    counts_[1] += here.prefetched;
    if (here.prefetched || here.rank != 0) {
      shadow_new_ = shadow_row_;
      shadow_new_[static_cast<size_t>(way)].prefetched = false;
      renew(shadow_new_, way);
      shadow_write_ = static_cast<int>(shadow_set(now_.line));
    }
  }
  pushed_ = grows_ = false;
  const bool entered = policy_ == EmulatedPolicy::Entangling && enter_line();
  const int entry = find_entry(table_row_, now_.line);
  asked_ = policy_ == EmulatedPolicy::NextLine || (entered && entry >= 0);
  if (asked_) {
    ++looks_;
    const uint32_t at = entry >= 0 ? static_cast<uint32_t>(entry) : table_set(now_.line) * 16;
    asked_look_ = {now_.line, static_cast<uint16_t>(at), static_cast<uint16_t>(clock_)};
    read_scratch(kSizes + asked_look_.entry / 4);
  }
  after_check();
}

// The size and epoch of the entry that the last check found. An entry whose lines were all there, and few
// lines have gone since, needs no look.
void PrefetchLogic::answer() {
  queues_look_ = false;
  if (!asked_) return;
  asked_ = false;
  const uint32_t lane = lane_of(scratch_word_, asked_look_.entry);
  if (asked_look_.line == head_ && merged_ == 0) known_size_ = std::max(known_size_, lane & kMaxSize);
  if (policy_ == EmulatedPolicy::Entangling && ((epoch_ - (lane >> 8)) & kEpoch) < kFresh) return;
  queues_look_ = true, queued_look_ = asked_look_;
}

// The running basic block grows, or ends and another begins; false for its own last line.
bool PrefetchLogic::enter_line() {
  const uint32_t line = now_.line, last = (head_ + extra_) & kLineMask;
  if (line == last) return false;
  if (line == ((last + 1) & kLineMask)) {
    extra_ = std::min(extra_ + 1, kMaxSize);
    return true;
  }
  const uint32_t size = std::min(extra_ + merged_, kMaxSize);
  grow_line_ = (head_ - merged_) & kLineMask, grow_size_ = size;
  grows_ = extra_ > 0 && size > known_size_;
  int found = -1, merge = -1;
  for (int at = kHistory - 1; at >= 0; --at) {
    const Head& head = history_[static_cast<size_t>(at)];
    const uint32_t distance = (line - head.line) & kLineMask;
    if (!head.valid) continue;
    if (distance == 0) found = at;
    if (at < kMergeDepth && distance != 0 && distance <= head.size) merge = at;
  }
  if (extra_ > 0) {
    Head& old = history_[head_at_];
    old.size = std::max(old.size, static_cast<uint8_t>(size));
  }
  head_ = line, extra_ = 0;
  pushed_ = merge < 0 && (found < 0 || missed_);
  head_at_ = pushed_ ? 0 : static_cast<uint32_t>(merge >= 0 ? merge : found);
  if (pushed_) {
    std::shift_right(history_.begin(), history_.end(), 1);
    history_[0] = {true, line, static_cast<uint16_t>(clock_), 0};
  }
  known_size_ = history_[head_at_].size;
  merged_ = merge >= 0 ? (line - history_[head_at_].line) & kLineMask : 0;
  return true;
}

void PrefetchLogic::after_check() {
  if (!grows_) return after_grow();
  table_read_ = static_cast<int>(table_set(grow_line_));
  state_ = State::GrowTag;
}

void PrefetchLogic::grow_tag() {
  const int entry = find_entry(table_row_, grow_line_);
  if (entry < 0) {
    allocate(grow_line_);
    state_ = State::GrowNew;
    return;
  }
  entry_ = static_cast<uint32_t>(entry);
  read_scratch(kSizes + entry_ / 4);
  state_ = State::GrowSize;
}

void PrefetchLogic::after_grow() {
  if (!missed_) return next_visit();
  state_ = State::Miss;
}

void PrefetchLogic::miss() {
  if (fetched_) return;  // the look-up compares with what is in flight
  waits_ = in_flight(now_.line);
  if (waits_) {
    ++counts_[2];
  } else {
    move_clock(kMissCycles);
    fills_ = true;
  }
  state_ = State::Drain;
}

// Lands what is ready, or what the visit waits for; then goes on with the visit.
void PrefetchLogic::drain() {
  if (waits_ || due()) {
    fill_ = flights_[first_flight_];
    const bool wanted = waits_ && fill_.line == now_.line;
    const uint32_t until = (fill_.ready - clock_) & kTime;
    if (waits_ && until < 0x800) move_clock(until);
    first_flight_ = (first_flight_ + 1) % kFlights, --flights_held_;
    fill_prefetched_ = !wanted;
    late_ = wanted && fill_.origin.valid;
    if (wanted) {
      judged_ = fill_.origin;
      fill_.origin.valid = false;
      waits_ = false;
    }
  } else if (fills_) {
    fills_ = late_ = fill_prefetched_ = false;
    fill_.line = now_.line, fill_.origin.valid = false;
  } else if (missed_) {
    if (!pushed_) return next_visit();
    walk_ = 1, tries_ = 0;
    state_ = State::Walk;
    return;
  } else if (!checks_) {
    return next_visit();
  } else {
    read_lines(now_.line);
    state_ = State::Check;
    return;
  }
  shadow_read_ = static_cast<int>(shadow_set(fill_.line));
  state_ = State::Fill;
}

// Over the way used longest ago.
void PrefetchLogic::fill() {
  size_t way = 0;
  while (shadow_row_[way].rank != 7) ++way;
  const Way& victim = shadow_row_[way];
  counts_[2] += victim.valid && victim.prefetched;
  victim_valid_ = victim.valid, judged_up_ = !victim.prefetched;
  shadow_new_ = shadow_row_;
  shadow_new_[way] = {shadow_tag(fill_.line), true, fill_prefetched_, 7};
  renew(shadow_new_, static_cast<int>(way));
  shadow_write_ = static_cast<int>(shadow_set(fill_.line));
  fill_at_ = shadow_set(fill_.line) * 8 + static_cast<uint32_t>(way);
  read_scratch(kOrigins + fill_at_ / 4);
  state_ = State::Source;
}

// Where the line came from replaces where the evicted one came from, which is judged.
void PrefetchLogic::source() {
  const uint32_t lane = lane_of(scratch_word_, fill_at_);
  const Origin& o = fill_.origin;
  const uint64_t word = o.valid ? uint64_t{1} << 14 | uint64_t{o.slot} << 11 | o.entry : 0;
  write_lane(kOrigins, fill_at_, word, 3);
  if (late_) {
    judged_up_ = false;
  } else {
    judged_ = {(lane >> 14 & 1) != 0, static_cast<uint16_t>(lane & 0x7ff),
               static_cast<uint8_t>(lane >> 11 & 7)};
    if (!victim_valid_) return drain();
    if (!judged_.valid) {
      epoch_ = (epoch_ + 1) & kEpoch;
      return drain();
    }
  }
  state_ = judged_.slot == 7 ? State::Mark : State::Judge;
}

void PrefetchLogic::confidence() {
  Payload p = decode(scratch_word_);
  const uint32_t by = 2 * judged_.slot, old = p.confidence >> by & 3;
  const uint32_t changed = old == 0 ? 0 : judged_up_ ? std::min(old + 1, 3u) : old - 1;
  p.confidence = static_cast<uint16_t>((p.confidence & ~(3u << by)) | changed << by);
  write_scratch(kPayloads + judged_.entry, encode(p), 0xff);
  state_ = State::Mark;
}

void PrefetchLogic::write_size(uint32_t entry, uint32_t size, uint32_t epoch, uint32_t bytes) {
  if (entry == look_.entry) incomplete_ = true;  // what the look-up found is out of date
  write_lane(kSizes, entry, (epoch & kEpoch) << 8 | size, bytes);
}

void PrefetchLogic::write_lane(uint32_t base, uint32_t index, uint64_t lane, uint32_t bytes) {
  write_scratch(base + index / 4, lane * 0x0001000100010001, static_cast<uint8_t>(bytes << 2 * (index & 3)));
}

// Reads before it writes.
void PrefetchLogic::clock_memories() {
  shadow_seen_ = shadow_[shadow_look_];
  table_seen_ = table_[table_look_];
  if (shadow_read_ >= 0) shadow_row_ = shadow_[static_cast<size_t>(shadow_read_)];
  if (shadow_write_ >= 0) shadow_[static_cast<size_t>(shadow_write_)] = shadow_new_;
  if (table_read_ >= 0) table_row_ = table_[static_cast<size_t>(table_read_)];
  if (table_write_ >= 0) table_[static_cast<size_t>(table_write_)] = table_new_;
  uint8_t* const bytes = &scratchpad_[size_t{scratch_.address} * 8];
  if (scratch_.read) std::memcpy(&scratch_word_, bytes, 8);
  for (size_t i = 0; i < 8; ++i) {
    if (scratch_.write >> i & 1) bytes[i] = static_cast<uint8_t>(scratch_.word >> 8 * i);
  }
}

}  // namespace lento::tile
