// Reads a signal map (signal_map.h) and refuses unknown keys and values. Clocks and the address may be a
// plain name or a mapping.
#include "tile/block/signal_map.h"

#include "base/number.h"
#include "spec/yaml.h"

namespace lento::tile {
namespace {

// Returns the value of `key` when it is a mapping. Otherwise reads the value as a plain name into `name` and
// returns nullptr.
const spec::YamlNode*
map_or_name(spec::Fields& fields, const spec::YamlNode& node, const std::string& key, std::string& name) {
  const spec::YamlNode* member = node.find(key);
  if (member && member->kind == spec::YamlNode::Kind::Map)
    return fields.map(key);
  fields.text(key, name);
  return nullptr;
}

SignalMap::Clock read_clock(spec::Fields& fields, const spec::YamlNode& node, base::ErrorList& errors) {
  SignalMap::Clock clock;
  const spec::YamlNode* members = map_or_name(fields, node, "clock", clock.signal);
  if (!members)
    return clock;
  spec::Fields inner(*members, errors);
  inner.required_text("signal", clock.signal);
  std::string edge = "rising";
  inner.choice("edge", edge, {"rising", "falling", "both"});
  inner.finish();
  clock.edge = edge == "rising" ? Edge::Rising : edge == "falling" ? Edge::Falling : Edge::Both;
  return clock;
}

// Reads `valid`, one signal name or a list of names, of which none is 0 when the data is valid. Returns none
// when there is no such key.
std::vector<std::string>
read_valid(spec::Fields& fields, const spec::YamlNode& node, base::ErrorList& errors) {
  std::vector<std::string> out;
  const spec::YamlNode* member = node.find("valid");
  if (member && member->kind == spec::YamlNode::Kind::List) {
    std::vector<const spec::YamlNode*> items;
    fields.list("valid", items);
    for (const spec::YamlNode* item : items) {
      if (item->kind != spec::YamlNode::Kind::Scalar)
        errors.add(item->where, "'valid' lists names of signals");
      out.push_back(item->text);
    }
    return out;
  }
  std::string name;
  fields.text("valid", name);
  if (!name.empty())
    out.push_back(name);
  return out;
}

// Reads bits, which may be written in decimal or, after 0x, in hexadecimal digits.
void read_bits(spec::Fields& fields, std::string_view key, int64_t& out, int64_t min) {
  std::string text;
  fields.text(key, text);
  if (text.empty())
    return;
  const bool is_hex = text.starts_with("0x");
  const auto value = base::try_uint(std::string_view(text).substr(is_hex ? 2 : 0), is_hex ? 16 : 10);
  if (!value || *value > UINT32_MAX || int64_t(*value) < min)
    return fields.error(
        key,
        "found '" + text + "', needed a whole number from " + std::to_string(min) + " to 0xffffffff");
  out = int64_t(*value);
}

Tap read_tap(const spec::YamlNode& node, base::ErrorList& errors) {
  spec::Fields fields(node, errors);
  Tap tap;
  int64_t mask = UINT32_MAX;
  int64_t equals = -1;
  std::string when = "level";
  std::string take = "value";
  read_bits(fields, "mask", mask, 1);
  read_bits(fields, "equals", equals, 0);
  fields.choice("when", when, {"level", "rising", "falling", "change"});
  fields.choice("take", take, {"value", "count", "time", "gap"});
  fields.boolean("peak", tap.peak);
  const bool edge = when == "rising" || when == "falling";
  if (edge && equals < 0)
    fields.error("when", "an edge needs 'equals', the value that it begins or ends");
  if (equals >= 0 && (equals & ~mask) != 0)
    fields.error("equals", "bits outside of 'mask' are never equal");
  fields.finish();
  tap.mask = uint32_t(mask);
  if (equals >= 0)
    tap.equals = uint32_t(equals);
  tap.when = when == "rising"    ? Tap::When::Rising
             : when == "falling" ? Tap::When::Falling
             : when == "change"  ? Tap::When::Change
                                 : Tap::When::Level;
  tap.take = take == "count"  ? Tap::Take::Count
             : take == "time" ? Tap::Take::Time
             : take == "gap"  ? Tap::Take::Gap
                              : Tap::Take::Value;
  return tap;
}

SignalMap::Input read_input(const spec::YamlNode& node, base::ErrorList& errors) {
  spec::Fields fields(node, errors);
  SignalMap::Input input;
  int ioreg = 0;
  int at = 0;
  fields.required_integer("ioreg", ioreg, 0, 31);
  fields.required_text("signal", input.signal);
  fields.integer("at", at, 0, 31);
  input.valid = read_valid(fields, node, errors);
  if (fields.has("clock"))
    input.clock = read_clock(fields, node, errors);
  if (const spec::YamlNode* tap = fields.map("tap"))
    input.tap = read_tap(*tap, errors);
  fields.finish();
  input.ioreg = uint32_t(ioreg);
  input.at = uint32_t(at);
  return input;
}

}  // namespace

SignalMap parse_signal_map(const std::string& text, const std::string& file) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields top(root, errors);
  SignalMap map;
  top.schema("lento.tile-map/1");
  if (top.has("clock"))
    map.clock = read_clock(top, root, errors);
  else
    top.required_text("clock", map.clock.signal);
  if (const spec::YamlNode* members = map_or_name(top, root, "address", map.address.signal)) {
    spec::Fields inner(*members, errors);
    inner.required_text("signal", map.address.signal);
    map.address.valid = read_valid(inner, *members, errors);
    inner.finish();
  }
  std::vector<const spec::YamlNode*> inputs;
  top.list("inputs", inputs);
  for (const spec::YamlNode* node : inputs)
    map.inputs.push_back(read_input(*node, errors));
  top.finish();
  errors.throw_if_any();
  for (SignalMap::Input& input : map.inputs) {
    if (input.clock == map.clock)
      input.clock.reset();
  }
  if (map.inputs.empty())
    throw base::Error({file}, "the map has no inputs", "list at least one under 'inputs:'");
  return map;
}

}  // namespace lento::tile
