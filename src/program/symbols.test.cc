// Names of code against addr2line, of data against the compiler: C, C++ templates, inlined calls, a shared
// library, position independent or not, Rust where its compiler is installed.
#include "program/symbols.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "base/file.h"

namespace lento::program {
namespace {

constexpr double kAgree = 0.95;  // of the code addresses

constexpr const char* kC = R"(
struct slot { long hits; int codes[3]; };
struct slot table[4][5];
static int add(int a, int b) { return a + b; }
__attribute__((noinline)) int twice(int a) { return add(a, a) * add(a, 1); }
__attribute__((noinline)) int sum(const int* v, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += add(v[i], twice(i));
  return s;
}
int main(int argc, char** argv) { int v[2] = {argc, (int)(long)argv}; return sum(v, 2) + (int)table[1][2].hits; }
)";

constexpr const char* kCpp = R"(
namespace engine {
template <class T, int N> struct Box {
  T items[N];
  T total() const { T s = 0; for (const T& i : items) s += i; return s; }
};
struct Worker { virtual ~Worker() = default; virtual long run(long x) { return helper(x) * 3; } static long helper(long x) { return x ^ 5; } };
struct Loud : Worker { long run(long x) override { return Worker::run(x) + 1; } };
Box<long, 7> per_worker;
Box<short, 3> small;
}
template <class F> __attribute__((noinline)) long apply(F f, long x) { return f(f(x)); }
int main(int argc, char**) {
  engine::Loud loud; engine::Worker* w = &loud;
  long s = apply([](long x) { return x * 7 + 1; }, argc) + w->run(argc);
  return int(s + engine::per_worker.total() + engine::small.total());
}
)";

constexpr const char* kRust = R"(
struct Sum { total: u64 }
impl Sum { #[inline(never)] fn add<T: Into<u64>>(&mut self, v: T) { self.total += v.into(); } }
#[inline(never)] fn fold(v: &[u32]) -> u64 { v.iter().map(|x| *x as u64 * 3).sum() }
fn main() { let mut s = Sum { total: 0 }; s.add(3u8); s.add(fold(&[1, 2, 3]) as u32); std::process::exit(s.total as i32); }
)";

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2> /dev/null").c_str(), "r");
  std::array<char, 4096> piece;
  while (const size_t got = fread(piece.data(), 1, piece.size(), pipe))
    text.append(piece.data(), got);
  pclose(pipe);
  return text;
}

bool has(const std::string& program) {
  return !output_of("command -v " + program).empty();
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// "main() [clone .cold]" and "main" are one; Rust's hash and what the compiler adds do not count.
std::string plain(std::string name) {
  for (const char* end : {" [clone", ".cold", ".part.", ".constprop.", ".isra."})
    name = name.substr(0, name.find(end));
  const size_t hash = name.rfind("::h");
  if (hash != std::string::npos && name.size() == hash + 19)
    name.resize(hash);
  return name;
}

// Who demangles with results, arguments and template arguments says the same more fully.
std::string bare(const std::string& name) {
  std::string text = plain(name);
  const size_t call = text.find("operator()");
  const size_t end = text.find_first_of("(<", call == std::string::npos ? 0 : call + 10);
  text = text.substr(0, end);
  return text.substr(text.rfind(' ') + 1);
}

// A lambda has no name of its own in debug information; addr2line gives it that of the symbol around it.
bool same_function(const std::string& a, const std::string& b) {
  if (a == "operator()")
    return true;
  const std::string left = bare(a);
  const std::string right = bare(b);
  return left == right || left.ends_with("::" + right) || right.ends_with("::" + left);
}

class AgainstAddr2line : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has("c++") || !has("addr2line") || !has("objdump"))
      GTEST_SKIP() << "no compiler or binutils";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
  }

  std::string build(const std::string& compiler, const std::string& source, const std::string& text) const {
    base::write_file(folder_ + "/" + source, text);
    const std::string program = folder_ + "/" + source + ".out";
    const std::string command = compiler + " " + folder_ + "/" + source + " -o " + program + " 2> /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return program;
  }

  // All instructions but padding of the functions whose names hold one of `wanted`.
  std::vector<uint64_t> code_of(const std::string& program, const std::vector<std::string>& wanted) const {
    std::vector<uint64_t> out;
    std::istringstream text(output_of("objdump -d -C --no-show-raw-insn " + program));
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
      if (line.ends_with(">:")) {
        inside = std::ranges::any_of(wanted, [&](const std::string& w) {
          return line.find(w) != std::string::npos;
        });
      } else if (inside && line.starts_with("  ") && !is_padding(line)) {
        out.push_back(std::strtoull(line.c_str(), nullptr, 16));
      }
    }
    return out;
  }

  static bool is_padding(const std::string& line) {
    return std::ranges::any_of(std::array{"nop", "int3", "xchg   %ax,%ax", "cs "}, [&](const char* word) {
      return line.find(word) != std::string::npos;
    });
  }

  struct Agreement {
    int addresses = 0;
    int places = 0;     // innermost file and line as addr2line's
    int functions = 0;  // the whole chain of inlined functions too
  };
  Agreement compare(const std::string& program, const std::vector<std::string>& wanted) const {
    const Symbols symbols(program);
    Agreement a;
    for (const uint64_t pc : code_of(program, wanted)) {
      std::ostringstream hex;
      hex << std::hex << pc;
      std::istringstream text(output_of("addr2line -f -i -C -e " + program + " 0x" + hex.str()));
      const std::vector<SourceFrame> frames = symbols.frames(pc);
      bool same = true;
      size_t i = 0;
      for (std::string name, place; std::getline(text, name) && std::getline(text, place); ++i) {
        place = file_name(place.substr(0, place.find(" (disc")));
        const bool known = i < frames.size();
        const std::string ours = known ? file_name(frames[i].file) + ":" +
                                             (frames[i].line > 0 ? std::to_string(frames[i].line) : "?")
                                       : "";
        a.places += i == 0 && ours == place;
        same &= known && same_function(frames[i].function, name);
      }
      same &= i == frames.size();
      a.functions += same;
      ++a.addresses;
    }
    return a;
  }
  void expect_agreement(const std::string& program, const std::vector<std::string>& wanted) const {
    const Agreement a = compare(program, wanted);
    EXPECT_GE(a.addresses, 10) << program;
    EXPECT_GE(double(a.places), kAgree * a.addresses) << program << ": places of " << a.addresses;
    EXPECT_GE(double(a.functions), kAgree * a.addresses) << program << ": functions of " << a.addresses;
    RecordProperty("places", a.places);
    RecordProperty("functions", a.functions);
    RecordProperty("addresses", a.addresses);
  }

  const std::string folder_ =
      (std::filesystem::temp_directory_path() / ("lento_symbols_" + std::to_string(getpid()))).string();
};

