// Binary traces written here as their formats say, and each way in which they may be damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <map>

#include "base/rng.h"
#include "base/test_bytes.h"
#include "base/test_error.h"
#include "memory/read/test_accesses.h"

namespace lento::memory {
namespace {

using base::test::append_varint;
using base::test::little;
using base::test::packet;
using test::read_trace;
using testing::HasSubstr;

std::string error_of(const std::string& format, const std::string& bytes) {
  return base::test::error_of([&] {
    base::ReadReport report;
    read_trace(format, bytes, report);
  });
}

// ip, branch flags, registers, two stores, four loads.
std::string
instruction(uint64_t ip, const std::vector<uint64_t>& stores, const std::vector<uint64_t>& loads) {
  std::string out = little(ip, 8) + std::string(8, '\1');
  for (size_t i = 0; i < 2; ++i)
    out += little(i < stores.size() ? stores[i] : 0, 8);
  for (size_t i = 0; i < 4; ++i)
    out += little(i < loads.size() ? loads[i] : 0, 8);
  return out;
}

TEST(ChampSim, EachInstructionIsAFetchAndItsOperands) {
  base::ReadReport report;
  program::TraceFacts facts;
  const auto all = read_trace(
      "champsim",
      instruction(0x400000, {0x1000}, {0x2000, 0x3000}) + instruction(0x400004, {}, {}) +
          instruction(0x400008, {1, 2}, {3, 4, 5, 6}) + "cut",
      report,
      &facts);
  ASSERT_EQ(all.size(), 4U + 1 + 7);
  EXPECT_EQ(facts.time_unit, "instructions");
  EXPECT_EQ(report.taken, 12U);
  EXPECT_EQ(report.reasons["the last instruction record is cut off"], 1U);
  EXPECT_EQ(all[0].type, AccessType::Fetch);
  EXPECT_EQ(all[1].type, AccessType::Store);
  EXPECT_EQ(all[1].address, 0x1000U);
  EXPECT_EQ(all[2].type, AccessType::Load);
  EXPECT_EQ(all[3].pc, 0x400000U);
  EXPECT_EQ(all[4].cycle, 2U);
  EXPECT_EQ(all[11].cycle, 3U);
}

std::string deflated(const std::string& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 100, '\0');
  std::string in = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = uInt(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string member(const std::string& bytes, uint16_t flags = 0, uint16_t method = 8) {
  const std::string packed = deflated(bytes);
  const std::string name = "chunk.0000";
  return "PK\x03\x04" + little(20, 2) + little(flags, 2) + little(method, 2) + little(0, 4) + little(0, 4) +
         little(packed.size(), 4) + little(bytes.size(), 4) + little(name.size(), 2) + little(0, 2) + name +
         packed;
}

std::string entry(uint16_t type, uint16_t size, uint64_t address) {
  return little(type, 2) + little(size, 2) + little(address, 8);
}

TEST(DrMemTrace, MarkersGiveTimeCpuThreadAndLineToWhatFollows) {
  const std::string records = entry(24, 0, 4711) + entry(22, 0, 99) + entry(28, 10, 128) +
                              entry(28, 2, 1000) + entry(28, 3, 5) + entry(10, 4, 0x400000) +
                              entry(0, 8, 0x7000) + entry(1, 300, 0x7008) + entry(28, 2, 2000) +
                              entry(2, 4, 0x7010) + entry(99, 4, 1) + entry(48, 2, 0x400010);
  // Records lie across the members of the zip.
  base::ReadReport report;
  program::TraceFacts facts;
  const auto all =
      read_trace("drmemtrace", member(records.substr(0, 50)) + member(records.substr(50)), report, &facts);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(facts.line_bytes, 128U);
  EXPECT_EQ(facts.time_unit, "us");
  EXPECT_EQ(all[0].type, AccessType::Fetch);
  EXPECT_EQ(all[1].type, AccessType::Load);
  EXPECT_EQ(all[1].pc, 0x400000U);
  EXPECT_EQ(all[1].size, 8);
  EXPECT_EQ(all[1].cycle, 1000U);
  EXPECT_EQ(all[1].cpu, 5);
  EXPECT_EQ(all[1].thread, 99U);
  EXPECT_EQ(all[1].process, 1);
  EXPECT_EQ(all[2].type, AccessType::Store);
  EXPECT_EQ(all[2].size, 0);  // more than a byte says
  EXPECT_EQ(all[3].type, AccessType::Prefetch);
  EXPECT_EQ(all[3].cycle, 2000U);
  EXPECT_EQ(all[4].type, AccessType::Fetch);
}

TEST(DrMemTrace, DamageIsSaid) {
  const std::string whole = member(entry(0, 8, 0x7000));
  base::ReadReport report;
  EXPECT_EQ(read_trace("drmemtrace", member(entry(0, 8, 0x7000) + "cut"), report).size(), 1U);
  EXPECT_EQ(report.reasons["the last record is cut off"], 1U);
  EXPECT_THAT(error_of("drmemtrace", whole.substr(0, whole.size() - 3)), HasSubstr("the zip is cut off"));
  EXPECT_THAT(error_of("drmemtrace", whole.substr(0, 16)), HasSubstr("the zip is cut off"));
  EXPECT_THAT(error_of("drmemtrace", member("x", 8)), HasSubstr("not plainly deflated"));
  EXPECT_THAT(error_of("drmemtrace", member("x", 0, 0)), HasSubstr("not plainly deflated"));
  std::string broken = whole;
  broken[40] = '\xff';  // a block of a kind that there is not
  EXPECT_THAT(error_of("drmemtrace", broken), HasSubstr("damaged"));
  EXPECT_THAT(
      base::test::error_of([&] {
        open_foreign("drmemtrace", "/x/cpu_schedule.bin.zip", "", report);
      }),
      HasSubstr("which thread ran when"));
}

std::string request(uint64_t tick, bool store, uint64_t address, uint64_t who) {
  return packet({{1, tick}, {2, store ? 4 : 1}, {3, address}, {4, 8}, {6, who}});
}
std::string response(uint64_t tick, bool store, uint64_t address, uint64_t who) {
  return packet({{1, tick}, {2, store ? 5 : 2}, {3, address}, {6, who}});
}

// Requests and answers in random order of the bus: each request leaves in its order with its own latency.
TEST(Gem5, AnswersFindTheirRequestsInAnyOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "gem5");
    std::multimap<uint64_t, std::string> packets;
    std::vector<std::pair<uint64_t, uint32_t>> expected;  // tick, latency
    for (uint64_t i = 0; i < 50; ++i) {
      const uint64_t tick = 1000 * (i + 1);
      const bool store = rng.below(2);
      const uint64_t who = rng.below(4);
      const bool answered = rng.below(8) > 0;
      const auto latency = uint32_t(1 + rng.below(20000));
      packets.emplace(tick, request(tick, store, 64 * i, who));
      if (answered)
        packets.emplace(tick + latency, response(tick + latency, store, 64 * i, who));
      expected.emplace_back(tick, answered ? latency : AccessRecord::kNoLatency);
    }
    std::string text = "gem5" + packet({{2, 0}, {3, 1'000'000'000'000}});
    for (const auto& [tick, bytes] : packets)
      text += bytes;
    base::ReadReport report;
    program::TraceFacts facts;
    const auto all = read_trace("gem5", text, report, &facts);
    EXPECT_EQ(facts.time_unit, "ps");
    EXPECT_EQ(report.skipped, 0U);
    ASSERT_EQ(all.size(), expected.size());
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].cycle, expected[i].first) << seed;
      EXPECT_EQ(all[i].latency, expected[i].second) << seed << " " << i;
    }
  }
}

