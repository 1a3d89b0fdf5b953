// Plans layers one after the other, each cut over all cores. Data that a core needs and does not hold arrives
// as messages. Weights come from DRAM in sub-steps while the core computes. With s samples per pass, for the
// cut c of layer i and those of its sources:
//
//   receive = max(bytes received by a core / its links, traffic over middle lines / their links)
//   stream  = (weights of all parts + reads from DRAM) / all ports, or one core's share through its unit
//   layer   = receive + first sub-step of the stream + max(compute, stream) + start-up
//   cost    = batch / s * sum of layers
//
// A middle line separates the halves of a block of cores (BlockOrder). The largest term over the block sizes
// counts, or, for data that is gathered in stages, their sum. Compute and stream overlap as
// Choices::computed() models it. Inputs from DRAM are read before a layer starts, and its output to DRAM is
// written after it, so their cycles are added. A layer of a product that is shared by ranks counts by the
// share of its rank.
//
// A layer's cost depends on the cuts of its sources only, so cuts are improved one layer at a time, with the
// layers that read it, until a round changes nothing (at most kRounds). Parts are alike, and a few of them
// represent all.
//
// A segment ends where the data that a core holds (held_data.h) exceeds the scratchpad.
#include "chip/map/plan/sequence.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "chip/map/plan/blocks.h"
#include "chip/map/plan/choices.h"
#include "chip/map/plan/held_data.h"
#include "chip/map/plan/tuning.h"

namespace lento::chip {
namespace {

constexpr double kUnreachable = std::numeric_limits<double>::infinity();

Range common(Range a, Range b) {
  const int64_t start = std::max(a.start, b.start);
  return {start, std::max(start, std::min(a.end, b.end))};
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
        dram_rate_(dram_bytes_per_cycle(chip)),
        costs_(chip, order, grouping, samples) {
  }

  // Returns the cycles of one pass, kUnreachable when a layer does not fit.
  double run(Plan& plan) {
    const size_t n = graph_.layers.size();
    segment_.assign(n, 0);
    readers_ = readers_of(graph_);
    for (size_t i = 0; i < n; ++i) {
      choices_.push_back(list_choices(i));
      if (choices_.back().empty())
        return kUnreachable;
    }
    choose_cuts();
    if (!cut_segments())
      return kUnreachable;
    double cycles = 0;
    for (size_t i = 0; i < n; ++i) {
      cycles += cost(i);
      const Choice& c = choice(i);
      PlannedLayer planned{c.cut, segment_[i], samples_, c.sharers, c.runs, c.cores};
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

  // Lists the few cuts of a layer with the least Choices::computed() cycles regardless of other layers, each
  // with all its placements on cores.
  std::vector<Choice> list_choices(size_t index) const {
    const Layer& layer = graph_.layers[index];
    std::vector<std::pair<double, Choice>> found;
    for (const Cut& cut : costs_.cuts(layer)) {
      auto c = costs_.choice(layer, cut);
      if (!c)
        continue;
      const double rough = costs_.computed(*c, costs_.stream_cycles(*c, 0, 0));
      found.emplace_back(rough, std::move(*c));
    }
    std::ranges::stable_sort(found, {}, [](const auto& f) {
      return f.first;
    });
    std::vector<Choice> out;
    const size_t few = has_matrix(layer) ? kCutsABatch : kCutsOfOperations;
    std::map<int, size_t> kept;  // number of cuts kept, by parts along the batch
    for (auto& [rough, c] : found) {
      size_t& same = kept[c.cut.parts[0]];
      if (same >= 2 * few || (same >= few && !is_cut_like_a_source(index, c.cut)))
        continue;
      ++same;
      for (auto& cores : costs_.placements(layer, c.cut)) {
        Choice placed = c;
        placed.cores = std::move(cores);
        costs_.sample(layer, placed);
        out.push_back(std::move(placed));
      }
    }
    return out;
  }

  // Returns whether a layer without weights has, with this cut, the same parts as one of its sources has with
  // one of its choices, so that its inputs may already be in place.
  bool is_cut_like_a_source(size_t index, const Cut& cut) const {
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

  // Returns the parts of `n` along an extent that overlap a range.
  static Range overlapping(int64_t extent, int64_t n, Range range) {
    Range out{range.start * n / extent, (range.end - 1) * n / extent};
    while (out.start + 1 < n && part_range(extent, n, out.start).end <= range.start)
      ++out.start;
    while (out.end + 1 < n && part_range(extent, n, out.end).end < range.end)
      ++out.end;
    return {out.start, out.end + 1};
  }

  // Returns the bytes that other cores send to a part for one of its needs, and adds them to `loads` by the
  // middle line that they cross (BlockOrder). With `staged`, bytes count for the last stage of the exchange
  // alone: there they come from the mirror image in the lowest bit in which the positions of producer and
  // receiver differ.
  double received(const SampledPart& part, const Need& need, bool staged, Loads& loads) const {
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
            const size_t apart = from ^ part.core;
            const size_t across = staged ? part.core ^ (apart & -apart) : from;
            loads[order_.middle_between(across, part.core)] += here;
            all += here;
          }
        }
      }
    }
    return all;
  }

