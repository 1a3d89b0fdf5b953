// Names for addresses by hand: ranges, processes, maps; and the facts of a trace as text.
#include "program/address_space.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/test_error.h"

namespace lento::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string code_at(const AddressSpace& space, uint16_t process, uint64_t pc) {
  const Symbol* symbol = space.function_at(process, pc);
  return symbol ? symbol->name : "";
}

TEST(AddressSpace, RangesHoldTheirFirstByteAndNotTheirEnd) {
  AddressSpace space;
  EXPECT_TRUE(space.empty());
  space.add_code({0, 0x1000, 0x1010, "work", ""});
  EXPECT_FALSE(space.empty());
  EXPECT_EQ(code_at(space, 0, 0xfff), "");
  EXPECT_EQ(code_at(space, 0, 0x1000), "work");
  EXPECT_EQ(code_at(space, 0, 0x100f), "work");
  EXPECT_EQ(code_at(space, 0, 0x1010), "");
}

TEST(AddressSpace, ProcessesHaveTheirOwnAndShareWhatIsOfNone) {
  AddressSpace space;
  space.add_code({1, 0x1000, 0x2000, "first", ""});
  space.add_code({2, 0x1000, 0x2000, "second", ""});
  space.add_code({0, 0x5000, 0x6000, "kernel", ""});
  EXPECT_EQ(code_at(space, 1, 0x1800), "first");
  EXPECT_EQ(code_at(space, 2, 0x1800), "second");
  EXPECT_EQ(code_at(space, 3, 0x1800), "");
  for (const uint16_t process : {0, 1, 2, 3})
    EXPECT_EQ(code_at(space, process, 0x5800), "kernel");
}

TEST(AddressSpace, DataIsDescribedWithSiteAndDistance) {
  AddressSpace space;
  space.add_data({0, 0x4000, 0x4040, "counters", ""});
  space.add_data({0, 0x8000, 0x8040, "block of 64 bytes", "pool.c:12"});
  EXPECT_EQ(space.describe(0, 0x4000), "counters");
  EXPECT_EQ(space.describe(0, 0x4008), "counters +8");
  EXPECT_EQ(space.describe(0, 0x8010), "block of 64 bytes from pool.c:12 +16");
  EXPECT_EQ(space.describe(0, 0x9000), "");
  DataObject object;
  ASSERT_TRUE(space.object_at(0, 0x8010, object));
  EXPECT_EQ(object.name, "block of 64 bytes");
  EXPECT_EQ(object.site, "pool.c:12");
  EXPECT_EQ(object.low, 0x8000u);
  EXPECT_EQ(object.high, 0x8040u);
  EXPECT_FALSE(space.object_at(0, 0x9000, object));
}

TEST(AddressSpace, SourcesOfMadeCodeAreFrames) {
  AddressSpace space;
  space.add_source({0, 0x1000, 0x1008, "loop", "a.js", 7});
  const auto frames = space.frames(0, 0x1004);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "loop");
  EXPECT_EQ(frames[0].file, "a.js");
  EXPECT_EQ(frames[0].line, 7);
  EXPECT_TRUE(space.frames(0, 0x1008).empty());
}

TEST(AddressSpace, ProcessesAreNamedByPidAndProgram) {
  AddressSpace space;
  space.note_process(3, 4711, "");
  EXPECT_EQ(space.process_name(3), "pid 4711");
  space.note_process(3, 4711, "server");
  space.note_process(3, 4712, "");  // a name once known stays
  EXPECT_EQ(space.process_name(3), "pid 4712 (server)");
  EXPECT_EQ(space.process_name(4), "");
}

