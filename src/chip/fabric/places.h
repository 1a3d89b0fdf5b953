// Queues for places that packets occupy while they pass a resource. A resource is a link or the sending end
// of a tile, and its places are virtual channels. Packets are served first come, first served. A place can be
// released from a future time on, and a packet that enters before that time is given this time at once, so no
// event is needed at the release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::chip {

class Places {
 public:
  static constexpr int64_t kLater = INT64_MAX;
  static constexpr uint32_t kNobody = UINT32_MAX;

  // Adds a resource (a link, or the sending end of a tile) with `places` places (virtual channels). Returns
  // its number.
  size_t add(int places);

  // Gives `packet` a place at the resource. Returns the time from which it has the place, `now` or later.
  // kLater: all places are occupied, and the packet waits until leave() returns it. A packet waits at one
  // resource at a time.
  int64_t enter(size_t resource, uint32_t packet, int64_t now);
  // Releases one place of the resource from `time` on. Returns the waiting packet that gets it, or kNobody.
  uint32_t leave(size_t resource, int64_t time);

  // Returns the packet at the head of the queue of the first resource where any packet waits, and removes it
  // from the queue. The packet proceeds although no place is free. kNobody: no packet waits.
  uint32_t force();

 private:
  struct Resource {
    uint32_t first = 0;       // index of its first place in free_
    uint32_t count = 0;       // number of its places
    uint32_t head = kNobody;  // the packet that has waited longest
    uint32_t tail = kNobody;  // the packet that has waited shortest
  };
  uint32_t next(Resource& resource);

  std::vector<Resource> resources_;
  std::vector<int64_t> free_;     // by place: time from which it is free; kLater: occupied
  std::vector<uint32_t> behind_;  // by packet: the next packet of its queue
  size_t waiting_ = 0;
};

}  // namespace lento::chip
