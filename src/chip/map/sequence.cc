// Every layer is cut over all cores. What a core needs and does not hold itself arrives as messages; weights
// come from DRAM in sub-steps while the core computes. With s samples a pass, for the cut c of layer i and
// those of its sources:
//
//   receive = max(received by a core / its links, received by all / mesh) + one message over its hops
//   stream  = (weights of all parts + reads from DRAM) / all ports, or one core's share through its memory
//   unit layer   = receive + first sub-step of the stream + max(compute, stream) + start-up cost    = batch /
//   s * sum of layers
//
// A layer's cost depends on the cuts of its sources only, so cuts are improved one layer at a time, with the
// layers that read it, until a round changes nothing (at most kRounds). Parts are alike: a few of them stand
// for all.
//
// What a core holds while layer i runs: its share of every input that i or a later layer of the segment takes
// from an earlier one, the output of i, and two sub-steps of weights. A segment ends where that exceeds the
// scratchpad.
#include "chip/map/sequence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "chip/map/tuning.h"

namespace lento::chip {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct SampledPart {
  size_t core = 0;
  Range batch;
  Box box;
  std::vector<Need> needs;
};

struct Choice {
  Cut cut;
  double compute = 0;  // cycles
  double weights = 0;  // bytes of one part
  double output = 0;   // bytes of one part
  std::vector<SampledPart> parts;
};

int64_t bytes_of(const Box& box) {
  return box[0].size() * box[1].size() * box[2].size();
}

Range common(Range a, Range b) {
  const int64_t start = std::max(a.start, b.start);
  return {start, std::max(start, std::min(a.end, b.end))};
}

bool holds(Range outer, Range inner) {
  return outer.start <= inner.start && inner.end <= outer.end;
}

// Part `index` in the order in which a mapping lists them.
void locate(const Layer& layer, int64_t samples, const Cut& cut, size_t index, Range& batch, Box& box) {
  const auto& n = cut.parts;
  const auto& e = layer.layout.extents;
  auto rest = int64_t(index);
  for (size_t axis = 3; axis >= 1; --axis) {
    box[axis - 1] = part_range(e[axis - 1], n[axis], rest % n[axis]);
    rest /= n[axis];
  }
  batch = part_range(samples, n[0], rest);
}

class Sequencer {
 public:
  Sequencer(const LayerGraph& graph, const spec::Chip& chip, int64_t samples)
      : graph_(graph),
        chip_(chip),
        samples_(samples),
        cores_(size_t(chip.core_count())),
        dram_rate_(dram_bytes_per_cycle(chip)),
        mesh_rate_(mesh_bytes_per_cycle(chip)) {
  }

  // Cycles of one pass; kNever when a layer does not fit.
  double run(Plan& plan) {
    const size_t n = graph_.layers.size();
    segment_.assign(n, 0);
    find_readers();
    for (size_t i = 0; i < n; ++i) {
      choices_.push_back(list_choices(i));
      if (choices_.back().empty())
        return kNever;
    }
    settle();
    if (!cut_segments())
      return kNever;
    double cycles = 0;
    for (size_t i = 0; i < n; ++i) {
      cycles += cost(i);
      plan.layers.push_back({choice(i).cut, segment_[i], samples_});
    }
    plan.segments = segment_.back() + 1;
    return cycles;
  }

 private:
  const Choice& choice(size_t layer) const {
    return choices_[layer][chosen_[layer]];
  }

  void find_readers() {
    readers_.assign(graph_.layers.size(), {});
    for (size_t i = 0; i < graph_.layers.size(); ++i) {
      for (const Operand& operand : graph_.layers[i].operands) {
        for (const Piece& p : operand.value.pieces) {
          if (p.source >= 0 && (readers_[size_t(p.source)].empty() || readers_[size_t(p.source)].back() != i))
            readers_[size_t(p.source)].push_back(i);
        }
      }
    }
  }

  // The few cuts that compute and stream fastest, by what does not depend on other layers.
  std::vector<Choice> list_choices(size_t index) const {
    const Layer& layer = graph_.layers[index];
    std::vector<std::pair<double, Choice>> found;
    for (const Cut& cut : list_full_cuts(layer, chip_, samples_)) {
      Choice c = describe(layer, cut);
      if (!choose_steps(layer, c))
        continue;
      const double rough = std::max(c.compute, stream_cycles(c, 0, 0));
      found.emplace_back(rough, std::move(c));
    }
    std::ranges::stable_sort(found, {}, [](const auto& f) {
      return f.first;
    });
    std::vector<Choice> out;
    std::map<int, size_t> kept;  // by parts along the batch
    for (auto& [rough, c] : found) {
      if (++kept[c.cut.parts[0]] > kCutsABatch)
        continue;
      sample(layer, c);
      out.push_back(std::move(c));
    }
    return out;
  }

