// Chooses the smallest line size whose lines explain nearly all of what the best one explains: cycles on
// lines that threads contend for. Constants and reasons: tuning.h.
#include "memory/mine/line_size.h"

#include <algorithm>

#include "memory/mine/tuning.h"

namespace lento::memory {
namespace {

// Returns the excess cycles on contended lines, if lines had this many bytes.
uint64_t explained_at(const WindowScan& windows, uint32_t bytes) {
  uint64_t sum = 0;
  for (const HotBlock& block : windows.hot) {
    for (const Line& line : lines_of(block, bytes))
      sum += line.cause == Cause::None ? 0 : line.excess;
  }
  return sum;
}

}  // namespace

LineSize find_line_size(
    const ContentionOptions& options,
    const program::TraceFacts& facts,
    const WindowScan& windows) {
  LineSize size;
  uint64_t most = 0;
  for (const uint32_t bytes : tuning::kLineSizes) {
    size.explained.emplace_back(bytes, explained_at(windows, bytes));
    most = std::max(most, size.explained.back().second);
  }
  if (options.line_bytes > 0) {
    size.bytes = options.line_bytes;
    size.origin = "given";
    return size;
  }
  if (facts.line_bytes > 0) {
    size.bytes = facts.line_bytes;
    size.origin = "told by the trace";
    return size;
  }
  // The line size that is usual for the format is taken unless its losses explain less than kExplains of what
  // another size explains. Sizes larger than both it and 64 bytes explain more by accident: they are reported
  // and not chosen.
  const uint32_t usual = facts.usual_line_bytes;
  const uint32_t largest = std::max(usual, 64u);
  most = 0;
  for (const auto& [bytes, cycles] : size.explained) {
    if (bytes <= largest)
      most = std::max(most, cycles);
  }
  for (const auto& [bytes, cycles] : size.explained) {
    const bool enough = double(cycles) >= tuning::kExplains * double(most);
    if (!enough || (usual > 0 && bytes < usual))
      continue;
    size.bytes = most == 0 && usual == 0 ? 64 : bytes;
    size.origin = bytes == usual ? "usual for the format" : most == 0 ? "assumed" : "found";
    return size;
  }
  return size;
}

}  // namespace lento::memory