  // Returns whether an earlier layer of the segment has already brought the same data to the same core.
  bool is_already_sent(size_t reader, size_t part, const Need& need) const {
    const Choice& c = choice(reader);
    for (const size_t other : readers_[size_t(need.source)]) {
      if (other >= reader || segment_[other] != segment_[reader])
        return false;
      if (takes_too(choice(other), c, part, need))
        return true;
    }
    return false;
  }

  // Returns whether the layer sums the partial results of a product that was shared by ranks (splits.h).
  bool sums_ranks(size_t index) const {
    const Layer& layer = graph_.layers[index];
    const auto& pieces = layer.operands.front().value.pieces;
    return layer.operands.size() > 1 && pieces.size() == 1 && pieces.front().source >= 0 &&
           graph_.layers[size_t(pieces.front().source)].ranks == int(layer.operands.size()) &&
           costs_.images();
  }

  bool inside(size_t reader, int source) const {
    return source >= 0 && segment_[size_t(source)] == segment_[reader];
  }

  // Returns the cost of a layer in cycles. Layers of several ranks run at the same time, so each has a share
  // of the cost.
  double cost(size_t index) const {
    return cost_alone(index) / choice(index).ranks;
  }

  // Returns the cycles of a layer on its own: compute, memory and network.
  double cost_alone(size_t index) const {
    const Choice& c = choice(index);
    double most_read = 0;
    double most_received = 0;
    double read = 0;
    Loads loads{};
    const bool staged = costs_.in_stages(graph_.layers[index]) || sums_ranks(index);
    for (size_t p = 0; p < c.parts.size(); ++p) {
      const SampledPart& part = c.parts[p];
      double here_read = 0;
      double here_received = 0;
      for (const Need& need : part.needs) {
        if (inside(index, need.source)) {
          here_received += is_already_sent(index, p, need) ? 0 : received(part, need, staged, loads);
        } else {
          here_read += bytes_of(part, need);
        }
      }
      most_read = std::max(most_read, here_read);
      most_received = std::max(most_received, here_received);
      read += here_read;
    }
    for (double& load : loads)
      load /= double(c.parts.size());
    const double share = double(c.cut.cores) * c.ranks / double(c.parts.size());
    const double links = 2 * chip_.network.link_bytes_per_cycle;
    const int cores = c.cut.cores * c.ranks;
    const double exchange =
        staged ? costs_.staged_cycles(loads, cores) : costs_.exchange_cycles(loads, cores);
    const double receive = std::max(most_received / links, exchange);
    const double stream = costs_.stream_cycles(c, most_read, read * share);
    const double inputs = read * share / dram_rate_;  // read before the first step
    const double ends = inputs + written(index) / dram_rate_;
    if (c.sharers > 1) {
      return receive + costs_.computed(c, stream - inputs) +
             chip_.core.start_up_cycles * c.runs * (1 + c.sharers) + ends;
    }
    const double first = (stream - inputs) / (c.cut.fetch[1] * c.runs);
    return receive + first + costs_.computed(c, stream - inputs - first) +
           chip_.core.start_up_cycles * c.runs * (1 + c.cut.fetch[1]) + ends;
  }

