// Reads sheets of version `lento.chip/2`. A reader walks the sections in order and records every error with
// its line, so that a user mends a sheet in one pass. Bounds on sides, chips and tiles keep a hostile sheet
// small.
#include "spec/fabric_sheet.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/file.h"
#include "base/number.h"
#include "embedded/chip_sheets.h"
#include "spec/chip_sections.h"
#include "spec/yaml.h"

namespace lento::spec {
namespace {

using base::Dimension;
using base::ErrorList;

constexpr int kMaxSheetSide = 256;
constexpr int kMaxChips = 64;
constexpr int64_t kMaxTiles = 65536;
constexpr double kMaxCycles = 1e9;

void cycles(Fields& fields, std::string_view key, double& out) {
  fields.quantity(key, out, Dimension::Plain, 0, kMaxCycles);
}

// Parses "x,y" or "chip:x,y".
bool parse_place(std::string_view text, TilePlace& out) {
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto chip = base::try_int(text.substr(0, colon));
    if (!chip || *chip < 0 || *chip >= kMaxChips)
      return false;
    out.chip = int(*chip);
    text.remove_prefix(colon + 1);
  }
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    return false;
  const auto x = base::try_int(text.substr(0, comma));
  const auto y = base::try_int(text.substr(comma + 1));
  if (!x || !y || *x < 0 || *y < 0 || *x >= kMaxSheetSide || *y >= kMaxSheetSide)
    return false;
  out.x = int(*x);
  out.y = int(*y);
  return true;
}

class SheetReader {
 public:
  SheetReader(const YamlNode& root, ErrorList& errors)
      : root_(root),
        errors_(errors) {
  }

  FabricSheet read() {
    Fields top(root_, errors_);
    top.schema("lento.chip/2");
    top.text("name", sheet_.name);
    top.quantity("clock", sheet_.clock_hz, Dimension::Frequency, 1e3, 1e13);
    top.integer("chips", sheet_.chips, 1, kMaxChips);
    top.required_integer("width", sheet_.width, 1, kMaxSheetSide);
    top.required_integer("height", sheet_.height, 1, kMaxSheetSide);
    if (int64_t{sheet_.chips} * sheet_.width * sheet_.height > kMaxTiles)
      top.error("width", "chips x width x height is above 65536 tiles");
    sheet_.tiles.assign(size_t(sheet_.width) * sheet_.height, TileKind::Core);
    read_tiles(top);
    read_networks(top);
    read_rates(top);
    read_chip_links(top);
    read_program(top);
    sheet_.computes = read_core(top, sheet_.core, ScratchpadRate::Elsewhere, errors_);
    read_core_classes(top);
    read_chip_clocks(top);
    read_memory_unit(top, sheet_.memory_unit, errors_);
    read_probe(top, sheet_.probe, errors_);
    top.finish();
    return std::move(sheet_);
  }

 private:
  // Parses the place of a tile.
  bool place_of(const YamlNode& node, TilePlace& out) {
    if (!parse_place(node.text, out)) {
      errors_.add(
          node.where,
          "found '" + node.text.substr(0, 40) + "', needed a tile",
          "write \"x,y\" or \"chip:x,y\"");
      return false;
    }
    if (out.x < sheet_.width && out.y < sheet_.height && out.chip < sheet_.chips)
      return true;
    errors_.add(node.where, "tile '" + node.text.substr(0, 40) + "' is outside the grid");
    return false;
  }

  // Reads a list of tiles.
  std::vector<TilePlace> places(Fields& fields, std::string_view key) {
    std::vector<const YamlNode*> nodes;
    fields.list(key, nodes);
    std::vector<TilePlace> out;
    for (const YamlNode* node : nodes) {
      TilePlace place;
      if (place_of(*node, place))
        out.push_back(place);
    }
    return out;
  }

  // Reads a list of integers from 0 below `below`.
  std::vector<int> numbers(Fields& fields, std::string_view key, int below) {
    std::vector<const YamlNode*> nodes;
    fields.list(key, nodes);
    std::vector<int> out;
    for (const YamlNode* node : nodes) {
      const auto value = base::try_int(node->text);
      if (value && *value >= 0 && *value < below) {
        out.push_back(int(*value));
      } else {
        errors_.add(
            node->where,
            "found '" + node->text.substr(0, 40) + "', needed a number from 0 to " +
                std::to_string(below - 1));
      }
    }
    return out;
  }

  void read_tiles(Fields& top) {
    const YamlNode* node = top.map("tiles");
    if (!node)
      return;
    Fields fields(*node, errors_);
    for (const TileKind kind : {TileKind::Dram, TileKind::Ethernet, TileKind::Router, TileKind::Harvested}) {
      for (const TilePlace& p : places(fields, spec::name(kind)))
        sheet_.tiles[size_t(sheet_.tile(p.x, p.y))] = kind;
    }
    const std::vector<int> rows = numbers(fields, "harvested_rows", sheet_.height);
    const std::vector<int> columns = numbers(fields, "harvested_columns", sheet_.width);
    harvest(sheet_, rows, columns);
    fields.finish();
  }

