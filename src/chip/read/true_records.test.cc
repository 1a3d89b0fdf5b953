// Damaged probe records against a run whose records are known, at every place of the file.
#include "chip/read/true_records.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/rng.h"

namespace lento::chip {
namespace {

constexpr int kCores = 4;
constexpr int kSteps = 60;

// Each core computes and receives by turns, with gaps of its own.
std::vector<ProbeRecord> healthy_run() {
  std::vector<ProbeRecord> out;
  base::Rng rng(5, "probes");
  uint64_t time[kCores] = {};
  for (int step = 0; step < kSteps; ++step) {
    for (int core = 0; core < kCores; ++core) {
      ProbeRecord r;
      r.core = uint16_t(core);
      r.step = uint16_t(step);
      r.begin = time[core];
      r.end = r.begin + 80 + rng.below(20);
      r.work = 6400;
      out.push_back(r);
      time[core] = r.end + rng.below(30);
      r.kind = ProbeKind::Message;  // while the next operation runs
      r.peer = uint16_t((core + 1) % kCores);
      r.begin = time[core];
      r.end = r.begin + 120;
      r.work = 512;
      out.push_back(r);
    }
  }
  return out;
}

struct Taken {
  std::vector<ProbeRecord> records;
  base::ReadReport report;
  uint64_t origin = 0;
  std::string damage;
};

Taken taken(const std::vector<ProbeRecord>& records, uint32_t inferences = 1) {
  const std::string path = testing::TempDir() + "true_records.probe";
  ProbeWriter writer(path, {"chip", "map", kCores, inferences, 1e9});
  for (const ProbeRecord& r : records)
    writer.write(r);
  writer.commit();
  Taken out;
  ProbeReader reader(path, out.report);
  TrueRecords screened(
      [&reader](ProbeRecord& record) {
        return reader.next(record);
      },
      reader.path(),
      out.report);
  ProbeRecord r;
  while (screened.next(r))
    out.records.push_back(r);
  out.origin = screened.origin();
  out.damage = screened.damage();
  EXPECT_EQ(out.report.taken, out.records.size());
  return out;
}

bool same(const ProbeRecord& a, const ProbeRecord& b) {
  return a.begin == b.begin && a.end == b.end && a.core == b.core && a.kind == b.kind && a.work == b.work;
}

TEST(TrueRecords, AHealthyRunIsTakenWhole) {
  const std::vector<ProbeRecord> run = healthy_run();
  const Taken t = taken(run);
  ASSERT_EQ(t.records.size(), run.size());
  for (size_t i = 0; i < run.size(); ++i)
    EXPECT_TRUE(same(t.records[i], run[i])) << i;
  EXPECT_EQ(t.report.skipped, 0u);
  EXPECT_EQ(t.origin, 0u);
  EXPECT_EQ(t.damage, "");
}

TEST(TrueRecords, OneImpossibleRecordIsSetAsideWhereverItStands) {
  const std::vector<ProbeRecord> run = healthy_run();
  const std::pair<const char*, std::function<void(ProbeRecord&)>> damages[] = {
      {"overlaps another record of its core",
       [&](ProbeRecord& r) {
         r.begin = 0;
         r.end += 5000;
       }},
      {"does more, or less, in its time than the machine can",
       [](ProbeRecord& r) {
         r.work = 0;
       }},
      {"lies far from all other times",
       [](ProbeRecord& r) {
         r.end |= uint64_t{1} << 50;
       }},
      {"lies far from all other times", [](ProbeRecord& r) {
         r.begin |= uint64_t{1} << 62;
         r.end |= uint64_t{1} << 62;
       }}};
  for (const auto& [reason, damage] : damages) {
    for (size_t at = 2 * kCores; at < run.size(); at += 2 * 7) {  // operations
      std::vector<ProbeRecord> damaged = run;
      damage(damaged[at]);
      const Taken t = taken(damaged);
      EXPECT_GE(t.report.reasons.contains(reason) ? t.report.reasons.at(reason) : 0, 1u) << reason << at;
      EXPECT_LE(t.report.skipped, 2u) << reason << at;  // where two contradict each other both go
      for (const ProbeRecord& r : t.records)
        EXPECT_FALSE(same(r, damaged[at])) << reason << at;
      EXPECT_EQ(t.damage, "");
    }
  }
}

TEST(TrueRecords, ACounterMayBeginAnywhere) {
  const std::vector<ProbeRecord> run = healthy_run();
  for (const uint64_t start :
       {uint64_t{1'000'000'000}, uint64_t{1} << 32, uint64_t{1} << 40, uint64_t{1} << 60}) {
    std::vector<ProbeRecord> shifted = run;
    for (ProbeRecord& r : shifted) {
      r.begin += start;
      r.end += start;
    }
    const Taken t = taken(shifted);
    ASSERT_EQ(t.records.size(), run.size());
    EXPECT_EQ(t.origin, start);
    for (size_t i = 0; i < run.size(); ++i)
      EXPECT_TRUE(same(t.records[i], run[i])) << i;
  }
}

// Records from the middle of a run keep their times.
TEST(TrueRecords, APartOfARunIsNotMoved) {
  std::vector<ProbeRecord> part = healthy_run();
  for (ProbeRecord& r : part) {
    r.inference = 7;
    r.begin += 1'000'000;
    r.end += 1'000'000;
  }
  EXPECT_EQ(taken(part, 8).origin, 0u);
}

TEST(TrueRecords, AFileWrittenTwiceIsReadOnce) {
  const std::vector<ProbeRecord> run = healthy_run();
  std::vector<ProbeRecord> twice = run;
  twice.insert(twice.end(), run.begin(), run.end());
  const Taken t = taken(twice);
  EXPECT_EQ(t.records.size(), run.size());
  EXPECT_EQ(t.damage, "");
}

TEST(TrueRecords, ManyImpossibleRecordsCannotBeJudged) {
  std::vector<ProbeRecord> run = healthy_run();
  for (size_t i = 0; i < run.size(); i += 6)
    run[i].end = run[i].begin - std::min<uint64_t>(run[i].begin, 5);
  for (size_t i = 0; i < run.size(); i += 10)
    run[i].work = 0;
  EXPECT_NE(taken(run).damage.find("records cannot be true"), std::string::npos);
}

TEST(TrueRecords, NothingIsNothing) {
  const Taken t = taken({});
  EXPECT_TRUE(t.records.empty());
  EXPECT_EQ(t.damage, "");
}

}  // namespace
}  // namespace lento::chip
