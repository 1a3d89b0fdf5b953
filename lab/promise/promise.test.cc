#include "lab/promise/promise.h"

#include <gmock/gmock.h>

namespace lento::lab {
namespace {

TEST(Promises, APromiseIsBrokenOnItsBadSideAlone) {
  using Kind = Promise::Kind;
  EXPECT_TRUE((Promise{"", Kind::AtMost, 0.05, 0, 200}.kept()));
  EXPECT_FALSE((Promise{"", Kind::AtMost, 0.05, 40, 200}.kept()));
  EXPECT_TRUE((Promise{"", Kind::AtLeast, 0.95, 200, 200}.kept()));
  EXPECT_FALSE((Promise{"", Kind::AtLeast, 0.95, 150, 200}.kept()));
  EXPECT_FALSE((Promise{"", Kind::Equal, 0.9, 200, 200}.kept()));
  EXPECT_TRUE((Promise{"", Kind::Equal, 0.9, 18, 20}.kept()));
  EXPECT_TRUE((Promise{"", Kind::Equal, 0.9, 0, 0}.kept()));
}

TEST(Promises, TheTableCountsThoseThatAreKept) {
  using Kind = Promise::Kind;
  const finding::Diagnosis d =
      promise_table({{"a", Kind::AtMost, 0.05, 0, 200}, {"b", Kind::AtMost, 0.05, 40, 200}}, "memory", 3);
  EXPECT_THAT(d.verdict, testing::HasSubstr("1 of 2 promises"));
  EXPECT_EQ(d.seed, 3U);
}

}  // namespace
}  // namespace lento::lab
