// Reads a chip in each of its three forms: YAML of version 1 or 2, or the architecture JSON of the released
// SLOTH example. The form is recognised by content, so that commands take any of them. All errors of a YAML
// file are reported in one run.
#include "spec/chip.h"

#include <cmath>

#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "spec/chip_sections.h"
#include "spec/fabric_sheet.h"
#include "spec/yaml.h"

namespace lento::spec {
namespace {

using base::Dimension;
using base::Error;
using base::ErrorList;
using base::format_exact;
using base::Json;
using base::Location;

constexpr int kMaxSide = 256;

void read_network(Fields& top, Chip::Network& network, ErrorList& errors) {
  const YamlNode* node = top.map("network");
  if (!node)
    return;
  Fields fields(*node, errors);
  read_rate(fields, "link_bytes_per_cycle", network.link_bytes_per_cycle);
  fields.quantity("transit_cv", network.transit_cv, Dimension::Plain, 0, 2);
  fields.integer("router_cycles", network.router_cycles, 0, 1000000);
  read_bytes(fields, "segment", network.segment_bytes, 64, 1 << 24);
  fields.integer("buffer_segments", network.buffer_segments, 0, 64);
  fields.finish();
}

void read_dram(Fields& top, Chip::Dram& dram, ErrorList& errors) {
  const YamlNode* node = top.map("dram");
  if (!node)
    return;
  Fields fields(*node, errors);
  read_rate(fields, "port_bytes_per_cycle", dram.port_bytes_per_cycle);
  fields.integer("latency_cycles", dram.latency_cycles, 0, 1000000);
  fields.finish();
}

Chip chip_from_yaml(const std::string& text, const std::string& file) {
  const YamlNode root = parse_yaml(text, file);
  ErrorList errors;
  Fields top(root, errors);
  top.schema("lento.chip/1");
  Chip chip;
  top.text("name", chip.name);
  top.required_integer("width", chip.width, 1, kMaxSide);
  top.required_integer("height", chip.height, 1, kMaxSide);
  std::string topology = "mesh";
  top.choice("topology", topology, {"mesh", "ring", "torus"});
  chip.topology = topology == "mesh" ? Topology::Mesh : topology == "ring" ? Topology::Ring : Topology::Torus;
  std::string numbering = "rows";
  top.choice("numbering", numbering, {"rows", "columns"});
  chip.numbering = numbering == "rows" ? Numbering::Rows : Numbering::Columns;
  top.quantity("clock", chip.clock_hz, Dimension::Frequency, 1e3, 1e13);
  read_core(top, chip.core, ScratchpadRate::Given, errors);
  read_network(top, chip.network, errors);
  read_memory_unit(top, chip.memory_unit, errors);
  read_dram(top, chip.dram, errors);
  read_probe(top, chip.probe, errors);
  top.finish();
  if (chip.topology == Topology::Ring && chip.height != 1) {
    top.error(
        "height",
        "a ring has one row, found height " + std::to_string(chip.height),
        "write 'height: 1', or 'topology: torus' for rings in both directions");
  }
  if (chip.core_count() > kMaxCores) {
    top.error(
        "width",
        "width x height is " + std::to_string(chip.core_count()) + " cores, at most " +
            std::to_string(kMaxCores) + " are simulated");
  }
  errors.throw_if_any();
  return chip;
}

double positive(const Json& object, std::string_view key, const Location& where) {
  const Location at = base::child(where, key);
  const double value = object.at(key, where).number(at);
  if (value >= kMinRate && value <= kMaxRate)
    return value;
  throw Error(at, "found " + format_exact(value) + ", needed a rate above zero");
}

int whole(const Json& object, std::string_view key, const Location& where, int min, int max) {
  return int(object.at(key, where).integer(base::child(where, key), min, max));
}

// Reads the architecture file of the released example: core.{x,y,blk_size,spm.size,tpu.flops,lsu.width},
// noc.{x,y,type,link.width}, mem.width (the port between core and router). Absent values keep the defaults of
// Chip, which are the built-in values of the released program.
Chip chip_from_released(const std::string& text, const std::string& file) {
  const Location top{file};
  const Json root = base::parse_json(text, file);
  const Json& core = root.at("core", top);
  const Json& noc = root.at("noc", top);
  const Location core_at = base::child(top, "core");
  const Location noc_at = base::child(top, "noc");
  Chip chip;
  chip.name = "released";
  chip.numbering = Numbering::Columns;
  chip.width = whole(core, "x", core_at, 1, kMaxSide);
  chip.height = whole(core, "y", core_at, 1, kMaxSide);
  if (chip.core_count() > kMaxCores)
    throw Error(core_at, "more than 16384 cores");
  const std::string& type = noc.at("type", noc_at).string(base::child(noc_at, "type"));
  if (type != "Mesh") {
    throw Error(
        base::child(noc_at, "type"),
        "network type '" + type.substr(0, 40) + "' is not known",
        "the released example knows 'Mesh'");
  }
  chip.core.issue_window = whole(core, "blk_size", core_at, 1, 4096);
  const Location spm_at = base::child(core_at, "spm");
  chip.core.scratchpad_bytes =
      core.at("spm", core_at).at("size", spm_at).integer(base::child(spm_at, "size"), 1024, 1000000000000);
  chip.core.ops_per_cycle = positive(core.at("tpu", core_at), "flops", base::child(core_at, "tpu"));
  chip.memory_unit.bytes_per_cycle = positive(core.at("lsu", core_at), "width", base::child(core_at, "lsu"));
  chip.network.link_bytes_per_cycle = positive(noc.at("link", noc_at), "width", base::child(noc_at, "link"));
  chip.core.scratchpad_bytes_per_cycle = positive(root.at("mem", top), "width", base::child(top, "mem"));
  return chip;
}

Chip chip_from_sheet(const std::string& text, const std::string& file) {
  const FabricSheet sheet = parse_fabric(text, file);
  ErrorList errors;
  require_workable(sheet, {file}, errors);
  errors.throw_if_any();
  return chip_of(sheet);
}

bool is_sheet(const std::string& text) {
  return text.find("lento.chip/2") < text.find("lento.chip/1");
}

}  // namespace

Chip parse_chip(const std::string& text, const std::string& file) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{')
    return chip_from_released(text, file);
  if (is_sheet(text))
    return chip_from_sheet(text, file);
  return chip_from_yaml(text, file);
}

Chip read_chip(const std::string& path) {
  return parse_chip(base::read_file(path, 16 << 20), path);
}

}  // namespace lento::spec
