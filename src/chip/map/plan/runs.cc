// Cuts products of a mapping into runs of their channels, and inserts layers that pass weights on between
// cores. Runs let results leave while the rest is computed. Weights are placed one run ahead of their
// product, so that they travel during its predecessor.
#include "chip/map/plan/runs.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "chip/map/plan/partition.h"
#include "chip/map/plan/tuning.h"

namespace lento::chip {
namespace {

constexpr size_t kChannels = 1;  // axis of a slice

Range run_of(Range channels, int64_t runs, int64_t j) {
  const Range part = part_range(channels.size(), runs, j);
  return {channels.start + part.start, channels.start + part.end};
}

// Returns run j of the channels of each block.
std::vector<Block> run_of(std::vector<Block> blocks, int64_t runs, int64_t j) {
  for (Block& block : blocks)
    block.slice[kChannels] = run_of(block.slice[kChannels], runs, j);
  return blocks;
}

// Splits rows into several reads, each of which fills one slot of its core's memory unit.
std::vector<Block> in_reads(const std::vector<Block>& blocks) {
  std::vector<Block> out;
  for (const Block& block : blocks) {
    const Range rows = block.slice[2];
    const int64_t bytes = block.slice[1].size() * rows.size();
    const int64_t reads = std::clamp<int64_t>(bytes / kReadBytes, 1, std::min(rows.size(), kReadsARun));
    for (int64_t i = 0; i < reads; ++i) {
      const Range read = part_range(rows.size(), reads, i);
      out.push_back(block);
      out.back().slice[2] = {rows.start + read.start, rows.start + read.end};
    }
  }
  return out;
}

// Makes the layer that distributes one run of weights. The cores that compute `run` read it.
MappedLayer weights_of(const MappedLayer& run, int sharers) {
  MappedLayer out;
  out.name = run.name + ".weights";
  out.kind = LayerKind::Transpose;
  out.segment = run.segment;
  out.samples_per_pass = run.samples_per_pass;
  out.partition = {1, run.partition[1], sharers, 1};
  const Slice& weights = run.weights.front().blocks.front().slice;
  const int64_t rows = weights[2].size() * weights[3].size();
  std::map<int64_t, int64_t> ranks;                        // index by first channel
  std::map<std::pair<int64_t, int64_t>, size_t> block_of;  // by first channel and run of rows
  std::vector<Block> blocks;
  for (const Block& made : run.outputs.front().blocks) {
    const Range channels = made.slice[kChannels];
    const int64_t run_of_rows = ranks[channels.start]++ % sharers;
    const auto [at, fresh] = block_of.try_emplace({channels.start, run_of_rows}, blocks.size());
    if (fresh)
      blocks.push_back({{}, {Range{0, 1}, channels, part_range(rows, sharers, run_of_rows), Range{0, 1}}});
    blocks[at->second].cores.push_back(made.cores.front());
  }
  out.inputs = {{true, -1, in_reads(blocks)}};
  out.weights = {{true, {}}};
  out.outputs = {{false, {}, std::move(blocks)}};
  return out;
}

class Runner {
 public:
  Runner(const Mapping& mapping, const Plan& plan)
      : mapping_(mapping),
        plan_(plan) {
  }

  // Cuts layers into consecutive runs and moves weights between cores where they are shared.
  Mapping run() {
    cut();
    put_weights();
    Mapping out{mapping_.name, mapping_.batch, {}};
    for (Item& item : items_) {
      link(item);
      out.layers.push_back(std::move(item.layer));
    }
    return out;
  }

 private:
  struct Item {
    MappedLayer layer;
    size_t of = 0;         // layer in the old mapping
    bool product = false;  // multiplies by weights that the old mapping reads from DRAM
    // Indices of items.
    int weights = -1;  // item that passes the weights on to this one
    int reader = -1;   // item that reads a layer of weights
  };

  // Makes an item for each run of each layer.
  void cut() {
    for (size_t i = 0; i < mapping_.layers.size(); ++i) {
      const MappedLayer& whole = mapping_.layers[i];
      const int runs = plan_.layers[i].runs;
      const bool product = !whole.weights.front().blocks.empty() && whole.weights.front().from_dram;
      for (int j = 0; j < runs; ++j) {
        Item item{whole, i, product, -1};
        if (runs > 1) {
          item.layer.name += "." + std::to_string(j);
          item.layer.weights.front().blocks = run_of(whole.weights.front().blocks, runs, j);
          item.layer.outputs.front().blocks = run_of(whole.outputs.front().blocks, runs, j);
        }
        items_.push_back(std::move(item));
      }
    }
  }

