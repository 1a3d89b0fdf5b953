#include "memory/read/access_text.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "base/test_error.h"

namespace lento::memory {
namespace {

using testing::HasSubstr;

AccessRecord drawn(base::Rng& rng) {
  AccessRecord r;
  r.cpu = uint16_t(rng.below(100));
  r.cycle = rng.next() >> rng.below(60);
  r.pc = rng.next() >> rng.below(60);
  r.type = AccessType(rng.below(kAccessTypes));
  r.address = rng.next() >> rng.below(60);
  if (rng.below(4))
    r.latency = uint32_t(rng.below(1000));
  r.size = uint8_t(rng.below(65));
  r.flags = uint8_t(rng.below(256));
  if (rng.below(2)) {
    r.culprit = uint16_t(rng.below(100));
    r.culprit_pc = rng.next() >> 8;
    r.blamed = uint32_t(rng.below(1000));
    r.cause = DelayCause(1 + rng.below(kDelayCauses - 1));
  }
  return r;
}

TEST(AccessTextLine, AnyRecordReadsBackInBothForms) {
  base::Rng rng(1, "text");
  for (int i = 0; i < 2000; ++i) {
    AccessRecord r = drawn(rng);
    std::string line;
    append_access_text(r, line);
    AccessRecord back;
    ASSERT_TRUE(parse_access_text(line.substr(0, line.size() - 1), back)) << line;
    ASSERT_TRUE(back == r) << line;
    r.thread = uint32_t(rng.below(1000));
    r.process = uint16_t(rng.below(100));
    if (rng.below(2))
      r.node = uint8_t(rng.below(8));
    r.service = Service(rng.below(kServices));
    line.clear();
    append_context_text(r, line);
    AccessRecord wide;
    ASSERT_TRUE(parse_access_text(line.substr(0, line.size() - 1), wide)) << line;
    ASSERT_TRUE(wide == r) << line;
  }
}

const std::string kLine = "1 212305 0x10009d60 fetch 0x10009d60 28 4 k 3 0x10016b50 17 interconnect";

// kLine with one of its fields replaced.
bool parses_with(size_t field, const std::string& word) {
  std::string line;
  size_t at = 0;
  for (size_t i = 0; at <= kLine.size(); ++i) {
    const size_t end = std::min(kLine.find(' ', at), kLine.size());
    line += (i ? " " : "") + (i == field ? word : kLine.substr(at, end - at));
    at = end + 1;
  }
  AccessRecord record;
  return parse_access_text(line, record);
}

TEST(AccessTextLine, OfTheDocumentation) {
  AccessRecord r;
  ASSERT_TRUE(parse_access_text(kLine, r));
  EXPECT_EQ(r.cpu, 1);
  EXPECT_EQ(r.cycle, 212305u);
  EXPECT_EQ(r.pc, 0x10009d60u);
  EXPECT_EQ(r.type, AccessType::Fetch);
  EXPECT_EQ(r.latency, 28u);
  EXPECT_EQ(r.size, 4);
  EXPECT_EQ(r.flags, AccessRecord::kServiceKnown);
  EXPECT_EQ(r.culprit, 3);
  EXPECT_EQ(r.culprit_pc, 0x10016b50u);
  EXPECT_EQ(r.blamed, 17u);
  EXPECT_EQ(r.cause, DelayCause::Interconnect);
}

TEST(AccessTextLine, EveryFieldIsChecked) {
  const std::pair<size_t, const char*> bad[] = {
      {0, "65535"},
      {0, "-"},
      {0, "-1"},
      {1, "x"},
      {1, "18446744073709551616"},
      {2, "0xg"},
      {3, "jump"},
      {3, "Fetch"},
      {4, "-"},
      {5, "4294967295"},
      {6, "256"},
      {7, "z"},
      {8, "65535"},
      {10, "4294967296"},
      {11, "boredom"}};
  for (const auto& [field, word] : bad)
    EXPECT_FALSE(parses_with(field, word)) << field << " " << word;
  const std::pair<size_t, const char*> good[] = {
      {0, "65534"},
      {1, "0"},
      {5, "-"},
      {5, "4294967294"},
      {6, "-"},
      {7, "-"},
      {7, "lksfu"},
      {8, "-"},
      {9, "-"},
      {10, "-"},
      {11, "-"}};
  for (const auto& [field, word] : good)
    EXPECT_TRUE(parses_with(field, word)) << field << " " << word;
}

TEST(AccessTextLine, MoreOrFewerFieldsAreNone) {
  AccessRecord r;
  EXPECT_FALSE(parse_access_text("", r));
  EXPECT_FALSE(parse_access_text(kLine + " 1", r));
  EXPECT_FALSE(parse_access_text(kLine.substr(0, kLine.rfind(' ')), r));
  EXPECT_TRUE(parse_access_text(kLine + " 1 2 3 L3", r));
  EXPECT_FALSE(parse_access_text(kLine + " 1 2 3 L9", r));
  EXPECT_FALSE(parse_access_text(kLine + " 1 2 255 L3", r));
}

class AccessTextFile : public testing::Test {
 protected:
  std::vector<AccessRecord> read(const std::string& text) {
    std::ofstream(path_) << text;
    AccessTextSource source(path_, report_, &facts_);
    std::vector<AccessRecord> out;
    for (auto batch = source.next(); !batch.empty(); batch = source.next())
      out.insert(out.end(), batch.begin(), batch.end());
    return out;
  }
  ~AccessTextFile() override {
    std::filesystem::remove(path_);
  }
  std::string path_ = testing::TempDir() + "lento_access_text_test";
  base::ReadReport report_;
  program::TraceFacts facts_;
};

TEST_F(AccessTextFile, BrokenLinesAreSkippedAndCounted) {
  const auto records = read(access_text_header() + kLine + "\nnonsense\n" + kLine + "\n");
  EXPECT_EQ(records.size(), 2u);
  EXPECT_EQ(report_.taken, 2u);
  EXPECT_EQ(report_.skipped, 1u);
  EXPECT_EQ(report_.first_skip.line, 4);
}

TEST_F(AccessTextFile, AnotherHeadIsRefused) {
  for (const char* head : {"", "# lento.access/9\n", "cpu cycle\n"}) {
    EXPECT_THAT(
        base::test::error_of([&] {
          read(std::string(head) + kLine + "\n");
        }),
        HasSubstr(path_))
        << head;
  }
}

TEST_F(AccessTextFile, AWrittenTraceIsInItsOrder) {
  base::Rng rng(2, "file");
  std::vector<AccessRecord> records(200);
  uint64_t cycle = 0;
  for (AccessRecord& r : records) {
    r = drawn(rng);
    r.cycle = cycle += rng.below(3);
  }
  AccessTextWriter writer(path_, TextForm::Full);
  for (size_t cpu = 0; cpu < 100; ++cpu) {
    for (const AccessRecord& r : records) {
      if (r.cpu == cpu)
        writer.record(r);
    }
  }
  writer.finish();
  std::ifstream in(path_);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto back = read(text);
  ASSERT_EQ(back.size(), records.size());
  for (size_t i = 1; i < back.size(); ++i)
    EXPECT_LE(std::pair(back[i - 1].cycle, back[i - 1].cpu), std::pair(back[i].cycle, back[i].cpu));
}

}  // namespace
}  // namespace lento::memory
