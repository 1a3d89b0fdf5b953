// Reads the Inspector's pages for Prometheus, one a GPU: means over a dump, docs/formats/nccl-inspector.md.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"

namespace lento::fleet::ranks {

// One mean of one GPU. A page holds no rank and no communicator. Means of equal `shape` are comparable, and
// all unnamed communicators of a shape are one.
struct InspectorMean {
  std::string node;
  std::string gpu;    // "GPU0"
  std::string shape;  // communicator's name, sizes, operation, message size, algorithm
  double exec_us = 0;
};

using PromLabels = std::map<std::string, std::string, std::less<>>;

// Interprets one sample of such a page, wherever it was scraped to. Returns nothing without a time, node or
// GPU.
std::optional<InspectorMean> inspector_mean(const PromLabels& labels, double value);

// Reads the mean execution times of the page. Other metrics, other suffixes and unknown labels are passed
// over. Lines that are no samples are skipped and counted.
std::vector<InspectorMean> read_inspector_prom(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet::ranks
