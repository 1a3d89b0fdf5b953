// Cuts parts of layers into sub-steps by the arithmetic of the released example, remainders included, because
// its published instruction counts depend on them.
#include "chip/map/file/released_cuts.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "chip/map/file/map_file.h"

namespace lento::chip {
namespace {

using base::Error;
using base::Location;

constexpr int64_t kFill = 4;  // a part may fill this fraction of the scratchpad

// Returns piece `pos` of a range of length len. A piece is len / parts long, and each of the first len % (len
// / parts) pieces is longer by one. Like those of the release, the pieces need not cover the range.
Range piece(const Range& range, int64_t parts, int64_t pos) {
  const int64_t length = range.size() / parts;
  const int64_t remainder = range.size() % length;
  const int64_t start = range.start + pos * length + std::min(pos, remainder);
  const int64_t extra = std::min(pos + 1, remainder);
  return {start, range.start + std::min(pos * length + length + extra, range.end)};
}

// Returns the position of sub-step `step` along axis i. The last axis runs fastest.
int64_t position(const Fetch& fetch, size_t i, int64_t step) {
  int64_t inner = 1;
  for (size_t j = i + 1; j < 4; ++j)
    inner *= fetch[j];
  return step / inner % fetch[i];
}

// The bytes of scratchpad that the first sub-step of a layer's first block takes: of the input, and with
// weights and output in all.
struct Fill {
  int64_t input = 0;
  int64_t total = 0;
};
// Returns the fill by a layer that is cut into `fetch` pieces.
Fill fill(const MappedLayer& layer, const Fetch& fetch) {
  Fill f;
  if (layer.inputs.empty() || layer.outputs.empty() || layer.inputs[0].blocks.empty() ||
      layer.outputs[0].blocks.empty()) {
    return f;
  }
  f.input = volume(cut(layer.inputs[0].blocks[0].slice, fetch, 0, false));
  f.total = f.input + volume(cut(layer.outputs[0].blocks[0].slice, fetch, 0, true));
  if (!layer.weights.empty() && !layer.weights[0].blocks.empty()) {
    f.total += volume(cut_weights(layer.weights[0].blocks[0].slice, fetch, 0));
  }
  return f;
}

// Throws base::Error when an axis of a part is cut into more pieces than it is long.
void check_cuts(const MappedLayer& layer, const Fetch& fetch, const std::string& file) {
  const auto check = [&](const Slice& slice, bool channels) {
    for (size_t i = 0; i < 4; ++i) {
      if ((i == 1 && !channels) || fetch[i] <= slice[i].size())
        continue;
      throw Error(
          Location{file},
          "layer " + std::to_string(layer.id) + ": input_fetch cuts a part of " +
              std::to_string(slice[i].size()) + " into " + std::to_string(fetch[i]));
    }
  };
  for (const InputFeature& input : layer.inputs) {
    for (const Block& block : input.blocks)
      check(block.slice, false);
  }
  for (const OutputFeature& output : layer.outputs) {
    for (const Block& block : output.blocks)
      check(block.slice, true);
  }
  for (const WeightFeature& feature : layer.weights) {
    for (const Block& block : feature.blocks) {
      if (fetch[1] > block.slice[1].size())
        throw Error(Location{file}, "input_fetch cuts weights too finely");
    }
  }
}

}  // namespace

int64_t steps_of(const Fetch& fetch) {
  return int64_t{fetch[0]} * fetch[1] * fetch[2] * fetch[3];
}

Slice cut(Slice slice, const Fetch& fetch, int64_t step, bool channels) {
  if (steps_of(fetch) == 1)
    return slice;
  for (size_t i = 0; i < 4; ++i) {
    if (i != 1 || channels)
      slice[i] = piece(slice[i], fetch[i], position(fetch, i, step));
  }
  return slice;
}

Slice cut_weights(Slice slice, const Fetch& fetch, int64_t step) {
  if (fetch[1] > 1)
    slice[1] = piece(slice[1], fetch[1], position(fetch, 1, step));
  return slice;
}

Fetch fitted_fetch(const MappedLayer& layer, const spec::Chip& chip, const std::string& file) {
  Fetch fetch = layer.fetch;
  check_cuts(layer, fetch, file);
  const int64_t room = chip.core.scratchpad_bytes / kFill;
  if (fill(layer, fetch).total > room) {
    fetch[0] = std::max<int>(1, int(layer.samples_per_pass / layer.partition[0]));
    check_cuts(layer, fetch, file);
  }
  const Fill f = fill(layer, fetch);
  if (f.total <= room)
    return fetch;
  const int64_t channels = layer.outputs[0].blocks[0].slice[1].size();
  const double per_channel = std::floor(double(f.total - f.input) / double(channels));
  const double fit = double(room - f.input) / std::max(1.0, per_channel);
  if (fit < 1)
    return fetch;
  fetch[1] = int(std::ceil(double(channels) / fit));
  check_cuts(layer, fetch, file);
  return fetch;
}

}  // namespace lento::chip
