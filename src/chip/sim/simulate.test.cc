#include "chip/sim/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "chip/map/file/map_file.h"
#include "chip/map/test_data.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {
namespace {

using test::exact_chip;
using test::one_message;
using testing::HasSubstr;

// Keeps what it is given.
class Collect : public RecordSink {
 public:
  Outcome record(const ProbeRecord& r) override {
    records.push_back(r);
    return {};
  }
  std::vector<ProbeRecord> of(ProbeKind kind) const {
    std::vector<ProbeRecord> found;
    for (const auto& r : records) {
      if (r.kind == kind)
        found.push_back(r);
    }
    return found;
  }
  std::vector<ProbeRecord> records;
};

struct Finished {
  Result result;
  Collect sink;
};

Finished run(
    const Mapping& mapping,
    const spec::Chip& chip,
    const std::vector<Fault>& faults = {},
    Options options = {}) {
  const Program program = expand(mapping, chip, "m");
  const Model model(chip, program);
  Finished out;
  out.result = simulate(model, faults, options, &out.sink);
  return out;
}

uint64_t up(double cycles) {
  return uint64_t(std::ceil(cycles));
}

// Store and forward, segment by segment: the port into the router, each link, the port out. Segment s passes
// a server when it has arrived there and segment s - 1 has passed.
TEST(Simulate, LatencyOfOneMessageIsTheClosedForm) {
  for (const int64_t bytes : {1, 16, 1000, 65536, 65537, 200000, 1000000}) {
    for (const Position to : {Position{1, 0}, Position{3, 3}, Position{0, 2}}) {
      const spec::Chip chip = exact_chip(4, 4);
      const Finished r = run(one_message(bytes, to), chip);
      const auto messages = r.sink.of(chip::ProbeKind::Message);
      ASSERT_EQ(messages.size(), 1u);
      const int hops = to.x + to.y;
      const int64_t segments = (bytes + 65535) / 65536;
      uint64_t entered = 0;
      uint64_t expected = 0;
      std::vector<uint64_t> free(hops, 0);  // when each link has passed the segment before
      for (int64_t s = 0; s < segments; ++s) {
        const double size = s + 1 == segments ? double(bytes - 65536 * s) : 65536;
        uint64_t at = entered += up(size / 128);
        for (uint64_t& link : free)
          at = link = std::max(at, link) + chip.network.router_cycles + up(size / 16);
        expected = std::max(at, expected) + up(size / 128);
      }
      if (segments == 1) {
        const auto size = double(bytes);
        EXPECT_EQ(expected, 2 * up(size / 128) + hops * (1 + up(size / 16)));
      }
      EXPECT_EQ(messages[0].end - messages[0].begin, expected) << bytes << " to " << to.x << "," << to.y;
    }
  }
}

TEST(Simulate, TimeOfOneOperationIsTheClosedForm) {
  const Finished r = run(one_message(4096, {1, 0}), exact_chip(2, 1));
  const auto computes = r.sink.of(chip::ProbeKind::Compute);
  ASSERT_EQ(computes.size(), 2u);
  EXPECT_EQ(computes[0].work, 4096u * 9);
  EXPECT_EQ(computes[0].end - computes[0].begin, 36u);
}

TEST(Simulate, ReadsGoAtTheRateOfASlot) {
  const Finished r = run(one_message(65536 * 4, {1, 0}), exact_chip(2, 1));
  const auto reads = r.sink.of(chip::ProbeKind::Read);
  ASSERT_EQ(reads.size(), 2u);
  const auto& input = reads[0].work > 100 ? reads[0] : reads[1];
  EXPECT_EQ(input.end - input.begin, 4096u + 4 * 16384u);
}

TEST(Simulate, ProbesCostTheCoreThatWritesThem) {
  const Mapping mapping = test::two_layers();
  Options none;
  none.probes = named_plan("none");
  const Finished with = run(mapping, exact_chip(2, 1));
  const Finished without = run(mapping, exact_chip(2, 1), {}, none);
  EXPECT_EQ(without.result.records, 0u);
  EXPECT_TRUE(without.sink.records.empty());
  EXPECT_GT(with.result.cycles, without.result.cycles);
  uint64_t cost = 0;
  for (const uint64_t c : with.result.probe_cycles)
    cost += c;
  EXPECT_EQ(cost, with.result.records * 71);
}

TEST(Simulate, TimeGrowsWithTheFactorOfAFaultOnASingleFlow) {
  for (const char* name :
       {"core0", "core1", "link0-1", "router0", "lsu0", "lsu1", "dram-left-0", "dram-right-0"}) {
    uint64_t before = 0;
    for (const double factor : {1.0, 1.5, 2.0, 5.0, 10.0, 50.0}) {
      const spec::Chip chip = exact_chip(2, 1);
      Fault fault = component(name, Grid(chip), {});
      fault.factor = factor;
      const Finished r = run(one_message(300000, {1, 0}), chip, {fault});
      EXPECT_GT(r.result.cycles, before) << name << " x" << factor;
      EXPECT_GT(r.result.fault_hits[0], 0u) << name << ": what starts inside counts, however mild the fault";
      before = r.result.cycles;
    }
  }
}

TEST(Simulate, AFaultThatIsOverChangesNothing) {
  const spec::Chip chip = exact_chip(2, 1);
  const Finished healthy = run(one_message(300000, {1, 0}), chip);
  Fault fault = component("core1", Grid(chip), {});
  fault.factor = 10;
  fault.begin = healthy.result.cycles + 1;
  const Finished late = run(one_message(300000, {1, 0}), chip, {fault});
  EXPECT_EQ(late.result.cycles, healthy.result.cycles);
  EXPECT_EQ(late.result.fault_hits[0], 0u);
}

std::string bytes_of(const std::vector<ProbeRecord>& records) {
  return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(ProbeRecord)};
}