  // Reads a direction: up, down or both.
  Sense sense(Fields& fields, std::string_view key) {
    std::string word = "both";
    fields.choice(key, word, {"up", "down", "both"});
    if (word == "up")
      return Sense::Up;
    if (word == "down")
      return Sense::Down;
    return Sense::Both;
  }

  // Returns the fault of a route, or nullptr when it is valid.
  static const char* fault_of(const FabricSheet::Network::Route& route) {
    if (route.tiles.front() == route.tiles.back())
      return "a route ends where it begins";
    for (size_t k = 1; k < route.tiles.size(); ++k)
      if (route.tiles[k] == route.tiles[k - 1])
        return "a route stays where it is";
    return nullptr;
  }

  void read_routes(Fields& fields, FabricSheet::Network& network) {
    std::vector<const YamlNode*> routes;
    fields.list("routes", routes);
    for (const YamlNode* route : routes) {
      FabricSheet::Network::Route out;
      for (const YamlNode& item : route->items) {
        TilePlace place;
        if (place_of(item, place))
          out.tiles.push_back(place);
      }
      if (out.tiles.size() < 2) {
        errors_.add(route->where, "a route has fewer than two tiles", "write [\"0,0\", \"1,0\", ...]");
        continue;
      }
      if (const char* wrong = fault_of(out)) {
        errors_.add(route->where, wrong);
        continue;
      }
      network.table.push_back(std::move(out));
    }
  }

  void read_carried(Fields& fields, FabricSheet::Network& network) {
    if (!fields.has("carries"))
      return;
    network.carries = {};
    std::vector<const YamlNode*> words;
    fields.list("carries", words);
    for (const YamlNode* word : words) {
      const auto load = std::ranges::find_if(kLoads, [&](Load each) {
        return word->text == spec::name(each);
      });
      if (load == kLoads.end()) {
        errors_.add(
            word->where,
            "found '" + word->text.substr(0, 40) + "', needed messages, reads or writes");
        continue;
      }
      network.carries[size_t(*load)] = true;
    }
  }

  void read_network(const YamlNode& node) {
    Fields fields(node, errors_);
    FabricSheet::Network network;
    fields.required_text("name", network.name);
    std::string topology = "mesh";
    std::string order = "xy";
    fields.choice("topology", topology, {"mesh", "ring", "torus"});
    network.topology = topology == "mesh"   ? Topology::Mesh
                       : topology == "ring" ? Topology::Ring
                                            : Topology::Torus;
    fields.choice("order", order, {"xy", "yx"});
    network.y_first = order == "yx";
    network.x = sense(fields, "x");
    network.y = sense(fields, "y");
    read_carried(fields, network);
    if (network.topology == Topology::Mesh && (network.x != Sense::Both || network.y != Sense::Both))
      fields.error("topology", "a mesh must turn both ways", "leave x and y out, or write 'topology: torus'");
    if (network.topology == Topology::Ring && sheet_.height != 1)
      fields.error("topology", "a ring has one row", "write 'height: 1', or 'topology: torus'");
    read_routes(fields, network);
    fields.finish();
    for (const FabricSheet::Network& other : sheet_.networks)
      if (other.name == network.name)
        errors_.add(node.where, "network '" + network.name + "' occurs twice");
    sheet_.networks.push_back(std::move(network));
  }

  void read_networks(Fields& top) {
    std::vector<const YamlNode*> nodes;
    top.list("networks", nodes);
    for (const YamlNode* node : nodes)
      read_network(*node);
    if (sheet_.networks.empty())
      sheet_.networks.push_back({});
    if (sheet_.networks.size() > 8)
      top.error("networks", "more than 8 networks");
  }

  void read_memory(Fields& top, std::string_view key, FabricSheet::Memory& memory) {
    const YamlNode* node = top.map(key);
    if (!node)
      return;
    Fields fields(*node, errors_);
    read_rate(fields, "bytes_per_cycle", memory.bytes_per_cycle);
    cycles(fields, "read_cycles", memory.read_cycles);
    fields.finish();
  }

  void read_rates(Fields& top) {
    if (const YamlNode* node = top.map("link")) {
      Fields fields(*node, errors_);
      read_rate(fields, "bytes_per_cycle", sheet_.link.bytes_per_cycle);
      cycles(fields, "hop_cycles", sheet_.link.hop_cycles);
      cycles(fields, "packet_cycles", sheet_.link.packet_cycles);
      fields.integer("virtual_channels", sheet_.link.virtual_channels, 0, 64);
      fields.quantity("buffer", sheet_.link.buffer_bytes, Dimension::Bytes, 0, 1e9);
      fields.quantity("transit_cv", sheet_.link.transit_cv, Dimension::Plain, 0, 2);
      read_bytes(fields, "segment", sheet_.link.segment_bytes, 64, 1 << 24);
      fields.finish();
    }
    if (const YamlNode* node = top.map("port")) {
      Fields fields(*node, errors_);
      read_rate(fields, "bytes_per_cycle", sheet_.port.bytes_per_cycle);
      cycles(fields, "cycles", sheet_.port.cycles);
      fields.integer("channels", sheet_.port.channels, 0, 64);
      fields.finish();
    }
    read_memory(top, "core_memory", sheet_.core_memory);
    read_memory(top, "dram", sheet_.dram);
  }