  Choice describe(const Layer& layer, const Cut& cut) const {
    const auto largest = [](int64_t extent, int n) {
      return double((extent + n - 1) / n);
    };
    const auto& e = layer.layout.extents;
    Choice c;
    c.cut = cut;
    c.output = largest(samples_, cut.parts[0]);
    for (size_t axis = 0; axis < 3; ++axis)
      c.output *= largest(e[axis], cut.parts[axis + 1]);
    c.compute = c.output * double(operations_per_output(layer)) / chip_.core.ops_per_cycle;
    if (layer.depth > 0 && layer.weights_from_dram)
      c.weights = double(weight_elements(layer, int64_t(largest(e[0], cut.parts[1]))));
    return c;
  }

  // Weights arrive in sub-steps over channels: reads run side by side in the memory unit, and the first are
  // there early.
  bool choose_steps(const Layer& layer, Choice& c) const {
    const int64_t channels = (layer.layout.extents[0] + c.cut.parts[1] - 1) / c.cut.parts[1];
    const double wanted = std::ceil(c.weights / double(kStreamStepBytes));
    c.cut.fetch = {
        1,
        int(std::clamp<int64_t>(int64_t(wanted), 1, std::min<int64_t>(channels, kStreamSteps))),
        1,
        1};
    return c.output + 2 * c.weights / c.cut.fetch[1] <= double(chip_.core.scratchpad_bytes);
  }

  void sample(const Layer& layer, Choice& c) const {
    const auto cores = size_t(c.cut.cores);
    const size_t count = std::min(cores, kSampledParts);
    for (size_t k = 0; k < count; ++k) {
      SampledPart part;
      const size_t index = k * cores / count + k % (cores / count);  // not all of one column
      part.core = core_in_sequence(int64_t(index), c.cut.cores, cores_);
      locate(layer, samples_, c.cut, index, part.batch, part.box);
      for (const Operand& operand : layer.operands)
        needs(layer, operand, part.box, part.needs);
      c.parts.push_back(std::move(part));
    }
  }

  // Of a need that an earlier layer of the segment covers: bytes that the core does not hold itself.
  double missing(const SampledPart& part, const Need& need) const {
    const Choice& source = choice(size_t(need.source));
    const double all = double(part.batch.size()) * double(bytes_of(need.box));
    const auto parts = size_t(source.cut.cores);
    const size_t index = (part.core * parts + cores_ - 1) / cores_;
    if (index >= parts || core_in_sequence(int64_t(index), source.cut.cores, cores_) != part.core)
      return all;
    Range batch;
    Box held;
    locate(graph_.layers[size_t(need.source)], samples_, source.cut, index, batch, held);
    double own = double(common(batch, part.batch).size());
    for (size_t a = 0; a < 3; ++a)
      own *= double(common(held[a], need.box[a]).size());
    return all - own;
  }

  // What an earlier layer of the segment has brought to the same core for itself.
  bool brought(size_t reader, size_t part, const Need& need) const {
    const Choice& c = choice(reader);
    for (const size_t other : readers_[size_t(need.source)]) {
      if (other >= reader || segment_[other] != segment_[reader])
        return false;
      const Choice& before = choice(other);
      if (before.cut.cores != c.cut.cores)
        continue;
      const SampledPart& there = before.parts[part];
      if (holds(there.batch, c.parts[part].batch) && std::ranges::any_of(there.needs, [&](const Need& n) {
            return n.source == need.source && holds(n.box[0], need.box[0]) && holds(n.box[1], need.box[1]) &&
                   holds(n.box[2], need.box[2]);
          }))
        return true;
    }
    return false;
  }

  bool inside(size_t reader, int source) const {
    return source >= 0 && segment_[size_t(source)] == segment_[reader];
  }

  // Bytes read beside the weights: of the part that reads most, and of all.
  double stream_cycles(const Choice& c, double most, double all) const {
    const double unit = chip_.memory_unit.slots * chip_.memory_unit.bytes_per_cycle;
    const double shared = (c.weights * c.cut.cores + all) / dram_rate_;
    return std::max(shared, (c.weights + most) / unit);
  }

  double cost(size_t index) const {
    const Choice& c = choice(index);
    double most_read = 0;
    double most_received = 0;
    double read = 0;
    double received = 0;
    for (size_t p = 0; p < c.parts.size(); ++p) {
      const SampledPart& part = c.parts[p];
      double here_read = 0;
      double here_received = 0;
      for (const Need& need : part.needs) {
        if (inside(index, need.source)) {
          here_received += brought(index, p, need) ? 0 : missing(part, need);
        } else {
          here_read += double(part.batch.size()) * double(bytes_of(need.box));
        }
      }
      most_read = std::max(most_read, here_read);
      most_received = std::max(most_received, here_received);
      read += here_read;
      received += here_received;
    }
    const double share = double(c.cut.cores) / double(c.parts.size());
    const double links = 2 * chip_.network.link_bytes_per_cycle;
    const double receive = std::max(most_received / links, received * share / mesh_rate_);
    const double stream = stream_cycles(c, most_read, read * share);
    const double inputs = read * share / dram_rate_;  // there before the first step
    const double first = inputs + (stream - inputs) / c.cut.fetch[1];
    return receive + first + std::max(c.compute, stream - first) +
           chip_.core.start_up_cycles * (1 + c.cut.fetch[1]) + written(index) / dram_rate_;
  }

