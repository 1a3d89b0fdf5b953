// Of several faults at once, what each does that the others do not touch.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/read/probe_record.h"
#include "lab/chip/fault_paths.h"

namespace lento::chip {

// Precondition: what it is given outlives it.
class ApartEvents {
 public:
  ApartEvents(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid);

  void see(const ProbeRecord& record);

  // By fault: operations and segments under way in its time that pass it and none of the other faults, in the
  // run as it was, slow parts and all.
  const std::vector<uint64_t>& counts() const {
    return counts_;
  }

 private:
  const std::vector<Fault>& faults_;
  const uint64_t segment_bytes_;
  FaultPaths paths_;
  std::vector<uint64_t> counts_;
};

}  // namespace lento::chip
