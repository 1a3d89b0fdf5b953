// Reads a design point in the YAML of the released CrossFlow tool. Numbers are bounded, and all missing or
// unreadable fields are reported in one error. Sizes such as "4 GB" are binary in this format.
#include "predict/crossflow/config.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number.h"
#include "base/units.h"
#include "spec/yaml.h"

namespace lento::predict {
namespace {

using spec::YamlNode;

constexpr double kAny = 1e30;
constexpr double kMostSteps = 4096;  // longest sequence, because the schedule holds every step of every layer
constexpr double kMostLayers = 1024;

// Reads the fields of one YAML mapping. Collects errors so that all of them are reported at once.
class Section {
 public:
  Section(const YamlNode* node, const base::Location& where, base::ErrorList& errors)
      : node_(node),
        where_(where),
        errors_(errors) {
  }

  Section inside(const char* name) const {
    const YamlNode* found = node_ ? node_->find(name) : nullptr;
    if (node_ && !found)
      errors_.add(where_, std::string("section '") + name + "' is missing");
    return {found, found ? found->where : where_, errors_};
  }

  // Returns a number in [low, high]. A missing or invalid field is added to the errors and gives `low`.
  double number(const char* name, double low = 0, double high = kAny) const {
    const YamlNode* found = field(name);
    if (!found)
      return low;
    const auto value = parse(found->text);
    if (value && *value >= low && *value <= high)
      return *value;
    errors_.add(
        found->where,
        std::string("'") + name + "' is '" + found->text.substr(0, 40) + "', needed a number from " +
            base::format_number(low) + (high < kAny ? " to " + base::format_number(high) : ""));
    return low;
  }

  int count(const char* name, int low = 0, double high = 1e9) const {
    return int(std::lround(number(name, low, high)));
  }
  bool yes(const char* name) const {
    const std::string found = word(name, {"True", "true", "False", "false"});
    return found == "True" || found == "true";
  }
  // Reads a word that must be one of `words`. Any other word is an error. The released CrossFlow tool takes
  // an unknown word for the last of the list.
  std::string word(const char* name, const std::vector<std::string>& words) const {
    const YamlNode* found = field(name);
    if (!found)
      return words.front();
    if (std::ranges::find(words, found->text) != words.end())
      return found->text;
    errors_.add(
        found->where,
        std::string("'") + name + "' is '" + found->text.substr(0, 40) + "'",
        base::suggestion(found->text, words));
    return words.front();
  }

 private:
  const YamlNode* field(const char* name) const {
    const YamlNode* found = node_ ? node_->find(name) : nullptr;
    if (node_ && !found)
      errors_.add(where_, std::string("'") + name + "' is missing");
    return found;
  }

  // Parses "4 GB" or "32 KB", which are binary in this format, or a plain number.
  static std::optional<double> parse(const std::string& text) {
    const size_t space = text.find(' ');
    const auto value = base::try_double(text.substr(0, space));
    if (!value || space == std::string::npos)
      return value;
    const std::string unit = text.substr(space + 1);
    if (unit == "KB")
      return *value * 1024;
    if (unit == "MB")
      return *value * 1024 * 1024;
    if (unit == "GB")
      return *value * 1024 * 1024 * 1024;
    return std::nullopt;
  }

