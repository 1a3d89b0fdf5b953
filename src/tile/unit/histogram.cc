// Models the histogram unit bit by bit: a pipeline of three stages, saturating accumulators, and the packing
// of emit. histogram.h defines the operations.
#include "tile/unit/histogram.h"

#include <algorithm>

namespace lento::tile {

void HistogramUnit::add(uint32_t bucket, uint32_t amount) {
  uint32_t& accumulator = accumulators_[bucket];
  const uint32_t room = kAccumulatorMax - accumulator;
  saturated_ |= amount > room;
  lost_ += amount - std::min(amount, room);
  accumulator += std::min(amount, room);
}

// Returns the bucket, 0 to 127, of a value under the operation hash or quantise that `config` selects.
uint32_t HistogramUnit::bucket_under(uint32_t config, uint16_t value) {
  if ((config >> 16 & 3) == 1) {
    uint32_t out = 0;
    for (uint32_t j = 0; j < 16; ++j) {
      if (config >> j & 1)
        out ^= (uint32_t{value} >> j) | (uint32_t{value} << (16 - j));
    }
    return out & (kBuckets - 1);
  }
  const int32_t magnitude = (value & 0x7fff) >> (config & 15);
  const int32_t base = int32_t(config >> 4 & 511);
  return uint32_t((value >> 15) * 64 + std::clamp(magnitude - base, 0, 63));
}

void HistogramUnit::take(uint32_t low, uint32_t high) {
  stages_[0] = {true, low, high, config_};
}

void HistogramUnit::tick() {
  if (stages_[2].valid)
    add_lanes(stages_[2]);
  stages_[2] = stages_[1];
  stages_[1] = stages_[0];
  stages_[0] = {};
}

void HistogramUnit::flush() {
  for (int i = 0; i < 3; ++i)
    tick();
}

// Adds the four lanes of a stage to the accumulators.
void HistogramUnit::add_lanes(const Stage& stage) {
  const uint16_t lanes[4] = {
      uint16_t(stage.low),
      uint16_t(stage.low >> 16),
      uint16_t(stage.high),
      uint16_t(stage.high >> 16)};
  const bool adds = (stage.config >> 16 & 3) == 0;
  for (uint32_t lane = 0; lane < 4; ++lane) {
    if (adds)
      add(lane, lanes[lane]);
    else
      add(bucket_under(stage.config, lanes[lane]), 1);
  }
}

void HistogramUnit::configure(uint32_t word) {
  config_ = word & 0x3ffff;
}

void HistogramUnit::clear() {
  accumulators_ = {};
  saturated_ = false;
}

std::string HistogramUnit::packed(uint32_t format) const {
  std::string out;
  if (format >= 1 && format <= 8) {
    for (uint32_t i = 0; i < format; ++i)
      out += char(std::min(accumulators_[i], 255u));
    return out;
  }
  const uint32_t width = format == 0 ? 18 : 9;
  const uint32_t count = format == 0 ? kBuckets : 3;
  const uint32_t limit = (1u << width) - 1;
  uint64_t bits = 0;
  uint32_t held = 0;
  for (uint32_t i = 0; i < count; ++i) {
    bits |= uint64_t{std::min(accumulators_[i], limit)} << held;
    for (held += width; held >= 8; held -= 8, bits >>= 8)
      out += char(bits);
  }
  if (held > 0)
    out += char(bits);
  return out;
}

}  // namespace lento::tile