TEST(Simulate, SameArgumentsSameBytesOnAnyThread) {
  const Program program = expand(test::two_layers(), spec::Chip{}, "m");
  const Model model(spec::Chip{}, program);
  std::vector<std::string> seen(16);
  base::parallel_for(seen.size(), 4, [&](size_t i) {
    Collect sink;
    Options options;
    options.inferences = 8;
    options.seed = i % 2;
    simulate(model, {}, options, &sink);
    seen[i] = bytes_of(sink.records);
  });
  for (size_t i = 2; i < seen.size(); ++i)
    EXPECT_EQ(seen[i], seen[i % 2]);
  EXPECT_NE(seen[0], seen[1]);
}

// What must hold of any run of any mapping.
void check_invariants(const Program& program, const Result& r, uint64_t inferences) {
  const auto sum = program.totals();
  uint64_t port_bytes = 0;
  uint64_t unit_bytes = 0;
  uint64_t link_bytes = 0;
  uint64_t expected_links = 0;
  for (const auto& use : r.ports)
    port_bytes += use.bytes;
  for (const auto& use : r.memory_units)
    unit_bytes += use.bytes;
  EXPECT_EQ(port_bytes, inferences * sum.dram_bytes);
  EXPECT_EQ(unit_bytes, inferences * sum.dram_bytes);
  for (const auto& use : r.links) {
    EXPECT_LE(use.busy, r.cycles);
    link_bytes += use.bytes;
  }
  for (const auto& use : r.ports)
    EXPECT_LE(use.busy, r.cycles);
  for (const uint64_t busy : r.core_busy)
    EXPECT_LE(busy, r.cycles);
  for (size_t core = 0; core + 1 < program.first_section.size(); ++core) {
    for (uint32_t s = program.first_section[core]; s < program.first_section[core + 1]; ++s) {
      for (uint32_t i = program.sections[s].begin; i < program.sections[s].end; ++i) {
        const Instruction& in = program.instructions[i];
        uint32_t route = 0;
        if (in.action == Action::Send)
          route = program.channels[in.target].route;
        if (in.action == Action::Read)
          route = program.from_port[core];
        if (in.action == Action::Write)
          route = program.to_port[core];
        if (in.action == Action::Compute || in.action == Action::Receive)
          continue;
        expected_links += in.amount * program.sections[s].repeats *
                          (program.routes[route].end - program.routes[route].begin);
      }
    }
  }
  EXPECT_EQ(link_bytes, inferences * expected_links);
  EXPECT_EQ(r.records, inferences * (sum.reads + sum.writes + sum.receives + sum.computes));
}

TEST(Simulate, BytesAreConservedOnRealMappings) {
  for (const auto& [name, side] :
       {std::pair{"darknet19.4x4", 4},
        {"googlenet.4x4", 4},
        {"vgg19.4x4", 4},
        {"resnet50.4x4", 4},
        {"googlenet.6x6", 6},
        {"darknet19.8x8", 8}}) {
    const std::string path = test::shared_chip("gemini/") + name + ".map.json";
    if (!test::readable(path))
      GTEST_SKIP() << path << " is not there";
    spec::Chip chip;
    chip.width = chip.height = side;
    const Program program = expand(read_map(path), chip, path);
    const Model model(chip, program);
    Options options;
    options.inferences = 2;
    check_invariants(program, simulate(model, {}, options), 2);
  }
}

