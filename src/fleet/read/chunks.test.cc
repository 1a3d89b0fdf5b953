// Chunks written bit by bit as Prometheus writes them, over drawn series.
#include "fleet/read/chunks.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"

namespace lento::fleet {
namespace {

using Samples = std::vector<std::pair<int64_t, double>>;

class Writer {
 public:
  void bits(uint64_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) {
      if (used_ % 8 == 0)
        bytes_ += '\0';
      bytes_.back() = char(uint8_t(bytes_.back()) | (value >> i & 1) << (7 - used_ % 8));
      ++used_;
    }
  }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bits((value & 0x7f) | 0x80, 8);
    bits(value, 8);
  }
  const std::string& bytes() const {
    return bytes_;
  }

 private:
  std::string bytes_;
  unsigned used_ = 0;
};

void put_delta(Writer& out, int64_t change) {
  const auto fits = [&](unsigned width) {
    return change >= -(int64_t{1} << (width - 1)) + 1 && change <= int64_t{1} << (width - 1);
  };
  const auto low = [&](unsigned width) {
    return uint64_t(change) & ((uint64_t{1} << width) - 1);
  };
  if (change == 0)
    return out.bits(0, 1);
  if (fits(14)) {
    out.bits(0b10, 2);
    return out.bits(low(14), 14);
  }
  if (fits(17)) {
    out.bits(0b110, 3);
    return out.bits(low(17), 17);
  }
  if (fits(20)) {
    out.bits(0b1110, 4);
    return out.bits(low(20), 20);
  }
  out.bits(0b1111, 4);
  out.bits(uint64_t(change), 64);
}

std::string encoded(const Samples& samples) {
  Writer out;
  out.bits(samples.size(), 16);
  int64_t delta = 0;
  unsigned leading = 0;
  unsigned trailing = 64;  // no window yet
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto value = std::bit_cast<uint64_t>(samples[i].second);
    if (i == 0) {
      const int64_t t = samples[0].first;
      out.varint(uint64_t(t) << 1 ^ uint64_t(t >> 63));
      out.bits(value, 64);
      continue;
    }
    const int64_t step = samples[i].first - samples[i - 1].first;
    if (i == 1)
      out.varint(uint64_t(step));
    else
      put_delta(out, step - delta);
    delta = step;
    const uint64_t x = value ^ std::bit_cast<uint64_t>(samples[i - 1].second);
    if (x == 0) {
      out.bits(0, 1);
      continue;
    }
    const auto zeros = std::min(31u, unsigned(std::countl_zero(x)));
    const auto tail = unsigned(std::countr_zero(x));
    if (trailing < 64 && zeros >= leading && tail >= trailing) {
      out.bits(0b10, 2);
      out.bits(x >> trailing, 64 - leading - trailing);
      continue;
    }
    leading = zeros;
    trailing = tail;
    const unsigned width = 64 - leading - trailing;
    out.bits(0b11, 2);
    out.bits(leading, 5);
    out.bits(width & 63, 6);
    out.bits(x >> trailing, width);
  }
  return out.bytes();
}

Samples drawn(uint64_t seed) {
  base::Rng rng(seed, "chunk");
  Samples samples;
  int64_t time = int64_t(rng.next() >> 20) - (int64_t{1} << 42);
  double value = 0;
  const int64_t usual = 1000 * int64_t(1 + rng.below(60));
  for (uint64_t i = 0; i <= rng.below(120); ++i) {
    samples.emplace_back(time, value);
    const uint64_t gap = rng.below(10);
    time += gap == 0 ? int64_t(rng.next() >> 34) : gap < 4 ? usual + int64_t(rng.below(20)) : usual;
    if (rng.below(3))
      value = rng.below(2) ? double(rng.below(1000)) : rng.normal() * std::pow(10, rng.uniform(-200, 200));
  }
  return samples;
}

Samples decoded(std::string_view bytes, bool& whole) {
  Samples out;
  whole = read_xor_chunk(bytes, [&](int64_t time, double value) {
    out.emplace_back(time, value);
  });
  return out;
}

TEST(ReadXorChunk, AnySeriesReadsBack) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Samples samples = drawn(seed);
    bool whole = false;
    EXPECT_EQ(decoded(encoded(samples), whole), samples) << seed;
    EXPECT_TRUE(whole) << seed;
  }
}

TEST(ReadXorChunk, OnlyWhatIsAskedForIsDelivered) {
  const Samples samples = drawn(5);
  const int64_t from = samples[samples.size() / 2].first;
  Samples late;
  EXPECT_TRUE(read_xor_chunk(
      encoded(samples),
      [&](int64_t time, double value) {
        late.emplace_back(time, value);
      },
      from));
  Samples expected = samples;
  std::erase_if(expected, [&](const auto& sample) {
    return sample.first < from;
  });
  EXPECT_EQ(late, expected);
}

