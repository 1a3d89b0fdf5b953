// Times matrix products by a search over tilings of three memory levels, and element-wise work and
// collectives by closed forms. The search is exact over all power-of-two tiles: a branch ends when its
// slowest level is no better than the best found, and lower bounds on the traffic end most branches before
// they are evaluated. Source: CrossFlow, sections 5.2 and 5.3, and the released tool. The best register tile
// of each L1 tile is cached, because many outer tilings share it.
#include "predict/crossflow/kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lento::predict {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

// Returns which operand stays in place in the array: weights (wst), activations (ast) or outputs (ost).
Dataflow dataflow_of(const std::string& text) {
  if (text == "wst")
    return Dataflow::Weight;
  if (text == "ast")
    return Dataflow::Activation;
  if (text == "ost")
    return Dataflow::Output;
  return text == "best" ? Dataflow::Best : Dataflow::None;
}

// Returns the largest third side of an a x b tile whose operands fit in `elements`. Registers and L1 hold A,
// B and C, L2 holds A and B.
double third_side(double elements, double a, double b, bool holds_result) {
  return holds_result ? std::floor((elements - a * b) / (a + b)) : std::floor((elements - a * b) / b);
}

// Returns every pair of powers of two with the largest third side that fits, and the two square-like tiles of
// the released tool. This is a superset of that tool's twenty samples, so the best of these is never slower.
std::vector<Dims> tile_candidates(double elements, bool holds_result) {
  std::vector<Dims> tiles;
  if (elements < 2)
    return {{1, 1, 1}};
  const double square = std::ceil(std::exp2(std::floor(std::log2(std::sqrt(elements / 2)))));
  tiles.push_back({square, square, square});
  tiles.push_back({std::max(1.0, std::floor(square / 2)), square, square * 2});
  const int powers = int(std::floor(std::log2(elements)));
  for (int i = 0; i < powers; ++i) {
    for (int j = 0; j < powers; ++j) {
      const double a = std::exp2(i);
      const double b = std::exp2(j);
      const double c = third_side(elements, a, b, holds_result);
      if (c >= 1)
        tiles.push_back({a, b, std::exp2(std::floor(std::log2(c)))});
    }
  }
  // Tiles nearest to a cube come first, because a good time that is found early prunes the others.
  const auto surface = [](const Dims& t) {
    return 1 / t[0] + 1 / t[1] + 1 / t[2];
  };
  std::ranges::stable_sort(tiles, [&](const Dims& x, const Dims& y) {
    return surface(x) < surface(y);
  });
  return tiles;
}

// Cuts a tile that is larger than the matrix in one dimension, and lets it grow in another to use the room.
Dims fitted(const Dims& tile, const Dims& dims, size_t level) {
  double t1 = tile[0];
  double t2 = tile[1];
  double t3 = tile[2];
  const double room = t1 * t2 + t1 * t3 + t2 * t3;
  const bool cut1 = t1 > dims[0];
  const bool cut2 = t2 > dims[1];
  const bool cut3 = t3 > dims[2];
  t1 = std::min(t1, dims[0]);
  t2 = std::min(t2, dims[1]);
  t3 = std::min(t3, dims[2]);
  const bool holds_result = level <= 1;
  if (!cut3 && (cut1 || cut2)) {
    t3 = std::min(dims[2], std::floor((room - t1 * t2) / (holds_result ? t1 + t2 : t2)));
  } else if (!cut1 && (cut2 || cut3)) {
    t1 = std::min(dims[0], std::floor((room - t3 * t2) / (holds_result ? t3 + t2 : t2)));
  } else if (!cut2 && cut1 && cut3) {
    t2 = std::min(dims[1], std::floor(holds_result ? (room - t3 * t1) / (t3 + t1) : room / (t1 + t3)));
  }
  return {t1, t2, t3};
}

