// Moves segments through servers with finite buffers and virtual channels. A server that ends a service or
// gains room starts the next segment, taking its virtual channels in turn. network.h states the invariants.
// Cost: one event per segment and server.
#include "chip/sim/network.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace lento::chip {

Network::Network(const Setup& setup, EventHeap& events, NetworkUser& user)
    : grid_(setup.grid),
      noise_(setup.noise),
      hops_(setup.hops),
      events_(&events),
      user_(&user),
      links_(setup.grid.link_count()),
      cores_(setup.grid.core_count()),
      datelines_(setup.datelines),
      columns_(setup.grid) {
  const spec::Chip& chip = setup.chip;
  servers_.resize(links_ + 2 * cores_ + grid_.port_count());
  buffers_.resize(servers_.size() * kVcs);
  const int room = chip.network.buffer_segments;
  for (uint32_t s = 0; s < servers_.size(); ++s) {
    Server& server = servers_[s];
    server.room = room == 0 ? UINT32_MAX : uint32_t(room);
    if (s < links_) {
      const Passage pass = passage(chip, grid_.link(int(s)));
      server.cycles_per_byte = Deviations::of(setup.own.links, s) / pass.bytes_per_cycle;
      server.set_up = pass.cycles;
      server.noisy = chip.network.transit_cv > 0;
      server.buffered = true;
      // Segments behind a link between chips are stored in the memory at its end. A bounded buffer there
      // could cause a deadlock across chips.
      if (grid_.link(int(s)).joint >= 0)
        server.room = UINT32_MAX;
    } else if (s < links_ + 2 * cores_) {
      server.cycles_per_byte = 1 / chip.core.scratchpad_bytes_per_cycle;
      server.buffered = s < links_ + cores_;
    } else {
      server.cycles_per_byte =
          Deviations::of(setup.own.ports, s - links_ - 2 * cores_) / chip.dram.port_bytes_per_cycle;
      server.set_up = chip.dram.latency_cycles;
      server.buffered = true;  // towards its router; writes end here
    }
  }
}

void Network::attach(EventHeap& events, NetworkUser& user) {
  influence_ = nullptr;
  events_ = &events;
  user_ = &user;
}

void Network::set_faults(const std::vector<Fault>& faults, std::vector<uint64_t>& hits) {
  faults_ = &faults;
  hits_ = &hits;
  faults_of_.assign(servers_.size(), {});
  for (Server& server : servers_)
    server.faulty = false;
  const auto add = [this](uint32_t server, size_t fault) {
    servers_[server].faulty = true;
    faults_of_[server].push_back(uint32_t(fault));
  };
  for (size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    if (!fault.exists())
      continue;
    if (fault.part == Part::Link) {
      for (const int link :
           {grid_.find_link(fault.index, fault.other), grid_.find_link(fault.other, fault.index)}) {
        if (link >= 0)
          add(link, i);
      }
    } else if (fault.part == Part::Router) {
      for (const int link : grid_.links_of(fault.index))
        add(link, i);
    } else if (fault.part == Part::DramPort) {
      add(port_server(fault.index), i);
    }
  }
}

// Returns the factor by which the active faults slow a server, and counts a service in each of them.
double Network::slowdown(uint32_t server, uint64_t now) {
  double factor = 1;
  for (const uint32_t i : faults_of_[server]) {
    const Fault& fault = (*faults_)[i];
    if (!fault.holds(now))
      continue;
    factor *= fault.at(now);
    ++(*hits_)[i];
  }
  return factor;
}

// Stores a segment and returns its number.
uint32_t Network::allocate(const Segment& segment) {
  if (free_ == kNone) {
    segments_.push_back(segment);
    return uint32_t(segments_.size() - 1);
  }
  const uint32_t id = free_;
  free_ = segments_[id].next;
  segments_[id] = segment;
  return id;
}

void Network::send(const Segment& segment, uint64_t now) {
  request(allocate(segment), now);
}

uint32_t Network::next_server(const Segment& segment) const {
  if (!segment.under_way)
    return segment.source;
  return segment.hop < segment.hop_end ? hops_[segment.hop].link : segment.sink;
}

uint8_t Network::vc_on(const Segment& segment, uint32_t server) const {
  const auto lane = uint8_t(server < links_ && datelines_ ? hops_[segment.hop].lane : 0);
  return uint8_t(uint8_t(segment.traffic) * 2 + lane);
}

void Network::request(uint32_t id, uint64_t now) {
  Segment& segment = segments_[id];
  const uint32_t s = next_server(segment);
  Server& server = servers_[s];
  const uint8_t vc = segment.vc = vc_on(segment, s);
  segment.next = kNone;
  if (server.head[vc] == kNone) {
    server.head[vc] = server.tail[vc] = id;
    server.waiting |= uint8_t(1u << vc);
  } else {
    segments_[server.tail[vc]].next = id;
    server.tail[vc] = id;
  }
  if (!server.busy)
    try_start(s, now);
}

