// Reads the mean execution times from the Inspector's Prometheus pages. The labels of communicator, sizes,
// operation, message size and algorithm form the shape, so that only means of the same work are compared.
#include "fleet/ranks/read/inspector_prom.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

namespace lento::fleet::ranks {
namespace {

// Reads name="value", ... up to the closing brace. Returns false when it is cut off.
bool read_labels(std::string_view& text, PromLabels& out) {
  while (!text.empty() && text.front() != '}') {
    const size_t equals = text.find("=\"");
    if (equals == text.npos)
      return false;
    std::string key(text.substr(0, equals));
    std::erase_if(key, [](char c) {
      return c == ' ' || c == ',';
    });
    text.remove_prefix(equals + 2);
    const size_t end = text.find('"');
    if (end == text.npos)
      return false;
    out[key] = std::string(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (text.empty())
    return false;
  text.remove_prefix(1);
  return true;
}

// Returns whether the metric is the mean time of collectives or of sends, not one of the sums, counts and
// quantiles of newer pages.
bool is_mean_time(std::string_view name) {
  return name == "nccl_collective_exec_time_microseconds" || name == "nccl_p2p_exec_time_microseconds";
}

// Returns the labels that make means comparable, as one text.
std::string shape_of(const PromLabels& labels) {
  std::string out;
  for (const char* key :
       {"comm_name", "n_nodes", "nranks", "collective", "p2p_operation", "message_size", "algo_proto"}) {
    const auto found = labels.find(key);
    out += (out.empty() ? "" : ", ") + (found == labels.end() ? std::string() : found->second);
  }
  return out;
}

std::string value_or_empty(const PromLabels& labels, std::string_view key) {
  const auto found = labels.find(key);
  if (found == labels.end())
    return std::string();
  return found->second;
}

}  // namespace

std::optional<InspectorMean> inspector_mean(const PromLabels& labels, double value) {
  InspectorMean mean{value_or_empty(labels, "node"), value_or_empty(labels, "gpu"), shape_of(labels), value};
  if (!(value > 0) || mean.node.empty() || mean.gpu.empty())
    return std::nullopt;
  return mean;
}

std::vector<InspectorMean> read_inspector_prom(const std::string& path, base::ReadReport& report) {
  std::vector<InspectorMean> out;
  base::InputStream in(path);
  base::Location where{path};
  for (std::string_view line; in.line(line);) {
    where.line = int(std::min<int64_t>(in.line_number(), INT32_MAX));
    const size_t brace = line.find('{');
    if (line.empty() || line.front() == '#' || !is_mean_time(line.substr(0, brace)))
      continue;
    std::string_view rest = line.substr(brace + 1);
    PromLabels labels;
    if (!read_labels(rest, labels)) {
      report.skip(where, "not a sample line");
      continue;
    }
    const size_t first = rest.find_first_not_of(' ');
    const std::string_view number =
        first == rest.npos ? "" : rest.substr(first, rest.find(' ', first) - first);
    std::optional<InspectorMean> mean = inspector_mean(labels, base::try_double(number).value_or(0));
    if (!mean) {
      report.skip(where, "a mean without a time, node or GPU");
      continue;
    }
    ++report.taken;
    out.push_back(std::move(*mean));
  }
  return out;
}

}  // namespace lento::fleet::ranks
