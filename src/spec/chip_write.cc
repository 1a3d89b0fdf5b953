// Writes a Chip as YAML and converts a FabricSheet to a Chip. Numbers are written with all digits, so that a
// chip that is written and read again is equal.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "spec/chip_sections.h"

namespace lento::spec {
namespace {

using base::format_exact;

// Collects the top-level lines of a file.
class Lines {
 public:
  explicit Lines(std::string_view schema) {
    line("schema", std::string(schema));
  }
  void line(std::string_view key, const std::string& value) {
    text_.append(key).append(": ").append(value).append("\n");
  }
  void number(std::string_view key, double value) {
    line(key, format_exact(value));
  }
  void section(const std::string& text) {
    text_ += text;
  }
  std::string take() {
    return std::move(text_);
  }

 private:
  std::string text_;
};

std::string quoted(const std::string& text) {
  return base::write_json(base::Json(text));
}

std::string place_text(const TilePlace& at) {
  return "\"" + std::to_string(at.chip) + ":" + std::to_string(at.x) + "," + std::to_string(at.y) + "\"";
}

template <class List, class Text>
std::string list_text(const List& list, Text text) {
  std::string out;
  for (const auto& each : list)
    out += (out.empty() ? "" : ", ") + text(each);
  return "[" + out + "]";
}

// Returns the kinds of tiles as YAML.
std::string tiles_text(const Interconnect& net) {
  std::string out = "tiles:\n";
  for (const TileKind kind : {TileKind::Dram, TileKind::Ethernet, TileKind::Router, TileKind::Harvested}) {
    std::vector<TilePlace> places;
    for (int y = 0; y < net.height; ++y)
      for (int x = 0; x < net.width; ++x)
        if (net.kind(x, y) == kind)
          places.push_back({0, x, y});
    out += "  " + std::string(name(kind)) + ": " + list_text(places, place_text) + "\n";
  }
  return out;
}

// Returns a network as YAML.
std::string network_text(const Interconnect::Network& n) {
  std::vector<std::string> carried;
  for (const Load load : kLoads)
    if (n.carries[size_t(load)])
      carried.emplace_back(name(load));
  const auto route = [](const Interconnect::Network::Route& r) {
    return list_text(r.tiles, place_text);
  };
  return "  - {name: " + quoted(n.name) + ", topology: " + name(n.topology) +
         ", order: " + (n.y_first ? "yx" : "xy") + ", x: " + name(n.x) + ", y: " + name(n.y) + ", carries: " +
         list_text(
             carried,
             [](const std::string& word) {
               return word;
             }) +
         ", routes: " + list_text(n.table, route) + "}\n";
}

// Returns the links between chips as YAML.
std::string chip_links_text(const Interconnect& net) {
  std::string out;
  for (const Interconnect::ChipLink& link : net.chip_links)
    out += "  - {from: " + place_text(link.from) + ", to: " + place_text(link.to) +
           ", bytes_per_cycle: " + format_exact(link.bytes_per_cycle) +
           ", cycles: " + format_exact(link.cycles) + "}\n";
  if (out.empty())
    return "chip_links: []\n";
  return "chip_links:\n" + out;
}

std::string write_sheet(const Chip& chip) {
  const Interconnect& net = *chip.interconnect;
  Lines out("lento.chip/2");
  out.line("name", quoted(chip.name));
  out.line("clock", format_exact(chip.clock_hz) + " Hz");
  out.number("chips", net.chips);
  out.number("width", net.width);
  out.number("height", net.height);
  out.section(tiles_text(net));
  out.section("networks:\n");
  for (const Interconnect::Network& network : net.networks)
    out.section(network_text(network));
  out.section("link:\n");
  out.number("  bytes_per_cycle", chip.network.link_bytes_per_cycle);
  out.number("  hop_cycles", chip.network.router_cycles);
  out.number("  transit_cv", chip.network.transit_cv);
  out.line("  segment", std::to_string(chip.network.segment_bytes) + " B");
  out.line("  buffer", std::to_string(chip.network.buffer_segments * chip.network.segment_bytes) + " B");
  out.section("port:\n");
  out.number("  bytes_per_cycle", chip.core.scratchpad_bytes_per_cycle);
  out.section("core_memory:\n");
  out.number("  bytes_per_cycle", chip.core.scratchpad_bytes_per_cycle);
  out.section("dram:\n");
  out.number("  bytes_per_cycle", chip.dram.port_bytes_per_cycle);
  out.number("  read_cycles", chip.dram.latency_cycles);
  out.section(chip_links_text(net));
  out.section(write_core(chip.core, ScratchpadRate::Elsewhere));
  out.section(write_memory_unit(chip.memory_unit));
  out.section(write_probe(chip.probe));
  return out.take();
}

std::string write_grid(const Chip& chip) {
  Lines out("lento.chip/1");
  out.line("name", quoted(chip.name));
  out.number("width", chip.width);
  out.number("height", chip.height);
  out.line("topology", name(chip.topology));
  out.line("numbering", chip.numbering == Numbering::Rows ? "rows" : "columns");
  out.line("clock", format_exact(chip.clock_hz) + " Hz");
  out.section(write_core(chip.core, ScratchpadRate::Given));
  out.section("network:\n");
  out.number("  link_bytes_per_cycle", chip.network.link_bytes_per_cycle);
  out.number("  transit_cv", chip.network.transit_cv);
  out.number("  router_cycles", chip.network.router_cycles);
  out.line("  segment", std::to_string(chip.network.segment_bytes) + " B");
  out.number("  buffer_segments", chip.network.buffer_segments);
  out.section(write_memory_unit(chip.memory_unit));
  out.section("dram:\n");
  out.number("  port_bytes_per_cycle", chip.dram.port_bytes_per_cycle);
  out.number("  latency_cycles", chip.dram.latency_cycles);
  out.section(write_probe(chip.probe));
  return out.take();
}

// Returns how many whole segments of `segment` bytes a buffer of `bytes` holds, at least one. For 0 bytes it
// returns 0, which means unbounded.
int buffer_segments(double bytes, int64_t segment) {
  if (bytes == 0)
    return 0;
  return std::max(1, int(bytes / double(segment)));
}

}  // namespace

std::string write_chip(const Chip& chip) {
  if (chip.interconnect)
    return write_sheet(chip);
  return write_grid(chip);
}

Chip chip_of(const FabricSheet& sheet) {
  LENTO_CHECK(sheet.computes, "a sheet of what moves data alone has no chip");
  Chip chip;
  chip.name = sheet.name;
  chip.width = sheet.chips * sheet.width;
  chip.height = sheet.height;
  chip.clock_hz = sheet.clock_hz;
  chip.core = sheet.core;
  chip.core.scratchpad_bytes_per_cycle =
      std::min(sheet.port.bytes_per_cycle, sheet.core_memory.bytes_per_cycle);
  chip.network.link_bytes_per_cycle = sheet.link.bytes_per_cycle;
  chip.network.transit_cv = sheet.link.transit_cv;
  chip.network.router_cycles = int(std::lround(sheet.link.hop_cycles));
  chip.network.segment_bytes = sheet.link.segment_bytes;
  chip.network.buffer_segments = buffer_segments(sheet.link.buffer_bytes, sheet.link.segment_bytes);
  chip.memory_unit = sheet.memory_unit;
  chip.dram.port_bytes_per_cycle = sheet.dram.bytes_per_cycle;
  chip.dram.latency_cycles = int(std::lround(sheet.dram.read_cycles));
  chip.probe = sheet.probe;
  chip.interconnect = sheet;
  return chip;
}

}  // namespace lento::spec
