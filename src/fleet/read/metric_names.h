// The selection of metrics from an exporter: metrics as small expressions, ready sets of the common
// exporters, the labels that name a device, and one name for a machine.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lento::fleet {

// A condition on a label, with PromQL's operators.
struct Matcher {
  enum class Op {
    Equal,
    NotEqual,
    Like,
    NotLike
  };
  std::string label;
  Op op = Op::Equal;
  std::string value;
};
// Parses LABEL=VALUE, LABEL!=VALUE, LABEL=~REGEX or LABEL!~REGEX. The value may be quoted. Throws
// base::Error.
Matcher parse_matcher(const std::string& text);
std::string to_string(const Matcher& matcher);  // as PromQL writes it

// One metric of a machine or of its devices.
//   expression = [ NAME "=" ] ( ("sum" | "mean") "(" part ")" | part )
//   part       = "rate(" selector [ "[" any "]" ] ")" | selector
//   selector   = METRIC [ "{" matcher { "," matcher } "}" ]
// Expressions are evaluated on the samples as they were scraped, so that the store fills in none. `sum` and
// `mean` go over all series of the metric that a machine has. Other PromQL is left to the store.
struct MetricSpec {
  enum class Across {
    Devices,
    Sum,
    Mean
  };
  std::string name;      // as it is shown
  std::string selector;  // stored name; empty when `promql` is used
  std::vector<Matcher> where;
  bool rate = false;  // of a counter, a second; a reset is no rate
  Across across = Across::Devices;
  std::string promql;
  std::string meaning;
};
// Parses an expression. A counter without rate() becomes a rate, because its level has no meaning. Throws
// base::Error.
MetricSpec parse_metric(const std::string& text);
bool is_counter(std::string_view stored_name);

// Returns the ready set by the exporter's name: dcgm, amd, nvidia_gpu, node, nccl, gaudi, xpu_timer. Throws
// base::Error for another name.
const std::vector<MetricSpec>& exporter_metrics(std::string_view exporter);
const std::vector<std::string>& exporters();

using LabelList = std::vector<std::pair<std::string, std::string>>;

// Returns "3", "0/13" (a MIG slice or a partition) or "mlx5_0/1", empty when the labels name no device.
std::string device_of(const LabelList& labels, const std::vector<std::string>& device_labels);

// The default labels, in the order of preference.
const std::vector<std::string>& default_machine_labels();
const std::vector<std::string>& default_device_labels();

// Returns whether the value is one of DCGM's marks for a missing value.
bool is_blank(double value);

// Gives a machine one name: the one in the user's table, else without port, and without a domain of two parts
// or more ("node1.cluster.local"). Where two domains hold the same short name, the second keeps its full
// name.
class MachineNames {
 public:
  void add(const std::string& name, const std::string& machine) {
    table_[name] = machine;
  }
  // Reads lines "name,machine", in which '#' begins a comment. Throws base::Error.
  void read(const std::string& path);
  std::string of(const std::string& name);
  const std::map<std::string, std::string>& table() const {
    return table_;
  }

 private:
  std::map<std::string, std::string> table_;
  std::map<std::string, std::string> domains_;  // of short names, as first seen
};

}  // namespace lento::fleet
