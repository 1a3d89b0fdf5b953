#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "memory/read/access_codec.h"
#include "memory/read/access_file.h"
#include "memory/read/access_text.h"

namespace lento::memory {
namespace {

std::string temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("lento_access_" + std::to_string(getpid()) + "_" + name);
}

// Random records of `cpus` CPUs in trace order, with loops, stalls, blame, and odd values now and then.
std::vector<AccessRecord> random_trace(uint64_t seed, size_t events, unsigned cpus) {
  base::Rng rng(seed, "access");
  std::vector<AccessRecord> out;
  std::vector<uint64_t> clock(cpus, 1000);
  for (size_t i = 0; i < events; ++i) {
    AccessRecord r;
    r.cpu = uint16_t(rng.below(cpus));
    r.pc = 0x80000000 + 4 * rng.below(64);
    r.type = static_cast<AccessType>(rng.below(kAccessTypes));
    r.address = r.type == AccessType::Fetch ? r.pc
                : rng.below(10)             ? 0x90000000 + 4 * rng.below(256)
                                            : rng.next();
    r.latency = rng.below(8) ? 1 : uint32_t(rng.below(100));
    if (rng.below(50) == 0)
      r.latency = AccessRecord::kNoLatency;
    r.size = 1u << rng.below(3);
    r.flags = uint8_t(rng.below(16));
    if (rng.below(20) == 0) {
      r.culprit = uint16_t(rng.below(cpus)), r.culprit_pc = rng.next() >> 32;
      r.blamed = uint32_t(rng.below(50)), r.cause = static_cast<DelayCause>(rng.below(kDelayCauses));
    }
    r.cycle = clock[r.cpu];
    clock[r.cpu] += rng.below(30) ? rng.below(5) : rng.below(100000);
    out.push_back(r);
  }
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.cpu < b.cpu;
  });
  return out;
}

std::vector<AccessRecord> read_all(AccessSource& source) {
  std::vector<AccessRecord> out;
  for (auto batch = source.next(); !batch.empty(); batch = source.next())
    out.insert(out.end(), batch.begin(), batch.end());
  return out;
}

std::vector<AccessRecord> read_file_back(const std::string& path, base::ReadReport& report) {
  const AccessFile file(path, report);
  AccessFileSource source(file, report);
  return read_all(source);
}

TEST(AccessCodec, LosesNothing) {
  for (const unsigned cpus : {1u, 4u, 64u}) {
    const auto trace = random_trace(cpus, 5000, cpus);
    std::vector<AccessRecord> back;
    ASSERT_TRUE(decode_accesses(encode_accesses(trace), trace.size(), back));
    EXPECT_EQ(back, trace);
  }
}

TEST(AccessCodec, RefusesDamageWithoutChangingTheOutput) {
  const auto trace = random_trace(3, 500, 4);
  const std::string bytes = encode_accesses(trace);
  std::vector<AccessRecord> out(3);
  EXPECT_FALSE(decode_accesses(bytes, trace.size() + 1, out));
  EXPECT_FALSE(decode_accesses(bytes.substr(0, bytes.size() - 1), trace.size(), out));
  EXPECT_EQ(out.size(), 3u);
}

TEST(AccessFile, ReadsBackWhatWasWrittenInAnyInterleavingOfCpus) {
  const std::string path = temporary("order");
  const auto trace = random_trace(7, 20000, 5);
  {
    AccessFileWriter writer(path, {.chunk_events = 1000});
    for (size_t begin = 0; begin < trace.size();
         begin += 400) {  // per slice of time: one CPU after the other
      const size_t end = std::min(begin + 400, trace.size());
      writer.advance(trace[begin].cycle);
      for (uint16_t cpu = 5; cpu-- > 0;) {
        for (size_t i = begin; i < end; ++i) {
          if (trace[i].cpu == cpu)
            writer.record(trace[i]);
        }
      }
    }
    writer.finish();
  }
  base::ReadReport report;
  EXPECT_EQ(read_file_back(path, report), trace);
  EXPECT_EQ(report.taken, trace.size());
  const AccessFile file(path, report);
  EXPECT_EQ(file.events(), trace.size());
  EXPECT_GE(file.chunks().size(), 15u);
  AccessFileSource tail(file, report, file.chunks().size() - 2);
  EXPECT_EQ(read_all(tail).back(), trace.back());
  std::filesystem::remove(path);
}

TEST(AccessFile, SkipsADamagedChunkAndTakesTheRest) {
  const std::string path = temporary("damage");
  const auto trace = random_trace(9, 10000, 3);
  AccessFileWriter writer(path, {.chunk_events = 1000});
  for (const AccessRecord& r : trace)
    writer.record(r);
  writer.finish();
  std::string bytes = base::read_file(path);
  base::ReadReport report;
  const AccessFile whole(path, report);
  bytes[whole.chunks()[3].offset + 100] ^= 1;
  base::write_file(path, bytes);
  EXPECT_EQ(read_file_back(path, report).size(), 9000u);
  EXPECT_EQ(report.skipped, 1000u);
  base::write_file(path, bytes.substr(0, bytes.size() - 40));  // a file whose end is gone
  base::ReadReport cut;
  EXPECT_EQ(read_file_back(path, cut).size(), 9000u);
  EXPECT_EQ(cut.reasons.size(), 2u);
  base::write_file(path, "LENTOACC");
  EXPECT_THROW(read_file_back(path, cut), base::Error);
  std::filesystem::remove(path);
}

TEST(AccessFile, NothingAppearsWithoutFinish) {
  const std::string path = temporary("unfinished");
  { AccessFileWriter(path).record({}); }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(AccessText, LosesNothing) {
  const std::string path = temporary("text");
  const auto trace = random_trace(11, 3000, 4);
  std::string text = access_text_header();
  for (const AccessRecord& r : trace)
    append_access_text(r, text);
  base::write_file(path, text + "1 2 three\n");
  base::ReadReport report;
  AccessTextSource source(path, report);
  EXPECT_EQ(read_all(source), trace);
  EXPECT_EQ(report.skipped, 1u);
  EXPECT_EQ(report.first_skip.line, 3003);
  std::filesystem::remove(path);
}

TEST(AccessText, WritesThePapersRow) {
  std::string text;
  append_paper_text(
      {
          .cycle = 212305,
          .pc = 0x10009d60,
          .address = 0x10009d60,
          .latency = 28,
          .cpu = 1,
          .type = AccessType::Fetch,
      },
      text);
  EXPECT_EQ(text, "1 212305 0x10009d60 fetch 0x10009d60 28\n");
}

}  // namespace
}  // namespace lento::memory
