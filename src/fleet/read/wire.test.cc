#include "fleet/read/wire.h"

#include <gtest/gtest.h>

#include <string>

namespace lento::fleet {
namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += char(uint8_t(value | 0x80));
  return bytes + char(uint8_t(value));
}

// A Chunk as remote_read.proto has it: its times, its type, its data.
std::string message() {
  return "\x08" + varint(uint64_t(-5)) + "\x10" + varint(1'700'000'000'123) + "\x18\x01" +
         std::string(
             "\x22\x03"
             "a\0b",
             5);
}

TEST(Wire, FieldsOfAMessage) {
  const std::string bytes = message();
  Wire wire(bytes);
  WireField f;
  ASSERT_TRUE(wire.next(f));
  EXPECT_EQ(f.number, 1u);
  EXPECT_EQ(int64_t(f.value), -5);
  ASSERT_TRUE(wire.next(f));
  EXPECT_EQ(f.value, 1'700'000'000'123u);
  ASSERT_TRUE(wire.next(f));
  EXPECT_EQ(f.number, 3u);
  ASSERT_TRUE(wire.next(f));
  EXPECT_EQ(f.bytes, std::string_view("a\0b", 3));
  EXPECT_FALSE(wire.next(f));
  EXPECT_TRUE(wire.ok());
}

TEST(Wire, AMessageThatIsCutIsNoticed) {
  const std::string bytes = message();
  size_t whole = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    Wire wire(std::string_view(bytes).substr(0, size));
    for (WireField f; wire.next(f);) {
    }
    whole += wire.ok();  // a cut between two fields is none
  }
  EXPECT_EQ(whole, 4u);
}

TEST(Wire, UnknownTypesAndEndlessNumbersEndIt) {
  WireField f;
  Wire group("\x0b");
  EXPECT_FALSE(group.next(f));
  EXPECT_FALSE(group.ok());
  const std::string endless(20, '\xff');
  Wire number(endless);
  EXPECT_FALSE(number.next(f));
  EXPECT_FALSE(number.ok());
  Wire fixed(std::string_view("\x0d\1\2\3\4", 5));  // 4 bytes are passed over
  EXPECT_TRUE(fixed.next(f));
  EXPECT_FALSE(fixed.next(f));
  EXPECT_TRUE(fixed.ok());
}

}  // namespace
}  // namespace lento::fleet
