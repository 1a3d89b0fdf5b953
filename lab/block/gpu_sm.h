// One streaming multiprocessor running a tiled GEMM, cycle by cycle: a model, not a GPU.
//
// Four schedulers issue one instruction each cycle. Each scheduler has one SP (16 lanes: 2 cycles for a warp
// instruction) and one tensor unit. Latencies: shared memory 20 cycles, L2 160, DRAM 260. Each block of
// threads (8 warps) computes a 128 x N tile: for each k-step a load to registers, barrier, store to shared
// memory, barrier, then shared loads and multiply-adds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lento::tile {

struct GemmShape {
  bool tensor = false;  // tensor-core instructions; otherwise single-precision FMA
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t k = 0;
  std::string name() const;
};

// Returns the 22 shapes of the case study: 12 SGEMM and 10 for tensor cores, M = K in {2560, 4096}, N from
// 16 to 7000.
std::vector<GemmShape> gemm_shapes();

// The three signals of a cycle.
struct SmSignals {
  bool simt = false;
  bool tensor = false;
  bool memory = false;
};

class SmModel {
 public:
  SmModel(const GemmShape& shape, uint64_t seed);

  // False when the SM's share of the GEMM is done.
  bool step(SmSignals& out);
  uint64_t cycle() const {
    return cycle_;
  }

 private:
  enum class Kind : uint8_t {
    GlobalLoad,
    WaitLoads,
    Barrier,
    SharedStore,
    SharedLoad,
    WaitShared,
    Fma,
    Mma,
    GlobalStore
  };
  struct Phase {
    Kind kind;
    uint32_t count;
  };
  struct Warp {
    uint32_t block = 0;
    uint32_t phase = 0;
    uint32_t left = 0;
    uint32_t step = 0;
    uint64_t loads_ready = 0;
    uint64_t shared_ready = 0;
    uint64_t not_before = 0;
    bool waiting = false;
    bool done = false;
  };
  struct Block {
    uint32_t arrived = 0;
    uint32_t finished = 0;
  };

  bool issue(Warp& warp, uint32_t scheduler);
  bool try_kind(Warp& warp, Kind kind, uint32_t scheduler);
  void next_phase(Warp& warp);
  void arrive(Warp& warp);
  uint64_t memory_latency();

  GemmShape shape_;
  uint64_t seed_;
  uint64_t draws_ = 0;
  uint64_t cycle_ = 0;
  uint32_t steps_;
  uint32_t blocks_left_;
  std::vector<Phase> program_;
  std::vector<Warp> warps_;
  std::vector<Block> blocks_;
  std::array<uint64_t, 4> sp_busy_ = {};
  std::array<uint64_t, 4> tensor_busy_ = {};
  uint64_t shared_busy_ = 0;
  uint64_t memory_busy_ = 0;
  std::array<uint32_t, 4> turn_ = {};
};

}  // namespace lento::tile
