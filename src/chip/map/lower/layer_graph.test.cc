// What part of an operand an output box needs, against every output position and every input position that it
// is made from, one by one.
#include "chip/map/lower/layer_graph.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/rng.h"

namespace lento::chip {
namespace {

using Kind = DimRule::Kind;

// A layer over 1 x C x H x W that reads one operand of 1 x c x h x w.
Layer layer_of(const Extents& out, const Extents& in, const DimRule& rule) {
  Layer layer;
  layer.layout = default_layout({1, out[0], out[1], out[2]});
  const Value value = whole(4, {1, in[0], in[1], in[2]});
  layer.operands = {{value, {{}, rule, rule, rule}, false}};
  for (int d = 1; d <= 3; ++d)
    layer.operands[0].rules[size_t(d)].from = d;
  return layer;
}

Box random_box(const Extents& extents, base::Rng& rng) {
  Box box;
  for (size_t a = 0; a < 3; ++a) {
    const auto start = int64_t(rng.below(uint64_t(extents[a])));
    box[a] = {start, start + 1 + int64_t(rng.below(uint64_t(extents[a] - start)))};
  }
  return box;
}

using Inputs = std::function<std::set<int64_t>(int64_t out)>;  // of one axis

// The box holds what its outputs are made from, and begins and ends with it.
void expect_exact(
    const Layer& layer,
    const Box& box,
    const Extents& in,
    const Inputs& inputs,
    uint64_t seed) {
  std::vector<Need> found;
  needs(layer, layer.operands[0], box, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].source, 4);
  for (size_t a = 0; a < 3; ++a) {
    std::set<int64_t> wanted;
    for (int64_t o = box[a].start; o < box[a].end; ++o) {
      for (const int64_t i : inputs(o)) {
        if (i >= 0 && i < in[a])
          wanted.insert(i);
      }
    }
    if (wanted.empty() || in[a] == 1)
      continue;  // in the padding altogether
    EXPECT_EQ(found[0].box[a].start, *wanted.begin()) << seed << " " << a;
    EXPECT_EQ(found[0].box[a].end, *wanted.rbegin() + 1) << seed << " " << a;
  }
}

TEST(Needs, WindowsAreThoseOfAConvolution) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed, "windows");
    DimRule rule;
    rule.kind = Kind::Window;
    rule.kernel = int64_t(1 + rng.below(5));
    rule.stride = int64_t(1 + rng.below(3));
    rule.before = int64_t(rng.below(uint64_t(rule.kernel)));
    const Extents in{int64_t(rule.kernel + int64_t(rng.below(9))), 12, 9};
    Extents out{};
    for (size_t a = 0; a < 3; ++a)
      out[a] = (in[a] + 2 * rule.before - rule.kernel) / rule.stride + 1;
    const Layer layer = layer_of(out, in, rule);
    const Inputs inputs = [&](int64_t o) {
      std::set<int64_t> all;
      for (int64_t t = 0; t < rule.kernel; ++t)
        all.insert(o * rule.stride - rule.before + t);
      return all;
    };
    expect_exact(layer, random_box(out, rng), in, inputs, seed);
  }
}

TEST(Needs, TransposedWindowsAreThoseThatReachTheOutput) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    base::Rng rng(seed, "transposed");
    DimRule rule;
    rule.kind = Kind::Transposed;
    rule.stride = int64_t(1 + rng.below(3));
    rule.kernel = rule.stride + int64_t(rng.below(3));  // every output is reached
    rule.before = int64_t(rng.below(2));
    const Extents in{int64_t(2 + rng.below(6)), 5, 7};
    Extents out{};
    for (size_t a = 0; a < 3; ++a)
      out[a] = (in[a] - 1) * rule.stride + rule.kernel - 2 * rule.before;
    const Layer layer = layer_of(out, in, rule);
    const Inputs inputs = [&](int64_t o) {
      std::set<int64_t> all;
      for (int64_t i = 0; i < 32; ++i) {
        const int64_t t = o + rule.before - i * rule.stride;
        if (t >= 0 && t < rule.kernel)
          all.insert(i);
      }
      return all;
    };
    expect_exact(layer, random_box(out, rng), in, inputs, seed);
  }
}

