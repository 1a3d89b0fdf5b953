// The problem: how long does a tuned library need for C = A * B on a chip of U units that share a last-level
// cache in front of a memory?
//
// The idea (hierarchical roofline, CrossFlow section 6.1, made concrete for thread blocks): results are cut
// into tiles of tm x tn, the reduction into `split` parts; each tile is one unit's work. Libraries choose
// well among their tiles, so the time is the minimum over all of them.
//
//   tiles    = batch * ceil(m/tm) * ceil(n/tn) * split
//   rounds   = ceil(tiles / U): wave quantisation; tiles / U where units share the last wave's reductions
//              evenly (Osama et al. 2023, stream-K), for one more fill and each unit's partial tile written
//              and read
//   resident = min(tiles / U, unit_results / (tm*tn)), at least 1: tiles that share a unit, hiding latency
//   busy     = a / (a + half_tile), a = tm*tn*resident: share of its speed a unit reaches
//   drift    = 1 + drift * ln(k'/drift_length) * ln(1 + tiles/U): tiles of long reductions drift apart
//   compute  = rounds * 2*tm*tn*k' * drift / (flops_per_cycle * compute * busy * clock)
//   cache    = rounds * (tm+tn) * k' * bytes / (feed * width * clock)
//   memory   = traffic / (bandwidth * memory)
//   fill     = prologue * (ceil(rounds / resident) + 1 for a split's reduction) / clock
//   time     = (compute^4 + cache^4 + memory^4)^(1/4) + fill + launch
//
// These formulas are of a unit that accumulates results in place (`Stationary::Output`). A unit that keeps
// weights (activations) holds a tile of B (of A), and the third dimension and its partial sums stream past.
// In this table p and q are the sides of the stationary operand, and r is the dimension that streams:
//
//              p  q  r   streams along p, q             loads or stores once
//   output     m  n  k   A, B                           C
//   weight     k  n  m   A, partial sums                B
//   activation m  k  n   partial sums, B                A
//
//   partial sums  4 bytes, read and written for each tile of the reduction. The last tile only writes C
//
// Invariants: 1. no term rises when its resource grows; 2. the result is never below the plain roofline
// with the same constants; 3. a split only helps when tiles do not fill the units.
#include "predict/time/gemm.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lento::predict {
namespace {

constexpr double kTransferOverhead =
    1.05;  // bytes that memory counters show over those needed, without any re-reading
constexpr double kOperandCacheShare = 0.5;  // share of the cache that one operand may keep across waves
constexpr int kStep = 32;                   // the reduction is computed in steps of this length

constexpr std::array<std::pair<int, int>, 26> kTiles = {
    {{256, 128}, {128, 256}, {128, 128}, {256, 64}, {64, 256}, {128, 64}, {64, 128}, {64, 64},   {128, 32},
     {32, 128},  {64, 32},   {32, 64},   {32, 32},  {128, 16}, {16, 128}, {16, 64},  {192, 160}, {160, 192},
     {192, 128}, {128, 192}, {256, 96},  {96, 256}, {192, 64}, {64, 192}, {128, 96}, {96, 128}}};
constexpr size_t kPlainTiles = 16;  // tiles after these exist only in libraries of persistent kernels
constexpr int kSmallestTile = 16 * 64;
constexpr std::array<int, 9> kSplits = {1, 2, 3, 4, 5, 6, 8, 12, 16};

double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

// Returns the fourth root of the sum of fourth powers: close to the largest term, but smooth.
double fourth_norm(double a, double b, double c) {
  const double top = std::max({a, b, c});
  if (top <= 0)
    return 0;
  const auto fourth = [top](double x) {
    const double r = x / top;
    return r * r * r * r;
  };
  return top * std::sqrt(std::sqrt(fourth(a) + fourth(b) + fourth(c)));
}

// A product as one unit computes it: the stationary operand has sides p and q, and the third dimension r
// streams through the unit.
struct Walk {
  Stationary stays = Stationary::Output;
  double p = 1;
  double q = 1;
  double r = 1;
  double stay_bytes = 0;  // bytes per element of the stationary operand
  // Bytes per element of the two operands that stream past the sides p and q of the stationary one. `sums_p`
  // and `sums_q` mark an operand of partial sums, which have 4 bytes.
  double stream_p = 0;
  double stream_q = 0;
  bool sums_p = false;
  bool sums_q = false;
};

constexpr double kSumBytes = 4;

// Maps m, n and k of a product to p, q and r for the operand that stays in a unit while the others stream.
Walk walk_of(const Gemm& g, Stationary stays) {
  const OperandBytes size = operand_bytes(g.precision);
  const double a = size.activations;
  const double b = size.weights;
  const auto m = double(g.m);
  const auto n = double(g.n);
  const auto k = double(g.k);
  if (stays == Stationary::Weight)
    return {stays, k, n, m, b, a, kSumBytes, false, true};
  if (stays == Stationary::Activation)
    return {stays, m, k, n, a, kSumBytes, b, true, false};
  return {Stationary::Output, m, n, k, size.results, a, b, false, false};
}

// Returns whether a unit holds a tile of tp x tq: the stationary operand in its registers, which hold
// unit_results sums of 4 bytes or as many bytes of operands, and two steps of the streamed operands in its
// buffer.
bool holds(const Chip& chip, const Walk& w, int tp, int tq) {
  const double panels = 2.0 * kStep * (tp * w.stream_p + tq * w.stream_q);
  const double kept = double(tp) * tq * (w.stays == Stationary::Output ? 1 : w.stay_bytes / kSumBytes);
  return kept <= chip.unit_results && (chip.unit_buffer_bytes <= 0 || panels <= chip.unit_buffer_bytes);
}

// The tiles that run at the same time (a wave), as a rectangle of m x n tiles.
struct Wave {
  double m = 1;
  double n = 1;
};

// Returns the shape of a wave of `count` tiles. `order` is the tile index that varies fastest: 'm', 'n', or
// 's' for a square block.
Wave wave_shape(char order, double count, double grid_m, double grid_n, double aspect) {
  if (order == 'm') {
    const double m = std::min(count, grid_m);
    return {m, std::clamp(count / m, 1.0, grid_n)};
  }
  if (order == 'n') {
    const double n = std::min(count, grid_n);
    return {std::clamp(count / n, 1.0, grid_m), n};
  }
  const double m = std::clamp(std::max(std::sqrt(count * aspect), count / grid_n), 1.0, grid_m);
  return {m, std::clamp(count / m, 1.0, grid_n)};
}

// Bytes between memory and cache for one product of the batch. An operand is read once for each row (or
// column) of waves across the other operand's side, unless it stays in the cache. Sums are written once at
// the end, and each further pass over the reduction reads and writes them.
struct OperandTraffic {
  double bytes = 0;
  char order = 's';
};

double streamed_bytes(double elements, double size, double passes, bool sums, double result_size) {
  return sums ? elements * (result_size + 2 * size * (passes - 1)) : elements * size * passes;
}

// Returns the fewest bytes over all orders of tiles, given the operands that stay in the cache between waves,
// and that order.
OperandTraffic memory_traffic(
    const Chip& chip,
    const Gemm& g,
    const Walk& w,
    const Tile& tile,
    double grid_p,
    double grid_q,
    double wave_tiles) {
  const double size = operand_bytes(g.precision).results;
  const double along_p = w.p * w.r;
  const double along_q = w.q * w.r;
  const double keep = kOperandCacheShare * chip.cache_bytes;
  const bool p_stays = along_p * w.stream_p < keep;
  const bool q_stays = along_q * w.stream_q < keep;
  OperandTraffic best{1e300, 's'};
  for (const char order : {'s', 'm', 'n'}) {
    const Wave wave = wave_shape(order, wave_tiles, grid_p, grid_q, double(tile.n) / tile.m);
    const double p_passes = p_stays ? 1 : std::ceil(grid_q / wave.n - 1e-9);
    const double q_passes = q_stays ? 1 : std::ceil(grid_p / wave.m - 1e-9);
    const double bytes = streamed_bytes(along_p, w.stream_p, p_passes, w.sums_p, size) +
                         streamed_bytes(along_q, w.stream_q, q_passes, w.sums_q, size);
    if (bytes < best.bytes)
      best = {bytes, order};
  }
  best.bytes += w.p * w.q * w.stay_bytes;
  if (tile.split > 1 && w.stays == Stationary::Output)
    best.bytes += 2.0 * 4 * double(g.m) * double(g.n) * tile.split;
  return best;
}

// Returns the traffic that memory counters show: a result stays in a warm cache that holds all three
// matrices. The predicted time still includes writing the result back, because that happens during the
// kernels that follow.
double counted_bytes(const Chip& chip, const Gemm& g, double bytes) {
  const OperandBytes size = operand_bytes(g.precision);
  const double c = size.results * double(g.batch) * double(g.m) * double(g.n);
  const double all = double(g.batch) * (size.activations * double(g.m) * double(g.k) +
                                        size.weights * double(g.k) * double(g.n)) +
                     c;
  return kTransferOverhead * (all < chip.cache_bytes ? bytes - c : bytes);
}

// Returns the bytes that a unit moves from and to the cache for one tile. Streamed partial sums are read and
// written, or only written when one tile holds the whole reduction.
double tile_bytes(const Walk& w, const Tile& tile, double grid_p, double grid_q, double r) {
  const double sums_p = w.sums_p && grid_q > 1 ? 2 : 1;
  const double sums_q = w.sums_q && grid_p > 1 ? 2 : 1;
  const double loads = w.stays == Stationary::Output ? 0 : w.stay_bytes * tile.m * tile.n;
  return r * (tile.m * w.stream_p * sums_p + tile.n * w.stream_q * sums_q) + loads;
}

// Times the kernel with one tile. It returns early, with a time of at least `limit`, when the arithmetic or
// the cache alone takes as long.
KernelTime
time_tile(const Chip& chip, const Calibration& q, const Gemm& g, const Walk& w, Tile tile, double limit) {
  const double grid_p = ceil_div(w.p, tile.m);
  const double grid_q = ceil_div(w.q, tile.n);
  const double step = w.stays == Stationary::Output ? kStep : 1;
  const double r = ceil_div(ceil_div(w.r, tile.split), step) * step;
  const double tiles = double(g.batch) * grid_p * grid_q * tile.split;
  const double rounds = tile.even ? tiles / chip.units : ceil_div(tiles, chip.units);
  const double area = double(tile.m) * tile.n;
  const double resident =
      std::max(1.0, std::min(tiles / chip.units, std::max(1.0, std::floor(chip.unit_results / area))));
  const double width = chip.rate(g.precision) / 1024;
  const double busy = area * resident / (area * resident + q.half_tile * width);
  const bool reduced = tile.even || (tile.split > 1 && w.stays == Stationary::Output);

  KernelTime t;
  t.tile = tile;
  t.waves = tiles / (chip.units * resident);
  const double per_cycle = chip.rate(g.precision) * q.compute * busy;
  t.fill_s = q.prologue * (std::ceil(rounds / resident) + (reduced ? 1 : 0)) / chip.clock_hz;
  t.compute_s = rounds * 2 * area * r / (per_cycle * chip.power_limit(g.precision) * chip.clock_hz);
  t.seconds = t.compute_s + t.fill_s;
  if (t.seconds >= limit)
    return t;
  if (r > q.drift_length)
    t.compute_s *= 1 + q.drift * std::log(r / q.drift_length) * std::log1p(tiles / chip.units);
  const double bytes = tile_bytes(w, tile, grid_p, grid_q, r);
  t.cache_bytes = tiles * bytes;
  t.cache_s = rounds * bytes / (q.feed * width * chip.clock_hz);
  t.seconds = std::max(t.compute_s, t.cache_s) + t.fill_s;
  if (t.seconds >= limit)
    return t;
  const double wave_tiles = std::max(
      1.0,
      std::min(tiles, chip.units * resident) / std::min<double>(tile.split, chip.units * resident));
  const OperandTraffic traffic = memory_traffic(chip, g, w, tile, grid_p, grid_q, wave_tiles);
  t.memory_bytes = traffic.bytes * double(g.batch) + (tile.even ? 2.0 * 4 * chip.units * area : 0);
  t.tile.order = traffic.order;
  t.memory_s = t.memory_bytes / (chip.memory_Bps * q.memory);
  t.seconds = fourth_norm(t.compute_s, t.cache_s, t.memory_s) + t.fill_s;
  return t;
}

// Returns the resource whose part of the time is largest.
Bound bound_of(const KernelTime& t) {
  const std::pair<double, Bound> terms[] = {
      {t.compute_s, Bound::Compute},
      {t.memory_s, Bound::Memory},
      {t.cache_s, Bound::Cache},
      {t.fill_s, Bound::Fill},
      {t.launch_s, Bound::Launch}};
  return std::max_element(
             std::begin(terms),
             std::end(terms),
             [](const auto& x, const auto& y) {
               return x.first < y.first;
             })
      ->second;
}

}  // namespace

