// Trees of products: sums in closed form however they are placed, and both expansions of them run to their
// end.
#include "chip/map/binary_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "base/test_error.h"
#include "chip/map/file/map_file.h"
#include "chip/map/file/released.h"
#include "chip/map/identify.h"
#include "chip/map/program.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

using test::square;

BinaryTree tree_of(int depth, const char* placement, uint64_t seed = 1) {
  BinaryTree tree;
  tree.depth = depth;
  tree.size = 8;
  tree.passes = 6;
  tree.placement = placement;
  tree.seed = seed;
  return tree;
}

std::set<std::pair<int, int>> cores_of(const Mapping& mapping) {
  std::set<std::pair<int, int>> cores;
  for (const MappedLayer& layer : mapping.layers) {
    for (const Block& b : layer.outputs[0].blocks)
      EXPECT_TRUE(cores.insert({b.cores[0].x, b.cores[0].y}).second) << "a core holds two nodes";
  }
  return cores;
}

TEST(BinaryTree, SumsDoNotDependOnThePlacement) {
  for (const char* placement : {"rows", "compact", "scatter"}) {
    for (int depth = 1; depth <= 4; ++depth) {
      const BinaryTree tree = tree_of(depth, placement);
      const Mapping mapping = map_binary_tree(tree, square(4));
      const uint64_t nodes = (uint64_t{1} << depth) - 1;
      EXPECT_EQ(cores_of(mapping).size(), nodes);
      const auto sum = expand(mapping, square(4), "tree").totals();
      const uint64_t leaves = uint64_t{1} << (depth - 1);
      EXPECT_EQ(sum.operations, nodes * 6 * 8 * 8 * 8) << placement << depth;
      EXPECT_EQ(sum.dram_bytes, 6 * 64 * (2 * leaves + 1)) << placement << depth;
      EXPECT_EQ(sum.message_bytes, 6 * 64 * (nodes - 1)) << placement << depth;
      EXPECT_EQ(sum.sends, sum.receives);
      EXPECT_EQ(sum.sends, 6 * (nodes - 1));
    }
  }
}

TEST(BinaryTree, ACompactTreeIsShorterOnTheLinksThanAScatteredOne) {
  const auto hops = [](const char* placement) {
    const Program p = expand(map_binary_tree(tree_of(4, placement), square(4)), square(4), "tree");
    size_t sum = 0;
    for (const Program::Channel& c : p.channels)
      sum += p.routes[c.route].end - p.routes[c.route].begin;
    return sum;
  };
  EXPECT_LT(hops("compact"), hops("scatter"));
}

TEST(BinaryTree, ScatterFollowsItsSeed) {
  const auto text = [](uint64_t seed) {
    return write_map(map_binary_tree(tree_of(4, "scatter", seed), square(4)));
  };
  EXPECT_EQ(text(3), text(3));
  EXPECT_NE(text(3), text(4));
}

TEST(BinaryTree, MoreNodesThanCoresAreRefused) {
  EXPECT_THAT(
      base::test::error_of([] {
        map_binary_tree(tree_of(5, "rows"), square(5));
      }),
      testing::HasSubstr("31 nodes needs as many cores, the chip has 25"));
}

// Every instruction of the released expansion starts once what it needs is done: none is left over, none is
// told twice.
void expect_runs_to_its_end(const ReleasedProgram& program) {
  using Kind = ReleasedProgram::Kind;
  std::vector<std::vector<uint32_t>> missing;
  std::vector<std::vector<bool>> sent;
  size_t left = 0;
  for (const auto& core : program.cores) {
    auto& m = missing.emplace_back();
    for (const auto& x : core)
      m.push_back(x.needs + (x.kind == Kind::Receive ? 1 : 0));
    left += core.size();
  }
  std::deque<std::pair<uint32_t, uint32_t>> ready;
  for (uint32_t c = 0; c < missing.size(); ++c) {
    for (uint32_t i = 0; i < missing[c].size(); ++i) {
      if (missing[c][i] == 0)
        ready.emplace_back(c, i);
    }
  }
  const auto tell = [&](uint32_t core, uint32_t i) {
    ASSERT_GT(missing[core][i], 0U) << "told more often than it needs";
    if (--missing[core][i] == 0)
      ready.emplace_back(core, i);
  };
  while (!ready.empty()) {
    const auto [c, i] = ready.front();
    ready.pop_front();
    --left;
    const auto& x = program.cores[c][i];
    for (uint32_t t = x.triggers_begin; t < x.triggers_end; ++t)
      tell(program.triggers[t].core, program.triggers[t].instruction);
    if (x.kind == Kind::Send) {
      EXPECT_EQ(program.cores[x.partner_core][x.partner].amount, x.amount);
      tell(x.partner_core, x.partner);
    }
  }
  EXPECT_EQ(left, 0U);
}

