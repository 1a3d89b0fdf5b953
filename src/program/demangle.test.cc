#include "program/demangle.h"

#include <gtest/gtest.h>

namespace lento::program {
namespace {

TEST(Demangle, NamesAsTheirAuthorsWroteThem) {
  EXPECT_EQ(demangle("_ZN6engine6worker4stepEi"), "engine::worker::step(int)");
  EXPECT_EQ(
      demangle("_ZN6engine4sortIiEEvPT_.constprop.0"),
      "void engine::sort<int>(int*) [clone .constprop.0]");
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("_Zbroken"), "_Zbroken");
}

TEST(Demangle, RustLegacyLosesHashAndEscapes) {
  EXPECT_EQ(demangle("_ZN5bench4work17h0123456789abcdefE"), "bench::work");
  EXPECT_EQ(
      demangle("_ZN48_$LT$bench..Queue$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE"),
      "<bench::Queue as core::ops::Drop>::drop");
}

// Examples built by the rules of RFC 2603.
TEST(Demangle, RustV0Paths) {
  EXPECT_EQ(demangle("_RNvCs1234_7mycrate4main"), "mycrate::main");
  EXPECT_EQ(demangle("_RNvNtCs1234_7mycrate3foo3bar"), "mycrate::foo::bar");
  EXPECT_EQ(demangle("_RNCNvCs1234_7mycrate4main0"), "mycrate::main::{closure}");
  EXPECT_EQ(demangle("_RNvNCNvCs1234_7mycrate4main03BAR"), "mycrate::main::{closure}::BAR");
  EXPECT_EQ(demangle("_RINvCs1234_7mycrate3foolNtB2_3BarE"), "mycrate::foo::<i32, mycrate::Bar>");
  EXPECT_EQ(demangle("_RNvMCs1234_7mycrateNtB2_3Foo3new"), "<mycrate::Foo>::new");
  EXPECT_EQ(demangle("_RNvCs1234_70mycrate"), "_RNvCs1234_70mycrate");  // runs past its end
}

}  // namespace
}  // namespace lento::program
