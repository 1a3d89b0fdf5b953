#include "chip/read/probe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "base/error.h"

namespace lento::chip {
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

TEST(ProbeFile, EveryFormReadsBack) {
  for (const ProbeForm form : {ProbeForm::Binary, ProbeForm::Text, ProbeForm::Unchecked}) {
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
    ProbeWriter writer(path, {"4x4", "net", 2, 1, 1e8}, ProbeForm::Unchecked);
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

// Reads what a changed copy of 1,000 checked records still gives; every record that comes must be one of
// them.
base::ReadReport read_changed(const std::function<void(std::string&)>& change) {
  const std::string path = write_sample("checked", ProbeForm::Binary, 1000);
  std::string bytes = base::read_file(path);
  change(bytes);
  base::write_file(path, bytes);
  base::ReadReport report;
  ProbeReader reader(path, report);
  ProbeRecord record;
  while (reader.next(record))
    EXPECT_EQ(bytes_of(record), bytes_of(sample(record.work / 3)));
  std::filesystem::remove(path);
  return report;
}

TEST(ProbeFile, OneDamagedByteCostsItsBlockAndMakesNoRecord) {
  for (const size_t from_end : {30u, 3000u, 20000u}) {
    const base::ReadReport report = read_changed([&](std::string& bytes) {
      bytes[bytes.size() - from_end] ^= 0x10;
    });
    EXPECT_LE(report.skipped, 16u);
    EXPECT_EQ(report.taken + report.skipped, 1000u);
    EXPECT_EQ(report.reasons.at("of a block whose check sum is wrong"), report.skipped);
  }
}

TEST(ProbeFile, AByteInsertedOrLostCostsWhatFollows) {
  const base::ReadReport longer = read_changed([](std::string& bytes) {
    bytes.insert(bytes.size() - 20000, 1, 'x');
  });
  EXPECT_EQ(longer.taken, 496u);  // 31 blocks of 16
  const base::ReadReport shorter = read_changed([](std::string& bytes) {
    bytes.erase(bytes.size() - 20000, 1);
  });
  EXPECT_EQ(shorter.taken, 496u);
  const base::ReadReport cut = read_changed([](std::string& bytes) {
    bytes.resize(bytes.size() - 20000);
  });
  EXPECT_EQ(cut.taken, 496u);
  EXPECT_GT(cut.skipped, 0u);
}

TEST(ProbeFile, AVersionThatIsNotKnownIsRefused) {
  const std::string path = temporary("version");
  for (const char* head : {"lento.probe/4 binary\n{}\n", "lento.probe/3 text\n{}\n"}) {
    base::write_file(path, head);
    base::ReadReport report;
    EXPECT_THROW(ProbeReader(path, report), base::Error) << head;
  }
  std::filesystem::remove(path);
}

// Two chips of four cores and two DRAM ports; the second runs at half the header's clock.
ProbeHeader two_chips() {
  ProbeHeader head{"pair", "net", 8, 0, 1e8};
  head.chips = 2;
  head.ports = 4;
  head.clocks_hz = {1e8, 5e7};
  return head;
}

std::vector<ProbeRecord> records_of(const std::string& text, base::ReadReport& report) {
  const std::string path = temporary("several_text");
  base::write_file(path, text);
  ProbeReader reader(path, report);
  std::vector<ProbeRecord> out;
  ProbeRecord record;
  while (reader.next(record))
    out.push_back(record);
  std::filesystem::remove(path);
  return out;
}

const std::string kHeadOfTwo =
    "lento.probe/2 text\n"
    R"({"chip":"pair","mapping":"net","cores":4,"clock_hz":100,"chips":2,"ports":2,"clocks_hz":[100,50]})"
    "\nbegin end work layer inference core peer kind op step chip peer_chip\n";

TEST(ProbeFile, RecordsOfSeveralChipsReadBack) {
  const std::vector<ProbeRecord> records{
      {10, 20, 5, 0, 0, 7, 0, ProbeKind::Compute, 0, 0},
      {10, 20, 5, 0, 0, 3, 6, ProbeKind::Message, 0, 0},
      {10, 20, 5, 0, 0, 5, 3, ProbeKind::Read, 0, 0},
      {10, 20, 5, 0, 0, 0, 1, ProbeKind::Write, 0, 0}};
  for (const ProbeForm form : {ProbeForm::Binary, ProbeForm::Text, ProbeForm::Unchecked}) {
    const std::string path = temporary("several");
    ProbeWriter writer(path, two_chips(), form);
    for (int i = 0; i < 3000; ++i)
      for (const ProbeRecord& r : records)
        writer.write(r);
    writer.commit();
    base::ReadReport report;
    ProbeReader reader(path, report);
    EXPECT_EQ(reader.header().cores, 8u);
    EXPECT_EQ(reader.header().ports, 4u);
    EXPECT_EQ(reader.header().clocks_hz, two_chips().clocks_hz);
    ProbeRecord record;
    size_t i = 0;
    for (; reader.next(record); ++i)
      ASSERT_EQ(bytes_of(record), bytes_of(records[i % records.size()])) << i;
    EXPECT_EQ(i, 12000u);
    EXPECT_EQ(report.skipped, 0u);
    std::filesystem::remove(path);
  }
}

TEST(ProbeFile, ARecordSaysItsChipAndItsOwnClock) {
  const std::string path = temporary("own_clock");
  ProbeWriter writer(path, two_chips(), ProbeForm::Text);
  writer.write({10, 20, 5, 0, 0, 6, 1, ProbeKind::Message, 0, 0});
  writer.commit();
  EXPECT_THAT(base::read_file(path), HasSubstr("\n5 10 5 0 0 2 1 message 0 0 1 0\n"));
  std::filesystem::remove(path);
}

TEST(ProbeFile, IdsCountChipByChipAndTimesAreOfOneClock) {
  base::ReadReport report;
  const auto records =
      records_of(kHeadOfTwo + "5 10 1 0 0 2 1 read 0 0 1 1\n5 10 1 0 0 2 1 message 0 0 0 1\n", report);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].core, 6);
  EXPECT_EQ(records[0].peer, 3);
  EXPECT_EQ(records[0].begin, 10u);
  EXPECT_EQ(records[0].end, 20u);
  EXPECT_EQ(records[1].core, 2);
  EXPECT_EQ(records[1].peer, 5);
  EXPECT_EQ(records[1].begin, 5u);
}

TEST(ProbeFile, PlacesBeyondTheChipsAreSkipped) {
  base::ReadReport report;
  const auto records = records_of(
      kHeadOfTwo +
          "5 10 1 0 0 4 0 compute 0 0 0 0\n"                 // core
          "5 10 1 0 0 0 0 compute 0 0 2 0\n"                 // chip
          "5 10 1 0 0 0 4 message 0 0 0 0\n"                 // sender
          "5 10 1 0 0 0 0 message 0 0 0 2\n"                 // sender's chip
          "5 10 1 0 0 0 2 read 0 0 0 0\n"                    // port
          "5 18446744073709551615 1 0 0 0 0 read 0 0 1 0\n"  // beyond what can be counted
          "5 10 1 0 0 0 0 compute 0 0 0\n"                   // too few columns
          "5 10 1 0 0 3 9 compute 0 0 1 9\n",                // a compute has no peer
      report);
  EXPECT_EQ(report.skipped, 7u);
  EXPECT_EQ(report.reasons["core is not on the chip"], 2u);
  EXPECT_EQ(report.reasons["sending core is not on the chip"], 2u);
  EXPECT_EQ(report.reasons["DRAM port is not on the chip"], 1u);
  EXPECT_EQ(report.reasons["time is out of range"], 1u);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].core, 7);
}

