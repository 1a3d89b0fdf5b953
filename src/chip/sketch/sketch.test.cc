#include "chip/sketch/sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/rng.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

// Lemma 3.1 of SLOTH: the least probability that a pattern with `frequency` occurrences among `total` records
// of one core reaches stage 2 with d hashes, m buckets and threshold H:
//   P >= 1 - ((N - f) / (m (f - H)))^d,   0 when f <= H.
// It bounds promotion by the end of the stream; eviction from stage 2 is not in it.
struct RetentionCase {
  uint64_t total = 0;      // N
  uint64_t frequency = 0;  // f
  uint32_t threshold = 0;  // H
  uint32_t hashes = 1;     // d
  uint32_t buckets = 1;    // m
};
double retention_bound(const RetentionCase& c) {
  if (c.frequency <= c.threshold)
    return 0;
  const double miss = double(c.total - std::min(c.total, c.frequency)) /
                      (double(c.buckets) * double(c.frequency - c.threshold));
  return std::max(0.0, 1 - std::pow(miss, c.hashes));
}

ProbeRecord compute(uint64_t begin, uint64_t cycles, uint64_t work, uint32_t layer = 0) {
  ProbeRecord r;
  r.begin = begin;
  r.end = begin + cycles;
  r.work = work;
  r.layer = layer;
  return r;
}

ProbeRecord message(uint64_t begin, uint64_t cycles, uint64_t bytes, uint16_t peer = 0) {
  ProbeRecord r = compute(begin, cycles, bytes);
  r.kind = ProbeKind::Message;
  r.peer = peer;
  return r;
}

SketchShape exact_shape() {
  SketchShape shape;
  shape.hashes = shape.buckets = 0;
  return shape;
}

TEST(Level, IsTheLogarithmWithinOnePercent) {
  base::Rng rng(1, "level");
  for (int i = 0; i < 10000; ++i) {
    const uint64_t x = 1 + rng.below(uint64_t{1} << (1 + rng.below(60)));
    EXPECT_NEAR(log2_fixed(x) / 256.0, std::log2(double(x)), 0.012) << x;
  }
  EXPECT_EQ(log2_fixed(1), 0);
  EXPECT_EQ(log2_fixed(1024), 2560);
}

TEST(Level, RoundTripsThroughCyclesPerWork) {
  const int level = level_of(ProbeKind::Message, 5000, 16000);
  EXPECT_NEAR(cycles_per_work(ProbeKind::Message, level), 5000.0 / 16000, 0.004);
  EXPECT_NEAR(
      cycles_per_work(ProbeKind::Compute, level_of(ProbeKind::Compute, 1000, 1024000)),
      1.0 / 1024,
      1e-5);
}

TEST(CoreSketch, AnExactTableHoldsCountsMeansAndTimes) {
  CoreSketch sketch(exact_shape(), {});
  for (uint64_t i = 0; i < 10; ++i)
    sketch.insert(message(i * 100000, 2000, 16000, 3));
  const SketchEntry* entry = sketch.find({ProbeKind::Message, 13, 3});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->count, 10u);
  EXPECT_EQ(entry->first, 0u);
  EXPECT_EQ(entry->last, 902000u >> kTickShift);
  EXPECT_NEAR(cycles_per_work(ProbeKind::Message, entry->mean), 0.125, 0.002);
  EXPECT_FLOAT_EQ(entry->mean_work, 16000);
}

