// What one message leaves behind on the links it crosses, in closed form.
#include "chip/sim/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chip/map/test_data.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

using test::exact_chip;
using test::one_message;

struct Sent {
  Result result;
  uint64_t message_cycles = 0;
};

Sent run(
    const spec::Chip& chip,
    int64_t bytes,
    Position to,
    const std::vector<Fault>& faults = {},
    uint64_t inferences = 1) {
  class Last : public RecordSink {
   public:
    Outcome record(const ProbeRecord& r) override {
      if (r.kind == chip::ProbeKind::Message)
        cycles = r.end - r.begin;
      return {};
    }
    uint64_t cycles = 0;
  } sink;
  const Mapping mapping = one_message(bytes, to);
  const Program program = expand(mapping, chip, "m");
  const Model model(chip, program);
  Options options;
  options.inferences = uint32_t(inferences);
  Sent out;
  out.result = simulate(model, faults, options, &sink);
  out.message_cycles = sink.cycles;
  return out;
}

// Bytes that went over the links from the first core to `to`, and over all others.
std::pair<uint64_t, uint64_t> link_bytes(const spec::Chip& chip, const Result& result, Position to) {
  const Grid grid(chip);
  std::vector<bool> on(size_t(grid.link_count()));
  for (const Grid::Hop& hop : grid.route(grid.core(0, 0), grid.core(to)))
    on[size_t(hop.link)] = true;
  uint64_t there = 0;
  uint64_t elsewhere = 0;
  for (size_t id = 0; id < on.size(); ++id)
    (on[id] ? there : elsewhere) += result.links[id].bytes;
  return {there, elsewhere};
}

TEST(Network, EveryLinkOfTheRouteCarriesTheWholeMessage) {
  for (const auto topology : {spec::Topology::Mesh, spec::Topology::Torus}) {
    for (const Position to : {Position{1, 0}, Position{3, 0}, Position{2, 3}}) {
      const spec::Chip chip = exact_chip(4, 4, topology);
      const Grid grid(chip);
      const auto route = grid.route(grid.core(0, 0), grid.core(to));
      for (const int64_t bytes : {100, 65536, 200000}) {
        const Sent r = run(chip, bytes, to);
        for (const Grid::Hop& hop : route)
          EXPECT_GE(r.result.links[size_t(hop.link)].bytes, uint64_t(bytes));
        const auto [there, elsewhere] = link_bytes(chip, r.result, to);
        EXPECT_GE(there, uint64_t(bytes) * route.size());
      }
    }
  }
}

TEST(Network, ALoneLinkIsBusyForItsBytes) {
  for (const double rate : {8.0, 16.0, 32.0}) {
    spec::Chip chip = exact_chip(2, 1);
    chip.network.link_bytes_per_cycle = rate;
    const Sent r = run(chip, 65536, {1, 0});
    const int link = Grid(chip).find_link(0, 1);
    EXPECT_EQ(r.result.links[size_t(link)].bytes, 65536u);
    EXPECT_NEAR(double(r.result.links[size_t(link)].busy), 65536 / rate, 2);
  }
}

TEST(Network, ASegmentWaitsAtEachRouterItsCycles) {
  for (const int hops : {1, 2, 5}) {
    spec::Chip chip = exact_chip(6, 1);
    chip.network.router_cycles = 1;
    const uint64_t fast = run(chip, 4096, {hops, 0}).message_cycles;
    chip.network.router_cycles = 51;
    EXPECT_EQ(run(chip, 4096, {hops, 0}).message_cycles - fast, uint64_t(50 * hops)) << hops;
  }
}

TEST(Network, ARingTakesTheShorterWay) {
  const spec::Chip ring = exact_chip(8, 1, spec::Topology::Ring);
  for (int to = 1; to < 8; ++to) {
    const int steps = std::min(to, 8 - to);
    EXPECT_EQ(run(ring, 4096, {to, 0}).message_cycles, run(ring, 4096, {steps, 0}).message_cycles) << to;
  }
}

TEST(Network, ASlowLinkCostsItsFactorOnceAHop) {
  const spec::Chip chip = exact_chip(4, 1);
  const uint64_t healthy = run(chip, 65536, {3, 0}).message_cycles;
  for (const double factor : {2.0, 5.0, 10.0}) {
    Fault fault = component("link1-2", Grid(chip), {});
    fault.factor = factor;
    const uint64_t slow = run(chip, 65536, {3, 0}, {fault}).message_cycles;
    EXPECT_NEAR(double(slow - healthy), (factor - 1) * 65536 / 16, factor + 2) << factor;
  }
}

TEST(Network, ASlowLinkBesideTheRouteCostsNothing) {
  const spec::Chip chip = exact_chip(4, 2);
  const Sent healthy = run(chip, 65536, {2, 0});
  Fault fault = component("link4-5", Grid(chip), {});
  fault.factor = 50;
  const Sent beside = run(chip, 65536, {2, 0}, {fault});
  EXPECT_EQ(beside.message_cycles, healthy.message_cycles);
  EXPECT_EQ(beside.result.fault_hits.at(0), 0u);
}

TEST(Network, TwiceTheInferencesAreTwiceTheBytes) {
  const spec::Chip chip = exact_chip(3, 1);
  const auto bytes = [&](uint64_t inferences) {
    return link_bytes(chip, run(chip, 5000, {2, 0}, {}, inferences).result, {2, 0}).first;
  };
  for (const uint64_t n : {2, 3, 7})
    EXPECT_EQ(bytes(n), n * bytes(1));
}

TEST(Network, ManySegmentsRunAsAPipeline) {
  // The slowest server decides between two long messages that differ by whole segments.
  const spec::Chip chip = exact_chip(5, 1);
  for (const int hops : {1, 4}) {
    const uint64_t ten = run(chip, 10 * 65536, {hops, 0}).message_cycles;
    const uint64_t twenty = run(chip, 20 * 65536, {hops, 0}).message_cycles;
    EXPECT_EQ(twenty - ten, 10u * (65536 / 16 + 1)) << hops;
  }
}

}  // namespace
}  // namespace lento::chip
