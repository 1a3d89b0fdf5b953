#include "memory/read/access_codec.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace lento::memory {
namespace {

using base::Rng;

// Records of every kind of content: loops and strides that are predicted well, and values that are not.
std::vector<AccessRecord> drawn(uint64_t seed, size_t events) {
  Rng rng(seed, "codec");
  std::vector<AccessRecord> out(events);
  uint64_t cycle = rng.below(1000);
  for (AccessRecord& r : out) {
    const bool wild = rng.below(10) == 0;
    r.cycle = cycle += rng.below(3) * (wild ? rng.next() >> 40 : 1);
    r.cpu = uint16_t(rng.below(4));
    r.pc = wild ? rng.next() : 0x1000 + 4 * rng.below(16);
    r.type = AccessType(rng.below(kAccessTypes));
    r.address = wild ? rng.next() : 0x8000 + 8 * rng.below(100);
    r.latency = wild ? uint32_t(rng.next()) : 1;
    r.size = uint8_t(rng.below(wild ? 256 : 9));
    r.flags = uint8_t(rng.below(256));
    if (wild) {
      r.culprit = uint16_t(rng.next());
      r.culprit_pc = r.culprit == AccessRecord::kNoCpu ? 0 : rng.next();
      r.blamed = uint32_t(rng.next());
      r.cause = DelayCause(rng.below(kDelayCauses));
    }
  }
  sort_by_cycle(out);
  return out;
}

TEST(EncodeAccesses, AnyTraceDecodesToItself) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<AccessRecord> trace = drawn(seed, 1 + seed * 37);
    const std::string bytes = encode_accesses(trace);
    std::vector<AccessRecord> back(3);
    ASSERT_TRUE(decode_accesses(bytes, trace.size(), back));
    ASSERT_EQ(back.size(), trace.size() + 3) << "what was there stays";
    for (size_t i = 0; i < trace.size(); ++i)
      ASSERT_TRUE(back[i + 3] == trace[i]) << seed << " " << i;
  }
}

TEST(EncodeAccesses, ALoopCostsLittleMoreThanAByteARecord) {
  std::vector<AccessRecord> loop(10000);
  for (size_t i = 0; i < loop.size(); ++i) {
    loop[i].cycle = 5 * i;
    loop[i].pc = 0x1000 + 4 * (i % 4);
    loop[i].address = 0x8000 + 64 * (i / 4) + 8 * (i % 4);
    loop[i].latency = 1;
    loop[i].size = 4;
  }
  EXPECT_LT(encode_accesses(loop).size(), loop.size() * 3 / 2);
}

TEST(EncodeAccesses, NoRecordsAreFine) {
  std::vector<AccessRecord> out;
  EXPECT_TRUE(decode_accesses(encode_accesses({}), 0, out));
  EXPECT_TRUE(out.empty());
}

TEST(DecodeAccesses, ACutOrAnotherCountIsRefusedAndChangesNothing) {
  const std::vector<AccessRecord> trace = drawn(3, 100);
  const std::string bytes = encode_accesses(trace);
  std::vector<AccessRecord> out(2);
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(decode_accesses(std::string_view(bytes).substr(0, size), trace.size(), out)) << size;
  EXPECT_FALSE(decode_accesses(bytes, trace.size() + 1, out));
  EXPECT_FALSE(decode_accesses(bytes, uint64_t{1} << 60, out));
  EXPECT_EQ(out.size(), 2u);
}

TEST(DecodeAccesses, FlippedBitsAreRefusedOrGiveATrace) {
  const std::vector<AccessRecord> trace = drawn(4, 200);
  const std::string bytes = encode_accesses(trace);
  Rng rng(1, "flip");
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    damaged[rng.below(damaged.size())] ^= char(1 << rng.below(8));
    std::vector<AccessRecord> out;
    if (decode_accesses(damaged, trace.size(), out)) {
      ASSERT_EQ(out.size(), trace.size());
      for (size_t k = 1; k < out.size(); ++k)
        ASSERT_GE(out[k].cycle, out[k - 1].cycle);
    } else {
      ASSERT_TRUE(out.empty());
    }
  }
}

TEST(SortByCycle, IsStableAndByCpuWithinACycle) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed, "sort");
    // Dense cycles take another way than sparse ones.
    const uint64_t span = seed % 2 ? 50 : uint64_t{1} << 40;
    std::vector<AccessRecord> records(500);
    for (size_t i = 0; i < records.size(); ++i) {
      records[i].cycle = rng.below(span);
      if (rng.below(3) == 0 && i > 0)
        records[i].cycle = records[i - 1].cycle;
      records[i].cpu = uint16_t(rng.below(3));
      records[i].address = i;
    }
    std::vector<AccessRecord> expected = records;
    std::ranges::stable_sort(expected, [](const auto& a, const auto& b) {
      return std::pair(a.cycle, a.cpu) < std::pair(b.cycle, b.cpu);
    });
    sort_by_cycle(records);
    EXPECT_TRUE(records == expected) << seed;
  }
}

}  // namespace
}  // namespace lento::memory
