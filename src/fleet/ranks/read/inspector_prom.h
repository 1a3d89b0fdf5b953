// Reads the pages that NCCL's Inspector writes for Prometheus, one for each GPU: mean durations since the
// last dump (docs/formats/nccl-inspector.md).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"

namespace lento::fleet::ranks {

// The mean duration of one GPU's collectives of one shape. A page holds no rank and no communicator, so all
// unnamed communicators of a shape count as one. Means of equal `shape` are comparable.
struct InspectorMean {
  std::string node;
  std::string gpu;    // "GPU0"
  std::string shape;  // communicator's name, sizes, operation, message size, algorithm
  double exec_us = 0;
};

using PromLabels = std::map<std::string, std::string, std::less<>>;

// Converts one sample of such a page, read from a file or from a store. Returns nullopt when it lacks a
// positive duration, a node or a GPU.
std::optional<InspectorMean> inspector_mean(const PromLabels& labels, double value);

// Reads the mean execution times of a page. Other metrics and unknown labels are ignored. Damaged lines of
// these metrics are skipped and counted.
std::vector<InspectorMean> read_inspector_prom(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet::ranks
