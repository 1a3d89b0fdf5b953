// The reference workload of the SimPy comparison on Lento's event queue: layers of tasks on a K x K mesh,
// messages along x then y over FIFO links, every duration a hash of (seed, kind, ids), integer ticks (2^20
// per cycle). Any correct simulator gives the same end time and checksums. For tests and benchmarks.
//
// A FIFO server needs no event of its own: a request at t is served at max(t, free) and moves `free`. One
// event per link and one per task therefore suffice, as long as requests come in the order of time, which the
// queue ensures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chip/sim/event_heap.h"

namespace lento::chip::reference {

struct MeshWorkload {
  int k = 4;
  int layers = 25;
  int batches = 8;
  int fan = 4;
  int fail_core = -1;
  int fail_from = -1;
  int fail_to = -1;
  uint64_t factor = 10;
};

struct MeshOutcome {
  uint64_t end = 0;
  uint64_t tasks = 0;
  uint64_t messages = 0;
  uint64_t hops = 0;
  uint64_t task_sum = 0;
  uint64_t message_sum = 0;
};

class MeshRun {
 public:
  explicit MeshRun(const MeshWorkload& w)
      : w_(w),
        cores_(w.k * w.k),
        free_core_(cores_),
        free_link_(cores_ * cores_) {
    find_destinations();
    left_.resize(size_t(w_.batches) * w_.layers * cores_);
    ready_.resize(left_.size());
  }

  // Runs the workload and returns its end and message counts.
  MeshOutcome run() {
    for (int b = 0; b < w_.batches; ++b) {
      for (int l = 0; l < w_.layers; ++l) {
        for (int c = 0; c < cores_; ++c) {
          left_[slot(b, l, c)] = need_[l * cores_ + c];
          if (need_[l * cores_ + c] > 0)
            continue;
          const uint64_t hash = l == 0 ? mix({kSeed, 4, u(b), u(c)}) : mix({kSeed, 5, u(b), u(l), u(c)});
          events_.push(1 + hash % kTicks, kTask | slot(b, l, c));
        }
      }
    }
    while (!events_.empty()) {
      const EventHeap::Event e = events_.pop();
      (e.what & kTask) ? task(e.time, e.what & ~kTask) : hop(e.time, e.what);
    }
    return out_;
  }

 private:
  static constexpr uint64_t kSeed = 1;
  static constexpr uint64_t kTicks = 1 << 20;
  static constexpr uint64_t kBandwidth = 16;
  static constexpr uint64_t kRate = 1024;
  static constexpr uint64_t kWork = 9000000;
  static constexpr uint64_t kSize = 24000;
  static constexpr uint64_t kStartUp = 10;
  static constexpr uint64_t kHop = 1;
  static constexpr uint32_t kTask = 1u << 31;
  struct Message {
    uint64_t duration;
    uint32_t slot;  // of the destination task
    // Core numbers.
    uint16_t at;
    uint16_t to;
    uint32_t next;  // free list
  };

  static uint64_t u(int value) {
    return uint64_t(value);
  }
  // Returns a hash of the values, as a reproducible random number.
  static uint64_t mix(std::initializer_list<uint64_t> values) {
    uint64_t h = 0x9E3779B97F4A7C15ULL;
    for (const uint64_t x : values) {
      uint64_t z = h = (h ^ x) + 0x9E3779B97F4A7C15ULL;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
      h = z ^ (z >> 31);
    }
    return h;
  }
  static uint64_t jitter(uint64_t amount, uint64_t per_cycle, uint64_t hash) {
    const uint64_t base = amount * kTicks / per_cycle;
    const uint64_t span = base / 5;
    return std::max<uint64_t>(1, base - span / 2 + hash % (span + 1));
  }

  uint32_t slot(int b, int l, int c) const {
    return (uint32_t(b) * w_.layers + l) * cores_ + c;
  }

