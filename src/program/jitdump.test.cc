// Code that was made at run time: perf maps and jitdumps name it, with source lines where the compiler told
// them.
#include "program/jitdump.h"

#include <gmock/gmock.h>

#include "base/test_error.h"

namespace lento::program {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Dump {
 public:
  Dump() {
    number(0x4A695444, 4)
        .number(1, 4)
        .number(40, 4)
        .number(62, 4)
        .number(0, 4)
        .number(77, 4)
        .number(0, 8)
        .number(0, 8);
  }
  Dump& number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i)
      bytes_ += char(value >> (8 * i));
    return *this;
  }
  Dump& text(const std::string& text) {
    bytes_ += text;
    bytes_ += '\0';
    return *this;
  }
  Dump& record(uint32_t kind, const Dump& body) {
    const std::string content = body.bytes_.substr(40);
    number(kind, 4).number(16 + content.size(), 4).number(0, 8);
    bytes_ += content;
    return *this;
  }
  Dump& load(uint64_t address, uint64_t size, uint64_t index, const std::string& name) {
    Dump body;
    body.number(77, 4)
        .number(78, 4)
        .number(0, 8)
        .number(address, 8)
        .number(size, 8)
        .number(index, 8)
        .text(name);
    return record(0, body.text("code"));
  }
  Dump& move(uint64_t from, uint64_t to, uint64_t size, uint64_t index) {
    Dump body;
    body.number(77, 4).number(78, 4).number(0, 8).number(from, 8).number(to, 8).number(size, 8).number(
        index,
        8);
    return record(1, body);
  }
  Dump& line(uint64_t address, int line, uint64_t next, int next_line) {
    Dump body;
    body.number(address, 8).number(2, 8);
    body.number(address, 8).number(uint64_t(line), 4).number(0, 4).text("Sum.java");
    body.number(next, 8).number(uint64_t(next_line), 4).number(0, 4).text("Sum.java");
    return record(2, body);
  }
  const std::string& bytes() const {
    return bytes_;
  }

 private:
  std::string bytes_;
};

std::string name_at(const AddressSpace& names, uint64_t pc) {
  const Symbol* symbol = names.function_at(0, pc);
  return symbol ? symbol->name : "";
}

TEST(Jitdump, CodeIsNamedFromItsFirstToItsLastByte) {
  AddressSpace names;
  read_jitdump(
      Dump().load(0x1000, 0x80, 1, "Sum.add()").load(0x2000, 0x10, 2, "Sum.get()").bytes(),
      0,
      "j",
      names);
  EXPECT_EQ(name_at(names, 0xfff), "");
  EXPECT_EQ(name_at(names, 0x1000), "Sum.add()");
  EXPECT_EQ(name_at(names, 0x107f), "Sum.add()");
  EXPECT_EQ(name_at(names, 0x1080), "");
  EXPECT_EQ(name_at(names, 0x2008), "Sum.get()");
}

TEST(Jitdump, LinesHoldToTheNextOneAndToTheEndOfTheCode) {
  AddressSpace names;
  read_jitdump(Dump().line(0x1000, 12, 0x1010, 13).load(0x1000, 0x80, 1, "Sum.add()").bytes(), 0, "j", names);
  const auto first = names.frames(0, 0x100f);
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].line, 12);
  EXPECT_EQ(first[0].file, "Sum.java");
  EXPECT_EQ(first[0].function, "Sum.add()");
  const auto last = names.frames(0, 0x107f);
  ASSERT_THAT(last, SizeIs(1));
  EXPECT_EQ(last[0].line, 13);
  EXPECT_THAT(names.frames(0, 0x1080), IsEmpty());
}

TEST(Jitdump, LinesOfOtherCodeAreNotTaken) {
  AddressSpace names;
  read_jitdump(
      Dump().line(0x9000, 12, 0x9010, 13).load(0x1000, 0x80, 1, "a").load(0x9000, 0x80, 2, "b").bytes(),
      0,
      "j",
      names);
  EXPECT_THAT(names.frames(0, 0x9000), IsEmpty());
}

TEST(Jitdump, MovedCodeKeepsItsName) {
  AddressSpace names;
  read_jitdump(Dump().load(0x1000, 0x80, 7, "hot").move(0x1000, 0x5000, 0x80, 7).bytes(), 0, "j", names);
  EXPECT_EQ(name_at(names, 0x5010), "hot");
  read_jitdump(Dump().move(0x1000, 0x8000, 0x80, 9).bytes(), 0, "j", names);
  EXPECT_EQ(name_at(names, 0x8010), "");
}

TEST(Jitdump, ACutDumpGivesWhatIsWhole) {
  const std::string whole = Dump().load(0x1000, 0x80, 1, "a").load(0x2000, 0x80, 2, "b").bytes();
  AddressSpace names;
  read_jitdump(whole.substr(0, whole.size() - 1), 0, "j", names);
  EXPECT_EQ(name_at(names, 0x1000), "a");
  EXPECT_EQ(name_at(names, 0x2000), "");
}

TEST(Jitdump, OtherFilesAreRefused) {
  AddressSpace names;
  const auto error = [&](const std::string& bytes) {
    return base::test::error_of([&] {
      read_jitdump(bytes, 0, "some.dump", names);
    });
  };
  EXPECT_FALSE(is_jitdump("1000 80 name\n"));
  EXPECT_TRUE(is_jitdump(Dump().bytes()));
  EXPECT_THAT(error("JiTD" + std::string(36, '\0')), HasSubstr("other byte order"));
  EXPECT_THAT(error("1000 80 name\n"), HasSubstr("some.dump"));
  EXPECT_THAT(error(Dump().bytes().substr(0, 39)), HasSubstr("no jitdump"));
}

TEST(PerfMap, LinesNameRangesAndBlanksBelongToNames) {
  AddressSpace names;
  names.read_perf_map("1000 80 LFoo; bar(int, int)\n2000 10 stub\n\n", 0, "perf-1.map");
  EXPECT_EQ(name_at(names, 0x1000), "LFoo; bar(int, int)");
  EXPECT_EQ(name_at(names, 0x107f), "LFoo; bar(int, int)");
  EXPECT_EQ(name_at(names, 0x1080), "");
  EXPECT_EQ(name_at(names, 0x200f), "stub");
}

TEST(PerfMap, LaterCodeAtTheSamePlaceWins) {
  AddressSpace names;
  names.read_perf_map("1000 80 first\n1000 40 second\n", 0, "perf-1.map");
  EXPECT_EQ(name_at(names, 0x1010), "second");
  EXPECT_EQ(name_at(names, 0x1050), "first");
}

TEST(PerfMap, BrokenLinesSayWhere) {
  for (const char* text :
       {"1000 80 a\nxyz 10 b\n", "1000 80 a\n1000\n", "1000 80 a\n1000 ffffffffffffffff b\n"}) {
    AddressSpace names;
    EXPECT_THAT(
        base::test::error_of([&] {
          names.read_perf_map(text, 0, "perf-1.map");
        }),
        HasSubstr("perf-1.map:2"))
        << text;
  }
}

}  // namespace
}  // namespace lento::program
