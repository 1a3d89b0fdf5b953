// `lento memory` as its users call it.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/test_folder.h"
#include "cli/commands/commands.h"

namespace lento::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class MemoryCommand : public base::test::FolderTest {
 protected:
  struct Outcome {
    int code;
    std::string out;
    std::string err;
  };
  static Outcome call(std::vector<std::string> args) {
    args.insert(args.begin(), "memory");
    std::ostringstream out;
    std::ostringstream err;
    const int code = run(program(), args, {out, err});
    return {code, out.str(), err.str()};
  }
};

void put(std::string& bytes, std::initializer_list<uint32_t> words) {
  for (const uint32_t word : words)
    bytes.append(reinterpret_cast<const char*>(&word), 4);
}

// A program at 0x80000000 that stores `value` to the symbol `name` at 0x80001000, then spins.
std::string program(uint32_t value, const std::string& name = "tohost") {
  constexpr uint32_t kHeader = 52;
  constexpr uint32_t kSegment = 32;
  constexpr uint32_t kCode = 16;
  constexpr uint32_t kSymbol = 16;
  constexpr uint32_t kSection = 40;
  constexpr uint32_t at_code = kHeader + kSegment;
  constexpr uint32_t at_symbols = at_code + kCode;
  constexpr uint32_t at_names = at_symbols + 2 * kSymbol;
  constexpr uint32_t at_sections = at_names + 16;
  std::string elf("\177ELF\1\1\1\0\0\0\0\0\0\0\0\0", 16);
  put(elf,
      {2 | 243 << 16,
       1,
       0x80000000,
       kHeader,
       at_sections,
       0,
       kHeader | kSegment << 16,
       1 | kSection << 16,
       3});
  put(elf, {1, at_code, 0x80000000, 0x80000000, kCode, 0x2000, 7, 4});
  put(elf, {0x800012b7, value << 20 | 0x313, 0x0062a023, 0x6f});  // lui t0; li t1; sw t1, (t0); j .
  put(elf, {0, 0, 0, 0, 1, 0x80001000, 4, 0xfff10011});
  std::string names = std::string(1, '\0') + name;
  names.resize(16);
  elf += names;
  put(elf, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  put(elf, {0, 2, 0, 0, at_symbols, 2 * kSymbol, 2, 1, 4, kSymbol});
  put(elf, {0, 3, 0, 0, at_names, 16, 0, 0, 1, 0});
  return elf;
}

TEST_F(MemoryCommand, TohostTellsPassFailAndTheTestNumber) {
  const Outcome pass = call({"simulate", "--tohost", file("pass.elf", program(1))});
  EXPECT_EQ(pass.code, 0) << pass.err;
  EXPECT_EQ(pass.out, "pass\n");
  const Outcome fail = call({"simulate", "--tohost", file("fail.elf", program(7 << 1 | 1))});
  EXPECT_EQ(fail.code, 1);
  EXPECT_EQ(fail.out, "fail 7\n");
}

TEST_F(MemoryCommand, TohostSaysWhenTheProgramCannotEnd) {
  const Outcome nameless = call({"simulate", "--tohost", file("a.elf", program(1, "elsewhere"))});
  EXPECT_EQ(nameless.code, 2);
  EXPECT_THAT(nameless.err, HasSubstr("no symbol 'tohost'"));
  const Outcome endless = call({"simulate", "--tohost", "--max-cycles", "1000", file("b.elf", program(0))});
  EXPECT_EQ(endless.code, 2);
  EXPECT_THAT(endless.err, HasSubstr("no store to tohost within 1000 instructions"));
}

TEST_F(MemoryCommand, ReplayGivesLatenciesThatDiagnoseReads) {
  std::string lines;
  for (int i = 0; i < 400; ++i) {
    std::ostringstream address;
    address << std::hex << 0x1000 + 64 * i;
    lines += "I  04000000,4\n L " + address.str() + ",4\n";
  }
  const std::string trace = file("run.lackey", lines);
  const std::string out = at("run.access");
  const Outcome replay = call({"replay", trace, "--format", "lackey", "-o", out});
  EXPECT_EQ(replay.code, 0) << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("800 accesses took"));
  const Outcome diagnosis = call({"diagnose", out});
  EXPECT_EQ(diagnosis.code, 4) << diagnosis.err;
  EXPECT_THAT(diagnosis.out, HasSubstr("Cannot judge: the trace holds one CPU only"));
  EXPECT_THAT(call({"replay", at("none.access"), "-o", out}).err, HasSubstr("none.access"));
}

// Four CPUs take turns on one word each of a line, or of lines of their own, and miss their caches now and
// then.
std::string sharing(bool shared) {
  std::ostringstream text;
  text << "# lento.access/1\ncpu cycle pc type address latency size flags culprit culprit_pc blamed cause\n";
  for (int i = 0; i < 4000; ++i) {
    const int cpu = i % 4;
    const bool miss = i % 7 == 0;
    const bool own = i % 3 == 0;
    const char* type = i / 4 % 2 ? "store" : "load";
    text << cpu << " " << 10 * i << " 0x1000 " << type << " "
         << (miss || own ? 0x9000 + 64 * cpu : 0x4000 + (shared ? 4 : 64) * cpu);
    if (shared && !miss && !own) {
      text << " 20 4 k " << (cpu + 3) % 4 << " 0x1000 18 coherence\n";
    } else {
      text << (miss ? " 8 4 k - - - -\n" : " 1 4 lk - - - -\n");
    }
  }
  return text.str();
}

