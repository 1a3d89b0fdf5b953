// Parses metric expressions and label conditions, lists the metrics of common exporters, and normalises names
// of machines. The expressions are a small part of PromQL, which Lento evaluates on raw samples.
#include "fleet/read/metric_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace lento::fleet {
namespace {

// Counters whose names lack a suffix by which counters are recognised.
constexpr std::array<std::string_view, 13> kCounters{
    "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL",
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "DCGM_FI_DEV_PCIE_TX_THROUGHPUT",
    "DCGM_FI_DEV_PCIE_RX_THROUGHPUT",
    "gpu_energy_consumed",
    "node_netstat_Tcp_RetransSegs",
    "node_vmstat_pgfault",
    "node_vmstat_pgmajfault"};

bool name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' || c == '.';
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return std::string(text);
}

bool all_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, name_char);
}

// Reduces "word(inside)" to "inside". Returns false when the text does not have that shape.
bool take_call(std::string& text, std::string_view word) {
  if (!text.starts_with(word) || text.size() < word.size() + 2)
    return false;
  std::string rest = trimmed(text.substr(word.size()));
  if (!rest.starts_with('(') || !rest.ends_with(')'))
    return false;
  text = trimmed(rest.substr(1, rest.size() - 2));
  return true;
}

// Parses METRIC{...} into `spec`. Returns false when the text has another form.
bool take_selector(std::string text, MetricSpec& spec) {
  const size_t brace = text.find('{');
  spec.selector = trimmed(text.substr(0, brace));
  if (!all_name(spec.selector))
    return false;
  if (brace == std::string::npos)
    return true;
  if (!text.ends_with('}'))
    return false;
  std::string_view inside = std::string_view(text).substr(brace + 1, text.size() - brace - 2);
  while (!trimmed(inside).empty()) {
    bool quoted = false;
    size_t end = 0;
    for (; end < inside.size() && (quoted || inside[end] != ','); ++end) {
      if (inside[end] == '\\')
        ++end;
      else if (inside[end] == '"')
        quoted = !quoted;
    }
    end = std::min(end, inside.size());
    spec.where.push_back(parse_matcher(trimmed(inside.substr(0, end))));
    inside.remove_prefix(std::min(end + 1, inside.size()));
  }
  return true;
}

// Parses an expression such as sum(rate(name)). Returns false when it needs other PromQL.
bool take_expression(std::string text, MetricSpec& spec) {
  if (take_call(text, "sum"))
    spec.across = MetricSpec::Across::Sum;
  else if (take_call(text, "mean") || take_call(text, "avg"))
    spec.across = MetricSpec::Across::Mean;
  if (take_call(text, "rate")) {
    spec.rate = true;
    if (text.ends_with(']'))
      text = trimmed(text.substr(0, text.rfind('[')));
  }
  return take_selector(text, spec);
}

struct Ready {
  const char* expression;
  const char* meaning;
};

// Returns the metrics of an exporter.
std::vector<MetricSpec> specs(std::initializer_list<Ready> ready) {
  std::vector<MetricSpec> out;
  for (const Ready& r : ready) {
    out.push_back(parse_metric(r.expression));
    out.back().meaning = r.meaning;
  }
  return out;
}

