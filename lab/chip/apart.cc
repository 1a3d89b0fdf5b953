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
      chip_(chip),
      grid_(grid),
      counts_(faults.size()) {
}

void ApartEvents::see(const trace::ProbeRecord& record) {
  const std::vector<bool>& passes = passed_by({record.kind, record.core, record.peer});
  if (std::ranges::count(passes, true) != 1)
    return;
  const auto at = size_t(std::ranges::find(passes, true) - passes.begin());
  const Fault& fault = faults_[at];
  if (record.begin >= fault.end || record.end <= fault.begin)
    return;
  const bool computes = record.kind == trace::ProbeKind::Compute;
  counts_[at] += computes ? 1 : pieces(record.work, uint64_t(chip_.network.segment_bytes));
}

const std::vector<bool>& ApartEvents::passed_by(const Flow& flow) {
  const auto known = passes_.find(flow);
  if (known != passes_.end())
    return known->second;
  std::vector<bool> passes;
  if (flow.kind == trace::ProbeKind::Compute) {
    for (const Fault& f : faults_)
      passes.push_back(component_of(f) == Component{Part::Core, flow.core});
  } else {
    const Path path(chip_, grid_, Pattern{flow.kind, 0, uint16_t(flow.peer)}, flow.core);
    for (const Fault& f : faults_)
      passes.push_back(path.crosses(component_of(f)));
  }
  return passes_.emplace(flow, std::move(passes)).first->second;
}

}  // namespace lento::chip
