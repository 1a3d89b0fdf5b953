// The base address of an instruction is the register in its last brackets: R8 in LDG.E R0,
// desc[UR6][R8.64+0x4].
#include "memory/gpu/source_page.h"

#include <algorithm>

namespace lento::memory {
namespace {

constexpr double kSchedulers = 4;
constexpr double kSectors = 2;  // of 32 bytes per cycle

// Returns the operation and the base register of an instruction's text, or the text where it has none.
std::string base_of(const std::string& line) {
  const size_t open = line.rfind("[R");
  if (open == std::string::npos)
    return line;
  const bool is_store = line.find("ST") < open;
  const size_t end = line.find_first_of(".+]", open);
  return (is_store ? "store " : "load ") + line.substr(open, end - open);
}

}  // namespace

void PageWork::add(const KernelMemory& place) {
  issue_ += place.instructions / kSchedulers;
  shared_.served += place.shared.served;
  shared_.excess += place.shared.excess();
  global_.served += place.global.served / kSectors;
  global_.excess += place.global.excess() / kSectors;
  if (place.global.served == 0)
    return;
  Base& base = bases_[base_of(place.line)];
  base.most = std::max(base.most, place.global.served / kSectors);
  base.ideal += place.global.ideal / kSectors;
}

double PageWork::gain(const Requested& unit) const {
  const double left = unit.served - unit.excess;
  const double overlapped = std::max(unit.served, issue_) / std::max(left, issue_);
  return std::max(overlapped, (unit.served + issue_) / (left + issue_));
}

double PageWork::most_gain(bool is_shared) const {
  return gain(is_shared ? shared_ : global_);
}

bool PageWork::may_share_sectors(double least) const {
  if (!counts_instructions())
    return false;
  Requested merged;
  for (const auto& [name, base] : bases_) {
    const double served = std::max(base.most, base.ideal);
    merged.served += served;
    merged.excess += served - base.ideal;
  }
  return gain(merged) < least;
}

}  // namespace lento::memory
