// Every interval of scrapes with every kind of trouble, and again where the store does not know `up`.
#include "lab/fleet/source_faults.h"

#include <gtest/gtest.h>

namespace lento::fleet {
namespace {

std::string told(const CaseResult& r) {
  std::string text;
  for (const std::string& line : r.story)
    text += line + "\n";
  return text;
}

TEST(SourceFaults, EveryKindAtEveryIntervalAccusesNobodyAndMissesNobody) {
  for (uint64_t i = 0; i < 5 * kTroubles; ++i) {
    const FaultCase c = fault_case(5, i);
    const CaseResult r = run_case(c);
    const std::string what =
        std::string(name(c.trouble)) + " at " + std::to_string(c.step_s) + " s\n" + told(r);
    EXPECT_EQ(r.false_silent + r.false_deviating, 0) << what;
    EXPECT_EQ(r.false_hooks + r.doubled_hooks, 0) << what;
    EXPECT_EQ(r.named, r.planted) << what;
    EXPECT_EQ(r.blind_told, r.blind_wanted) << what;
    EXPECT_LE(r.flap_alerts, 1) << what;
  }
}

// Half answers at scrapes of a minute, a machine fallen silent shortly before: what the answers hold together
// tells it in time.
TEST(SourceFaults, HalvesPutTogetherTellASilenceInTime) {
  const FaultCase c = fault_case(505, 844);
  ASSERT_EQ(c.trouble, Trouble::HalfAnswers);
  const CaseResult r = run_case(c);
  EXPECT_EQ(r.named, r.planted) << told(r);
}

TEST(SourceFaults, WithoutUpAnOutageIsStillNobodysSilence) {
  for (uint64_t i = 5; i < 20; ++i) {
    FaultCase c = fault_case(9, i);
    c.knows_up = false;
    const CaseResult r = run_case(c);
    EXPECT_EQ(r.false_silent + r.false_hooks, 0) << told(r);
    EXPECT_EQ(r.named, r.planted) << told(r);
  }
}

}  // namespace
}  // namespace lento::fleet
