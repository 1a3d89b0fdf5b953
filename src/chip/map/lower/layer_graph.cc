// Computes which boxes of its sources a layer needs for a box of its output, and counts operations and
// weights of an output element. Rules map ranges to ranges, and a range that is not exact is widened, so that
// nothing needed is missing.
#include "chip/map/lower/layer_graph.h"

#include <algorithm>

namespace lento::chip {
namespace {

// Returns the positions of an operand dimension of size `extent` that the output positions `out` need. The
// result may reach beyond the operand.
Range apply(const DimRule& rule, Range out, int64_t extent) {
  switch (rule.kind) {
    case DimRule::Kind::Same:
      return out;
    case DimRule::Kind::Window:
      return {out.start * rule.stride - rule.before, (out.end - 1) * rule.stride - rule.before + rule.kernel};
    case DimRule::Kind::Transposed: {
      const int64_t low = out.start + rule.before - rule.kernel + 1;
      return {
          low <= 0 ? 0 : (low + rule.stride - 1) / rule.stride,
          (out.end - 1 + rule.before) / rule.stride + 1};
    }
    case DimRule::Kind::Groups:
      return {
          out.start / rule.out_group * rule.in_group,
          ((out.end - 1) / rule.out_group + 1) * rule.in_group};
    case DimRule::Kind::Scaled:
      return {
          out.start * rule.in_group / rule.out_group - 1,
          (out.end * rule.in_group + rule.out_group - 1) / rule.out_group + 1};
    case DimRule::Kind::Full:
      break;
  }
  return {0, extent};
}

}  // namespace

// Appends to `out` which boxes of which layers the operand must supply for part `output` of the layer's
// output.
void needs(const Layer& layer, const Operand& operand, const Box& output, std::vector<Need>& out) {
  const std::vector<Range> dims = dim_ranges(layer.layout, output);
  std::vector<Range> wanted(operand.rules.size());
  for (size_t d = 0; d < operand.rules.size(); ++d) {
    int64_t extent = 1;
    for (const Digit& digit : operand.value.layout.dims[d])
      extent *= digit.extent;
    const DimRule& rule = operand.rules[d];
    const Range r = extent == 1
                        ? Range{0, 1}
                        : apply(rule, rule.kind == DimRule::Kind::Full ? Range{} : dims[rule.from], extent);
    // A window may lie entirely in the padding. The nearest valid position is then used.
    const int64_t start = std::clamp<int64_t>(r.start, 0, extent - 1);
    wanted[d] = {start, std::clamp<int64_t>(r.end, start + 1, extent)};
  }
  const Box box = box_of(operand.value.layout, wanted);
  for (const Piece& p : operand.value.pieces) {
    Need need{p.source, {}};
    bool empty = false;
    for (int a = 0; a < 3; ++a) {
      const int64_t start = std::max(box[a].start, p.at[a]);
      const int64_t end = std::min(box[a].end, p.at[a] + p.size[a]);
      empty = empty || start >= end;
      need.box[a] = {start - p.at[a] + p.from[a], end - p.at[a] + p.from[a]};
    }
    if (!empty)
      out.push_back(need);
  }
}

int64_t operations_per_output(const Layer& layer) {
  if (layer.depth > 0)
    return layer.depth * layer.window;
  return layer.kind == LayerKind::Pool ? 4 : 1;
}

std::vector<std::vector<size_t>> readers_of(const LayerGraph& graph) {
  std::vector<std::vector<size_t>> readers(graph.layers.size());
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    for (const Operand& operand : graph.layers[i].operands) {
      for (const Piece& p : operand.value.pieces) {
        if (p.source >= 0 && (readers[size_t(p.source)].empty() || readers[size_t(p.source)].back() != i))
          readers[size_t(p.source)].push_back(i);
      }
    }
  }
  return readers;
}

int64_t weight_elements(const Layer& layer, int64_t channels) {
  return channels * layer.depth * layer.window;
}

std::optional<size_t> channel_dim(const Layout& layout) {
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    if (layout.dims[d] == std::vector<Digit>{{0, 1, layout.extents[0]}})
      return d;
  }
  return std::nullopt;
}

std::optional<size_t> reduced_dim(const Layer& layer) {
  std::optional<size_t> found;
  const Operand& operand = layer.operands.front();
  for (size_t d = 0; d < operand.rules.size(); ++d) {
    int64_t extent = 1;
    for (const Digit& digit : operand.value.layout.dims[d])
      extent *= digit.extent;
    if (operand.rules[d].kind != DimRule::Kind::Full || extent == 1)
      continue;
    if (found || extent != layer.depth)
      return std::nullopt;
    found = d;
  }
  return found;
}

bool has_matrix(const Layer& layer) {
  if (layer.depth == 0 || !layer.weights_from_dram || layer.window != 1 || layer.group_count != 1 ||
      layer.operands.size() != 1)
    return false;
  const auto channels = channel_dim(layer.layout);
  return channels && std::ranges::none_of(layer.operands.front().rules, [&](const DimRule& rule) {
           return rule.kind != DimRule::Kind::Full && rule.from == int(*channels);
         });
}

}  // namespace lento::chip
