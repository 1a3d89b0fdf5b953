// The recorder of a chip: one CoreSketch per core, fed one record at a time, and its file
// (docs/formats/sketch.md). Only the sketch leaves the chip: detectors never get records.
//
//   Sketch sketch(plan_shapes(patterns, options), options);   // sized before the run
//   simulate(..., sketch);                                    // RecordSink
//   write_sketch("run.sketch", sketch);
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "chip/read/probe_record.h"
#include "chip/sketch/core_sketch.h"

namespace lento::chip {

// Numbers of distinct patterns that the mapping can produce on one core.
struct PatternCount {
  uint32_t computes = 0;
  uint32_t transfers = 0;
  uint32_t coarse_transfers = 0;  // when a pattern spans kCoarseOctaves; 0: not known
};
inline constexpr unsigned kCoarseOctaves = 2;

// Plans the capacities that a workload needs and the budget (bytes per core) allows: an entry for every
// pattern, up to 127 of computes and 127 of transfers, with up to `most_bins` time bins. Where the budget
// does not suffice, it reduces in this order: the buckets of stage 1 (core_sketch.h), the bins (to 32), the
// resolution of transfer sizes, the bins (to 16), the entries. Where fewer than half of the compute or
// transfer patterns have an entry, there is no stage 1, and a sample of the patterns is kept. Throws
// base::Error when the budget is below 512 bytes.
SketchShape plan_shape(const PatternCount& patterns, const SketchOptions& options, uint16_t most_bins = 64);
std::vector<SketchShape>
plan_shapes(std::span<const PatternCount> patterns, const SketchOptions& options, uint16_t most_bins = 64);
// Plans recorders without the buckets in which patterns compete for an entry (stage 1 of core_sketch.h):
// every pattern has its entry from its first record on. Throws base::Error when the patterns do not fit the
// budget with 16 time bins, or when a core has more than 127 patterns of computes or of transfers.
std::vector<SketchShape> plan_exact_tables(
    std::span<const PatternCount> patterns,
    const SketchOptions& options,
    uint16_t most_bins = 64);

// More inferences than any real run has. It limits the simulation that a damaged record can cause.
inline constexpr uint32_t kMostInferences = 1 << 20;

class Sketch : public RecordSink {
 public:
  Sketch() = default;
  Sketch(std::span<const SketchShape> shapes, const SketchOptions& options);

  // Adds a record to the sketch of its core. Drops it when the sketch has no such core, or when its inference
  // number is above the number of inferences that the sketch was sized for.
  Outcome record(const ProbeRecord& record) override;

  const std::vector<CoreSketch>& cores() const {
    return cores_;
  }
  const SketchOptions& options() const {
    return options_;
  }
  uint64_t records() const;
  uint64_t evictions() const;
  uint64_t bytes() const;       // of all cores, structure included
  uint64_t end_cycles() const;  // end of the last record
  // Returns the cycles of another run that are worth recording for a comparison with this one: twice its
  // length, because later records add no evidence, but not beyond the range of the time bins, which would
  // widen them.
  uint64_t comparable_cycles() const;
  uint32_t inferences() const {
    return inferences_;
  }  // begun

 private:
  friend class SketchCodec;
  SketchOptions options_;
  std::vector<CoreSketch> cores_;
  uint32_t inferences_ = 0;
};

// The sketch file: magic, version, options, cores, checksum. Reading throws base::Error on damage, another
// version, impossible capacities or more than 2^15 cores.
std::string encode_sketch(const Sketch& sketch);
Sketch decode_sketch(std::string_view bytes, const std::string& file);
void write_sketch(const std::string& path, const Sketch& sketch);
Sketch read_sketch(const std::string& path);
Sketch read_sketch(base::InputStream& in);
// Returns the sketch of recorders that ran elsewhere (a tile beside each core). `states` holds the bytes of
// each core as they are in the file after its shape. Throws base::Error when they are impossible.
Sketch sketch_from_states(
    std::span<const SketchShape> shapes,
    const SketchOptions& options,
    uint32_t inferences,
    std::span<const std::string> states);
// Returns the bytes followed by their checksum, as the last field of the file.
std::string with_checksum(std::string bytes);
bool looks_like_sketch(std::string_view bytes);

}  // namespace lento::chip
