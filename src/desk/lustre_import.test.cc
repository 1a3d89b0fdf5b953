// What a client sees of its file servers, made up with a slow one, a lost one and none, through recognition,
// reader and judges.
#include <gtest/gtest.h>

#include "desk/test_files.h"

namespace lento::desk {
namespace {

using test::judge;

// The imports of eight targets, of which one has its own state and wait.
std::string imports(int odd, const char* state, int wait_us) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += test::format(
        "osc.scratch-OST%04x-osc-ffff8800a1b2c000.import=\nimport:\n"
        "    name: scratch-OST%04x-osc-ffff8800a1b2c000\n    target: scratch-OST%04x_UUID\n"
        "    state: %s\n    import_flags: [ replayable, pingable ]\n    connection:\n"
        "       current_connection: 10.9.0.%d@o2ib\n    rpcs:\n       inflight: 0\n       timeouts: 0\n"
        "       avg_waittime: %d usec\n",
        unsigned(i),
        unsigned(i),
        unsigned(i),
        i == odd ? state : "FULL",
        10 + i / 2,
        i == odd ? wait_us : 800 + 7 * i);
  return text;
}

TEST(LustreTargets, TheSlowOneIsNamedWithItsServer) {
  const finding::Diagnosis found = judge({imports(5, "FULL", 24100)});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "scratch-OST0005");
  EXPECT_NE(found.findings[0].summary.find("24100"), std::string::npos) << found.findings[0].summary;
}

TEST(LustreTargets, TheLostOneIsNamed) {
  const finding::Diagnosis found = judge({imports(3, "DISCONN", 812)});
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "scratch-OST0003");
}

TEST(LustreTargets, EqualOnesAndAnIdleOneAreHealthy) {
  for (const std::string& text : {imports(5, "FULL", 812), imports(5, "IDLE", 655647)}) {
    const finding::Diagnosis found = judge({text});
    EXPECT_TRUE(found.findings.empty());
    EXPECT_EQ(found.outcome, finding::Outcome::Healthy);
    EXPECT_FALSE(found.covered.empty());
  }
}

}  // namespace
}  // namespace lento::desk
