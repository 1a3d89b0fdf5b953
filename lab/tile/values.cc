// One tensor through the tile's histogram program, beside the exact histogram.
//
// The tile receives one beat of the bus each cycle and takes a quarter of it. Beats that pass while main
// starts or a window is sent are lost, as on a real bus, and so is a last beat with fewer than four values
// in the tile's 64 bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "lab/tile/cases.h"

namespace lento::tile {
namespace {

constexpr size_t kHistogramBytes = 288;
constexpr size_t kWidth = 18;
constexpr uint64_t kPatience = 1 << 20;  // cycles in which a pause must have taken effect

uint64_t total(const Buckets& buckets) {
  return std::accumulate(buckets.begin(), buckets.end(), uint64_t{0});
}

// Returns the bucket of a value as values.c configures the histogram unit: 64 buckets of exponents from -31
// up, for either sign.
size_t bucket_by_exponent(uint16_t value) {
  constexpr int kBias = 127;
  constexpr int kLeast = -31;
  const int exponent = (value >> 7 & 0xff) - kBias;
  return (value & 0x8000 ? 64 : 0) + size_t(std::clamp(exponent - kLeast, 0, 63));
}

void add_packed(const std::string& bytes, size_t from, Buckets& out) {
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    uint64_t count = 0;
    for (size_t bit = 0; bit < kWidth; ++bit) {
      const size_t at = bucket * kWidth + bit;
      count |= uint64_t{uint8_t(bytes[from + at / 8]) >> (at % 8) & 1u} << bit;
    }
    out[bucket] += count;
  }
}

// Returns the sum of weight(share) * |share on the tile - share| / share over buckets that are not empty.
template <class Weight>
double relative_error(const ValueHistogram& h, Weight weight) {
  const double all = double(total(h.exact));
  const double taken = double(total(h.tile));
  double sum = 0;
  double weights = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    if (h.exact[i] == 0)
      continue;
    const double share = double(h.exact[i]) / all;
    const double seen = taken > 0 ? double(h.tile[i]) / taken : 0;
    sum += weight(share) * std::abs(seen - share) / share;
    weights += weight(share);
  }
  if (weights > 0)
    return sum / weights;
  return 0;
}

}  // namespace

double ValueHistogram::bucket_error() const {
  return relative_error(*this, [](double) {
    return 1.0;
  });
}

double ValueHistogram::weighted_error() const {
  return relative_error(*this, [](double share) {
    return share;
  });
}

uint16_t bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

ValueTile::ValueTile(const Image& program) {
  tile_.config_image(program);
  tile_.resume();
  for (uint64_t i = 0; i < kPatience && tile_.status() != Status::ActivePaused; ++i)
    tile_.step(nullptr);
  LENTO_CHECK(tile_.status() == Status::ActivePaused, "the program of the values case starts");
}

void ValueTile::step(const TileInputs* inputs, ValueHistogram& out, Buckets& expected) {
  const uint64_t before = tile_.counters().streamed;
  const uint32_t held[2] = {tile_.memory().io[0], tile_.memory().io[1]};
  tile_.step(inputs);
  received_ += tile_.drain(4);
  ++out.cycles;
  if (tile_.counters().streamed == before)
    return;
  for (const uint32_t word : held) {
    ++expected[bucket_by_exponent(uint16_t(word))];
    ++expected[bucket_by_exponent(uint16_t(word >> 16))];
  }
}

// Takes the output of the tile: whole histograms only, because a program sends nothing else.
void ValueTile::unload(ValueHistogram& out, const Buckets& expected) {
  for (size_t from = 0; from + kHistogramBytes <= received_.size(); from += kHistogramBytes, ++out.windows)
    add_packed(received_, from, out.tile);
  out.output_bytes = received_.size();
  out.as_taken = out.tile == expected && received_.size() % kHistogramBytes == 0;
  out.taken = total(out.tile);
  received_.clear();
}

ValueHistogram ValueTile::watch(std::span<const float> tensor) {
  ValueHistogram out;
  Buckets expected = {};
  out.values = tensor.size();
  for (const float value : tensor)
    ++out.exact[bucket_by_exponent(bfloat16(value))];
  TileInputs in;
  in.valid = 3;
  for (size_t at = 0; at + kTileValues <= tensor.size(); at += kBusValues) {
    in.data[0] = bfloat16(tensor[at]) | uint32_t{bfloat16(tensor[at + 1])} << 16;
    in.data[1] = bfloat16(tensor[at + 2]) | uint32_t{bfloat16(tensor[at + 3])} << 16;
    step(&in, out, expected);
    out.offered += kTileValues;
  }
  tile_.pause();
  for (uint64_t i = 0; i < kPatience && tile_.status() != Status::Paused; ++i)
    step(nullptr, out, expected);
  LENTO_CHECK(tile_.status() == Status::Paused, "a pause ends the window");
  while (tile_.output_waiting() > 0)
    received_ += tile_.drain(4);
  tile_.resume();
  for (uint64_t i = 0; i < kPatience && tile_.status() != Status::ActivePaused; ++i)
    tile_.step(nullptr);
  unload(out, expected);
  return out;
}

}  // namespace lento::tile
