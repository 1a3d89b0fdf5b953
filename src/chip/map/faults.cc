// Reads fault files in YAML or in the released JSON, names components, and evaluates the factor of a fault
// over time. Times may carry units and are converted with the chip's clock. A component that the chip lacks
// is kept as a fault that does not exist(), so that a campaign can count it as not applicable. On a sheet it
// is an error.
#include "chip/map/faults.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "spec/yaml.h"

namespace lento::chip {
namespace {

using base::child;
using base::Error;
using base::Json;
using base::Location;

constexpr double kMaxFactor = 1e6;
constexpr double kMaxCycles = 1e18;
constexpr size_t kMaxFaults = 10000;

int core_number(std::string_view text, const Grid& grid) {
  const auto value = base::try_uint(text);
  return value && *value < uint64_t(grid.core_count()) ? int(*value) : -1;
}

bool is_number(std::string_view text) {
  return base::try_uint(text).has_value();
}

Fault link_between(int from, int to, const std::string& name, const Grid& grid) {
  Fault fault{
      .part = Part::Link,
      .name = name,
  };
  if (from >= 0 && to >= 0 && grid.find_link(from, to) >= 0) {
    fault.index = from;
    fault.other = to;
  }
  return fault;
}

// Reads cycles as a plain number, or a time with a unit.
void read_time(
    spec::Fields& fields,
    const spec::YamlNode& node,
    std::string_view key,
    uint64_t& out,
    double clock) {
  const spec::YamlNode* found = node.find(key);
  double cycles = 0;
  if (found && base::try_double(found->text)) {
    fields.quantity(key, cycles, base::Dimension::Plain, 0, kMaxCycles);
  } else {
    double seconds = -1;
    fields.quantity(key, seconds, base::Dimension::Time, 0, kMaxCycles / clock);
    if (seconds < 0)
      return;
    cycles = seconds * clock;
  }
  out = uint64_t(std::llround(cycles));
}

// Reads one fault. Times in seconds are converted to cycles with `clock` (Hz).
Fault fault_from_yaml(const spec::YamlNode& node, const Grid& grid, double clock, base::ErrorList& errors) {
  spec::Fields fields(node, errors);
  Fault fault;
  std::string name;
  fields.required_text("component", name);
  if (const spec::YamlNode* at = node.find("component"); at && !name.empty()) {
    try {
      fault = component(name, grid, {});
    } catch (const Error& e) {
      errors.add(at->where, std::string(e.what()).substr(7));
    }
  }
  fields.required_quantity("factor", fault.factor, base::Dimension::Plain, 1, kMaxFactor);
  read_time(fields, node, "start", fault.begin, clock);
  read_time(fields, node, "end", fault.end, clock);
  read_time(fields, node, "ramp", fault.ramp, clock);
  read_time(fields, node, "period", fault.period, clock);
  read_time(fields, node, "on", fault.on, clock);
  if (fault.end <= fault.begin)
    fields.error("end", "the fault ends before it starts");
  if (fault.period > 0 && (fault.on == 0 || fault.on > fault.period)) {
    fields.error("on", "'on' must be above zero and at most 'period'");
  }
  fields.finish();
  return fault;
}

// Reads the faults of a YAML file.
std::vector<Fault>
faults_from_yaml(const std::string& text, const std::string& file, const spec::Chip& chip) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields top(root, errors);
  top.schema("lento.faults/1");
  std::vector<const spec::YamlNode*> nodes;
  top.list("faults", nodes);
  if (root.find("faults") == nullptr)
    top.error("faults", "needed: the list of faults");
  top.finish();
  std::vector<Fault> faults;
  const Grid grid(chip);
  if (nodes.size() > kMaxFaults)
    top.error("faults", "more than 10000 faults");
  for (const spec::YamlNode* node : nodes) {
    if (faults.size() < kMaxFaults)
      faults.push_back(fault_from_yaml(*node, grid, chip.clock_hz, errors));
  }
  errors.throw_if_any();
  return faults;
}

// Reads one entry of the released JSON, whose core ids count along y first: id = x * height + y.
Fault fault_from_released(const Json& json, std::string_view list, const Location& at, const Grid& grid) {
  const auto whole = [&](std::string_view key, int64_t min, int64_t max) {
    return json.at(key, at).integer(child(at, key), min, max);
  };
  const bool is_core = list == "tpu" || list == "lsu";
  const int id = int(whole(is_core ? "pe_id" : "router_id", 0, 1 << 20));
  const bool on_chip = id < grid.core_count();
  const Position p{id / grid.height(), id % grid.height()};
  Fault fault;
  if (list == "link") {
    constexpr std::array<Position, 4> kSteps{{{0, 1}, {0, -1}, {1, 0}, {-1, 0}}};  // north, south, east, west
    const Position step = kSteps[whole("direction", 0, 3)];
    const Position q{p.x + step.x, p.y + step.y};
    const bool inside = on_chip && q.x >= 0 && q.y >= 0 && q.x < grid.width() && q.y < grid.height();
    const std::string name = "link of router " + std::to_string(id) + " towards x" +
                             (step.x < 0 ? "-1" : "+" + std::to_string(step.x)) + ", y" +
                             (step.y < 0 ? "-1" : "+" + std::to_string(step.y));
    fault = link_between(inside ? grid.core(p) : -1, inside ? grid.core(q) : -1, name, grid);
    if (fault.exists())
      fault.name = grid.link_name(grid.find_link(fault.index, fault.other));
  } else {
    fault.part = list == "tpu" ? Part::Core : list == "lsu" ? Part::MemoryUnit : Part::Router;
    fault.index = on_chip ? grid.core(p) : -1;
    const int shown = on_chip ? fault.index : id;
    fault.name = list == "tpu"   ? grid.core_name(shown)
                 : list == "lsu" ? grid.memory_unit_name(shown)
                                 : grid.router_name(shown);
  }
  fault.begin = whole("start_time", 0, int64_t(kMaxCycles));
  fault.end = whole("end_time", 0, int64_t(kMaxCycles));
  fault.factor = json.at("times", at).number(child(at, "times"));
  if (fault.end <= fault.begin)
    throw Error(child(at, "end_time"), "the fault ends before it starts");
  if (!(fault.factor >= 1 && fault.factor <= kMaxFactor)) {
    throw Error(child(at, "times"), "needed a factor from 1 to 1000000: times slower");
  }
  return fault;
}

// Reads the faults of a file in the format of the paper's released tool.
std::vector<Fault>
faults_from_released(const std::string& text, const std::string& file, const spec::Chip& chip) {
  const Location top{file};
  const Json root = base::parse_json(text, file);
  const Grid grid(chip);
  if (grid.is_sheet())
    throw Error(
        top,
        "the released form numbers a rectangle of cores",
        "write lento.faults/1 with names of the sheet");
  std::vector<Fault> faults;
  for (const char* list : {"router", "link", "lsu", "tpu"}) {
    const Location list_at = child(top, list);
    const Json::Array& items = root.at(list, top).array(list_at);
    for (size_t i = 0; i < items.size(); ++i) {
      if (faults.size() >= kMaxFaults)
        throw Error(list_at, "more than 10000 faults");
      faults.push_back(fault_from_released(items[i], list, child(list_at, i), grid));
    }
  }
  return faults;
}

}  // namespace

