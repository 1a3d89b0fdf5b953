// Of several faults at once, what each does that the others do not touch.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "chip/detect/alike.h"
#include "chip/map/faults.h"
#include "trace/probe_record.h"

namespace lento::chip {

// Precondition: what it is given outlives it.
class ApartEvents {
 public:
  ApartEvents(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid);

  void see(const trace::ProbeRecord& record);

  // By fault: operations and segments under way in its time that pass it and none of the other faults, in the
  // run as it was, slow parts and all.
  const std::vector<uint64_t>& counts() const {
    return counts_;
  }

 private:
  const std::vector<bool>& passed_by(const Flow& flow);

  const std::vector<Fault>& faults_;
  const spec::Chip& chip_;
  const Grid& grid_;
  std::vector<uint64_t> counts_;
  std::map<Flow, std::vector<bool>> passes_;  // by flow: which faults are on its path
};

}  // namespace lento::chip
