// Routes the transfers of parallel groups over the links of a node and counts the load of each directed
// link.
#include "predict/time/fabric.h"

#include <algorithm>
#include <limits>

namespace lento::predict {
namespace {

struct Edge {
  int to = 0;
  int lanes = 1;
  double load = 0;
};

class Fabric {
 public:
  Fabric(const NodeLinks& links, int devices)
      : links_(links),
        out_(size_t(devices)) {
    for (const NodeLinks::Link& l : links.links)
      connect(l.a, l.b, l.lanes);
    for (int from = 0; from < devices && !links.dims.empty(); ++from)
      add_neighbours(from);
  }

  // Routes one transfer, adds 1 to the load of every edge on its route, and returns the number of hops.
  int send(int from_rank, int to_rank) {
    const int from = place(from_rank);
    const int to = place(to_rank);
    return links_.routing == Routing::Xy && !links_.dims.empty() ? by_dimension(from, to)
                                                                 : by_shortest(from, to);
  }

  // Returns the load per lane of the busiest directed link.
  double most() const {
    double most = 0;
    for (const auto& edges : out_) {
      for (const Edge& e : edges)
        most = std::max(most, e.load / e.lanes);
    }
    return most;
  }

 private:
  void connect(int a, int b, int lanes) {
    out_[size_t(a)].push_back({b, lanes});
    out_[size_t(b)].push_back({a, lanes});
  }

  // Adds the links of a device to the next neighbour in each dimension, so that each link is added once.
  void add_neighbours(int from) {
    for (size_t d = 0; d < links_.dims.size(); ++d) {
      const int size = links_.dims[d];
      const int at = coordinate(from, d);
      if (at + 1 < size)
        connect(from, moved(from, d, at + 1), 1);
      if (at + 1 == size && links_.wraps && size > 2)
        connect(from, moved(from, d, 0), 1);
    }
  }

  int weight(size_t dimension) const {
    int w = 1;
    for (size_t d = 0; d < dimension; ++d)
      w *= links_.dims[d];
    return w;
  }
  int coordinate(int device, size_t d) const {
    return device / weight(d) % links_.dims[d];
  }
  int moved(int device, size_t d, int to) const {
    return device + (to - coordinate(device, d)) * weight(d);
  }

  // Returns the device of a rank in snake order: a coordinate runs backwards while the coordinate above it
  // is odd.
  int place(int rank) const {
    int device = 0;
    int rest = rank;
    int w = 1;
    for (const int size : links_.dims) {
      const int digit = rest % size;
      rest /= size;
      device += w * (links_.snake && rest % 2 ? size - 1 - digit : digit);
      w *= size;
    }
    return links_.dims.empty() ? rank : device;
  }

  Edge& edge(int from, int to) {
    auto& edges = out_[size_t(from)];
    return *std::ranges::find_if(edges, [to](const Edge& e) {
      return e.to == to;
    });
  }

  // Routes from `at` to `to` one dimension after the other and adds the load. Returns the number of hops.
  int by_dimension(int at, int to) {
    int hops = 0;
    for (size_t d = 0; d < links_.dims.size(); ++d) {
      const int size = links_.dims[d];
      const int goal = coordinate(to, d);
      const int ahead = (goal - coordinate(at, d) + size) % size;
      const bool around = links_.wraps && size > 2;
      const bool up = around ? 2 * ahead <= size : goal > coordinate(at, d);
      for (; coordinate(at, d) != goal; ++hops) {
        const int next = moved(at, d, (coordinate(at, d) + (up ? 1 : size - 1)) % size);
        ++edge(at, next).load;
        at = next;
      }
    }
    return hops;
  }

  struct Reached {
    int hops = std::numeric_limits<int>::max(), from = -1;
    double load = 0;  // load of the busiest edge on the way
  };

  // Finds a shortest path by breadth-first search. Among equally short paths it takes the one whose busiest
  // link has the least load.
  int by_shortest(int from, int to) {
    std::vector<Reached> reached(out_.size());
    reached[size_t(from)].hops = 0;
    std::vector<int> layer{from};
    while (!layer.empty() && reached[size_t(to)].from < 0)
      layer = next_layer(layer, reached);
    if (from != to && reached[size_t(to)].from < 0)
      throw base::Error(
          {},
          "devices " + std::to_string(from) + " and " + std::to_string(to) + " are not connected",
          "add the missing link to 'links' of the data sheet's network");
    for (int at = to; at != from; at = reached[size_t(at)].from)
      ++edge(reached[size_t(at)].from, at).load;
    return reached[size_t(to)].hops;
  }

  // Extends shortest paths by one hop. Among equal lengths a device keeps the path of lowest load.
  std::vector<int> next_layer(const std::vector<int>& layer, std::vector<Reached>& reached) const {
    std::vector<int> next;
    for (const int at : layer) {
      const Reached here = reached[size_t(at)];
      for (const Edge& e : out_[size_t(at)]) {
        Reached& there = reached[size_t(e.to)];
        const double load = std::max(here.load, e.load / e.lanes);
        if (there.hops < here.hops + 1 || (there.hops == here.hops + 1 && there.load <= load))
          continue;
        if (there.hops > here.hops + 1)
          next.push_back(e.to);
        there = {here.hops + 1, at, load};
      }
    }
    return next;
  }

  const NodeLinks& links_;
  std::vector<std::vector<Edge>> out_;
};

}  // namespace

bool has_fabric(const NodeLinks& links) {
  return !links.dims.empty() || !links.links.empty();
}

LinkLoad link_load(const NodeLinks& links, int node_devices, const FabricGroup& group) {
  Fabric fabric(links, node_devices);
  LinkLoad load;
  const int n = group.devices;
  const int span = n * group.stride;
  const auto send = [&](int base, int a, int b) {
    load.hops = std::max(load.hops, fabric.send(base + a * group.stride, base + b * group.stride));
  };
  for (int rank = 0; rank < node_devices / span * span; ++rank) {
    const int base = rank / span * span + rank % group.stride;
    const int member = rank % span / group.stride;
    switch (group.pattern) {
      case Pattern::Ring:
        send(base, member, (member + 1) % n);
        send(base, member, (member + n - 1) % n);
        break;
      case Pattern::Line:
        if (member + 1 < n)
          send(base, member, member + 1);
        break;
      case Pattern::AllPairs:
        for (int other = 0; other < n; ++other) {
          if (other != member)
            send(base, member, other);
        }
        break;
    }
  }
  load.most = fabric.most();
  return load;
}

}  // namespace lento::predict
