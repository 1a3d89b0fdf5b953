// The compact map format: JSON as Gemini's exporter and the released SLOTH example write it
// (docs/formats/map.md has the grammar).
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "chip/map/grid.h"
#include "chip/map/mapping.h"

namespace lento::chip {

// Read a mapping. Throw base::Error at the path of the value ("layers[3].input_feature[0].source_layer_id")
// when a field is missing, a slice is empty or too large, a layer id occurs twice, or a layer reads one that
// does not precede it (which would be a cycle).
Mapping read_map(const std::string& path);
Mapping parse_map(const std::string& text, const std::string& file);

// Writes one line per layer. parse_map(write_map(m)) gives m again.
std::string write_map(const Mapping& mapping);

// Throws base::Error when the mapping names a core that the chip does not have or that does not work. `file`
// names the mapping.
void check_fits(const Mapping& mapping, const Grid& grid, const std::string& file);

std::string_view kind_name(LayerKind kind);  // the word of the file format: "conv", "elewise", ...

int64_t volume(const Slice& slice);                             // elements
bool intersect(const Slice& a, const Slice& b, Slice& common);  // false: nothing in common

}  // namespace lento::chip
