// A min-queue of timed events for event-driven simulators.
//
// Order: time, then priority (smaller first), then the order of insertion. The three are packed so that one
// comparison of two integers decides; a 4-ary implicit heap keeps a node's children in one cache line pair.
// Cost: O(log4 n) moves a pop, no allocation once the high-water mark is reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"

namespace lento::base {

template <class Payload>
class EventQueue {
 public:
  struct Event {
    uint64_t time;
    uint64_t order;  // priority in the top 8 bits, sequence below
    Payload payload;
  };

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  uint64_t now() const { return now_; }

  // `time` must not lie before the event last popped.
  void push(uint64_t time, const Payload& payload, uint8_t priority = 0) {
    LENTO_CHECK(time >= now_, "an event was scheduled in the past");
    Event event{time, (uint64_t{priority} << 56) | sequence_++, payload};
    size_t i = heap_.size();
    heap_.push_back(event);
    while (i > 0) {
      const size_t parent = (i - 1) / 4;
      if (!before(event, heap_[parent])) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = event;
  }

  // The queue must not be empty.
  Event pop() {
    const Event top = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    now_ = top.time;
    return top;
  }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }

  void sift_down(const Event& event) {
    const size_t n = heap_.size();
    size_t i = 0;
    for (;;) {
      const size_t first = 4 * i + 1;
      if (first >= n) break;
      size_t best = first;
      const size_t end = first + 4 < n ? first + 4 : n;
      for (size_t c = first + 1; c < end; ++c) {
        if (before(heap_[c], heap_[best])) best = c;
      }
      if (!before(heap_[best], event)) break;
      heap_[i] = heap_[best];
      i = best;
    }
    heap_[i] = event;
  }

  std::vector<Event> heap_;
  uint64_t sequence_ = 0;
  uint64_t now_ = 0;
};

}  // namespace lento::base