// Returns the bytes that a product of size d moves at one level, when its tile at the level below has size t
// and the product is repeated (formula in kernel.h). An operand is read again for every tile that does not
// cover the other side.
double bytes_moved(size_t level, const Dims& d, const Dims& t, double repeats, double precision) {
  double a = 1;
  double b = 1;
  double c = 1;
  if (t[0] > 0 && t[1] > 0 && t[2] > 0) {
    a = ceil_div(d[2], t[2]);
    b = ceil_div(d[0], t[0]);
    c = level > 1 ? 1 : ceil_div(d[1], t[1]);
  }
  return repeats * (d[0] * d[1] * a + d[1] * d[2] * b + d[0] * d[2] * c) * precision;
}

double repeats_of(const Dims& d, const Dims& t) {
  if (t[0] <= 0 || t[1] <= 0 || t[2] <= 0)
    return 1;
  return ceil_div(d[0], t[0]) * ceil_div(d[1], t[1]) * ceil_div(d[2], t[2]);
}

Dims inner_dims(const Dims& d, const Dims& t) {
  return {t[0] != 0 ? t[0] : d[0], t[1] != 0 ? t[1] : d[1], t[2] != 0 ? t[2] : d[2]};
}

// Returns the bytes moved when each operand is read or written once. No tiling of these dimensions moves
// fewer.
double least_bytes(const Dims& d, double repeats, double precision) {
  return repeats * (d[0] * d[1] + d[1] * d[2] + d[0] * d[2]) * precision;
}

double flops_of(const Dims& order) {
  return order[0] * order[2] * (2 * order[1] - 1);
}

}  // namespace

// Lists all tiles that fit the three on-chip levels once, because every product searches the same ones.
KernelModel::KernelModel(const Machine& machine, const CrossFlowConfig& config)
    : machine_(machine),
      launch_(config.launch_overhead),
      precision_(config.precision),
      fma_width_(config.core.fma_width),
      configured_(dataflow_of(config.core.dataflow)),
      dataflow_(configured_) {
  for (size_t level = 0; level < 3; ++level) {
    for (const Dims& t : tile_candidates(machine.memory[level].bytes_per_scope / precision_, level <= 1)) {
      const double operands = 1 / t[0] + 1 / t[2];
      candidates_[level].push_back({t, operands, operands + 1 / t[1]});
    }
  }
}

// Returns the seconds at one memory level: compute time when the arithmetic intensity reaches the balance of
// the machine, else transfer time plus latency.
double KernelModel::level_time(size_t level, double flops, double bytes) const {
  const MemoryLevel& memory = machine_.memory[level];
  const double balance = memory.bytes_per_s == 0 ? kInfinity : machine_.flops / memory.bytes_per_s;
  const double intensity = bytes == 0 ? 0 : flops / bytes;
  if (intensity >= balance)
    return machine_.flops == 0 ? kInfinity : flops / machine_.flops;
  return (memory.bytes_per_s == 0 || bytes == 0 ? kInfinity : bytes / memory.bytes_per_s) + memory.latency;
}

double KernelModel::pointwise(double flops, double bytes) const {
  return level_time(scalar_level_, flops, std::floor(bytes));
}

// Replaces the dataflow "best" by one that depends on the largest dimension of this product. It stays for
// all later products, as in the released CrossFlow tool.
void KernelModel::choose_dataflow(const Dims& d) {
  if (dataflow_ != Dataflow::Best)
    return;
  if (d[0] >= std::max(d[1], d[2]))
    dataflow_ = Dataflow::Weight;
  else if (d[1] >= std::max(d[0], d[2]))
    dataflow_ = Dataflow::Output;
  else
    dataflow_ = Dataflow::Activation;
}

