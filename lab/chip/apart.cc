// Counts the operations and network segments that pass the component of exactly one fault while that fault is
// active.
#include "lab/chip/apart.h"

#include <algorithm>

namespace lento::chip {
namespace {

uint64_t pieces(uint64_t work, uint64_t piece) {
  return std::max<uint64_t>(1, (work + piece - 1) / piece);
}

}  // namespace

ApartEvents::ApartEvents(const std::vector<Fault>& faults, const spec::Chip& chip, const Grid& grid)
    : faults_(faults),
      segment_bytes_(uint64_t(chip.network.segment_bytes)),
      paths_(faults, chip, grid),
      counts_(faults.size()) {
}

void ApartEvents::see(const ProbeRecord& record) {
  const std::vector<bool>& passes = paths_.passed_by({record.kind, record.core, record.peer});
  if (std::ranges::count(passes, true) != 1)
    return;
  const auto at = size_t(std::ranges::find(passes, true) - passes.begin());
  const Fault& fault = faults_[at];
  if (record.begin >= fault.end || record.end <= fault.begin)
    return;
  const bool computes = record.kind == chip::ProbeKind::Compute;
  counts_[at] += computes ? 1 : pieces(record.work, segment_bytes_);
}

}  // namespace lento::chip
