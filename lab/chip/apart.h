// Counts, for runs with several faults at once, the events that only one of the faults affects.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/read/probe_record.h"
#include "lab/chip/fault_paths.h"

namespace lento::chip {

// The arguments of the constructor must outlive it.
class ApartEvents {
 public:
  ApartEvents(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid);

  void see(const ProbeRecord& record);

  // Indexed by fault: operations and network segments that pass its component while it is slow and pass no
  // other faulty component, in the run with the faults.
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