  // Draws the destinations of each core's messages.
  void find_destinations() {
    need_.resize(size_t(w_.layers) * cores_);
    destination_.resize(size_t(w_.layers) * cores_ * w_.fan);
    for (int l = 0; l + 1 < w_.layers; ++l) {
      for (int c = 0; c < cores_; ++c) {
        for (int j = 0; j < w_.fan; ++j) {
          const auto to = uint16_t(mix({kSeed, 1, u(l), u(c), u(j)}) % cores_);
          destination_[(size_t(l) * cores_ + c) * w_.fan + j] = to;
          ++need_[(l + 1) * cores_ + to];
        }
      }
    }
  }

  // Runs a task and sends its messages.
  void task(uint64_t now, uint32_t at) {
    const int c = int(at % cores_);
    const int l = int(at / cores_ % w_.layers);
    const int b = int(at / cores_ / w_.layers);
    uint64_t work = jitter(kWork, kRate, mix({kSeed, 3, u(b), u(l), u(c)}));
    if (c == w_.fail_core)
      work *= w_.factor;
    const uint64_t done = std::max(now, free_core_[c]) + work;
    free_core_[c] = done;
    out_.end = std::max(out_.end, done);
    ++out_.tasks;
    out_.task_sum += done;
    if (l + 1 == w_.layers)
      return;
    for (int j = 0; j < w_.fan; ++j)
      send(done, b, l, c, j);
  }

  void send(uint64_t now, int b, int l, int c, int j) {
    const uint16_t to = destination_[(size_t(l) * cores_ + c) * w_.fan + j];
    const uint64_t start = now + kStartUp * kTicks + mix({kSeed, 6, u(b), u(l), u(c), u(j)}) % kTicks;
    const uint32_t goal = slot(b, l + 1, to);
    if (to == c) {
      arrive(start, goal);
      return;
    }
    uint32_t id = free_message_;
    if (id == kTask) {
      id = uint32_t(messages_.size());
      messages_.emplace_back();
    } else {
      free_message_ = messages_[id].next;
    }
    messages_[id] =
        {jitter(kSize, kBandwidth, mix({kSeed, 2, u(b), u(l), u(c), u(j)})), goal, uint16_t(c), to, 0};
    events_.push(start + kHop * kTicks, id);
  }

  // Moves a message one link further.
  void hop(uint64_t now, uint32_t id) {
    Message& m = messages_[id];
    const int x = m.at / w_.k;
    const int y = m.at % w_.k;
    const int tx = m.to / w_.k;
    const int ty = m.to % w_.k;
    const int next = x != tx ? m.at + (tx > x ? w_.k : -w_.k) : m.at + (ty > y ? 1 : -1);
    uint64_t& free = free_link_[m.at * cores_ + next];
    const bool slow =
        (m.at == w_.fail_from && next == w_.fail_to) || (m.at == w_.fail_to && next == w_.fail_from);
    free = std::max(now, free) + (slow ? m.duration * w_.factor : m.duration);
    ++out_.hops;
    m.at = uint16_t(next);
    if (m.at != m.to) {
      events_.push(free + kHop * kTicks, id);
      return;
    }
    arrive(free, m.slot);
    m.next = free_message_;
    free_message_ = id;
  }

  // Counts an arrived message, and starts its task when the task waits for no other one.
  void arrive(uint64_t when, uint32_t at) {
    ++out_.messages;
    out_.message_sum += when;
    out_.end = std::max(out_.end, when);
    ready_[at] = std::max(ready_[at], when);
    if (--left_[at] == 0)
      events_.push(ready_[at], kTask | at);
  }

  const MeshWorkload w_;
  const int cores_;
  EventHeap events_;
  // Times from which each core and each link is idle.
  std::vector<uint64_t> free_core_;
  std::vector<uint64_t> free_link_;
  std::vector<uint32_t> need_;
  std::vector<uint32_t> left_;
  std::vector<uint16_t> destination_;
  std::vector<uint64_t> ready_;
  std::vector<Message> messages_;
  uint32_t free_message_ = kTask;
  MeshOutcome out_;
};

}  // namespace lento::chip::reference
