// The layers that a network runs on a chip: convolutions, pools, matrix products and element-wise operations
// with C x H x W outputs. Operators that only rename data are folded into the views between layers
// (chip/map/lower/view.h), and operators on single elements into the layer before them.
// docs/methods/mapping.md lists the operators and the treatment of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chip/map/lower/view.h"
#include "chip/map/mapping.h"
#include "spec/network.h"

namespace lento::chip {

// The positions of an operand's dimension that one output dimension needs.
struct DimRule {
  enum class Kind : uint8_t {
    Full,        // every position
    Same,        // the same position
    Window,      // out * stride - before + [0, kernel)
    Transposed,  // positions whose window, spread with `stride`, reaches the output (ConvTranspose)
    Groups,      // the group of size `in_group` for the output's group of size `out_group`
    Scaled,      // out * in / out extents, and one more on each side (Resize)
  };
  Kind kind = Kind::Full;
  int from = 0;  // index of the output dimension
  int64_t stride = 1;
  int64_t before = 0;
  int64_t kernel = 1;
  // Groups: channels of a group in output and input. Scaled: extents of output and input.
  int64_t out_group = 1;
  int64_t in_group = 1;
};

struct Operand {
  Value value;
  std::vector<DimRule> rules;  // one for each dimension of the operand
  bool is_weight = false;      // the second factor of a matrix product of two activations
};

struct Layer {
  std::string name;
  LayerKind kind = LayerKind::Conv;
  int group_count = 1;
  Layout layout;  // of its output; extents are K, H, W
  std::vector<Operand> operands;
  int64_t depth = 0;              // reduced channels (C_in of a group); 0: the layer has no weights
  int64_t window = 1;             // R * S
  bool weights_from_dram = true;  // false: one of the operands is the weight
  // The cores of a group that compute this layer (splits.h). With `ranks` 1 all of them do, else those of
  // rank `rank`.
  int rank = 0;
  int ranks = 1;
};

struct LayerGraph {
  std::string name;
  std::vector<Layer> layers;
  int64_t generic = 0;  // operators without a rule, treated as element-wise
};

// A part of a source's output that an output part of a layer needs. A source occurs once for each of its
// pieces that overlap.
struct Need {
  int source = -1;
  Box box;
};
void needs(const Layer& layer, const Operand& operand, const Box& output, std::vector<Need>& out);

// Lowers a network. `file` names the model in errors. Throws base::Error when the network computes nothing
// from its inputs, or an operator has an axis or index that its tensor lacks.
LayerGraph lower(const spec::Network& network, const std::string& file);

// Returns for each layer the layers that read its output, ascending.
std::vector<std::vector<size_t>> readers_of(const LayerGraph& graph);

// Returns the operations of one output element, as the expansion counts them (chip/map/program.h).
int64_t operations_per_output(const Layer& layer);
int64_t weight_elements(const Layer& layer, int64_t channels);

// Returns the dimension of a layer that is exactly its channels, in order.
std::optional<size_t> channel_dim(const Layout& layout);
// Returns the only operand dimension that a layer reduces, or nothing when there are several or it is not
// `depth` long.
std::optional<size_t> reduced_dim(const Layer& layer);
// Returns whether a layer multiplies its one operand by a matrix of weights from DRAM, where every channel of
// the output needs the same inputs.
bool has_matrix(const Layer& layer);

}  // namespace lento::chip
