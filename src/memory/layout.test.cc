// The change that is proposed against false sharing: one word put before the right declaration, or none.
#include "memory/layout.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace lento::memory {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string aligned(const std::string& line, const std::string& name, bool cpp = false) {
  return align_declaration(line, name, 0, 64, cpp);
}

TEST(AlignDeclaration, StandsBeforeTheTypeOfTheMember) {
  EXPECT_EQ(aligned("  volatile long tail;", "tail"), "  _Alignas(64) volatile long tail;");
  EXPECT_EQ(aligned("\tint tail;  // end", "tail"), "\t_Alignas(64) int tail;  // end");
  EXPECT_EQ(aligned("static long total;", "total", true), "alignas(64) static long total;");
  EXPECT_EQ(align_declaration("  int tail;", "tail", 7, 128, true), "  alignas(128) int tail;");
}

TEST(AlignDeclaration, FindsTheMemberAmongOthersOfItsLine) {
  EXPECT_EQ(
      aligned("struct slot { long done; long rest[6]; };", "done"),
      "struct slot { _Alignas(64) long done; long rest[6]; };");
  EXPECT_EQ(
      aligned("struct slot { long done; long rest[6]; };", "rest"),
      "struct slot { long done; _Alignas(64) long rest[6]; };");
}

TEST(AlignDeclaration, WholeWordsOnly) {
  EXPECT_EQ(aligned("  long tails; long tail;", "tail"), "  long tails; _Alignas(64) long tail;");
  EXPECT_EQ(aligned("  long old_tail;", "tail"), "");
}

TEST(AlignDeclaration, NeverWhereItWouldSayMore) {
  EXPECT_EQ(aligned("  long x, tail;", "tail"), "");
  EXPECT_EQ(aligned("  long tail, x;", "tail"), "");
  EXPECT_EQ(aligned("  alignas(64) long tail;", "tail", true), "");
  EXPECT_EQ(aligned("  _Alignas(8) long tail;", "tail"), "");
  EXPECT_EQ(aligned("} tail;", "tail"), "");
  EXPECT_EQ(aligned("  long tail", "tail"), "");
  EXPECT_EQ(aligned("  long other;", "tail"), "");
  EXPECT_EQ(aligned("", "tail"), "");
  EXPECT_EQ(align_declaration("  int tail;", "tail", 3, 64, false), "");
  EXPECT_EQ(align_declaration("  int tail;", "tail", 99, 64, false), "");
  EXPECT_EQ(align_declaration("  int tail;", "", 0, 64, false), "");
}

// Programs that are compiled here: what is proposed must compile again and part what it names.
class ProposeLayout : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("cc --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "no C compiler";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
  }

  void compile(const std::string& declarations) {
    source_ = folder_ + "/p.c";
    base::write_file(source_, declarations + "\nint main(void) { return 0; }\n");
    const std::string command =
        "cc -g -O0 -no-pie -fno-pie '" + source_ + "' -o '" + folder_ + "/p' 2> /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << declarations;
    names_ = {};
    names_.add_program(folder_ + "/p");
    symbols_ = std::make_unique<program::Symbols>(folder_ + "/p");
  }
  uint64_t address_of(const std::string& name) const {
    for (uint64_t at = symbols_->extent().low; at < symbols_->extent().high; at += 4) {
      const program::Symbol* symbol = symbols_->variable_at(at);
      if (symbol && symbol->name == name)
        return symbol->low;
    }
    return 0;
  }
  LayoutChange propose(std::vector<uint64_t> parts) const {
    return propose_layout(names_, {"", "false sharing", 0, parts.front(), parts.back() + 8, parts}, 64);
  }
  // The source with the change applied.
  static std::string line_after(const LayoutChange& change) {
    const size_t at = change.diff.find("\n+", change.diff.find("@@"));
    return at == std::string::npos ? "" : change.diff.substr(at + 2, change.diff.find('\n', at + 2) - at - 2);
  }

  const std::string folder_ =
      (std::filesystem::temp_directory_path() / ("lento_layout_" + std::to_string(getpid()))).string();
  std::string source_;
  program::AddressSpace names_;
  std::unique_ptr<program::Symbols> symbols_;
};

TEST_F(ProposeLayout, TheLaterOfTwoMembersMoves) {
  compile("struct {\n  volatile long head;\n  volatile long tail;\n} ring;");
  const uint64_t ring = address_of("ring");
  for (const auto& parts : {std::vector{ring, ring + 8}, std::vector{ring + 8, ring}}) {
    const LayoutChange change = propose(parts);
    EXPECT_EQ(change.what, "align ring.tail to 64 bytes");
    EXPECT_EQ(line_after(change), "  _Alignas(64) volatile long tail;");
    EXPECT_THAT(change.diff, AllOf(HasSubstr("--- " + source_), HasSubstr("@@ -3 +3 @@")));
  }
}

TEST_F(ProposeLayout, ElementsOfAnArrayAreAlignedByTheirFirstMember) {
  compile("struct slot { long a; long b; };\nstruct slot slots[8];");
  const uint64_t slots = address_of("slots");
  const LayoutChange change = propose({slots + 8, slots + 24});
  EXPECT_EQ(change.what, "align the first member, a, of the elements of slots to 64 bytes");
  EXPECT_EQ(line_after(change), "struct slot { _Alignas(64) long a; long b; };");
  compile(line_after(change) + "\nstruct slot slots[8];");
  EXPECT_EQ(symbols_->describe(address_of("slots") + 64), "slots[1].a");
}

TEST_F(ProposeLayout, TwoVariables) {
  compile("long one = 1;\nlong two = 2;");
  const LayoutChange change = propose({address_of("two"), address_of("one")});
  EXPECT_THAT(change.what, HasSubstr(address_of("two") > address_of("one") ? "align two" : "align one"));
  EXPECT_THAT(line_after(change), HasSubstr("_Alignas(64) long"));
}

TEST_F(ProposeLayout, ScalarsInAnArrayNeedAnotherType) {
  compile("volatile long counts[8];");
  const uint64_t counts = address_of("counts");
  const LayoutChange change = propose({counts, counts + 8});
  EXPECT_EQ(
      change.what,
      "give each element of counts 64 bytes: a struct that is aligned so, or a wider stride");
  EXPECT_EQ(change.diff, "");
}

TEST_F(ProposeLayout, NothingIsProposedForWhatIsNotDeclared) {
  compile("long one;");
  EXPECT_EQ(propose({0x10, 0x20}).what, "");
  EXPECT_EQ(propose({address_of("one")}).what, "");
  EXPECT_EQ(propose({address_of("one"), address_of("one")}).what, "");
}

TEST_F(ProposeLayout, AMissingSourceLeavesTheAdvice) {
  compile("struct {\n  volatile long head;\n  volatile long tail;\n} ring;");
  std::filesystem::remove(source_);
  const LayoutChange change = propose({address_of("ring"), address_of("ring") + 8});
  EXPECT_EQ(change.what, "align ring.tail to 64 bytes");
  EXPECT_EQ(change.diff, "");
}

}  // namespace
}  // namespace lento::memory
