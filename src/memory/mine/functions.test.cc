// Code addresses and the functions that they are gathered under.
#include "memory/mine/functions.h"

#include <gtest/gtest.h>

namespace lento::memory {
namespace {

TEST(FunctionsOf, WithoutSymbolsAreBounded) {
  const program::AddressSpace no_names;
  Functions functions(no_names);
  for (uint64_t page = 0; page < 2 * kMostFunctions; ++page)
    functions.of(0, page * 256);
  EXPECT_EQ(functions.size(), kMostFunctions + 1);
  EXPECT_EQ(functions.name(functions.of(0, (2 * kMostFunctions - 1) * 256)), "other code");
  EXPECT_EQ(functions.name(functions.of(0, 256)), "code at 0x100");
}

TEST(FunctionsOf, KnownFunctionsAreNotSwallowedByUnknownPages) {
  program::AddressSpace names;
  names.add_code({0, 0x1040, 0x1080, "known", ""});
  names.add_code({2, 0x1040, 0x1080, "other", ""});
  Functions functions(names);
  const uint32_t unknown = functions.of(0, 0x1000);
  EXPECT_EQ(functions.name(unknown), "code at 0x1000");
  EXPECT_EQ(functions.name(functions.of(0, 0x1040)), "known");
  EXPECT_EQ(functions.name(functions.of(0, 0x107f)), "known");
  EXPECT_EQ(functions.of(0, 0x1080), unknown);
  EXPECT_EQ(functions.name(functions.of(2, 0x1050)), "other");
  EXPECT_NE(functions.of(1, 0x1000), unknown);
  // What lies in the function asked for last needs no look.
  EXPECT_EQ(functions.named(), 2u);
  EXPECT_EQ(functions.asked(), 5u);
}

TEST(FunctionsOf, AKeptListGivesTheSameNumbers) {
  const program::AddressSpace none;
  Functions first(none);
  for (const uint64_t pc : {0x5000, 0x1000, 0x90ff})
    first.of(0, pc);
  first.of(3, 0x1000);
  Functions again(none);
  for (const Functions::Known& known : first.known())
    again.add(known);
  EXPECT_EQ(again.size(), first.size());
  EXPECT_EQ(again.of(0, 0x1000), first.of(0, 0x1000));
  EXPECT_EQ(again.of(0, 0x9000), first.of(0, 0x9000));
  EXPECT_EQ(again.of(3, 0x10ff), first.of(3, 0x1000));
  EXPECT_EQ(again.name(again.of(0, 0x9000)), "code at 0x9000");
}

// Pages of 256 bytes where nothing is known; the same number however it is asked for.
TEST(FunctionsOf, PagesEndWhereTheNextBegins) {
  const program::AddressSpace none;
  Functions functions(none);
  const uint32_t first = functions.of(0, 0x1000);
  EXPECT_EQ(functions.of(0, 0x10ff), first);
  EXPECT_NE(functions.of(0, 0x1100), first);
  EXPECT_NE(functions.of(0, 0xfff), first);
  EXPECT_EQ(functions.of(0, 0x1080), first);
  EXPECT_EQ(functions.size(), 3u);
}

// Names that a trace tells after it began.
TEST(FunctionsOf, NamesMayComeLate) {
  program::AddressSpace space;
  Functions functions(space);
  EXPECT_EQ(functions.name(functions.of(0, 0x1000)), "code at 0x1000");
  space.add_code({0, 0x2000, 0x2100, "late", ""});
  EXPECT_EQ(functions.name(functions.of(0, 0x2050)), "late");
  EXPECT_EQ(functions.named(), 1u);
}

TEST(FunctionsOf, TheLastOneAskedIsOfItsProcess) {
  const program::AddressSpace none;
  Functions functions(none);
  const uint32_t first = functions.of(1, 0x1000);
  const uint32_t second = functions.of(2, 0x1000);
  EXPECT_NE(first, second);
  EXPECT_EQ(functions.of(2, 0x1001), second);
  EXPECT_EQ(functions.of(1, 0x1001), first);
}

TEST(FunctionsOf, OthersAreOne) {
  const program::AddressSpace none;
  Functions functions(none);
  const uint32_t others = functions.others();
  EXPECT_EQ(functions.others(), others);
  EXPECT_EQ(functions.name(others), "other code");
  const uint32_t page = functions.of(0, 0x1000);
  EXPECT_TRUE(functions.has_name(others));
  EXPECT_FALSE(functions.has_name(page));
  Functions again(none);
  for (const Functions::Known& known : functions.known())
    again.add(known);
  EXPECT_EQ(again.others(), others);
  EXPECT_TRUE(again.has_name(others));
  EXPECT_FALSE(again.has_name(page));
  EXPECT_EQ(again.size(), functions.size());
}

}  // namespace
}  // namespace lento::memory
