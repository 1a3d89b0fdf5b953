// The paper's text, lackey's and MemAxes' tables: every reason for a skip, and what stands for what is
// missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/test_error.h"
#include "memory/read/test_accesses.h"

namespace lento::memory {
namespace {

using test::read_trace;
using test::skip_of;
using testing::HasSubstr;

TEST(PaperText, RandomRecordsInRandomColumnOrders) {
  const std::vector<std::string> names = {"cpu", "cycle", "pc", "type", "address", "latency", "-"};
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    base::Rng rng(seed, "paper");
    std::vector<std::string> order = names;
    for (size_t i = order.size(); i-- > 1;)
      std::swap(order[i], order[rng.below(i + 1)]);
    std::string columns;
    for (const std::string& name : order)
      columns += (columns.empty() ? "" : ",") + name;
    std::vector<AccessRecord> expected;
    std::string text = "# a comment\n\n";
    for (int i = 0; i < 20; ++i) {
      AccessRecord r;
      r.cpu = uint16_t(rng.below(64));
      r.cycle = rng.next() >> 1;
      r.pc = rng.next();
      r.type = static_cast<AccessType>(rng.below(kAccessTypes));
      r.address = rng.next();
      r.latency = uint32_t(rng.below(1 << 20));
      expected.push_back(r);
      const auto hex = [&](uint64_t value) {
        char digits[32];
        std::snprintf(
            digits,
            sizeof digits,
            rng.below(2) ? "0x%lx" : "%lx",
            static_cast<unsigned long>(value));
        return std::string(digits);
      };
      for (const std::string& name : order) {
        const std::string cell = name == "cpu"       ? std::to_string(r.cpu)
                                 : name == "cycle"   ? std::to_string(r.cycle)
                                 : name == "pc"      ? hex(r.pc)
                                 : name == "type"    ? to_string(r.type)
                                 : name == "address" ? hex(r.address)
                                 : name == "latency" ? std::to_string(r.latency)
                                                     : "anything";
        text += cell + (rng.below(2) ? " " : "\t ");
      }
      text += "\n";
    }
    base::ReadReport report;
    EXPECT_EQ(read_trace("paper", text, report, nullptr, columns), expected) << columns;
    EXPECT_EQ(report.skipped, 0U);
  }
}

TEST(PaperText, ReasonsAndColumnsThatAreNone) {
  EXPECT_EQ(skip_of("paper", "1 2 3 load 4 5\n"), "");
  EXPECT_EQ(skip_of("paper", "1 2 3 load 4\n"), "the number of columns differs from the column map");
  EXPECT_EQ(skip_of("paper", "1 2 3 push 4 5\n"), "unknown access type");
  EXPECT_EQ(skip_of("paper", "x 2 3 load 4 5\n"), "a column is no number");
  EXPECT_EQ(skip_of("paper", "65535 2 3 load 4 5\n"), "the CPU number is too large");
  base::ReadReport report;
  EXPECT_THAT(
      base::test::error_of([&] {
        read_trace("paper", "1\n", report, nullptr, "cpu,cykle");
      }),
      testing::AllOf(HasSubstr("'cykle' is not a column"), HasSubstr("cycle")));
  const auto endless = read_trace("paper", "1 2 3 load 4 99999999999\n", report);
  EXPECT_EQ(endless.at(0).latency, UINT32_MAX - 1);  // known, and not the mark of what is not
}

TEST(Lackey, OrderIsTheTimeAndInstructionsGiveTheirAddress) {
  base::ReadReport report;
  program::TraceFacts facts;
  const auto all = read_trace(
      "lackey",
      "==12== Lackey\nI  04001000,3\n L 1ffeffe7e,8\n S 0421a000,4\nI  04001003,5\n M 0421b000,4\nx\n L "
      "zz,4\n L 10,256\n"
      " Q 10,4\n",
      report,
      &facts);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(facts.time_unit, "instructions");
  EXPECT_EQ(all[0].type, AccessType::Fetch);
  EXPECT_EQ(all[1].pc, 0x04001000U);
  EXPECT_EQ(all[1].address, 0x1ffeffe7eU);
  EXPECT_EQ(all[1].size, 8);
  EXPECT_EQ(all[2].type, AccessType::Store);
  EXPECT_EQ(all[4].type, AccessType::Atomic);
  EXPECT_EQ(all[4].pc, 0x04001003U);
  EXPECT_EQ(all[4].cycle, all[1].cycle + 1);
  EXPECT_EQ(report.reasons["no lackey line"], 2U);
  EXPECT_EQ(report.reasons["no address and size"], 2U);
}

const std::string kAxes = "time,cpu,latency";

TEST(MemAxes, SamplesAreSortedByTimeAndCpu) {
  base::ReadReport report;
  const auto all = read_trace("memaxes", kAxes + "\nff,1,10\n1f,0,20\nff,0,30\n", report);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].cycle, 0x1fU);
  EXPECT_EQ(all[1].cpu, 0);
  EXPECT_EQ(all[2].cpu, 1);
  EXPECT_EQ(all[2].latency, 10U);
  for (const AccessRecord& r : all)
    EXPECT_TRUE(r.flags & AccessRecord::kSampled);
}

