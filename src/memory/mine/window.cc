// Builds windows of a trace in one pass: around high accesses, around given centres, and by slices of time
// for sampled traces. Every builder holds at most kMostEvents (2^20) events of a kind, so that a trace with
// many records in one cycle cannot exhaust memory. Cost: O(1) amortised an event and open window.
#include "memory/mine/window.h"

namespace lento::memory {

void WindowBuilder::add(const AccessRecord& event, bool high) {
  if (is_open_ && event.cycle > seed_ + half_)
    close();
  while (!recent_.empty() && recent_.front().cycle + half_ < event.cycle)
    recent_.pop_front();
  if (high && !is_open_ && (!any_ || event.cycle > seed_ + half_))
    open(event.cycle);
  if (is_open_ && events_.size() < 2 * kMostEvents)
    events_.push_back(event);
  recent_.push_back(event);
  if (recent_.size() > kMostEvents)
    recent_.pop_front();
}

// Opens a window around a slow access, beginning with recent records.
void WindowBuilder::open(uint64_t cycle) {
  events_.clear();
  for (const AccessRecord& event : recent_) {
    if (literal_ && any_ && event.cycle <= used_until_)
      continue;
    events_.push_back(event);
  }
  seed_ = cycle;
  any_ = is_open_ = true;
}

void WindowBuilder::close() {
  sink_({seed_, seed_ > half_ ? seed_ - half_ : 0, seed_ + half_, events_});
  used_until_ = seed_ + half_;
  is_open_ = false;
}

void WindowBuilder::finish() {
  if (is_open_)
    close();
}

void ControlBuilder::add(const AccessRecord& event) {
  while (!open_.empty() && event.cycle > open_.front().centre + half_) {
    emit(open_.front());
    open_.pop_front();
  }
  while (next_ < centres_.size() && event.cycle + half_ >= centres_[next_]) {
    Open window{centres_[next_++], {}};
    if (event.cycle > window.centre + half_) {
      emit(window);  // nothing happened in it
    } else {
      open_.push_back(std::move(window));
    }
  }
  for (Open& window : open_) {
    if (held_ == kMostEvents)
      return;
    window.events.push_back(event);
    ++held_;
  }
}

void ControlBuilder::emit(const Open& window) {
  held_ -= window.events.size();
  sink_(
      {window.centre,
       window.centre > half_ ? window.centre - half_ : 0,
       window.centre + half_,
       window.events});
}

void ControlBuilder::finish() {
  for (const Open& window : open_)
    emit(window);
  open_.clear();
}

void SliceBuilder::add(const AccessRecord& event, bool high) {
  if (event.cycle / slice_ != at_ || events_ == kMostEvents)
    finish();
  at_ = event.cycle / slice_;
  ++events_;
  const bool kernel = event.address >> 63;
  Group& group = groups_[{kernel ? uint16_t{0} : event.process, event.address / object_bytes_}];
  group.events.push_back(event);
  group.any_high |= high;
}

// Gives the accesses to each object in the finished slice of time to `high_` or `calm_`, by whether one was
// slow.
void SliceBuilder::finish() {
  for (const auto& [object, group] : groups_) {
    if (group.events.size() < 2)
      continue;
    const Window window{group.events.front().cycle, at_ * slice_, at_ * slice_ + slice_ - 1, group.events};
    (group.any_high ? high_ : calm_)(window);
  }
  groups_.clear();
  events_ = 0;
}

}  // namespace lento::memory
