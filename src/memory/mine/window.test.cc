// Windows against brute force, the properties of the method, and each border by hand.
#include "memory/mine/window.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::Trace;

Trace random_trace(uint64_t seed, size_t events) {
  base::Rng rng(seed, "window.trace");
  Trace trace;
  uint64_t cycle = rng.below(300);
  for (size_t i = 0; i < events; ++i) {
    cycle += rng.below(10) == 0 ? rng.below(400) : rng.below(12);
    AccessRecord r;
    r.cycle = cycle;
    r.latency = uint32_t(2 + rng.below(20));
    r.pc = i;
    trace.push_back(r);
  }
  return trace;
}

struct Kept {
  uint64_t seed;
  std::vector<uint64_t> events;  // their pc, which is their number
  bool operator==(const Kept&) const = default;
};

std::vector<Kept> stream(const Trace& trace, uint64_t omega, uint32_t threshold, bool literal = false) {
  std::vector<Kept> out;
  WindowBuilder builder(omega, literal, [&](const Window& w) {
    out.push_back({w.seed, {}});
    for (const AccessRecord& r : w.events)
      out.back().events.push_back(r.pc);
  });
  for (const AccessRecord& r : trace)
    builder.add(r, r.latency >= threshold);
  builder.finish();
  return out;
}

std::vector<Kept> brute_force(const Trace& trace, uint64_t omega, uint32_t threshold) {
  std::vector<Kept> out;
  for (const AccessRecord& high : trace) {
    if (high.latency < threshold || (!out.empty() && high.cycle <= out.back().seed + omega / 2))
      continue;
    out.push_back({high.cycle, {}});
    for (const AccessRecord& r : trace) {
      if (r.cycle + omega / 2 >= high.cycle && r.cycle <= high.cycle + omega / 2)
        out.back().events.push_back(r.pc);
    }
  }
  return out;
}

TEST(Windows, StreamingEqualsBruteForceAndHasTheProperties) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Trace trace = random_trace(seed, 400);
    const uint64_t omega = 20 + 20 * (seed % 10);
    const auto windows = stream(trace, omega, 15);
    ASSERT_EQ(windows, brute_force(trace, omega, 15));
    std::map<uint64_t, int> uses;
    uint64_t volume = 0;
    for (size_t k = 0; k < windows.size(); ++k) {
      if (k > 0) {
        EXPECT_GT(windows[k].seed - windows[k - 1].seed, omega / 2);
      }
      volume += windows[k].events.size();
      for (const uint64_t e : windows[k].events)
        EXPECT_LE(++uses[e], 2);
    }
    EXPECT_LE(volume, 2 * trace.size());
    for (const AccessRecord& r : trace) {
      if (r.latency >= 15) {
        EXPECT_GE(uses[r.pc], 1);
      }
    }
    std::map<uint64_t, int> once;
    for (const auto& w : stream(trace, omega, 15, true)) {
      for (const uint64_t e : w.events)
        EXPECT_EQ(++once[e], 1);
    }
  }
}

std::vector<std::vector<uint64_t>> slices(const Trace& trace, bool calm) {
  std::vector<std::vector<uint64_t>> out;
  const auto keep = [&out](bool wanted) {
    return [&out, wanted](const Window& w) {
      if (!wanted)
        return;
      auto& group = out.emplace_back();
      for (const AccessRecord& r : w.events)
        group.push_back(r.pc);
    };
  };
  SliceBuilder builder(1000, 64, keep(!calm), keep(calm));
  for (const AccessRecord& r : trace)
    builder.add(r, r.latency >= 15);
  builder.finish();
  return out;
}

TEST(Windows, SlicesGroupSamplesByTimeAndObject) {
  const auto sample = [](uint64_t cycle, uint64_t address, uint32_t latency, uint64_t number) {
    AccessRecord r;
    r.cycle = cycle, r.address = address, r.latency = latency, r.pc = number;
    return r;
  };
  // One slice: a high group, a calm one, and a sample alone; then the same object again in the next slice.
  const Trace trace = {
      sample(0, 0x100, 3, 1),
      sample(10, 0x240, 4, 2),
      sample(500, 0x13c, 20, 3),
      sample(600, 0x400, 30, 4),
      sample(999, 0x27f, 5, 5),
      sample(1000, 0x100, 2, 6),
      sample(1500, 0x104, 2, 7)};
  using Groups = std::vector<std::vector<uint64_t>>;
  EXPECT_EQ(slices(trace, false), (Groups{{1, 3}}));
  EXPECT_EQ(slices(trace, true), (Groups{{2, 5}, {6, 7}}));
}

TEST(Windows, HoldABoundedNumberOfEvents) {
  AccessRecord same;
  same.cycle = 1000;
  same.latency = 1;
  size_t in_window = 0;
  size_t in_controls = 0;
  WindowBuilder windows(200, false, [&](const Window& w) {
    in_window = w.events.size();
  });
  ControlBuilder controls(200, {1000, 1001, 1002}, [&](const Window& w) {
    in_controls += w.events.size();
  });
  for (size_t i = 0; i < 5 * kMostEvents / 2; ++i) {
    windows.add(same, i == 3 * kMostEvents / 2);
    controls.add(same);
  }
  windows.finish(), controls.finish();
  EXPECT_EQ(in_window, 2 * kMostEvents);
  EXPECT_EQ(in_controls, kMostEvents);
}