TEST_F(AgainstAddr2line, CWithInlinedCalls) {
  expect_agreement(build("cc -g -O2 -no-pie -fno-pie", "p.c", kC), {"<twice>", "<sum>", "<main>"});
}

TEST_F(AgainstAddr2line, DebugInformationWhoseStringsHaveNoEndIsNotUsed) {
  const std::string program = build("cc -g -O1 -no-pie -fno-pie", "p.c", kC);
  for (const std::string section : {".debug_str", ".debug_line_str"}) {
    const std::string strings = folder_ + "/strings";
    const std::string command = "objcopy --dump-section " + section + "=" + strings + " " + program;
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::string bytes = base::read_file(program);
    const std::string wanted = base::read_file(strings);
    bytes[bytes.find(wanted) + wanted.size() - 1] = 'x';
    base::write_file(folder_ + "/damaged", bytes);
    const Symbols symbols(folder_ + "/damaged");
    for (const uint64_t pc : code_of(program, {"<main>"})) {
      ASSERT_NE(symbols.function_at(pc), nullptr);
      for (const SourceFrame& frame : symbols.frames(pc))
        EXPECT_EQ(frame.file, "");
    }
  }
}

TEST_F(AgainstAddr2line, CPositionIndependent) {
  expect_agreement(build("cc -g -O1 -pie -fPIE", "p.c", kC), {"<twice>", "<sum>", "<main>"});
}

TEST_F(AgainstAddr2line, OlderDebugInformation) {
  expect_agreement(build("cc -gdwarf-4 -O2", "p.c", kC), {"<twice>", "<sum>", "<main>"});
}

TEST_F(AgainstAddr2line, CppTemplatesLambdasAndVirtualCalls) {
  expect_agreement(build("c++ -g -O1", "p.cc", kCpp), {"<main>", "engine::", "apply<"});
}

TEST_F(AgainstAddr2line, ASharedLibrary) {
  expect_agreement(build("cc -g -O2 -fPIC -shared", "lib.c", kC), {"<twice>", "<sum>"});
}

TEST_F(AgainstAddr2line, Rust) {
  if (!has("rustc"))
    GTEST_SKIP() << "no Rust compiler";
  expect_agreement(build("rustc -g -O --edition 2021", "p.rs", kRust), {"p::main", "p::fold", "p::Sum"});
}

// Bytes of static variables, each as "name + offset", by gdb's `info symbol`.
class AgainstGdb : public AgainstAddr2line {
 protected:
  void SetUp() override {
    AgainstAddr2line::SetUp();
    if (!has("gdb") || !has("nm"))
      GTEST_SKIP() << "no gdb";
  }

  // Every third byte of the variables that the file defines and the C library did not bring.
  static std::vector<uint64_t> bytes_of_variables(const std::string& program) {
    std::vector<uint64_t> out;
    std::istringstream text(
        output_of("readelf -sW " + program + " | awk '$4 == \"OBJECT\" && $7 ~ /[0-9]/ {print $2, $3, $8}'"));
    uint64_t low = 0;
    uint64_t size = 0;
    std::string name;
    while (text >> std::hex >> low >> std::dec >> size >> name) {
      for (uint64_t at = 0;
           at < std::min<uint64_t>(size, 300) && !(name.starts_with("_IO") || name.starts_with("__"));
           at += 3)
        out.push_back(low + at);
    }
    return out;
  }

