// The miner against a definition-by-definition one, closed forms, and reference counts.
#include "memory/mine/itemset/itemset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "base/number.h"
#include "base/rng.h"

namespace lento::memory {
namespace {

using Set = std::vector<uint32_t>;
using Sets = std::map<Set, uint64_t>;

Sets mine(const Transactions& data, MineOptions options) {
  Sets sets;
  options.sink = [&](std::span<const uint32_t> items, uint64_t support) {
    Set set(items.begin(), items.end());
    std::ranges::sort(set);
    EXPECT_TRUE(sets.emplace(set, support).second) << "listed twice: " << testing::PrintToString(set);
  };
  EXPECT_TRUE(mine_itemsets(data, options).count == sets.size());
  return sets;
}

// Every subset of at most 12 items, by the definitions.
Sets brute_force(const Transactions& data, uint64_t min_support, SetKind kind, uint32_t items) {
  std::map<uint32_t, uint64_t> support;
  for (uint32_t mask = 1; mask < (1u << items); ++mask) {
    uint64_t n = 0;
    for (size_t t = 0; t < data.size(); ++t) {
      uint32_t held = 0;
      for (uint64_t i = data.begin[t]; i < data.begin[t + 1]; ++i)
        held |= 1u << data.items[i];
      if ((held & mask) == mask)
        n += data.weight.empty() ? 1 : data.weight[t];
    }
    if (n >= min_support)
      support[mask] = n;
  }
  Sets sets;
  for (const auto& [mask, n] : support) {
    bool wanted = true;
    for (uint32_t i = 0; i < items && kind != SetKind::Frequent; ++i) {
      if (mask >> i & 1)
        continue;
      const auto larger = support.find(mask | 1u << i);
      if (larger == support.end())
        continue;
      wanted &= kind == SetKind::Closed && larger->second != n;
    }
    if (!wanted)
      continue;
    Set set;
    for (uint32_t i = 0; i < items; ++i) {
      if (mask >> i & 1)
        set.push_back(i);
    }
    sets[set] = n;
  }
  return sets;
}

Transactions random_data(base::Rng& rng, size_t rows, uint32_t items, double density, bool weights) {
  Transactions data;
  for (size_t t = 0; t < rows; ++t) {
    Set row;
    for (uint32_t i = 0; i < items; ++i) {
      if (rng.uniform() < density * (0.3 + 1.4 * i / items))
        row.push_back(i);
    }
    data.add(row);
    if (weights)
      data.weight.push_back(uint32_t(1 + rng.below(9)));
  }
  return data;
}

TEST(Itemsets, EqualsTheDefinitionOnRandomData) {
  for (uint64_t round = 0; round < 60; ++round) {
    base::Rng rng(7, "itemset.brute", round);
    const size_t rows = 1 + rng.below(round % 3 == 0 ? 600 : 60);
    const Transactions data = random_data(rng, rows, 11, 0.15 + 0.8 * rng.uniform(), round % 2 == 0);
    const uint64_t support = 1 + rng.below(data.total_weight() / (1 + round % 5 * 3) + 1);
    for (const SetKind kind : {SetKind::Frequent, SetKind::Closed, SetKind::Maximal}) {
      const Sets expected = brute_force(data, support, kind, 11);
      EXPECT_EQ(
          mine(
              data,
              {
                  .min_support = support,
                  .kind = kind,
              }),
          expected)
          << "round " << round;
      EXPECT_TRUE(
          mine_itemsets(
              data,
              {
                  .min_support = support,
                  .kind = kind,
              })
              .count == expected.size());
      EXPECT_EQ(
          mine(
              data,
              {
                  .min_support = support,
                  .kind = kind,
                  .threads = 3,
              }),
          expected);
    }
  }
}

TEST(Itemsets, SparseDataWithManyItemsAgreesAcrossKinds) {
  base::Rng rng(11, "itemset.sparse");
  Transactions data;
  for (int t = 0; t < 3000; ++t) {
    Set row;
    const uint64_t topic = rng.below(40);
    for (uint32_t k = 0; k < 3 + rng.below(12); ++k) {
      row.push_back(uint32_t(rng.below(3) == 0 ? rng.below(900) : topic * 20 + rng.below(20)));
    }
    data.add(row);
  }
  const Sets frequent = mine(
      data,
      {
          .min_support = 6,
          .kind = SetKind::Frequent,
      });
  Sets closed = frequent;
  Sets maximal = frequent;
  for (const auto& [set, support] : frequent) {
    for (size_t drop = 0; drop < set.size() && set.size() > 1; ++drop) {
      Set smaller = set;
      smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(drop));
      maximal.erase(smaller);
      if (frequent.at(smaller) == support)
        closed.erase(smaller);
    }
  }
  ASSERT_GT(closed.size(), 1000u);
  EXPECT_EQ(
      mine(
          data,
          {
              .min_support = 6,
              .kind = SetKind::Closed,
          }),
      closed);
  EXPECT_EQ(
      mine(
          data,
          {
              .min_support = 6,
              .kind = SetKind::Maximal,
          }),
      maximal);
}

TEST(Itemsets, OrderOfSetsDoesNotDependOnThreads) {
  base::Rng rng(3, "itemset.order");
  const Transactions data = random_data(rng, 400, 30, 0.6, false);
  std::vector<std::vector<uint32_t>> order[2];
  for (int i = 0; i < 2; ++i) {
    MineOptions options{
        .min_support = 60,
        .threads = i == 0 ? 1u : 4u,
    };
    options.sink = [&](std::span<const uint32_t> items, uint64_t) {
      order[i].emplace_back(items.begin(), items.end());
    };
    mine_itemsets(data, options);
  }
  EXPECT_GT(order[0].size(), 1000u);
  EXPECT_EQ(order[0], order[1]);
}

// A piece that became the first one while it was under way hands on what it held before what it finds next.
// Half a million sets: the second piece holds more than it may and waits.
TEST(Itemsets, WhatWaitedIsListedBeforeWhatFollows) {
  Transactions data;
  Set row(19);
  for (uint32_t i = 0; i < 19; ++i)
    row[i] = i;
  data.add(row);
  uint64_t order[2] = {};
  uint64_t sets[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    MineOptions options{.min_support = 1, .kind = SetKind::Frequent, .threads = i == 0 ? 1u : 3u};
    options.sink = [&, i](std::span<const uint32_t> items, uint64_t) {
      if (sets[i]++ == 0 && i == 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      for (const uint32_t item : items)
        order[i] = base::mix64(order[i] + item);
    };
    mine_itemsets(data, options);
  }
  EXPECT_EQ(sets[0], (1u << 19) - 1);
  EXPECT_EQ(sets[1], sets[0]);
  EXPECT_EQ(order[1], order[0]);
}

TEST(Itemsets, AFailingSinkEndsTheSearchOnAnyNumberOfThreads) {
  base::Rng rng(3, "itemset.order");
  const Transactions data = random_data(rng, 400, 30, 0.6, false);
  for (const unsigned threads : {1u, 4u}) {
    for (const int most : {0, 1, 500}) {
      MineOptions options{
          .min_support = 60,
          .threads = threads,
      };
      int taken = 0;
      options.sink = [&](std::span<const uint32_t>, uint64_t) {
        if (taken++ == most)
          throw std::bad_alloc();
      };
      EXPECT_THROW(mine_itemsets(data, options), std::bad_alloc);
      EXPECT_EQ(taken, most + 1);
    }
  }
}

TEST(Itemsets, CountsWhatCannotBeListed) {
  for (const uint32_t n : {1u, 64u, 100u, 127u, 128u}) {
    Transactions data;
    Set row(n);
    for (uint32_t i = 0; i < n; ++i)
      row[i] = i * 3;
    data.add(row);
    const MineResult r = mine_itemsets(data, {.kind = SetKind::Frequent});
    EXPECT_FALSE(r.too_many);
    EXPECT_EQ(to_string(r.count), to_string(n == 128 ? ~Uint128{0} : (Uint128{1} << n) - 1));
    data.add(std::vector<uint32_t>{5000});  // now no item is in every transaction
    if (n < 128) {
      EXPECT_EQ(
          to_string(mine_itemsets(data, {.kind = SetKind::Frequent}).count),
          to_string(Uint128{1} << n));
    } else {
      EXPECT_TRUE(mine_itemsets(data, {.kind = SetKind::Frequent}).too_many);
    }
  }
  EXPECT_EQ(to_string(~Uint128{0}), "340282366920938463463374607431768211455");
}

TEST(Itemsets, SaysWhenTheCountPasses128Bits) {
  Transactions data;
  Set row(200);
  for (uint32_t i = 0; i < 200; ++i)
    row[i] = i;
  data.add(row);
  EXPECT_TRUE(mine_itemsets(data, {.kind = SetKind::Frequent}).too_many);
  EXPECT_TRUE(mine_itemsets(data, {.kind = SetKind::Closed}).count == 1u);
  EXPECT_TRUE(mine_itemsets(data, {.kind = SetKind::Maximal}).count == 1u);
  data.add(Set(row.begin(), row.begin() + 150));
  EXPECT_TRUE(mine_itemsets(data, {.kind = SetKind::Frequent}).too_many);
  EXPECT_TRUE(mine_itemsets(data, {.kind = SetKind::Closed}).count == 2u);
}

TEST(Itemsets, EmptyInputsAndHighThresholdsFindNothing) {
  Transactions none;
  for (const SetKind kind : {SetKind::Frequent, SetKind::Closed, SetKind::Maximal}) {
    EXPECT_TRUE(mine_itemsets(none, {.kind = kind}).count == 0u);
    Transactions empty_rows;
    empty_rows.add({});
    EXPECT_TRUE(mine_itemsets(empty_rows, {.kind = kind}).count == 0u);
    Transactions one;
    one.add(Set{4, 4, 4});
    EXPECT_TRUE(
        mine_itemsets(
            one,
            {
                .min_support = 2,
                .kind = kind,
            })
            .count == 0u);
    EXPECT_TRUE(
        mine_itemsets(
            one,
            {
                .min_support = 1,
                .kind = kind,
            })
            .count == 1u);
  }
}

TEST(Itemsets, ConstraintsCutTheSearchNotTheAnswer) {
  for (uint64_t round = 0; round < 20; ++round) {
    base::Rng rng(5, "itemset.constraint", round);
    const Transactions data = random_data(rng, 200, 11, 0.6, false);
    SetConstraint need;
    need.item_class = {1, 2, 4, 0, 0, 1, 2, 4, 8, 8, 0};
    need.need_all = 8;
    need.count_mask = 7;
    need.count_min = 2;
    Sets expected;
    for (const auto& [set, support] : brute_force(data, 20, SetKind::Closed, 11)) {
      uint64_t classes = 0;
      for (const uint32_t item : set)
        classes |= need.item_class[item];
      if ((classes & 8) && std::popcount(classes & 7) >= 2)
        expected[set] = support;
    }
    EXPECT_EQ(
        mine(
            data,
            {
                .min_support = 20,
                .constraint = need,
            }),
        expected);
  }
}

// Many items of which a transaction holds few: the search goes by lists first and by bits below them.
TEST(Itemsets, ConstraintsHoldBelowListsToo) {
  constexpr uint32_t kGroups = 20;
  constexpr uint32_t kInGroup = 6;
  base::Rng rng(5, "itemset.groups");
  Transactions data;
  for (int t = 0; t < 3000; ++t) {
    const auto group = uint32_t(rng.below(kGroups));
    Set row;
    for (uint32_t i = 0; i < kInGroup; ++i) {
      if (rng.uniform() < 0.7)
        row.push_back(group * kInGroup + i);
    }
    data.add(row);
  }
  SetConstraint need;
  for (uint32_t i = 0; i < kGroups * kInGroup; ++i)
    need.item_class.push_back(uint64_t{1} << i % 4);
  need.need_all = 8;
  need.count_mask = 7;
  need.count_min = 2;
  Sets expected = mine(data, {.min_support = 3});
  const size_t all = expected.size();
  std::erase_if(expected, [&](const auto& entry) {
    uint64_t classes = 0;
    for (const uint32_t item : entry.first)
      classes |= need.item_class[item];
    return (classes & 8) == 0 || std::popcount(classes & 7) < 2;
  });
  EXPECT_LT(expected.size(), all);
  EXPECT_GT(expected.size(), 100u);
  EXPECT_EQ(mine(data, {.min_support = 3, .constraint = need}), expected);
}

// Two items stand in every transaction: listed one by one in frequent sets, together in closed ones.
TEST(Itemsets, ItemsOfAllTransactionsAreListedOnce) {
  base::Rng rng(5, "itemset.perfect");
  Transactions data;
  for (int t = 0; t < 60; ++t) {
    Set row = {0, 1};
    for (uint32_t i = 2; i < 8; ++i) {
      if (rng.uniform() < 0.5)
        row.push_back(i);
    }
    data.add(row);
  }
  for (const SetKind kind : {SetKind::Frequent, SetKind::Closed, SetKind::Maximal}) {
    const Sets expected = brute_force(data, 8, kind, 8);
    EXPECT_EQ(mine(data, {.min_support = 8, .kind = kind}), expected);
    EXPECT_TRUE(mine_itemsets(data, {.min_support = 8, .kind = kind}).count == expected.size());
  }
}

Transactions from_text(const std::string& text, base::ReadReport& report) {
  const std::string path = testing::TempDir() + "/itemset_test.dat";
  base::write_file(path, text);
  base::InputStream stream(path);
  Transactions data = read_fimi(stream, report);
  std::filesystem::remove(path);
  return data;
}

TEST(Fimi, ReadsLinesWithAndWithoutEnd) {
  base::ReadReport report;
  const Transactions data = from_text("1 2\t3 \r\n\n7", report);
  EXPECT_EQ(data.items, (Set{1, 2, 3, 7}));
  EXPECT_EQ(data.begin, (std::vector<uint64_t>{0, 3, 3, 4}));
  EXPECT_EQ(report.skipped, 0u);
}

TEST(Fimi, SkipsAndCountsBadLines) {
  base::ReadReport report;
  const Transactions data = from_text("1 2\n3 x\n4294967295\n99999999999999999999\n5\n-1\n", report);
  EXPECT_EQ(data.items, (Set{1, 2, 5}));
  EXPECT_EQ(report.taken, 2u);
  EXPECT_EQ(report.skipped, 4u);
  EXPECT_EQ(report.first_skip.line, 2);
  report.strict = true;
  EXPECT_THROW(from_text("a\n", report), base::Error);
}

TEST(Fimi, SupportIsACountOrAShare) {
  EXPECT_EQ(parse_support("12", 100), 12u);
  EXPECT_EQ(parse_support("65%", 20983), 13639u);
  EXPECT_EQ(parse_support("10%", 30), 3u);
  EXPECT_EQ(parse_support("0.001%", 30), 1u);
  for (const char* bad : {"0", "-1", "0%", "101%", "x", "", "%", "1.5"}) {
    EXPECT_THROW(parse_support(bad, 10), base::Error) << bad;
  }
}

// All rows with a count in the shared reference that are quick to mine.
TEST(Itemsets, EqualsTheReferenceCounts) {
  const char* folder = std::getenv("LENTO_SHARED");
  const std::string shared = std::string(folder ? folder : "../shared") + "/data/memory/itemsets/";
  if (!std::filesystem::exists(shared + "reference.csv"))
    GTEST_SKIP() << "no shared data";
  base::InputStream csv(shared + "reference.csv");
  std::map<std::string, Transactions> data;
  std::string_view line;
  int rows = 0;
  csv.line(line);
  while (csv.line(line)) {
    std::vector<std::string> cell(1);
    for (const char c : line) {
      if (c == ',') {
        cell.emplace_back();
      } else {
        cell.back() += c;
      }
    }
    if (cell.size() < 6 || cell[5].empty() || (cell[4] == "frequent" && cell[2] == "2098"))
      continue;
    Transactions& set = data[cell[0]];
    if (set.size() == 0) {
      base::InputStream stream(shared + cell[0] + ".dat.xz");
      base::ReadReport report;
      set = read_fimi(stream, report);
      EXPECT_EQ(report.skipped, 0u);
    }
    const SetKind kind = cell[4] == "frequent" ? SetKind::Frequent
                         : cell[4] == "closed" ? SetKind::Closed
                                               : SetKind::Maximal;
    const MineResult r = mine_itemsets(
        set,
        {
            .min_support = *base::try_uint(cell[2]),
            .kind = kind,
        });
    EXPECT_EQ(to_string(r.count), cell[5]) << cell[0] << " " << cell[2] << " " << cell[4];
    ++rows;
  }
  EXPECT_GE(rows, 80);
}

}  // namespace
}  // namespace lento::memory