std::map<std::string, std::vector<MetricSpec>, std::less<>> make_sets() {
  std::map<std::string, std::vector<MetricSpec>, std::less<>> sets;
  sets["dcgm"] = specs({
      {"DCGM_FI_DEV_GPU_UTIL", "GPU duty cycle, %"},
      {"DCGM_FI_DEV_POWER_USAGE", "GPU power, W"},
      {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "graphics engine activity, 0 to 1"},
      {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor core activity, 0 to 1"},
      {"nvlink_bytes_rate=rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL)", "NVLink traffic"},
      {"DCGM_FI_DEV_SM_CLOCK", "SM clock, MHz"},
      {"DCGM_FI_PROF_DRAM_ACTIVE", "GPU memory activity, 0 to 1"},
      {"DCGM_FI_PROF_PCIE_TX_BYTES", "PCIe bytes sent a second"},
      {"DCGM_FI_PROF_PCIE_RX_BYTES", "PCIe bytes received a second"},
      {"pcie_replay_rate=rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER)", "PCIe retries a second"},
      {"DCGM_FI_DEV_FB_USED", "GPU memory used, MiB"},
      {"DCGM_FI_DEV_GPU_TEMP", "GPU temperature, C"},
      {"DCGM_FI_DEV_XID_ERRORS", "last Xid error, a code"},
  });
  sets["amd"] = specs({
      {"gpu_average_package_power", "GPU power, W"},
      {"gpu_package_power", "GPU power, W"},
      {"gpu_gfx_activity", "graphics engine activity, %"},
      {"gpu_usage", "GPU duty cycle, %"},
      {"gpu_power_usage", "GPU power, W"},
      {"gpu_umc_activity", "GPU memory activity, %"},
      {"gpu_clock=mean(gpu_clock)", "clocks, MHz"},
      {"gpu_used_vram", "GPU memory used"},
      {"gpu_edge_temperature", "GPU temperature, C"},
      {"gpu_junction_temperature", "GPU temperature, C"},
      {"gpu_energy_rate=rate(gpu_energy_consumed)", "GPU energy a second"},
  });
  sets["nvidia_gpu"] = specs({
      {"nvidia_smi_utilization_gpu_ratio", "GPU duty cycle, 0 to 1"},
      {"nvidia_smi_power_draw_watts", "GPU power, W"},
      {"nvidia_smi_clocks_current_sm_clock_hz", "SM clock, Hz"},
      {"nvidia_smi_utilization_memory_ratio", "GPU memory activity, 0 to 1"},
      {"nvidia_smi_memory_used_bytes", "GPU memory used"},
      {"nvidia_smi_temperature_gpu", "GPU temperature, C"},
  });
  sets["node"] = specs({
      {"cpu_busy=sum(rate(node_cpu_seconds_total{mode!~\"idle|iowait|steal\"}))", "busy CPUs"},
      {"cpu_iowait=sum(rate(node_cpu_seconds_total{mode=\"iowait\"}))", "CPUs that wait for disks"},
      {"node_load1", "runnable processes, one-minute mean"},
      {"node_procs_running", "runnable processes"},
      {"node_procs_blocked", "processes blocked on I/O"},
      {"node_memory_MemAvailable_bytes", "memory available"},
      {"page_faults=rate(node_vmstat_pgfault)", "page faults a second"},
      {"disk_read=sum(rate(node_disk_read_bytes_total))", "disk bytes read a second"},
      {"disk_written=sum(rate(node_disk_written_bytes_total))", "disk bytes written a second"},
      {"disk_io_time=sum(rate(node_disk_io_time_seconds_total))", "disks that are busy"},
      {"network_transmit=sum(rate(node_network_transmit_bytes_total{device!~\"lo|docker.*|veth.*|cali.*\"}))",
       "Ethernet bytes sent a second"},
      {"network_receive=sum(rate(node_network_receive_bytes_total{device!~\"lo|docker.*|veth.*|cali.*\"}))",
       "Ethernet bytes received a second"},
      {"rdma_transmit=sum(rate(node_infiniband_port_data_transmitted_bytes_total))",
       "InfiniBand or RoCE bytes sent a second"},
      {"rdma_receive=sum(rate(node_infiniband_port_data_received_bytes_total))",
       "InfiniBand or RoCE bytes received a second"},
      {"rdma_transmit_wait=sum(rate(node_infiniband_port_transmit_wait_total))",
       "ticks that a port waited to send"},
      {"rdma_errors=sum(rate(node_infiniband_port_errors_received_total))", "broken packets a second"},
  });
  sets["nccl"] = specs({
      {"nccl_bus_bandwidth_gbs=mean(nccl_bus_bandwidth_gbs)", "bus bandwidth of collectives, GB/s"},
      {"nccl_collective_time=mean(nccl_collective_exec_time_microseconds)", "time of collectives, us"},
      {"nccl_p2p_bus_bandwidth_gbs=mean(nccl_p2p_bus_bandwidth_gbs)", "bandwidth of sends, GB/s"},
      {"nccl_p2p_time=mean(nccl_p2p_exec_time_microseconds)", "time of sends, us"},
  });
  sets["gaudi"] = specs({
      {"habanalabs_utilization", "duty cycle, %"},
      {"habanalabs_power_mW", "power, mW"},
      {"habanalabs_clock_soc_mhz", "clock, MHz"},
      {"habanalabs_memory_free_bytes", "memory free"},
      {"habanalabs_temperature_onboard", "temperature, C"},
  });
  sets["xpu_timer"] = specs({
      {"matmul_time=mean(XPU_TIMER_MM_KERNEL_AVG_LATENCY)", "time of matrix products, us"},
      {"collective_time=mean(XPU_TIMER_COLL_KERNEL_AVG_LATENCY)", "time of collectives, us"},
  });
  return sets;
}

const std::map<std::string, std::vector<MetricSpec>, std::less<>>& sets() {
  static const auto all = make_sets();
  return all;
}

const std::string* value_of(const LabelList& labels, std::string_view name) {
  for (const auto& [key, value] : labels) {
    if (key == name && !value.empty())
      return &value;
  }
  return nullptr;
}

bool is_address(std::string_view text) {
  return text.find(':') != std::string_view::npos || std::ranges::all_of(text, [](char c) {
           return std::isdigit(static_cast<unsigned char>(c)) || c == '.';
         });
}

// Returns "::1" for "[::1]:9100" and "node1" for "node1:9100".
std::string without_port(const std::string& name) {
  if (name.starts_with('[')) {
    const size_t end = name.find(']');
    if (end != std::string::npos)
      return name.substr(1, end - 1);
  }
  const size_t colon = name.rfind(':');
  if (colon == std::string::npos || colon + 1 == name.size() || name.find(':') != colon)
    return name;
  const bool port =
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(colon) + 1, name.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c));
      });
  return port ? name.substr(0, colon) : name;
}

}  // namespace

