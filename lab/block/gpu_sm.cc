// Simulates the warps of a tiled GEMM on one streaming multiprocessor and emits its signals each cycle.
#include "lab/block/gpu_sm.h"

#include <algorithm>

#include "base/rng.h"

namespace lento::tile {
namespace {

constexpr uint32_t kSms = 80;
constexpr uint32_t kWarpsPerBlock = 8;
constexpr uint32_t kBlocksResident = 2;
constexpr uint32_t kTileRows = 128;
constexpr uint32_t kSharedLatency = 20;
constexpr uint32_t kL2Latency = 160;
constexpr uint32_t kDramLatency = 260;
constexpr uint32_t kMemoryIssue = 4;

uint32_t divide_up(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

}  // namespace

std::string GemmShape::name() const {
  return std::string(tensor ? "wmma" : "sgemm") + " " + std::to_string(m) + "x" + std::to_string(n) + "x" +
         std::to_string(k);
}

std::vector<GemmShape> gemm_shapes() {
  std::vector<GemmShape> out;
  for (const uint32_t mk : {2560u, 4096u}) {
    for (const uint32_t n : {16u, 32u, 64u, 128u, 1024u, 7000u})
      out.push_back({false, mk, n, mk});
  }
  for (const uint32_t mk : {2560u, 4096u}) {
    for (const uint32_t n : {16u, 64u, 128u, 2048u, 7000u})
      out.push_back({true, mk, n, mk});
  }
  return out;
}

SmModel::SmModel(const GemmShape& shape, uint64_t seed)
    : shape_(shape),
      seed_(seed) {
  const uint32_t tile_n = std::min(128u, divide_up(shape.n, 16) * 16);
  const uint32_t depth = shape.tensor ? 32 : 8;
  steps_ = divide_up(shape.k, depth);
  const uint32_t tiles = divide_up(shape.m, kTileRows) * divide_up(shape.n, tile_n);
  blocks_left_ = divide_up(tiles, kSms);
  const uint32_t element = shape.tensor ? 2 : 4;
  const uint32_t loads = std::max(1u, (kTileRows + tile_n) * depth * element / (16 * 32 * kWarpsPerBlock));
  const uint32_t work = kTileRows * tile_n * depth / kWarpsPerBlock;
  program_ = {
      {Kind::GlobalLoad, loads},
      {Kind::WaitLoads, 1},
      {Kind::Barrier, 1},
      {Kind::SharedStore, loads},
      {Kind::Barrier, 1}};
  const uint32_t slices = shape.tensor ? 2 : depth;
  for (uint32_t i = 0; i < slices; ++i) {
    program_.push_back({Kind::SharedLoad, shape.tensor ? 4u : 2u});
    program_.push_back({Kind::WaitShared, 1});
    // A warp instruction does 32 multiply-adds on the SP, 16 x 16 x 4 on the tensor unit.
    const uint32_t count = std::max(1u, work / slices / (shape.tensor ? 1024 : 32));
    program_.push_back({shape.tensor ? Kind::Mma : Kind::Fma, count});
  }
  const uint32_t resident = std::min(kBlocksResident, blocks_left_);
  blocks_left_ -= resident;
  blocks_.resize(resident);
  warps_.resize(size_t{resident} * kWarpsPerBlock);
  for (uint32_t i = 0; i < warps_.size(); ++i) {
    warps_[i].block = i / kWarpsPerBlock;
    warps_[i].left = program_[0].count;
    warps_[i].not_before = warps_[i].block * 97;  // blocks start apart
  }
}

uint64_t SmModel::memory_latency() {
  // Half of the lines were brought to L2 by other SMs.
  return base::mix64(seed_ ^ base::mix64(draws_++)) & 1 ? kL2Latency : kDramLatency;
}

void SmModel::arrive(Warp& warp) {
  Block& block = blocks_[warp.block];
  warp.waiting = true;
  if (++block.arrived < kWarpsPerBlock)
    return;
  block.arrived = 0;
  for (Warp& other : warps_) {
    if (other.block == warp.block && other.waiting) {
      other.waiting = false;
      next_phase(other);
    }
  }
}

void SmModel::next_phase(Warp& warp) {
  if (warp.left == 0 && program_.size() <= warp.phase)
    return;
  ++warp.phase;
  if (warp.phase == program_.size()) {
    warp.phase = 0;
    if (++warp.step == steps_) {
      warp.step = 0;
      memory_busy_ = std::max(memory_busy_, cycle_ + kL2Latency);  // the tile's results go out
      Block& block = blocks_[warp.block];
      warp.done = true;
      if (++block.finished == kWarpsPerBlock && blocks_left_ > 0) {
        --blocks_left_;
        block.finished = 0;
        for (Warp& other : warps_) {
          if (other.block == warp.block) {
            other.done = false;
            other.not_before = cycle_ + 50;
          }
        }
      }
    }
  }
  warp.left = program_[warp.phase].count;
}

bool SmModel::try_kind(Warp& warp, Kind kind, uint32_t scheduler) {
  switch (kind) {
    case Kind::GlobalLoad:
      warp.loads_ready = std::max(warp.loads_ready, cycle_ + memory_latency());
      memory_busy_ = std::max(memory_busy_, warp.loads_ready);
      warp.not_before = cycle_ + kMemoryIssue;
      return true;
    case Kind::WaitLoads:
      return cycle_ >= warp.loads_ready;
    case Kind::WaitShared:
      return cycle_ >= warp.shared_ready;
    case Kind::SharedStore:
    case Kind::SharedLoad:
      if (cycle_ < shared_busy_)
        return false;
      shared_busy_ = cycle_ + 2;
      warp.shared_ready = cycle_ + kSharedLatency;
      return true;
    case Kind::Fma:
      if (cycle_ < sp_busy_[scheduler])
        return false;
      sp_busy_[scheduler] = cycle_ + 2;
      return true;
    case Kind::Mma:
      if (cycle_ < tensor_busy_[scheduler])
        return false;
      tensor_busy_[scheduler] = cycle_ + 8;
      return true;
    default:
      return true;
  }
}

bool SmModel::issue(Warp& warp, uint32_t scheduler) {
  if (warp.done || warp.waiting || cycle_ < warp.not_before)
    return false;
  const Kind kind = program_[warp.phase].kind;
  if (kind == Kind::Barrier) {
    arrive(warp);
    return true;
  }
  if (!try_kind(warp, kind, scheduler))
    return false;
  if (--warp.left == 0)
    next_phase(warp);
  return true;
}

bool SmModel::step(SmSignals& out) {
  const auto count = uint32_t(warps_.size());
  for (uint32_t scheduler = 0; scheduler < 4; ++scheduler) {
    const uint32_t mine = count / 4;
    for (uint32_t i = 0; i < mine; ++i) {
      const uint32_t at = (turn_[scheduler] + i) % mine;
      if (!issue(warps_[at * 4 + scheduler], scheduler))
        continue;
      turn_[scheduler] = (at + 1) % mine;
      break;
    }
  }
  out = {};
  for (uint32_t s = 0; s < 4; ++s) {
    out.simt |= cycle_ < sp_busy_[s];
    out.tensor |= cycle_ < tensor_busy_[s];
  }
  out.memory = cycle_ < memory_busy_;
  ++cycle_;
  return !std::ranges::all_of(warps_, [](const Warp& w) {
    return w.done;
  });
}

}  // namespace lento::tile
