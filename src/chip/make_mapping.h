// Maps a network to the cores of a chip.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/read_report.h"
#include "chip/map/binary_tree.h"
#include "chip/map/mapping.h"
#include "chip/read_network.h"

namespace lento::chip {

struct ChipMappingOptions {
  std::string model;  // an ONNX file or a transformer's config.json; ignored for a binary tree
  std::string chip;
  int64_t batch = 64;
  std::vector<std::string> dimensions;  // sizes of symbolic dimensions, NAME=N, of an ONNX file
  ConfiguredTransformer transformer;    // for a config.json
  bool binary_tree = false;
  BinaryTree tree;
  bool strict = false;  // refuse operators without a shape rule
};

struct ChipMapping {
  Mapping mapping;
  int width = 0;  // width of the chip in cores
  int height = 0;
  int guessed = 0;          // operators without a rule, mapped as element-wise
  base::ReadReport report;  // parts of the model that were ignored
};

// Maps the model, or the binary tree, to the chip. Throws base::Error when the model cannot be read or its
// mapping does not fit the chip. `output` names the mapping in the second message.
ChipMapping
map_network(const ChipMappingOptions& options, const std::string& output, const base::Progress& progress);

}  // namespace lento::chip
