#include "base/error.h"

#include <gmock/gmock.h>

#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Location, ShowsOnlyWhatIsKnown) {
  EXPECT_EQ(to_string({}), "");
  EXPECT_EQ(to_string({"f"}), "f");
  EXPECT_EQ(to_string({"f", 3}), "f:3");
  EXPECT_EQ(to_string({"f", 3, 5}), "f:3:5");
  EXPECT_EQ(to_string({"f", 0, 5}), "f");
}

TEST(Error, WithoutAPlaceStartsWithError) {
  EXPECT_STREQ(Error({}, "no").what(), "error: no");
  EXPECT_STREQ(Error({}, "no", "do").what(), "error: no\n  hint: do");
}

TEST(ErrorList, IsEmptyUntilSomethingIsAdded) {
  ErrorList list;
  EXPECT_TRUE(list.empty());
  EXPECT_NO_THROW(list.throw_if_any());
  list.add({}, "x", "y");
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(
      error_of([&] {
        list.throw_if_any();
      }),
      "error: x\n  hint: y");
}

TEST(ErrorList, SpellsOutTwentyAndCountsTheRest) {
  for (const int count : {19, 20, 21, 100}) {
    ErrorList list;
    for (int i = 1; i <= count; ++i)
      list.add({"f", i}, "message " + std::to_string(i));
    const std::string text = error_of([&] {
      list.throw_if_any();
    });
    EXPECT_THAT(text, StartsWith("f:1: error: message 1\n"));
    EXPECT_EQ(std::ranges::count(text, '\n') + 1, std::min(count, 20) + (count > 20)) << count;
    if (count > 20) {
      EXPECT_THAT(text, EndsWith("\n... and " + std::to_string(count - 20) + " more"));
    } else {
      EXPECT_THAT(text, Not(HasSubstr("more")));
    }
  }
}

TEST(ErrorList, CountsTheLastOneItSpellsOut) {
  ErrorList list;
  for (int i = 1; i <= 25; ++i)
    list.add({}, "message " + std::to_string(i));
  const std::string text = error_of([&] {
    list.throw_if_any();
  });
  EXPECT_THAT(text, HasSubstr("message 20"));
  EXPECT_THAT(text, Not(HasSubstr("message 21")));
}

TEST(Nearest, OneSlipOfEachKind) {
  const std::vector<std::string> known{"latency", "bandwidth"};
  EXPECT_EQ(nearest("latenc", known), "latency");    // one missing
  EXPECT_EQ(nearest("latenccy", known), "latency");  // one more
  EXPECT_EQ(nearest("latensy", known), "latency");   // another
  EXPECT_EQ(nearest("latnecy", known), "latency");   // swapped
}

TEST(Nearest, TwoSlipsInAShortWordAThirdInALong) {
  EXPECT_EQ(nearest("abc", {"abx"}), "abx");
  EXPECT_EQ(nearest("abc", {"axy"}), "axy");
  EXPECT_EQ(nearest("abc", {"xyz"}), "");
  EXPECT_EQ(nearest("abcdefghijkl", {"abcdefghxxxx"}), "abcdefghxxxx");
  EXPECT_EQ(nearest("abcdefghijkl", {"abcdefgxxxxx"}), "");
}

TEST(Nearest, TheFirstOfEquallyNearAndTheNearestOfAll) {
  EXPECT_EQ(nearest("rate", {"rote", "rite"}), "rote");
  EXPECT_EQ(nearest("rate", {"rxxe", "rates"}), "rates");
  EXPECT_EQ(nearest("rate", {}), "");
}

TEST(Nearest, IsSymmetricInLength) {
  EXPECT_EQ(nearest("", {"ab"}), "ab");
  EXPECT_EQ(nearest("", {"abc"}), "");
}

TEST(Suggestion, OfNothingKnownIsEmpty) {
  EXPECT_EQ(suggestion("x", {}), "");
}

TEST(Suggestion, TheShortestNameThatBeginsSo) {
  EXPECT_EQ(suggestion("mi300", {"mi100", "mi300x-8", "mi300x"}), "did you mean 'mi300x'?");
  EXPECT_EQ(suggestion("h10", {"h100-96", "h100"}), "did you mean 'h100'?");
}

TEST(Suggestion, LongNamesAreCut) {
  const std::string text = suggestion("x", {std::string(60, 'a'), std::string(61, 'b')});
  EXPECT_EQ(text, "one of: " + std::string(60, 'a') + ", " + std::string(60, 'b') + "...");
}

TEST(Check, ABrokenPromiseNamesItsPlaceAndCondition) {
  const auto broken = [] {
    const int cores = 0;
    LENTO_CHECK(cores > 0, "a chip without cores");
  };
  try {
    broken();
    FAIL() << "no bug was thrown";
  } catch (const Bug& bug) {
    EXPECT_THAT(bug.what(), HasSubstr("error.test.cc:"));
    EXPECT_THAT(bug.what(), HasSubstr("a chip without cores (cores > 0)"));
  }
  EXPECT_NO_THROW(LENTO_CHECK(true, "never"));
}

}  // namespace
}  // namespace lento::base
