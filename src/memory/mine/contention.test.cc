// Windows against brute force and the properties of the method; diagnosis of planted causes and of calm
// traces.
#include "memory/mine/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/test_error.h"
#include "memory/mine/contention_patterns.h"
#include "memory/mine/contention_scan.h"
#include "memory/mine/latency.h"
#include "memory/mine/window.h"

namespace lento::memory {
namespace {

using trace::AccessRecord;
using trace::AccessType;
using Trace = std::vector<AccessRecord>;

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

TEST(Scan, FunctionsWithoutSymbolsAreBounded) {
  const trace::AddressSpace no_names;
  Functions functions(no_names);
  for (uint64_t page = 0; page < 2 * kMostFunctions; ++page)
    functions.of(0, page * 256);
  EXPECT_EQ(functions.size(), kMostFunctions + 1);
  EXPECT_EQ(functions.name(functions.of(0, (2 * kMostFunctions - 1) * 256)), "other code");
  EXPECT_EQ(functions.name(functions.of(0, 256)), "code at 0x100");
}

TEST(Latency, QuantileRules) {
  LatencyHistogram h;
  for (const uint32_t v : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u})
    h.add(v);
  EXPECT_EQ(h.quantile(0.75, QuantileRule::NearestRank), 6);
  EXPECT_DOUBLE_EQ(h.quantile(0.75, QuantileRule::Linear), 6.25);
  EXPECT_DOUBLE_EQ(h.quantile(0.75, QuantileRule::Grouped, 10), 7.5);
  h.add(100000);
  EXPECT_EQ(h.quantile(1, QuantileRule::NearestRank), 100000);
  EXPECT_EQ(h.at_least(8), 2u);
}

TEST(Fisher, EqualsTheClosedForm) {
  EXPECT_NEAR(fisher_tail(3, 3, 0, 3), 1.0 / 20, 1e-12);  // one of C(6,3) placements
  EXPECT_NEAR(fisher_tail(0, 10, 5, 10), 1, 1e-9);
  EXPECT_LT(fisher_tail(90, 100, 10, 100), 1e-20);
}

class VectorSource : public trace::AccessSource {
 public:
  explicit VectorSource(const Trace& trace)
      : trace_(trace) {
  }
  std::span<const AccessRecord> next() override {
    if (done_)
      return {};
    done_ = true;
    return trace_;
  }

 private:
  const Trace& trace_;
  bool done_ = false;
};

finding::Diagnosis diagnose(const Trace& trace, ContentionOptions options = {}) {
  options.support = 0.05;
  const OpenTrace open = [&](base::ReadReport&) {
    return std::make_unique<VectorSource>(trace);
  };
  return diagnose_contention(open, trace::TraceFacts{}, options).diagnosis;
}

enum class Plant {
  Calm,
  FalseSharing,
  TrueSharing,
  Lock,
  Bank
};

// Four CPUs that work on lines of their own, and one planted way to get into each other's way.
Trace planted(Plant plant, uint64_t seed) {
  base::Rng rng(seed, "contention.plant");
  Trace trace;
  for (uint64_t cycle = 0; trace.size() < 20000; cycle += 2 + rng.below(6)) {
    AccessRecord r;
    r.cycle = cycle;
    r.cpu = uint16_t(rng.below(4));
    r.flags = AccessRecord::kServiceKnown;
    r.pc = 0x1000 + 0x400 * rng.below(4) + 4 * rng.below(8);
    r.address = 0x100000 * (1 + r.cpu) + 32 * rng.below(500) + 4 * rng.below(8);
    r.size = 4;
    r.latency = 1;
    r.flags |= AccessRecord::kLocal;
    r.type = rng.below(3) == 0 ? AccessType::Store : AccessType::Load;
    if (rng.below(4) == 0 && plant != Plant::Calm) {
      r.flags = AccessRecord::kServiceKnown;
      r.pc = 0x8000 + 4 * rng.below(4);
      r.latency = uint32_t(20 + rng.below(30));
      r.blamed = r.latency - 10;
      r.culprit = uint16_t((r.cpu + 1 + rng.below(3)) % 4);
      r.culprit_pc = 0x8000;
      r.cause = plant == Plant::Bank ? trace::DelayCause::Bank : trace::DelayCause::Coherence;
      const uint64_t line = 0x700000 + 32 * (seed % 7);
      r.address = plant == Plant::FalseSharing ? line + 4 * r.cpu
                  : plant == Plant::Bank       ? 0x800000 + 0x100000 * r.cpu + 0x1000 * rng.below(400)
                                               : line;
      r.type = plant == Plant::Lock ? (rng.below(2) ? AccessType::LoadLinked : AccessType::StoreConditional)
               : rng.below(2)       ? AccessType::Store
                                    : AccessType::Load;
    } else if (rng.below(20) == 0) {
      r.flags = AccessRecord::kServiceKnown;
      r.latency = uint32_t(10 + rng.below(2));
    }
    trace.push_back(r);
  }
  return trace;
}

TEST(Contention, NamesThePlantedCause) {
  const std::map<Plant, std::string> truth = {
      {Plant::FalseSharing, "false sharing"},
      {Plant::TrueSharing, "true sharing"},
      {Plant::Lock, "lock"},
      {Plant::Bank, "bank or set conflict"}};
  for (const auto& [plant, name] : truth) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const finding::Diagnosis d = diagnose(planted(plant, seed));
      ASSERT_FALSE(d.findings.empty()) << name << " seed " << seed;
      EXPECT_EQ(d.findings.front().category, name) << "seed " << seed << ": " << d.verdict;
    }
  }
}

