// Builds the directed links of an interconnect and finds the routes through them: dimension order within a
// network, tables where the sheet gives them, and breadth-first search over chips. All ties are resolved by
// the order of the sheet, so routes are deterministic. Cost: linear in the hops of a route.
#include "chip/map/wiring.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <deque>
#include <numeric>

#include "base/error.h"

namespace lento::chip {

using spec::Interconnect;
using spec::Sense;
using spec::TilePlace;
using spec::Topology;

namespace {

size_t direction(bool along_y, int sign) {
  return size_t(along_y) * 2 + size_t(sign < 0);
}

}  // namespace

Wiring::Wiring(Interconnect net, const std::vector<int>& order)
    : net_(std::move(net)),
      per_chip_(net_.width * net_.height),
      leaving_(net_.networks.size() * size_t(tile_count())),
      next_(leaving_.size(), {-1, -1, -1, -1}),
      table_(net_.networks.size()) {
  LENTO_CHECK(int(net_.tiles.size()) == per_chip_, "an interconnect names the kind of each of its tiles");
  std::vector<int> rows = order;
  if (rows.empty()) {
    rows.resize(size_t(per_chip_));
    std::iota(rows.begin(), rows.end(), 0);
  }
  for (int n = 0; n < int(net_.networks.size()); ++n) {
    add_network(n, rows);
    add_table(n);
  }
  join_chips();
}

Wiring::Step Wiring::axis(const Interconnect::Network& network, bool along_y) const {
  Step step{false, along_y ? network.y : network.x, along_y ? net_.height : net_.width};
  // Two tiles have a single link between them, so they form no ring. A ring has one row.
  const bool ring = network.topology == Topology::Torus || (network.topology == Topology::Ring && !along_y);
  step.closed = ring && (step.size > 2 || step.sense != Sense::Both);
  return step;
}

void Wiring::add(int network, int from, int to, bool wraps) {
  if (from == to || link(network, from, to) >= 0)
    return;
  leaving_[size_t(network * tile_count() + from)].push_back(int(links_.size()));
  links_.push_back({network, from, to, wraps, -1});
}

// Adds the links between neighbours in a network, also over its edges where an axis is a ring.
void Wiring::add_network(int network, const std::vector<int>& order) {
  const Interconnect::Network& net = net_.networks[size_t(network)];
  for (int chip = 0; chip < net_.chips; ++chip) {
    for (const int own : order) {
      const int from = chip * per_chip_ + own;
      for (const int sign : {1, -1}) {
        for (const bool along_y : {false, true}) {
          const Step step = axis(net, along_y);
          if (step.sense == (sign > 0 ? Sense::Down : Sense::Up))
            continue;
          TilePlace at = place(from);
          int& coordinate = along_y ? at.y : at.x;
          coordinate += sign;
          const bool over = coordinate < 0 || coordinate >= step.size;
          if (over && !step.closed)
            continue;
          coordinate = (coordinate + step.size) % step.size;
          add(network, from, tile(at), over);
          next_[size_t(network * tile_count() + from)][direction(along_y, sign)] =
              link(network, from, tile(at));
        }
      }
    }
  }
}

// Adds the links of the routes that the chip file lists.
void Wiring::add_table(int network) {
  const auto& table = net_.networks[size_t(network)].table;
  for (size_t i = 0; i < table.size(); ++i) {
    const std::vector<TilePlace>& way = table[i].tiles;
    const auto own = [&](const TilePlace& p) {
      return net_.tile(p.x, p.y);
    };
    table_[size_t(network)][{own(way.front()), own(way.back())}] = i;
    for (size_t k = 1; k < way.size(); ++k)
      for (int chip = 0; chip < net_.chips; ++chip)
        add(network, chip * per_chip_ + own(way[k - 1]), chip * per_chip_ + own(way[k]), false);
  }
}

// Adds links between chips and finds those that join each pair.
void Wiring::join_chips() {
  first_joint_ = links_.size();
  for (size_t i = 0; i < net_.chip_links.size(); ++i) {
    const Interconnect::ChipLink& joint = net_.chip_links[i];
    links_.push_back({-1, tile(joint.from), tile(joint.to), false, int(i)});
  }
  const auto chips = size_t(net_.chips);
  joints_.resize(chips * chips);
  for (size_t id = first_joint_; id < links_.size(); ++id)
    joints_[size_t(links_[id].from / per_chip_) * chips + size_t(links_[id].to / per_chip_)].push_back(
        int(id));
  for (int from = 0; from < net_.chips; ++from)
    for (int to = 0; to < net_.chips; ++to)
      next_chip_.push_back(next_chip(from, to));
}

// Searches breadth first over chips from the destination. Among equally near chips it takes the one whose
// links come first in the sheet.
int Wiring::next_chip(int from_chip, int to_chip) const {
  std::vector<int> far(size_t(net_.chips), -1);
  std::deque<int> open{to_chip};
  far[size_t(to_chip)] = 0;
  while (!open.empty()) {
    const int chip = open.front();
    open.pop_front();
    for (size_t id = first_joint_; id < links_.size(); ++id) {
      const int before = links_[id].from / per_chip_;
      if (links_[id].to / per_chip_ != chip || far[size_t(before)] >= 0)
        continue;
      far[size_t(before)] = far[size_t(chip)] + 1;
      open.push_back(before);
    }
  }
  for (size_t id = first_joint_; id < links_.size(); ++id) {
    const int next = links_[id].to / per_chip_;
    if (links_[id].from / per_chip_ == from_chip && far[size_t(next)] >= 0 &&
        far[size_t(next)] == far[size_t(from_chip)] - 1)
      return next;
  }
  return -1;
}

// Returns the link to chip `towards` with the fewest hops before it and, when the route ends on that chip,
// after it.
int Wiring::nearest_joint(int network, int at, int towards, int to) const {
  const std::vector<int>& all = joints_[size_t(at / per_chip_ * net_.chips + towards)];
  if (all.size() == 1)
    return all.front();
  int best = all.front();
  int fewest = INT_MAX;
  for (const int id : all) {
    const Link& joint = links_[size_t(id)];
    const bool ends = to / per_chip_ == towards;
    const int count = hops(network, at, joint.from) + (ends ? hops(network, joint.to, to) : 0);
    if (count >= fewest)
      continue;
    fewest = count;
    best = id;
  }
  return best;
}

int Wiring::link(int network, int from, int to) const {
  for (const int id : leaving_[size_t(network * tile_count() + from)])
    if (links_[size_t(id)].to == to)
      return id;
  return -1;
}

bool Wiring::route(int network, int from, int to, std::vector<Hop>& out) const {
  while (from / per_chip_ != to / per_chip_) {
    const int towards = next_chip_[size_t(from / per_chip_ * net_.chips + to / per_chip_)];
    if (towards < 0)
      return false;
    const int joint = nearest_joint(network, from, towards, to);
    walk(network, from, links_[size_t(joint)].from, out);
    out.push_back({joint, 0});
    from = links_[size_t(joint)].to;
  }
  walk(network, from, to, out);
  return true;
}

const std::vector<TilePlace>* Wiring::table_way(int network, int from, int to) const {
  const auto& table = table_[size_t(network)];
  const auto found = table.find({from % per_chip_, to % per_chip_});
  return found == table.end() ? nullptr : &net_.networks[size_t(network)].table[found->second].tiles;
}

int Wiring::distance(const Step& step, int from, int to) {
  if (!step.closed)
    return to - from;
  const int up = (to - from + step.size) % step.size;
  const bool rises = step.sense == Sense::Up || (step.sense == Sense::Both && up * 2 <= step.size);
  return rises || up == 0 ? up : up - step.size;
}

int Wiring::hops(int network, int from, int to) const {
  if (const std::vector<TilePlace>* way = table_way(network, from, to))
    return int(way->size()) - 1;
  const Interconnect::Network& net = net_.networks[size_t(network)];
  const TilePlace a = place(from);
  const TilePlace b = place(to);
  return std::abs(distance(axis(net, false), a.x, b.x)) + std::abs(distance(axis(net, true), a.y, b.y));
}

// Appends the route between two tiles of one chip: from the table, else one axis after the other.
void Wiring::walk(int network, int from, int to, std::vector<Hop>& out) const {
  const std::vector<TilePlace>* way = table_way(network, from, to);
  int at = from;
  if (way == nullptr) {
    const bool y_first = net_.networks[size_t(network)].y_first;
    walk_axis(network, y_first, to, at, out);
    walk_axis(network, !y_first, to, at, out);
    return;
  }
  const int base = from - from % per_chip_;
  for (size_t k = 1; k < way->size(); ++k) {
    const int next = base + net_.tile((*way)[k].x, (*way)[k].y);
    out.push_back({link(network, at, next), 0});
    at = next;
  }
}

// Appends the steps along one axis.
void Wiring::walk_axis(int network, bool along_y, int to, int& at, std::vector<Hop>& out) const {
  const Step step = axis(net_.networks[size_t(network)], along_y);
  const TilePlace begin = place(at);
  const TilePlace end = place(to);
  int left = distance(step, along_y ? begin.y : begin.x, along_y ? end.y : end.x);
  const int sign = left < 0 ? -1 : 1;
  const size_t way = direction(along_y, sign);
  for (int lane = 0; left != 0; left -= sign) {
    const int id = next_[size_t(network * tile_count() + at)][way];
    LENTO_CHECK(id >= 0, "a route leaves the chip");
    if (links_[size_t(id)].wraps)
      lane = 1;
    out.push_back({id, lane});
    at = links_[size_t(id)].to;
  }
}

}  // namespace lento::chip
