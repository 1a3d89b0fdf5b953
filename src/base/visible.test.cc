#include "base/visible.h"

#include <gtest/gtest.h>

namespace lento::base {
namespace {

TEST(Visible, ControlsAreWrittenOut) {
  EXPECT_EQ(visible("a\033[31mred\x07\r\n\tb\x7f"), "a\\x1b[31mred\\x07\\x0d\n\tb\\x7f");
  EXPECT_EQ(
      visible("\xc2\x9b"
              "31m"),
      "\\u009b31m");                                  // CSI in one character
  EXPECT_EQ(visible("x\xe2\x80\xaey"), "x\\u202ey");  // right-to-left override
}

TEST(Visible, OtherTextIsLeftAsItIs) {
  EXPECT_EQ(visible("Größe → ×10 𝛼"), "Größe → ×10 𝛼");
  EXPECT_EQ(visible(""), "");
}

TEST(Visible, WhatIsNoUtf8IsWrittenOut) {
  EXPECT_EQ(visible("\x9b[1m"), "\\x9b[1m");
  EXPECT_EQ(visible("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(visible("\xc0\xaf"), "\\xc0\\xaf");
}

TEST(Visible, KnowsAnIncompleteEnd) {
  EXPECT_EQ(incomplete_tail("ab"), 0u);
  EXPECT_EQ(incomplete_tail("ab\xe2\x80"), 2u);
  EXPECT_EQ(incomplete_tail("ab\xe2\x80\xae"), 0u);
  EXPECT_EQ(incomplete_tail("\xf0\x9d\x9b"), 3u);
}

}  // namespace
}  // namespace lento::base
