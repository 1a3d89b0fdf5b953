// Selects metrics of an exporter: metrics as small expressions, the sets of metrics of common exporters, the
// labels that name a device, and one name for each machine.
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
// Expressions are evaluated on the samples as they were scraped, which the store does not interpolate. `sum`
// and `mean` go over all series of the metric that a machine has. The store evaluates other PromQL.
struct MetricSpec {
  enum class Across {
    Devices,
    Sum,
    Mean
  };
  std::string name;      // name in texts and in MetricSeries::metrics
  std::string selector;  // name in the store; empty when `promql` is used
  std::vector<Matcher> where;
  bool rate = false;  // the rise of a counter per second is read; a reset gives no sample
  Across across = Across::Devices;
  std::string promql;
  std::string meaning;
};
// Parses an expression. A counter without rate() becomes a rate, because its level has no meaning. Throws
// base::Error.
MetricSpec parse_metric(const std::string& text);
bool is_counter(std::string_view stored_name);

// Returns the metrics of an exporter: dcgm, amd, nvidia_gpu, node, nccl, gaudi, xpu_timer. Throws base::Error
// for another name.
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

// Reduces the names of a machine to one: the name in the user's table, else the name without its port and
// without a domain of two parts or more ("node1.cluster.local" becomes "node1"). When two domains have the
// same short name, the machine seen second keeps its full name.
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
  std::map<std::string, std::string> domains_;  // short name -> the domain first seen with it
};

}  // namespace lento::fleet