TEST(Needs, GroupsReadTheirOwnChannels) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    base::Rng rng(seed, "groups");
    DimRule rule;
    rule.kind = Kind::Groups;
    rule.out_group = int64_t(1 + rng.below(4));
    rule.in_group = int64_t(1 + rng.below(4));
    const auto groups = int64_t(1 + rng.below(5));
    const Extents in{groups * rule.in_group, groups * rule.in_group, groups * rule.in_group};
    const Extents out{groups * rule.out_group, groups * rule.out_group, groups * rule.out_group};
    const Inputs inputs = [&](int64_t o) {
      std::set<int64_t> all;
      for (int64_t i = 0; i < rule.in_group; ++i)
        all.insert(o / rule.out_group * rule.in_group + i);
      return all;
    };
    expect_exact(layer_of(out, in, rule), random_box(out, rng), in, inputs, seed);
  }
}

TEST(Needs, ScaledPositionsAreCoveredWithOneToSpare) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    base::Rng rng(seed, "scaled");
    DimRule rule;
    rule.kind = Kind::Scaled;
    rule.in_group = int64_t(2 + rng.below(9));
    rule.out_group = int64_t(2 + rng.below(20));
    const Extents in{rule.in_group, rule.in_group, rule.in_group};
    const Extents out{rule.out_group, rule.out_group, rule.out_group};
    const Layer layer = layer_of(out, in, rule);
    const Box box = random_box(out, rng);
    std::vector<Need> found;
    needs(layer, layer.operands[0], box, found);
    ASSERT_EQ(found.size(), 1U);
    for (size_t a = 0; a < 3; ++a) {
      for (int64_t o = box[a].start; o < box[a].end; ++o) {
        // Linear interpolation reads the two neighbours of (o + 1/2) in / out - 1/2.
        const double at = (double(o) + 0.5) * double(in[a]) / double(out[a]) - 0.5;
        for (const int64_t i : {int64_t(std::floor(at)), int64_t(std::floor(at)) + 1}) {
          if (i < 0 || i >= in[a])
            continue;
          EXPECT_LE(found[0].box[a].start, i) << seed;
          EXPECT_GT(found[0].box[a].end, i) << seed;
        }
      }
    }
  }
}

TEST(Needs, FullAndBroadcastDimensionsAreTakenWhole) {
  const Extents out{4, 6, 8};
  Layer layer = layer_of(out, {4, 1, 8}, DimRule{Kind::Same});
  layer.operands[0].rules[3] = {};  // full
  std::vector<Need> found;
  needs(layer, layer.operands[0], {{{1, 3}, {2, 5}, {0, 1}}}, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].box[0].start, 1);
  EXPECT_EQ(found[0].box[0].end, 3);
  EXPECT_EQ(found[0].box[1].size(), 1);
  EXPECT_EQ(found[0].box[2].size(), 8);
}

TEST(Needs, EachPieceThatIsTouchedIsANeed) {
  const Value a = whole(1, {1, 4, 3, 3});
  const Value b = whole(2, {1, 6, 3, 3});
  const auto both = concat({&a, &b}, 1, {4, 6});
  ASSERT_TRUE(both.has_value());
  Layer layer;
  layer.layout = default_layout({1, 10, 3, 3});
  layer.operands = {{*both, {{Kind::Same, 0}, {Kind::Same, 1}, {Kind::Same, 2}, {Kind::Same, 3}}, false}};
  const auto of = [&](int64_t start, int64_t end) {
    std::vector<Need> found;
    needs(layer, layer.operands[0], {{{start, end}, {0, 3}, {0, 3}}}, found);
    return found;
  };
  ASSERT_EQ(of(0, 4).size(), 1U);
  EXPECT_EQ(of(0, 4)[0].source, 1);
  ASSERT_EQ(of(3, 5).size(), 2U);
  EXPECT_EQ(of(3, 5)[0].box[0].start, 3);
  EXPECT_EQ(of(3, 5)[1].source, 2);
  EXPECT_EQ(of(3, 5)[1].box[0].start, 0);
  EXPECT_EQ(of(3, 5)[1].box[0].end, 1);
  EXPECT_EQ(of(9, 10)[0].box[0].end, 6);
}

TEST(Work, OperationsAndWeightsOfAnOutput) {
  Layer layer;
  layer.depth = 64;
  layer.window = 9;
  EXPECT_EQ(operations_per_output(layer), 576);
  EXPECT_EQ(weight_elements(layer, 10), 5760);
  layer.depth = 0;
  EXPECT_EQ(operations_per_output(layer), 1);
  layer.kind = LayerKind::Pool;
  EXPECT_EQ(operations_per_output(layer), 4);
  EXPECT_EQ(weight_elements(layer, 10), 0);
}

}  // namespace
}  // namespace lento::chip