TEST(Gem5, WhatIsNoAccessIsCountedAndDamageIsAnError) {
  const std::string head = "gem5" + packet({{3, 1000}});
  base::ReadReport report;
  program::TraceFacts facts;
  const auto all = read_trace(
      "gem5",
      head + packet({{1, 5}, {2, 40}}) + response(9, false, 0x40, 1) + request(10, false, 0x40, 1) +
          "\x05"
          "ab",
      report,
      &facts);
  EXPECT_EQ(facts.time_unit, "ticks");
  EXPECT_EQ(all.size(), 1U);
  EXPECT_EQ(report.reasons["a packet that is neither read nor write"], 1U);
  EXPECT_EQ(report.reasons["a response without its request"], 1U);
  EXPECT_EQ(report.reasons["the last message is cut off"], 1U);
  EXPECT_THAT(error_of("gem5", "gem"), HasSubstr("does not start with 'gem5'"));
  EXPECT_THAT(
      error_of("gem5", head + "\xff\xff\xff\xff\xff\xff\xff"),
      HasSubstr("a message length is damaged"));
  EXPECT_THAT(error_of("gem5", head + "\xff\xff\x7f"), HasSubstr("longer than 1 MiB"));
  EXPECT_THAT(error_of("gem5", head + "\x01\x07"), HasSubstr("a packet message is damaged"));
  EXPECT_THAT(error_of("gem5", head + "\x02\x08\x80"), HasSubstr("a packet message is damaged"));
}