// A random pipeline on random cores: it must end, and conserve bytes, on every topology and buffer size.
Mapping random_mapping(uint64_t seed, int side) {
  base::Rng rng(seed, "mapping");
  Mapping mapping;
  mapping.name = "random";
  mapping.batch = 8;
  const int64_t channels = 4 + int64_t(rng.below(60));
  const int64_t height = 16;
  for (int id = 0; id < 6; ++id) {
    MappedLayer layer;
    layer.id = id;
    layer.name = "l" + std::to_string(id);
    layer.kind = id % 2 ? LayerKind::Pool : LayerKind::Conv;
    layer.segment = id < 4 ? 1 : 2;
    layer.samples_per_pass = id < 4 ? 1 << rng.below(3) : 8;
    layer.fetch[0] = 1 + int(rng.below(2));
    const int parts = 1 + int(rng.below(4));
    OutputFeature out{id == 3 || id == 5, {}, {}};
    InputFeature in{id == 0 || id == 4, id - 1, {}};
    for (int p = 0; p < parts; ++p) {
      const Position core{int(rng.below(side)), int(rng.below(side))};
      const Range rows{height * p / parts, height * (p + 1) / parts};
      const Slice slice{{{0, layer.samples_per_pass}, {0, channels}, rows, {0, 40}}};
      out.blocks.push_back({{core}, slice});
      Slice halo = slice;
      halo[2] = {std::max<int64_t>(0, rows.start - 1), std::min<int64_t>(height, rows.end + 1)};
      in.blocks.push_back({{core}, halo});
      if (layer.kind == LayerKind::Conv) {
        layer.weights.resize(1);
        layer.weights[0].blocks.push_back({{core}, {{{0, 1}, {0, channels}, {0, channels}, {0, 9}}}});
      }
    }
    layer.inputs = {in};
    layer.outputs = {out};
    mapping.layers.push_back(layer);
  }
  return mapping;
}

TEST(Simulate, RandomPipelinesEndAndConserveBytes) {
  int side = 2;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    spec::Chip chip;
    chip.width = chip.height = side = 2 + int(seed % 4);
    chip.topology = seed % 3 == 0 ? spec::Topology::Torus : spec::Topology::Mesh;
    chip.network.buffer_segments = int(seed % 4);
    chip.network.segment_bytes = 1024 << seed % 5;
    chip.core.issue_window = 2 + int(seed % 10);
    const Program program = expand(random_mapping(seed, side), chip, "random");
    const Model model(chip, program);
    Options options;
    options.inferences = 3;
    check_invariants(program, simulate(model, {}, options), 3);
  }
}

// Two chips of 3 x 3 tiles, the lower left one DRAM.
spec::FabricSheet two_chips(bool networks) {
  spec::FabricSheet sheet = spec::torus_fabric(3, 3);
  sheet.computes = true;
  sheet.tiles[0] = spec::TileKind::Dram;
  if (networks)
    spec::add_opposite_network(sheet);
  spec::join_chips(sheet, 2, false);
  return sheet;
}

TEST(Simulate, AMessageFromChipToChipTakesTheirLinkAtItsRate) {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 1);
  sheet.computes = true;
  sheet.tiles[1] = spec::TileKind::Dram;
  sheet.chips = 2;
  sheet.chip_links = {{{0, 0, 0}, {1, 0, 0}, 8, 50}, {{1, 0, 0}, {0, 0, 0}, 8, 50}};
  sheet.link.transit_cv = 0;
  sheet.core.rate_deviation = 0;
  const Finished r = run(one_message(1000, {2, 0}), spec::chip_of(sheet));
  const auto messages = r.sink.of(chip::ProbeKind::Message);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].end - messages[0].begin, 2 * up(1000 / 32.0) + 50 + up(1000 / 8.0));
}

