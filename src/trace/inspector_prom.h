// The Inspector's pages for Prometheus, one a GPU: means over a dump, docs/formats/nccl-inspector.md.
#pragma once

#include <string>
#include <vector>

#include "base/read_report.h"

namespace lento::trace {

// One mean of one GPU. No rank and no communicator stands in the page: what is alike in `shape` is
// comparable, and all unnamed communicators of a shape are one.
struct InspectorMean {
  std::string node;
  std::string gpu;    // "GPU0"
  std::string shape;  // communicator's name, sizes, operation, message size, algorithm
  double exec_us = 0;
};

// The mean execution times of the page; other metrics, other suffixes and unknown labels are passed over,
// lines that are no samples skipped and counted.
std::vector<InspectorMean> read_inspector_prom(const std::string& path, base::ReadReport& report);

}  // namespace lento::trace