std::string_view name(Bound bound) {
  constexpr std::string_view kNames[] = {"compute", "cache", "memory", "fill", "launch", "link"};
  return kNames[size_t(bound)];
}

namespace {

// Times all tiles for one stationary operand and replaces `best` when a tile is faster.
void try_walk(const Chip& chip, const Calibration& tuned, const Gemm& g, const Walk& w, KernelTime& best) {
  const bool output = w.stays == Stationary::Output;
  const auto attempt = [&](const Tile& tile) {
    const KernelTime t = time_tile(chip, tuned, g, w, tile, best.seconds);
    if (t.seconds < best.seconds)
      best = t;
  };
  for (size_t i = 0; i < (chip.persistent ? kTiles.size() : kPlainTiles); ++i) {
    const auto [tp, tq] = kTiles[i];
    if (!holds(chip, w, tp, tq) && tp * tq > kSmallestTile)
      continue;
    const double tiles = double(g.batch) * ceil_div(w.p, tp) * ceil_div(w.q, tq);
    for (const int split : kSplits) {
      if (split > 1 && (tiles * split > 4.0 * chip.units || split * 2 * kStep > w.r))
        break;
      attempt({tp, tq, split, 's', false, w.stays});
    }
    if (chip.persistent && output)
      attempt({tp, tq, 1, 's', true, w.stays});
  }
}

// Times a product on systolic arrays: weights of a x a stay in an array while rows stream through it. The
// reduction and the width are padded to whole arrays. A pass takes at least `a` cycles, during which the next
// weights are loaded. Passes are spread over all arrays, and split along m when there are fewer passes than
// arrays, so that the time of a large product depends on the chip's total and not on its number of arrays.
KernelTime time_arrays(const Chip& chip, const Calibration& q, const Gemm& g, int side) {
  const double a = side;
  const double arrays = chip.peak(g.precision) / (2 * a * a * chip.clock_hz);
  const double passes = double(g.batch) * ceil_div(double(g.k), a) * ceil_div(double(g.n), a);
  const double cycles = passes * std::max(double(g.m), a);
  KernelTime t;
  t.tile = {side, side, 1, 'n', false, Stationary::Weight};
  t.waves = passes / arrays;
  t.compute_s = std::max(cycles / arrays, a) / (chip.clock_hz * q.compute * chip.power_limit(g.precision));
  t.fill_s = q.prologue / chip.clock_hz;
  const OperandBytes size = operand_bytes(g.precision);
  const double block = std::sqrt(kOperandCacheShare * chip.cache_bytes / (size.activations + size.weights));
  const double rows = std::ceil(double(g.m) / block);
  const double columns = std::ceil(double(g.n) / block);
  t.memory_bytes =
      double(g.batch) *
      (size.activations * double(g.m) * double(g.k) * (rows > 1 ? columns : 1) +
       size.weights * double(g.k) * double(g.n) * rows + size.results * double(g.m) * double(g.n));
  t.memory_s = t.memory_bytes / (chip.memory_Bps * q.memory);
  t.seconds = fourth_norm(t.compute_s, 0, t.memory_s) + t.fill_s;
  return t;
}

}  // namespace

