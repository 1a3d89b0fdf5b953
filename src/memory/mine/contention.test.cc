// Diagnosis of planted causes and of calm traces; what a diagnosis says when it cannot judge.
#include "memory/mine/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/test_error.h"
#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::answered;
using test::calm;
using test::delayed;
using test::hit;
using test::miss;
using test::text_of;
using test::Trace;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

finding::Diagnosis diagnose(const Trace& trace, ContentionOptions options = {}) {
  options.support = 0.05;
  return test::diagnose(trace, options);
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
      r.cause = plant == Plant::Bank ? memory::DelayCause::Bank : memory::DelayCause::Coherence;
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

// Sixty healthy runs that nobody has seen before: with none accused, a rate of one in twenty or more is
// excluded at 95 %.
TEST(Contention, FindsNothingInCalmTraces) {
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    const finding::Diagnosis d = diagnose(planted(Plant::Calm, seed));
    EXPECT_TRUE(d.findings.empty()) << "seed " << seed;
    EXPECT_EQ(d.outcome, finding::Outcome::Healthy) << "seed " << seed;
  }
}

// The same of samples: whatever hangs on few of them must not be accused.
TEST(Contention, FindsNothingInSamplesOfCalmTraces) {
  for (uint64_t seed = 2000; seed < 2060; ++seed) {
    base::Rng rng(seed, "contention.calm_samples");
    Trace trace;
    for (uint64_t i = 0; i < 2000; ++i) {
      const auto cpu = uint16_t(rng.below(8));
      const uint64_t address = 0x100000 * (1u + cpu) + 64 * rng.below(40);
      const bool far = rng.below(30) == 0;
      const uint32_t spread = uint32_t(rng.below(30));
      trace.push_back(
          far ? answered(1000 * i, cpu, address, Service::LocalMemory, 100 + spread / 2)
              : answered(1000 * i, cpu, address, Service::L1, 4 + spread / 15));
      if (rng.below(3) == 0)
        trace.back().type = AccessType::Store;
    }
    const finding::Diagnosis d = diagnose(trace);
    EXPECT_TRUE(d.findings.empty()) << "seed " << seed << ": " << d.verdict;
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
class FailingSource : public AccessSource {
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
  EXPECT_THROW(diagnose_contention(open, program::TraceFacts{}, options), std::runtime_error);
  ASSERT_TRUE(std::filesystem::exists(state));
  until = SIZE_MAX;
  const finding::Diagnosis resumed = diagnose_contention(open, program::TraceFacts{}, options).diagnosis;
  EXPECT_EQ(text_of(resumed), text_of(whole));
  opened = 0;
  EXPECT_EQ(text_of(diagnose_contention(open, program::TraceFacts{}, options).diagnosis), text_of(whole));
  EXPECT_EQ(opened, 1u);  // only the windows
  options.checkpoint_key = "another trace";
  const std::string kept = base::read_file(state);
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose_contention(open, program::TraceFacts{}, options);
      }),
      testing::HasSubstr("belongs to another trace"));
  EXPECT_EQ(base::read_file(state), kept);
  base::write_file(state, "damaged");
  EXPECT_THROW(diagnose_contention(open, program::TraceFacts{}, options), base::Error);
  std::filesystem::remove(state);
}

TEST(Contention, PaperModeRanksBySupport) {
  ContentionOptions options;
  options.paper = true;
  const finding::Diagnosis d = diagnose(planted(Plant::FalseSharing, 1), options);
  EXPECT_FALSE(d.findings.empty());
}

// The numbers of the CPUs are names: their order and size mean nothing.
TEST(Contention, CpusMayHaveAnyNumbers) {
  const Trace before = planted(Plant::FalseSharing, 4);
  Trace after = before;
  for (AccessRecord& r : after) {
    r.cpu = uint16_t(r.cpu * 97 + 30);
    if (r.culprit != AccessRecord::kNoCpu)
      r.culprit = uint16_t(r.culprit * 97 + 30);
  }
  const finding::Diagnosis a = diagnose(before);
  const finding::Diagnosis b = diagnose(after);
  ASSERT_EQ(a.findings.size(), b.findings.size());
  EXPECT_EQ(a.findings[0].category, b.findings[0].category);
  EXPECT_EQ(a.findings[0].lost_share, b.findings[0].lost_share);
  EXPECT_EQ(a.findings[0].score, b.findings[0].score);
}