TEST(CoreSketch, TimeBinsDoubleAndKeepEveryLevelInItsPlace) {
  CoreSketch sketch(exact_shape(), {});
  const auto slow = [](uint64_t t) {
    return t >= 40'000'000 && t < 60'000'000;
  };
  for (uint64_t t = 0; t < 100'000'000; t += 50'000)
    sketch.insert(message(t, slow(t) ? 20000 : 2000, 16000, 3));
  const CoreSketch::Entry kept = sketch.entries().at(0);
  const auto width = double(sketch.bin_cycles());
  int filled = 0;
  for (int b = 0; b < sketch.shape().bins; ++b) {
    if (kept.bins[b].count() == 0)
      continue;
    ++filled;
    const double begin = b * width;
    const double end = begin + width;
    const double rate = cycles_per_work(ProbeKind::Message, kept.bins[b].mean());
    if (end <= 40e6 || begin >= 60e6) {
      EXPECT_NEAR(rate, 0.125, 0.005) << b;
    }
    if (begin >= 40e6 && end <= 60e6) {
      EXPECT_NEAR(rate, 1.25, 0.05) << b;
    }
  }
  EXPECT_GE(filled, sketch.shape().bins / 2 - 1);
}

TEST(CoreSketch, EpisodesMarkTheStretchOfSlowOperations) {
  CoreSketch sketch(exact_shape(), {});
  base::Rng rng(2, "episode");
  uint64_t t = 0;
  for (int i = 0; i < 3000; ++i) {
    const double factor = i >= 1000 && i < 1500 ? 1.5 : 1;
    const auto cycles = uint64_t(1000 * factor * rng.normal(1, 0.015));
    sketch.insert(compute(t, cycles, 1024000));
    t += 2000;
  }
  const std::vector<Episode> episodes = sketch.episodes();
  ASSERT_EQ(episodes.size(), 1u);
  EXPECT_NEAR(episodes[0].begin * 256.0, 2'000'000, 512);
  EXPECT_NEAR(episodes[0].end * 256.0, 3'000'000, 2048);
  EXPECT_EQ(episodes[0].count, 500u);
  EXPECT_NEAR(std::exp2(episodes[0].mean / 256.0), 1.5, 0.05);
}

TEST(CoreSketch, ManyEpisodesMergeTheNearest) {
  CoreSketch sketch(exact_shape(), {});
  for (uint64_t i = 0; i < 1000; ++i)
    for (uint64_t k = 0; k < 6; ++k)
      sketch.insert(compute(i * 60000 + k * 10000, k == 0 ? 5000 : 1000, 1024000));
  const std::vector<Episode> episodes = sketch.episodes();
  EXPECT_EQ(episodes.size(), sketch.shape().episodes);
  uint64_t count = 0;
  for (size_t i = 0; i < episodes.size(); ++i) {
    count += episodes[i].count;
    if (i > 0) {
      EXPECT_GT(episodes[i].begin, episodes[i - 1].end);
    }
  }
  EXPECT_EQ(count, 1000u);
}

TEST(CoreSketch, NothingOfAPromotedPatternIsLost) {
  SketchOptions options;
  options.threshold = 10;
  CoreSketch sketch(SketchShape{}, options);
  for (uint64_t i = 0; i < 25; ++i)
    sketch.insert(message(i * 1000, 2000, 16000, 3));
  const SketchEntry* entry = sketch.find({ProbeKind::Message, 13, 3});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->count, 25u);
  EXPECT_EQ(entry->first, 0u);
}

TEST(CoreSketch, AsPrintedCountsOnlyFromTheThresholdOn) {
  SketchOptions options;
  options.threshold = 10;
  options.as_printed = true;
  CoreSketch sketch(SketchShape{}, options);
  for (uint64_t i = 0; i < 9; ++i)
    sketch.insert(message(i * 1000, 2000, 16000, 3));
  EXPECT_TRUE(sketch.entries().empty());
  sketch.insert(message(9000, 2000, 16000, 3));
  EXPECT_EQ(sketch.entries().size(), 1u);
}

// Each policy throws out the entry that it names.
TEST(CoreSketch, EvictionPolicies) {
  SketchShape shape;
  shape.transfers = 3;
  const auto survivors = [&](Eviction policy) {
    SketchOptions options;
    options.eviction = policy;
    options.threshold = 1;
    CoreSketch sketch(shape, options);
    for (uint64_t i = 0; i < 9; ++i)
      sketch.insert(message(i * 1000000, i < 5 ? 2000 : 9000, 16000, 1));
    for (uint64_t i = 0; i < 6; ++i)
      sketch.insert(message(i * 1000000 + 100000, 2000, 16000, 2));
    for (uint64_t i = 0; i < 3; ++i)
      sketch.insert(message(i * 1000000 + 200000, i < 2 ? 2000 : 3000, 16000, 3));
    sketch.insert(message(9900000, 2000, 16000, 4));
    std::vector<int> peers;
    for (const auto& kept : sketch.entries())
      peers.push_back(Pattern::unpack(kept.entry->key).subject);
    EXPECT_EQ(sketch.evictions(), 1u);
    return peers;
  };
  EXPECT_THAT(survivors(Eviction::Earliest), testing::UnorderedElementsAre(2, 3, 4));
  EXPECT_THAT(survivors(Eviction::Healthiest), testing::UnorderedElementsAre(1, 3, 4));
  EXPECT_THAT(survivors(Eviction::LeastFrequent), testing::UnorderedElementsAre(1, 2, 4));
  EXPECT_THAT(survivors(Eviction::Random), testing::Contains(4));
}

