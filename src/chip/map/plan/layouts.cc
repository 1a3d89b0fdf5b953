// Plans a network in several arrangements: without groups, and with groups of several sizes, reductions
// shared or cut into runs, and weights passed between the cores that share them. The cost model ranks them,
// and only the best are simulated.
#include "chip/map/plan/layouts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "chip/map/lower/chunks.h"
#include "chip/map/lower/splits.h"
#include "chip/map/plan/sequence.h"
#include "chip/map/plan/tuning.h"

namespace lento::chip {
namespace {

// One arrangement of layers that run one after the other on all cores.
struct Arrangement {
  Grouping grouping;
  int64_t channels = INT64_MAX;  // channels that a product reduces at a time
  bool split = false;            // whether the cores of a group share long reductions
};

// Plans the graph with one arrangement of cores. Returns nothing when it does not fit.
std::optional<Planned> plan_layout(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const Arrangement& layout) {
  LayerGraph run = in_chunks(graph, layout.channels);
  if (layout.split)
    run = in_splits(run, layout.grouping.cores);
  auto plan = plan_sequence(run, chip, options, layout.grouping);
  if (!plan)
    return std::nullopt;
  return Planned{std::move(run), std::move(*plan)};
}

// Lists grouped arrangements. Products that reduce many channels are shared within a group wherever that is
// possible, because it is faster.
std::vector<Arrangement> list_grouped(const LayerGraph& graph, const spec::Chip& chip) {
  std::vector<Arrangement> out;
  for (const int cores : kGroupCores) {
    if (cores > chip.core_count())
      continue;
    size_t layers = 0;
    for (const int64_t channels : kChunks) {
      const LayerGraph cut = in_chunks(graph, channels);
      const bool split = in_splits(cut, cores).layers.size() != cut.layers.size();
      if (cut.layers.size() != layers)  // otherwise it is the same layout again
        out.push_back({{cores, kSharers[0]}, channels, split});
      layers = cut.layers.size();
    }
  }
  return out;
}

// Returns whether an equal plan exists already. A number of sharers that no layer uses gives the same plan
// again.
bool known(const std::vector<Planned>& plans, const Planned& planned) {
  return std::ranges::any_of(plans, [&](const Planned& p) {
    return p.plan.cycles == planned.plan.cycles && p.graph.layers.size() == planned.graph.layers.size();
  });
}

}  // namespace

std::optional<Planned>
plan_ungrouped(const LayerGraph& graph, const spec::Chip& chip, const MapOptions& options) {
  std::optional<Planned> best;
  for (const int64_t channels : kChunks) {
    auto tried = plan_layout(graph, chip, options, {{}, channels, false});
    if (tried && (!best || tried->plan.cycles < best->plan.cycles))
      best = std::move(tried);
  }
  return best;
}

// Further numbers of sharers are tried only for arrangements whose plan with the previous number cost at most
// kNearBest times the lowest.
std::vector<Planned> plan_grouped(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const base::Progress& progress) {
  std::vector<Arrangement> layouts = list_grouped(graph, chip);
  const auto whole = double(layouts.size() * std::size(kSharers));
  std::vector<Planned> out;
  double done = 0;
  for (const int sharers : kSharers) {
    std::vector<std::pair<double, Arrangement>> planned_ones;
    double least = std::numeric_limits<double>::infinity();
    for (Arrangement layout : layouts) {
      progress("grouping cores", done++, whole);
      if (progress.stopped())
        return out;
      layout.grouping.sharers = sharers;
      auto planned = plan_layout(graph, chip, options, layout);
      if (!planned)
        continue;
      least = std::min(least, planned->plan.cycles);
      planned_ones.emplace_back(planned->plan.cycles, layout);
      if (!known(out, *planned))
        out.push_back(std::move(*planned));
    }
    layouts.clear();
    for (const auto& [cycles, layout] : planned_ones) {
      if (cycles <= kNearBest * least)
        layouts.push_back(layout);
    }
    std::ranges::stable_sort(out, {}, [](const Planned& p) {
      return p.plan.cycles;
    });
    if (out.size() > kJudged)
      out.erase(out.begin() + ptrdiff_t(kJudged), out.end());
  }
  return out;
}

}  // namespace lento::chip
