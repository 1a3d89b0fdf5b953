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
#include <numeric>

#include "chip/map/blocks.h"
#include "chip/map/tuning.h"

namespace lento::chip {
namespace {

using Loads = std::array<double, 64>;  // bytes over the middles of blocks (BlockOrder)

constexpr double kNever = std::numeric_limits<double>::infinity();

struct SampledPart {
  size_t core = 0;
  Range batch;
  Box box;
  std::vector<Need> needs;
};

struct Choice {
  Cut cut;
  int sharers = 1;     // cores that hand the weights on to one another
  int runs = 1;        // of a part's channels
  double compute = 0;  // cycles
  double weights = 0;  // bytes of one part
  double output = 0;   // bytes of one part
  double hand_on = 0;  // cycles until all have the weights of their sharers
  std::vector<SampledPart> parts;
  std::vector<uint32_t> cores;  // of all parts, in the order in which a mapping lists them
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
  Sequencer(
      const LayerGraph& graph,
      const spec::Chip& chip,
      const BlockOrder& order,
      const Grouping& grouping,
      int64_t samples)
      : graph_(graph),
        order_(order),
        grouping_(grouping),
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
      PlannedLayer planned{choice(i).cut, segment_[i], samples_, choice(i).sharers, choice(i).runs};
      if (reads_dram(i))
        planned.sharers = planned.runs = 1;
      plan.layers.push_back(planned);
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
    for (const Cut& cut : list_cuts_of_groups(layer)) {
      Choice c = describe(layer, cut);
      c.sharers = sharers_of(layer, cut);
      if (!choose_steps(layer, c))
        continue;
      c.hand_on = hand_on_cycles(c);
      const double stream = stream_cycles(c, 0, 0);
      const double rough = c.sharers > 1 ? handed_cycles(c, stream) : streamed_cycles(c, stream);
      found.emplace_back(rough, std::move(c));
    }
    std::ranges::stable_sort(found, {}, [](const auto& f) {
      return f.first;
    });
    std::vector<Choice> out;
    std::map<int, size_t> kept;  // by parts along the batch
    for (auto& [rough, c] : found) {
      size_t& same = kept[c.cut.parts[0]];
      if (same >= 2 * kCutsABatch || (same >= kCutsABatch && !like_a_source(index, c.cut)))
        continue;
      ++same;
      sample(layer, c);
      out.push_back(std::move(c));
    }
    return out;
  }

  // Whether an operation without weights is cut as one of its sources may be, so that it takes what it finds.
  bool like_a_source(size_t index, const Cut& cut) const {
    const Layer& layer = graph_.layers[index];
    return grouping_.cores > 0 && layer.depth == 0 &&
           std::ranges::any_of(layer.operands, [&](const Operand& operand) {
             return std::ranges::any_of(operand.value.pieces, [&](const Piece& p) {
               return p.source >= 0 &&
                      graph_.layers[size_t(p.source)].layout.extents == layer.layout.extents &&
                      std::ranges::any_of(choices_[size_t(p.source)], [&](const Choice& c) {
                        return c.cut.parts == cut.parts;
                      });
             });
           });
  }

  int sharers_of(const Layer& layer, const Cut& cut) const {
    const int same = cut.cores / cut.parts[1];
    return has_matrix(layer) && same % grouping_.sharers == 0 ? grouping_.sharers : 1;
  }

  // Those of products with as many parts along the channels as a group has cores, where there are any.
  std::vector<Cut> list_cuts_of_groups(const Layer& layer) const {
    const std::vector<Cut> all = list_full_cuts(layer, chip_, samples_);
    if (grouping_.cores == 0 || !has_matrix(layer))
      return all;
    std::vector<Cut> out;
    std::ranges::copy_if(all, std::back_inserter(out), [&](const Cut& cut) {
      return cut.parts[1] == grouping_.cores;
    });
    return out.empty() ? all : out;
  }

  size_t core_of(const Cut& cut, size_t index) const {
    const size_t stand = grouping_.cores > 0 ? stand_of(cut, index) : index;
    return core_in_sequence(int64_t(stand), cut.cores, cores_);
  }

  // Cycles for the middles of blocks of one size to pass what each of the cores that work receives over them.
  double middle_cycles(const Loads& loads, size_t m, int cores) const {
    const BlockOrder::Middle& middle = order_.middles()[m];
    const double rate = kMiddleShare * chip_.network.link_bytes_per_cycle * middle.links;
    return loads[m] * middle.cores * double(cores) / double(cores_) / rate;
  }

  // Loads are those of an average core.
  double exchange_cycles(const Loads& loads, int cores) const {
    if (grouping_.cores == 0)
      return std::reduce(loads.begin(), loads.end()) * cores / mesh_rate_;
    double most = 0;
    for (size_t m = 0; m < order_.middles().size(); ++m)
      most = std::max(most, middle_cycles(loads, m, cores));
    return most;
  }

