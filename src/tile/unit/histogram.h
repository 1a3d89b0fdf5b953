// The histogram unit: four 16-bit lanes a cycle into 128 accumulators of 18 bits (Bryt figure 4b).
//
// hist.cfg selects the operation on the value v of a lane by bits 17:16 of its operand:
//   0  add       accumulator[number of the lane, 0 to 3] += v            (the 4-wide SIMD adder)
//   1  hash      bucket = low 7 bits of the XOR of rotr16(v, j) over those j for which bit j of 15:0 is 1,
//                accumulator[bucket] += 1
//   2  quantise  sign s = v >> 15, m = (v & 0x7fff) >> bits 3:0,
//                bucket = s * 64 + clamp(m - bits 12:4, 0, 63), accumulator[bucket] += 1
//
// A pipeline of three stages accepts four values every cycle: lanes taken in cycle t are in their
// accumulators from t + 3 on. The instruction hist.rd waits while filling(), and emit while busy(). A caller
// without a clock calls flush() in place of tick(). Accumulators stop at 2^18 - 1 and set a flag, because
// four equal values per cycle reach 2^18 after 65,536 cycles, one more than 18 bits hold.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace lento::tile {

inline constexpr uint32_t kBuckets = 128;
inline constexpr uint32_t kAccumulatorMax = (1u << 18) - 1;

class HistogramUnit {
 public:
  // Takes lanes 0 to 3: low and high half of `low`, low and high half of `high`. At most one call per cycle.
  void take(uint32_t low, uint32_t high);
  void tick();   // the cycle ends
  void flush();  // adds the values that are still in the pipeline
  bool filling() const {
    return stages_[1].valid;
  }  // lanes were taken in the cycle before
  bool busy() const {
    return stages_[1].valid || stages_[2].valid;
  }  // lanes were taken in one of the two cycles before
  void configure(uint32_t word);
  uint32_t read(uint32_t bucket) const {
    return accumulators_[bucket % kBuckets];
  }
  uint32_t config() const {
    return config_;
  }
  bool saturated() const {
    return saturated_;
  }
  // Returns the increments that were lost to saturated accumulators since the image was loaded. clear()
  // keeps this count.
  uint64_t lost() const {
    return lost_;
  }

  // Returns the bytes that the instruction emit sends. Format 0 is all 128 accumulators with 18 bits each
  // (288 bytes, little-endian bit order), format n of 1 to 8 is the first n as bytes that stop at 255, and
  // any other is the first 3 with 9 bits each (4 bytes).
  std::string packed(uint32_t format) const;
  void clear();

  static uint32_t emit_bytes(uint32_t format) {
    return format == 0 ? 288 : format <= 8 ? format : 4;
  }
  uint32_t bucket_of(uint16_t value) const {
    return bucket_under(config_, value);
  }

  bool operator==(const HistogramUnit&) const = default;

 private:
  // The lanes in a stage of the pipeline. Lanes in stage 0 were taken in this cycle, those in stage 1 in the
  // cycle before, and those in stage 2 are added at the next tick().
  struct Stage {
    bool valid = false;
    uint32_t low = 0;
    uint32_t high = 0;
    uint32_t config = 0;
    bool operator==(const Stage&) const = default;
  };
  void add(uint32_t bucket, uint32_t amount);
  void add_lanes(const Stage& stage);
  static uint32_t bucket_under(uint32_t config, uint16_t value);

  std::array<uint32_t, kBuckets> accumulators_ = {};
  uint32_t config_ = 0;
  bool saturated_ = false;
  uint64_t lost_ = 0;
  std::array<Stage, 3> stages_ = {};
};

}  // namespace lento::tile
