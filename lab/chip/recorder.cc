// Passes records to a sketch, to an exact table, or to a ring of the latest raw records of each core.
#include "lab/chip/recorder.h"

#include <algorithm>

namespace lento::chip {
namespace {

constexpr uint32_t kAmple = 1 << 20;  // bytes per core, off the chip

std::vector<SketchShape> set_shapes(const RecorderChoice& c, std::span<const PatternCount> patterns) {
  std::vector<SketchShape> shapes = plan_shapes(patterns, c.options, c.most_bins);
  for (SketchShape& s : shapes) {
    if (c.hashes > 0)
      s.hashes = c.hashes;
    if (c.buckets > 0)
      s.buckets = c.buckets;
    if (c.entries > 0)
      s.computes = s.transfers = c.entries;
    if (s.bytes() > c.options.budget_bytes)
      throw base::Error(
          {},
          "the recorder '" + c.label + "' takes " + std::to_string(s.bytes()) +
              " bytes a core, its budget is " + std::to_string(c.options.budget_bytes),
          "fewer hashes, buckets or entries, or a larger budget");
    if (c.hashes > 0 || c.buckets > 0 || c.entries > 0)
      s.bins = std::min(s.bins, c.most_bins);
  }
  return shapes;
}

}  // namespace

Recorder::Recorder(const RecorderChoice& c, std::span<const PatternCount> patterns) {
  if (c.kind == RecorderChoice::Kind::Raw) {
    ring_size_ = c.options.budget_bytes / sizeof(ProbeRecord);
    rings_.resize(patterns.size());
    SketchOptions ample = c.options;
    ample.budget_bytes = kAmple;
    ample.threshold = 1;
    sketch_ = Sketch(plan_shapes(patterns, ample, c.most_bins), ample);
    return;
  }
  if (c.kind == RecorderChoice::Kind::Sketch) {
    sketch_ = Sketch(set_shapes(c, patterns), c.options);
    return;
  }
  try {
    sketch_ = Sketch(plan_exact_tables(patterns, c.options, c.most_bins), c.options);
  } catch (const base::Error&) {
    fits_ = false;
    sketch_ = Sketch(std::vector<SketchShape>(patterns.size(), SketchShape{0, 0, 1, 1, 16, 1}), c.options);
  }
}

chip::RecordSink::Outcome Recorder::record(const ProbeRecord& record) {
  if (!fits_)
    return {0, true};
  if (rings_.empty())
    return sketch_.record(record);
  if (record.core >= rings_.size() || ring_size_ == 0)
    return {0, true};
  Ring& ring = rings_[record.core];
  if (ring.records.size() < ring_size_) {
    ring.records.push_back(record);
  } else {
    ring.records[ring.next] = record;
    ring.next = (ring.next + 1) % ring_size_;
  }
  return {};
}

Sketch Recorder::take() {
  for (const Ring& ring : rings_)
    for (size_t i = 0; i < ring.records.size(); ++i)
      sketch_.record(ring.records[(ring.next + i) % ring.records.size()]);
  return std::move(sketch_);
}

uint64_t Recorder::bytes() const {
  if (!rings_.empty())
    return rings_.size() * ring_size_ * sizeof(ProbeRecord);
  if (fits_)
    return sketch_.bytes();
  return 0;
}

uint64_t kept_bytes(const Sketch& sketch) {
  uint64_t sum = 0;
  for (const CoreSketch& core : sketch.cores()) {
    sum += core.episodes().size() * sizeof(Episode);
    for (const CoreSketch::Entry& held : core.entries()) {
      sum += sizeof(SketchEntry);
      for (uint16_t b = 0; held.bins != nullptr && b < core.shape().bins; ++b)
        sum += held.bins[b].count() > 0 ? sizeof(TimeBin) : 0;
    }
  }
  return sum;
}

}  // namespace lento::chip
