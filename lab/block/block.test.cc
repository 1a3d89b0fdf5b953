// The front end and its prefetchers on made and real streams; the GPU model's bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "lab/block/front_end.h"
#include "lab/block/gpu_sm.h"

namespace lento::tile {
namespace {

std::string shared_file(const std::string& name) {
  const char* shared = std::getenv("LENTO_SHARED");
  return std::string(shared ? shared : "../shared") + "/data/tile/" + name;
}

LineTrace made(const std::vector<uint64_t>& order, uint8_t instructions = 8) {
  LineTrace trace;
  for (const uint64_t line : order) {
    trace.visits.push_back(uint32_t(trace.lines.size()));
    trace.lines.push_back(line);
    trace.counts.push_back(instructions);
    trace.instructions += instructions;
  }
  return trace;
}

FrontEndCounters run(const LineTrace& trace, PrefetchPolicy policy, bool real = false) {
  FrontEndOptions options;
  options.policy = policy;
  options.real_memory = real;
  return run_front_end(trace, options);
}

TEST(LineTraces, RoundTripAndRefusals) {
  const LineTrace trace = made({1, 2, 3});
  const std::string bytes = write_line_trace(trace);
  EXPECT_EQ(write_line_trace(parse_line_trace(bytes, "t")), bytes);
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(parse_line_trace(bytes.substr(0, n), "t"), base::Error);
  EXPECT_THROW(parse_line_trace(bytes + "x", "t"), base::Error);
  std::string wrong = bytes;
  wrong[4] ^= 1;
  EXPECT_THROW(parse_line_trace(wrong, "t"), base::Error);
}

TEST(FrontEnd, ClosedForms) {
  std::vector<uint64_t> fits;
  std::vector<uint64_t> streams;
  std::vector<uint64_t> cycles;
  for (uint64_t round = 0; round < 8; ++round) {
    for (uint64_t i = 0; i < 512; ++i)
      fits.push_back(1000 + i), cycles.push_back(1000 + 64 * ((512 * round + i) % 9));
  }
  for (uint64_t i = 0; i < 4000; ++i)
    streams.push_back(1000 + i);
  EXPECT_EQ(run(made(fits), PrefetchPolicy::None).misses, 0u);         // 512 lines fit after the warm-up
  EXPECT_EQ(run(made(streams), PrefetchPolicy::None).miss_rate(), 1);  // every line is new
  EXPECT_EQ(run(made(cycles), PrefetchPolicy::None).miss_rate(), 1);   // nine lines in eight ways, LRU
  const FrontEndCounters c = run(made(streams), PrefetchPolicy::None);
  EXPECT_EQ(c.cycles, c.accesses * (15 + 2));  // a miss and 8 instructions at 4 a cycle
}

TEST(Entangling, LearnsARepeatingWalkThatNextLineCannot) {
  std::vector<uint64_t> order;
  for (int round = 0; round < 20; ++round) {
    for (uint64_t i = 0; i < 1200; ++i)
      order.push_back(5000 + (i * 37 % 1200) * 3);
  }
  const LineTrace trace = made(order, 32);
  const double none = run(trace, PrefetchPolicy::None).miss_rate();
  EXPECT_GT(none, 0.99);
  EXPECT_GT(run(trace, PrefetchPolicy::NextLine).miss_rate(), 0.99);
  EXPECT_LT(run(trace, PrefetchPolicy::Entangling).miss_rate(), 0.3 * none);
}

TEST(Entangling, RealStreamMeetsTheReferenceFigures) {
  const std::string path = shared_file("python3.lft.xz");
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no " << path;
  const LineTrace trace = read_line_trace(path);
  EXPECT_NEAR(100 * run(trace, PrefetchPolicy::None).miss_rate(), 8.67, 0.05);
  EXPECT_NEAR(100 * run(trace, PrefetchPolicy::NextLine).miss_rate(), 5.68, 0.1);
  const FrontEndCounters two_k = run(trace, PrefetchPolicy::Entangling);
  EXPECT_NEAR(100 * two_k.miss_rate(), 2.23, 0.1);
  EXPECT_NEAR(two_k.coverage(), 0.815, 0.01);
  EXPECT_NEAR(two_k.accuracy(), 0.470, 0.01);
}

TEST(GpuSm, NeverBeatsItsUnitsAndEnds) {
  EXPECT_EQ(gemm_shapes().size(), 22u);
  for (const GemmShape& shape : {GemmShape{false, 2560, 16, 64}, GemmShape{true, 2560, 64, 256}}) {
    SmModel sm(shape, 1);
    SmSignals now;
    uint64_t simt = 0;
    uint64_t tensor = 0;
    uint64_t memory = 0;
    bool more = true;
    while (more && sm.cycle() < 1'000'000)
      more = sm.step(now), simt += now.simt, tensor += now.tensor, memory += now.memory;
    EXPECT_FALSE(more);
    EXPECT_EQ(tensor == 0, !shape.tensor);
    EXPECT_EQ(simt == 0, shape.tensor);
    EXPECT_GT(memory, 0u);
    // FMA: work / (4 schedulers x 16 lanes) cycles at the least.
    if (!shape.tensor) {
      EXPECT_GE(simt, uint64_t{128} * 16 * 64 / 64);
    }
  }
}

}  // namespace
}  // namespace lento::tile