TEST(Contention, LiesAnywhereInMemoryAndTime) {
  const Trace before = planted(Plant::TrueSharing, 4);
  Trace after = before;
  for (AccessRecord& r : after) {
    r.address += uint64_t{1} << 40;
    r.cycle += uint64_t{1} << 40;
  }
  const finding::Diagnosis a = diagnose(before);
  const finding::Diagnosis b = diagnose(after);
  ASSERT_EQ(a.findings.size(), b.findings.size());
  EXPECT_EQ(a.findings[0].category, b.findings[0].category);
  EXPECT_EQ(a.findings[0].lost_share, b.findings[0].lost_share);
}

TEST(Contention, BatchesOfTheReaderMeanNothing) {
  const Trace trace = planted(Plant::Lock, 2);
  const std::string whole = text_of(diagnose(trace));
  ContentionOptions options;
  options.support = 0.05;
  for (const size_t batch : {1, 7, 4096}) {
    const auto result = diagnose_contention(test::open_of(trace, batch), program::TraceFacts{}, options);
    EXPECT_EQ(text_of(result.diagnosis), whole) << batch;
  }
}

// A CPU that hardly works does not dilute what the others lose.
TEST(Contention, IdleCpusAreNotWorkingTime) {
  Trace trace = calm(20000);
  test::add_meetings(trace, 200, 20, 4);
  const double share = *diagnose(trace).findings.at(0).lost_share;
  // 21 of 2,100 accesses of the busiest are one in a hundred; 20 are fewer.
  for (const auto& [accesses, works] : {std::pair{20u, false}, std::pair{21u, true}}) {
    Trace more = trace;
    for (uint64_t i = 0; i < accesses; ++i)
      more.push_back(hit(19990 * i / (accesses - 1), 9, 0x50000));
    test::sort(more);
    const double now = *diagnose(more).findings.at(0).lost_share;
    EXPECT_NEAR(now, works ? share * 2 / 3 : share, 1e-3) << accesses;
  }
}

class Conclusion : public ::testing::Test {
 protected:
  static std::string fact(const finding::Diagnosis& d, const std::string& name) {
    for (const auto& [key, value] : d.facts) {
      if (key == name)
        return value;
    }
    return "no such fact";
  }
};

TEST_F(Conclusion, OfOneCpuCannotBeDrawn) {
  Trace trace;
  for (uint64_t c = 0; c < 1000; c += 10)
    trace.push_back(miss(c, 5, 0x4000 + c, 20));
  const finding::Diagnosis d = diagnose(trace);
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.verdict, HasSubstr("one CPU only"));
  trace.push_back(miss(1000, 6, 0x9000, 20));
  trace.back().type = AccessType::Store;
  EXPECT_EQ(diagnose(trace).outcome, finding::Outcome::Healthy);
}

TEST_F(Conclusion, OfFewSamplesCannotBeDrawn) {
  for (const uint64_t samples : {tuning::kLeastSamples - 1, tuning::kLeastSamples}) {
    Trace trace;
    for (uint64_t i = 0; i < samples; ++i)
      trace.push_back(answered(100 * i, uint16_t(i % 2), 0x4000 + 64 * i, Service::L1, 4));
    // Samples without a latency are none.
    for (uint64_t i = 0; i < 10; ++i) {
      trace.push_back(trace[i]);
      trace.back().latency = AccessRecord::kNoLatency;
    }
    test::sort(trace);
    const bool enough = samples == tuning::kLeastSamples;
    const finding::Diagnosis d = diagnose(trace);
    EXPECT_EQ(d.outcome == finding::Outcome::Healthy, enough) << d.verdict;
    if (!enough) {
      EXPECT_THAT(d.verdict, HasSubstr("99 samples"));
    }
  }
}

TEST_F(Conclusion, OfLoadsThatTellNothingCannotBeDrawn) {
  Trace trace;
  for (uint64_t i = 0; i < 300; ++i) {
    AccessRecord r = hit(10 * i, uint16_t(i % 2), 0x4000);
    r.flags = 0;
    r.latency = 1 + uint32_t(i % 3);
    trace.push_back(r);
  }
  const finding::Diagnosis d = diagnose(trace);
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.verdict, HasSubstr("loads only"));
  trace[7].type = AccessType::Store;
  EXPECT_NE(diagnose(trace).outcome, finding::Outcome::CannotJudge);
}