// Returns the loop orders of the three dimensions that the dataflow permits, each as permuted sizes. The
// released CrossFlow tool calls them "orders".
std::vector<Dims> KernelModel::orders(const Dims& d) const {
  std::vector<Dims> all;
  switch (dataflow_) {
    case Dataflow::Weight:
      all = {{d[1], d[2], d[0]}, {d[2], d[1], d[0]}};
      break;
    case Dataflow::Activation:
      all = {{d[0], d[1], d[2]}, {d[1], d[0], d[2]}};
      break;
    case Dataflow::Output:
      all = {{d[0], d[2], d[1]}, {d[2], d[0], d[1]}};
      break;
    default:
      all = {
          {d[0], d[1], d[2]},
          {d[0], d[2], d[1]},
          {d[1], d[0], d[2]},
          {d[1], d[2], d[0]},
          {d[2], d[0], d[1]},
          {d[2], d[1], d[0]}};
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Returns the seconds in which the registers deliver the operands of all multiply-adds. The stationary
// operand is reused: it is read once for each group of fma_width_ elements along the dimension that streams
// past it.
double KernelModel::register_time(const Dims& order, double flops) const {
  double reuse = 1;
  if (dataflow_ == Dataflow::Weight)
    reuse = ceil_div(order[0], fma_width_);
  if (dataflow_ == Dataflow::Activation)
    reuse = ceil_div(order[2], fma_width_);
  if (dataflow_ == Dataflow::Output)
    reuse = ceil_div(order[1], fma_width_);
  return level_time(0, flops, flops * ((2 * reuse + 1) / (2 * reuse)) / fma_width_ * precision_);
}

// Times a product with given tiles: the slowest level decides, from DRAM (3) down to L1 (1).
double KernelModel::gemm_with(const Dims& dims, const Dims& order, const Tiles& tiles) {
  choose_dataflow(dims);
  const double flops = flops_of(order);
  double slowest = register_time(order, flops);
  double repeats = 1;
  Dims d = order;
  for (size_t level = 3; level > 0; --level) {
    const Dims t = fitted(tiles[level - 1], d, level);
    slowest = std::max(slowest, level_time(level, flops, bytes_moved(level, d, t, repeats, precision_)));
    repeats *= repeats_of(d, t);
    d = inner_dims(d, t);
  }
  return slowest + launch_;
}

// Searches depth first over L2, L1 and register tiles. A branch ends when its slowest level is no better
// than the best found. Most branches end before they are evaluated. With volume = d1 * d2 * d3 * bytes of a
// value, a tile (t1, t2, t3) that fits whole moves at least volume / t1 + volume / t3 bytes, and volume / t2
// more where results are kept. That is compared with the most bytes with which the time still improves.
struct KernelModel::Search {
  KernelModel& model;
  Dims order;
  double flops;
  double floor_time;
  GemmTime& best;
  std::array<double, 4> most{};  // by level: a tiling that moves more bytes cannot be the best

  // Sets the most bytes that each memory level may move without exceeding the best time so far.
  void tighten() {
    for (size_t level = 1; level < 4; ++level) {
      const MemoryLevel& memory = model.machine_.memory[level];
      const double free = model.machine_.flops == 0 ? 0 : flops * memory.bytes_per_s / model.machine_.flops;
      most[level] = std::max(free, (best.seconds - memory.latency) * memory.bytes_per_s) * (1 + 1e-12);
    }
  }

  // Returns the longer of `so_far` and the level's time, in seconds, or infinity when that cannot be the
  // best.
  double at(size_t level, const Dims& d, const Dims& t, double repeats, double so_far) const {
    const double bytes = bytes_moved(level, d, t, repeats, model.precision_);
    return bytes > most[level] ? kInfinity : std::max(so_far, model.level_time(level, flops, bytes));
  }

  static bool whole(const Dims& t, const Dims& d) {
    return t[0] <= d[0] && t[1] <= d[1] && t[2] <= d[2];
  }

  // Tries all L2 tiles whose DRAM traffic can still beat the best time.
  void l2_tiles() {
    const double volume = order[0] * order[1] * order[2] * model.precision_;
    for (const Candidate& c : model.candidates_[2]) {
      if (volume * c.operands > most[3] && whole(c.tile, order))
        continue;
      const Dims t = fitted(c.tile, order, 3);
      const double time = at(3, order, t, 1, floor_time);
      if (time >= best.seconds)
        continue;
      l1_tiles(c.tile, inner_dims(order, t), repeats_of(order, t), time);
      if (best.seconds <= floor_time)
        return;
    }
  }

  // Tries all L1 tiles inside one L2 tile whose L2 traffic can still beat the best time.
  void l1_tiles(const Dims& tile2, const Dims& d, double repeats, double so_far) {
    if (least_bytes(d, repeats, model.precision_) > most[2])
      return;
    const double volume = repeats * d[0] * d[1] * d[2] * model.precision_;
    const double results = repeats * d[0] * d[2] * model.precision_;
    for (const Candidate& c : model.candidates_[1]) {
      if (volume * c.operands + results > most[2] && whole(c.tile, d))
        continue;
      const Dims t = fitted(c.tile, d, 2);
      const double time = at(2, d, t, repeats, so_far);
      if (time >= best.seconds)
        continue;
      register_tiles(tile2, c.tile, inner_dims(d, t), repeats * repeats_of(d, t), time);
      if (best.seconds <= so_far)
        return;
    }
  }

  // Completes a tiling with the register tile that moves the fewest bytes out of L1, and keeps it when it is
  // the fastest.
  void register_tiles(const Dims& tile2, const Dims& tile1, const Dims& d, double repeats, double so_far) {
    if (least_bytes(d, repeats, model.precision_) > most[1])
      return;
    const Innermost& inner = model.innermost(d);
    const double bytes = repeats * inner.bytes * model.precision_;
    if (bytes > most[1])
      return;
    const double time = std::max(so_far, model.level_time(1, flops, bytes));
    if (time >= best.seconds)
      return;
    best = {time, order, {inner.tile, tile1, tile2}};
    tighten();
  }
};

size_t KernelModel::DimsHash::operator()(const Dims& d) const {
  const auto mix = [](uint64_t x) {
    return x * 0x9e3779b97f4a7c15ULL;
  };
  const uint64_t h = mix(mix(mix(uint64_t(d[0])) + uint64_t(d[1])) + uint64_t(d[2]));
  return h ^ (h >> 32);
}

// Returns the register tile with the least L1 traffic for an L1 tile of size d, from the cache or by search.
const KernelModel::Innermost& KernelModel::innermost(const Dims& d) {
  const auto [at, fresh] = innermost_.try_emplace(d, Innermost{{}, kInfinity});
  Innermost& least = at->second;
  if (!fresh)
    return least;
  const double volume = d[0] * d[1] * d[2];
  for (const Candidate& c : candidates_[0]) {
    if (volume * c.all > least.bytes && Search::whole(c.tile, d))
      continue;
    const double bytes = bytes_moved(1, d, fitted(c.tile, d, 1), 1, 1);
    if (bytes < least.bytes)
      least = {c.tile, bytes};
  }
  return least;
}

// Searches the tilings of one loop order and replaces `best` when one is faster. Skips the search when
// arithmetic or registers alone take longer than the best.
void KernelModel::search(const Dims& order, GemmTime& best) {
  const double flops = flops_of(order);
  const double floor_time =
      std::max(register_time(order, flops), machine_.flops == 0 ? kInfinity : flops / machine_.flops);
  if (floor_time >= best.seconds)
    return;
  Search search{*this, order, flops, floor_time, best, {}};
  search.tighten();
  search.l2_tiles();
}

GemmTime KernelModel::gemm(double dim1, double dim2, double dim3) {
  const Dims dims{
      std::max(1.0, std::floor(dim1)),
      std::max(1.0, std::floor(dim2)),
      std::max(1.0, std::floor(dim3))};
  choose_dataflow(dims);
  GemmTime best;
  best.seconds = kInfinity;
  for (const Dims& order : orders(dims))
    search(order, best);
  best.seconds += launch_;
  return best;
}

// Returns the seconds of a ring collective over p nodes: p - 1 steps, each with a copy through memory, and
// twice as many for an all-reduce.
double KernelModel::collective(Collective kind, double elements, int p, const Link& link) const {
  if (p == 1)
    return 0;
  if (link.bytes_per_s == 0)
    return kInfinity;
  const double bytes = precision_ * elements;
  const double steps = p - 1;
  const double factor = kind == Collective::AllReduce ? 2 : 1;
  const double copy = pointwise(0, 2 * bytes / p);
  const double transfer = (bytes / p / link.bytes_per_s + copy + link.latency) * factor * steps;
  if (kind == Collective::AllGather)
    return transfer + pointwise(0, 3 * bytes) + launch_;
  return transfer + (pointwise(elements / p, 3 * bytes / p) + launch_) * steps;
}

}  // namespace lento::predict