  void read_chip_links(Fields& top) {
    std::vector<const YamlNode*> nodes;
    top.list("chip_links", nodes);
    for (const YamlNode* node : nodes) {
      Fields fields(*node, errors_);
      FabricSheet::ChipLink link;
      std::string from;
      std::string to;
      fields.required_text("from", from);
      fields.required_text("to", to);
      read_rate(fields, "bytes_per_cycle", link.bytes_per_cycle);
      cycles(fields, "cycles", link.cycles);
      fields.finish();
      YamlNode end = *node;
      end.text = from;
      const bool first = place_of(end, link.from);
      end.text = to;
      if (first && place_of(end, link.to))
        sheet_.chip_links.push_back(link);
    }
  }

  void read_core_classes(Fields& top) {
    std::vector<const YamlNode*> nodes;
    top.list("core_classes", nodes);
    if (nodes.empty())
      return;
    sheet_.core_rates.assign(sheet_.tiles.size(), sheet_.core.ops_per_cycle);
    for (const YamlNode* node : nodes) {
      Fields fields(*node, errors_);
      double rate = sheet_.core.ops_per_cycle;
      read_rate(fields, "ops_per_cycle", rate);
      if (rate > sheet_.core.ops_per_cycle)
        fields.error("ops_per_cycle", "a class is faster than 'core'", "let 'core' be the fastest one");
      for (const TilePlace& p : places(fields, "tiles")) {
        if (sheet_.kind(p.x, p.y) != TileKind::Core)
          fields.error("tiles", "a tile of the class is no core");
        sheet_.core_rates[size_t(sheet_.tile(p.x, p.y))] = rate;
      }
      fields.finish();
    }
  }

  void read_chip_clocks(Fields& top) {
    std::vector<const YamlNode*> nodes;
    top.list("chip_clocks", nodes);
    if (nodes.empty())
      return;
    sheet_.clocks_hz.assign(size_t(sheet_.chips), sheet_.clock_hz);
    for (const YamlNode* node : nodes) {
      Fields fields(*node, errors_);
      int chip = 0;
      fields.required_integer("chip", chip, 0, sheet_.chips - 1);
      double clock = sheet_.clock_hz;
      fields.required_quantity("clock", clock, Dimension::Frequency, 1e3, 1e13);
      if (clock > sheet_.clock_hz)
        fields.error("clock", "a chip is faster than 'clock'", "let 'clock' be that of the fastest chip");
      sheet_.clocks_hz[size_t(chip)] = clock;
      fields.finish();
    }
  }

  void read_program(Fields& top) {
    const YamlNode* node = top.map("program");
    if (!node)
      return;
    Fields fields(*node, errors_);
    cycles(fields, "completion_cycles", sheet_.completion_cycles);
    cycles(fields, "resume_cycles", sheet_.resume_cycles);
    std::vector<const YamlNode*> nodes;
    fields.list("processors", nodes);
    for (const YamlNode* each : nodes) {
      Fields inner(*each, errors_);
      FabricSheet::Processor processor;
      inner.required_text("name", processor.name);
      cycles(inner, "start_cycles", processor.start_cycles);
      cycles(inner, "issue_core_cycles", processor.issue_core_cycles);
      cycles(inner, "issue_dram_cycles", processor.issue_dram_cycles);
      cycles(inner, "turn_cycles", processor.turn_cycles);
      inner.finish();
      sheet_.processors.push_back(std::move(processor));
    }
    fields.finish();
  }

  const YamlNode& root_;
  ErrorList& errors_;
  FabricSheet sheet_;
};

bool is_version_one(const std::string& text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && text[start] == '{')
    return true;
  return text.find("lento.chip/1") < text.find("lento.chip/2");
}

}  // namespace

FabricSheet parse_fabric(const std::string& text, const std::string& file) {
  if (is_version_one(text))
    return fabric_of(parse_chip(text, file));
  const YamlNode root = parse_yaml(text, file);
  ErrorList errors;
  FabricSheet sheet = SheetReader(root, errors).read();
  errors.throw_if_any();
  return sheet;
}

FabricSheet read_fabric(const std::string& path) {
  const std::string file = path + ".yaml";
  const std::string_view shipped = embedded::chip_sheets(file);
  if (!shipped.empty())
    return parse_fabric(std::string(shipped), file);
  return parse_fabric(base::read_file(path), path);
}

}  // namespace lento::spec
