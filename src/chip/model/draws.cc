// Draws healthy runs. Each class rate, the window and the unequal parts keep the values of the file in half
// of the draws, and drift, coarse timers and lost records are absent in many, so that some draws have hardly
// any deviation.
#include "chip/model/draws.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "chip/map/grid.h"

namespace lento::chip {
namespace {

double maybe(base::Rng& rng, double width) {
  const double drawn = rng.uniform(-width, width);
  return rng.uniform() < 0.5 ? std::exp(drawn) : 1;
}

// Draws the slowness of single parts. Parts are only slower than the file, which gives the rate of a good
// part.
void spread(std::vector<double>& parts, int count, double deviation, base::Rng& rng) {
  parts.resize(size_t(count));
  for (double& p : parts)
    p = std::exp(std::abs(rng.normal()) * deviation);
}

Twin drawn_chip(const LearnSetup& setup, DrawnChips chips, base::Rng& rng) {
  Twin twin = setup.twin();
  twin.chip.core.ops_per_cycle *= maybe(rng, kTolerance);
  twin.chip.network.link_bytes_per_cycle *= maybe(rng, kTolerance);
  twin.chip.memory_unit.bytes_per_cycle *= maybe(rng, kTolerance);
  twin.chip.dram.port_bytes_per_cycle *= maybe(rng, kTolerance);
  twin.chip.network.transit_cv *= maybe(rng, kTolerance);
  if (chips == DrawnChips::LikeFile)
    return twin;
  constexpr double kWindow = 0.5;  // of the log: a window of 10 becomes 6 to 16
  set(ChipSetting::IssueWindow, setup.chip.core.issue_window * maybe(rng, kWindow), twin.chip);
  const double deviation = rng.uniform(0, kTolerance);
  const bool own = rng.uniform() < 0.5;
  if (own && setup.own == Deviations{}) {
    const Grid grid(setup.chip);
    spread(twin.own.cores, grid.core_count(), deviation, rng);
    spread(twin.own.memory_units, grid.core_count(), deviation, rng);
    spread(twin.own.ports, grid.port_count(), deviation, rng);
    spread(twin.own.links, grid.link_count(), deviation, rng);
    for (int id = 0; id < grid.link_count(); ++id)
      if (const int back = grid.find_link(grid.link(id).to, grid.link(id).from); back > id)
        twin.own.links[size_t(back)] = twin.own.links[size_t(id)];
  }
  return twin;
}

}  // namespace

std::vector<ProbeRecord> healthy_draw(const LearnSetup& setup, uint64_t seed, DrawnChips chips) {
  base::Rng rng(seed, "chip.model.healthy");
  const Twin twin = drawn_chip(setup, chips, rng);
  std::vector<ProbeRecord> records = simulated_records(setup, twin, {}, rng.next());
  constexpr double kClock = 0.3;
  const double scale = std::exp(rng.uniform(-kClock, kClock));
  const double drift = rng.uniform() < 0.3 ? rng.uniform(0, 0.6) : 0;
  constexpr uint64_t kGrains[] = {1, 1, 8, 32, 64};
  const uint64_t grain = kGrains[rng.below(std::size(kGrains))];
  const double lost = rng.uniform() < 0.5 ? 0.02 : 0;
  double end = 1;
  for (const ProbeRecord& r : records)
    end = std::max(end, double(r.end));
  const auto warped = [&](uint64_t t) {
    const auto u = double(t);
    return uint64_t(std::llround(scale * (u + drift / 2 * u * u / end))) / grain * grain;
  };
  std::vector<ProbeRecord> out;
  for (ProbeRecord r : records) {
    if (rng.uniform() < lost)
      continue;
    r.begin = warped(r.begin);
    r.end = warped(r.end);
    out.push_back(r);
  }
  return out;
}

}  // namespace lento::chip