  // Cycles to compute while weights stream in: each waits for the other now and then.
  double streamed_cycles(const Choice& c, double stream) const {
    if (grouping_.cores == 0)
      return std::max(c.compute, stream);
    return std::pow(std::pow(c.compute, 4) + std::pow(stream, 4), 0.25);
  }

  // The same of weights that are handed on: reading, handing on and computing take turns in one window.
  static double handed_cycles(const Choice& c, double stream) {
    return std::sqrt(c.compute * c.compute + stream * stream + c.hand_on * c.hand_on);
  }

  // Cores of the same channels stand apart by the number of parts along them.
  double hand_on_cycles(const Choice& c) const {
    if (c.sharers == 1)
      return 0;
    Loads loads{};
    const auto apart = size_t(c.cut.parts[1]);
    const size_t ranks = size_t(c.cut.cores) / apart;
    for (size_t rank = 0; rank < ranks; ++rank) {
      const size_t first = rank / size_t(c.sharers) * size_t(c.sharers);
      for (size_t other = first; other < first + size_t(c.sharers); ++other) {
        if (other == rank)
          continue;
        const size_t here = core_in_sequence(int64_t(rank * apart), c.cut.cores, cores_);
        const size_t there = core_in_sequence(int64_t(other * apart), c.cut.cores, cores_);
        loads[order_.middle_between(here, there)] += c.weights / c.sharers / double(ranks);
      }
    }
    double cycles = 0;  // what goes far meets the traffic of all blocks on its way
    for (size_t m = 0; m < order_.middles().size(); ++m)
      cycles += middle_cycles(loads, m, c.cut.cores);
    return cycles;
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
    const int64_t channels = layer.layout.extents[0] / c.cut.parts[1];
    if (c.sharers > 1) {
      const auto wanted = int64_t(std::ceil(c.weights / double(kRunBytes)));
      c.runs = int(std::clamp<int64_t>(wanted, 1, std::min(channels, kMostRuns)));
    }
    if (c.sharers == 1) {
      const auto wanted = int64_t(std::ceil(c.weights / double(kStreamStepBytes) / c.runs));
      const int64_t most = std::min((channels + c.runs - 1) / c.runs, (kStreamSteps + c.runs - 1) / c.runs);
      c.cut.fetch = {1, int(std::clamp<int64_t>(wanted, 1, most)), 1, 1};
    }
    return c.output + streamed(c) <= double(chip_.core.scratchpad_bytes) && reads_in_time(c);
  }

  // One read of a core fills one slot of its memory unit; those that share are to be done well before the run
  // that computes meanwhile.
  bool reads_in_time(const Choice& c) const {
    return c.sharers == 1 || 2 * c.weights / c.sharers <= c.compute * chip_.memory_unit.bytes_per_cycle;
  }

  // Bytes of weights that a core holds while their layer runs: two sub-steps.
  static double streamed(const Choice& c) {
    return 2 * c.weights / c.runs / c.cut.fetch[1];
  }

  void sample(const Layer& layer, Choice& c) const {
    const auto cores = size_t(c.cut.cores);
    for (size_t i = 0; i < cores; ++i)
      c.cores.push_back(uint32_t(core_of(c.cut, i)));
    const size_t count = std::min(cores, kSampledParts);
    for (size_t k = 0; k < count; ++k) {
      SampledPart part;
      const size_t index = k * cores / count + k % (cores / count);  // not all of one column
      part.core = c.cores[index];
      locate(layer, samples_, c.cut, index, part.batch, part.box);
      for (const Operand& operand : layer.operands)
        needs(layer, operand, part.box, part.needs);
      c.parts.push_back(std::move(part));
    }
  }

  // Parts of `n` along an extent that overlap a range.
  static Range overlapping(int64_t extent, int64_t n, Range range) {
    Range out{range.start * n / extent, (range.end - 1) * n / extent};
    while (out.start + 1 < n && part_range(extent, n, out.start).end <= range.start)
      ++out.start;
    while (out.end + 1 < n && part_range(extent, n, out.end).end < range.end)
      ++out.end;
    return {out.start, out.end + 1};
  }