KernelTime predict_gemm(const Chip& chip, const Stack& stack, const Calibration& constants, const Gemm& g) {
  LENTO_CHECK(g.batch >= 1 && g.m >= 1 && g.n >= 1 && g.k >= 1, "a matrix product has no size below 1");
  if (chip.peak(g.precision) <= 0) {
    throw base::Error(
        {},
        "the chip has no " + std::string(name(g.precision)) + " arithmetic",
        "add it to 'flops_per_cycle' of the data sheet or choose another precision");
  }
  KernelTime best;
  best.seconds = 1e300;
  Calibration tuned = constants;
  tuned.compute *= stack.library;
  const int side = chip.array_side(g.precision);
  if (side > 0)
    best = time_arrays(chip, tuned, g, side);
  for (const Stationary stays : {Stationary::Output, Stationary::Weight, Stationary::Activation}) {
    if (side > 0)
      break;
    if (chip.dataflow == stays || chip.dataflow == Stationary::Best)
      try_walk(chip, tuned, g, walk_of(g, stays), best);
  }
  if (side == 0)
    best.memory_bytes = counted_bytes(chip, g, best.memory_bytes);
  best.launch_s = constants.launch_s > 0 ? constants.launch_s : stack.launch_s;
  best.seconds += best.launch_s;
  best.flops = 2.0 * double(g.batch) * double(g.m) * double(g.n) * double(g.k);
  best.bound = bound_of(best);
  return best;
}

