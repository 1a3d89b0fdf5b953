#include "base/zip.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lento::base {
namespace {

std::string from_hex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out += char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

// Written by Python's zipfile: a.txt stored and b.txt deflated, and c.txt into a pipe.
const std::string kTwo = from_hex(
    "504b0304140000000000000021000bf94356060000000600000005000000612e74787473746f726564504b0304140000"
    "0008000000210007d66f900e000000b400000005000000622e7478744b494dcb492c494d5148193a0c00504b01021403"
    "140000000000000021000bf943560600000006000000050000000000000000000000800100000000612e747874504b01"
    "0214031400000008000000210007d66f900e000000b4000000050000000000000000000000800129000000622e747874"
    "504b05060000000002000200660000005a0000000000");
const std::string kStreamed = from_hex(
    "504b03041400080008000000210000000000000000000000000005000000632e7478742b2e294a4dcc4d4d5128a61203"
    "00504b0708d3418a820e00000051000000504b0102140314000800080000002100d3418a820e00000051000000050000"
    "000000000000000000800100000000632e747874504b0506000000000100010033000000410000000000");

std::vector<std::pair<std::string, std::string>> members(std::string_view bytes, size_t step = 7) {
  ZipReader zip(
      [&](std::span<char> out) {
        const size_t size = std::min({out.size(), bytes.size(), step});
        std::ranges::copy(bytes.substr(0, size), out.begin());
        bytes.remove_prefix(size);
        return size;
      },
      "a.zip");
  std::vector<std::pair<std::string, std::string>> found;
  while (zip.next()) {
    std::string text(1000, '\0');
    text.resize(zip.read(text));
    found.emplace_back(zip.name(), text);
  }
  return found;
}

std::string repeated(const char* word, int times) {
  std::string out;
  for (int i = 0; i < times; ++i)
    out += word;
  return out;
}

TEST(Zip, StoredDeflatedAndStreamedMembers) {
  EXPECT_TRUE(ZipReader::begins(kTwo));
  const auto two = members(kTwo);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0], std::pair(std::string("a.txt"), std::string("stored")));
  EXPECT_EQ(two[1], std::pair(std::string("b.txt"), repeated("deflated ", 20)));
  const auto one = members(kStreamed);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].second, repeated("streamed ", 9));
}

TEST(Zip, DamageIsAnError) {
  EXPECT_THROW(members(std::string_view(kTwo).substr(0, 38)), Error);
  std::string wrong = kTwo;
  wrong[8] = 9;  // another method
  EXPECT_THROW(members(wrong), Error);
  for (const size_t at : {size_t{36}, size_t{15}}) {  // a letter of the stored member, its checksum
    wrong = kTwo;
    wrong[at] ^= 1;
    EXPECT_THROW(members(wrong), Error) << at;
  }
  wrong = kStreamed;
  wrong[54] ^= 1;  // the checksum in the descriptor
  EXPECT_THROW(members(wrong), Error);
  wrong = kTwo;
  wrong[6] = 1;  // encrypted
  EXPECT_THROW(members(wrong), Error);
}

}  // namespace
}  // namespace lento::base