// 100 patterns that come in turn, eight entries.
CoreSketch recorder_of_many(uint32_t core, uint16_t hashes = 0) {
  SketchShape shape;
  shape.hashes = hashes;
  shape.buckets = hashes == 0 ? 0 : 128;
  shape.transfers = 8;
  SketchOptions options;
  options.threshold = 1;
  CoreSketch sketch(shape, options, core);
  for (uint64_t i = 0; i < 1000; ++i)
    sketch.insert(message(i * 1000, 2000, 16000, uint16_t(i % 100)));
  return sketch;
}

std::vector<int> peers_of(const CoreSketch& sketch) {
  std::vector<int> out;
  for (const auto& kept : sketch.entries())
    out.push_back(Pattern::unpack(kept.entry->key).subject);
  return out;
}

// Where patterns come in turn, a policy of eviction has thrown each out again by the time that it returns.
TEST(CoreSketch, WhatASampleHoldsItHoldsFromFirstToLast) {
  const CoreSketch sample = recorder_of_many(3);
  ASSERT_EQ(sample.entries().size(), 8u);
  for (const auto& kept : sample.entries())
    EXPECT_EQ(kept.entry->count, 10u);
  const CoreSketch earliest = recorder_of_many(3, 2);
  for (const auto& kept : earliest.entries())
    EXPECT_EQ(kept.entry->count, 1u);
}

// A component is passed by patterns of many cores: which of them are held must not hang together.
TEST(CoreSketch, EachCoreHoldsAnotherSample) {
  std::set<int> kept;
  for (uint32_t core = 0; core < 64; ++core)
    for (const int peer : peers_of(recorder_of_many(core)))
      kept.insert(peer);
  EXPECT_GT(kept.size(), 95u);  // 99.5 of 100 expected of 512 independent draws
  EXPECT_EQ(peers_of(recorder_of_many(7)), peers_of(recorder_of_many(7)));
}

// Random streams of a heavy pattern among noise: promoted at least as often as Lemma 3.1 says.
TEST(RetentionBound, HoldsOnRandomStreams) {
  SketchOptions options;
  options.threshold = 10;
  options.budget_bytes = 1 << 16;
  SketchShape shape;
  shape.hashes = 2;
  shape.buckets = 16;
  shape.transfers = 200;
  shape.bins = 2;
  const RetentionCase c{1000, 100, options.threshold, shape.hashes, shape.buckets};
  const double bound = retention_bound(c);
  EXPECT_GT(bound, 0.5);
  int kept = 0;
  constexpr int kRuns = 300;
  for (int run = 0; run < kRuns; ++run) {
    base::Rng rng(uint64_t(run), "lemma");
    CoreSketch sketch(shape, options);
    const auto heavy = uint16_t(10000 + run);
    uint64_t left_heavy = c.frequency;
    uint64_t left = c.total;
    while (left > 0) {
      const bool pick = rng.below(left) < left_heavy;
      sketch.insert(message((c.total - left) * 1000, 2000, 16000, pick ? heavy : uint16_t(rng.below(9000))));
      left_heavy -= pick;
      --left;
    }
    kept += sketch.find({ProbeKind::Message, 13, heavy}) != nullptr;
  }
  EXPECT_GE(kept / double(kRuns), bound);
}

TEST(RetentionBound, ClosedForm) {
  EXPECT_DOUBLE_EQ(retention_bound({1000, 110, 10, 1, 100}), 1 - 890.0 / (100 * 100));
  EXPECT_DOUBLE_EQ(retention_bound({1000, 10, 10, 1, 100}), 0);
  EXPECT_DOUBLE_EQ(retention_bound({1000, 1000, 10, 3, 100}), 1);
}

TEST(PlanShape, TwiceAsManyPatternsAsEntriesAreSampled) {
  SketchOptions options;
  for (const PatternCount& few : {PatternCount{20, 40, 30}, {114, 97, 83}})
    EXPECT_GT(plan_shape(few, options).buckets, 0);
  for (const PatternCount& many : {PatternCount{34, 633, 502}, {20, 220}, {300, 10}}) {
    const SketchShape sampled = plan_shape(many, options);
    EXPECT_EQ(sampled.hashes, 0);
    EXPECT_EQ(sampled.buckets, 0);
  }
  options.budget_bytes = 1 << 16;
  EXPECT_EQ(plan_shape({34, 633, 502}, options).buckets, 0);  // more than an index byte can name
}

