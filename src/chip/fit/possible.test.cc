#include "chip/fit/possible.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chip/detect/test_chip.h"
#include "chip/fit/tuning.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

Fit fit_of(double spread_of_links) {
  Fit fit;
  fit.classes = {{Part::Link}, {Part::Core}};
  fit.classes[0].spread = spread_of_links;
  const Grid grid(fit.twin.chip);
  for (int core = 0; core < grid.core_count(); ++core)
    fit.parts.push_back({{Part::Core, core}, 1, 0.05});
  for (int link = 0; link < grid.link_count(); ++link)
    if (grid.link(link).from < grid.link(link).to)
      fit.parts.push_back({link_component(grid, link), 1, 0.02});
  return fit;
}

TEST(Possible, PartsOfUnequalClassesMoveByTheirErrors) {
  std::vector<double> moves;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const Twin twin = possible_twin(fit_of(0.5), seed);
    EXPECT_TRUE(twin.own.cores.empty());
    for (const double times : twin.own.links)
      moves.push_back(std::log2(times));
  }
  EXPECT_NEAR(evidence::mean(moves), 0, 0.003);
  EXPECT_NEAR(std::sqrt(evidence::variance(moves)), std::log2(1.02), 0.002);
}

TEST(Possible, WhatTheClassSpreadsIsTheMost) {
  std::vector<double> moves;
  for (uint64_t seed = 1; seed <= 50; ++seed)
    for (const double times : possible_twin(fit_of(0.002), seed).own.links)
      moves.push_back(std::log2(times));
  EXPECT_LT(std::sqrt(evidence::variance(moves)), std::log2(1.002));
}

TEST(Possible, AnEqualChipIsOneChip) {
  EXPECT_EQ(possible_twin(fit_of(0), 3).own, Deviations{});
  int twins = 0;
  const ReplayOf replays = [&](const Twin&) {
    ++twins;
    return [](const std::vector<Fault>&, uint32_t) {
      return Sketch({}, {});
    };
  };
  const Replay one = possible_replay(fit_of(0), replays, 1);
  for (uint32_t draw = 0; draw < 2 * kFitDraws; ++draw)
    one({}, draw);
  EXPECT_EQ(twins, 1);
  twins = 0;
  const Replay unequal = possible_replay(fit_of(0.05), replays, 1);
  for (int times = 0; times < 2; ++times)
    for (uint32_t draw = 0; draw < 2 * kFitDraws; ++draw)
      unequal({}, draw);
  EXPECT_EQ(twins, 1 + int(kFitDraws));
}

// Where two sizes of buffers explain the run, later draws are of the other.
TEST(Possible, OtherBuffersArePossibleToo) {
  Fit fit = fit_of(0);
  fit.other_buffers = 3 * fit.twin.chip.network.buffer_segments;
  EXPECT_EQ(possible_twin(fit, 1).chip.network.buffer_segments, fit.other_buffers);
  EXPECT_EQ(possible_twin(fit, 1).own, Deviations{});
  std::vector<int> segments;
  const ReplayOf replays = [&](const Twin& twin) {
    return [&segments, size = twin.chip.network.buffer_segments](const std::vector<Fault>&, uint32_t) {
      segments.push_back(size);
      return Sketch({}, {});
    };
  };
  const Replay replay = possible_replay(fit, replays, 1);
  for (uint32_t draw = 0; draw < 2 * kFitDraws; ++draw)
    replay({}, draw);
  for (uint32_t draw = 0; draw < 2 * kFitDraws; ++draw)
    EXPECT_EQ(segments[draw], draw < kFitDraws ? fit.twin.chip.network.buffer_segments : fit.other_buffers);
}

}  // namespace
}  // namespace lento::chip
