// Enumerates the orders of the parallel dimensions of a training run and times the run in each.
#include "predict/time/training/placement.h"

#include <algorithm>

#include "predict/time/fabric.h"

namespace lento::predict {
namespace {

constexpr std::string_view kNames[] = {"tensor", "context", "data", "pipeline"};

// Returns the largest load of a link over all dimensions of this placement.
double busiest(const System& system, const TrainingRun& run) {
  const Network& net = system.network;
  double most = 0;
  for (const Axis axis : run.placement) {
    const int stride = run.stride(axis);
    const int members = std::min(net.node_devices / stride, run.ways(axis));
    if (members < 2 || !has_fabric(net.node))
      continue;
    const Pattern pattern = axis == Axis::Pipeline ? Pattern::Line : Pattern::Ring;
    most = std::max(most, link_load(net.node, net.node_devices, {members, stride, pattern}).most);
  }
  return most;
}

}  // namespace

std::vector<Placement> distinct_placements(const TrainingRun& run) {
  std::vector<Axis> live;
  std::vector<Axis> trivial;
  for (const Axis axis : run.placement)
    (run.ways(axis) > 1 ? live : trivial).push_back(axis);
  const std::vector<Axis> own = live;
  std::vector<Placement> out;
  const auto add = [&](const std::vector<Axis>& order) {
    Placement placement{};
    std::ranges::copy(trivial, std::ranges::copy(order, placement.begin()).out);
    out.push_back(placement);
  };
  add(own);
  std::ranges::sort(live);
  do {
    if (live != own)
      add(live);
  } while (std::next_permutation(live.begin(), live.end()));
  return out;
}

std::vector<PlacedTime> time_placements(const System& system, const TrainingRun& run) {
  std::vector<PlacedTime> out;
  TrainingRun placed = run;
  for (const Placement& placement : distinct_placements(run)) {
    placed.placement = placement;
    out.push_back({placement, predict_training(system, placed), busiest(system, placed)});
  }
  std::ranges::stable_sort(out, [](const PlacedTime& a, const PlacedTime& b) {
    return a.time.seconds < b.time.seconds;
  });
  return out;
}

TrainingRun with_placement(const System& system, const TrainingRun& run) {
  if (!run.best_placement)
    return run;
  TrainingRun best = run;
  best.placement = time_placements(system, run).front().placement;
  return best;
}

bool has_default_order(const TrainingRun& run) {
  std::vector<Axis> live;
  for (const Axis axis : run.placement) {
    if (run.ways(axis) > 1)
      live.push_back(axis);
  }
  return std::is_sorted(live.begin(), live.end());
}

std::string to_string(const Placement& placement) {
  std::string text;
  for (const Axis axis : placement)
    text += (text.empty() ? "" : "-") + std::string(kNames[size_t(axis)]);
  return text;
}

std::optional<Placement> parse_placement(std::string_view text) {
  std::vector<Axis> order;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('-', at), text.size());
    const auto* found = std::find(std::begin(kNames), std::end(kNames), text.substr(at, end - at));
    if (found == std::end(kNames))
      return std::nullopt;
    const auto axis = static_cast<Axis>(found - std::begin(kNames));
    if (std::ranges::find(order, axis) != order.end())
      return std::nullopt;
    order.push_back(axis);
    at = end + 1;
  }
  for (const Axis axis : kUsualPlacement) {
    if (std::ranges::find(order, axis) == order.end())
      order.push_back(axis);
  }
  Placement placement{};
  std::ranges::copy(order, placement.begin());
  return placement;
}

}  // namespace lento::predict