bool Fault::holds(uint64_t now) const {
  if (now < begin || now >= end)
    return false;
  return period == 0 || (now - begin) % period < on;
}

double Fault::at(uint64_t now) const {
  if (!holds(now))
    return 1;
  const uint64_t since = now - begin;
  if (since >= ramp)
    return factor;
  return 1 + (factor - 1) * (double(since) / double(ramp));
}

namespace {

// Finds a component of a sheet by name. Returns nothing when there is none.
std::optional<Fault> named_on_sheet(const std::string& name, const Grid& grid) {
  const auto found = [&](Part part, int index, int other = -1) {
    return Fault{.part = part, .index = index, .other = other, .name = name};
  };
  for (int core = 0; core < grid.core_count(); ++core) {
    if (name == grid.core_name(core))
      return found(Part::Core, core);
    if (name == grid.memory_unit_name(core))
      return found(Part::MemoryUnit, core);
  }
  for (int port = 0; port < grid.port_count(); ++port)
    if (name == grid.port_name(port))
      return found(Part::DramPort, port);
  for (int id = 0; id < grid.link_count(); ++id)
    if (name == grid.link_name(id))
      return found(Part::Link, grid.link(id).from, grid.link(id).to);
  for (int router = 0; router < grid.router_count(); ++router)
    if (name == grid.router_name(router))
      return found(Part::Router, router);
  return std::nullopt;
}

}  // namespace

