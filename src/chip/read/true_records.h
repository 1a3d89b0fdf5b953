// Filters probe records that cannot be true, between the reader of a probe file and the detectors.
//
// A core computes one operation at a time, every operation has work, and times are near the rest of the file
// (evidence/physics.h). A record that violates this is skipped and counted by reason. When a counter ran long
// before the run, the earliest begin in the first block is subtracted from all times. Records are checked in
// blocks to bound the memory, so a contradiction across two blocks is not found.
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

  // `next_record` yields the records of `path`, and `report` is the report of its reader.
  TrueRecords(Source next_record, std::string path, base::ReadReport& report)
      : next_record_(std::move(next_record)),
        path_(std::move(path)),
        report_(report) {
  }
  bool next(ProbeRecord& out);

  // Returns the cycles that were subtracted from all times; 0 when the counter began with the run.
  uint64_t origin() const {
    return origin_;
  }
  // Returns why the file is too damaged to be judged, or "". Valid after the last record.
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
  uint64_t index_ = 0;  // number of records read before this block
  uint64_t origin_ = 0;
  bool first_ = true;
};

}  // namespace lento::chip
