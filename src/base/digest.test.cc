#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "base/rng.h"

namespace lento::base {
namespace {

std::string drawn(Rng& rng, size_t size) {
  std::string bytes(size, '\0');
  for (char& c : bytes)
    c = char(rng.next());
  return bytes;
}

TEST(Digest, HoweverItIsFedItIsThatOfTheWhole) {
  Rng rng(1, "digest");
  for (int run = 0; run < 300; ++run) {
    const std::string bytes = drawn(rng, rng.below(100));
    Digest pieces;
    for (size_t at = 0; at < bytes.size();) {
      const size_t piece = rng.below(12);
      pieces.add(std::string_view(bytes).substr(at, piece));
      at += piece;
    }
    EXPECT_EQ(pieces.text(), digest(bytes));
  }
}

TEST(Digest, OneBitMoreOrLessIsAnother) {
  Rng rng(2, "bits");
  const std::string bytes = drawn(rng, 37);
  std::set<std::string> seen{digest(bytes)};
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string other = bytes;
    other[bit / 8] ^= char(1 << bit % 8);
    EXPECT_TRUE(seen.insert(digest(other)).second) << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(seen.insert(digest(bytes.substr(0, size))).second) << size;
}

TEST(Digest, ZerosOfEveryLengthDiffer) {
  std::set<std::string> seen;
  for (size_t size = 0; size < 100; ++size)
    EXPECT_TRUE(seen.insert(digest(std::string(size, '\0'))).second) << size;
}

TEST(Digest, IsThirtyTwoHexadecimalDigits) {
  Rng rng(3, "form");
  for (int run = 0; run < 50; ++run) {
    const std::string text = digest(drawn(rng, rng.below(50)));
    EXPECT_EQ(text.size(), 32u);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

TEST(Digest, AskingDoesNotChangeIt) {
  Digest d;
  d.add("abc");
  const std::string first = d.text();
  EXPECT_EQ(d.text(), first);
  d.add("def");
  EXPECT_EQ(d.text(), digest("abcdef"));
}

}  // namespace
}  // namespace lento::base
