// Recorders under one memory budget a core, so that detectors can be compared across them: the two-stage
// sketch, an exact table, or the raw records.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chip/sketch/sketch.h"

namespace lento::chip {

struct RecorderChoice {
  enum class Kind : uint8_t {
    Sketch,
    Exact,  // a table without stage 1; records nothing when the patterns do not fit
    Raw     // the latest 40-byte records that fit the budget, turned into an ample sketch off the chip
  };
  std::string label = "sketch";
  Kind kind = Kind::Sketch;
  SketchOptions options;
  uint16_t most_bins = 64;
  // 0: planned from the mapping and the budget. Otherwise these capacities, and base::Error when they exceed
  // the budget.
  uint16_t hashes = 0;
  uint16_t buckets = 0;
  uint16_t entries = 0;
};

class Recorder : public RecordSink {
 public:
  Recorder(const RecorderChoice& choice, std::span<const PatternCount> patterns);

  Outcome record(const ProbeRecord& record) override;
  Sketch take();  // what detectors see; call once, when the run is over

  bool fits() const {
    return fits_;
  }
  uint64_t bytes() const;  // of all cores, structure included

 private:
  struct Ring {
    std::vector<ProbeRecord> records;
    size_t next = 0;  // the oldest, once full
  };

  Sketch sketch_;
  std::vector<Ring> rings_;  // Raw only, one a core
  size_t ring_size_ = 0;
  bool fits_ = true;
};

// Returns the bytes in use: entries and their time bins, out of all bytes that a recorder takes.
uint64_t kept_bytes(const Sketch& sketch);

}  // namespace lento::chip