  // Without what one demangler says more fully: a crate's hash, a closure's number, what the compiler adds.
  static std::string common(std::string name) {
    name = std::regex_replace(name, std::regex(R"(\[[0-9a-f]{16}\])"), "");
    return plain(std::regex_replace(name, std::regex(R"(\{+closure[^}]*\}+)"), "{closure}"));
  }

  void expect_the_same_names(const std::string& program, size_t least) const {
    const Symbols symbols(program);
    const std::vector<uint64_t> bytes = bytes_of_variables(program);
    ASSERT_GE(bytes.size(), least) << program;
    std::string script;
    for (const uint64_t at : bytes)
      script += "info symbol " + std::to_string(at) + "\n";
    base::write_file(folder_ + "/script", script);
    std::istringstream text(
        output_of("gdb -batch -nx -x " + folder_ + "/script " + program + " 2> /dev/null"));
    size_t same = 0;
    size_t at = 0;
    std::string others;
    for (std::string line; at < bytes.size() && std::getline(text, line); ++at) {
      const Symbol* ours = symbols.variable_at(bytes[at]);
      line = line.substr(0, line.find(" in section"));
      const uint64_t offset = ours ? bytes[at] - ours->low : 0;
      const std::string end = offset ? " + " + std::to_string(offset) : "";
      const bool equal = ours && line.ends_with(end) &&
                         common(line.substr(0, line.size() - end.size())) == common(ours->name);
      same += equal;
      if (!equal && others.size() < 1000)
        others += line + " | " + (ours ? ours->name : "none") + "\n";
    }
    EXPECT_EQ(at, bytes.size()) << program;
    EXPECT_GE(double(same), 0.95 * double(bytes.size()))
        << program << ": " << same << " of " << bytes.size() << "\n"
        << others;
    RecordProperty("same", int(same));
    RecordProperty("addresses", int(bytes.size()));
  }
};

TEST_F(AgainstGdb, StaticDataOfC) {
  expect_the_same_names(build("cc -g -O1 -no-pie -fno-pie", "p.c", kC), 50);
}

TEST_F(AgainstGdb, StaticDataOfPositionIndependentC) {
  expect_the_same_names(build("cc -g -O2 -pie -fPIE", "p.c", kC), 50);
}

TEST_F(AgainstGdb, StaticDataOfASharedLibrary) {
  expect_the_same_names(build("cc -g -O2 -fPIC -shared", "lib.c", kC), 50);
}

TEST_F(AgainstGdb, StaticDataWithoutDebugInformation) {
  expect_the_same_names(build("cc -O2", "p.c", kC), 50);
}

TEST_F(AgainstGdb, StaticDataOfCpp) {
  expect_the_same_names(build("c++ -g -O1", "p.cc", kCpp), 20);
}

TEST_F(AgainstGdb, StaticDataOfRust) {
  if (!has("rustc"))
    GTEST_SKIP() << "no Rust compiler";
  expect_the_same_names(build("rustc -g -O --edition 2021", "p.rs", kRust), 20);
}

TEST_F(AgainstAddr2line, StaticDataByMemberAndIndex) {
  const std::string c = build("cc -g -O1 -no-pie -fno-pie", "p.c", kC);
  const std::string cpp = build("c++ -g -O1 -no-pie -fno-pie", "p.cc", kCpp);
  const auto address = [](const std::string& program, const std::string& name) {
    return std::strtoull(output_of("nm -C " + program + " | grep ' " + name + "$'").c_str(), nullptr, 16);
  };
  const Symbols in_c(c);
  const uint64_t table = address(c, "table");
  ASSERT_NE(table, 0u);
  // struct slot: long, three ints, padding: 24 bytes; rows of five.
  EXPECT_EQ(in_c.describe(table), "table[0][0].hits");
  EXPECT_EQ(in_c.describe(table + 24 * 7 + 12), "table[1][2].codes[1]");
  EXPECT_EQ(in_c.describe(table + 24 * 19 + 16), "table[3][4].codes[2]");
  EXPECT_EQ(in_c.variable_at(table + 24 * 20 - 1)->name, "table");
  const Symbols in_cpp(cpp);
  const uint64_t boxes = address(cpp, "engine::per_worker");
  ASSERT_NE(boxes, 0u);
  EXPECT_EQ(in_cpp.describe(boxes + 8 * 3), "engine::per_worker.items[3]");
  EXPECT_EQ(in_cpp.describe(address(cpp, "engine::small") + 4), "engine::small.items[2]");
  EXPECT_TRUE(in_cpp.is_cpp(boxes));
  EXPECT_FALSE(in_c.is_cpp(table));
}

}  // namespace
}  // namespace lento::program
