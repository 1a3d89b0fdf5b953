// Reads a shipped signal map and puts the recording's prefix in place of the '$' before the names of its
// signals.
#include "tile/block/preset.h"

#include <algorithm>

#include "base/error.h"
#include "embedded/tile_maps.h"

namespace lento::tile {
namespace {

constexpr std::string_view kEnding = ".yaml";

void complete(std::string& signal, const std::string& prefix) {
  if (signal.starts_with('$'))
    signal = prefix + signal.substr(1);
}

void complete(std::vector<std::string>& signals, const std::string& prefix) {
  for (std::string& signal : signals)
    complete(signal, prefix);
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> out;
  for (const std::string_view file : embedded::tile_maps_names())
    out.emplace_back(file.substr(0, file.size() - kEnding.size()));
  return out;
}

SignalMap preset_map(const std::string& preset, const std::string& clock) {
  const size_t colon = std::min(preset.find(':'), preset.size());
  const std::string file = preset.substr(0, colon) + std::string(kEnding);
  const std::string text(embedded::tile_maps(file));
  if (text.empty()) {
    std::string all;
    for (const std::string& name : preset_names())
      all += (all.empty() ? "" : ", ") + name;
    throw base::Error({}, "no preset '" + preset.substr(0, colon) + "'", "presets: " + all);
  }
  const std::string prefix = colon < preset.size() ? preset.substr(colon + 1) : "";
  SignalMap map = parse_signal_map(text, "preset " + preset);
  map.clock = {clock, Edge::Rising};
  map.skips_absent = true;
  complete(map.address.signal, prefix);
  complete(map.address.valid, prefix);
  for (SignalMap::Input& input : map.inputs) {
    complete(input.signal, prefix);
    complete(input.valid, prefix);
  }
  return map;
}

}  // namespace lento::tile
