// Writes a system as a data sheet (docs/formats/system.md). Absent features are left out, and numbers are
// written exactly, so that reading gives the same system.
#include "base/units.h"
#include "predict/hardware/system.h"

namespace lento::predict {
namespace {

using base::format_exact;

std::string line(int depth, const std::string& key, const std::string& value) {
  return std::string(size_t(depth) * 2, ' ') + key + ": " + value + "\n";
}

// Returns the text as a double-quoted YAML scalar. Line ends become spaces.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string with_unit(double value, const char* unit) {
  return format_exact(value) + " " + unit;
}

// Returns the positive values as a YAML map from the name of the precision.
std::string by_precision(const std::array<double, kPrecisions>& values, const char* unit) {
  std::string out;
  for (size_t i = 0; i < kPrecisions; ++i) {
    if (values[i] <= 0)
      continue;
    out += (out.empty() ? "{" : ", ") + std::string(name(static_cast<Precision>(i))) + ": " +
           (*unit ? with_unit(values[i], unit) : format_exact(values[i]));
  }
  return out.empty() ? "{}" : out + "}";
}

std::string chip_text(const Chip& c) {
  std::string out = "chip:\n";
  out += line(1, "units", std::to_string(c.units));
  out += line(1, "clock", with_unit(c.clock_hz, "Hz"));
  out += line(1, "flops_per_cycle", by_precision(c.flops_per_cycle, ""));
  out += line(1, "cache", with_unit(c.cache_bytes, "B"));
  out += line(1, "unit_results", format_exact(c.unit_results));
  out += line(1, "unit_buffer", with_unit(c.unit_buffer_bytes, "B"));
  if (c.dataflow != Stationary::Output)
    out += line(1, "dataflow", std::string(name(c.dataflow)));
  if (c.persistent)
    out += line(1, "persistent", "true");
  out += line(1, "memory", with_unit(c.memory_bytes, "B"));
  out += line(1, "memory_bandwidth", with_unit(c.memory_Bps, "B/s"));
  out += line(1, "memory_reserve", with_unit(c.memory_reserve, "B"));
  out += line(1, "power", with_unit(c.power_w, "W"));
  if (by_precision(c.flop_energy_j, "J") != "{}")
    out += line(1, "energy_per_flop", by_precision(c.flop_energy_j, "J"));
  out += line(1, "energy_per_byte", with_unit(c.byte_energy_j, "J"));
  if (c.cache_byte_energy_j > 0)
    out += line(1, "energy_per_cache_byte", with_unit(c.cache_byte_energy_j, "J"));
  if (c.operand_energy_j > 0)
    out += line(1, "operand_energy", with_unit(c.operand_energy_j, "J"));
  if (c.array > 0)
    out += line(1, "array", std::to_string(c.array));
  out += line(1, "idle_share", format_exact(c.idle_share));
  return out;
}

std::string calibration_text(const Chip& chip) {
  std::string out;
  std::vector<std::pair<Precision, Calibration>> all;
  for (size_t i = 0; i < kPrecisions; ++i) {
    if (chip.calibration[i])
      all.emplace_back(static_cast<Precision>(i), *chip.calibration[i]);
  }
  all.insert(all.end(), chip.by_framework.begin(), chip.by_framework.end());
  for (const auto& [precision, c] : all) {
    if (!c.measured_on.empty())
      continue;
    out += "  - {precision: " + std::string(name(precision));
    for (const auto& [key, at] : kCalibrationConstants)
      out += std::string(", ") + key + ": " + format_exact(c.*at);
    if (c.launch_s > 0)
      out += ", launch: " + with_unit(c.launch_s, "s");
    if (!c.framework.empty())
      out += ", framework: " + quoted(c.framework);
    if (c.hold_out_error > 0)
      out += ", hold_out_error: " + format_exact(c.hold_out_error);
    out += ", source: " + quoted(c.source) + "}\n";
  }
  return out.empty() ? "" : "calibration:\n" + out;
}

std::string stack_text(const Stack& s) {
  return "{library: " + format_exact(s.library) + ", launch: " + with_unit(s.launch_s, "s") +
         ", overlap: " + format_exact(s.overlap) + ", host_layer: " + with_unit(s.host_layer_s, "s") +
         ", host_tensor: " + format_exact(s.host_tensor) + ", hand_over: " + with_unit(s.hand_over_s, "s") +
         ", pointwise: " + format_exact(s.pointwise) + ", attention: " + format_exact(s.attention) +
         ", kept: " + format_exact(s.kept) + ", logit_bytes: " + format_exact(s.logit_bytes);
}

std::string network_text(const Network& n) {
  std::string out = "network:\n";
  out += line(1, "devices", std::to_string(n.node_devices));
  if (n.node.lane_Bps > 0)
    out += line(1, "lane_bandwidth", with_unit(n.node.lane_Bps, "B/s"));
  out += line(1, "efficiency", format_exact(n.node.efficiency));
  out += line(1, "step_latency", with_unit(n.node.latency_s, "s"));
  out += line(1, "start", with_unit(n.node.start_s, "s"));
  out += line(1, "setup", with_unit(n.node.setup_s, "s"));
  out += line(1, "in_switch", format_exact(n.node.in_switch));
  if (n.between_Bps > 0)
    out += line(1, "between_nodes", with_unit(n.between_Bps, "B/s"));
  out += line(1, "between_efficiency", format_exact(n.between_efficiency));
  out += line(1, "between_latency", with_unit(n.between_latency_s, "s"));
  if (n.byte_energy_j > 0)
    out += line(1, "energy_per_byte", with_unit(n.byte_energy_j, "J"));
  if (!n.node.dims.empty()) {
    std::string sides;
    for (const int side : n.node.dims)
      sides += (sides.empty() ? "" : "x") + std::to_string(side);
    out += line(1, n.node.wraps ? "torus" : "mesh", sides);
    if (!n.node.snake)
      out += line(1, "ranks", "rows");
    if (n.node.routing == Routing::Shortest)
      out += line(1, "routing", "shortest");
  }
  if (n.node.links.empty())
    return out;
  std::string links;
  for (const NodeLinks::Link& l : n.node.links)
    links += (links.empty() ? "[\"" : ", \"") + std::to_string(l.a) + "-" + std::to_string(l.b) + " x" +
             std::to_string(l.lanes) + "\"";
  return out + line(1, "links", links + "]");
}

}  // namespace

std::string write_system(const System& s) {
  std::string out = "schema: lento.system/1\n";
  out += line(0, "name", quoted(s.name));
  if (!s.title.empty())
    out += line(0, "title", quoted(s.title));
  out += line(0, "family", quoted(s.family));
  if (!s.aliases.empty()) {
    std::string aliases;
    for (const std::string& alias : s.aliases)
      aliases += (aliases.empty() ? "[" : ", ") + quoted(alias);
    out += line(0, "aliases", aliases + "]");
  }
  if (!s.source.empty())
    out += line(0, "source", quoted(s.source));
  if (!s.similar_chip.empty())
    out += line(0, "like", quoted(s.similar_chip));
  if (s.usd_per_hour > 0)
    out += line(0, "price_per_hour", with_unit(s.usd_per_hour, "USD"));
  out += chip_text(s.chip) + calibration_text(s.chip);
  out += "stack: " + stack_text(s.stack) + "}\n";
  if (!s.frameworks.empty())
    out += "frameworks:\n";
  for (const Stack& f : s.frameworks)
    out += "  - " + stack_text(f) + ", framework: " + quoted(f.framework) + "}\n";
  return out + network_text(s.network);
}

}  // namespace lento::predict