// Beyond the last cache a sharer may answer: where that is not told, nobody says that there is none.
TEST_F(Conclusion, OfUnnamedAnswersCannotBeDrawn) {
  for (const auto& [unnamed, told] : {std::pair{1, true}, std::pair{9, false}}) {
    Trace trace;
    for (uint64_t i = 0; i < 2000; ++i)
      trace.push_back(answered(100 * i, uint16_t(i % 2), 0x4000 + 64 * i, Service::L1, 4));
    for (int i = 0; i < unnamed; ++i) {
      trace[size_t(i)].flags &= uint8_t(~AccessRecord::kLocal);
      trace[size_t(i)].service = Service::Unknown;
      trace[size_t(i)].latency = 10;  // 10 or 90 of about 8,000
    }
    const finding::Diagnosis d = diagnose(trace);
    EXPECT_EQ(d.outcome == finding::Outcome::Healthy, told) << d.verdict;
    if (!told) {
      EXPECT_THAT(d.verdict, HasSubstr("beyond the last cache, is not told"));
    }
  }
}

// Half of the records may be lost; not more.
TEST_F(Conclusion, OfATraceThatCouldNotBeReadCannotBeDrawn) {
  Trace trace = calm(1000);
  trace[3].type = AccessType::Store;
  for (const uint64_t skipped : {trace.size(), trace.size() + 1}) {
    const OpenTrace open = [&](base::ReadReport& report) {
      report.skip({"trace", 3}, "no number", skipped);
      report.taken = trace.size();
      return std::make_unique<test::BatchSource>(trace);
    };
    const finding::Diagnosis d = diagnose_contention(open, program::TraceFacts{}, {}).diagnosis;
    const bool readable = skipped == trace.size();
    EXPECT_EQ(d.outcome, readable ? finding::Outcome::Healthy : finding::Outcome::CannotJudge);
    EXPECT_THAT(d.covered, HasSubstr(std::to_string(skipped) + " records skipped"));
  }
}

TEST_F(Conclusion, SaysWhatWasLookedAt) {
  program::TraceFacts facts;
  facts.names.add_code({0, 0x1000, 0x1100, "work", ""});
  Trace trace;
  for (uint64_t i = 0; i < 400; ++i)
    trace.push_back(answered(100 * i, uint16_t(i % 4), 0x4000 + 64 * i, Service::L1, 4));
  trace[0].latency = AccessRecord::kNoLatency;
  facts.period = 1000;
  facts.time_unit = "ns";
  const finding::Diagnosis d = test::diagnose(trace, facts);
  EXPECT_EQ(
      d.covered,
      "400 accesses of 4 CPUs (0-3), 4 threads over 39901 ns, one sample in 1000; 99.8 % with a latency; "
      "100 % of code addresses named");
}

TEST_F(Conclusion, HealthySaysWhy) {
  Trace own = calm(1000);
  own[3].type = AccessType::Store;
  EXPECT_THAT(diagnose(own).verdict, HasSubstr("every access was served by its own CPU's cache"));
  Trace trace = calm(20000);
  trace.push_back(delayed(20000, 0, 0x4000, 101, 100, 1));
  // 100 of 20,001 + 19,991 cycles.
  EXPECT_THAT(diagnose(trace).verdict, HasSubstr("No significant contention: 0.25 % of CPU time"));
}

TEST_F(Conclusion, NamesTheLeadingFindingAndAllThatIsLost) {
  Trace trace = calm(20000);
  test::add_meetings(trace, 200, 20, 4);
  const finding::Diagnosis d = diagnose(trace);
  EXPECT_THAT(d.verdict, StartsWith("false sharing on line 0x4000 leads; 10 % of CPU time"));
  EXPECT_EQ(fact(d, "cycles lost to what was found"), "4000 (10 % of CPU time)");
  EXPECT_EQ(d.records_taken, 4200u);  // also of a source that does not count
  EXPECT_EQ(fact(d, "accesses"), "4200");
  EXPECT_EQ(fact(d, "CPUs"), "0-1");
  EXPECT_EQ(fact(d, "non-trivial accesses"), "200");
  EXPECT_EQ(fact(d, "high-latency threshold"), "21 cycles");
  EXPECT_EQ(fact(d, "contention windows"), "100");
}

TEST_F(Conclusion, NotesTellWhatIsMissing) {
  Trace trace = calm(1000);
  trace[0].latency = AccessRecord::kNoLatency;
  program::TraceFacts facts;
  facts.latency_unit = "ns";
  const finding::Diagnosis d = test::diagnose(trace, facts);
  EXPECT_THAT(d.notes, Contains(HasSubstr("1 accesses carry no latency")));
  EXPECT_THAT(d.notes, Contains(HasSubstr("does not say who delayed whom")));
  EXPECT_THAT(d.notes, Contains(HasSubstr("latencies are in ns")));
  EXPECT_THAT(d.notes, Not(Contains(HasSubstr("the trace is sampled"))));
  EXPECT_THAT(d.notes, Not(Contains(HasSubstr("one window in"))));
  EXPECT_THAT(d.notes, Not(Contains(HasSubstr("not told apart"))));
  EXPECT_THAT(d.notes, Not(Contains(HasSubstr("were not kept"))));
}

