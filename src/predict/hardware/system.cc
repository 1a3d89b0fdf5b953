// Reads data sheets of systems, schema lento.system/1 (docs/formats/system.md): bounded numbers with units,
// all mistakes in one error, and constants inherited from a shipped sheet of a similar chip (the relative).
#include "predict/hardware/system.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <sstream>
#include <unordered_map>

#include "base/file.h"
#include "base/number.h"
#include "embedded/system_files.h"
#include "spec/yaml.h"

namespace lento::predict {
namespace {

using base::Dimension;
using spec::Fields;
using spec::YamlNode;

void strings(Fields& fields, std::string_view key, std::vector<std::string>& out) {
  std::vector<const YamlNode*> nodes;
  fields.list(key, nodes);
  for (const YamlNode* node : nodes)
    out.push_back(node->text);
}

void read_by_precision(
    const YamlNode& node,
    std::array<double, kPrecisions>& out,
    Dimension dimension,
    base::ErrorList& errors) {
  Fields fields(node, errors);
  for (size_t i = 0; i < kArithmetics; ++i) {
    fields.quantity(name(static_cast<Precision>(i)), out[i], dimension, 1e-18, 1e9);
  }
  fields.finish();
}

void read_chip(const YamlNode& node, Chip& chip, base::ErrorList& errors) {
  Fields fields(node, errors);
  fields.required_integer("units", chip.units, 1, 1'000'000);
  fields.required_quantity("clock", chip.clock_hz, Dimension::Frequency, 1e6, 1e11);
  fields.required_quantity("cache", chip.cache_bytes, Dimension::Bytes, 1e3, 1e12);
  fields.integer("array", chip.array, 0, 4096);
  fields.quantity("unit_results", chip.unit_results, Dimension::Plain, 256, 1e9);
  fields.quantity("unit_buffer", chip.unit_buffer_bytes, Dimension::Bytes, 0, 1e12);
  std::string dataflow(name(chip.dataflow));
  fields.choice("dataflow", dataflow, {"output", "weight", "activation", "best"});
  for (const Stationary s :
       {Stationary::Output, Stationary::Weight, Stationary::Activation, Stationary::Best})
    if (dataflow == name(s))
      chip.dataflow = s;
  fields.boolean("persistent", chip.persistent);
  fields.required_quantity("memory", chip.memory_bytes, Dimension::Bytes, 1e6, 1e15);
  fields.required_quantity("memory_bandwidth", chip.memory_Bps, Dimension::BytesPerTime, 1e6, 1e16);
  fields.quantity("memory_reserve", chip.memory_reserve, Dimension::Bytes, 0, 1e12);
  fields.required_quantity("power", chip.power_w, Dimension::Power, 0.1, 1e6);
  if (const YamlNode* energy = fields.map("energy_per_flop")) {
    read_by_precision(*energy, chip.flop_energy_j, Dimension::Energy, errors);
  }
  fields.quantity("idle_share", chip.idle_share, Dimension::Plain, 0, 0.95);
  fields.quantity("energy_per_byte", chip.byte_energy_j, Dimension::Energy, 0, 1e-6);
  fields.quantity("energy_per_cache_byte", chip.cache_byte_energy_j, Dimension::Energy, 0, 1e-6);
  fields.quantity("operand_energy", chip.operand_energy_j, Dimension::Energy, 0, 1e-6);
  if (const YamlNode* flops = fields.map("flops_per_cycle")) {
    read_by_precision(*flops, chip.flops_per_cycle, Dimension::Plain, errors);
  } else {
    fields.error(
        "flops_per_cycle",
        "'flops_per_cycle' is missing",
        "give operations per cycle and unit by precision: {fp32: 128, bf16: 2048}");
  }
  fields.finish();
}

void read_calibration(const YamlNode& node, Chip& chip, base::ErrorList& errors) {
  Fields fields(node, errors);
  std::string precision;
  fields.required_text("precision", precision);
  Calibration c;
  fields.quantity("compute", c.compute, Dimension::Plain, 0.01, 1);
  fields.quantity("memory", c.memory, Dimension::Plain, 0.01, 1);
  fields.quantity("feed", c.feed, Dimension::Plain, 0.1, 1e6);
  fields.quantity("prologue", c.prologue, Dimension::Plain, 0, 1e7);
  fields.quantity("half_tile", c.half_tile, Dimension::Plain, 0, 1e7);
  fields.quantity("drift", c.drift, Dimension::Plain, 0, 10);
  fields.quantity("drift_length", c.drift_length, Dimension::Plain, 1, 1e9);
  fields.quantity("attention", c.attention, Dimension::Plain, 0.01, 1);
  fields.quantity("hold_out_error", c.hold_out_error, Dimension::Plain, 0, 10);
  fields.quantity("launch", c.launch_s, Dimension::Time, 0, 1);
  fields.text("framework", c.framework);
  fields.text("source", c.source);
  const std::optional<Precision> p = parse_precision(precision);
  if (!p)
    fields.error(
        "precision",
        "precision '" + precision + "' is not known",
        "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4, fp8_block, int8_wo, int4_wo");
  fields.finish();
  if (p && c.framework.empty())
    chip.calibration[size_t(*p)] = c;
  if (p && !c.framework.empty())
    chip.by_framework.emplace_back(*p, c);
}

void read_stack(const YamlNode& node, Stack& stack, base::ErrorList& errors) {
  Fields fields(node, errors);
  fields.text("framework", stack.framework);
  fields.quantity("library", stack.library, Dimension::Plain, 0.1, 2);
  fields.quantity("launch", stack.launch_s, Dimension::Time, 0, 1);
  fields.quantity("overlap", stack.overlap, Dimension::Plain, 0, 1);
  fields.quantity("host_layer", stack.host_layer_s, Dimension::Time, 0, 10);
  fields.quantity("host_tensor", stack.host_tensor, Dimension::Plain, 0, 20);
  fields.quantity("hand_over", stack.hand_over_s, Dimension::Time, 0, 10);
  fields.quantity("pointwise", stack.pointwise, Dimension::Plain, 0, 20);
  fields.quantity("kept", stack.kept, Dimension::Plain, 0.1, 10);
  fields.quantity("logit_bytes", stack.logit_bytes, Dimension::Plain, 0, 100);
  fields.quantity("attention", stack.attention, Dimension::Plain, 0.01, 4);
  fields.finish();
}

// Parses "0-3 x2": two lanes between devices 0 and 3.
bool parse_link(const std::string& text, NodeLinks::Link& link) {
  int used = 0;
  if (std::sscanf(text.c_str(), "%d-%d x%d%n", &link.a, &link.b, &link.lanes, &used) != 3) {
    link.lanes = 1;
    if (std::sscanf(text.c_str(), "%d-%d%n", &link.a, &link.b, &used) != 2)
      return false;
  }
  return used == int(text.size()) && link.a >= 0 && link.b >= 0 && link.a != link.b && link.lanes >= 1 &&
         link.lanes <= 1024;
}

void read_links(Fields& fields, Network& network) {
  std::vector<std::string> texts;
  strings(fields, "links", texts);
  for (const std::string& text : texts) {
    NodeLinks::Link link;
    if (!parse_link(text, link)) {
      fields.error("links", "link '" + text + "' is not understood", "write '0-3' or '0-3 x2'");
    } else if (link.a >= network.node_devices || link.b >= network.node_devices) {
      fields.error(
          "links",
          "link '" + text + "' names a device that the node does not have",
          "devices are 0 to " + std::to_string(network.node_devices - 1));
    } else {
      network.node.links.push_back(link);
    }
  }
}

// Reads "8x4", the sides of a mesh of all devices.
void read_mesh(Fields& fields, const char* key, bool wraps, Network& network) {
  std::string text;
  fields.text(key, text);
  if (text.empty())
    return;
  NodeLinks& links = network.node;
  if (!links.dims.empty() || !links.links.empty())
    fields.error(key, "the devices are linked already", "give one of 'links', 'mesh', 'torus'");
  int64_t devices = 1;
  std::istringstream sides(text);
  for (std::string side; std::getline(sides, side, 'x');) {
    const auto size = base::try_int(side);
    if (!size || *size < 1 || *size > network.node_devices || devices > network.node_devices) {
      fields.error(key, "'" + text + "' are no sides of a mesh", "write '8x4'");
      return;
    }
    links.dims.push_back(int(*size));
    devices *= *size;
  }
  links.wraps = wraps;
  if (devices != network.node_devices)
    fields.error(
        key,
        "'" + text + "' holds " + std::to_string(devices) + " devices, the node has " +
            std::to_string(network.node_devices));
}

void read_network(const YamlNode& node, Network& network, base::ErrorList& errors) {
  Fields fields(node, errors);
  NodeLinks& links = network.node;
  fields.required_integer("devices", network.node_devices, 1, 4096);
  fields.quantity("lane_bandwidth", links.lane_Bps, Dimension::BytesPerTime, 1, 1e16);
  fields.quantity("efficiency", links.efficiency, Dimension::Plain, 0.01, 1);
  fields.quantity("step_latency", links.latency_s, Dimension::Time, 0, 1);
  fields.quantity("start", links.start_s, Dimension::Time, 0, 1);
  fields.quantity("setup", links.setup_s, Dimension::Time, 0, 1);
  fields.quantity("in_switch", links.in_switch, Dimension::Plain, 0, 1);
  fields.quantity("between_nodes", network.between_Bps, Dimension::BytesPerTime, 1, 1e16);
  fields.quantity("between_efficiency", network.between_efficiency, Dimension::Plain, 0.01, 1);
  fields.quantity("between_latency", network.between_latency_s, Dimension::Time, 0, 1);
  fields.quantity("energy_per_byte", network.byte_energy_j, Dimension::Energy, 0, 1e-3);
  read_links(fields, network);
  read_mesh(fields, "mesh", false, network);
  read_mesh(fields, "torus", true, network);
  std::string routing = "xy";
  fields.choice("routing", routing, {"xy", "shortest"});
  std::string ranks = "snake";
  fields.choice("ranks", ranks, {"snake", "rows"});
  links.snake = ranks == "snake";
  links.routing = routing == "xy" ? Routing::Xy : Routing::Shortest;
  if (network.node_devices > 1 && links.lane_Bps <= 0) {
    fields.error(
        "lane_bandwidth",
        "a node of several devices needs the bandwidth of its links",
        "add 'lane_bandwidth: 25 GB/s' (one direction)");
  }
  fields.finish();
}

// Reduces a device name to lower-case letters and digits. Removes a trailing count such as "(8 per node)".
std::string folded(std::string_view text) {
  if (text.ends_with("node)"))
    text = text.substr(0, text.rfind('('));
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += char(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Copies constants, stacks and missing values from the sheet of a similar chip (the relative), and marks the
// constants as measured on it. `by_power` scales them by power budgets (lent). Constants that a shipped chip
// takes from its relative were fitted to the rows of both and hold as they are.
void inherit_from(const System& relative, System& system, bool by_power) {
  const auto taken_by = [&](const Calibration& c, Precision p) {
    return by_power ? lent(c, relative.chip, system.chip, p) : c;
  };
  for (size_t i = 0; i < kPrecisions; ++i) {
    auto& own = system.chip.calibration[i];
    if (own || !relative.chip.calibration[i])
      continue;
    own = taken_by(*relative.chip.calibration[i], static_cast<Precision>(i));
    own->hold_out_error = 0;
    if (own->measured_on.empty())
      own->measured_on = relative.name;
  }
  const auto states = [&system](Precision p, const Calibration& c) {
    const auto& own = system.chip.calibration[size_t(p)];
    if (own && own->measured_on.empty())
      return true;
    for (const auto& [precision, constants] : system.chip.by_framework) {
      if (precision == p && constants.framework == c.framework)
        return true;
    }
    return false;
  };
  for (const auto& [precision, constants] : relative.chip.by_framework) {
    if (states(precision, constants))
      continue;
    system.chip.by_framework.emplace_back(precision, taken_by(constants, precision));
    Calibration& taken = system.chip.by_framework.back().second;
    taken.hold_out_error = 0;
    if (taken.measured_on.empty())
      taken.measured_on = relative.name;
  }
  if (!system.own_stack)
    system.stack = relative.stack;
  if (system.frameworks.empty())
    system.frameworks = relative.frameworks;
}

// Reads all shipped data sheets and completes those that name a similar chip (System::similar_chip).
std::vector<System> read_shipped() {
  std::vector<System> out;
  for (const std::string_view file : embedded::system_files_names()) {
    out.push_back(parse_system(std::string(embedded::system_files(file)), std::string(file)));
  }
  // The similar chip that a sheet names (System::similar_chip) may itself name one, so the end of each chain
  // is completed first.
  const auto find = [&out](const std::string& name) {
    return std::ranges::find_if(out, [&name](const System& s) {
      return s.name == name;
    });
  };
  const std::function<void(System&, int)> resolve = [&](System& system, int depth) {
    if (system.similar_chip.empty())
      return;
    const auto relative = find(system.similar_chip);
    LENTO_CHECK(
        relative != out.end() && depth < 8,
        "relatives of shipped systems are shipped, without a circle");
    resolve(*relative, depth + 1);
    inherit_from(*relative, system, false);
  };
  for (System& system : out)
    resolve(system, 0);
  return out;
}

}  // namespace

System parse_system(const std::string& yaml, const std::string& file) {
  const YamlNode root = spec::parse_yaml(yaml, file);
  base::ErrorList errors;
  Fields fields(root, errors);
  System system;
  fields.schema("lento.system/1");
  fields.required_text("name", system.name);
  fields.text("title", system.title);
  fields.text("family", system.family);
  strings(fields, "aliases", system.aliases);
  fields.text("source", system.source);
  fields.text("like", system.similar_chip);
  fields.quantity("price_per_hour", system.usd_per_hour, Dimension::Money, 0, 1e6);
  if (const YamlNode* chip = fields.map("chip")) {
    read_chip(*chip, system.chip, errors);
  } else {
    fields.error("chip", "'chip' is missing", "a system needs at least its chip's data sheet");
  }
  std::vector<const YamlNode*> calibrations;
  fields.list("calibration", calibrations);
  for (const YamlNode* node : calibrations)
    read_calibration(*node, system.chip, errors);
  if (const YamlNode* stack = fields.map("stack")) {
    read_stack(*stack, system.stack, errors);
    system.own_stack = true;
  }
  std::vector<const YamlNode*> frameworks;
  fields.list("frameworks", frameworks);
  for (const YamlNode* node : frameworks) {
    Stack stack = system.stack;
    read_stack(*node, stack, errors);
    system.frameworks.push_back(stack);
  }
  if (const YamlNode* network = fields.map("network"))
    read_network(*network, system.network, errors);
  fields.finish();
  errors.throw_if_any();
  if (system.family.empty())
    system.family = system.name;
  return system;
}

System with_framework(System system, std::string_view framework) {
  if (framework.empty())
    return system;
  system.stack = Stack(stack_for(system, framework));
  for (const auto& [precision, constants] : system.chip.by_framework) {
    if (constants.framework == framework)
      system.chip.calibration[size_t(precision)] = constants;
  }
  return system;
}

const Stack& stack_for(const System& system, std::string_view framework) {
  for (const Stack& stack : system.frameworks) {
    if (!framework.empty() && stack.framework == framework)
      return stack;
  }
  return system.stack;
}

const std::vector<System>& shipped_systems() {
  static const std::vector<System> systems = read_shipped();
  return systems;
}

const System* find_shipped(std::string_view wanted) {
  static const auto by_name = [] {
    std::unordered_map<std::string, const System*> out;  // of equal names the first sheet's
    for (const System& system : shipped_systems()) {
      out.emplace(folded(system.name), &system);
      for (const std::string& alias : system.aliases)
        out.emplace(folded(alias), &system);
    }
    return out;
  }();
  const auto at = by_name.find(folded(wanted));
  return at == by_name.end() ? nullptr : at->second;
}

// Compares a device name with the names of the system, ignoring case and separators.
bool is_called(const System& system, std::string_view device) {
  const System* shipped = find_shipped(device);
  if (shipped && shipped->family == system.family)
    return true;
  const std::string key = folded(device);
  const auto same = [&key](const std::string& name) {
    return folded(name) == key;
  };
  return same(system.name) || same(system.family) || std::ranges::any_of(system.aliases, same);
}

void inherit(System& system) {
  if (system.similar_chip.empty())
    return;
  const System* relative = find_shipped(system.similar_chip);
  if (!relative)
    throw base::Error(
        {system.name},
        "its relative '" + system.similar_chip + "' is no shipped system",
        "'like' names a shipped data sheet, e.g. h100");
  inherit_from(*relative, system, !find_shipped(system.name));
}

System read_system(const std::string& name_or_path) {
  if (const System* system = find_shipped(name_or_path))
    return *system;
  if (name_or_path.find_first_of("./") == std::string::npos && name_or_path != "-") {
    std::vector<std::string> names;
    for (const System& system : shipped_systems())
      names.push_back(system.name);
    throw base::Error(
        {},
        "no system is called '" + name_or_path + "'",
        base::suggestion(name_or_path, names) + "; a data sheet file ends in .yaml");
  }
  System system = parse_system(base::read_file(name_or_path, uint64_t{16} << 20), name_or_path);
  inherit(system);
  return system;
}

}  // namespace lento::predict
