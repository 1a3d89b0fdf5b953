// Cuts a graph into segments by a dynamic program over the layer order, with costs in cycles:
//
//   best[i] = min over j, s of best[j] + cost(layers j..i-1, s samples per pass)
//
// Within a segment cores go to layers by bisection on a common score, so that the stages of the pipeline are
// even:
//
//   pass = max(slowest stage, DRAM bytes of all layers / all ports, messages / mesh)
//   cost = passes * pass + (sum of stages - slowest stage)          the pipeline fills once
//
// Cost: layers * longest segment * pass sizes * bisection steps * layers of a segment.
#include "chip/map/plan/segments.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/units.h"

namespace lento::chip {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr size_t kMaxPassSizes = 8;

// Lists divisors of the batch, thinned evenly to a few that include 1 and the batch itself.
std::vector<int64_t> pass_sizes(int64_t batch) {
  std::vector<int64_t> all;
  for (int64_t s = 1; s * s <= batch; ++s) {
    if (batch % s != 0)
      continue;
    all.push_back(s);
    if (s != batch / s)
      all.push_back(batch / s);
  }
  std::ranges::sort(all);
  if (all.size() <= kMaxPassSizes)
    return all;
  std::vector<int64_t> out;
  for (size_t i = 0; i < kMaxPassSizes; ++i)
    out.push_back(all[i * (all.size() - 1) / (kMaxPassSizes - 1)]);
  return out;
}

struct Stage {
  const std::vector<Cut>* cuts = nullptr;
  double input_dram_bytes = 0;   // per input byte: 1 when some input comes from DRAM
  double output_dram_bytes = 0;  // one pass
  int producer = -1;             // the nearest earlier stage of the segment whose output it reads
};

class Planner {
 public:
  Planner(const LayerGraph& graph, const spec::Chip& chip, const MapOptions& options, const std::string& file)
      : graph_(graph),
        chip_(chip),
        options_(options),
        file_(file),
        sizes_(pass_sizes(options.batch)),
        dram_rate_(dram_bytes_per_cycle(chip)),
        mesh_rate_(mesh_bytes_per_cycle(chip)),
        cores_(chip.core_count()) {
  }

  // Finds the division of the layers into segments with the fewest cycles, by dynamic programming.
  Plan run(const base::Progress& progress) {
    find_neighbours();
    list_all(progress);
    const int n = int(graph_.layers.size());
    best_.assign(n + 1, {kNever, 0, 0});
    best_[0].cycles = 0;
    for (int end = 1; end <= n; ++end) {
      const int first = std::max(0, end - std::min(options_.max_segment_layers, cores_));
      for (int begin = end - 1; begin >= first; --begin) {
        for (size_t s = 0; s < sizes_.size(); ++s)
          try_segment(begin, end, s);
      }
      if (best_[end].cycles == kNever)
        does_not_fit(end - 1);
    }
    return collect();
  }

 private:
  struct Best {
    double cycles;
    int begin;
    size_t size;
  };

  // Finds the first and the last layer that each layer reads, and the last layer that reads it.
  void find_neighbours() {
    const size_t n = graph_.layers.size();
    first_source_.assign(n, INT32_MAX);
    last_source_.assign(n, -1);
    last_reader_.assign(n, INT32_MAX);  // no reader: an output of the network
    for (size_t i = 0; i < n; ++i) {
      for (const Operand& operand : graph_.layers[i].operands) {
        for (const Piece& p : operand.value.pieces) {
          first_source_[i] = std::min(first_source_[i], p.source);
          last_source_[i] = std::max(last_source_[i], p.source);
          if (p.source >= 0)
            last_reader_[p.source] = int(i);
        }
      }
    }
  }

  // Lists the cuts of each layer (list_cuts()) for each origin of its inputs (Supply) and each number of
  // samples.
  void list_all(const base::Progress& progress) {
    const size_t n = graph_.layers.size();
    cuts_.assign(
        2,
        std::vector<std::vector<std::vector<Cut>>>(sizes_.size(), std::vector<std::vector<Cut>>(n)));
    for (size_t i = 0; i < n; ++i) {
      if (progress.stopped())
        throw base::Error({file_}, "stopped before a mapping was found");
      progress("cutting layers", double(i), double(n));
      for (size_t s = 0; s < sizes_.size(); ++s) {
        for (const Supply supply : {Supply::Dram, Supply::Cores}) {
          cuts_[size_t(supply)][s][i] = list_cuts(graph_.layers[i], chip_, sizes_[s], supply);
        }
      }
    }
    progress("cutting layers", double(n), double(n));
  }

  [[noreturn]] void does_not_fit(int layer) const {
    throw base::Error(
        {file_, 0, 0, "layer '" + graph_.layers[layer].name.substr(0, 80) + "'"},
        "no part of it is small enough for half of a scratchpad of " +
            base::format_quantity(double(chip_.core.scratchpad_bytes), base::Dimension::Bytes),
        "give the chip a larger core.scratchpad");
  }

  // Returns the stage of layer i in a segment that starts at `begin`. Inputs of mixed origin are held whole
  // and counted as read.
  Stage stage(int i, int begin, int end, size_t s) const {
    const bool all_inside = first_source_[i] >= begin && first_source_[i] != INT32_MAX;
    const bool any_inside = last_source_[i] >= begin;
    Stage out;
    out.cuts = &cuts_[size_t(any_inside ? Supply::Cores : Supply::Dram)][s][i];
    out.input_dram_bytes = all_inside ? 0 : 1;
    if (any_inside)
      out.producer = last_source_[i] - begin;
    const auto& e = graph_.layers[i].layout.extents;
    if (last_reader_[i] >= end)
      out.output_dram_bytes = double(e[0]) * double(e[1]) * double(e[2]) * double(sizes_[s]);
    return out;
  }