// Serves the virtual channels (VCs) in turn, starting after the one served last, and starts the first
// segment that has room in the next buffer.
void Network::try_start(uint32_t s, uint64_t now) {
  Server& server = servers_[s];
  if (server.waiting == 0)
    return;
  for (int after = 1; after <= kVcs; ++after) {
    const int vc = (server.last_vc + after) % kVcs;
    if ((server.waiting >> vc & 1) == 0)
      continue;
    const Segment& segment = segments_[server.head[vc]];
    const bool leaves = segment.under_way && segment.sink == s;
    if (!leaves && server.buffered && buffers_[s * kVcs + vc].used >= server.room)
      continue;
    start(s, vc, now);
    return;
  }
}

// Starts the service of the first segment in a queue.
void Network::start(uint32_t s, int vc, uint64_t now) {
  Server& server = servers_[s];
  const uint32_t id = server.head[vc];
  Segment& segment = segments_[id];
  server.head[vc] = segment.next;
  if (segment.next == kNone)
    server.waiting &= uint8_t(~(1u << vc));
  segment.next = kNone;
  server.busy = true;
  server.current = id;
  server.last_vc = uint8_t(vc);
  if (!segment.under_way)
    user_->source_begins(segment.transfer);
  if (server.buffered && !(segment.under_way && segment.sink == s))
    ++buffers_[s * kVcs + vc].used;
  double cycles = segment.bytes * server.cycles_per_byte;
  if (server.noisy)
    cycles *= noise_.gamma(base::mix64(segment.noise + segment.hop));
  if (server.faulty)
    cycles *= slowdown(s, now);
  // Rounds up to whole cycles where times are exact, and to the nearest where they are drawn (which keeps the
  // mean).
  const auto whole = uint64_t(cycles + (server.noisy ? 0.5 : 0.999999));
  const uint64_t duration = server.set_up + std::max<uint64_t>(1, whole);
  server.use.busy += duration;
  server.use.bytes += segment.bytes;
  ++server.use.segments;
  events_->push(now + duration, s);
  if (influence_ != nullptr)
    influence_->pushed(s, column_of(s), double(duration - server.set_up), server.set_up);
}

uint32_t Network::column_of(uint32_t s) const {
  if (s < links_)
    return columns_.link(int(s));
  const uint32_t ports = links_ + 2 * cores_;
  return s < ports ? columns_.scratchpads() : columns_.port(int(s - ports));
}

// Removes a segment from its buffer. The next segment in the buffer then requests its next server, and the
// server before the buffer, which has room again, may start.
void Network::leave_buffer(uint32_t id, uint64_t now) {
  const uint32_t b = segments_[id].buffer;
  if (b == kNone)
    return;
  Buffer& buffer = buffers_[b];
  LENTO_CHECK(buffer.head == id, "a segment overtook another in a buffer");
  buffer.head = segments_[id].behind;
  --buffer.used;
  segments_[id].buffer = kNone;
  if (buffer.head != kNone)
    request(buffer.head, now);
  const uint32_t owner = b / kVcs;
  if (!servers_[owner].busy)
    try_start(owner, now);
}

void Network::server_done(uint32_t s, uint64_t now) {
  Server& server = servers_[s];
  const uint32_t id = server.current;
  server.busy = false;
  server.current = kNone;
  leave_buffer(id, now);
  Segment& segment = segments_[id];
  const uint32_t transfer = segment.transfer;
  const uint32_t bytes = segment.bytes;
  const bool from_source = !segment.under_way;
  const bool at_sink = segment.under_way && segment.sink == s;
  if (s < links_) {
    ++segment.hop;
    ++hops_done_;
  }
  segment.under_way = true;
  const bool arrived = at_sink || (segment.hop == segment.hop_end && segment.sink == kNone);
  if (arrived) {
    if (server.buffered && !at_sink)
      --buffers_[s * kVcs + segment.vc].used;
    segment.next = free_;
    free_ = id;
  } else {
    enter_buffer(id, s * kVcs + segment.vc, now);
  }
  if (!servers_[s].busy)
    try_start(s, now);
  if (from_source)
    user_->source_done(transfer);
  if (arrived)
    user_->delivered(transfer, bytes);
}

// Puts a segment at the end of a buffer.
void Network::enter_buffer(uint32_t id, uint32_t b, uint64_t now) {
  Buffer& buffer = buffers_[b];
  segments_[id].buffer = b;
  segments_[id].behind = kNone;
  if (buffer.head == kNone) {
    buffer.head = buffer.tail = id;
    request(id, now);
  } else {
    segments_[buffer.tail].behind = id;
    buffer.tail = id;
  }
}

uint32_t Network::blocked_by(uint32_t s) const {
  const Server& server = servers_[s];
  for (int vc = 0; vc < kVcs; ++vc) {
    if ((server.waiting >> vc & 1) == 0)
      continue;
    const uint32_t head = buffers_[s * kVcs + vc].head;
    if (head != kNone)
      return next_server(segments_[head]);
  }
  return kNone;
}

// Returns the readable name of a server: link, port of a router or memory port.
std::string Network::server_name(uint32_t s) const {
  if (s < links_)
    return grid_.link_name(int(s));
  if (s < links_ + cores_)
    return "port into router" + std::to_string(s - links_);
  if (s < links_ + 2 * cores_)
    return "port out of router" + std::to_string(s - links_ - cores_);
  return grid_.port_name(int(s - links_ - 2 * cores_));
}

}  // namespace lento::chip