TEST(ProbeFile, AHeadThatDoesNotComeOutIsRefused) {
  const auto error_of = [](const std::string& members) {
    const std::string path = temporary("head");
    base::write_file(path, "lento.probe/2 binary\n{\"cores\":4," + members + "}\n");
    base::ReadReport report;
    std::string error;
    try {
      ProbeReader reader(path, report);
    } catch (const base::Error& e) {
      error = e.what();
    }
    std::filesystem::remove(path);
    return error;
  };
  EXPECT_THAT(error_of(R"("ports":2)"), HasSubstr("chips"));
  EXPECT_THAT(error_of(R"("chips":65,"ports":2)"), HasSubstr("chips"));
  EXPECT_THAT(
      error_of(R"("chips":2,"ports":2,"clock_hz":1,"clocks_hz":[1])"),
      HasSubstr("one clock for each"));
  EXPECT_THAT(error_of(R"("chips":2,"ports":2,"clocks_hz":[1,1])"), HasSubstr("'clock_hz' is needed"));
  EXPECT_THAT(error_of(R"("chips":2,"ports":2,"clock_hz":1,"clocks_hz":[1,0])"), HasSubstr("1 to 1e13"));
  EXPECT_EQ(error_of(R"("chips":2,"ports":2,"clock_hz":1,"clocks_hz":[1,2])"), "");
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
}  // namespace lento::chip