TEST(Gem5, FieldsOfOtherKindsArePassedOver) {
  std::string body;
  append_varint(body, 9 << 3 | 2);  // a text
  append_varint(body, 3);
  body += "abc";
  append_varint(body, 10 << 3 | 1);  // eight bytes
  body += std::string(8, 'x');
  append_varint(body, 11 << 3 | 5);  // four
  body += std::string(4, 'x');
  append_varint(body, 40 << 3);  // a number nobody asks for
  append_varint(body, 7);
  for (const auto& [field, value] : {std::pair{1, 77}, {2, 1}, {3, 64}, {6, 2}}) {
    append_varint(body, uint64_t(field) << 3);
    append_varint(body, uint64_t(value));
  }
  std::string text = "gem5" + packet({{3, 1}});
  append_varint(text, body.size());
  base::ReadReport report;
  const auto all = read_trace("gem5", text + body, report);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].cycle, 77U);
  EXPECT_EQ(all[0].cpu, 2);
}

// perf.data: one event of the given sample type, then records.
std::string perf_data(
    uint64_t sample_type,
    const std::string& records,
    uint64_t read_format = 0,
    uint64_t branch = 0,
    uint64_t registers = 0) {
  constexpr uint64_t kAttr = 128;
  std::string attr(kAttr, '\0');
  attr.replace(24, 8, little(sample_type, 8));
  attr.replace(32, 8, little(read_format, 8));
  attr.replace(72, 8, little(branch, 8));
  attr.replace(80, 8, little(registers, 8));
  return "PERFILE2" + little(104, 8) + little(kAttr, 8) + little(104, 8) + little(kAttr, 8) + little(232, 8) +
         little(records.size(), 8) + std::string(48, '\0') + attr + records;
}

std::string perf_record(uint32_t type, const std::string& body) {
  return little(type, 4) + little(0, 2) + little(8 + body.size(), 2) + body;
}

std::string words(std::initializer_list<uint64_t> values) {
  std::string out;
  for (const uint64_t value : values)
    out += little(value, 8);
  return out;
}

constexpr uint64_t kIp = 1, kTid = 2, kTime = 4, kAddr = 8, kRead = 16, kCpu = 128, kBranch = 1 << 11,
                   kRegisters = 1 << 12, kStack = 1 << 13, kWeight = 1 << 14;

// Each optional field is written with its real length: were it skipped by a word too many or too few, the
// weight behind it would be another.
TEST(PerfData, FieldsBetweenAreSkippedByTheirLength) {
  struct Case {
    uint64_t bit;
    std::string field;
    uint64_t read_format = 0;
    uint64_t branch = 0;
    uint64_t registers = 0;
  };
  const Case cases[] = {
      {0, ""},
      {kRead, words({1}), 0},
      {kRead, words({1, 2, 3, 4}), 1 | 2 | 4},            // value, enabled, running, id
      {kRead, words({2, 9, 1, 2, 3, 4}), 1 | 4 | 8},      // group of two: count, enabled, pairs
      {kRead, words({2, 1, 2, 3, 4, 5, 6}), 4 | 8 | 16},  // with what was lost
      {kBranch, words({2, 1, 2, 3, 4, 5, 6})},
      {kBranch, words({1, 7, 1, 2, 3}), 0, 1 << 17},  // with the index of the hardware
      {kBranch, words({1, 1, 2, 3, 8}), 0, 1 << 19},  // with counters
      {kRegisters, words({0})},
      {kRegisters, words({2, 1, 2, 3}), 0, 0, 0b10101},
      {kStack, words({0})},
      {kStack, words({16, 1, 2, 16})}};
  for (size_t i = 0; i < std::size(cases); ++i) {
    const Case& c = cases[i];
    const uint64_t type = kIp | kTime | kAddr | kCpu | kWeight | c.bit;
    const std::string sample = perf_record(9, words({0x400000, 100, 0x7000, 3}) + c.field + words({55}));
    base::ReadReport report;
    const auto all =
        read_trace("perf.data", perf_data(type, sample, c.read_format, c.branch, c.registers), report);
    ASSERT_EQ(all.size(), 1U) << i;
    EXPECT_EQ(all[0].latency, 55U) << i;
    EXPECT_EQ(all[0].address, 0x7000U) << i;
  }
}