// By the definition, a bit at a time.
TEST(Crc32c, OfAnyLengthIsThatOfItsPolynomial) {
  base::Rng rng(4, "crc");
  std::string bytes;
  for (int size = 0; size < 70; ++size) {
    uint32_t c = 0xffffffffu;
    for (const char byte : bytes) {
      c ^= uint8_t(byte);
      for (int bit = 0; bit < 8; ++bit)
        c = c & 1 ? 0x82f63b78u ^ (c >> 1) : c >> 1;
    }
    EXPECT_EQ(crc32c(bytes), ~c) << size;
    bytes += char(rng.below(256));
  }
}

TEST(ReadXorChunk, EveryWidthOfAChangeOfPace) {
  for (const int64_t change :
       {0,
        1,
        -1,
        8191,
        8192,
        -8191,
        -8192,
        65535,
        65536,
        -65535,
        -65536,
        524287,
        524288,
        -524287,
        -524288,
        1 << 30,
        -(1 << 30)}) {
    const int64_t first = int64_t{1} << 32;
    const Samples samples{{0, 1}, {first, 2}, {2 * first + change, 3}, {3 * first + 2 * change, 4}};
    bool whole = false;
    EXPECT_EQ(decoded(encoded(samples), whole), samples) << change;
  }
}

TEST(ReadXorChunk, ValuesThatAreSpecial) {
  const double values[] = {0.0, -0.0, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308, 1, -1};
  Samples samples;
  for (const double a : values) {
    for (const double b : values) {
      samples.emplace_back(int64_t(samples.size()) * 1000, a);
      samples.emplace_back(int64_t(samples.size()) * 1000, b);
    }
  }
  bool whole = false;
  const Samples back = decoded(encoded(samples), whole);
  ASSERT_EQ(back.size(), samples.size());
  for (size_t i = 0; i < samples.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint64_t>(back[i].second), std::bit_cast<uint64_t>(samples[i].second)) << i;
}

TEST(ReadXorChunk, WhatIsCutGivesTheSamplesBeforeTheCut) {
  const Samples samples = drawn(9);
  const std::string bytes = encoded(samples);
  size_t before = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    bool whole = true;
    const Samples back = decoded(std::string_view(bytes).substr(0, size), whole);
    EXPECT_FALSE(whole) << size;
    EXPECT_GE(back.size(), before);
    before = back.size();
    ASSERT_LE(back.size(), samples.size());
    EXPECT_TRUE(std::equal(back.begin(), back.end(), samples.begin()));
  }
}

TEST(ReadXorChunk, FlippedBitsNeverRunAway) {
  const std::string bytes = encoded(drawn(11));
  base::Rng rng(1, "flip");
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = bytes;
    damaged[rng.below(damaged.size())] ^= char(1 << rng.below(8));
    bool whole = false;
    EXPECT_LE(decoded(damaged, whole).size(), 65535u);
  }
}

// Division by the polynomial, bit by bit.
uint32_t slow_crc(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= uint8_t(c);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
  }
  return ~crc;
}

TEST(Crc32c, OfTheCheckStringAndOfDrawnBytes) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  base::Rng rng(2, "crc");
  for (int i = 0; i < 100; ++i) {
    std::string bytes(rng.below(100), '\0');
    for (char& c : bytes)
      c = char(rng.next());
    EXPECT_EQ(crc32c(bytes), slow_crc(bytes));
  }
}

std::string framed(const std::string& payload) {
  Writer out;
  out.varint(payload.size());
  out.bits(slow_crc(payload), 32);
  return out.bytes() + payload;
}

TEST(ReadFrames, OneAfterTheOther) {
  base::Rng rng(3, "frames");
  std::vector<std::string> payloads;
  std::string body;
  for (int i = 0; i < 20; ++i) {
    payloads.emplace_back(rng.below(400), char('a' + i));
    body += framed(payloads.back());
  }
  std::vector<std::string> back;
  const auto take = [&](std::string_view payload) {
    back.emplace_back(payload);
  };
  EXPECT_EQ(read_frames(body, take), "");
  EXPECT_EQ(back, payloads);
  back.clear();
  EXPECT_NE(read_frames(body.substr(0, body.size() - 1), take), "");
  EXPECT_EQ(back.size(), 19u);
  back.clear();
  std::string damaged = body;
  damaged[body.size() - 1] ^= 1;
  EXPECT_NE(read_frames(damaged, take), "");
  EXPECT_EQ(back.size(), 19u) << "a frame with a wrong checksum is not delivered";
}

}  // namespace
}  // namespace lento::fleet