TEST(PerfMap, LinesAreStartSizeName) {
  AddressSpace space;
  space.read_perf_map("1000 10 add int\n\n2000 8 loop\n", 5, "perf-5.map");
  EXPECT_EQ(code_at(space, 5, 0x100f), "add int");
  EXPECT_EQ(code_at(space, 5, 0x2000), "loop");
  EXPECT_EQ(code_at(space, 6, 0x2000), "");
  for (const char* bad : {"1000 10", "xyz 10 a", "1000 zz a", "ffffffffffffffff 2 a", "name"}) {
    const std::string error = base::test::error_of([&] {
      space.read_perf_map("3000 8 good\n" + std::string(bad) + "\n", 5, "perf-5.map");
    });
    EXPECT_THAT(error, HasSubstr("perf-5.map:2")) << bad;
    EXPECT_THAT(error, HasSubstr("no line of a perf map")) << bad;
  }
}

TEST(Maps, OnlyFilesAreMapped) {
  AddressSpace space;
  space.read_maps(
      "7f00-7f10 rw-p 00000000 00:00 0\n"
      "7f20-7f30 rw-p 00000000 00:00 0 [heap]\n"
      "no line\n",
      1);
  EXPECT_FALSE(space.has_mappings());
  space.read_maps("00400000-00401000 r-xp 00001000 08:01 12 /no/such file\n", 1);
  EXPECT_TRUE(space.has_mappings());
  EXPECT_EQ(code_at(space, 1, 0x400010), "");  // a file that is not there names nothing
  space.add_mapping({1, 0x5000, 0x5000, 0, "/empty", ""});
  EXPECT_THAT(space.text(), HasSubstr("map\t1\t0x400000\t0x401000\t0x1000\t-\t/no/such file\n"));
  EXPECT_THAT(space.text(), ::testing::Not(HasSubstr("/empty")));
}

TEST(Programs, ThatAreNotThereAreErrors) {
  AddressSpace space;
  EXPECT_THROW(space.add_program("/no/such/program"), base::Error);
  EXPECT_THAT(
      base::test::error_of([&] {
        space.add_program("/no/such/program@0xzz");
      }),
      HasSubstr("the load address behind '@' is no hexadecimal number"));
}

TEST(Facts, ComeBackFromTheirText) {
  TraceFacts facts;
  facts.line_bytes = 128;
  facts.time_unit = "ns";
  facts.latency_unit = "ticks";
  facts.period = 1000;
  facts.node_of_cpu = {{0, 0}, {17, 3}};
  facts.programs = {{"abcd", "a program"}};
  facts.names.note_process(2, 99, "tab\tin name");
  facts.names.add_code({2, 0x1000, 0x2000, "work", ""});
  facts.names.add_data({0, 0x4000, 0x5000, "block", "main.c:4"});
  facts.names.add_mapping({2, 0x7000, 0x8000, 0x200, "/lib/x.so", "00ff"});
  const std::string text = write_facts(facts);
  TraceFacts again;
  read_facts(text, again);
  EXPECT_EQ(again.line_bytes, 128u);
  EXPECT_EQ(again.time_unit, "ns");
  EXPECT_EQ(again.latency_unit, "ticks");
  EXPECT_EQ(again.period, 1000);
  EXPECT_EQ(again.node_of_cpu, facts.node_of_cpu);
  EXPECT_THAT(again.programs, ElementsAre(Pair("abcd", "a program")));
  EXPECT_EQ(again.names.process_name(2), "pid 99 (tab in name)");
  EXPECT_EQ(code_at(again.names, 2, 0x1800), "work");
  EXPECT_EQ(again.names.describe(0, 0x4004), "block from main.c:4 +4");
  EXPECT_EQ(write_facts(again), text);
}

TEST(Facts, UnknownKindsAndShortLinesAreHarmless) {
  TraceFacts facts;
  read_facts("colour\tred\nline\nnode\t4\n\nline\t99999999999\n", facts);
  EXPECT_EQ(facts.line_bytes, 4096u);  // the most that is taken
  EXPECT_EQ(facts.node_of_cpu.at(4), 0);
  EXPECT_EQ(facts.time_unit, "cycles");
}

}  // namespace
}  // namespace lento::program