TEST_F(Conclusion, ManyWindowsSaySo) {
  ContentionOptions options;
  options.max_windows = 50;
  EXPECT_THAT(
      diagnose(planted(Plant::TrueSharing, 1), options).notes,
      Contains(HasSubstr("patterns rest on one window in")));
}

TEST(Contention, AFilterThatNothingPassesIsAnError) {
  const Trace trace = calm(1000);
  ContentionOptions options;
  options.filter.cpus.add(7);
  const std::string error = base::test::error_of([&] {
    test::diagnose(trace, options);
  });
  EXPECT_THAT(error, HasSubstr("none of the 200 accesses passes the filter"));
  EXPECT_THAT(error, HasSubstr("CPUs 0-1 and cycles 0 to 990"));
  EXPECT_THAT(error, Not(HasSubstr("--function")));
  options.filter = {};
  options.filter.function = "main";
  EXPECT_THAT(
      base::test::error_of([&] {
        test::diagnose(trace, options);
      }),
      HasSubstr("--function takes a name"));
  // An empty trace is no mistake of the filter.
  EXPECT_EQ(test::diagnose(Trace{}, options).outcome, finding::Outcome::CannotJudge);
}

// One end of the time alone is a filter too.
TEST(Contention, AFilterMayEndBeforeTheTraceBegins) {
  Trace trace = calm(1000);
  for (AccessRecord& r : trace)
    r.cycle += 5000;
  ContentionOptions options;
  options.filter.last_cycle = 4000;
  const std::string error = base::test::error_of([&] {
    test::diagnose(trace, options);
  });
  EXPECT_THAT(error, HasSubstr("none of the 200 accesses passes the filter"));
  EXPECT_THAT(error, HasSubstr("cycles 5000 to 5990"));
}

TEST(Contention, WhoWaitsForWhomIsFolded) {
  Trace trace = calm(2000);
  test::add_meetings(trace, 4, 20, 4);
  const auto result = diagnose_contention(test::open_of(trace), program::TraceFacts{}, {});
  EXPECT_EQ(result.folded, "code at 0x1000;waits for code at 0x2000 80\n");
}

// CPU 0 waits in one function for CPU 1 in another, at lines that nobody else uses and for a reason that the
// trace does not tell: what remains is that the two meet.
class MeetingFunctions : public ::testing::Test {
 protected:
  Trace trace_of(uint64_t meetings, uint64_t cycles, uint16_t other) const {
    Trace trace = calm(cycles);
    trace[3].type = AccessType::Store;
    for (uint64_t i = 0; i < meetings; ++i) {
      const uint64_t cycle = cycles / meetings * i + 5;
      AccessRecord waits = delayed(cycle, 0, 0x80000 + 0x1000 * i, 101, 100, other, memory::DelayCause::None);
      waits.pc = 0x3000;
      waits.culprit_pc = 0x4000;
      AccessRecord holds = miss(cycle + 1, other, 0x9000000 + 0x1000 * i, 30);
      holds.pc = 0x4000;
      trace.push_back(waits);
      trace.push_back(holds);
    }
    test::sort(trace);
    return trace;
  }
};

