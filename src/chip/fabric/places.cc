// Implements first-come-first-served queues as linked lists over packets. For each place the time is stored
// from which it is free.
#include "chip/fabric/places.h"

#include <algorithm>

namespace lento::chip {

size_t Places::add(int places) {
  resources_.push_back({uint32_t(free_.size()), uint32_t(places)});
  free_.resize(free_.size() + size_t(places), INT64_MIN);
  return resources_.size() - 1;
}

int64_t Places::enter(size_t at, uint32_t packet, int64_t now) {
  Resource& resource = resources_[at];
  int64_t* const first = free_.data() + resource.first;
  int64_t* const place = std::min_element(first, first + resource.count);
  if (*place != kLater) {
    const int64_t since = *place;
    *place = kLater;
    return std::max(now, since);
  }
  if (behind_.size() <= packet)
    behind_.resize(packet + size_t(1), kNobody);
  behind_[packet] = kNobody;
  (resource.head == kNobody ? resource.head : behind_[resource.tail]) = packet;
  resource.tail = packet;
  ++waiting_;
  return kLater;
}

uint32_t Places::leave(size_t at, int64_t time) {
  Resource& resource = resources_[at];
  if (resource.head != kNobody)
    return next(resource);
  int64_t* const first = free_.data() + resource.first;
  int64_t* const place = std::find(first, first + resource.count, kLater);
  if (place != first + resource.count)
    *place = time;
  return kNobody;
}

uint32_t Places::next(Resource& resource) {
  const uint32_t packet = resource.head;
  resource.head = behind_[packet];
  --waiting_;
  return packet;
}

uint32_t Places::force() {
  if (waiting_ == 0)
    return kNobody;
  return next(*std::ranges::find_if(resources_, [](const Resource& resource) {
    return resource.head != kNobody;
  }));
}

}  // namespace lento::chip