  // Bytes of a need of an earlier layer that other cores send, in all, and added to `loads`.
  double received(const SampledPart& part, const Need& need, Loads& loads) const {
    const Cut& cut = choice(size_t(need.source)).cut;
    const auto& n = cut.parts;
    const auto& e = graph_.layers[size_t(need.source)].layout.extents;
    const std::array<int64_t, 4> extents{samples_, e[0], e[1], e[2]};
    const std::array<Range, 4> wanted{part.batch, need.box[0], need.box[1], need.box[2]};
    std::array<Range, 4> parts;
    for (size_t a = 0; a < 4; ++a)
      parts[a] = overlapping(extents[a], n[a], wanted[a]);
    const auto overlap = [&](size_t a, int64_t i) {
      return double(common(part_range(extents[a], n[a], i), wanted[a]).size());
    };
    const std::vector<uint32_t>& cores = choice(size_t(need.source)).cores;
    double all = 0;
    for (int64_t b = parts[0].start; b < parts[0].end; ++b) {
      for (int64_t k = parts[1].start; k < parts[1].end; ++k) {
        const double bytes = overlap(0, b) * overlap(1, k);
        for (int64_t h = parts[2].start; h < parts[2].end; ++h) {
          const double row_bytes = bytes * overlap(2, h);
          for (int64_t w = parts[3].start; w < parts[3].end; ++w) {
            const size_t from = cores[size_t(((b * n[1] + k) * n[2] + h) * n[3] + w)];
            if (from == part.core)
              continue;
            const double here = n[3] == 1 ? row_bytes * double(wanted[3].size()) : row_bytes * overlap(3, w);
            loads[order_.middle_between(from, part.core)] += here;
            all += here;
          }
        }
      }
    }
    return all;
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
    const double weights = c.weights / c.sharers;
    const double shared = (weights * c.cut.cores + all) / dram_rate_;
    return std::max(shared, (weights + most) / unit);
  }

  double cost(size_t index) const {
    const Choice& c = choice(index);
    double most_read = 0;
    double most_received = 0;
    double read = 0;
    Loads loads{};
    for (size_t p = 0; p < c.parts.size(); ++p) {
      const SampledPart& part = c.parts[p];
      double here_read = 0;
      double here_received = 0;
      for (const Need& need : part.needs) {
        if (inside(index, need.source)) {
          here_received += brought(index, p, need) ? 0 : received(part, need, loads);
        } else {
          here_read += double(part.batch.size()) * double(bytes_of(need.box));
        }
      }
      most_read = std::max(most_read, here_read);
      most_received = std::max(most_received, here_received);
      read += here_read;
    }
    for (double& load : loads)
      load /= double(c.parts.size());
    const double share = double(c.cut.cores) / double(c.parts.size());
    const double links = 2 * chip_.network.link_bytes_per_cycle;
    const double receive = std::max(most_received / links, exchange_cycles(loads, c.cut.cores));
    const double stream = stream_cycles(c, most_read, read * share);
    const double inputs = read * share / dram_rate_;  // there before the first step
    const double ends = inputs + written(index) / dram_rate_;
    if (c.sharers > 1) {
      return receive + handed_cycles(c, stream - inputs) +
             chip_.core.start_up_cycles * c.runs * (1 + c.sharers) + ends;
    }
    const double first = (stream - inputs) / (c.cut.fetch[1] * c.runs);
    return receive + first + streamed_cycles(c, stream - inputs - first) +
           chip_.core.start_up_cycles * c.runs * (1 + c.cut.fetch[1]) + ends;
  }

  bool reads_dram(size_t index) const {
    return std::ranges::any_of(graph_.layers[index].operands, [&](const Operand& operand) {
      return std::ranges::any_of(operand.value.pieces, [&](const Piece& p) {
        return !inside(index, p.source);
      });
    });
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

  // Of the next product's weights, where they are handed on.
  double ahead(size_t i) const {
    const size_t last = std::min(chosen_.size(), i + kLongestReach);
    for (size_t next = i + 1; next < last; ++next) {
      if (has_matrix(graph_.layers[next]))
        return choice(next).sharers > 1 ? choice(next).weights / choice(next).runs : 0;
    }
    return 0;
  }

  // While layer i of the segment [begin, i] runs.
  double held(size_t i, size_t begin) const {
    const Choice& c = choice(i);
    double bytes = c.output + streamed(c) + read_input(i, begin) + ahead(i);
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
  const BlockOrder& order_;
  const Grouping& grouping_;
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

std::optional<Plan> plan_sequence(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const Grouping& grouping) {
  const BlockOrder order(Grid(chip), false);
  std::optional<Plan> best;
  int whole = 0;  // pass sizes that need one segment only
  for (int64_t samples = options.batch; samples >= 1; --samples) {
    if (options.batch % samples != 0)
      continue;
    Plan plan;
    plan.sequential = true;
    plan.blocks = grouping.cores > 0;
    const double cycles = Sequencer(graph, chip, order, grouping, samples).run(plan);
    if (cycles == kNever)
      continue;
    plan.cycles = cycles * double(options.batch / samples);
    whole += plan.segments == 1 ? 1 : 0;
    if (!best || plan.cycles < best->cycles)
      best = std::move(plan);
    if (grouping.cores > 0 && whole == kWholePasses)
      break;  // smaller ones read the same weights more often
  }
  return best;
}

}  // namespace lento::chip