  // Returns the cut with the fewest cores whose score (Cut::score, cycles) is at most `score`, or nullptr.
  static const Cut* cheapest(const std::vector<Cut>& cuts, double score) {
    const auto found = std::partition_point(cuts.begin(), cuts.end(), [score](const Cut& c) {
      return c.score > score;
    });
    return found == cuts.end() ? nullptr : &*found;
  }

  // Picks one cut per stage, so that together they use at most all cores and the highest score is least.
  // Returns false when that is impossible.
  bool share_cores(const std::vector<Stage>& stages, std::vector<const Cut*>& chosen) const {
    double high = 0;
    double low = kNever;
    for (const Stage& stage : stages) {
      if (stage.cuts->empty())
        return false;
      high = std::max(high, stage.cuts->front().score);
      low = std::min(low, stage.cuts->back().score);
    }
    const auto total = [&](double score) {
      int64_t cores = 0;
      for (const Stage& stage : stages) {
        const Cut* cut = cheapest(*stage.cuts, score);
        cores += (cut ? cut : &stage.cuts->back())->cores;
      }
      return cores;
    };
    const int64_t limit = cores_;
    if (total(high) > limit)
      return false;
    for (int step = 0; step < 24; ++step) {
      const double middle = (low + high) / 2;
      (total(middle) <= limit ? high : low) = middle;
    }
    chosen.clear();
    for (const Stage& stage : stages) {
      const Cut* cut = cheapest(*stage.cuts, high);
      chosen.push_back(cut ? cut : &stage.cuts->back());
    }
    return true;
  }

  // Returns the cycles of a segment (cost at the top of this file). A single pass overlaps with no other one,
  // so the lesser of its slowest stage and its DRAM or network traffic is added.
  double segment_cycles(const std::vector<Stage>& stages, const std::vector<const Cut*>& chosen, size_t s)
      const {
    double slowest = 0;
    double sum = 0;
    double dram = 0;
    double mesh = 0;
    for (size_t i = 0; i < stages.size(); ++i) {
      double stage = chosen[i]->core_cycles;
      if (stages[i].producer >= 0) {
        // Messages leave the producer's cores on two of their four links, because of the order of routing.
        stage = std::max(
            stage,
            chosen[i]->input_bytes / chosen[stages[i].producer]->cores /
                (2 * chip_.network.link_bytes_per_cycle));
        mesh += chosen[i]->input_bytes;
      }
      slowest = std::max(slowest, stage);
      sum += stage;
      dram += chosen[i]->weight_bytes + stages[i].input_dram_bytes * chosen[i]->input_bytes +
              stages[i].output_dram_bytes;
    }
    const double shared = std::max(dram / dram_rate_, mesh / mesh_rate_);
    const double passes = double(options_.batch / sizes_[s]);
    return passes * std::max(slowest, shared) + sum - slowest + (passes == 1 ? std::min(shared, slowest) : 0);
  }

  void list_stages(int begin, int end, size_t s) {
    stages_.clear();
    for (int i = begin; i < end; ++i)
      stages_.push_back(stage(i, begin, end, s));
  }

  // Tries the layers [begin, end) as one segment with sizes_[s] samples per pass, and keeps it in best_[end]
  // when that is faster.
  void try_segment(int begin, int end, size_t s) {
    if (best_[begin].cycles == kNever)
      return;
    list_stages(begin, end, s);
    if (!share_cores(stages_, chosen_))
      return;
    const double weight = end - begin == 1 ? options_.alone : 1;
    const double cycles = best_[begin].cycles + weight * segment_cycles(stages_, chosen_, s);
    if (cycles < best_[end].cycles)
      best_[end] = {cycles, begin, s};
  }

  // Collects the best segments from the last to the first.
  Plan collect() {
    Plan plan;
    const int n = int(graph_.layers.size());
    plan.cycles = best_[n].cycles;
    plan.layers.resize(n);
    std::vector<int> ends;
    for (int end = n; end > 0; end = best_[end].begin)
      ends.push_back(end);
    std::ranges::reverse(ends);
    for (const int end : ends) {
      const auto [cycles, begin, s] = best_[end];
      list_stages(begin, end, s);
      share_cores(stages_, chosen_);
      for (int i = begin; i < end; ++i)
        plan.layers[i] = {*chosen_[i - begin], plan.segments, sizes_[s]};
      ++plan.segments;
    }
    return plan;
  }

  const LayerGraph& graph_;
  const spec::Chip& chip_;
  const MapOptions& options_;
  const std::string& file_;
  const std::vector<int64_t> sizes_;
  // Rates in bytes per cycle.
  const double dram_rate_;
  const double mesh_rate_;
  const int cores_;
  std::vector<int> first_source_;
  std::vector<int> last_source_;
  std::vector<int> last_reader_;
  std::vector<std::vector<std::vector<std::vector<Cut>>>> cuts_;  // [supply][pass size][layer]
  std::vector<Best> best_;                                        // by number of layers done
  std::vector<Stage> stages_;
  std::vector<const Cut*> chosen_;
};

}  // namespace

Plan plan_segments(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const std::string& file,
    const base::Progress& progress) {
  return Planner(graph, chip, options, file).run(progress);
}

}  // namespace lento::chip
