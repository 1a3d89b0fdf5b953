// Places that packets hold while they pass: the virtual channels of a link, the sending end of a tile. First
// come, first served. A place may be given back for a future time, and a packet that enters until then gets
// its time of departure without an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::chip {

class Places {
 public:
  static constexpr int64_t kLater = INT64_MAX;
  static constexpr uint32_t kNobody = UINT32_MAX;

  // Adds a spot with so many places and returns its number.
  size_t add(int places);

  // Returns when `packet` may go on, at `now` or later, and kLater when leave() will return it. A packet
  // waits at one spot.
  int64_t enter(size_t spot, uint32_t packet, int64_t now);
  // Frees one place from `time` on. Returns the packet that gets it now, or kNobody.
  uint32_t leave(size_t spot, int64_t time);

  // Lets the packet that has waited longest at the first spot with a queue in without a place. Returns
  // kNobody when none waits.
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
  std::vector<int64_t> free_;     // by place: since when, or kLater: held
  std::vector<uint32_t> behind_;  // by packet
  size_t waiting_ = 0;
};

}  // namespace lento::chip