Matcher parse_matcher(const std::string& text) {
  const size_t at = text.find_first_of("=!");
  const auto refuse = [&]() -> Matcher {
    throw base::Error(
        {},
        "match '" + text + "' is not LABEL=VALUE",
        "for example --match job=training or --match 'task=~\"llm.*\"'");
  };
  if (at == std::string::npos || at == 0 || at + 1 > text.size())
    return refuse();
  const bool negated = text[at] == '!';
  const char second = at + 1 < text.size() ? text[at + 1] : '\0';
  if (negated && second != '=' && second != '~')
    return refuse();
  const bool like = second == '~';
  Matcher m;
  m.label = trimmed(text.substr(0, at));
  m.op = like ? (negated ? Matcher::Op::NotLike : Matcher::Op::Like)
              : (negated ? Matcher::Op::NotEqual : Matcher::Op::Equal);
  m.value = trimmed(text.substr(at + (negated || like ? 2 : 1)));
  if (m.value.size() >= 2 && m.value.front() == '"' && m.value.back() == '"') {
    const base::Json json = base::parse_json(m.value, "match");
    m.value = json.string({"match"});
  }
  return m;
}

std::string to_string(const Matcher& m) {
  constexpr std::array<const char*, 4> ops{"=", "!=", "=~", "!~"};
  return m.label + ops[size_t(m.op)] + base::write_json(base::Json(m.value));
}

bool is_counter(std::string_view name) {
  for (const std::string_view end : {"_total", "_count", "_sum", "_bucket"}) {
    if (name.ends_with(end))
      return true;
  }
  return std::ranges::find(kCounters, name) != kCounters.end();
}