Fault component(const std::string& name, const Grid& grid, const Location& where) {
  if (grid.is_sheet()) {
    if (const auto found = named_on_sheet(name, grid))
      return *found;
    const std::string core = grid.core_name(0);
    throw Error(
        where,
        "'" + name.substr(0, 60) + "' does not name a component of this chip that works",
        grid.link_count() > 0 ? "names look like " + core + ", " + grid.link_name(0) + ", " +
                                    grid.router_name(0) + ", " + grid.port_name(0)
                              : "names look like " + core + ", " + grid.port_name(0));
  }
  const auto tail = [&](std::string_view head) -> std::string_view {
    return std::string_view(name).substr(std::min(head.size(), name.size()));
  };
  for (const auto& [head, part] :
       {std::pair<std::string_view, Part>{"core", Part::Core},
        {"router", Part::Router},
        {"lsu", Part::MemoryUnit}}) {
    if (name.starts_with(head) && is_number(tail(head))) {
      return {
          .part = part,
          .index = core_number(tail(head), grid),
          .name = name,
      };
    }
  }
  if (name.starts_with("link")) {
    const std::string_view ends = tail("link");
    const size_t dash = ends.find('-');
    if (dash != std::string_view::npos && is_number(ends.substr(0, dash)) &&
        is_number(ends.substr(dash + 1))) {
      return link_between(
          core_number(ends.substr(0, dash), grid),
          core_number(ends.substr(dash + 1), grid),
          name,
          grid);
    }
  }
  for (const std::string_view head : {"dram-left-", "dram-right-"}) {
    if (!name.starts_with(head) || !is_number(tail(head)))
      continue;
    const auto row = base::try_uint(tail(head));
    const int base = head == "dram-left-" ? 0 : grid.height();
    const bool there = *row < uint64_t(grid.height());
    return {
        .part = Part::DramPort,
        .index = there ? base + int(*row) : -1,
        .name = name,
    };
  }
  throw Error(
      where,
      "'" + name.substr(0, 60) +
          "' does not name a component: core5, link5-9, router5, lsu5, dram-left-2 or dram-right-2");
}

std::vector<Fault> parse_faults(const std::string& text, const std::string& file, const spec::Chip& chip) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{')
    return faults_from_released(text, file, chip);
  return faults_from_yaml(text, file, chip);
}

std::vector<Fault> read_faults(const std::string& path, const spec::Chip& chip) {
  return parse_faults(base::read_file(path, 16 << 20), path, chip);
}

std::string write_faults(const std::vector<Fault>& faults) {
  std::string out = "schema: lento.faults/1\nfaults:\n";
  for (const Fault& f : faults) {
    out += "- component: " + f.name + "\n  factor: " + base::format_exact(f.factor) + "\n";
    out += "  start: " + std::to_string(f.begin) + "\n";
    if (f.end != UINT64_MAX)
      out += "  end: " + std::to_string(f.end) + "\n";
    if (f.ramp > 0)
      out += "  ramp: " + std::to_string(f.ramp) + "\n";
    if (f.period > 0)
      out += "  period: " + std::to_string(f.period) + "\n  on: " + std::to_string(f.on) + "\n";
  }
  return out;
}

void require_present(const std::vector<Fault>& faults, const std::string& file) {
  for (const Fault& fault : faults) {
    if (!fault.exists()) {
      throw Error(
          Location{file},
          "the chip has no " + fault.name,
          "a campaign counts such a fault as not applicable; one run needs a component that is there");
    }
  }
}

void require_reached(const std::vector<Fault>& faults, uint64_t cycles, const std::string& file) {
  for (const Fault& fault : faults) {
    if (fault.begin >= cycles) {
      throw Error(
          Location{file},
          fault.name + " becomes slow at cycle " + std::to_string(fault.begin) + ", the run ends at " +
              std::to_string(cycles) + ": nothing would be slow",
          "let it start earlier, or run more inferences (--inferences)");
    }
  }
}

bool applicable(const std::vector<Fault>& faults) {
  return std::ranges::all_of(faults, [](const Fault& f) {
    return f.exists();
  });
}

}  // namespace lento::chip