TEST(Contention, FindsNothingInCalmTraces) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_TRUE(diagnose(planted(Plant::Calm, seed)).findings.empty()) << "seed " << seed;
  }
}

TEST(Contention, EmptyAndLatencyFreeTracesSaySo) {
  EXPECT_THAT(diagnose({}).verdict, testing::HasSubstr("no accesses"));
  Trace trace(10);
  EXPECT_THAT(diagnose(trace).verdict, testing::HasSubstr("latency"));
}

// Samples four orders of magnitude too far apart for windows of cycles.
TEST(Contention, SampledTracesAreGroupedBySliceAndLine) {
  Trace trace = planted(Plant::FalseSharing, 3);
  for (AccessRecord& r : trace) {
    r.cycle *= 10000;
    r.flags |= AccessRecord::kSampled;
  }
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings.front().category, "false sharing");
  EXPECT_THAT(d.notes, testing::Contains(testing::HasSubstr("the trace is sampled")));
}

// Yields a part of a trace in batches, then fails, as a killed run ends.
class FailingSource : public trace::AccessSource {
 public:
  FailingSource(const Trace& trace, size_t until)
      : trace_(trace),
        until_(until) {
  }
  std::span<const AccessRecord> next() override {
    if (at_ == trace_.size())
      return {};
    if (at_ >= until_)
      throw std::runtime_error("killed");
    const size_t count = std::min<size_t>(1000, trace_.size() - at_);
    at_ += count;
    return std::span(trace_).subspan(at_ - count, count);
  }

 private:
  const Trace& trace_;
  size_t until_;
  size_t at_ = 0;
};

std::string text_of(const finding::Diagnosis& d) {
  return base::write_json(finding::to_json(d));
}

TEST(Contention, AKilledRunIsTakenUp) {
  const std::string state =
      (std::filesystem::temp_directory_path() / ("lento_pass_" + std::to_string(getpid()))).string();
  Trace trace;
  for (int part = 0; part < 50; ++part) {
    for (AccessRecord r : planted(Plant::Lock, 1)) {
      r.cycle += uint64_t(part) * 120000;
      trace.push_back(r);
    }
  }
  const finding::Diagnosis whole = diagnose(trace);
  ContentionOptions options;
  options.support = 0.05, options.checkpoint = state, options.checkpoint_key = "same";
  options.checkpoint_every = 300'000;
  size_t until = 700'000;
  size_t opened = 0;
  const OpenTrace open = [&](base::ReadReport&) {
    ++opened;
    return std::make_unique<FailingSource>(trace, until);
  };
  EXPECT_THROW(diagnose_contention(open, trace::TraceFacts{}, options), std::runtime_error);
  ASSERT_TRUE(std::filesystem::exists(state));
  until = SIZE_MAX;
  const finding::Diagnosis resumed = diagnose_contention(open, trace::TraceFacts{}, options).diagnosis;
  EXPECT_EQ(text_of(resumed), text_of(whole));
  opened = 0;
  EXPECT_EQ(text_of(diagnose_contention(open, trace::TraceFacts{}, options).diagnosis), text_of(whole));
  EXPECT_EQ(opened, 1u);  // only the windows
  options.checkpoint_key = "another trace";
  const std::string kept = base::read_file(state);
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose_contention(open, trace::TraceFacts{}, options);
      }),
      testing::HasSubstr("belongs to another trace"));
  EXPECT_EQ(base::read_file(state), kept);
  base::write_file(state, "damaged");
  EXPECT_THROW(diagnose_contention(open, trace::TraceFacts{}, options), base::Error);
  std::filesystem::remove(state);
}

TEST(Contention, PaperModeRanksBySupport) {
  ContentionOptions options;
  options.paper = true;
  const finding::Diagnosis d = diagnose(planted(Plant::FalseSharing, 1), options);
  EXPECT_FALSE(d.findings.empty());
}

}  // namespace
}  // namespace lento::memory
