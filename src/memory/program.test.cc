// A program whose symbols happen to match names the wrong things: whether it ran is asked, not assumed.
#include "memory/program.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "base/test_folder.h"
#include "memory/diagnose.h"
#include "memory/simulation.h"
#include "riscv/elf.h"

namespace lento::memory {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kGuest = "guests/built/false_sharing.elf";

// Accesses from memory, once.
class Records : public AccessSource {
 public:
  explicit Records(std::vector<AccessRecord> records)
      : records_(std::move(records)) {
  }
  std::span<const AccessRecord> next() override {
    const std::span<const AccessRecord> all = records_;
    return done_++ == 0 ? all : std::span<const AccessRecord>();
  }

 private:
  std::vector<AccessRecord> records_;
  int done_ = 0;
};

class MemoryProgram : public base::test::FolderTest {
 protected:
  // The guest with neighbouring instructions exchanged: the same symbols at the same places, other code.
  std::string other_guest() const {
    std::string elf = base::read_file(kGuest);
    const riscv::ElfImage image = riscv::parse_elf(elf, kGuest);
    for (const auto& segment : image.segments) {
      const size_t at = elf.find(std::string(segment.bytes.begin(), segment.bytes.end()));
      if (at == std::string::npos || segment.bytes.size() < 64)
        continue;
      for (size_t i = 0; i + 8 <= segment.bytes.size() && i < 2048; i += 8)
        std::swap_ranges(&elf[at + i], &elf[at + i + 4], &elf[at + i + 4]);
      break;
    }
    base::write_file(at("other.elf"), elf);
    return at("other.elf");
  }

  // The guest's trace, with and without what says which program ran.
  void simulate() const {
    MemorySimulationOptions o;
    o.guest = kGuest;
    o.harts = 4;
    o.trace = at("run.access");
    o.text = at("run.txt");
    simulate_memory(o);
  }
  finding::Diagnosis diagnose(const std::string& trace, const std::string& program) const {
    MemoryDiagnosisOptions o;
    o.traces.paths = {at(trace)};
    o.programs = {program};
    return diagnose_memory(o).diagnosis;
  }
};

TEST_F(MemoryProgram, TheTraceKnowsItsProgramByDigest) {
  simulate();
  const finding::Diagnosis d = diagnose("run.access", kGuest);
  ASSERT_EQ(d.outcome, finding::Outcome::Findings) << d.verdict;
  EXPECT_EQ(d.findings[0].category, "false sharing");
  for (const std::string& note : d.notes)
    EXPECT_THAT(note, ::testing::Not(HasSubstr("is believed"))) << note;
  const std::string other = other_guest();
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose("run.access", other);
      }),
      AllOf(HasSubstr("other.elf"), HasSubstr("is not the program of the trace: its content differs")));
}

TEST_F(MemoryProgram, WithoutADigestTheInstructionsSpeak) {
  simulate();
  EXPECT_THAT(
      diagnose("run.txt", kGuest).notes,
      ::testing::Contains(
          AllOf(HasSubstr("is believed"), HasSubstr("accesses are made by its instructions"))));
  const std::string other = other_guest();
  EXPECT_THAT(
      base::test::error_of([&] {
        diagnose("run.txt", other);
      }),
      HasSubstr("accesses are made by the instruction that it has there"));
}

// This test itself as the traced program: its build id and its sections.
class ThisProgram : public ::testing::Test {
 protected:
  static constexpr const char* kSelf = "/proc/self/exe";
  const std::string self_ = std::filesystem::read_symlink(kSelf).string();
  program::TraceFacts facts_;

  uint64_t address_of_code() const {
    const program::Symbols symbols(kSelf);
    uint64_t at = symbols.extent().low;
    while (!symbols.is_code(at) || !symbols.function_at(at))
      at += 16;
    return at;
  }
  std::vector<std::string> check(uint64_t pc, uint64_t other_pc = 0) {
    std::vector<AccessRecord> records(20);
    for (auto& r : records)
      r.pc = pc;
    if (other_pc > 0)
      records[0].pc = records[1].pc = other_pc;
    Records source(std::move(records));
    return check_programs(facts_, source);
  }
};

TEST_F(ThisProgram, AnotherBuildOfTheSameNameIsRefused) {
  facts_.names.add_mapping({0, 0x400000, 0x900000, 0, self_, "00112233"});
  facts_.names.add_program(self_);
  EXPECT_THAT(
      base::test::error_of([&] {
        check(0x400000 + address_of_code());
      }),
      AllOf(HasSubstr("another build"), HasSubstr("00112233")));
}

TEST_F(ThisProgram, AMappingOfTheSameBuildNeedsNoBelief) {
  constexpr uint64_t kAt = 0x555555554000;
  const std::string id = program::Symbols(kSelf).build_id();
  facts_.names.add_mapping({0, kAt, kAt + (uint64_t{1} << 32), 0, "/elsewhere/" + self_, id});
  facts_.names.add_program(self_);
  EXPECT_THAT(check(kAt + address_of_code()), IsEmpty());
}

TEST_F(ThisProgram, MappingsAreToldApartFromLaterBuilds) {
  facts_.names.add_mapping({0, 0x400000, 0x900000, 0, self_, ""});
  facts_.names.identify_mappings();
  EXPECT_THAT(facts_.names.text(), HasSubstr(program::Symbols(kSelf).build_id()));
}

TEST_F(ThisProgram, CodeAddressesMustLieInCode) {
  facts_.names.add_program(self_);
  const uint64_t code = address_of_code();
  const uint64_t header = program::Symbols(kSelf).extent().low + 16;
  EXPECT_THAT(
      check(code),
      ElementsAre(AllOf(HasSubstr("does not say which program ran"), HasSubstr("20 of 20 code addresses"))));
  // 18 of 20 are not enough.
  EXPECT_THAT(
      base::test::error_of([&] {
        check(code, header);
      }),
      HasSubstr("only 18 of 20 code addresses inside it lie in its code"));
}

// Valgrind loads position-independent programs at 0x108000, and lackey's trace does not say so.
TEST_F(ThisProgram, TheLoadAddressFollowsFromTheCode) {
  const auto placed = [&](uint64_t base) {
    std::vector<AccessRecord> records(200);
    for (auto& r : records)
      r.pc = base + address_of_code();
    Records source(std::move(records));
    return with_load_address(self_, source);
  };
  EXPECT_EQ(placed(0x555555554000), self_ + "@0x555555554000");
  EXPECT_EQ(placed(uint64_t{1} << 46), self_);
  Records none({});
  EXPECT_EQ(with_load_address(self_ + "@0x1000", none), self_ + "@0x1000");
}

TEST_F(ThisProgram, AddressesOutsideNameNothing) {
  facts_.names.add_program(self_);
  EXPECT_THAT(
      base::test::error_of([&] {
        check(uint64_t{1} << 46);
      }),
      HasSubstr("names none of the first 20 accesses"));
}

}  // namespace
}  // namespace lento::memory