TEST(Released, TreesRunToTheirEndAndMoveTheirBytes) {
  using Kind = ReleasedProgram::Kind;
  for (const char* placement : {"rows", "compact", "scatter"}) {
    const Mapping mapping = map_binary_tree(tree_of(3, placement), square(3));
    const ReleasedProgram program = expand_released(mapping, square(3), "tree");
    EXPECT_EQ(program.count(Kind::Send), 6U * 6);
    EXPECT_EQ(program.count(Kind::Receive), 6U * 6);
    EXPECT_EQ(program.count(Kind::Compute), 6U * 7);
    EXPECT_EQ(program.count(Kind::Write), 6U);
    uint64_t operations = 0;
    for (const auto& core : program.cores) {
      for (const auto& x : core)
        operations += x.kind == Kind::Compute ? x.amount : 0;
    }
    EXPECT_EQ(operations, 7U * 6 * 8 * 8 * 8);
    expect_runs_to_its_end(program);
  }
}

TEST(Released, WhatIsNotNamedInNextCannotBeReceived) {
  Mapping mapping = map_binary_tree(tree_of(2, "rows"), square(2));
  mapping.layers[0].outputs[0].next = {};
  EXPECT_THAT(
      base::test::error_of([&] {
        expand_released(mapping, square(2), "tree");
      }),
      testing::HasSubstr("does not name it in 'next'"));
}

// Rank over the rationals by elimination in doubles: entries of routes are zero and one, and few.
int rank_of(std::vector<std::vector<double>> rows) {
  int rank = 0;
  const size_t columns = rows.empty() ? 0 : rows[0].size();
  for (size_t c = 0; c < columns; ++c) {
    auto pivot = rows.begin() + rank;
    while (pivot != rows.end() && std::abs((*pivot)[c]) < 1e-9)
      ++pivot;
    if (pivot == rows.end())
      continue;
    std::iter_swap(rows.begin() + rank, pivot);
    for (size_t r = size_t(rank) + 1; r < rows.size(); ++r) {
      const double factor = rows[r][c] / rows[size_t(rank)][c];
      for (size_t k = c; k < columns; ++k)
        rows[r][k] -= factor * rows[size_t(rank)][k];
    }
    ++rank;
  }
  return rank;
}

TEST(Identify, RanksLinksAndLoadsAreThoseOfTheRoutes) {
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    const spec::Chip chip = square(4);
    const Grid grid(chip);
    const Program program = expand(map_binary_tree(tree_of(4, "scatter", seed), chip), chip, "tree");
    const Identifiability seen = identify(program, grid);
    std::vector<uint64_t> bytes(size_t(grid.link_count()), 0);
    std::vector<std::vector<double>> rows;
    for (const Program::Channel& c : program.channels) {
      std::vector<double> row(size_t(grid.link_count()), 0);
      for (uint32_t h = program.routes[c.route].begin; h < program.routes[c.route].end; ++h) {
        row[size_t(program.hops[h].link)] = 1;
        bytes[size_t(program.hops[h].link)] += 64 * 6;
      }
      rows.push_back(row);
    }
    EXPECT_EQ(seen.message_bytes, bytes) << seed;
    EXPECT_EQ(seen.pairs, 14) << seed;
    EXPECT_EQ(seen.rank, rank_of(rows)) << seed;
    EXPECT_EQ(
        seen.used_links,
        std::ranges::count_if(
            bytes,
            [](uint64_t b) {
              return b > 0;
            }))
        << seed;
    // Links that are alike carry the same bytes.
    for (const std::vector<int>& group : seen.alike) {
      EXPECT_GE(group.size(), 2U);
      for (const int link : group)
        EXPECT_EQ(bytes[size_t(link)], bytes[size_t(group[0])]);
    }
  }
}

}  // namespace
}  // namespace lento::chip
