// The Inspector's pages for Prometheus, one a GPU: means over a dump, docs/formats/nccl-inspector.md.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"

namespace lento::fleet::ranks {

// One mean of one GPU. No rank and no communicator stands in the page: what is alike in `shape` is
// comparable, and all unnamed communicators of a shape are one.
struct InspectorMean {
  std::string node;
  std::string gpu;    // "GPU0"
  std::string shape;  // communicator's name, sizes, operation, message size, algorithm
  double exec_us = 0;
};

using PromLabels = std::map<std::string, std::string, std::less<>>;

// What one sample of such a page says, from wherever it was scraped to. Nothing without a time, node or GPU.
std::optional<InspectorMean> inspector_mean(const PromLabels& labels, double value);

// The mean execution times of the page; other metrics, other suffixes and unknown labels are passed over,
// lines that are no samples skipped and counted.
std::vector<InspectorMean> read_inspector_prom(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet::ranks
