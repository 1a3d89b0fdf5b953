// The event queue of the accelerator model: a heap with four children per node and 16 bytes per event, so
// that the children of a node lie in at most two cache lines. Order: time, then insertion. The simulator
// spends half its time here. A popped event leaves the first place of the heap open, because its handler
// mostly inserts one event, which sinks from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::chip {

class EventHeap {
 public:
  struct Event {
    uint64_t time;
    // Insertion number; it wraps, but two events of one time are never 2^31 insertions apart.
    uint32_t sequence;
    uint32_t what;
  };

  bool empty() const {
    return size() == 0;
  }
  size_t size() const {
    return heap_.size() - open_;
  }

  // Adds an event. It takes the place of the event just removed when that is still open.
  void push(uint64_t time, uint32_t what) {
    const Event event{time, sequence_++, what};
    if (open_) {
      open_ = false;
      return sink(event);
    }
    size_t i = heap_.size();
    heap_.push_back(event);
    while (i > 0) {
      const size_t parent = (i - 1) / 4;
      if (!before(event, heap_[parent]))
        break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = event;
  }

  // Returns the time of the next event. The queue must not be empty.
  uint64_t next_time() {
    close();
    return heap_.front().time;
  }
  Event pop() {
    close();
    open_ = true;
    return heap_.front();
  }

 private:
  static bool before(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : int32_t(a.sequence - b.sequence) < 0;
  }

  // Fills the first place of the heap, which pop() left open, with the last event.
  void close() {
    if (!open_)
      return;
    open_ = false;
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty())
      sink(last);
  }

  // Moves an event down to its place in the heap of four children per node.
  void sink(const Event& event) {
    const size_t n = heap_.size();
    Event* heap = heap_.data();
    size_t i = 0;
    for (size_t first = 1; first < n; first = 4 * i + 1) {
      size_t best = first;
      const size_t end = first + 4 < n ? first + 4 : n;
      for (size_t c = first + 1; c < end; ++c)
        best = before(heap[c], heap[best]) ? c : best;
      if (!before(heap[best], event))
        break;
      heap[i] = heap[best];
      i = best;
    }
    heap[i] = event;
  }

  std::vector<Event> heap_;
  uint32_t sequence_ = 0;
  bool open_ = false;  // the first place is vacant
};

}  // namespace lento::chip