  bool reads_dram(size_t index) const {
    return std::ranges::any_of(graph_.layers[index].operands, [&](const Operand& operand) {
      return std::ranges::any_of(operand.value.pieces, [&](const Piece& p) {
        return !inside(index, p.source);
      });
    });
  }

  // Returns the bytes that a layer writes to memory: its output when it has no reader or one in another
  // segment.
  double written(size_t index) const {
    const bool leaves = readers_[index].empty() || std::ranges::any_of(readers_[index], [&](size_t r) {
                          return segment_[r] != segment_[index];
                        });
    return leaves ? choice(index).output * choice(index).cut.cores : 0;
  }

  // Returns the cycles of the whole sequence.
  double total() const {
    double cycles = 0;
    for (size_t i = 0; i < chosen_.size(); ++i)
      cycles += cost(i);
    return cycles;
  }

  // Chooses a cut for every layer. Improving one layer at a time stops at local optima, so the search starts
  // once from each number of parts along the batch. With groups of cores it starts only from numbers with
  // which each group has samples of its own (Choices::own_samples()).
  void choose_cuts() {
    std::vector<size_t> best;
    double least = kUnreachable;
    for (int64_t parts = 1; parts <= samples_; ++parts) {
      if (samples_ % parts != 0 || (grouping_.cores > 0 && parts < costs_.own_samples()))
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

  // Chooses the best cut of each layer alone among those with the most parts along the batch up to `parts`.
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

  // Improves the choices layer by layer until none changes, at most kRounds times.
  void improve() {
    for (int round = 0; round < kRounds; ++round) {
      bool changed = false;
      for (size_t i = 0; i < chosen_.size(); ++i)
        changed = improve(i) || changed;
      if (!changed)
        return;
    }
  }

  // Takes the best choice for one layer given the others. Returns whether it changed.
  bool improve(size_t index) {
    const size_t before = chosen_[index];
    size_t best = before;
    double least = kUnreachable;
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

  // Cuts the sequence into segments that fit the scratchpads. Returns whether it can.
  bool cut_segments() {
    std::vector<const Choice*> chosen;
    for (size_t i = 0; i < chosen_.size(); ++i)
      chosen.push_back(&choice(i));
    const HeldData held(graph_, readers_, std::move(chosen));
    size_t begin = 0;
    int segment = 0;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const auto budget = double(chip_.core.scratchpad_bytes);
      if (held.bytes(i, begin) > budget) {
        begin = i;
        ++segment;
        if (held.bytes(i, begin) > budget)
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
  const double dram_rate_;  // bytes per cycle
  const Choices costs_;
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
  int whole = 0;  // pass sizes that fit in a single segment
  for (int64_t samples = options.batch; samples >= 1; --samples) {
    if (options.batch % samples != 0)
      continue;
    Plan plan;
    plan.sequential = true;
    plan.blocks = grouping.cores > 0;
    const double cycles = Sequencer(graph, chip, order, grouping, samples).run(plan);
    if (cycles == kUnreachable)
      continue;
    plan.cycles = cycles * double(options.batch / samples);
    whole += plan.segments == 1 ? 1 : 0;
    if (!best || plan.cycles < best->cycles)
      best = std::move(plan);
    if (grouping.cores > 0 && whole == kWholePasses)
      break;  // smaller passes read the same weights more often
  }
  return best;
}

}  // namespace lento::chip
