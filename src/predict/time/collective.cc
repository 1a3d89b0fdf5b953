// t(op) = start + steps * latency + bytes * share / width
//
//   share    of the buffer that crosses each link: 2(n-1)/n for all-reduce (Patarasuk and Yuan 2009),
//            else (n-1)/n
//   width    bytes per second: directed rings * lane * efficiency for explicit links; port * efficiency
//            behind a switch, plus local copies of kCopyPasses passes over the memory
//   no ring  one pipelined spanning tree: every byte goes up and down each of its lanes once
//   all-reduce of a whole node in a switch that reduces (NodeLinks::in_switch): bytes / (port * in_switch)
//   several nodes: reduce-scatter inside, all-reduce of a device's part between nodes, all-gather inside
#include "predict/time/collective.h"

#include <algorithm>
#include <cmath>

#include "predict/time/fabric.h"

namespace lento::predict {
namespace {

// Passes over memory to copy the buffer into and out of the transport: read, read, write.
constexpr double kCopyPasses = 3;
constexpr double kLowLatencyShare = 0.2;  // bandwidth of the low-latency protocol over that of the other

double traffic_share(CollectiveOp op, int n) {
  const double part = double(n - 1) / n;
  return op == CollectiveOp::AllReduce ? 2 * part : part;
}

// Returns the number of dependent steps around the ring.
int ring_steps(CollectiveOp op, int n) {
  if (op == CollectiveOp::SendReceive)
    return 1;
  if (op == CollectiveOp::AllToAll)
    return 1;
  return op == CollectiveOp::AllReduce ? 2 * (n - 1) : n - 1;
}

// The rate of a collective: the seconds per byte of the buffer, and the hops of a step.
struct Pace {
  double seconds_per_byte = 0;
  std::string algorithm;
  int hops = 1;  // of the longest step
};

// Returns the seconds per byte over direct links: disjoint rings when they exist, else one spanning tree.
Pace graph_pace(const NodeLinks& links, CollectiveOp op, int n) {
  const double lane = links.lane_Bps * links.efficiency;
  const auto rings = disjoint_rings(links, n);
  if (!rings.empty()) {
    return {
        traffic_share(op, n) / (lane * double(rings.size())),
        std::to_string(rings.size()) + (rings.size() == 1 ? " ring" : " rings")};
  }
  return {1 / lane, "no ring over these devices: one spanning tree through relays"};
}

// Returns the seconds per byte through a switch: a ring, or a reduction inside the switch when faster.
Pace switch_pace(const System& system, CollectiveOp op, int n) {
  const NodeLinks& links = system.network.node;
  const double copy = kCopyPasses / system.chip.memory_Bps;
  const double ring = traffic_share(op, n) / (links.lane_Bps * links.efficiency) + copy;
  if (op == CollectiveOp::AllReduce && links.in_switch > 0 && n == system.network.node_devices) {
    const double reduced = 1 / (links.lane_Bps * links.in_switch);
    if (reduced < ring)
      return {reduced, "reduced in the switch"};
  }
  return {ring, "ring behind a switch"};
}

// Times rings in both directions between members that are not neighbours, or on a mesh. Each direction
// carries half of the buffer and shares its links with the rings of all groups of the same shape. All-to-all
// sends 1/n of the buffer to every other member.
Pace routed_pace(const System& system, const Collective& c) {
  const NodeLinks& links = system.network.node;
  const bool pairs = c.op == CollectiveOp::AllToAll;
  const LinkLoad load = link_load(
      links,
      system.network.node_devices,
      {c.devices, c.stride, pairs ? Pattern::AllPairs : Pattern::Ring});
  const double share = pairs ? 1.0 / c.devices : traffic_share(c.op, c.devices) / 2;
  return {
      share * load.most / (links.lane_Bps * links.efficiency),
      std::string(pairs ? "all pairs" : "rings") + " over shared links, " + std::to_string(int(load.most)) +
          " on the busiest",
      load.hops};
}

Pace pace_of(const System& system, const Collective& c) {
  const NodeLinks& links = system.network.node;
  if (!has_fabric(links))
    return switch_pace(system, c.op, c.devices);
  return links.dims.empty() && c.stride == 1 ? graph_pace(links, c.op, c.devices) : routed_pace(system, c);
}

// Times a collective whose devices share a node.
CollectiveTime inside_node(const System& system, const Collective& c) {
  const NodeLinks& links = system.network.node;
  const Pace pace = pace_of(system, c);
  const double latency = links.start_s + ring_steps(c.op, c.devices) * links.latency_s * pace.hops;
  // The faster of two protocols is used: one with low latency and low bandwidth for small messages, and one
  // with a set-up time for large messages.
  const double small = c.bytes * pace.seconds_per_byte / kLowLatencyShare;
  const double large = links.setup_s + c.bytes * pace.seconds_per_byte;
  CollectiveTime t;
  t.algorithm = pace.algorithm;
  t.latency_s = latency + (large < small ? links.setup_s : 0);
  t.bandwidth_s = large < small ? c.bytes * pace.seconds_per_byte : small;
  t.seconds = t.latency_s + t.bandwidth_s;
  return t;
}

// Times a group with one member in each node, as rings over the links between nodes.
CollectiveTime between_nodes(const System& system, const Collective& c) {
  const Network& net = system.network;
  const double width = net.between_Bps * net.between_efficiency;
  CollectiveTime t;
  t.algorithm = "ring between nodes";
  t.latency_s = net.node.start_s + ring_steps(c.op, std::min(c.devices, 64)) * net.between_latency_s;
  t.bandwidth_s = c.bytes * traffic_share(c.op, c.devices) / width;
  t.seconds = t.latency_s + t.bandwidth_s;
  return t;
}

// Times a collective over several nodes: inside each node, then between nodes, and for an all-reduce inside
// again.
CollectiveTime hierarchical(const System& system, const Collective& c, int inside) {
  CollectiveTime total;
  total.algorithm = "hierarchical";
  const auto add = [&total](const CollectiveTime& part) {
    total.seconds += part.seconds;
    total.latency_s += part.latency_s;
    total.bandwidth_s += part.bandwidth_s;
  };
  const int nodes = (c.devices + inside - 1) / inside;  // the last one may be partly filled
  if (c.op == CollectiveOp::AllReduce) {
    add(inside_node(system, {CollectiveOp::ReduceScatter, inside, c.bytes, c.stride}));
    add(between_nodes(system, {CollectiveOp::AllReduce, nodes, c.bytes / inside}));
    add(inside_node(system, {CollectiveOp::AllGather, inside, c.bytes, c.stride}));
  } else {
    add(inside_node(system, {c.op, inside, c.bytes, c.stride}));
    add(between_nodes(system, {c.op, nodes, c.bytes / inside}));
  }
  return total;
}

// Times a transfer between two devices at distance `stride`.
CollectiveTime point_to_point(const System& system, const Collective& c) {
  const Network& net = system.network;
  const bool outside = c.stride >= net.node_devices;
  const double width =
      outside ? net.between_Bps * net.between_efficiency : net.node.lane_Bps * net.node.efficiency;
  CollectiveTime t;
  t.algorithm = outside ? "between nodes" : "inside a node";
  LinkLoad load{1, 1};  // the device's own port
  if (!outside && has_fabric(net.node)) {
    const int members = std::clamp(net.node_devices / c.stride, 1, c.devices);
    if (members > 1)
      load = link_load(net.node, net.node_devices, {members, c.stride, Pattern::Line});
  }
  t.latency_s = (outside ? net.between_latency_s : net.node.latency_s) * load.hops;
  t.bandwidth_s = c.bytes * load.most / width;
  t.seconds = t.latency_s + t.bandwidth_s;
  return t;
}

}  // namespace

std::string_view name(CollectiveOp op) {
  constexpr std::string_view kNames[] =
      {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "send-receive"};
  return kNames[size_t(op)];
}

// Times a collective operation. `stride` is the distance between the ranks of neighbouring members, which
// decides how many of them share a node. Throws base::Error when a needed link has no bandwidth.
CollectiveTime predict_collective(const System& system, const Collective& c) {
  if (c.devices < 2 || c.bytes <= 0)
    return {0, 0, 0, 0, "nothing to move"};
  const Network& net = system.network;
  const int inside = std::clamp(net.node_devices / std::max(1, c.stride), 1, c.devices);
  if ((inside > 1 && net.node.lane_Bps <= 0) || (inside < c.devices && net.between_Bps <= 0)) {
    throw base::Error(
        {},
        "the system '" + system.name + "' does not say how devices are linked",
        "add 'network:' with lane_bandwidth and between_nodes to its data sheet");
  }
  CollectiveTime t;
  if (c.op == CollectiveOp::SendReceive) {
    t = point_to_point(system, c);
  } else if (inside == c.devices) {
    t = inside_node(system, c);
  } else if (inside == 1) {
    t = between_nodes(system, c);
  } else {
    t = hierarchical(system, c, inside);
  }
  t.bus_Bps = c.bytes * traffic_share(c.op, c.devices) / t.seconds;
  return t;
}

}  // namespace lento::predict
