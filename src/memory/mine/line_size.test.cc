// The line size: given, told by the trace, usual for the format, or found in the losses.
#include "memory/mine/line_size.h"

#include <gmock/gmock.h>

#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using test::add_meetings;
using test::calm;
using test::diagnose;
using test::Trace;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(LineSizes, TheTraceIsBelievedBeforeTheFormat) {
  program::TraceFacts facts;
  ContentionOptions options;
  const WindowScan windows;
  facts.usual_line_bytes = 64;
  EXPECT_EQ(find_line_size(options, facts, windows).bytes, 64u);
  facts.line_bytes = 128;
  EXPECT_EQ(find_line_size(options, facts, windows).bytes, 128u);
  EXPECT_EQ(find_line_size(options, facts, windows).origin, "told by the trace");
  options.line_bytes = 32;
  EXPECT_EQ(find_line_size(options, facts, windows).bytes, 32u);
  EXPECT_EQ(find_line_size(options, facts, windows).origin, "given");
}

// Writers 48 bytes apart meet in lines of 64, not of 32: the size that explains the losses is taken.
TEST(LineSizes, TheSmallestThatExplainsTheLossesIsFound) {
  Trace near = calm(20000);
  add_meetings(near, 200, 20, 4);
  EXPECT_THAT(
      diagnose(near).facts,
      Contains(std::pair<std::string, std::string>("line size", "32 bytes (found)")));
  Trace far = calm(20000);
  add_meetings(far, 200, 20, 48);
  const finding::Diagnosis d = diagnose(far);
  EXPECT_THAT(d.facts, Contains(std::pair<std::string, std::string>("line size", "64 bytes (found)")));
  EXPECT_THAT(d.notes, Contains(HasSubstr("32 bytes: 0, 64 bytes: 4000, 128 bytes: 4000")));
}

}  // namespace
}  // namespace lento::memory
