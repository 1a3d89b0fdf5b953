// Readers of foreign traces against the shared real samples and the published test vectors.
#include "memory/read/foreign.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/test_bytes.h"

namespace lento::memory {
namespace {

using base::test::packet;

std::string sample(const std::string& name) {
  const char* folder = std::getenv("LENTO_SHARED");
  return std::string(folder ? folder : "../shared") + "/data/memory/traces/" + name;
}

std::vector<AccessRecord>
read_all(const std::string& path, base::ReadReport& report, const std::string& columns = "") {
  const auto source = open_foreign(recognise_foreign(path), path, columns, report);
  std::vector<AccessRecord> all;
  for (auto batch = source->next(); !batch.empty(); batch = source->next())
    all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

std::string write_text(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  base::write_file(path, text);
  return path;
}

#define NEED_SAMPLE(path)             \
  if (!std::filesystem::exists(path)) \
  GTEST_SKIP() << "no shared data"

TEST(PerfDataSource, DecodesPublishedWords) {
  using Level = PerfDataSource::Level;
  const auto l3 = decode_perf_data_source(0x10668100842);
  EXPECT_TRUE(l3.load && !l3.locked && !l3.modified);
  EXPECT_EQ(l3.level, Level::L3);
  EXPECT_EQ(decode_perf_data_source(0x11868100242).level, Level::Buffer);
  const auto locked = decode_perf_data_source(0x1026a100142);
  EXPECT_TRUE(locked.load && locked.locked);
  EXPECT_EQ(locked.level, Level::L1);
  const auto peer = decode_perf_data_source(0x8688000842);
  EXPECT_TRUE(peer.load && peer.peer);
  EXPECT_EQ(peer.level, Level::L3);
  const auto store = decode_perf_data_source(0x5080144);
  EXPECT_TRUE(store.store);
  EXPECT_EQ(store.level, Level::L1);
  EXPECT_EQ(decode_perf_data_source(0x1a29081042).level, Level::Memory);
  // Level bits say "missed": a load that left the last cache for an unknown place, a store that left the
  // first.
  constexpr uint64_t kMiss = uint64_t{4} << 5;
  EXPECT_EQ(decode_perf_data_source(2 | kMiss | uint64_t{64} << 5 | uint64_t{3} << 33).level, Level::Other);
  EXPECT_EQ(decode_perf_data_source(4 | kMiss | uint64_t{8} << 5).level, Level::Other);
  EXPECT_EQ(decode_perf_data_source(2 | kMiss | uint64_t{128} << 5).level, Level::Memory);
  EXPECT_EQ(decode_perf_data_source(2 | uint64_t{2} << 5 | uint64_t{1024} << 5).level, Level::L3);
  EXPECT_EQ(decode_perf_data_source(2 | uint64_t{1} << 5).level, Level::Unknown);
}

TEST(Foreign, PerfBreakpointSample) {
  const std::string path = sample("perf_script_breakpoint_addr.txt");
  NEED_SAMPLE(path);
  base::ReadReport report;
  const auto all = read_all(path, report);
  EXPECT_EQ(all.size() + report.skipped, 501u);
  EXPECT_EQ(all.size(), 501u);
  EXPECT_EQ(all[0].cycle, 4669255092730u);
  EXPECT_EQ(all[0].cpu, 1);
  EXPECT_EQ(all[0].address, 0x404080u);
  EXPECT_EQ(all[0].pc, 0x40115cu);
}

TEST(Foreign, AProfileWithoutDataAddressesHoldsNoAccess) {
  const std::string path = testing::TempDir() + "profile.txt";
  base::write_file(
      path,
      "histo   482 [000] 14010.956844:     250000 cpu-clock:      7fa1a41a6645 work+0x25 (histo)\n");
  EXPECT_EQ(recognise_foreign(path), "perf");
  base::ReadReport report;
  EXPECT_TRUE(read_all(path, report).empty());
  EXPECT_EQ(report.reasons.begin()->first, "no data address: record with perf mem record, or print addr");
}

TEST(Foreign, CodeIsNoOutputOfPerf) {
  const std::string path = testing::TempDir() + "histo.c";
  base::write_file(
      path,
      "struct worker workers[8];\nint f() { return workers[me] ? a : b; }\nint a[8] = {x: 1};\n");
  EXPECT_THROW(recognise_foreign(path), base::Error);
}

// A perf.data with one event of the given sample_type; `records` follow the attributes.
std::string perf_data(uint64_t sample_type, const std::string& records) {
  const auto word = [](uint64_t value, size_t bytes = 8) {
    return std::string(reinterpret_cast<const char*>(&value), bytes);
  };
  constexpr uint64_t kAttr = 128;
  constexpr uint64_t kAttrs = 104;
  constexpr uint64_t kData = kAttrs + kAttr;
  std::string file =
      "PERFILE2" + word(104) + word(kAttr) + word(kAttrs) + word(kAttr) + word(kData) + word(records.size());
  file.resize(kAttrs);
  std::string attr(kAttr, '\0');
  attr.replace(24, 8, word(sample_type));
  return file + attr + records;
}

std::string perf_record(uint32_t type, std::initializer_list<uint64_t> body) {
  const uint16_t size = uint16_t(8 + 8 * body.size());
  std::string record(8, '\0');
  std::memcpy(record.data(), &type, 4);
  std::memcpy(record.data() + 6, &size, 2);
  for (const uint64_t word : body)
    record.append(reinterpret_cast<const char*>(&word), 8);
  return record;
}

TEST(Foreign, PerfDataSamplesInTheOrderOfTime) {
  // IDENTIFIER, IP, TID, TIME, ADDR, ID, CPU, PERIOD, CALLCHAIN, RAW, WEIGHT_STRUCT, DATA_SRC.
  constexpr uint64_t kType = 1 << 16 | 1 | 2 | 4 | 8 | 64 | 128 | 256 | 32 | 1024 | 1 << 24 | 1 << 15;
  const auto sample_at = [](uint64_t time, uint64_t cpu, uint64_t weight, uint64_t source) {
    return perf_record(
        9,
        {7,
         0x401000,
         1,
         time,
         0x7000 + time,
         7,
         cpu,
         1,
         /* call chain */ 2,
         11,
         12,
         /* raw: 12 bytes */ 12,
         0,
         weight | uint64_t{5} << 32,
         source});
  };
  const std::string round = perf_record(68, {});
  const std::string text = sample_at(300, 1, 47, 0x10668100842) + round + sample_at(200, 0, 0, 0x5080144) +
                           sample_at(100, 0, 180, 0x1a29081042) + round + sample_at(900, 2, 9, 0x1026a100142);
  base::ReadReport report;
  const auto all = read_all(write_text("samples.perf.data", perf_data(kType, text)), report);
  ASSERT_EQ(all.size(), 4u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(all[i].cycle, (std::array{100u, 200u, 300u, 900u}[i]));
  EXPECT_EQ(all[0].latency, 180u);
  EXPECT_EQ(all[0].type, AccessType::Load);
  EXPECT_EQ(all[1].type, AccessType::Store);
  EXPECT_EQ(all[1].latency, AccessRecord::kNoLatency);
  EXPECT_TRUE(all[1].trivial());
  EXPECT_EQ(all[2].latency, 47u);
  EXPECT_EQ(all[2].cpu, 1);
  EXPECT_EQ(all[2].pc, 0x401000u);
  EXPECT_EQ(all[2].address, 0x7000u + 300);
  EXPECT_EQ(all[3].type, AccessType::Atomic);
}

TEST(Foreign, PerfDataWithoutTimeOrCutOffSaysSo) {
  base::ReadReport report;
  EXPECT_TRUE(
      read_all(write_text("timeless.perf.data", perf_data(1 | 8, perf_record(9, {1, 2}))), report).empty());
  EXPECT_EQ(report.skipped, 1u);
  const std::string whole =
      perf_data(1 | 4 | 8 | 128, perf_record(9, {1, 5, 2, 0}) + perf_record(9, {1, 6, 2, 0}));
  EXPECT_EQ(read_all(write_text("cut.perf.data", whole.substr(0, whole.size() - 9)), report).size(), 1u);
  EXPECT_EQ(report.skipped, 2u);
  EXPECT_THROW(read_all(write_text("z.perf.data", perf_data(1, perf_record(81, {1}))), report), base::Error);
}

TEST(Foreign, PerfPageFaultSample) {
  const std::string path = sample("perf_script_pagefault_addr.txt");
  NEED_SAMPLE(path);
  base::ReadReport report;
  const auto all = read_all(path, report);
  EXPECT_EQ(all.size(), 70u);
  EXPECT_EQ(all[0].address, 0x7f53cc26c010u);
  EXPECT_EQ(all[0].pc, 0x40118au);
}

TEST(Foreign, PerfSamplesWithoutTimeAreSkippedWithTheReason) {
  const std::string path = sample("perf_script_datasrc_weight_intel.txt");
  NEED_SAMPLE(path);
  base::ReadReport report;
  EXPECT_TRUE(read_all(path, report).empty());
  EXPECT_EQ(report.skipped, 9u);
}

TEST(Foreign, ArmSpeKeepsOneEventPerOperation) {
  const std::string path = sample("perf_script_arm_spe.txt");
  NEED_SAMPLE(path);
  base::ReadReport report;
  const auto all = read_all(path, report);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(report.skipped, 2u);
  EXPECT_EQ(all[0].cpu, 20);
  EXPECT_EQ(all[0].cycle, 122463754000u);
  EXPECT_EQ(all[0].pc, 0xaaaac17c3e88u);
}

// The first page of a Sandy Bridge table: level in four bits, then the second TLB's miss, a locked access.
TEST(Foreign, MemAxesDataSourcesAreLevels) {
  const std::string head = "time,cpu,latency,dataSource\n";
  base::ReadReport again;
  const auto all = read_all(
      write_text("decimal.csv", head + "1,0,9,1\n2,0,9,18\n3,0,9,67\n4,0,9,36\n5,0,9,7\n6,0,9,0\n7,0,9,13\n"),
      again);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[0].service, Service::L1);
  EXPECT_TRUE(all[0].trivial());
  EXPECT_EQ(all[1].service, Service::Buffer);
  EXPECT_EQ(all[2].service, Service::L2);
  EXPECT_EQ(all[3].service, Service::L3);
  EXPECT_EQ(all[3].type, AccessType::Atomic);
  EXPECT_EQ(all[4].service, Service::LocalPeer);
  EXPECT_EQ(all[5].service, Service::Unknown);
  EXPECT_TRUE(all[5].flags & AccessRecord::kServiceKnown);
  EXPECT_FALSE(all[5].trivial());
  EXPECT_EQ(all[6].service, Service::RemoteMemory);
  const auto hex = read_all(write_text("hex.csv", head + "1,0,9,12\n2,0,9,a\n3,0,9,0x21\n4,0,9,1b\n"), again);
  ASSERT_EQ(hex.size(), 4u);
  EXPECT_EQ(hex[0].service, Service::Buffer);
  EXPECT_EQ(hex[1].service, Service::LocalMemory);
  EXPECT_EQ(hex[2].service, Service::L1);
  EXPECT_EQ(hex[2].type, AccessType::Atomic);
  EXPECT_EQ(hex[3].service, Service::RemoteMemory);
}

TEST(Foreign, MemAxesSample) {
  const std::string path = sample("memaxes_lulesh_inorder.csv.gz");
  NEED_SAMPLE(path);
  base::ReadReport report;
  const auto all = read_all(path, report);
  EXPECT_EQ(all.size(), 16360u);
  std::map<int, int> cpus;
  uint32_t most = 0;
  for (const AccessRecord& r : all)
    ++cpus[r.cpu], most = std::max(most, r.latency);
  EXPECT_EQ(cpus.size(), 32u);
  EXPECT_EQ(most, 2108u);
}

TEST(Foreign, LackeySample) {
  const std::string path = sample("valgrind_lackey.txt");
  NEED_SAMPLE(path);
  base::ReadReport report;
  const auto all = read_all(path, report);
  EXPECT_EQ(all.size() + report.skipped, 401u);
  EXPECT_GE(all.size(), 400u);
}

TEST(Foreign, DynamoRioSample) {
  const std::string folder = sample("drmemtrace");
  NEED_SAMPLE(folder);
  uint64_t reads = 0;
  uint64_t writes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("cpu_schedule"))
      continue;
    base::ReadReport report;
    for (const AccessRecord& r : read_all(entry.path().string(), report)) {
      reads += r.type == AccessType::Load;
      writes += r.type == AccessType::Store;
    }
    EXPECT_EQ(report.skipped, 0u);
  }
  EXPECT_EQ(reads, 172208u);
  EXPECT_EQ(writes, 100150u);
}

TEST(Foreign, PaperTextInAnyColumnOrder) {
  base::ReadReport report;
  const auto all =
      read_all(write_text("paper.txt", "1 212305 0x10009d60 fetch 0x10009d60 28\nnonsense\n"), report);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(report.skipped, 1u);
  EXPECT_EQ(all[0].cycle, 212305u);
  EXPECT_EQ(all[0].latency, 28u);
  const auto other =
      read_all(write_text("paper2.txt", "7 3 load 10009d60 5\n"), report, "cycle,cpu,type,pc,latency");
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].cpu, 3);
  EXPECT_EQ(other[0].address, 0x10009d60u);
}