  double written(size_t index) const {
    const bool leaves = readers_[index].empty() || std::ranges::any_of(readers_[index], [&](size_t r) {
                          return segment_[r] != segment_[index];
                        });
    return leaves ? choice(index).output * choice(index).cut.cores : 0;
  }

  double total() const {
    double cycles = 0;
    for (size_t i = 0; i < chosen_.size(); ++i)
      cycles += cost(i);
    return cycles;
  }

  // Neighbours hold one another where they are: improving starts once from each number of parts along the
  // batch.
  void settle() {
    std::vector<size_t> best;
    double least = kNever;
    for (int64_t parts = 1; parts <= samples_; ++parts) {
      if (samples_ % parts != 0)
        continue;
      start_from(int(parts));
      improve();
      if (const double cycles = total(); cycles < least) {
        least = cycles;
        best = chosen_;
      }
    }
    chosen_ = best;
  }

  // The best cut alone among those with the most parts along the batch up to `parts`.
  void start_from(int parts) {
    chosen_.assign(choices_.size(), 0);
    for (size_t i = 0; i < choices_.size(); ++i) {
      int most = 0;
      for (size_t k = 0; k < choices_[i].size(); ++k) {
        const int here = choices_[i][k].cut.parts[0];
        if (here <= parts && here > most) {
          most = here;
          chosen_[i] = k;
        }
      }
    }
  }

  void improve() {
    for (int round = 0; round < kRounds; ++round) {
      bool changed = false;
      for (size_t i = 0; i < chosen_.size(); ++i)
        changed = improve(i) || changed;
      if (!changed)
        return;
    }
  }

  bool improve(size_t index) {
    const size_t before = chosen_[index];
    size_t best = before;
    double least = kNever;
    for (size_t k = 0; k < choices_[index].size(); ++k) {
      chosen_[index] = k;
      double cycles = cost(index);
      for (const size_t reader : readers_[index])
        cycles += cost(reader);
      if (cycles < least) {
        least = cycles;
        best = k;
      }
    }
    chosen_[index] = best;
    return best != before;
  }

  // Bytes of input that the fullest sampled part takes from layers since `begin`, by layer of the segment.
  double held_input(size_t reader, size_t begin, size_t before) const {
    double most = 0;
    for (const SampledPart& part : choice(reader).parts) {
      double bytes = 0;
      for (const Need& need : part.needs) {
        if (need.source >= int(begin) && need.source < int(before))
          bytes += double(part.batch.size()) * double(bytes_of(need.box));
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  double read_input(size_t reader, size_t begin) const {
    double most = 0;
    for (const SampledPart& part : choice(reader).parts) {
      double bytes = 0;
      for (const Need& need : part.needs) {
        if (need.source < int(begin))
          bytes += double(part.batch.size()) * double(bytes_of(need.box));
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  // While layer i of the segment [begin, i] runs.
  double held(size_t i, size_t begin) const {
    const Choice& c = choice(i);
    double bytes = c.output + 2 * c.weights / c.cut.fetch[1] + read_input(i, begin);
    const size_t last = std::min(chosen_.size(), i + kLongestReach);
    for (size_t reader = i; reader < last; ++reader)
      bytes += held_input(reader, begin, i);
    return bytes;
  }

  bool cut_segments() {
    size_t begin = 0;
    int segment = 0;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const auto budget = double(chip_.core.scratchpad_bytes);
      if (held(i, begin) > budget) {
        begin = i;
        ++segment;
        if (held(i, begin) > budget)
          return false;
      }
      segment_[i] = segment;
    }
    return true;
  }

  const LayerGraph& graph_;
  const spec::Chip& chip_;
  const int64_t samples_;
  const size_t cores_;
  // bytes a cycle
  const double dram_rate_;
  const double mesh_rate_;
  std::vector<std::vector<size_t>> readers_;
  std::vector<std::vector<Choice>> choices_;  // by layer
  std::vector<size_t> chosen_;
  std::vector<int> segment_;
};

}  // namespace

bool has_attention(const LayerGraph& graph) {
  return std::ranges::any_of(graph.layers, [](const Layer& layer) {
    return std::ranges::any_of(layer.operands, &Operand::is_weight);
  });
}

std::optional<Plan>
plan_sequence(const LayerGraph& graph, const spec::Chip& chip, const MapOptions& options) {
  std::optional<Plan> best;
  for (int64_t samples = options.batch; samples >= 1; --samples) {
    if (options.batch % samples != 0)
      continue;
    Plan plan;
    plan.sequential = true;
    const double cycles = Sequencer(graph, chip, samples).run(plan);
    if (cycles == kNever)
      continue;
    plan.cycles = cycles * double(options.batch / samples);
    if (!best || plan.cycles < best->cycles)
      best = std::move(plan);
  }
  return best;
}

}  // namespace lento::chip