TEST(PlanShape, NeverExceedsTheBudget) {
  base::Rng rng(3, "plan");
  for (int i = 0; i < 500; ++i) {
    SketchOptions options;
    options.budget_bytes = uint32_t(512 + rng.below(64 << 10));
    const PatternCount count{uint32_t(rng.below(300)), uint32_t(rng.below(300))};
    const SketchShape shape = plan_shape(count, options);
    EXPECT_LE(shape.bytes(), options.budget_bytes);
    EXPECT_EQ(CoreSketch(shape, options).bytes(), shape.bytes());
  }
  SketchOptions tiny;
  tiny.budget_bytes = 100;
  EXPECT_THROW(plan_shape({}, tiny), base::Error);
  SketchOptions usual;
  const std::vector<PatternCount> many{{200, 200}};
  EXPECT_THROW(plan_exact_tables(many, usual), base::Error);
}

Sketch filled_sketch() {
  SketchOptions options;
  const std::vector<PatternCount> counts{{4, 6}, {2, 3}};
  Sketch sketch(plan_shapes(counts, options), options);
  base::Rng rng(4, "file");
  for (uint64_t i = 0; i < 2000; ++i) {
    ProbeRecord r = rng.below(2) == 0 ? compute(i * 3000, 1000 + rng.below(2000), 1024000, rng.below(9))
                                      : message(i * 3000, 1000 + rng.below(2000), 16000, rng.below(9));
    r.core = uint16_t(rng.below(2));
    r.inference = uint32_t(i / 200);
    sketch.record(r);
  }
  return sketch;
}

TEST(SketchFile, RoundTripsAndGoesOn) {
  Sketch sketch = filled_sketch();
  const std::string bytes = encode_sketch(sketch);
  Sketch again = decode_sketch(bytes, "x");
  EXPECT_EQ(encode_sketch(again), bytes);
  EXPECT_EQ(again.inferences(), 10u);
  EXPECT_EQ(again.records(), sketch.records());
  ProbeRecord r = message(9'000'000, 500, 16000, 5);
  sketch.record(r);
  again.record(r);
  EXPECT_EQ(encode_sketch(again), encode_sketch(sketch));
}

TEST(SketchFile, DamageIsALocatedError) {
  const std::string bytes = encode_sketch(filled_sketch());
  for (size_t i = 0; i < bytes.size(); i += 97) {
    std::string broken = bytes;
    broken[i] = char(broken[i] ^ 0x10);
    EXPECT_THROW(decode_sketch(broken, "run.sketch"), base::Error) << i;
  }
  EXPECT_THROW(decode_sketch(bytes.substr(0, bytes.size() - 9), "run.sketch"), base::Error);
  EXPECT_THROW(decode_sketch("lento.sketch/1\n", "run.sketch"), base::Error);
  EXPECT_THROW(decode_sketch("", "run.sketch"), base::Error);
}

TEST(Sketch, RecordsOfForeignCoresAreDropped) {
  Sketch sketch = filled_sketch();
  ProbeRecord r = compute(0, 10, 10);
  r.core = 77;
  EXPECT_TRUE(sketch.record(r).dropped);
}

TEST(Sketch, OneRecordDoesNotDecideHowManyInferencesThereWere) {
  Sketch sketch(std::vector<SketchShape>(1, exact_shape()), {});
  ProbeRecord r = message(0, 2000, 16000);
  EXPECT_FALSE(sketch.record(r).dropped);
  r.inference = 4'000'000'000;
  EXPECT_TRUE(sketch.record(r).dropped);
  EXPECT_EQ(sketch.inferences(), 1u);
}

TEST(SketchFile, ImpossiblyWideBinsAreRefused) {
  SketchOptions options;
  options.bin_cycles = uint64_t{1} << 62;
  const Sketch sketch(std::vector<SketchShape>(1, exact_shape()), options);
  EXPECT_THROW(decode_sketch(encode_sketch(sketch), "s"), base::Error);
}

// Another run of the same chip stays on this one's grid of time bins.
TEST(Sketch, ComparableCyclesReachNoFurtherThanTheBins) {
  SketchShape shape = exact_shape();
  shape.bins = 16;
  Sketch sketch(std::vector<SketchShape>(2, shape), {});
  const uint64_t width = sketch.cores()[0].bin_cycles();
  sketch.record(message(15 * width, width / 2, 1000));
  EXPECT_GT(sketch.comparable_cycles(), sketch.end_cycles());
  EXPECT_LT(sketch.comparable_cycles(), 16 * width);
  Sketch early(std::vector<SketchShape>(2, shape), {});
  early.record(message(0, width, 1000));
  EXPECT_EQ(early.comparable_cycles(), 2 * early.end_cycles() + 1);
}

}  // namespace
}  // namespace lento::chip
