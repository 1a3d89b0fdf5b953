// Latencies of requests from arrival times, with bursts: every bucket is exact when nothing is dropped, and
// what is dropped is counted. LENTO_TILE_REQUESTS=N sends N requests (default 20,000).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/rng.h"
#include "tile/unit/build.h"
#include "tile/unit/tile.h"

namespace lento::tile {
namespace {

constexpr uint32_t kIds = 16;

const char* const kProgram = R"(#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(60);
YPU_OUTPUT(0, 60);
YPU_DROPS_EXPECTED;
static uint32_t begin[16], buckets[16];
YPU_MAIN {
  const uint32_t what = ypu_io(0), id = what & 15;
  uint32_t cycles = ypu_arrival - begin[id], b = 0;
  if (what & 16) {
    begin[id] = ypu_arrival;
    return;
  }
  while (cycles > 1 && b < 15) {
    cycles >>= 1;
    ++b;
  }
  buckets[b] += 1;
}
YPU_FINISH {
  for (int i = 0; i < 16; ++i)
    ypu_put32(buckets[i]);
}
)";

struct Event {
  uint64_t cycle = 0;
  uint32_t what = 0;
};
struct Recording {
  std::vector<Event> events;
  std::array<uint32_t, kIds> truth = {};
};

// Bursts of `burst` events in consecutive cycles, then `pause` cycles; each begins a request or answers one.
Recording bursts(uint64_t requests, uint32_t burst, uint32_t pause, uint64_t seed) {
  base::Rng rng(seed, "tile.latency");
  Recording out;
  std::array<uint64_t, kIds> began = {};
  std::array<bool, kIds> open = {};
  uint64_t answered = 0;
  for (uint64_t cycle = 10; answered < requests; cycle += pause + rng.below(pause)) {
    for (uint32_t i = 0; i < burst && answered < requests; ++i, ++cycle) {
      const auto id = uint32_t(rng.below(kIds));
      out.events.push_back({cycle, id | (open[id] ? 0 : 16)});
      if (open[id]) {
        ++answered;
        ++out.truth[std::min<uint32_t>(uint32_t(std::bit_width(cycle - began[id])) - 1, 15)];
      }
      open[id] = !open[id];
      began[id] = cycle;
    }
  }
  return out;
}

struct Seen {
  std::array<uint32_t, kIds> buckets = {};
  uint64_t dropped = 0;
};

Seen run(const Image& image, const Recording& recording) {
  TileOptions options;
  options.input_queue = 4;
  Tile tile(options);
  tile.config_image(image);
  tile.resume();
  TileInputs in;
  in.valid = 1;
  for (int n = 0; n < 2'000 && tile.status() != Status::ActivePaused; ++n)
    tile.step(nullptr);
  uint64_t cycle = 0;
  for (const Event& event : recording.events) {
    while (cycle++ < event.cycle)
      tile.step(nullptr);
    in.data[0] = event.what;
    tile.step(&in);
  }
  for (int n = 0; n < 5'000; ++n)
    tile.step(nullptr);
  tile.finalize();
  std::string out;
  for (int n = 0; n < 5'000; ++n) {
    tile.step(nullptr);
    out += tile.drain(4);
  }
  Seen seen;
  EXPECT_EQ(out.size(), sizeof seen.buckets);
  std::memcpy(seen.buckets.data(), out.data(), std::min(out.size(), sizeof seen.buckets));
  seen.dropped = tile.counters().total_dropped();
  return seen;
}

uint64_t requests_wanted() {
  const char* wish = std::getenv("LENTO_TILE_REQUESTS");
  return wish ? std::strtoull(wish, nullptr, 10) : 20'000;
}

class Latency : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
    image_ = build_program(kProgram, "latency.c").image;
  }
  Image image_;
};

TEST_F(Latency, BucketsOfBurstsThatTheQueueHoldsAreExact) {
  const Recording recording = bursts(requests_wanted(), 4, 400, 1);
  const Seen seen = run(image_, recording);
  EXPECT_EQ(seen.dropped, 0u);
  EXPECT_EQ(seen.buckets, recording.truth);
}

// Twelve in a row are more than a queue of four holds: what is missing in the answers was counted.
TEST_F(Latency, WhatTheQueueCannotHoldIsCounted) {
  const Recording recording = bursts(requests_wanted() / 4, 12, 1'200, 2);
  const Seen seen = run(image_, recording);
  EXPECT_GT(seen.dropped, 0u);
  uint64_t sent = 0;
  uint64_t counted = 0;
  for (const Event& event : recording.events)
    sent += (event.what & 16) == 0;
  for (const uint32_t n : seen.buckets)
    counted += n;
  EXPECT_LT(counted, sent);
  EXPECT_LE(sent - counted, seen.dropped);
}

}  // namespace
}  // namespace lento::tile
