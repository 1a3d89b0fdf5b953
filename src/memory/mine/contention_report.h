// The results of the scans that the figures are drawn from.
#pragma once

#include "memory/mine/contention_names.h"
#include "memory/mine/contention_patterns.h"

namespace lento::memory {

struct ReportInput {
  const ContentionOptions& options;
  const Scan& scan;
  const WindowScan& windows;
  const ContentionNames& names;
  const std::vector<Pattern>& patterns;
  const std::vector<Line>& lines;  // costliest first
};

void add_contention_figures(const ReportInput& in, std::vector<finding::Figure>& figures);

}  // namespace lento::memory
