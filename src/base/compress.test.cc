#include "base/compress.h"

#include <gtest/gtest.h>

namespace lento::base {
namespace {

TEST(Compress, RoundTripsAndRefusesDamage) {
  const std::string text = std::string(10000, 'a') + "tail";
  std::string block = compress_block(text);
  std::string out;
  EXPECT_LT(block.size(), 100u);
  ASSERT_TRUE(decompress_block(block, text.size(), out));
  EXPECT_EQ(out, text);
  EXPECT_FALSE(decompress_block(block, text.size() - 1, out));
  EXPECT_FALSE(decompress_block(block, text.size() + 1, out));
  block[block.size() / 2] ^= 0x55;
  block.pop_back();
  EXPECT_FALSE(decompress_block(block, text.size(), out));
}

TEST(Compress, CrcOfTheCheckString) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
}

}  // namespace
}  // namespace lento::base
