// Work between accesses, from a few bytes of machine code.
#include "memory/record/code_work.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace lento::memory {
namespace {

constexpr uint64_t kBase = 0x555555554000;
constexpr uint64_t kPlace = 0x40;

class CodeWorkOf : public ::testing::Test {
 protected:
  // A file with code at kPlace, as it would be mapped at kBase.
  CodeWork of(const std::vector<uint8_t>& code, char machine = 62) {
    std::string bytes(kPlace, '\0');
    bytes.replace(0, 4, "\177ELF");
    bytes[18] = machine;
    bytes.append(code.begin(), code.end());
    std::ofstream(path_, std::ios::binary) << bytes;
    return CodeWork(
        "555555554000-555555555000 r-xp 00000000 08:01 77 " + path_ +
        "\n7ffd0000-7ffd1000 rw-p 0 0:0 0 [stack]\n");
  }
  void TearDown() override {
    std::filesystem::remove(path_);
  }
  std::string path_ = (std::filesystem::temp_directory_path() / "lento_code_work").string();
};

constexpr uint64_t at(uint64_t place) {
  return kBase + kPlace + place;
}

// A loop of two accesses: each call records one, and between them is a division.
const std::vector<uint8_t> kLoop = {0xe8, 0xfb, 0x00, 0x00, 0x00,  // 0: call 0x100
                                    0x48, 0x8b, 0x03,              // 5: mov (%rbx),%rax
                                    0x48, 0xf7, 0xf1,              // 8: div %rcx
                                    0x48, 0x89, 0xd7,              // 11: mov %rdx,%rdi
                                    0xe8, 0xed, 0x00, 0x00, 0x00,  // 14: call 0x100
                                    0x48, 0x89, 0x07,              // 19: mov %rax,(%rdi)
                                    0xff, 0xc9,                    // 22: dec %ecx
                                    0x48, 0x89, 0xdf,              // 24: mov %rbx,%rdi
                                    0x75, 0xe3,                    // 27: jne 0
                                    0xc3};                         // 29: ret

TEST_F(CodeWorkOf, CountsInstructionsAndDivisionsWithoutTheCallOfTheRecorder) {
  CodeWork work = of(kLoop);
  const Work& first = work.between(at(5), at(19));
  EXPECT_TRUE(first.known);
  EXPECT_EQ(first.instructions, 2u);
  EXPECT_EQ(first.divisions, 1u);
  const Work& back = work.between(at(19), at(5));
  EXPECT_TRUE(back.known);
  EXPECT_EQ(back.instructions, 3u);
  EXPECT_EQ(back.divisions, 0u);
}

TEST_F(CodeWorkOf, APathPassesNoOtherAccess) {
  CodeWork work = of(kLoop);
  EXPECT_EQ(work.between(at(19), at(19)).instructions, 3u + 2 + 2);
  CodeWork informed = of(kLoop);
  informed.add_call(at(5));
  informed.add_call(at(19));
  // The only way back leads past the first access, so that the function must have returned.
  EXPECT_EQ(informed.between(at(19), at(19)).instructions, 5u);
}

TEST_F(CodeWorkOf, UnknownCodeGivesNoWork) {
  EXPECT_FALSE(of(kLoop, 40).between(at(5), at(19)).known);
  EXPECT_FALSE(of(kLoop).between(0x1000, 0x2000).known);
  EXPECT_FALSE(of({0x06, 0x06}).between(at(0), at(19)).known);
  EXPECT_FALSE(CodeWork("nothing\n1-2 r-xp").between(at(5), at(19)).known);
}

TEST_F(CodeWorkOf, ATraceMayNameAnyRangeAndAnyPath) {
  of(kLoop);  // writes the file
  CodeWork endless("1000-ffffffffffff0000 r-xp 00000000 08:01 77 " + path_ + "\n");
  EXPECT_TRUE(endless.between(0x1000 + kPlace + 5, 0x1000 + kPlace + 19).known);
  EXPECT_FALSE(
      CodeWork("1000-2000 r-xp fffffffffffffff0 08:01 77 " + path_ + "\n").between(0x1005, 0x1013).known);
  for (const char* path : {"/dev/zero", "/dev/stdin", "/", "/none/such"})
    EXPECT_FALSE(
        CodeWork(std::string("1000-2000 r-xp 0 08:01 77 ") + path + "\n").between(0x1005, 0x1013).known);
}

}  // namespace
}  // namespace lento::memory