TEST(PerfData, MappingsAndNamesOfProcessesGoToTheFacts) {
  const auto padded = [](std::string name) {
    name.resize((name.size() + 8) / 8 * 8, '\0');
    return name;
  };
  const std::string mmap = words({uint64_t{7} << 32 | 7, 0x1000, 0x2000, 0x10}) + padded("/bin/a");
  const std::string mmap2 = words({uint64_t{7} << 32 | 7, 0x8000, 0x1000, 0, 0, 0, 0, 0}) + padded("/lib/b");
  const std::string kernel = words({UINT64_MAX, 0x9000, 0x1000, 0}) + padded("[kernel]");
  const std::string name = words({uint64_t{7} << 32 | 7}) + padded("prog");
  const std::string sample = words({0x1100, uint64_t{8} << 32 | 7, 50, 0x7000, 0});
  base::ReadReport report;
  program::TraceFacts facts;
  const auto all = read_trace(
      "perf.data",
      perf_data(
          kIp | kTid | kTime | kAddr | kCpu,
          perf_record(1, mmap) + perf_record(10, mmap2) + perf_record(1, kernel) + perf_record(3, name) +
              perf_record(9, sample)),
      report,
      &facts);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].process, 1);
  EXPECT_EQ(all[0].thread, 8U);
  EXPECT_EQ(facts.time_unit, "ns");
  EXPECT_EQ(report.skipped, 0U);
}

TEST(PerfData, WhatCannotBeReadIsSaidWithWhatToDo) {
  const std::string sample = perf_record(9, words({0x400000, 100, 0x7000, 3}));
  const uint64_t type = kIp | kTime | kAddr | kCpu;
  EXPECT_THAT(error_of("perf.data", "2ELIFREP" + std::string(8, '\0')), HasSubstr("perf script"));
  EXPECT_THAT(error_of("perf.data", "PERFILE"), HasSubstr("is no perf.data"));
  std::string damaged = perf_data(type, sample);
  damaged.replace(16, 8, little(4, 8));  // attributes of four bytes
  EXPECT_THAT(error_of("perf.data", damaged), HasSubstr("the header of the perf.data is damaged"));
  EXPECT_THAT(error_of("perf.data", perf_data(type, perf_record(81, "12345678"))), HasSubstr("without -z"));
  const auto reason = [](uint64_t bits, const std::string& records) {
    return test::skip_of("perf.data", perf_data(bits, records));
  };
  EXPECT_EQ(reason(type, sample), "");
  EXPECT_THAT(reason(kIp | kAddr | kCpu, sample), HasSubstr("--sample-cpu"));
  EXPECT_THAT(reason(kIp | kTime | kCpu, sample), HasSubstr("no data address: record with"));
  EXPECT_EQ(
      reason(type, perf_record(9, words({0x400000, 100, 0x7000}))),
      "a sample is shorter than its fields");
  EXPECT_EQ(
      reason(type, perf_record(9, words({0x400000, 100, 0x7000, 0xffff}))),
      "the CPU number is too large");
  EXPECT_EQ(reason(type, perf_record(9, words({0x400000, 100, 0, 3}))), "no data address");
  EXPECT_THAT(
      reason(type, perf_record(71, words({16})) + std::string(16, 'x') + sample),
      HasSubstr("perf inject"));
}