// An access at each cycle, numbered by its pc.
Trace at_cycles(const std::vector<uint64_t>& cycles) {
  Trace trace;
  for (const uint64_t cycle : cycles) {
    trace.push_back(test::hit(cycle, 0, 0x100));
    trace.back().pc = cycle;
  }
  return trace;
}

struct Bounds {
  uint64_t seed;
  uint64_t begin;
  uint64_t end;
  std::vector<uint64_t> events;
  bool operator==(const Bounds&) const = default;
};

WindowSink into(std::vector<Bounds>& out) {
  return [&out](const Window& w) {
    out.push_back({w.seed, w.begin, w.end, {}});
    for (const AccessRecord& r : w.events)
      out.back().events.push_back(r.pc);
  };
}

// `high`: the cycles whose access is one.
std::vector<Bounds> windows_of(
    const std::vector<uint64_t>& cycles,
    const std::vector<uint64_t>& high,
    uint64_t omega,
    bool literal = false) {
  std::vector<Bounds> out;
  WindowBuilder builder(omega, literal, into(out));
  for (const AccessRecord& r : at_cycles(cycles))
    builder.add(r, std::ranges::find(high, r.cycle) != high.end());
  builder.finish();
  return out;
}

TEST(Windows, BothEndsAreInside) {
  const auto w = windows_of({399, 400, 500, 600, 601}, {500}, 200);
  ASSERT_EQ(w.size(), 1u);
  EXPECT_EQ(w[0], (Bounds{500, 400, 600, {400, 500, 600}}));
}

TEST(Windows, ASeedWithinTheWindowBeforeOpensNone) {
  EXPECT_EQ(windows_of({500, 600}, {500, 600}, 200).size(), 1u);
  const auto two = windows_of({500, 601}, {500, 601}, 200);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].seed, 601u);
}

// The cycle 550 lies within 100 of both seeds: the printed algorithm gives it to the first only.
TEST(Windows, LiteralOnesShareNoEvent) {
  const auto shared = windows_of({500, 550, 601}, {500, 601}, 200);
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared[1].events, (std::vector<uint64_t>{550, 601}));
  const auto literal = windows_of({500, 550, 601}, {500, 601}, 200, true);
  ASSERT_EQ(literal.size(), 2u);
  EXPECT_EQ(literal[0].events, (std::vector<uint64_t>{500, 550}));
  EXPECT_EQ(literal[1].events, (std::vector<uint64_t>{601}));
}

TEST(Windows, OfTheStartBeginAtZero) {
  const auto w = windows_of({30, 100}, {30}, 200);
  ASSERT_EQ(w.size(), 1u);
  EXPECT_EQ(w[0], (Bounds{30, 0, 130, {30, 100}}));
  EXPECT_EQ(windows_of({100}, {100}, 200)[0].begin, 0u);
  EXPECT_EQ(windows_of({101}, {101}, 200)[0].begin, 1u);
}

TEST(Windows, WithoutAHighEventThereAreNone) {
  EXPECT_TRUE(windows_of({1, 2, 3}, {}, 200).empty());
  EXPECT_TRUE(windows_of({}, {}, 200).empty());
}

TEST(Windows, SecondFinishGivesNothing) {
  std::vector<Bounds> out;
  WindowBuilder builder(200, false, into(out));
  builder.add(at_cycles({5})[0], true);
  builder.finish();
  builder.finish();
  EXPECT_EQ(out.size(), 1u);
}

