// What a detector keeps over a restart: by name, so that the machine list may change.
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/test_error.h"
#include "fleet/detect/test_job.h"

namespace lento::fleet {
namespace {

using base::Json;
using test::Job;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const base::Location kHere{"test"};

Fleet fleet(const std::vector<std::string>& machines, const std::vector<std::string>& metrics) {
  Fleet f;
  f.machines = machines;
  f.labels.resize(machines.size());
  f.metrics = metrics;
  return f;
}

// Six machines of which n3 is slow in "power", and n1 silent.
class Saved : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Job job(6, {}, {"power", "clock"});
    job.healthy(900);
    job.run(300, [](size_t k, size_t m) {
      if (m == 1)
        return double(test::kNone);
      return m == 3 && k == 0 ? 50.0 : 100.0;
    });
    ASSERT_EQ(job.standing().size(), 2u);
    text() = base::write_json(job.detector.save());
    seen() = job.detector.roll().seen_ms(2);
  }
  static std::string& text() {
    static std::string state;
    return state;
  }
  static int64_t& seen() {
    static int64_t ms = 0;
    return ms;
  }
  static Json state() {
    return base::parse_json(text(), "state");
  }
  static Json tracks() {
    return state().at("tracks", kHere);
  }
};

TEST_F(Saved, NamesFindTheirMachineInAnyOrder) {
  Detector d(fleet({"n5", "n4", "n3", "n2", "n1", "n0"}, {"clock", "power"}), {});
  d.restore(state());
  ASSERT_EQ(d.verdicts().size(), 2u);
  for (const Verdict& v : d.verdicts()) {
    EXPECT_TRUE(v.active);
    EXPECT_EQ(d.fleet().machines[v.machine], v.silent ? "n1" : "n3");
    if (!v.silent) {
      ASSERT_EQ(v.metrics.size(), 1u);
      EXPECT_EQ(d.fleet().metrics[v.metrics[0].metric], "power");
      EXPECT_NEAR(v.metrics[0].level, 50, 3);
    }
  }
  EXPECT_EQ(d.roll().seen_ms(3), seen());
}

TEST_F(Saved, WhatIsGoneIsForgotten) {
  Detector machine(fleet({"n0", "n1", "n2", "n4", "n5"}, {"power", "clock"}), {});
  machine.restore(state());
  ASSERT_EQ(machine.verdicts().size(), 1u);
  EXPECT_TRUE(machine.verdicts()[0].silent);
  Detector metric(fleet({"n0", "n1", "n2", "n3", "n4", "n5"}, {"clock"}), {});
  metric.restore(state());
  ASSERT_EQ(metric.verdicts().size(), 1u);  // the deviation of "power" has nothing to stand on
  EXPECT_TRUE(metric.verdicts()[0].silent);
}

TEST_F(Saved, WhoIsNewIsNoMemberYet) {
  Detector d(fleet({"n0", "n1", "n2", "n3", "n4", "n5", "n6"}, {"power", "clock"}), {});
  d.restore(state());
  EXPECT_EQ(d.roll().members(), 6u);
  EXPECT_FALSE(d.roll().member(6));
}

// Learned numbers of each machine, metric and window come back in their places.
TEST_F(Saved, TracksComeBackByMetricWindowAndMachine) {
  const auto numbers_of = [](const Detector& d) {
    std::map<std::string, std::string> found;
    const Json saved = d.save();
    for (const Json& t : saved.at("tracks", kHere).array(kHere)) {
      for (const Json& own : t.at("own", kHere).array(kHere)) {
        const std::string key = t.at("metric", kHere).string(kHere) + " " +
                                std::to_string(t.at("samples", kHere).integer(kHere)) + " " +
                                own.at("machine", kHere).string(kHere);
        found[key] =
            base::write_json(own.at("numbers", kHere)) + " / " + base::write_json(t.at("shared", kHere));
      }
    }
    return found;
  };
  Detector same(fleet({"n0", "n1", "n2", "n3", "n4", "n5"}, {"power", "clock"}), {});
  same.restore(state());
  Detector turned(fleet({"n5", "n4", "n3", "n2", "n1", "n0"}, {"clock", "power"}), {});
  turned.restore(state());
  const auto a = numbers_of(same);
  EXPECT_EQ(a.size(), 2u * 3u * 6u);
  EXPECT_EQ(a, numbers_of(turned));
  EXPECT_NE(a.at("power 140 n0"), a.at("power 280 n0"));
  EXPECT_NE(a.at("power 140 n0"), a.at("clock 140 n0"));
  EXPECT_NE(a.at("power 140 n0"), a.at("power 140 n2"));
}

