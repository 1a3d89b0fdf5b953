// Traces that name no reason for a latency: fights are measured against undisturbed accesses, and without any
// there is no all-clear.
#include "memory/mine/quiet.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using finding::Outcome;
using test::diagnose;
using test::Trace;

// A store of which the trace says only how long it took.
AccessRecord plain(uint64_t cycle, uint16_t cpu, uint64_t address, uint32_t latency) {
  AccessRecord r = test::hit(cycle, cpu, address);
  r.flags = 0;
  r.type = AccessType::Store;
  r.latency = latency;
  return r;
}

// Two CPUs store in turn, at addresses `distance` apart, for 60 to 260 cycles.
Trace fight(int accesses, uint64_t distance) {
  Trace trace;
  base::Rng rng(1, "fight");
  for (int i = 0; i < accesses; ++i)
    trace.push_back(plain(
        300u * unsigned(i),
        uint16_t(i % 2),
        0x4000 + distance * unsigned(i % 2),
        uint32_t(60 + rng.below(200))));
  return trace;
}

void add_private(Trace& trace, int accesses) {
  for (int i = 0; i < accesses; ++i)
    trace.push_back(plain(
        300u * unsigned(i) + 7,
        uint16_t(i % 2),
        0x80000 + 4096u * unsigned(i % 2),
        4 + uint32_t(i % 3)));
  test::sort(trace);
}

TEST(Quiet, AnObjectThatIsTheWholeTraceIsNoAllClear) {
  for (const uint64_t distance : {0, 4})
    EXPECT_EQ(diagnose(fight(2000, distance)).outcome, Outcome::CannotJudge) << distance;
}

TEST(Quiet, NorAreTwoObjectsThatAre) {
  Trace trace = fight(2000, 0);
  for (size_t i = 0; i < trace.size(); ++i)
    trace[i].address += 0x1000 * (i / 2 % 2);
  EXPECT_EQ(diagnose(trace).outcome, Outcome::CannotJudge);
}

TEST(Quiet, NorAreAccessesThatAllTakeAsLong) {
  for (const bool sampled : {false, true}) {
    Trace trace = fight(2000, 0);
    for (AccessRecord& r : trace) {
      r.latency = 150;
      r.flags = sampled ? uint8_t(AccessRecord::kSampled) : uint8_t{0};
    }
    EXPECT_EQ(diagnose(trace).outcome, Outcome::CannotJudge) << sampled;
  }
}

TEST(Quiet, UndisturbedAccessesShowTheFight) {
  Trace trace = fight(2000, 0);
  add_private(trace, 400);
  const finding::Diagnosis d = diagnose(trace);
  ASSERT_EQ(d.outcome, Outcome::Findings) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "true sharing");
}

TEST(Quiet, AFightThatCostsNothingIsNone) {
  Trace trace = fight(2000, 0);
  for (AccessRecord& r : trace)
    r.latency = 4 + uint32_t(r.cycle / 300 % 3);
  add_private(trace, 400);
  EXPECT_EQ(diagnose(trace).outcome, Outcome::Healthy);
}

TEST(Quiet, PrivateDataIsHealthyAlone) {
  Trace trace;
  add_private(trace, 2000);
  EXPECT_EQ(diagnose(trace).outcome, Outcome::Healthy);
}

TEST(Quiet, ATraceTooShortForAFindingIsNotJudged) {
  for (const int accesses : {int(tuning::kLeastMeetings) - 1, int(tuning::kLeastMeetings)}) {
    Trace trace;
    add_private(trace, accesses);
    const bool enough = accesses == int(tuning::kLeastMeetings);
    EXPECT_EQ(diagnose(trace).outcome, enough ? Outcome::Healthy : Outcome::CannotJudge) << accesses;
  }
}

TEST(Quiet, ReadersOfWhatIsWrittenOnceAreUndisturbed) {
  Trace trace = fight(2000, 0);
  for (size_t i = 1; i < trace.size(); ++i)
    trace[i].type = AccessType::Load;
  const test::Passes passes(trace);
  EXPECT_EQ(passes.scan.contended[size_t(AccessType::Load)], 1u);  // the other CPU's first
  EXPECT_EQ(passes.scan.quiet.total(), 1999u);
}

}  // namespace
}  // namespace lento::memory
