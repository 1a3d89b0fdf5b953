// The size of a cache line, given, known from the format, or inferred from the losses of a trace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "memory/mine/contention.h"
#include "memory/mine/contention_scan.h"

namespace lento::memory {

// The line size that explains the losses, and the cycles that each size explains.
struct LineSize {
  uint32_t bytes = 64;
  std::string origin;  // "given", "told by the trace", "usual for the format", "found" or "assumed"
  std::vector<std::pair<uint32_t, uint64_t>> explained;  // by size: cycles on lines with a sharing cause
};
LineSize
find_line_size(const ContentionOptions& options, const program::TraceFacts& facts, const WindowScan& windows);

}  // namespace lento::memory
