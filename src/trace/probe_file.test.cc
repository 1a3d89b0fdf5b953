#include "trace/probe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"

namespace lento::trace {
namespace {

using testing::HasSubstr;

std::string temporary(const std::string& name) {
  return testing::TempDir() + "lento_probe_" + name;
}

ProbeRecord sample(uint64_t i) {
  return {
      1000 * i,
      1000 * i + 7,
      i * 3,
      uint32_t(i % 25),
      uint32_t(i / 100),
      uint16_t(i % 16),
      uint16_t{3},
      static_cast<ProbeKind>(i % 4),
      uint8_t{1},
      uint16_t(i)};
}

std::string bytes_of(const ProbeRecord& r) {
  std::string bytes(40, '\0');
  encode(r, bytes.data());
  return bytes;
}

std::string write_sample(const std::string& name, ProbeForm form, int count) {
  const std::string path = temporary(name);
  ProbeWriter writer(path, {"4x4", "net", 16, 100, 1e8}, form);
  for (int i = 0; i < count; ++i)
    writer.write(sample(i));
  writer.commit();
  return path;
}

TEST(ProbeFile, InferencesBeyondTheHeadAreSkipped) {
  const std::string path = temporary("beyond");
  for (const uint32_t inferences : {2u, 0u}) {  // 0: not known
    ProbeWriter writer(path, {"4x4", "net", 16, inferences, 1e8}, ProbeForm::Binary);
    ProbeRecord r = sample(0);
    writer.write(r);
    r.inference = 4'000'000'000;
    writer.write(r);
    writer.commit();
    base::ReadReport report;
    ProbeReader reader(path, report);
    while (reader.next(r)) {
    }
    EXPECT_EQ(report.taken, inferences == 0 ? 2u : 1u);
    EXPECT_EQ(report.skipped, inferences == 0 ? 0u : 1u);
  }
  std::filesystem::remove(path);
}

TEST(ProbeFile, BothFormsReadBack) {
  for (const ProbeForm form : {ProbeForm::Binary, ProbeForm::Text}) {
    for (const char* name : {"plain", "packed.gz"}) {
      const std::string path = write_sample(name, form, 10000);
      base::ReadReport report;
      ProbeReader reader(path, report);
      EXPECT_EQ(reader.header().cores, 16u);
      EXPECT_EQ(reader.header().mapping, "net");
      ProbeRecord record;
      int i = 0;
      for (; reader.next(record); ++i)
        ASSERT_EQ(bytes_of(record), bytes_of(sample(i)));
      EXPECT_EQ(i, 10000);
      EXPECT_EQ(report.taken, 10000u);
      EXPECT_EQ(report.skipped, 0u);
      std::filesystem::remove(path);
    }
  }
}

TEST(ProbeFile, TheLayoutIsTheDocumentedOne) {
  const ProbeRecord r{1, 2, 3, 4, 5, 6, 7, ProbeKind::Read, 8, 9};
  const std::string bytes = bytes_of(r);
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[8], 2);
  EXPECT_EQ(bytes[16], 3);
  EXPECT_EQ(bytes[24], 4);
  EXPECT_EQ(bytes[28], 5);
  EXPECT_EQ(bytes[32], 6);
  EXPECT_EQ(bytes[34], 7);
  EXPECT_EQ(bytes[36], 2);
  EXPECT_EQ(bytes[37], 8);
  EXPECT_EQ(bytes[38], 9);
}

TEST(ProbeFile, BrokenRecordsAreSkippedAndCounted) {
  const std::string path = temporary("broken");
  {
    ProbeWriter writer(path, {"4x4", "net", 2, 1, 1e8}, ProbeForm::Binary);
    ProbeRecord good{5, 6, 1, 0, 0, 1, 0, ProbeKind::Compute, 0, 0};
    ProbeRecord late = good;
    ProbeRecord far = good;
    ProbeRecord odd = good;
    late.end = 4;
    far.core = 2;
    odd.kind = static_cast<ProbeKind>(9);
    for (const ProbeRecord& r : {good, late, far, odd, good})
      writer.write(r);
    writer.commit();
  }
  std::string bytes = base::read_file(path);
  bytes.resize(bytes.size() - 3);
  base::write_file(path, bytes);
  base::ReadReport report;
  ProbeReader reader(path, report);
  ProbeRecord record;
  while (reader.next(record)) {
  }
  EXPECT_EQ(report.taken, 1u);
  EXPECT_EQ(report.skipped, 4u);
  EXPECT_EQ(report.reasons.at("cut off at the end of the file"), 1u);
  std::filesystem::remove(path);
}

TEST(ProbeFile, AnotherFileIsRefused) {
  const std::string path = temporary("other");
  base::write_file(path, "hello\n");
  base::ReadReport report;
  try {
    ProbeReader reader(path, report);
    FAIL();
  } catch (const base::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("not a probe-record file"));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::trace
