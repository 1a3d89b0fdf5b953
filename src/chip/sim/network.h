// Segments on their way through the chip: servers with queues, finite buffers, virtual channels.
//
// Every place that takes time to pass is a server: directed links, the port of each core into and out of its
// router, and DRAM ports. A server passes one segment at a time. Behind it is one input buffer per virtual
// channel (VC). A segment starts on a server only when that buffer has room, stays in the buffer before it
// until it has passed (store and forward), and only the head of a buffer may request its next server. There
// are two VCs for traffic between cores and two for DRAM traffic. The second of each is taken behind the
// dateline of a ring.
//
// Invariants: (1) a server is idle only when no VC with waiting segments has room behind it. (2) used slots
// of a buffer = segments in it + one being passed into it. (3) segments leave a VC queue in the order they
// came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/faults.h"
#include "chip/map/grid.h"
#include "chip/map/twin.h"
#include "chip/sim/event_heap.h"
#include "chip/sim/influence.h"
#include "chip/sim/noise.h"
#include "spec/chip.h"

namespace lento::chip {

constexpr uint32_t kNone = UINT32_MAX;

enum class Traffic : uint8_t {
  Cores = 0,
  Dram = 1
};

struct Segment {
  uint32_t transfer = 0;
  uint32_t bytes = 0;
  uint32_t next = kNone;    // in the queue of a server
  uint32_t behind = kNone;  // in the buffer that holds it
  uint32_t buffer = kNone;
  uint64_t noise = 0;
  uint32_t hop = 0;  // index into the setup's `hops` of the next link, up to `hop_end`
  uint32_t hop_end = 0;
  // The first server, and the last one. kNone as the last: the segment is delivered after its last hop.
  uint32_t source = 0;
  uint32_t sink = kNone;
  uint8_t vc = 0;  // VC on the server that it waits for or that serves it
  Traffic traffic = Traffic::Cores;
  bool under_way = false;  // past its source server
};

// The user of the network, which is called when a segment's service at its source begins and ends, and when
// it has arrived.
class NetworkUser {
 public:
  virtual ~NetworkUser() = default;
  virtual void source_begins(uint32_t transfer) = 0;
  virtual void source_done(uint32_t transfer) = 0;
  virtual void delivered(uint32_t transfer, uint32_t bytes) = 0;
};

class Network {
 public:
  struct Use {
    uint64_t busy = 0;  // cycles
    uint64_t bytes = 0;
    uint64_t segments = 0;
  };

  struct Setup {
    const spec::Chip& chip;
    const Grid& grid;
    const Noise& noise;
    const std::vector<Grid::Hop>& hops;
    const Deviations& own;
    bool datelines = true;  // false: rings use one VC, to show that they can then deadlock
  };

  Network(const Setup& setup, EventHeap& events, NetworkUser& user);
  void attach(EventHeap& events, NetworkUser& user);  // sets the callbacks of a copied network

  uint32_t inject_server(int core) const {
    return links_ + core;
  }
  uint32_t eject_server(int core) const {
    return links_ + cores_ + core;
  }
  uint32_t port_server(int port) const {
    return links_ + 2 * cores_ + port;
  }
  uint32_t server_count() const {
    return uint32_t(servers_.size());
  }

  // Passes all further events to `influence`, which computes derivatives.
  void keep(Influence& influence) {
    influence_ = &influence;
  }
  const InfluenceColumns& columns() const {
    return columns_;
  }

  // Slows servers by faults: a link fault slows both directions, a router fault all links of the router, a
  // port fault the port. `hits` counts the services in each fault.
  void set_faults(const std::vector<Fault>& faults, std::vector<uint64_t>& hits);

  void send(const Segment& segment, uint64_t now);  // queues the segment at its source server
  void server_done(uint32_t server, uint64_t now);  // handles the event of a server

  const Use& use(uint32_t server) const {
    return servers_[server].use;
  }
  uint64_t hops_done() const {
    return hops_done_;
  }

  // Returns the server that a server with waiting segments waits for, one step of the wait chain, or kNone.
  uint32_t blocked_by(uint32_t server) const;
  bool waits(uint32_t server) const {
    return servers_[server].waiting != 0;
  }
  std::string server_name(uint32_t server) const;

 private:
  static constexpr int kVcs = 4;
  struct Server {
    double cycles_per_byte = 0;
    uint32_t set_up = 0;  // cycles before each segment
    uint32_t room = 0;    // slots of each buffer behind the server
    uint8_t waiting = 0;  // one bit for each VC with a queue
    uint8_t last_vc = 0;  // VC that was served last
    bool busy = false;
    bool noisy = false;
    bool buffered = false;
    bool faulty = false;
    uint32_t current = kNone;  // segment in service
    uint32_t head[kVcs] = {kNone, kNone, kNone, kNone};
    uint32_t tail[kVcs] = {kNone, kNone, kNone, kNone};
    Use use;
  };
  struct Buffer {  // behind a server, one per VC
    uint32_t head = kNone;
    uint32_t tail = kNone;
    uint32_t used = 0;
  };

  uint32_t next_server(const Segment& segment) const;
  uint8_t vc_on(const Segment& segment, uint32_t server) const;
  void request(uint32_t segment, uint64_t now);  // requests the next server of a segment
  void try_start(uint32_t server, uint64_t now);
  void start(uint32_t server, int vc, uint64_t now);
  void leave_buffer(uint32_t segment, uint64_t now);
  void enter_buffer(uint32_t segment, uint32_t buffer, uint64_t now);
  double slowdown(uint32_t server, uint64_t now);
  uint32_t column_of(uint32_t server) const;
  uint32_t allocate(const Segment& segment);

  const Grid& grid_;
  const Noise& noise_;
  const std::vector<Grid::Hop>& hops_;
  EventHeap* events_;
  NetworkUser* user_;
  uint32_t links_;
  uint32_t cores_;
  bool datelines_;
  std::vector<Server> servers_;
  std::vector<Buffer> buffers_;  // server * kVcs + VC
  std::vector<Segment> segments_;
  uint32_t free_ = kNone;
  uint64_t hops_done_ = 0;
  InfluenceColumns columns_;
  Influence* influence_ = nullptr;
  const std::vector<Fault>* faults_ = nullptr;
  std::vector<uint64_t>* hits_ = nullptr;
  std::vector<std::vector<uint32_t>> faults_of_;  // by server
};

}  // namespace lento::chip