TEST(MemAxes, NamesStandForTheAddressesThatAreMissing) {
  base::ReadReport report;
  program::TraceFacts facts;
  const auto all = read_trace(
      "memaxes",
      kAxes +
          ",variable,index,source,line\n1,0,5,a,0,f.cc,10\n2,0,5,a,3,f.cc,11\n3,0,5,b,0,g.cc,10\n4,0,5,a,0,f."
          "cc,10\n",
      report,
      &facts);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].address - all[0].address, 24U);  // eight bytes an element
  EXPECT_GE(all[2].address - all[0].address, uint64_t{1} << 32);
  EXPECT_EQ(all[3].address, all[0].address);
  EXPECT_EQ(all[3].pc, all[0].pc);
  EXPECT_NE(all[1].pc, all[0].pc);
  EXPECT_NE(all[2].pc, all[0].pc);
}

TEST(MemAxes, LevelsAreWordsWhereTheFileHasThem) {
  base::ReadReport report;
  const auto all = read_trace(
      "memaxes",
      kAxes +
          ",level,hit_type,op_type,node,tid\n1,0,5,L1,Hit,Load,0,7\n2,0,5,LFB,Hit,Load,1,7\n3,0,5,L2,Hit,"
          "Store,1,7\n"
          "4,0,5,L3,Hit,Load,1,7\n5,0,5,Local RAM,Hit,Load,1,7\n6,0,5,Remote RAM 1 Hop,Hit,Load,1,7\n"
          "7,0,5,L3,HITM,Load,1,7\n8,0,5,Remote Cache 1 Hops,HITM,Load,1,7\n9,0,5,Uncached,Hit,Load,1,7\n",
      report);
  const Service expected[] = {
      Service::L1,
      Service::Buffer,
      Service::L2,
      Service::L3,
      Service::LocalMemory,
      Service::RemoteMemory,
      Service::LocalPeer,
      Service::RemotePeer,
      Service::Unknown};
  ASSERT_EQ(all.size(), std::size(expected));
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].service, expected[i]) << i;
  EXPECT_EQ(all[2].type, AccessType::Store);
  EXPECT_EQ(all[1].node, 1);
  EXPECT_EQ(all[1].thread, 7U);
  EXPECT_TRUE(all[0].trivial());
  EXPECT_FALSE(all[8].flags & AccessRecord::kServiceKnown);
}

// 18 is the line fill buffer in decimal digits, main memory of another node in hexadecimal ones.
TEST(MemAxes, OneCellThatIsNoNumberDoesNotChangeTheBaseOfAll) {
  base::ReadReport report;
  const auto all = read_trace("memaxes", kAxes + ",dataSource\n1,0,9,18\n2,0,9,N/A\n3,0,9,-\n", report);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].service, Service::Buffer);
  EXPECT_EQ(all[1].service, Service::Unknown);
  const auto hex = read_trace("memaxes", kAxes + ",dataSource\n1,0,9,18\n2,0,9,1b\n", report);
  EXPECT_EQ(hex.at(0).service, Service::RemoteMemory);
}

TEST(MemAxes, RowsAndHeadsThatLackWhatARecordNeeds) {
  EXPECT_EQ(skip_of("memaxes", kAxes + "\nzz,0,1\n"), "time, cpu or latency is no number");
  EXPECT_EQ(skip_of("memaxes", kAxes + "\n1,65535,1\n"), "time, cpu or latency is no number");
  EXPECT_EQ(skip_of("memaxes", kAxes + "\n1,0,4294967295\n"), "time, cpu or latency is no number");
  base::ReadReport report;
  EXPECT_THAT(
      base::test::error_of([&] {
        read_trace("memaxes", "time,cpus,latency\n1,0,1\n", report);
      }),
      HasSubstr("cpu"));
}

TEST(Foreign, EveryFormatIsRecognisedByWhatItIs) {
  const std::pair<std::string, std::string> known[] = {
      {"# lento.access/1\n", "text"},
      {"PERFILE2", "perf.data"},
      {"2ELIFREP", "perf.data"},
      {"gem5", "gem5"},
      {"PK\x03\x04", "drmemtrace"},
      {"time,cpu,latency\n", "memaxes"},
      {"a.out 12/12 [003] 1.5: mem: 10 20\n", "perf"},
      {"I  04001000,3\n", "lackey"},
      {"==1== x\n S 04,3\n", "lackey"},
      {"1 212305 0x10009d60 fetch 0x10009d60 28\n", "paper"},
      {"# of Tuesday\n\n1 212305 0x10009d60 fetch 0x10009d60 28\n", "paper"},
      {"  Trace Event Information\n", "c2c"}};
  for (const auto& [bytes, format] : known)
    EXPECT_EQ(recognise_foreign(test::write_trace("kind", bytes)), format) << bytes;
  EXPECT_EQ(recognise_foreign(test::write_trace("x.champsim", std::string(64, '\0'))), "champsim");
  EXPECT_THROW(recognise_foreign(test::write_trace("kind", "hello\n")), base::Error);
}

TEST(Foreign, FormatsThatAreNoTracesSayWhatToDo) {
  base::ReadReport report;
  EXPECT_THAT(
      base::test::error_of([&] {
        open_foreign("c2c", "x", "", report);
      }),
      HasSubstr("memory diagnose"));
  EXPECT_THAT(
      base::test::error_of([&] {
        open_foreign("lacky", "x", "", report);
      }),
      HasSubstr("lackey"));
  for (const char* name :
       {"paper", "perf", "perf.data", "memaxes", "gem5", "drmemtrace", "lackey", "champsim", "c2c"})
    EXPECT_THAT(foreign_formats(), HasSubstr(name));
}

}  // namespace
}  // namespace lento::memory