  const YamlNode* node_;
  base::Location where_;
  base::ErrorList& errors_;
};

CoreTechnology read_core(const Section& s) {
  return {
      s.number("nominal_power_per_mcu"),
      s.number("nominal_flop_rate_per_mcu"),
      s.number("nominal_area_per_mcu", 1e-9),
      s.number("nominal_frequency"),
      s.number("nominal_voltage"),
      s.number("threshold_voltage"),
      s.number("margin_voltage"),
      s.number("operating_area_per_mcu", 1e-9),
      s.count("num_mcu_per_bundle", 1),
      s.number("FMA_width", 1),
      s.word("dataflow", {"best", "wst", "ast", "ost", "none"}),
      s.number("util")};
}

DramTechnology read_dram(const Section& s) {
  return {
      s.number("dynamic_energy_per_bit"),
      s.number("static_power_per_bit"),
      s.number("stack_capacity"),
      s.number("area_per_stack", 1e-9),
      s.number("mem_ctrl_area", 1e-9),
      s.number("latency"),
      s.number("nominal_frequency"),
      s.number("nominal_voltage"),
      s.number("threshold_voltage"),
      s.number("margin_voltage"),
      s.number("max_voltage"),
      s.number("num_links_per_mm"),
      s.number("num_links_per_stack"),
      s.number("util")};
}

SramTechnology read_sram(const Section& s) {
  return {
      s.number("dynamic_energy_per_bit", 1e-30),
      s.number("static_power_per_bit"),
      s.number("area_per_bit", 1e-30),
      s.number("bank_capacity", 1),
      s.number("controller_area_per_link"),
      s.number("controller_power_per_link"),
      s.number("latency"),
      s.number("overhead", 0, 1),
      s.number("util")};
}

LinkTechnology read_link(const Section& s) {
  return {
      s.number("latency"),
      s.number("nominal_frequency"),
      s.number("nominal_voltage"),
      s.number("nominal_energy_per_link"),
      s.number("nominal_area_per_link", 1e-12),
      s.number("num_links_per_mm"),
      s.number("threshold_voltage"),
      s.number("margin_voltage"),
      s.number("util")};
}

std::array<double, kComponents> read_breakdown(const Section& s) {
  const Section network = s.inside("network");
  return {
      s.number("core"),
      s.number("L2"),
      s.number("L1"),
      s.number("reg_mem"),
      s.number("DRAM"),
      network.number("intra_node"),
      network.number("inter_node")};
}

Scope scope_of(const std::string& text) {
  if (text == "mcu")
    return Scope::Mcu;
  return text == "mcu-bundle" ? Scope::Bundle : Scope::Global;
}

Split split_of(int type) {
  if (type == 1)
    return Split::ColumnRow;
  return type == 2 ? Split::RowColumn : Split::None;
}

void read_workload(const Section& top, CrossFlowConfig& c) {
  const Section model = top.inside("model_param");
  const Section schedule = top.inside("scheduling_param");
  const Section system = top.inside("system_hierarchy");
  c.model = {
      model.number("batch_size", 1),
      model.number("vocab_size", 1),
      model.number("layer_size", 1),
      model.number("seq_len", 1, kMostSteps),
      model.number("projection"),
      model.count("num_layers", 1, kMostLayers),
      model.count("num_gates", 1)};
  c.workers = system.count("num_workers", 1);
  c.nodes_per_wafer = system.count("num_nodes_per_wafer", 1);
  c.inter_derate = system.number("inter_derate");
  c.intra_derate = system.number("intra_derate");
  c.crosses = {
      system.yes("kp1_inter"),
      system.yes("kp2_inter"),
      system.yes("dp_inter"),
      system.yes("lp_inter")};
  c.parallelism = {
      schedule.count("dp", 1),
      schedule.count("lp", 1),
      schedule.count("kp_hidden_dim1", 1),
      schedule.count("kp_hidden_dim2", 1),
      split_of(int(std::lround(schedule.number("kp_hidden_type", -1, 2))))};
}

}  // namespace

CrossFlowConfig read_crossflow(const std::string& path) {
  const YamlNode root = spec::read_yaml(path);
  base::ErrorList errors;
  const Section top(&root, root.where, errors);
  CrossFlowConfig c;
  read_workload(top, c);
  const Section software = top.inside("sw_param");
  const Section technology = top.inside("tech_param");
  c.launch_overhead = software.number("kernel_launch_overhead");
  c.precision = software.number("precision", 0.25, 16);
  c.core = read_core(technology.inside("core"));
  c.dram = read_dram(technology.inside("DRAM"));
  c.sram = {
      read_sram(technology.inside("SRAM-R")),
      read_sram(technology.inside("SRAM-L1")),
      read_sram(technology.inside("SRAM-L2"))};
  const Section network = technology.inside("network");
  c.intra = read_link(network.inside("intra_node"));
  c.inter = read_link(network.inside("inter_node"));
  const Section area = top.inside("area_breakdown");
  const Section power = top.inside("power_breakdown");
  const Section edge = top.inside("perimeter_breakdown");
  c.budgets = {
      area.number("node_area_budget"),
      area.number("proc_chip_area_budget", 1e-6),
      power.number("TDP"),
      read_breakdown(area),
      read_breakdown(power),
      {edge.number("DRAM"), edge.number("intra_node"), edge.number("inter_node")}};
  const Section levels = top.inside("memory_hierarchy");
  const char* names[] = {"l0", "l1", "l2", "l3"};
  for (size_t i = 0; i < 4; ++i)
    c.scope[i] = scope_of(levels.inside(names[i]).word("scope", {"global", "mcu", "mcu-bundle"}));
  errors.throw_if_any();
  return c;
}

}  // namespace lento::predict