TEST(Foreign, Gem5JoinsRequestsAndResponses) {
  const std::string path = write_text(
      "gem5.trc",
      "gem5" + packet({{2, 0}, {3, 1000}}) +
          packet({{1, 100}, {2, 1}, {3, 0x40}, {4, 8}, {6, 2}, {7, 0x1000}}) +
          packet({{1, 120}, {2, 4}, {3, 0x80}, {4, 4}, {6, 3}}) +
          packet({{1, 150}, {2, 2}, {3, 0x40}, {6, 2}}) + packet({{1, 160}, {2, 5}, {3, 0x80}, {6, 3}}));
  base::ReadReport report;
  const auto all = read_all(path, report);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].latency, 50u);
  EXPECT_EQ(all[0].pc, 0x1000u);
  EXPECT_EQ(all[1].type, AccessType::Store);
  EXPECT_EQ(all[1].latency, 40u);
}

TEST(Foreign, ChampSimRecords) {
  std::string bytes(64, '\0');
  bytes[0] = 0x10;
  bytes[16] = 0x40;  // first store slot
  bytes[32] = 0x20;  // first load slot
  base::ReadReport report;
  const auto all = read_all(write_text("a.champsim.trace", bytes), report);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].type, AccessType::Store);
  EXPECT_EQ(all[2].address, 0x20u);
}

TEST(Foreign, UnknownTracesAreRefusedByName) {
  EXPECT_THROW(recognise_foreign(write_text("x.bin", "\x01\x02\x03")), base::Error);
  base::ReadReport report;
  EXPECT_THROW(open_foreign("vtune", "x", "", report), base::Error);
}

}  // namespace
}  // namespace lento::memory
