// Reads and writes the compact map format. All extents and counts are bounded before they are used, and the
// order of layers is checked, so that later stages can rely on a graph without cycles. Errors name the path
// of the value in the JSON.
#include "chip/map/file/map_file.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/json.h"

namespace lento::chip {
namespace {

using base::child;
using base::Error;
using base::Json;
using base::Location;

constexpr int64_t kMaxExtent = 1 << 24;           // along one axis of a tensor
constexpr int64_t kMaxVolume = int64_t{1} << 40;  // elements of one slice
constexpr int kMaxLayerId = 1 << 20;
constexpr int kMaxSide = 256;
constexpr int64_t kMaxBatch = 1 << 16;

constexpr std::array<std::string_view, 7> kKinds{"conv", "pool", "fc", "elewise", "gconv", "ptp", "trans"};

LayerKind read_kind(const Json& layer, const Location& where) {
  const Location at = child(where, "type");
  const std::string& text = layer.at("type", where).string(at);
  const auto found = std::ranges::find(kKinds, text);
  if (found == kKinds.end()) {
    throw Error(
        at,
        "layer type '" + text.substr(0, 40) + "' is not known",
        base::suggestion(text, {kKinds.begin(), kKinds.end()}));
  }
  return static_cast<LayerKind>(found - kKinds.begin());
}

Slice read_slice(const Json& block, const Location& where) {
  const Location at = child(where, "tensor_slice");
  const Json::Array& items = block.at("tensor_slice", where).array(at);
  if (items.size() != 4)
    throw Error(at, "found " + std::to_string(items.size()) + " ranges, needed 4");
  Slice slice;
  int64_t elements = 1;
  for (size_t i = 0; i < 4; ++i) {
    const Location axis = child(at, i);
    slice[i].start = items[i].at("start", axis).integer(child(axis, "start"), 0, kMaxExtent);
    slice[i].end = items[i].at("end", axis).integer(child(axis, "end"), 0, kMaxExtent);
    if (slice[i].end <= slice[i].start)
      throw Error(axis, "an empty range: 'end' must be above 'start'");
    if (elements > kMaxVolume / slice[i].size())
      throw Error(at, "more than 2^40 elements in one slice");
    elements *= slice[i].size();
  }
  return slice;
}

std::vector<Block> read_blocks(const Json& feature, const Location& where) {
  const Location at = child(where, "blocks");
  std::vector<Block> blocks;
  const Json::Array& items = feature.at("blocks", where).array(at);
  blocks.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const Location here = child(at, i);
    Block block;
    block.slice = read_slice(items[i], here);
    const Location cores_at = child(here, "cores");
    const Json::Array& cores = items[i].at("cores", here).array(cores_at);
    if (cores.empty())
      throw Error(cores_at, "a block needs at least one core");
    for (size_t c = 0; c < cores.size(); ++c) {
      const Location core_at = child(cores_at, c);
      block.cores.push_back(
          {int(cores[c].at("x", core_at).integer(child(core_at, "x"), 0, kMaxSide - 1)),
           int(cores[c].at("y", core_at).integer(child(core_at, "y"), 0, kMaxSide - 1))});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// Returns true for "dram", false for "core". Throws base::Error for another word.
bool is_dram(const Json& feature, std::string_view key, const Location& where) {
  const Location at = child(where, key);
  const std::string& text = feature.at(key, where).string(at);
  if (text == "dram")
    return true;
  if (text == "core")
    return false;
  throw Error(at, "found '" + text.substr(0, 40) + "', needed 'dram' or 'core'");
}

std::array<int, 4> read_dims(const Json& layer, std::string_view key, const Location& where) {
  const Location at = child(where, key);
  const Location dims_at = child(at, "dims");
  const Json::Array& items = layer.at(key, where).at("dims", at).array(dims_at);
  if (items.size() != 4)
    throw Error(dims_at, "found " + std::to_string(items.size()) + " numbers, needed 4");
  std::array<int, 4> dims;
  for (size_t i = 0; i < 4; ++i)
    dims[i] = int(items[i].integer(child(dims_at, i), 1, kMaxExtent));
  return dims;
}

template <class Read>
auto read_features(const Json& layer, std::string_view key, const Location& where, Read read) {
  const Location at = child(where, key);
  std::vector<decltype(read(layer, at))> features;
  const Json::Array& items = layer.at(key, where).array(at);
  for (size_t i = 0; i < items.size(); ++i)
    features.push_back(read(items[i], child(at, i)));
  return features;
}

InputFeature read_input(const Json& json, const Location& where) {
  InputFeature input;
  input.from_dram = is_dram(json, "source", where);
  input.source_layer =
      int(json.at("source_layer_id", where).integer(child(where, "source_layer_id"), -1, kMaxLayerId));
  input.blocks = read_blocks(json, where);
  return input;
}

OutputFeature read_output(const Json& json, const Location& where) {
  OutputFeature output;
  output.to_dram = is_dram(json, "dest", where);
  const Location next_at = child(where, "next");
  const Json::Array& next = json.at("next", where).array(next_at);
  for (size_t i = 0; i < next.size(); ++i) {
    output.next.push_back(int(next[i].integer(child(next_at, i), 0, kMaxLayerId)));
  }
  output.blocks = read_blocks(json, where);
  return output;
}

WeightFeature read_weight(const Json& json, const Location& where) {
  return {is_dram(json, "source", where), read_blocks(json, where)};
}

MappedLayer read_layer(const Json& json, const Location& where, int64_t batch) {
  MappedLayer layer;
  layer.id = int(json.at("layer_id", where).integer(child(where, "layer_id"), 0, kMaxLayerId));
  layer.name = json.at("name", where).string(child(where, "name"));
  layer.kind = read_kind(json, where);
  layer.group_count = int(json.at("group_num", where).integer(child(where, "group_num"), 1, kMaxExtent));
  layer.segment =
      int(json.at("layer_group_id", where).integer(child(where, "layer_group_id"), 0, kMaxLayerId));
  const Location pass_at = child(where, "layer_batch_size");
  layer.samples_per_pass = json.at("layer_batch_size", where).integer(pass_at, 1, kMaxBatch);
  if (batch % layer.samples_per_pass != 0) {
    throw Error(
        pass_at,
        "a pass of " + std::to_string(layer.samples_per_pass) + " samples does not divide the batch of " +
            std::to_string(batch));
  }
  layer.partition = read_dims(json, "output_partition", where);
  layer.fetch = read_dims(json, "input_fetch", where);
  layer.inputs = read_features(json, "input_feature", where, read_input);
  layer.weights = read_features(json, "wgt_feature", where, read_weight);
  layer.outputs = read_features(json, "output_feature", where, read_output);
  return layer;
}

// Requires that a layer reads earlier layers only and that segments follow the layer order, so that no cycle
// can be written.
void check_order(const Mapping& mapping, const Location& where) {
  std::set<int> seen;
  int segment = 0;
  for (size_t i = 0; i < mapping.layers.size(); ++i) {
    const MappedLayer& layer = mapping.layers[i];
    const Location at = child(where, i);
    for (size_t f = 0; f < layer.inputs.size(); ++f) {
      const int source = layer.inputs[f].source_layer;
      if (source < 0 || seen.contains(source))
        continue;
      throw Error(
          child(child(child(at, "input_feature"), f), "source_layer_id"),
          "layer " + std::to_string(layer.id) + " reads layer " + std::to_string(source) +
              ", which does not come before it",
          "layers stand in an order in which each reads earlier ones only");
    }
    if (!seen.insert(layer.id).second) {
      throw Error(child(at, "layer_id"), "layer id " + std::to_string(layer.id) + " stands twice");
    }
    if (layer.segment < segment) {
      throw Error(
          child(at, "layer_group_id"),
          "segments must not go back, found " + std::to_string(layer.segment) + " after " +
              std::to_string(segment));
    }
    segment = layer.segment;
  }
}

Json to_json(const std::vector<Block>& blocks) {
  Json out = Json::array();
  for (const Block& block : blocks) {
    Json cores = Json::array();
    for (const Position& p : block.cores)
      cores.push(Json::object().set("x", p.x).set("y", p.y));
    Json slice = Json::array();
    for (const Range& r : block.slice)
      slice.push(Json::object().set("start", r.start).set("end", r.end));
    out.push(Json::object().set("cores", std::move(cores)).set("tensor_slice", std::move(slice)));
  }
  return out;
}

Json dims_json(const std::array<int, 4>& dims) {
  Json list = Json::array();
  for (const int d : dims)
    list.push(d);
  return Json::object().set("dims", std::move(list));
}

Json to_json(const MappedLayer& layer) {
  Json inputs = Json::array();
  Json weights = Json::array();
  Json outputs = Json::array();
  for (const InputFeature& f : layer.inputs) {
    inputs.push(Json::object()
                    .set("source", f.from_dram ? "dram" : "core")
                    .set("source_layer_id", f.source_layer)
                    .set("blocks", to_json(f.blocks)));
  }
  for (const WeightFeature& f : layer.weights) {
    weights.push(
        Json::object().set("source", f.from_dram ? "dram" : "core").set("blocks", to_json(f.blocks)));
  }
  for (const OutputFeature& f : layer.outputs) {
    Json next = Json::array();
    for (const int id : f.next)
      next.push(id);
    outputs.push(Json::object()
                     .set("dest", f.to_dram ? "dram" : "core")
                     .set("next", std::move(next))
                     .set("blocks", to_json(f.blocks)));
  }
  return Json::object()
      .set("layer_id", layer.id)
      .set("name", layer.name)
      .set("type", kind_name(layer.kind))
      .set("group_num", layer.group_count)
      .set("layer_group_id", layer.segment)
      .set("layer_batch_size", layer.samples_per_pass)
      .set("output_partition", dims_json(layer.partition))
      .set("input_fetch", dims_json(layer.fetch))
      .set("input_feature", std::move(inputs))
      .set("wgt_feature", std::move(weights))
      .set("output_feature", std::move(outputs));
}

// Throws base::Error when a block lies outside the cores of the chip.
template <class Features>
void check_cores(const Features& features, const Grid& grid, const Location& where) {
  for (size_t f = 0; f < features.size(); ++f) {
    for (size_t b = 0; b < features[f].blocks.size(); ++b) {
      for (const Position& p : features[f].blocks[b].cores) {
        const bool inside = p.x < grid.width() && p.y < grid.height();
        if (inside && grid.core(p) >= 0)
          continue;
        const std::string core = "core (" + std::to_string(p.x) + ", " + std::to_string(p.y) + ")";
        throw Error(
            child(child(child(where, f), "blocks"), b),
            inside ? core + " is no core that works: the tile is of another kind, or switched off"
                   : core + " is not on the chip, which has " + std::to_string(grid.width()) + " x " +
                         std::to_string(grid.height()) + (grid.is_sheet() ? " tiles" : " cores"),
            "use a mapping made for this chip, or a larger chip");
      }
    }
  }
}

}  // namespace

std::string_view kind_name(LayerKind kind) {
  return kKinds[size_t(kind)];
}

Mapping parse_map(const std::string& text, const std::string& file) {
  const Location top{file};
  const Json root = base::parse_json(text, file);
  Mapping mapping;
  mapping.name = root.string_or("name", "mapping", top);
  mapping.batch = root.at("batch_size", top).integer(child(top, "batch_size"), 1, kMaxBatch);
  const Location layers_at = child(top, "layers");
  const Json::Array& layers = root.at("layers", top).array(layers_at);
  if (layers.empty())
    throw Error(layers_at, "a mapping needs at least one layer");
  for (size_t i = 0; i < layers.size(); ++i) {
    mapping.layers.push_back(read_layer(layers[i], child(layers_at, i), mapping.batch));
  }
  check_order(mapping, layers_at);
  return mapping;
}

Mapping read_map(const std::string& path) {
  return parse_map(base::read_file(path), path);
}

std::string write_map(const Mapping& mapping) {
  std::string out = "{\"name\":" + base::write_json(Json(mapping.name)) +
                    ",\"batch_size\":" + std::to_string(mapping.batch) + ",\"layers\":[\n";
  for (size_t i = 0; i < mapping.layers.size(); ++i) {
    out += base::write_json(to_json(mapping.layers[i]));
    out += i + 1 < mapping.layers.size() ? ",\n" : "\n";
  }
  return out + "]}\n";
}

void check_fits(const Mapping& mapping, const Grid& grid, const std::string& file) {
  for (size_t i = 0; i < mapping.layers.size(); ++i) {
    const Location at = child(child(Location{file}, "layers"), i);
    check_cores(mapping.layers[i].inputs, grid, child(at, "input_feature"));
    check_cores(mapping.layers[i].weights, grid, child(at, "wgt_feature"));
    check_cores(mapping.layers[i].outputs, grid, child(at, "output_feature"));
  }
}

int64_t volume(const Slice& slice) {
  return slice[0].size() * slice[1].size() * slice[2].size() * slice[3].size();
}

bool intersect(const Slice& a, const Slice& b, Slice& common) {
  for (size_t i = 0; i < 4; ++i) {
    common[i] = {std::max(a[i].start, b[i].start), std::min(a[i].end, b[i].end)};
    if (common[i].size() <= 0)
      return false;
  }
  return true;
}

}  // namespace lento::chip
