#include "base/number.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "base/rng.h"
#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST(TryInt, ReadsItsWholeRangeAndNothingBeyond) {
  EXPECT_EQ(try_int("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(try_int("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(try_int("9223372036854775808"), std::nullopt);
  EXPECT_EQ(try_int("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(try_int("007"), 7);
}

TEST(TryInt, IsTheInverseOfWriting) {
  Rng rng(1, "int");
  for (int i = 0; i < 500; ++i) {
    const auto value = int64_t(rng.next() >> rng.below(64));
    EXPECT_EQ(try_int(std::to_string(value)), value);
  }
}

TEST(TryInt, TakesNothingButDigits) {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "0x1", "1e3", "--1", "1_000"})
    EXPECT_EQ(try_int(text), std::nullopt) << text;
}

TEST(TryUint, HasNoSignAndAnyRadix) {
  EXPECT_EQ(try_uint("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(try_uint("18446744073709551616"), std::nullopt);
  EXPECT_EQ(try_uint("-1"), std::nullopt);
  EXPECT_EQ(try_uint("ff", 16), 255u);
  EXPECT_EQ(try_uint("FF", 16), 255u);
  EXPECT_EQ(try_uint("ff"), std::nullopt);
  EXPECT_EQ(try_uint("101", 2), 5u);
  EXPECT_EQ(try_uint("102", 2), std::nullopt);
}

TEST(TryDouble, FiniteValuesOnly) {
  EXPECT_EQ(try_double("1.7976931348623157e308"), std::numeric_limits<double>::max());
  for (const char* text : {"1e309", "-1e309", "inf", "-inf", "nan", "infinity", "1.5x", " 1", "1 ", "+1"})
    EXPECT_EQ(try_double(text), std::nullopt) << text;
  EXPECT_EQ(try_double("-0.25"), -0.25);
  EXPECT_EQ(try_double("1e3"), 1000);
}

TEST(ParseInt, BoundsAreIncluded) {
  EXPECT_EQ(parse_int("0", {}, 0, 5), 0);
  EXPECT_EQ(parse_int("5", {}, 0, 5), 5);
  for (const char* text : {"-1", "6"}) {
    EXPECT_THAT(
        error_of([&] {
          parse_int(text, {"f", 2}, 0, 5);
        }),
        HasSubstr("f:2: error: found " + std::string(text) + ", needed a number from 0 to 5"));
  }
}

TEST(ParseInt, ALongWordIsCutInTheComplaint) {
  const std::string word(500, 'x');
  const std::string complaint = error_of([&] {
    parse_int(word, {"f"});
  });
  EXPECT_THAT(complaint, HasSubstr("needed a whole number"));
  EXPECT_LT(complaint.size(), 100u);
}

TEST(ParseDouble, SaysWhereAndWhat) {
  EXPECT_EQ(parse_double("2.5", {}), 2.5);
  EXPECT_THAT(
      error_of([] {
        parse_double("two", {"f", 1, 9});
      }),
      HasSubstr("f:1:9: error: found 'two', needed a finite number"));
}

}  // namespace
}  // namespace lento::base