TEST(Simulate, RandomPipelinesEndAndConserveBytesOnSheets) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    spec::Chip chip = spec::chip_of(two_chips(seed % 2 == 0));
    chip.network.buffer_segments = 1 + int(seed % 3);
    chip.network.segment_bytes = 1024 << seed % 5;
    chip.core.issue_window = 2 + int(seed % 10);
    const Grid grid(chip);
    Mapping mapping = random_mapping(seed, 3);
    const auto move = [&](auto& features) {
      for (auto& feature : features)
        for (Block& block : feature.blocks)
          block.cores.front() =
              grid.position((block.cores.front().x * 3 + block.cores.front().y + int(seed)) % 16);
    };
    for (MappedLayer& layer : mapping.layers) {
      move(layer.inputs);
      move(layer.weights);
      move(layer.outputs);
    }
    const Program program = expand(mapping, chip, "random");
    const Model model(chip, program);
    Options options;
    options.inferences = 3;
    check_invariants(program, simulate(model, {}, options), 3);
  }
}

// All cores of a ring send half way round at once: without datelines the buffers fill in a circle.
Mapping ring_shift(int side) {
  Mapping mapping = test::two_layers();
  mapping.batch = 1;
  for (MappedLayer& layer : mapping.layers) {
    layer.samples_per_pass = 1;
    layer.weights.clear();
  }
  MappedLayer &a = mapping.layers[0], &b = mapping.layers[1];
  a.inputs[0].blocks.clear();
  a.outputs[0].blocks.clear();
  b.inputs[0].blocks.clear();
  b.outputs[0].blocks.clear();
  for (int x = 0; x < side; ++x) {
    const Slice slice{{{0, 1}, {x, x + 1}, {0, 256}, {0, 4096}}};
    a.inputs[0].blocks.push_back({{{x, 0}}, slice});
    a.outputs[0].blocks.push_back({{{x, 0}}, slice});
    b.inputs[0].blocks.push_back({{{(x + side / 2) % side, 0}}, slice});
    b.outputs[0].blocks.push_back({{{(x + side / 2) % side, 0}}, slice});
  }
  return mapping;
}

TEST(Simulate, ARingWithoutDatelinesDeadlocksAndTheCycleIsNamed) {
  spec::Chip chip = exact_chip(6, 1);
  chip.topology = spec::Topology::Ring;
  chip.network.buffer_segments = 1;
  chip.memory_unit.bytes_per_cycle = 1000;
  EXPECT_TRUE(run(ring_shift(6), chip).result.finished);
  Options options;
  options.datelines = false;
  try {
    run(ring_shift(6), chip, {}, options);
    FAIL() << "no deadlock";
  } catch (const base::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("deadlock at cycle"));
    EXPECT_THAT(e.what(), HasSubstr("link0-1 -> link1-2"));
  }
}

TEST(Simulate, CoresThatWaitForOneAnotherAreNamed) {
  spec::Chip chip = exact_chip(2, 1);
  Program program = expand(test::two_layers(), chip, "m");
  // Turn the second core's program into one that first needs an answer to what it has not sent: receive from
  // core 0 while core 0 waits for core 1's layer in DRAM.
  program.waits.push_back({1, 8, 4, 4});
  for (Instruction& in : program.instructions) {
    if (in.action == Action::Read && in.layer == 0)
      in.target = uint32_t(program.waits.size() - 1);
  }
  const Model model(chip, program);
  try {
    simulate(model, {}, {});
    FAIL() << "no deadlock";
  } catch (const base::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("core0 waits for layer 1 in DRAM, core1 waits for a message from core0"));
  }
}

TEST(Noise, MeanAndDeviationAreKept) {
  const Noise noise(0.35);
  double sum = 0;
  double squares = 0;
  double normal_sum = 0;
  double normal_squares = 0;
  for (uint64_t i = 0; i < Noise::kValues; ++i) {
    const double g = noise.gamma(i << 52), z = noise.normal(i << 52);
    sum += g;
    squares += g * g;
    normal_sum += z;
    normal_squares += z * z;
  }
  const double n = Noise::kValues;
  EXPECT_NEAR(sum / n, 1, 1e-5);
  EXPECT_NEAR(std::sqrt(squares / n - 1), 0.35, 0.0006);
  EXPECT_NEAR(normal_sum / n, 0, 1e-5);
  EXPECT_NEAR(normal_squares / n, 1, 0.003);
  EXPECT_EQ(Noise(0).gamma(12345), 1.0f);
}

TEST(Noise, MeanIsKeptWhereTheDensityHasNoBound) {
  for (const double cv : {1.2, 1.5, 2.0}) {
    const Noise noise(cv);
    double sum = 0;
    for (uint64_t i = 0; i < Noise::kValues; ++i)
      sum += noise.gamma(i << 52);
    EXPECT_NEAR(sum / Noise::kValues, 1, 1e-5) << cv;
  }
}

}  // namespace
}  // namespace lento::chip