  // Returns whether two items use common cores. Parts of different ranks are on separate cores, and all
  // other items are on all cores.
  static bool share_cores(const Item& a, const Item& b) {
    const Position core = b.layer.outputs.front().blocks.front().cores.front();
    return std::ranges::any_of(a.layer.outputs.front().blocks, [core](const Block& block) {
      return std::ranges::any_of(block.cores, [core](Position p) {
        return p.x == core.x && p.y == core.y;
      });
    });
  }

  // Returns the index of the item before which the weights of product `at` are placed: the previous product
  // on its cores, or the first item of the segment.
  size_t place_ahead(size_t at) const {
    const int segment = items_[at].layer.segment;
    const size_t reader = at;
    while (at > 0 && items_[at - 1].layer.segment == segment) {
      --at;
      if (items_[at].product && share_cores(items_[at], items_[reader]))
        break;
    }
    return at;
  }

  // Puts the layers that distribute weights before the layers that use them.
  void put_weights() {
    std::vector<std::vector<size_t>> before(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) {
      if (plan_.layers[items_[i].of].sharers > 1)
        before[place_ahead(i)].push_back(i);
    }
    std::vector<Item> out;
    std::map<size_t, size_t> weights;  // by product
    for (size_t i = 0; i < items_.size(); ++i) {
      for (const size_t product : before[i]) {
        weights[product] = out.size();
        out.push_back({weights_of(items_[product].layer, plan_.layers[items_[product].of].sharers)});
      }
      out.push_back(items_[i]);
      if (const auto found = weights.find(i); found != weights.end()) {
        out.back().weights = int(found->second);
        out[found->second].reader = int(out.size()) - 1;
      }
    }
    items_ = std::move(out);
    number();
  }

  // Numbers the layers anew.
  void number() {
    now_.assign(mapping_.layers.size(), {});
    channels_.assign(items_.size(), {});
    for (size_t i = 0; i < items_.size(); ++i) {
      Item& item = items_[i];
      item.layer.id = int(i);
      if (item.reader >= 0)
        continue;
      now_[item.of].push_back(i);
      for (const Block& block : item.layer.outputs.front().blocks) {
        const Range channels = block.slice[kChannels];
        if (std::ranges::none_of(channels_[i], [&](Range r) {
              return r.start == channels.start;
            }))
          channels_[i].push_back(channels);
      }
    }
  }

  // Replaces the numbers of old layers by those of the items that they became.
  void link(Item& item) const {
    MappedLayer& layer = item.layer;
    if (item.reader >= 0) {
      layer.outputs.front().next = {item.reader};
      return;
    }
    std::vector<InputFeature> inputs;
    for (const InputFeature& input : layer.inputs) {
      if (input.source_layer < 0) {
        inputs.push_back(input);
        continue;
      }
      for (const size_t source : now_[size_t(input.source_layer)])
        take(input, source, inputs);
    }
    layer.inputs = std::move(inputs);
    if (item.weights >= 0)
      receive_weights(layer, item.weights);
    for (OutputFeature& output : layer.outputs) {
      std::vector<int> next;
      for (const int reader : output.next)
        next.insert(next.end(), now_[size_t(reader)].begin(), now_[size_t(reader)].end());
      output.next = std::move(next);
    }
  }

  // Makes a layer receive its weights from another layer instead of memory.
  static void receive_weights(MappedLayer& layer, int from) {
    WeightFeature& weights = layer.weights.front();
    weights.from_dram = false;
    InputFeature input{false, from, weights.blocks};
    for (Block& block : input.blocks) {
      block.slice[2] = {0, block.slice[2].size() * block.slice[3].size()};
      block.slice[3] = {0, 1};
    }
    layer.inputs.push_back(std::move(input));
  }

  // Adds the part of an input that one run of its source produces.
  void take(const InputFeature& input, size_t source, std::vector<InputFeature>& inputs) const {
    InputFeature part{input.from_dram, int(source), {}};
    if (now_[items_[source].of].size() == 1) {
      part.blocks = input.blocks;
      inputs.push_back(std::move(part));
      return;
    }
    for (const Block& block : input.blocks) {
      for (const Range channels : channels_[source]) {
        const int64_t start = std::max(channels.start, block.slice[kChannels].start);
        const int64_t end = std::min(channels.end, block.slice[kChannels].end);
        if (start >= end)
          continue;
        part.blocks.push_back(block);
        part.blocks.back().slice[kChannels] = {start, end};
      }
    }
    if (!part.blocks.empty())
      inputs.push_back(std::move(part));
  }

  const Mapping& mapping_;
  const Plan& plan_;
  std::vector<Item> items_;
  std::vector<std::vector<size_t>> now_;      // items by old layer
  std::vector<std::vector<Range>> channels_;  // of the parts of each item
};

}  // namespace

Mapping in_runs(const Mapping& mapping, const Plan& plan) {
  return Runner(mapping, plan).run();
}

}  // namespace lento::chip
