// The time of one (batched) matrix product on one chip: C[m,n] = A[m,k] * B[k,n].
//
// Hierarchical roofline over whole thread-block tiles, with a full search over tiles, splits of the
// reduction and the order in which tiles are walked. docs/methods/kernel_model.md derives it.
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

// What holds a kernel back; the largest term.
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
  // sides of what stays: m, n of sums; k, n of weights; m, k of activations
  int m = 0;
  int n = 0;
  int split = 1;     // ways in which what streams by is cut: the reduction where sums stay
  char order = 'n';  // which index of tiles runs fastest: 'm' (the first), 'n', or 's' for square super-tiles
  bool even = false;  // units share the tiles of the last wave
  Stationary stays = Stationary::Output;
};

struct KernelTime {
  double seconds = 0;
  double launch_s = 0;
  double compute_s = 0;  // the busiest unit's arithmetic, quantised to tiles and waves
  double cache_s = 0;    // its reads from the last-level cache
  double memory_s = 0;
  double fill_s = 0;  // pipelines filling and draining
  double flops = 0;
  double memory_bytes = 0;  // as memory counters show it, with a warm cache
  double cache_bytes = 0;   // that units read from the last-level cache, and write to it
  Bound bound = Bound::Compute;
  Tile tile;
  double waves = 0;
};

// All sizes at least 1 and the precision supported by the chip (else base::Error).
KernelTime predict_gemm(const System& system, const Gemm& gemm);

// The same with given constants instead of the chip's own.
KernelTime predict_gemm(const Chip& chip, const Stack& stack, const Calibration& constants, const Gemm& gemm);

// The same kernel with other traffic to the memory.
KernelTime with_traffic(const System& system, Precision precision, KernelTime time, double bytes);

// max(flops / peak share, bytes / bandwidth share) + launch: the three-constant model every result is held
// against.
struct Roofline {
  double compute = 0.8;
  double memory = 0.8;
  double launch_s = 4e-6;
};
double predict_roofline(const Chip& chip, const Roofline& roofline, const Gemm& gemm);

// An element-wise kernel or any other that only streams.
KernelTime predict_stream(const System& system, double bytes, double flops, Precision precision);

}  // namespace lento::predict
