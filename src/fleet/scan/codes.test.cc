#include "fleet/scan/codes.h"

#include <gmock/gmock.h>

#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

using testing::HasSubstr;

CodeMeaning catalogue(int64_t code) {
  if (code == 79)
    return {"GPU fell off the bus", "replace it", true};
  return code == 43 ? CodeMeaning{"stopped for one program", "", false} : CodeMeaning{};
}

// Eight machines of which one shows a code from the tenth row to the nineteenth.
finding::Diagnosis judged(float code) {
  MetricSeries s;
  s.metrics = {"DCGM_FI_DEV_XID_ERRORS"};
  for (int m = 0; m < 8; ++m)
    s.machines.push_back("n" + std::to_string(m));
  s.steps = 40;
  for (size_t t = 0; t < s.steps; ++t) {
    for (size_t m = 0; m < 8; ++m)
      s.values.push_back(m == 2 && t >= 10 && t < 20 ? code : 0);
  }
  ScanOptions options;
  options.xids = catalogue;
  return scan(s, options);
}

TEST(Codes, AFaultOfHardwareIsAFinding) {
  const finding::Diagnosis d = judged(79);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "n2");
  EXPECT_THAT(d.findings[0].summary, HasSubstr("Xid 79 (GPU fell off the bus) at 10 s"));
  EXPECT_EQ(d.findings[0].when->end, 19);
  EXPECT_EQ(d.findings[0].next_step, "replace it");
}

TEST(Codes, AnErrorOfAProgramIsANoteAndCodesAreNoAllClear) {
  const finding::Diagnosis d = judged(43);
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("codes and identifiers are not averaged"));
  EXPECT_THAT(d.notes, testing::Contains(HasSubstr("n2: Xid 43 (stopped for one program)")));
}

TEST(Codes, FollowsEachCodeToItsEnd) {
  Codes codes({"power", "xid:min", "xid:max", "xid_errors_total"}, 1);
  for (const auto& [ms, code] : {std::pair{0, 31}, {1, 31}, {2, 79}, {3, 0}, {4, 79}})
    codes.push(ms, std::vector<float>{700, 0, float(code), 5});
  ASSERT_EQ(codes.events().size(), 3u);
  EXPECT_TRUE(codes.events()[0].older);
  EXPECT_EQ(codes.events()[0].last_ms, 1);
  EXPECT_FALSE(codes.events()[1].stands);
  EXPECT_TRUE(codes.events()[2].stands);
  codes.forget_resolved(10);
  EXPECT_EQ(codes.events().size(), 1u);
}

}  // namespace
}  // namespace lento::fleet
