// Planted truth on a workload of our own: a pipeline of layers with all-to-all traffic on a 4x4 chip.
#include "lab/chip/trial.h"

#include <gtest/gtest.h>

#include "chip/map/file/map_file.h"
#include "chip/sketch/sketch.h"

namespace lento::chip {
namespace {

// What was reported, for the message of a failing test.
std::string reported(const PreparedWorkload& bench, const PreparedWorkload::Outcome& out) {
  std::string text;
  for (const Suspect& s : out.detection.reported)
    text += " " + name_of(s.component, bench.model().grid) + " x" + std::to_string(s.factor) + " strength " +
            std::to_string(s.strength) + " in " + std::to_string(s.begin) + ".." + std::to_string(s.end) +
            " of " + std::to_string(out.run_cycles);
  return text;
}

Slice slice(int64_t b, int64_t c0, int64_t c1) {
  return {Range{0, b}, Range{c0, c1}, Range{0, 16}, Range{0, 16}};
}

// Four layers on four columns of cores, one sample a pass; each core makes a quarter of the channels.
Mapping pipeline() {
  constexpr int64_t kChannels = 64;
  constexpr int64_t kBatch = 16;
  Mapping m;
  m.name = "pipeline";
  m.batch = kBatch;
  for (int l = 0; l < 4; ++l) {
    MappedLayer layer;
    layer.id = l;
    layer.name = "layer" + std::to_string(l);
    layer.samples_per_pass = 1;
    layer.partition = {1, 4, 1, 1};
    InputFeature in;
    in.from_dram = l == 0;
    in.source_layer = l - 1;
    WeightFeature weights;
    OutputFeature out;
    out.to_dram = l == 3;
    if (l < 3)
      out.next = {l + 1};
    for (int y = 0; y < 4; ++y) {
      in.blocks.push_back({{{l, y}}, slice(1, 0, kChannels)});
      weights.blocks.push_back(
          {{{l, y}}, {Range{0, 1}, Range{16 * y, 16 * y + 16}, Range{0, kChannels}, Range{0, 9}}});
      out.blocks.push_back({{{l, y}}, slice(1, 16 * y, 16 * y + 16)});
    }
    layer.inputs = {in};
    layer.weights = {weights};
    layer.outputs = {out};
    m.layers.push_back(layer);
  }
  return m;
}

class Planted : public testing::Test {
 protected:
  static PreparedWorkload make(bool replay, double lost) {
    TrialOptions options;
    options.inferences = 32;
    options.replay = replay;
    options.lost_share = lost;
    options.sketch.bin_cycles = 1 << 12;
    return PreparedWorkload("pipeline", spec::Chip{}, pipeline(), options);
  }
  static Fault fault(const PreparedWorkload& bench, const Component& component, double factor, uint64_t run) {
    Fault f = fault_of(component, bench.model().grid);
    f.factor = factor;
    f.begin = run / 4;
    f.end = run * 3 / 4;
    return f;
  }
  static uint64_t run_cycles(const PreparedWorkload& bench) {
    Result result;
    bench.record({}, 7, &result);
    return result.cycles;
  }
};

TEST_F(Planted, HealthyRunsFindNothing) {
  const PreparedWorkload bench = make(true, 0);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const PreparedWorkload::Outcome out = bench.run({}, seed);
    EXPECT_TRUE(out.detection.reported.empty()) << seed << reported(bench, out);
  }
}

TEST_F(Planted, EachKindIsNamedAndTimed) {
  const PreparedWorkload bench = make(true, 0);
  const uint64_t run = run_cycles(bench);
  for (const Component& c :
       {Component{Part::Core, 5},
        Component{Part::Link, 5, 6},
        Component{Part::Link, 5, 9},
        Component{Part::Router, 6},
        Component{Part::MemoryUnit, 4}}) {
    const Fault f = fault(bench, c, 10, run);
    ASSERT_GE(bench.hits({f})[0], kFewHits) << f.name;
    const PreparedWorkload::Outcome out = bench.run({f}, 3);
    EXPECT_TRUE(out.strict) << f.name << reported(bench, out);
    if (!out.strict)
      continue;
    const Suspect& s = out.detection.reported[0];
    EXPECT_GE(overlap(out.truth[0], {s.component, s.begin, s.end}, out.run_cycles), 0.7) << f.name;
  }
}

// Quiet links need little to stand out: what is asked of a component is what it shows on a healthy chip.
TEST_F(Planted, MildSlownessOfAShortWhileIsNamed) {
  const PreparedWorkload bench = make(true, 0);
  const uint64_t run = run_cycles(bench);
  for (const Component& c : {Component{Part::Link, 5, 6}, Component{Part::Link, 9, 10}}) {
    Fault f = fault(bench, c, 1.5, run);
    f.begin = run * 6 / 10;
    const PreparedWorkload::Outcome out = bench.run({f}, 3);
    EXPECT_TRUE(out.strict) << f.name << reported(bench, out);
  }
}

TEST_F(Planted, DirectEvidenceAloneNamesCoreAndLink) {
  const PreparedWorkload bench = make(false, 0);
  const uint64_t run = run_cycles(bench);
  const PreparedWorkload::Outcome healthy = bench.run({}, 4);
  EXPECT_TRUE(healthy.detection.reported.empty()) << reported(bench, healthy);
  EXPECT_TRUE(bench.run({fault(bench, {Part::Core, 9}, 3, run)}, 4).strict);
  EXPECT_TRUE(bench.run({fault(bench, {Part::Link, 9, 10}, 10, run)}, 4).strict);
}

TEST_F(Planted, SurvivesLostRecords) {
  const PreparedWorkload bench = make(true, 0.3);
  const uint64_t run = run_cycles(bench);
  EXPECT_TRUE(bench.run({fault(bench, {Part::Core, 9}, 3, run)}, 5).strict);
  EXPECT_TRUE(bench.run({fault(bench, {Part::Link, 9, 10}, 10, run)}, 5).strict);
}

// A recording that stops while inferences are under way is shorter than its replays.
TEST_F(Planted, ARecordingCutOffNamesTheSameLink) {
  const PreparedWorkload bench = make(true, 0);
  const uint64_t run = run_cycles(bench);
  const std::vector<Fault> faults{fault(bench, {Part::Link, 9, 10}, 10, run)};
  class Records : public RecordSink {
   public:
    Outcome record(const ProbeRecord& r) override {
      all.push_back(r);
      return {};
    }
    std::vector<ProbeRecord> all;
  } recorded;
  Options options;
  options.inferences = 32;
  simulate(bench.model(), faults, options, &recorded);
  const Sketch whole = bench.record({}, 1);
  std::vector<SketchShape> shapes;
  for (const CoreSketch& core : whole.cores())
    shapes.push_back(core.shape());
  for (const uint64_t percent : {55, 62, 70, 80, 90}) {
    Sketch cut(shapes, whole.options());
    for (const ProbeRecord& r : recorded.all)
      if (r.end <= run * percent / 100)
        cut.record(r);
    DetectOptions detect_options;
    detect_options.replay = [&](const std::vector<Fault>& guess, uint32_t draw) {
      return bench.record(guess, 99 + draw);
    };
    const Detection found = detect(cut, spec::Chip{}, detect_options);
    ASSERT_EQ(found.reported.size(), 1u) << percent;
    EXPECT_EQ(name_of(found.reported[0].component, bench.model().grid), "link9-10") << percent;
    EXPECT_GT(found.reported[0].seen, 0u) << percent;
  }
}

TEST_F(Planted, TheRecorderNeverEvictsWhatTheMappingPlansFor) {
  const PreparedWorkload bench = make(true, 0);
  const Sketch sketch = bench.record({}, 1);
  EXPECT_EQ(sketch.evictions(), 0u);
  EXPECT_EQ(sketch.bytes(), bench.sketch_bytes());
}

// Two layers of this mapping exchange borders, and now one side waits for the other, now the other for the
// one, for tens of transfers on end: a pattern that waits all the while is no slow link.
TEST(ShippedExample, HealthyRunsThatDriftFindNothing) {
  const spec::Chip chip = spec::read_chip("examples/chip/4x4.yaml");
  const Mapping mapping = read_map("examples/chip/tiny.map.json");
  const auto reports_nothing = [&](uint32_t inferences, uint64_t seed) {
    TrialOptions options;
    options.inferences = inferences;
    options.seed = seed;
    const PreparedWorkload bench("tiny", chip, mapping, options);
    const PreparedWorkload::Outcome out = bench.run({}, seed);
    EXPECT_TRUE(out.detection.reported.empty())
        << inferences << " inferences, seed " << seed << reported(bench, out);
  };
  for (const uint64_t seed : {2, 10, 131})
    reports_nothing(8, seed);
  for (const uint64_t seed : {106, 110, 123, 131, 133, 134})
    reports_nothing(20, seed);
  for (const uint64_t seed : {9, 109, 128, 133})
    reports_nothing(60, seed);
}

TEST(Diagnosis, ShowsFindingRoutesAndRanking) {
  const spec::Chip chip;
  TrialOptions options;
  options.inferences = 16;
  options.sketch.bin_cycles = 1 << 12;
  const PreparedWorkload bench("pipeline", chip, pipeline(), options);
  Fault f = fault_of({Part::Link, 5, 6}, bench.model().grid);
  f.factor = 10;
  const Sketch sketch = bench.record({f}, 2);
  DetectOptions detect_options;
  detect_options.replay = [&](const std::vector<Fault>& guess, uint32_t draw) {
    return bench.record(guess, 99 + draw);
  };
  const Detection detection = detect(sketch, chip, detect_options);
  const finding::Diagnosis d = diagnose(detection, sketch, chip, bench.model().program);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "link5-6");
  EXPECT_EQ(d.findings[0].category, "slow link");
  EXPECT_NO_THROW(finding::check_shapes(d, {}));
  EXPECT_FALSE(std::get<finding::MeshFigure>(d.figures[0].body).routes.empty());
}

}  // namespace
}  // namespace lento::chip