TEST_F(MeetingFunctions, AreAPatternOfWhatNobodyElseIsBlamedFor) {
  ContentionOptions options;
  options.threshold = 90;
  const finding::Diagnosis d = diagnose(trace_of(60, 200'000, 1), options);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  const finding::Finding& f = d.findings[0];
  EXPECT_EQ(f.category, "contention pattern");
  EXPECT_THAT(f.subject, HasSubstr("code at 0x3000"));
  EXPECT_THAT(f.subject, HasSubstr("code at 0x4000"));
  EXPECT_EQ(test::evidence(f, "support"), 60);
  EXPECT_EQ(test::evidence(f, "cycles its functions cost one another"), 6000);
  EXPECT_NEAR(*f.lost_share, 6000.0 / (2 * 199'991), 1e-3);
  EXPECT_GE(test::evidence(f, "lift against control windows"), tuning::kLeastLift);
  EXPECT_LE(test::evidence(f, "probability by chance"), 0.001);
}

TEST_F(MeetingFunctions, AreNoneByChanceBelowTheLeastLossOrOnOneCpu) {
  ContentionOptions options;
  options.threshold = 90;
  options.alpha = 1e-300;
  EXPECT_TRUE(diagnose(trace_of(60, 200'000, 1), options).findings.empty());
  options.alpha = 0.001;
  options.least_loss = 0.016;  // 0.0150 are lost
  EXPECT_TRUE(diagnose(trace_of(60, 200'000, 1), options).findings.empty());
  options.least_loss = 0.014;
  EXPECT_FALSE(diagnose(trace_of(60, 200'000, 1), options).findings.empty());
  EXPECT_TRUE(diagnose(trace_of(60, 200'000, 0), options).findings.empty());
}

// Few long waits in a long run: no control window falls on one, and no lift can be told.
TEST_F(MeetingFunctions, ThatNoControlWindowShowsAreJudgedByTheExactTest) {
  ContentionOptions options;
  options.threshold = 90;
  options.window = 20;
  options.least_loss = 1e-6;
  const finding::Diagnosis d = diagnose(trace_of(12, 4'000'000, 1), options);
  ASSERT_EQ(d.findings.size(), 1u) << d.verdict;
  if (test::evidence(d.findings[0], "lift against control windows") == 0) {
    EXPECT_THAT(d.findings[0].summary, HasSubstr("never in control windows"));
  }
}

// What the finding accuses, for those who replay it with addresses moved.
TEST(Contention, ObjectsAreTheAccusedBytes) {
  Trace trace = calm(20000);
  test::add_meetings(trace, 200, 20, 8);
  const auto result = diagnose_contention(test::open_of(trace), program::TraceFacts{}, {});
  ASSERT_EQ(result.objects.size(), 1u);
  EXPECT_EQ(result.objects[0].cause, "false sharing");
  EXPECT_EQ(result.objects[0].subject, result.diagnosis.findings[0].subject);
  EXPECT_EQ(result.objects[0].low, 0x4000u);
  EXPECT_EQ(result.objects[0].high, 0x4020u);  // the line of 32 bytes that explains it
  EXPECT_EQ(result.objects[0].parts, (std::vector<uint64_t>{0x4000, 0x4008}));
}

// Forty lines of one array, two words each: the costliest 64 words are told.
TEST(Contention, ALargeObjectTellsItsCostliestWords) {
  constexpr uint64_t kLines = 40;
  Trace trace = calm(20000);
  for (uint64_t line = 0; line < kLines; ++line)
    test::add_meetings(trace, 40, 20, 8, 0x4000 + 128 * line);
  program::TraceFacts facts;
  facts.names.add_data({0, 0x4000, 0x4000 + 128 * kLines, "grid", ""});
  const auto result = diagnose_contention(test::open_of(trace), facts, {});
  ASSERT_EQ(result.objects.size(), 1u);
  EXPECT_EQ(result.objects[0].parts.size(), 64u);
  const std::set<uint64_t> apart(result.objects[0].parts.begin(), result.objects[0].parts.end());
  EXPECT_EQ(apart.size(), 64u);
}

// One stamp in 20,000 is damaged: the finding stays that of the trace without it, and the access is counted.
TEST(Contention, OneWrongTimeStampDoesNotHideTheFinding) {
  const Trace whole = planted(Plant::FalseSharing, 3);
  Trace without = whole;
  without.erase(without.begin() + 500);
  const finding::Diagnosis expected = diagnose(without);
  ASSERT_FALSE(expected.findings.empty());
  for (const uint64_t wrong : {uint64_t{1'000'000'000}, uint64_t{1} << 50, UINT64_MAX}) {
    Trace damaged = whole;
    damaged[500].cycle = wrong;
    const finding::Diagnosis d = diagnose(damaged);
    EXPECT_EQ(d.verdict, expected.verdict) << wrong;
    ASSERT_EQ(d.findings.size(), expected.findings.size()) << wrong;
    EXPECT_DOUBLE_EQ(
        d.findings.front().lost_share.value_or(-1),
        expected.findings.front().lost_share.value_or(-2));
    EXPECT_THAT(d.notes, Contains(StartsWith("1 of 20000 accesses set aside"))) << wrong;
    EXPECT_THAT(d.covered, HasSubstr("1 set aside")) << wrong;
    EXPECT_EQ(d.records_taken, 20000U);
  }
  EXPECT_THAT(text_of(diagnose(whole)), Not(HasSubstr("set aside")));
}

TEST(Contention, OneWrongTimeStampMakesNoCalmTraceGuilty) {
  Trace trace = planted(Plant::Calm, 7);
  trace[12000].cycle = uint64_t{1} << 50;
  const finding::Diagnosis d = diagnose(trace);
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_THAT(d.notes, Contains(HasSubstr("set aside")));
}

}  // namespace
}  // namespace lento::memory