// The same distances at any time of the run.
TEST(Windows, MoveWithTheTrace) {
  for (uint64_t seed = 100; seed < 120; ++seed) {
    Trace trace = random_trace(seed, 200);
    for (AccessRecord& r : trace)
      r.cycle += 1000;
    const auto before = stream(trace, 60, 15);
    for (AccessRecord& r : trace)
      r.cycle += 123'456'789'012;
    const auto after = stream(trace, 60, 15);
    ASSERT_EQ(before.size(), after.size());
    for (size_t k = 0; k < before.size(); ++k) {
      EXPECT_EQ(before[k].events, after[k].events);
      EXPECT_EQ(before[k].seed + 123'456'789'012, after[k].seed);
    }
  }
}

std::vector<Bounds>
controls_of(const std::vector<uint64_t>& cycles, const std::vector<uint64_t>& centres, uint64_t omega) {
  std::vector<Bounds> out;
  ControlBuilder builder(omega, centres, into(out));
  for (const AccessRecord& r : at_cycles(cycles))
    builder.add(r);
  builder.finish();
  return out;
}

TEST(ControlWindows, HoldWhatLiesAroundTheirCentre) {
  const auto w = controls_of({399, 400, 500, 600, 601}, {500}, 200);
  ASSERT_EQ(w.size(), 1u);
  EXPECT_EQ(w[0], (Bounds{500, 400, 600, {400, 500, 600}}));
}

TEST(ControlWindows, OfQuietTimesAreEmptyAndCounted) {
  const auto w = controls_of({100, 2000}, {500, 1000, 2050}, 200);
  ASSERT_EQ(w.size(), 3u);
  EXPECT_EQ(w[0], (Bounds{500, 400, 600, {}}));
  EXPECT_EQ(w[1], (Bounds{1000, 900, 1100, {}}));
  EXPECT_EQ(w[2].events, (std::vector<uint64_t>{2000}));
}

TEST(ControlWindows, MayOverlap) {
  const auto w = controls_of({500, 560, 640}, {500, 600}, 200);
  ASSERT_EQ(w.size(), 2u);
  EXPECT_EQ(w[0].events, (std::vector<uint64_t>{500, 560}));
  EXPECT_EQ(w[1].events, (std::vector<uint64_t>{500, 560, 640}));
}

TEST(ControlWindows, EqualBruteForce) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Trace trace = random_trace(seed, 300);
    base::Rng rng(seed, "window.centres");
    std::vector<uint64_t> centres;
    for (int k = 0; k < 20; ++k)
      centres.push_back(rng.below(trace.back().cycle));
    std::ranges::sort(centres);
    std::vector<Bounds> out;
    ControlBuilder builder(80, centres, into(out));
    for (const AccessRecord& r : trace)
      builder.add(r);
    builder.finish();
    ASSERT_EQ(out.size(), centres.size());
    for (size_t k = 0; k < centres.size(); ++k) {
      std::vector<uint64_t> inside;
      for (const AccessRecord& r : trace) {
        if (r.cycle + 40 >= centres[k] && r.cycle <= centres[k] + 40)
          inside.push_back(r.pc);
      }
      EXPECT_EQ(out[k].seed, centres[k]);
      EXPECT_EQ(out[k].events, inside);
    }
  }
}

// Room for events is given back when a window is done: later windows are as full as the first.
TEST(ControlWindows, RoomIsGivenBack) {
  size_t fullest = 0;
  size_t emptiest = SIZE_MAX;
  std::vector<uint64_t> centres;
  for (uint64_t k = 0; k < 8; ++k)
    centres.push_back(1000 * k + 500);
  ControlBuilder builder(200, centres, [&](const Window& w) {
    fullest = std::max(fullest, w.events.size());
    emptiest = std::min(emptiest, w.events.size());
  });
  AccessRecord r = test::hit(0, 0, 0);
  for (const uint64_t centre : centres) {
    r.cycle = centre;
    for (size_t i = 0; i < kMostEvents / 4; ++i)
      builder.add(r);
  }
  builder.finish();
  EXPECT_EQ(fullest, kMostEvents / 4);
  EXPECT_EQ(emptiest, kMostEvents / 4);
}

TEST(Slices, BordersAreTheSlicesOwn) {
  std::vector<Bounds> high;
  std::vector<Bounds> low;
  SliceBuilder builder(1000, 64, into(high), into(low));
  for (const uint64_t cycle : {2999u, 3000u, 3999u, 4000u})
    builder.add(at_cycles({cycle})[0], cycle == 3999);
  builder.finish();
  EXPECT_TRUE(low.empty());
  ASSERT_EQ(high.size(), 1u);
  EXPECT_EQ(high[0], (Bounds{3000, 3000, 3999, {3000, 3999}}));
}

// Equal addresses of two processes are two objects; the kernel's are one.
TEST(Slices, ObjectsBelongToTheirProcess) {
  const auto groups_at = [](uint64_t address) {
    std::vector<Bounds> high;
    std::vector<Bounds> low;
    SliceBuilder builder(1000, 64, into(high), into(low));
    for (uint64_t i = 0; i < 6; ++i) {
      AccessRecord r = test::hit(i, uint16_t(i), address);
      r.process = uint16_t(1 + i % 2);
      builder.add(r, i == 0);
    }
    builder.finish();
    return std::pair(high.size(), low.size());
  };
  EXPECT_EQ(groups_at(0x4000), (std::pair<size_t, size_t>{1, 1}));
  EXPECT_EQ(groups_at(0xffff888000004000), (std::pair<size_t, size_t>{1, 0}));
}

TEST(Slices, ALargeOneIsCut) {
  size_t most = 0;
  size_t all = 0;
  const auto count = [&](const Window& w) {
    most = std::max(most, w.events.size());
    all += w.events.size();
  };
  SliceBuilder builder(1000, 64, count, count);
  const AccessRecord r = test::hit(5, 0, 0x40);
  for (size_t i = 0; i < kMostEvents + 7; ++i)
    builder.add(r, false);
  builder.finish();
  EXPECT_EQ(most, kMostEvents);
  EXPECT_EQ(all, kMostEvents + 7);
}

}  // namespace
}  // namespace lento::memory