MetricSpec parse_metric(const std::string& text) {
  MetricSpec spec;
  std::string expression = trimmed(text);
  const size_t equals = expression.find('=');
  if (equals != std::string::npos && all_name(trimmed(expression.substr(0, equals)))) {
    spec.name = trimmed(expression.substr(0, equals));
    expression = trimmed(expression.substr(equals + 1));
  }
  if (expression.empty())
    throw base::Error({"--metric"}, "'" + text + "' names no metric");
  if (take_expression(expression, spec)) {
    spec.rate = spec.rate || is_counter(spec.selector);
    if (spec.name.empty())
      spec.name = spec.selector;
    return spec;
  }
  MetricSpec other;
  other.name = spec.name.empty() ? expression : spec.name;
  other.promql = expression;
  return other;
}

const std::vector<MetricSpec>& exporter_metrics(std::string_view exporter) {
  const auto at = sets().find(exporter);
  if (at != sets().end())
    return at->second;
  throw base::Error(
      {},
      "no metric names are known for the exporter '" + std::string(exporter) + "'",
      base::suggestion(exporter, exporters()));
}

// Returns the names of the known exporters.
const std::vector<std::string>& exporters() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& [name, metrics] : sets())
      out.push_back(name);
    return out;
  }();
  return names;
}

const std::vector<std::string>& default_machine_labels() {
  static const std::vector<std::string> labels{
      "machine",
      "Hostname",
      "hostname",
      "HOSTNAME",
      "node",
      "kubernetes_node",
      "nodename",
      "instance",
      "ip"};
  return labels;
}

// Returns the labels that may name a device.
const std::vector<std::string>& default_device_labels() {
  static const std::vector<std::string> labels{
      "gpu",
      "gpu_id",
      "GPU_ID",
      "gpu_uuid",
      "GPU_UUID",
      "uuid",
      "UUID",
      "device",
      "local_rank",
      "cpu",
      "card"};
  return labels;
}

std::string device_of(const LabelList& labels, const std::vector<std::string>& device_labels) {
  std::string device;
  for (const std::string& name : device_labels) {
    const std::string* value = value_of(labels, name);
    if (!value)
      continue;
    device = *value;
    break;
  }
  if (device.empty())
    return device;
  for (const std::string_view part : {"GPU_I_ID", "gpu_instance_id", "gpu_partition_id", "port"}) {
    if (const std::string* value = value_of(labels, part))
      device += "/" + *value;
  }
  return device;
}

bool is_blank(double value) {
  return value >= 9.2233720368547e18 || value == 140737488355328.0;
}

void MachineNames::read(const std::string& path) {
  base::InputStream in(path);
  std::string_view line;
  while (in.line(line)) {
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    const std::string text = trimmed(line.substr(0, line.find('#')));
    if (text.empty())
      continue;
    const size_t comma = text.find(',');
    const base::Location where{path, int(in.line_number())};
    if (comma == std::string::npos || comma == 0 || comma + 1 == text.size())
      throw base::Error(
          where,
          "a line of the table of names is not NAME,MACHINE",
          "for example 10.0.0.7,node07");
    add(trimmed(text.substr(0, comma)), trimmed(text.substr(comma + 1)));
  }
}

std::string MachineNames::of(const std::string& name) {
  const auto exact = table_.find(name);
  if (exact != table_.end())
    return exact->second;
  const std::string host = without_port(name);
  const auto at = table_.find(host);
  if (at != table_.end())
    return at->second;
  if (is_address(host))
    return host;
  const size_t dot = host.find('.');
  if (dot == std::string::npos || host.find('.', dot + 1) == std::string::npos)
    return host;
  const std::string brief = host.substr(0, dot);
  const std::string domain = host.substr(dot);
  const auto by_brief = table_.find(brief);
  if (by_brief != table_.end())
    return by_brief->second;
  return domains_.try_emplace(brief, domain).first->second == domain ? brief : host;
}

}  // namespace lento::fleet