TEST_F(Saved, AnotherGroupingLearnsAnew) {
  Fleet f = fleet({"n0", "n1", "n2", "n3", "n4", "n5"}, {"power", "clock"});
  for (Labels& labels : f.labels)
    labels = {{"stage", "7"}};
  Detector d(f, {});
  const std::string fresh = base::write_json(d.save().at("tracks", kHere));
  d.restore(state());
  EXPECT_EQ(base::write_json(d.save().at("tracks", kHere)), fresh);
  EXPECT_EQ(d.verdicts().size(), 2u);  // verdicts stand all the same
}

TEST_F(Saved, BurstsAndTheirTimeComeBack) {
  Json s = state();
  s.set("bursts", 17.0);
  s.set("watched_h", 250.5);
  Detector d(fleet({"n0", "n1", "n2", "n3"}, {"power"}), {});
  d.restore(s);
  const Json again = d.save();
  EXPECT_EQ(again.at("bursts", kHere).number(kHere), 17);
  EXPECT_EQ(again.at("watched_h", kHere).number(kHere), 250.5);
}

TEST_F(Saved, AVerdictWithoutItsNumbersIsDropped) {
  std::string broken = text();
  const size_t at = broken.find("\"numbers\":[", broken.find("\"verdicts\""));
  ASSERT_NE(at, std::string::npos);
  broken.insert(at + 11, "1,");  // six numbers where five belong
  Detector d(fleet({"n0", "n1", "n2", "n3", "n4", "n5"}, {"power", "clock"}), {});
  d.restore(base::parse_json(broken, "state"));
  EXPECT_EQ(d.verdicts().size(), 1u);
}

TEST_F(Saved, AnotherVersionIsRefusedByName) {
  Detector d(fleet({"n0"}, {"power"}), {});
  for (const char* other : {"lento.fleet-state/1", "lento.fleet-state/3", "lento.diagnosis/2"}) {
    Json s = state();
    s.set("schema", other);
    const std::string error = base::test::error_of([&] {
      d.restore(s);
    });
    EXPECT_THAT(error, HasSubstr("not a state of this version"));
  }
  EXPECT_THAT(d.verdicts(), IsEmpty());
}

TEST_F(Saved, AlsoAffectedMachinesKeepTheirNames) {
  Job job(12, {});
  job.healthy(900);
  job.run(400, [](size_t, size_t m) {
    return m == 5 ? 40.0 : m == 6 ? 85.0 : 100.0;
  });
  ASSERT_EQ(job.detector.verdicts().size(), 1u);
  ASSERT_THAT(job.detector.verdicts()[0].also_affected, ElementsAre(6));
  std::vector<std::string> names;
  for (size_t m = 12; m-- > 0;)
    names.push_back("n" + std::to_string(m));
  Detector d(fleet(names, {"power"}), {});
  d.restore(job.detector.save());
  ASSERT_EQ(d.verdicts().size(), 1u);
  EXPECT_EQ(d.verdicts()[0].machine, 6u);
  EXPECT_THAT(d.verdicts()[0].also_affected, ElementsAre(5));
  const Verdict& before = job.detector.verdicts()[0];
  const Verdict& after = d.verdicts()[0];
  EXPECT_EQ(after.onset_ms, before.onset_ms);
  EXPECT_EQ(after.raised_ms, before.raised_ms);
  EXPECT_EQ(after.last_ms, before.last_ms);
  EXPECT_EQ(after.score, before.score);
  EXPECT_EQ(after.horizon_s, before.horizon_s);
  EXPECT_EQ(after.metrics[0].threshold, before.metrics[0].threshold);
  EXPECT_EQ(after.metrics[0].peers, before.metrics[0].peers);
  EXPECT_EQ(after.metrics[0].deviation, before.metrics[0].deviation);
}

}  // namespace
}  // namespace lento::fleet
