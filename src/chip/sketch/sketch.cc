// Sizes the recorders of a chip for a budget of bytes, and gives each record to its core. A tight budget
// reduces capacities in a fixed order, each only as far as needed (sketch.h). Cost: constant per record.
#include "chip/sketch/sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lento::chip {
namespace {

constexpr uint16_t kGoodBins = 32;
constexpr uint16_t kFewestBins = 16;
// Ratio of patterns to entries above which a sample of the patterns is kept. A Llama-like prefill on 8x8
// cores (83 patterns, 70 entries) was judged worse with a sample, because few sampled patterns are delayed
// together: 2 false findings in 26 healthy runs, against 0 in 24 without it.
constexpr uint32_t kSampledFrom = 2;

bool too_large(const SketchShape& shape, const SketchOptions& options) {
  return shape.bytes() > options.budget_bytes;
}

// Returns whether the mapping has so many more patterns than entries that most would be evicted before they
// recur.
bool overflows(const SketchShape& shape, const PatternCount& patterns) {
  const uint32_t transfers = shape.octaves == 1 ? patterns.transfers : patterns.coarse_transfers;
  return patterns.computes > kSampledFrom * shape.computes || transfers > kSampledFrom * shape.transfers;
}

// Reduces the number of entries, and then of time bins, until the sketch fits its budget.
void give_up_entries(SketchShape& shape, const SketchOptions& options) {
  while (too_large(shape, options)) {
    if (shape.computes > 2 * shape.transfers) {
      --shape.computes;
    } else if (shape.transfers > 1) {
      --shape.transfers;
    } else if (shape.computes > 1) {
      --shape.computes;
    } else {
      shape.bins /= 2;
    }
  }
}

uint16_t buckets_for(const PatternCount& patterns) {
  return uint16_t(std::bit_ceil(std::max(4u, std::min(256u, (patterns.computes + patterns.transfers) / 4))));
}

// Returns a shape with an entry for every pattern, up to 127 of computes and 127 of transfers.
SketchShape roomy_shape(const PatternCount& patterns, uint16_t bins) {
  SketchShape shape;
  shape.computes = uint16_t(std::clamp(patterns.computes, 1u, 127u));
  shape.transfers = uint16_t(std::clamp(patterns.transfers, 1u, 127u));
  shape.buckets = buckets_for(patterns);
  shape.bins = bins;
  return shape;
}

}  // namespace

SketchShape plan_shape(const PatternCount& patterns, const SketchOptions& options, uint16_t most_bins) {
  if (options.budget_bytes < 512)
    throw base::Error(
        {},
        "a recorder of " + std::to_string(options.budget_bytes) + " bytes a core is too small",
        "give it at least 512 bytes");
  SketchShape shape = roomy_shape(patterns, most_bins);
  if (too_large(shape, options))
    shape.buckets = std::min<uint16_t>(shape.buckets, 8);
  while (too_large(shape, options) && shape.bins > kGoodBins)
    shape.bins /= 2;
  if (too_large(shape, options) && patterns.coarse_transfers > 0) {
    shape.octaves = kCoarseOctaves;
    shape.transfers = uint16_t(std::min(patterns.coarse_transfers, 127u));
  }
  while (too_large(shape, options) && shape.bins > kFewestBins)
    shape.bins /= 2;
  SketchShape two_stage = shape;
  give_up_entries(two_stage, options);
  if (!overflows(two_stage, patterns))
    return two_stage;
  shape.hashes = shape.buckets = 0;
  give_up_entries(shape, options);
  return shape;
}

std::vector<SketchShape>
plan_shapes(std::span<const PatternCount> patterns, const SketchOptions& options, uint16_t most_bins) {
  std::vector<SketchShape> shapes;
  for (const PatternCount& p : patterns)
    shapes.push_back(plan_shape(p, options, most_bins));
  return shapes;
}

std::vector<SketchShape>
plan_exact_tables(std::span<const PatternCount> patterns, const SketchOptions& options, uint16_t most_bins) {
  std::vector<SketchShape> shapes;
  for (size_t core = 0; core < patterns.size(); ++core) {
    SketchShape shape = roomy_shape(patterns[core], most_bins);
    shape.hashes = shape.buckets = 0;
    while (shape.bytes() > options.budget_bytes && shape.bins > kFewestBins)
      shape.bins /= 2;
    if (shape.bytes() > options.budget_bytes || patterns[core].computes > 127 ||
        patterns[core].transfers > 127)
      throw base::Error(
          {},
          "the patterns of core " + std::to_string(core) + " do not fit an exact table of " +
              std::to_string(options.budget_bytes) + " bytes",
          "use the sketch, or a larger budget");
    shapes.push_back(shape);
  }
  return shapes;
}

Sketch::Sketch(std::span<const SketchShape> shapes, const SketchOptions& options)
    : options_(options) {
  cores_.reserve(shapes.size());
  for (const SketchShape& shape : shapes)
    cores_.emplace_back(shape, options, uint32_t(cores_.size()));
}

chip::RecordSink::Outcome Sketch::record(const ProbeRecord& record) {
  if (record.core >= cores_.size() || record.inference >= kMostInferences)
    return {0, true};
  inferences_ = std::max(inferences_, record.inference + 1);
  cores_[record.core].insert(record);
  return {};
}

uint64_t Sketch::records() const {
  uint64_t sum = 0;
  for (const CoreSketch& core : cores_)
    sum += core.records();
  return sum;
}

uint64_t Sketch::evictions() const {
  uint64_t sum = 0;
  for (const CoreSketch& core : cores_)
    sum += core.evictions();
  return sum;
}

uint64_t Sketch::bytes() const {
  uint64_t sum = 0;
  for (const CoreSketch& core : cores_)
    sum += core.bytes();
  return sum;
}

uint64_t Sketch::end_cycles() const {
  uint64_t end = 0;
  for (const CoreSketch& core : cores_)
    end = std::max(end, core.end_cycles());
  return end;
}

uint64_t Sketch::comparable_cycles() const {
  uint64_t widest = 1;
  uint64_t reach = UINT64_MAX;
  for (const CoreSketch& core : cores_)
    widest = std::max(widest, core.bin_cycles());
  for (const CoreSketch& core : cores_)
    reach = std::min(reach, widest * core.shape().bins - 1);
  return std::max(end_cycles() + 1, std::min(reach, 2 * end_cycles() + 1));
}

}  // namespace lento::chip
