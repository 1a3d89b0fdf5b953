// What a fix is predicted to bring on a platform, for a guest whose accesses are known.
#include "memory/move.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/rng.h"
#include "memory/access_traces.h"
#include "memory/diagnose.h"
#include "memory/simulation.h"

namespace lento::memory {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class VectorSource : public AccessSource {
 public:
  explicit VectorSource(std::vector<AccessRecord> records)
      : records_(std::move(records)) {
  }
  std::span<const AccessRecord> next() override {
    const std::span<const AccessRecord> all = records_;
    return done_++ == 0 ? all : std::span<const AccessRecord>();
  }

 private:
  const std::vector<AccessRecord> records_;
  int done_ = 0;
};

AccessRecord access(uint64_t cycle, uint16_t cpu, uint64_t address, AccessType type, uint32_t latency) {
  AccessRecord r;
  r.cycle = cycle;
  r.cpu = cpu;
  r.pc = 0x80000000;
  r.address = address;
  r.size = 4;
  r.type = type;
  r.latency = latency;
  return r;
}

// What the platform itself makes of these accesses: a trace whose times are its own.
std::vector<AccessRecord> timed(std::vector<AccessRecord> accesses, const Platform& platform) {
  class Keep : public AccessSink {
   public:
    void record(const AccessRecord& r) override {
      records.push_back(r);
    }
    std::vector<AccessRecord> records;
  };
  VectorSource source(std::move(accesses));
  Keep keep;
  replay(source, platform, keep);
  std::ranges::stable_sort(keep.records, [](const AccessRecord& a, const AccessRecord& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.cpu < b.cpu;
  });
  return keep.records;
}

// Two CPUs that read and write `distance` bytes apart, one access every 20 cycles.
std::vector<AccessRecord> counters(uint64_t distance) {
  std::vector<AccessRecord> out;
  for (uint64_t i = 0; i < 4000; ++i) {
    for (uint16_t cpu = 0; cpu < 2; ++cpu) {
      const auto type = i % 2 == 0 ? AccessType::Load : AccessType::Store;
      out.push_back(access(20 * i, cpu, 0x80100000 + distance * cpu, type, AccessRecord::kNoLatency));
    }
  }
  return out;
}

OpenTrace open(const std::vector<AccessRecord>& trace) {
  return [&trace](base::ReadReport&) {
    return std::make_unique<VectorSource>(trace);
  };
}

Platform two_harts() {
  Platform platform;
  platform.harts = 2;
  return platform;
}

// Times of a damaged trace go back and forth. No access may come before a cycle that the sink was promised.
TEST(Replay, ATraceOutOfOrderKeepsPromises) {
  class Singles : public AccessSource {
   public:
    std::span<const AccessRecord> next() override {
      if (left_-- == 0)
        return {};
      record_ = access(rng_.below(1000), uint16_t(rng_.below(2)), 64 * rng_.below(9), AccessType::Load, 1);
      return {&record_, 1};
    }

   private:
    base::Rng rng_{1, "order"};
    AccessRecord record_;
    int left_ = 2000;
  };
  class Promised : public AccessSink {
   public:
    void record(const AccessRecord& r) override {
      EXPECT_GE(r.cycle, promised_);
      ++records;
    }
    void advance(uint64_t cycle) override {
      promised_ = std::max(promised_, cycle);
    }
    int records = 0;

   private:
    uint64_t promised_ = 0;
  };
  Singles source;
  Promised sink;
  replay(source, two_harts(), sink);
  EXPECT_EQ(sink.records, 2000);
}

TEST(MovePredictor, PartsWhatSharesALineAsMuchAsASourceThatDoes) {
  const Platform platform = two_harts();
  const std::vector<AccessRecord> together = timed(counters(4), platform);
  const std::vector<AccessRecord> apart = timed(counters(4096 + 128), platform);
  const MovePredictor predictor(open(together), platform);
  ASSERT_TRUE(predictor.fits()) << predictor.reason();
  const auto gain = predictor.gain({"", "false sharing", 0, 0x80100000, 0x80100020, {}});
  ASSERT_TRUE(gain.has_value());
  EXPECT_NEAR(*gain, double(together.back().cycle) / double(apart.back().cycle), 0.01);
  EXPECT_GT(*gain, 1.1);
}

// A count that both store to beside a value that both load: no word is one CPU's, and yet one line of its own
// for the count ends what the loads wait for.
TEST(MovePredictor, PartsWhatAllWriteFromWhatAllRead) {
  const auto beside = [](uint64_t distance) {
    std::vector<AccessRecord> out;
    for (uint64_t i = 0; i < 4000; ++i) {
      for (uint16_t cpu = 0; cpu < 2; ++cpu) {
        const bool load = i % 4 != 0;
        const auto type = load ? AccessType::Load : AccessType::Store;
        out.push_back(
            access(20 * i, cpu, 0x80100000 + (load ? distance : 0), type, AccessRecord::kNoLatency));
      }
    }
    return out;
  };
  const Platform platform = two_harts();
  const std::vector<AccessRecord> together = timed(beside(4), platform);
  const std::vector<AccessRecord> apart = timed(beside(4096 + 128), platform);
  const MovePredictor predictor(open(together), platform);
  ASSERT_TRUE(predictor.fits()) << predictor.reason();
  const auto gain = predictor.gain({"", "false sharing", 0, 0x80100000, 0x80100020, {}});
  ASSERT_TRUE(gain.has_value());
  EXPECT_NEAR(*gain, double(together.back().cycle) / double(apart.back().cycle), 0.01);
  EXPECT_GT(*gain, 1.05);
}

TEST(MovePredictor, ACopyForEachEndsTrueSharing) {
  const Platform platform = two_harts();
  const std::vector<AccessRecord> together = timed(counters(0), platform);
  const std::vector<AccessRecord> apart = timed(counters(4096 + 128), platform);
  const MovePredictor predictor(open(together), platform);
  ASSERT_TRUE(predictor.fits()) << predictor.reason();
  const auto gain = predictor.gain({"", "true sharing", 0, 0x80100000, 0x80100004, {}});
  ASSERT_TRUE(gain.has_value());
  EXPECT_NEAR(*gain, double(together.back().cycle) / double(apart.back().cycle), 0.01);
}

TEST(MovePredictor, WhatIsApartGainsNothing) {
  const Platform platform = two_harts();
  const std::vector<AccessRecord> apart = timed(counters(4096), platform);
  const MovePredictor predictor(open(apart), platform);
  ASSERT_TRUE(predictor.fits()) << predictor.reason();
  EXPECT_NEAR(*predictor.gain({"", "false sharing", 0, 0x80100000, 0x80100004, {}}), 1, 0.01);
  EXPECT_FALSE(predictor.gain({"", "lock", 0, 0x80100000, 0x80100004, {}}).has_value());
}

TEST(MovePredictor, ATraceOfAnotherMachineIsRefused) {
  std::vector<AccessRecord> trace = counters(4);
  for (AccessRecord& r : trace)
    r.latency = 20;  // all of its time is waits, on this platform there are hardly any
  const MovePredictor predictor(open(trace), two_harts());
  EXPECT_FALSE(predictor.fits());
  EXPECT_THAT(predictor.reason(), HasSubstr("by its own account"));
  EXPECT_FALSE(predictor.gain({"", "false sharing", 0, 0x80100000, 0x80100020, {}}).has_value());
}

TEST(MovePredictor, TheDiagnosisTellsTheGain) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("lento_move_" + std::to_string(getpid()))).string();
  std::filesystem::create_directories(folder);
  MemorySimulationOptions simulation;
  simulation.guest = "guests/built/false_sharing.elf";
  simulation.harts = 4;
  simulation.trace = folder + "/run.access";
  simulate_memory(simulation);
  MemoryDiagnosisOptions o;
  o.traces.paths = {simulation.trace};
  o.programs = {simulation.guest};
  o.platform = "examples/memory/default.yaml";
  const finding::Diagnosis d = diagnose_memory(o).diagnosis;
  std::filesystem::remove_all(folder);
  ASSERT_EQ(d.outcome, finding::Outcome::Findings);
  ASSERT_TRUE(d.findings[0].factor.has_value()) << d.verdict;
  EXPECT_GT(*d.findings[0].factor, 1);
  EXPECT_LT(*d.findings[0].factor, 10);
  EXPECT_THAT(d.inputs, Contains(::testing::Field(&finding::Input::role, "platform")));
}

// Three loads of one line that took 100 cycles each elsewhere: without these waits only the first one waits.
TEST(ReplayGaps, TheTracesOwnWaitsAreTakenOutOrKept) {
  const Platform platform = two_harts();
  std::vector<AccessRecord> trace;
  for (uint64_t i = 0; i < 3; ++i)
    trace.push_back(access(100 * i, 0, 0x80100000, AccessType::Load, 100));
  class Nobody : public AccessSink {
   public:
    void record(const AccessRecord&) override {
    }
  } nobody;
  VectorSource with(trace);
  VectorSource without(trace);
  const auto kept = replay(with, platform, nobody);
  const auto free = replay(without, platform, nobody, {}, ReplayGaps::WithoutWaits);
  EXPECT_GE(kept.cycles, 200u);
  EXPECT_EQ(kept.cycles - free.cycles, 2 * 99u);
}

}  // namespace
}  // namespace lento::memory
