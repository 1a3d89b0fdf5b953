// Probe records that can be true: the layer between the reader of a probe file and what is concluded from it.
//
// A core computes one operation at a time, every operation has work, and times lie with the rest of the file
// (evidence/physics.h). A record that breaks this is skipped and counted by its reason. A counter that ran
// long before the run is brought to 0 at the first record. Records are screened in blocks, so memory is
// bounded, and what contradicts itself over the border of two blocks is not found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "chip/read/probe_file.h"

namespace lento::chip {

class TrueRecords {
 public:
  using Source = std::function<bool(ProbeRecord&)>;

  // `next_record` gives the records of `path`, and `report` is that of their reader.
  TrueRecords(Source next_record, std::string path, base::ReadReport& report)
      : next_record_(std::move(next_record)),
        path_(std::move(path)),
        report_(report) {
  }
  bool next(ProbeRecord& out);

  // Cycles that were taken off all times, 0 for a counter that began with the run.
  uint64_t origin() const {
    return origin_;
  }
  // Why the file is too damaged to be judged, "" when it is not. Valid after the last record.
  std::string damage() const;

 private:
  bool fill();
  void screen_block();
  void find_origin();

  Source next_record_;
  std::string path_;
  base::ReadReport& report_;
  std::vector<ProbeRecord> block_;
  size_t used_ = 0;
  uint64_t index_ = 0;  // of the first record of the block, among those that were read
  uint64_t origin_ = 0;
  bool first_ = true;
};

}  // namespace lento::chip
