// Places that packets occupy while they pass: the virtual channels of a link, or the sending end of a tile.
// They are served first come, first served. A place may be released for a future time. A packet that enters
// before that time gets its departure time at once, without an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::chip {

class Places {
 public:
  static constexpr int64_t kLater = INT64_MAX;
  static constexpr uint32_t kNobody = UINT32_MAX;

  // Adds a spot, such as a link, with `places` places, such as its virtual channels. Returns the spot's
  // number.
  size_t add(int places);

  // Returns the time at which `packet` may go on, `now` or later, or kLater when it must wait until leave()
  // returns it. A packet waits at one spot at a time.
  int64_t enter(size_t spot, uint32_t packet, int64_t now);
  // Frees one place from `time` on. Returns the packet that gets it now, or kNobody.
  uint32_t leave(size_t spot, int64_t time);

  // Admits, without a place, the packet that has waited longest at the first spot with a queue. Returns
  // kNobody when no packet waits.
  uint32_t force();

 private:
  struct Spot {
    uint32_t first = 0;  // of free_
    uint32_t count = 0;
    uint32_t head = kNobody;
    uint32_t tail = kNobody;
  };
  uint32_t next(Spot& spot);

  std::vector<Spot> spots_;
  std::vector<int64_t> free_;     // by place: time from which it is free; kLater: occupied
  std::vector<uint32_t> behind_;  // by packet: the next packet of its queue
  size_t waiting_ = 0;
};

}  // namespace lento::chip