TEST(PerfData, RoundsGiveTheOrderOfTimeWhateverTheOrderOfTheFile) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    base::Rng rng(seed, "rounds");
    std::string records;
    uint64_t newest = 0;
    uint64_t low = 0;
    size_t count = 0;
    for (int round = 0; round < 6; ++round) {
      const uint64_t before = newest;
      for (uint64_t i = 0; i < rng.below(20); ++i) {
        const uint64_t time =
            low + 1 + rng.below(100);  // nothing older than the newest of the round before last
        newest = std::max(newest, time);
        records += perf_record(9, words({0x400000, time, 0x7000, rng.below(4)}));
        ++count;
      }
      records += perf_record(68, "");
      low = before;
    }
    base::ReadReport report;
    const auto all = read_trace("perf.data", perf_data(kIp | kTime | kAddr | kCpu, records), report);
    ASSERT_EQ(all.size(), count);
    for (size_t i = 1; i < all.size(); ++i)
      EXPECT_LE(all[i - 1].cycle, all[i].cycle) << seed;
  }
}

// perf script: the same sample, told in the ways of several versions.
TEST(PerfScript, TheSameSampleInManySpellings) {
  const std::string head = "my prog  4711/4712 [003] 12.000345: ";
  const std::string source = " 668100842 |OP LOAD|LVL L3 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A ";
  for (const char* line :
       {"cpu/mem-loads,ldlat=30/P: 7f0000001000",
        "1000 cpu/mem-loads,ldlat=30/P:     7f0000001000",
        "1000 cpu/mem-loads:ppp:     7f0000001000"}) {
    base::ReadReport report;
    program::TraceFacts facts;
    const auto all =
        read_trace("perf", head + line + source + "   47   0  401156 main+0x16 (/bin/a)\n", report, &facts);
    ASSERT_EQ(all.size(), 1U) << line;
    EXPECT_EQ(all[0].cpu, 3);
    EXPECT_EQ(all[0].cycle, 12'000'345'000U);
    EXPECT_EQ(all[0].thread, 4712U);
    EXPECT_EQ(all[0].process, 1);
    EXPECT_EQ(all[0].address, 0x7f0000001000U);
    EXPECT_EQ(all[0].latency, 47U) << line;
    EXPECT_EQ(all[0].pc, 0x401156U) << line;
    EXPECT_EQ(all[0].type, AccessType::Load);
    EXPECT_EQ(facts.period, line[0] == '1' ? 1000 : 0);
  }
}

TEST(PerfScript, PlainEventsHaveAnAddressAndACodeAddress) {
  base::ReadReport report;
  const auto all = read_trace(
      "perf",
      "a 5 [000] 1.5: mem:0x404080:rw: 404080 40115c main+0x6\na 5 [001] 1.25: mem:0x404080:w: 404084 "
      "401160\n"
      "a 5 [001] 1.000000001: page-faults: 7f00 40 x\n",
      report);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].cycle, 1'500'000'000U);
  EXPECT_EQ(all[0].type, AccessType::Load);
  EXPECT_EQ(all[1].type, AccessType::Store);
  EXPECT_EQ(all[1].pc, 0x401160U);
  EXPECT_EQ(all[2].cycle, 1'000'000'001U);
  EXPECT_EQ(all[0].thread, 5U);
  EXPECT_EQ(all[0].process, 0);  // a thread without its process
}

TEST(PerfScript, EachReasonIsSaidForItsOwnFault) {
  const auto reason = [](const char* line) {
    return test::skip_of("perf", std::string(line) + "\n");
  };
  EXPECT_THAT(reason("a 5 1.5: mem: 10 20"), HasSubstr("no CPU and time"));
  EXPECT_THAT(reason("a 5 [65535] 1.5: mem: 10 20"), HasSubstr("no CPU and time"));
  EXPECT_EQ(reason("a 5 [000] 1: mem: 10 20"), "no time");
  EXPECT_EQ(reason("a 5 [000] 1.5x: mem: 10 20"), "no time");
  EXPECT_EQ(reason("a 5 [000] 1.5: mem 10 20"), "no event");
  EXPECT_EQ(
      reason("a 5 [000] 1.5: mem: zz 20"),
      "no data address: record with perf mem record, or print addr");
  EXPECT_EQ(reason("a 5 [000] 1.5: l1d-access: 10 20"), "one operation seen again as another event");
  EXPECT_EQ(reason("a 5 [000] 1.5: mem: 10 zz|OP LOAD| 20"), "no data_src");
  EXPECT_EQ(reason("a 5 [000] 1.5: mem: 10 20"), "");
}

}  // namespace
}  // namespace lento::memory