KernelTime predict_gemm(const System& system, const Gemm& gemm) {
  return predict_gemm(system.chip, system.stack, system.chip.constants(gemm.precision), gemm);
}

KernelTime with_traffic(const System& system, Precision precision, KernelTime t, double bytes) {
  t.memory_bytes = bytes;
  t.memory_s = bytes / (system.chip.memory_Bps * system.chip.constants(precision).memory);
  t.seconds = fourth_norm(t.compute_s, t.cache_s, t.memory_s) + t.fill_s + t.launch_s;
  t.bound = bound_of(t);
  return t;
}

// Times a product with the plain roofline: the longer of compute and memory time plus a fixed time.
double predict_roofline(const Chip& chip, const Roofline& roofline, const Gemm& g) {
  const double flops = 2.0 * double(g.batch) * double(g.m) * double(g.n) * double(g.k);
  const OperandBytes size = operand_bytes(g.precision);
  const double bytes =
      double(g.batch) * (size.activations * double(g.m) * double(g.k) +
                         size.weights * double(g.k) * double(g.n) + size.results * double(g.m) * double(g.n));
  return std::max(
             flops / (roofline.compute * chip.peak(g.precision)),
             bytes / (roofline.memory * chip.memory_Bps)) +
         roofline.launch_s;
}

KernelTime predict_stream(const System& system, double bytes, double flops, Precision precision) {
  const Calibration& q = system.chip.constants(precision);
  KernelTime t;
  t.memory_bytes = bytes;
  t.flops = flops;
  t.memory_s = bytes / (system.chip.memory_Bps * q.memory);
  const double vector_peak = system.chip.peak(Precision::Fp32);
  t.compute_s = vector_peak > 0 ? flops / vector_peak : 0;
  t.launch_s = system.stack.launch_s;
  t.seconds = std::max(t.memory_s, t.compute_s) + t.launch_s;
  t.bound = bound_of(t);
  return t;
}

}  // namespace lento::predict
