// A visit: its check against the shadow tags, the running block and its recorded size.
#include <algorithm>

#include "lab/tile/prefetch_logic.h"

namespace lento::tile {

void PrefetchLogic::step_visit() {
  switch (state_) {
    case State::Idle:
      missed_ = checks_ = false;
      if (due())
        state_ = State::Drain;
      else
        next_visit();
      break;
    case State::Check:
      check();
      break;
    case State::Settle:
      if (due()) {
        state_ = State::Drain;
      } else if (!behind()) {
        read_lines(now_.line);
        state_ = State::Check;
      }
      break;
    case State::GrowTag:
      grow_tag();
      break;
    case State::GrowSize:
      if (grow_size_ > (lane_of(scratch_word_, entry_) & kMaxSize))
        write_size(entry_, grow_size_, 3);
      after_grow();
      break;
    default:  // GrowNew
      write_size(entry_, grow_size_, 3);
      after_grow();
  }
}

void PrefetchLogic::next_visit() {
  state_ = State::Idle;
  if (!front_valid_ || shadow_write_ >= 0 || table_write_ >= 0)
    return;
  now_ = front_;
  first_waiting_ = (first_waiting_ + 1) % kVisits;
  --waiting_held_;
  read_lines(now_.line);
  state_ = State::Check;
}

void PrefetchLogic::move_clock(uint32_t cycles) {
  clock_ = (clock_ + cycles) & kTime;
  if (((2 * clock_ - issue_) & kHalves) - 0x800 < 0x800)
    issue_ = (2 * clock_ - 0x400) & kHalves;
}

// Returns whether there are too many look-ups or, for an absent line, whether one is so late that its
// requests would be complete. With the next-line prefetcher any look-up counts, because its only request may
// be for this line.
bool PrefetchLogic::behind() const {
  if (looks_held_ + queues_look_ == kLooks)
    return true;
  if (!absent_)
    return false;
  const bool looks = look_state_ != LookState::Quiet;
  if (policy_ == EmulatedPolicy::NextLine)
    return looks || looks_held_ + queues_look_ > 0;
  return looks && ((clock_ - look_.time) & kTime) >= kMissCycles;
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
  absent_ = way < 0;
  if (behind())
    state_ = State::Settle;
  else
    pass(way);
}

void PrefetchLogic::pass(int way) {
  missed_ = absent_;
  if (missed_) {
    ++counts_[0];
    misses_unstalled_ += !now_.stalled;
  } else {
    const Way& here = shadow_row_[size_t(way)];
    counts_[1] += here.prefetched;
    if (here.prefetched || here.rank != 0) {
      shadow_new_ = shadow_row_;
      shadow_new_[size_t(way)].prefetched = false;
      renew(shadow_new_, way);
      shadow_write_ = int(shadow_set(now_.line));
    }
  }
  pushed_ = grows_ = began_ = false;
  const bool entered = policy_ == EmulatedPolicy::Entangling && enter_line();
  const int entry = find_entry(table_row_, now_.line);
  asked_ = policy_ == EmulatedPolicy::NextLine || (entered && entry >= 0);
  if (asked_) {
    ++looks_;
    const uint32_t at = entry >= 0 ? uint32_t(entry) : table_set(now_.line) * 16;
    asked_look_ = {now_.line, uint16_t(at), uint16_t(clock_), 0};
    read_scratch(kSizes + asked_look_.entry / 4);
  }
  if (!grows_)
    return after_grow();
  table_read_ = int(table_set(grow_line_));
  state_ = State::GrowTag;
}

// Takes size and epoch of the entry that the last check found. An entry whose lines were all present needs
// no look-up while few lines have been evicted since.
void PrefetchLogic::answer() {
  queues_look_ = false;
  if (!asked_)
    return;
  asked_ = false;
  const uint32_t lane = lane_of(scratch_word_, asked_look_.entry);
  if (began_ && merged_ == 0)
    known_size_ = std::max(known_size_, lane & kMaxSize);
  if (policy_ == EmulatedPolicy::Entangling && ((epoch_ - (lane >> 8)) & kEpoch) < kFresh)
    return;
  queues_look_ = true;
  queued_look_ = asked_look_;
  queued_look_.size = policy_ == EmulatedPolicy::Entangling ? lane & kMaxSize : 1;
}

// Extends the running basic block, or ends it and begins another. Returns false for the block's own last
// line.
bool PrefetchLogic::enter_line() {
  const uint32_t line = now_.line;
  const uint32_t last = (head_ + extra_) & kLineMask;
  if (line == last)
    return false;
  if (line == ((last + 1) & kLineMask)) {
    extra_ = std::min(extra_ + 1, kLongestBlock);
    uint32_t& size = history_[head_at_].size;
    size = std::max({size, known_size_, std::min(extra_ + merged_, kMaxSize)});
    return true;
  }
  grow_line_ = (head_ - merged_) & kLineMask;
  grow_size_ = extra_ + merged_;
  grows_ = extra_ > 0 && grow_size_ > known_size_;
  int found = -1;
  int merge = -1;
  for (int at = kHistory - 1; at >= 0; --at) {
    const Head& head = history_[size_t(at)];
    const uint32_t distance = (line - head.line) & kLineMask;
    if (!head.valid)
      continue;
    if (distance == 0)
      found = at;
    if (at < kMergeDepth && distance != 0 && distance <= head.size)
      merge = at;
  }
  head_ = line;
  extra_ = 0;
  began_ = true;
  pushed_ = merge < 0 && (found < 0 || missed_);
  head_at_ = pushed_ ? 0 : uint32_t(merge >= 0 ? merge : found);
  if (pushed_) {
    std::shift_right(history_.begin(), history_.end(), 1);
    history_[0] = {true, line, uint16_t(clock_), 0};
  }
  known_size_ = history_[head_at_].size;
  merged_ = merge >= 0 ? (line - history_[head_at_].line) & kLineMask : 0;
  return true;
}

void PrefetchLogic::grow_tag() {
  const int entry = find_entry(table_row_, grow_line_);
  if (entry < 0) {
    allocate(grow_line_);
    state_ = State::GrowNew;
    return;
  }
  entry_ = uint32_t(entry);
  read_scratch(kSizes + entry_ / 4);
  state_ = State::GrowSize;
}

void PrefetchLogic::after_grow() {
  if (!missed_)
    return next_visit();
  state_ = State::Miss;
}

}  // namespace lento::tile
