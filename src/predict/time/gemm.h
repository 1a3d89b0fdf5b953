// The time of one (batched) matrix product on one chip: C[m,n] = A[m,k] * B[k,n].
//
// Hierarchical roofline over whole thread-block tiles, with a full search over tiles, splits of the reduction
// and the order in which tiles are computed. docs/methods/kernel_model.md derives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "predict/hardware/system.h"

namespace lento::predict {

struct Gemm {
  int64_t batch = 1;
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  Precision precision = Precision::Bf16;

  bool operator==(const Gemm&) const = default;
};

// The largest term of a kernel's time.
enum class Bound {
  Compute,
  Cache,
  Memory,
  Fill,
  Launch,
  Link
};
std::string_view name(Bound bound);

struct Tile {
  // Sides of the stationary operand: m, n of sums; k, n of weights; m, k of activations.
  int m = 0;
  int n = 0;
  int split = 1;      // parts that the streamed dimension is cut into: the reduction when sums are stationary
  char order = 'n';   // tile index that varies fastest: 'm' (the first), 'n', or 's' for square super-tiles
  bool even = false;  // units share the tiles of the last wave
  Stationary stays = Stationary::Output;
};

struct KernelTime {
  double seconds = 0;
  double launch_s = 0;
  double compute_s = 0;  // the busiest unit's arithmetic, quantised to tiles and waves
  double cache_s = 0;    // reads of the busiest unit from the last-level cache
  double memory_s = 0;
  double fill_s = 0;  // time to fill and drain pipelines
  double flops = 0;
  double memory_bytes = 0;  // traffic that memory counters show with a warm cache
  double cache_bytes = 0;   // between all units and the last-level cache
  Bound bound = Bound::Compute;
  Tile tile;
  double waves = 0;
};

// Predicts with the chip's constants. All sizes are at least 1. Throws base::Error when the chip does not
// support the precision.
KernelTime predict_gemm(const System& system, const Gemm& gemm);

// Predicts with `constants` instead of the chip's own.
KernelTime predict_gemm(const Chip& chip, const Stack& stack, const Calibration& constants, const Gemm& gemm);

// Returns the time of the same kernel when it moves `bytes` to and from memory.
KernelTime with_traffic(const System& system, Precision precision, KernelTime time, double bytes);

// A model of three constants against which all others are compared: max(flops / (compute * peak), bytes /
// (memory * bandwidth)) + launch.
struct Roofline {
  double compute = 0.8;
  double memory = 0.8;
  double launch_s = 4e-6;
};
double predict_roofline(const Chip& chip, const Roofline& roofline, const Gemm& gemm);

// Times an element-wise kernel, or any other kernel that streams its data once.
KernelTime predict_stream(const System& system, double bytes, double flops, Precision precision);

}  // namespace lento::predict
