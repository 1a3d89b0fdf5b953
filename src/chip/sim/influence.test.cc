#include "chip/sim/influence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "chip/map/binary_tree.h"
#include "chip/map/test_data.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

// Durations and their derivatives, in the order of the records.
struct Kept : InfluenceSink, RecordSink {
  struct One {
    ProbeRecord record;
    std::vector<float> cycles;
  };
  std::vector<One> all;
  void record(const ProbeRecord& record, std::span<const float> cycles) override {
    all.push_back({record, {cycles.begin(), cycles.end()}});
  }
  Outcome record(const ProbeRecord& record) override {
    all.push_back({record, {}});
    return {};
  }
};

// By what names a record, since a slower part changes which ends first.
void sort_by_name(std::vector<Kept::One>& all) {
  std::ranges::stable_sort(all, {}, [](const Kept::One& one) {
    const ProbeRecord& r = one.record;
    return std::tuple(r.core, r.kind, r.peer, r.layer, r.inference, r.step, r.work);
  });
}

double taken(const ProbeRecord& r) {
  return double(r.end - r.begin);
}

// Start-up, port into the router, a link for each hop and the port out are all that a lone message meets, and
// their derivatives add up to what it takes.
TEST(Influence, OfALoneMessageAddsUpToItsDuration) {
  const spec::Chip chip = test::exact_chip(4, 4);
  const Program program = expand(test::one_message(1000, {3, 3}), chip, "m");
  const Model model(chip, program);
  Kept kept;
  simulate_influence(model, {}, kept);
  int messages = 0;
  for (const Kept::One& one : kept.all) {
    if (one.record.kind != ProbeKind::Message)
      continue;
    ++messages;
    double sum = 0;
    int links = 0;
    const InfluenceColumns columns(model.grid);
    for (const float c : one.cycles)
      sum += c;
    for (int id = 0; id < model.grid.link_count(); ++id)
      links += one.cycles[columns.link(id)] > 0 && model.grid.link(id).from < model.grid.link(id).to;
    EXPECT_NEAR(sum, taken(one.record), 1e-3);
    EXPECT_EQ(links, 6);
  }
  EXPECT_EQ(messages, 1);
}

TEST(Influence, OfAComputeIsItsCoreAlone) {
  const spec::Chip chip = test::exact_chip(2, 2);
  const Program program = expand(test::two_layers(), chip, "m");
  const Model model(chip, program);
  Kept kept;
  simulate_influence(model, {}, kept);
  for (const Kept::One& one : kept.all) {
    if (one.record.kind != ProbeKind::Compute)
      continue;
    for (uint32_t c = 0; c < one.cycles.size(); ++c)
      EXPECT_FLOAT_EQ(one.cycles[c], c == one.record.core ? float(taken(one.record)) : 0);
  }
}

// Keeping derivatives changes no record.
TEST(Influence, LeavesTheRunAsItIs) {
  const spec::Chip chip;
  const Program program = expand(test::two_layers(), chip, "m");
  const Model model(chip, program);
  Kept with;
  Kept without;
  simulate_influence(model, {.inferences = 3}, with);
  simulate(model, {}, {.inferences = 3}, &without);
  ASSERT_EQ(with.all.size(), without.all.size());
  for (size_t i = 0; i < with.all.size(); ++i) {
    EXPECT_EQ(with.all[i].record.begin, without.all[i].record.begin);
    EXPECT_EQ(with.all[i].record.end, without.all[i].record.end);
  }
}

// A little slower part changes every duration by its derivative, queues included, while the order of events
// stays.
TEST(Influence, IsWhatALittleSlowerPartChanges) {
  spec::Chip chip = test::exact_chip(2, 2);
  chip.memory_unit.slots = 1;
  chip.memory_unit.bytes_per_cycle = 0.05;  // long services, so that whole cycles matter little
  const Program program = expand(test::two_layers(), chip, "m");
  const Model model(chip, program);
  Kept kept;
  simulate_influence(model, {.inferences = 2}, kept);
  const double kStep = 0.01;
  Deviations slower;
  slower.memory_units = {std::exp(kStep), 1, 1, 1};
  Kept moved;
  simulate(Model(chip, program, slower), {}, {.inferences = 2}, &moved);
  const uint32_t column = InfluenceColumns(model.grid).memory_unit(0);
  ASSERT_EQ(kept.all.size(), moved.all.size());
  sort_by_name(kept.all);
  sort_by_name(moved.all);
  double touched = 0;
  for (size_t i = 0; i < kept.all.size(); ++i) {
    const double change = taken(moved.all[i].record) - taken(kept.all[i].record);
    touched += std::abs(change);
    // Whole cycles, rounded up at each service.
    EXPECT_NEAR(change, kStep * kept.all[i].cycles[column], 3 + 0.05 * std::abs(change));
  }
  EXPECT_GT(touched, 20);
}

}  // namespace
}  // namespace lento::chip