TEST_F(MemoryCommand, DiagnoseComparesWithARunBefore) {
  const std::string shared = file("shared.txt", sharing(true));
  const std::string padded = file("padded.txt", sharing(false));
  const Outcome broken = call({"diagnose", shared, "--exit-code", "--tables"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.out, HasSubstr("false sharing on line 0x4000 leads"));
  EXPECT_THAT(broken.out, HasSubstr("\nHottest lines\n"));
  const Outcome fixed = call({"diagnose", padded, "--before", shared, "--exit-code"});
  EXPECT_EQ(fixed.code, 0) << fixed.err;
  EXPECT_THAT(
      fixed.out,
      ContainsRegex("\nFindings before and after\nsubject.*\nline 0x4000 +false sharing .* gone\n"));
}

TEST_F(MemoryCommand, CheckpointIsGoneAfterAWholeRun) {
  const std::string trace = file("shared.txt", sharing(true));
  const std::string state = at("state");
  const std::string plain = call({"diagnose", trace}).out;
  EXPECT_EQ(call({"diagnose", trace, "--checkpoint", state}).out, plain);
  EXPECT_FALSE(std::filesystem::exists(state));
  file("state", "something else");
  const Outcome damaged = call({"diagnose", trace, "--checkpoint", state});
  EXPECT_EQ(damaged.code, 2);
  EXPECT_THAT(damaged.err, HasSubstr("no state of an interrupted diagnosis"));
}

TEST_F(MemoryCommand, ItemsetsBeyond128BitsAreRefused) {
  std::string line;
  for (int i = 0; i < 200; ++i)
    line += std::to_string(i) + " ";
  const std::string data = file("long.dat", line + "\n");
  const Outcome all = call({"itemsets", data, "--support", "1", "--frequent", "--count"});
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.err, HasSubstr("more than 128 bits"));
  EXPECT_EQ(call({"itemsets", data, "--support", "1", "--closed", "--count"}).out, "1\n");
}

TEST_F(MemoryCommand, PipesAreRefusedWhereATraceIsReadTwice) {
  const std::string pipe = at("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Outcome twice = call({"diagnose", pipe, "--format", "text"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("not a regular file"));
  const Outcome unknown = call({"replay", pipe, "-o", at("out.access")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("name it with --format"));
}

TEST_F(MemoryCommand, FoldersThatCannotBeMadeAreTheUsersError) {
  const Outcome frames =
      call({"simulate", file("pass.elf", program(1)), "--frames", at("pass.elf") + "/sub"});
  EXPECT_EQ(frames.code, 2) << frames.err;
  EXPECT_THAT(frames.err, HasSubstr("cannot make the folder"));
}

TEST_F(MemoryCommand, ATrapWithoutHandlerEndsAConformanceRun) {
  std::string elf = program(1);
  elf.replace(elf.find(std::string("\xb7\x12\0\x80", 4)), 4, std::string("\x73\0\0\0", 4));  // ecall
  const Outcome trap = call({"simulate", "--tohost", file("trap.elf", elf)});
  EXPECT_EQ(trap.code, 2);
  EXPECT_THAT(trap.err, HasSubstr("trap: cause"));
}

// Takes some bytes, then no more, as a pipe does whose reader has gone.
class ClosingBuffer : public std::streambuf {
 public:
  int refused = 0;

 private:
  int overflow(int) override {
    return ++refused, traits_type::eof();
  }
  std::streamsize xsputn(const char*, std::streamsize n) override {
    if (left_ < n)
      return ++refused, 0;
    left_ -= n;
    return n;
  }
  std::streamsize left_ = 100'000;
};

TEST_F(MemoryCommand, ItemsetsEndWhenNobodyReadsThem) {
  std::string lines;
  for (int t = 0; t < 60; ++t) {
    for (int i = 0; i < 60; ++i)
      lines += i == t ? "" : std::to_string(i) + " ";
    lines += "\n";
  }
  const std::string data = file("dense.dat", lines);  // 2^60 closed sets
  for (const char* jobs : {"1", "2"}) {
    ClosingBuffer buffer;
    std::ostream out(&buffer);
    std::ostringstream err;
    run(cli::program(), {"memory", "itemsets", data, "--support", "1", "-j", jobs}, {out, err});
    EXPECT_GT(buffer.refused, 0);
    EXPECT_FALSE(out);
  }
}

TEST_F(MemoryCommand, DiagnosesNameTheirInputsAndOptions) {
  const std::string trace = file("shared.txt", sharing(true));
  const Outcome first = call({"diagnose", trace, "--json"});
  EXPECT_THAT(first.out, HasSubstr(base::digest(base::read_file(trace))));
  EXPECT_THAT(first.out, HasSubstr("least support"));
}

}  // namespace
}  // namespace lento::cli
