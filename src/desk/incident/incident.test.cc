#include "desk/incident/incident.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "desk/incident/judge.h"
#include "desk/incident/series.h"
#include "desk/read/format.h"
#include "evidence/outliers.h"

namespace lento::desk {
namespace {

using finding::Outcome;

// Records as a reader would write them.
class Job {
 public:
  explicit Job(uint64_t seed)
      : rng(seed) {
    records.files.emplace_back();
    records.files[0].path = "made-up.log";
  }
  double noise(double share) {
    return 1 + share * rng.normal();
  }
  void sample(const Quantity& quantity, const Subject& subject, double step, double value) {
    Sink sink(records, 0);
    sink.at("", ++line_, {}, {});
    sink.sample(quantity, value, {subject, step});
  }
  void state(const Quantity& quantity, const Subject& subject, double value, double expected = kUnknown) {
    Sink sink(records, 0);
    sink.at("", ++line_, {}, {});
    sink.state(quantity, value, {subject, kUnknown, expected});
  }
  void run(Run run) {
    Sink sink(records, 0);
    sink.at(fact(run, "id"), ++line_, {}, {});
    sink.run(std::move(run));
  }
  finding::Diagnosis judge() const {
    return judge_incident(records);
  }

  base::Rng rng;
  Records records;

 private:
  int64_t line_ = 0;
};

const Quantity kStep{"step time", "s", Kind::Level, Better::Lower};
const Quantity kClock{"SM clock", "MHz", Kind::Level, Better::Higher};
const Quantity kRate{"link rate", "Gb/s", Kind::FewValued, Better::Higher};
const Quantity kPause{"pause frames sent", "", Kind::Counter, Better::Lower};
const Quantity kSlowest{"slowest step of all ranks", "s", Kind::Level, Better::Lower, "", Scope::Extreme};

Subject gpu(int i) {
  return {"n1", "gpu" + std::to_string(i), ""};
}

TEST(StudentTail, MatchesTables) {
  EXPECT_NEAR(evidence::student_tail(2.015, 5), 0.05, 1e-4);
  EXPECT_NEAR(evidence::student_tail(12.706, 1), 0.025, 1e-5);
  EXPECT_NEAR(evidence::student_tail(-2.015, 5), 0.95, 1e-4);
  EXPECT_NEAR(evidence::student_tail(0, 3), 0.5, 1e-12);
}

TEST(Outliers, HealthyPeersAreNamedAsOftenAsStated) {
  base::Rng rng(5);
  int named = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> values;
    for (int k = 0; k < 8; ++k)
      values.push_back(rng.normal());
    named += !evidence::outliers(values, evidence::Side::High, 0.05).empty();
  }
  EXPECT_LT(named, kDraws * 0.06);
  EXPECT_GT(named, kDraws * 0.02);
}

TEST(Outliers, TwoDoNotHideEachOther) {
  const std::vector<double> values{1, 1.1, 0.9, 1.05, 0.95, 1.02, 8, 8.1};
  EXPECT_EQ(evidence::outliers(values, evidence::Side::High, 0.01).size(), 2u);
  EXPECT_TRUE(evidence::outliers(values, evidence::Side::Low, 0.01).empty());
  EXPECT_TRUE(evidence::outliers(std::vector<double>{1, 1, 9}, evidence::Side::High, 0.01).empty());
}

TEST(Onset, AJobThatBecomesSlowerIsFoundAndNoPartIsNamed) {
  Job job(1);
  for (int step = 0; step < 200; ++step)
    job.sample(kStep, {}, step, (step < 120 ? 4.0 : 4.8) * job.noise(0.01));
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.outcome, Outcome::Findings);
  EXPECT_EQ(found.findings[0].subject, "the job");
  EXPECT_NE(found.verdict.find("step 120 "), std::string::npos) << found.verdict;
  EXPECT_NEAR(*found.findings[0].factor, 1.2, 0.02);
  EXPECT_FALSE(found.remedy.empty());
}

TEST(Onset, TheRankThatWroteTheLogIsNotNamed) {
  Job job(2);
  for (int step = 0; step < 100; ++step)
    job.sample(
        {"tokens per second", "1/s", Kind::Level, Better::Higher},
        {"", "", "0"},
        step,
        step < 60 ? 900 : 600);
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.outcome, Outcome::Findings);
  EXPECT_EQ(found.findings[0].subject, "the job");
  EXPECT_FALSE(found.findings[0].where);
}

TEST(Onset, PeriodicSlowStepsWarmUpAndNoiseAreHealthy) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Job job(seed);
    for (int step = 0; step < 240; ++step) {
      double value = 4.0 * job.noise(0.02);
      if (step % 20 == 19)
        value += 9;  // a checkpoint
      if (step < 5)
        value += 30;  // compilation
      job.sample(kStep, {}, step, value);
    }
    EXPECT_EQ(job.judge().outcome, Outcome::Healthy) << seed << job.judge().verdict;
  }
}

TEST(Onset, ALargerBatchIsNoFault) {
  Job job(3);
  const Quantity batch{"global batch size", "", Kind::Annotation};
  for (int step = 0; step < 100; ++step) {
    job.sample(kStep, {}, step, (step < 50 ? 2.0 : 4.0) * job.noise(0.01));
    job.sample(batch, {}, step, step < 50 ? 512 : 1024);
  }
  EXPECT_EQ(job.judge().outcome, Outcome::Healthy);
}

TEST(Samples, TheGpuThatSlowsDownIsNamedWithItsOnset) {
  Job job(4);
  for (int step = 0; step < 120; ++step)
    for (int i = 0; i < 8; ++i)
      job.sample(kClock, gpu(i), step, (i == 6 && step >= 80 ? 1410 : 1965) + 15 * double(job.rng.below(2)));
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.outcome, Outcome::Findings);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "n1/gpu6");
  EXPECT_NE(found.verdict.find("step 80"), std::string::npos) << found.verdict;
  ASSERT_FALSE(found.figures.empty());
  const auto& drawn = std::get<finding::SeriesFigure>(found.figures[0].body);
  ASSERT_EQ(drawn.lines.size(), 2u);
  EXPECT_TRUE(drawn.lines[1].blamed);
  EXPECT_EQ(drawn.lines[1].name, "n1/gpu6");
  EXPECT_EQ(drawn.lines[1].x.size(), 120u);
  EXPECT_NEAR(drawn.lines[0].y[100], 1972, 10);  // the peers stay where they were
}

TEST(Samples, AFewSamplesAreDrawnAsABarForEachPart) {
  Job job(5);
  for (int step = 0; step < 4; ++step)
    for (int i = 0; i < 8; ++i)
      job.sample(kClock, gpu(i), step, (i == 2 ? 1410 : 1965) + 15 * double(job.rng.below(2)));
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.outcome, Outcome::Findings);
  EXPECT_NE(found.verdict.find("from the first sample on"), std::string::npos) << found.verdict;
  const auto& drawn = std::get<finding::BarsFigure>(found.figures.at(0).body);
  ASSERT_EQ(drawn.categories.size(), 8u);
  EXPECT_EQ(drawn.series[1], "n1/gpu2");
  EXPECT_NEAR(drawn.values[1][2], 1417, 8);
  EXPECT_EQ(drawn.values[0][2], 0);
}

TEST(Samples, HealthyGpusThatPauseTogetherAreHealthy) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Job job(seed);
    for (int step = 0; step < 100; ++step)
      for (int i = 0; i < 8; ++i)
        job.sample(
            kClock,
            gpu(i),
            step,
            (step % 30 > 25 ? 345 : 1950) + 15 * double(job.rng.below(3)) + 3 * double(i % 2));
    EXPECT_EQ(job.judge().outcome, Outcome::Healthy) << seed << job.judge().verdict;
  }
}

TEST(Extremes, TheRankThatHoldsTheBadEndIsNamed) {
  for (const bool faulty : {true, false}) {
    Job job(7);
    for (int report = 0; report < 20; ++report) {
      const bool slow = faulty && report >= 13;
      const std::string rank = slow ? "21" : std::to_string(job.rng.below(32));
      job.sample(kSlowest, {"", "", rank}, 10 * report, (slow ? 6.1 : 4.2) * job.noise(0.01));
    }
    const finding::Diagnosis found = job.judge();
    EXPECT_EQ(found.outcome, faulty ? Outcome::Findings : Outcome::Healthy);
    if (faulty) {
      EXPECT_EQ(found.findings[0].subject, "rank 21");
    }
  }
}

TEST(States, TheOddOneAndTheHealthyTwin) {
  for (const bool faulty : {true, false}) {
    Job job(1);
    for (int i = 0; i < 8; ++i)
      job.state(kRate, {"n1", "mlx5_" + std::to_string(i), ""}, faulty && i == 2 ? 100 : 400);
    const finding::Diagnosis found = job.judge();
    EXPECT_EQ(found.outcome, faulty ? Outcome::Findings : Outcome::Healthy);
    if (faulty) {
      EXPECT_EQ(found.findings[0].subject, "n1/mlx5_2");
      const auto& drawn = std::get<finding::BarsFigure>(found.figures.at(0).body);
      EXPECT_EQ(drawn.series[1], "n1/mlx5_2");
      EXPECT_EQ(drawn.values[0], (std::vector<double>{400, 400, 0, 400, 400, 400, 400, 400}));
      EXPECT_EQ(drawn.values[1][2], 100);
    }
  }
}

TEST(States, ACounterFarAboveItsPeersIsNamedAndCountingNoiseIsNot) {
  for (const bool faulty : {true, false}) {
    Job job(2);
    for (int i = 0; i < 8; ++i)
      job.state(
          kPause,
          {"n" + std::to_string(i), "", ""},
          faulty && i == 5 ? 400000 : 10 + double(job.rng.below(9)));
    const finding::Diagnosis found = job.judge();
    ASSERT_EQ(found.outcome, faulty ? Outcome::Findings : Outcome::Healthy) << found.verdict;
    if (faulty) {
      EXPECT_EQ(found.findings[0].subject, "n5");
    }
  }
}

TEST(States, BelowWhatItCanDoOnlyWhenPeersDoBetter) {
  for (const int slow : {1, 8}) {
    Job job(1);
    for (int i = 0; i < 8; ++i)
      job.state({"PCIe speed", "GT/s", Kind::FewValued, Better::Higher}, gpu(i), i < slow ? 2.5 : 32, 32);
    EXPECT_EQ(job.judge().outcome, slow == 1 ? Outcome::Findings : Outcome::CannotJudge);
  }
}

Run benchmark(const std::string& a, const std::string& b, double speed) {
  Run run;
  run.kind = "collective benchmark";
  run.members = {a, b};
  run.facts = {{"operation", "all_reduce"}};
  run.measured = {{{"bus bandwidth", "GB/s", Kind::Level, Better::Higher}, speed}};
  return run;
}

TEST(Benchmarks, TheHostCommonToTheSlowPairs) {
  for (const bool faulty : {true, false}) {
    Job job(9);
    for (int a = 0; a < 5; ++a)
      for (int b = a + 1; b < 5; ++b)
        job.run(benchmark(
            "h" + std::to_string(a),
            "h" + std::to_string(b),
            (faulty && (a == 1 || b == 1) ? 90 : 180) * job.noise(0.01)));
    const finding::Diagnosis found = job.judge();
    EXPECT_EQ(found.outcome, faulty ? Outcome::Findings : Outcome::Healthy) << found.verdict;
    if (!faulty)
      continue;
    EXPECT_EQ(found.findings[0].subject, "h1") << found.verdict;
  }
}

TEST(Benchmarks, OneSlowPairNamesNeitherEnd) {
  Job job(9);
  for (int pair = 0; pair < 5; ++pair)
    job.run(benchmark(
        "h" + std::to_string(2 * pair),
        "h" + std::to_string(2 * pair + 1),
        (pair == 3 ? 90 : 180) * job.noise(0.01)));
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.findings.size(), 1u) << found.verdict;
  EXPECT_EQ(found.findings[0].subject, "h6, h7");
  EXPECT_FALSE(found.findings[0].where);
}

// Hosts with one and the same best run cannot be compared, so that two runs are two values.
TEST(Benchmarks, TwoRunsOfOtherHostsAreAQuestion) {
  for (const double other : {180.0, 110.0}) {
    Job job(9);
    for (int turn = 0; turn < 3; ++turn) {
      job.run(benchmark("h0", "h1", 180));
      job.run(benchmark("h2", "h3", other));
    }
    const finding::Diagnosis found = job.judge();
    EXPECT_EQ(found.outcome, Outcome::CannotJudge) << found.verdict;
  }
}

// A port for management is slower than those of the fabric and no peer of theirs.
TEST(States, DevicesOfOneNameAreThePeers) {
  for (const bool is_slow : {true, false}) {
    Job job(3);
    for (int host = 0; host < 4; ++host) {
      const std::string name = "n" + std::to_string(host);
      job.state(kRate, {name, "eno1", ""}, 1);
      for (const char* port : {"ens1", "ens2", "ens3", "ens4"})
        job.state(kRate, {name, port, ""}, is_slow && host == 2 && port == std::string("ens3") ? 100 : 400);
    }
    const finding::Diagnosis found = job.judge();
    ASSERT_EQ(found.findings.size(), is_slow ? 1u : 0u) << found.verdict;
    EXPECT_EQ(is_slow ? found.findings[0].subject : "", is_slow ? "n2/ens3" : "");
  }
}

// A port that is slow on two of three hosts is not slow by design.
TEST(States, AnOddDeviceOfMostHostsIsNamed) {
  Job job(3);
  for (int host = 0; host < 3; ++host)
    for (int port = 0; port < 4; ++port)
      job.state(
          kRate,
          {"n" + std::to_string(host), "ens" + std::to_string(port), ""},
          port == 2 && host < 2 ? 100 : 400);
  EXPECT_EQ(job.judge().findings.size(), 2u);
}

// What all GPUs of a host have is the host's, and what one of them has is its own.
TEST(Events, AFaultOfAllGpusIsThatOfTheirHost) {
  for (const int last : {8, 5}) {
    Job job(4);
    for (int i = 0; i < 8; ++i) {
      job.state(kClock, gpu(i), 1700);
      if (i >= last)
        continue;
      Event event;
      event.kind = "transport/none";
      event.subject = gpu(i);
      event.severity = Severity::Warning;
      event.meaning = "no RDMA device";
      job.records.add(event);
    }
    const finding::Diagnosis found = job.judge();
    ASSERT_EQ(found.findings.size(), last == 8 ? 1u : 5u) << found.verdict;
    EXPECT_EQ(found.findings[0].subject, last == 8 ? "n1" : "n1/gpu0");
  }
}

Run scheduled(const std::string& id, const std::string& state, std::vector<std::string> members) {
  Run run;
  run.kind = "job";
  run.facts = {{"id", id}, {"state", state}};
  run.members = std::move(members);
  return run;
}

TEST(Census, RowsOfATableAreComparedByTheirNamesOnly) {
  for (const bool is_lost : {true, false}) {
    Records records;
    records.files.emplace_back();
    for (int host = 0; host < 5; ++host)
      for (int part = 0; part < 4; ++part) {
        if (host == 3 && part == (is_lost ? 2 : -1))
          continue;
        const int number = is_lost ? part : 10 * host + part;  // of jobs, which are no parts
        Observation row;
        row.subject = records.subject_id({"n" + std::to_string(host), "disk" + std::to_string(number), ""});
        row.quantity =
            records.quantity_id({"listed part", "", Kind::Annotation, Better::Neither, kListedByName});
        row.text = "listed";
        records.add(row);
      }
    const finding::Diagnosis found = judge_incident(records);
    ASSERT_EQ(found.findings.size(), is_lost ? 1u : 0u);
    if (is_lost) {
      EXPECT_EQ(found.findings[0].subject, "n3");
    }
  }
}

TEST(Jobs, TheNodeCommonToTheFailedJobs) {
  Job job(1);
  job.run(scheduled("1", "NODE_FAIL", {"a", "b", "c"}));
  job.run(scheduled("2", "NODE_FAIL", {"c", "d", "e"}));
  job.run(scheduled("3", "COMPLETED", {"a", "b", "d", "e"}));
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.outcome, Outcome::Findings);
  EXPECT_EQ(found.findings[0].subject, "c");
}

TEST(Jobs, ManySuspectsAndProgramsThatFailNameNoNode) {
  Job many(1);
  many.run(scheduled("1", "NODE_FAIL", {"a", "b", "c", "d", "e"}));
  EXPECT_EQ(many.judge().outcome, Outcome::CannotJudge);
  Job own(1);
  own.run(scheduled("1", "FAILED", {"a", "b"}));
  own.run(scheduled("2", "FAILED", {"a", "b"}));
  EXPECT_EQ(own.judge().outcome, Outcome::CannotJudge);
  Job good(1);
  good.run(scheduled("1", "COMPLETED", {"a", "b"}));
  EXPECT_EQ(good.judge().outcome, Outcome::Healthy);
}

TEST(Waits, ACollectiveWithALongTailCannotSayWhich) {
  for (const bool waits : {true, false}) {
    Job job(1);
    desk::Run run;
    run.kind = "kernel summary";
    run.facts = {{"kernel", "ncclDevKernel_AllGather"}, {"collective", "yes"}};
    const double mean = waits ? 5e-4 : 2.01e-4;
    run.measured = {
        {{"mean", "s"}, mean},
        {{"median", "s"}, 2e-4},
        {{"longest", "s"}, waits ? 7e-3 : 2.3e-4}};
    job.run(run);
    EXPECT_EQ(job.judge().outcome, waits ? Outcome::CannotJudge : Outcome::Healthy);
  }
}

TEST(Split, AtTheChangeAndUnlikelyOnlyThere) {
  std::vector<double> values(60, 1.0);
  base::Rng rng(3);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (i < 25 ? 1.0 : 1.3) + 0.02 * rng.normal();
  const Split split = best_split(values);
  EXPECT_EQ(split.at, 25u);
  EXPECT_LT(split.chance, 1e-4);
  EXPECT_EQ(best_split(std::vector<double>(60, 1.0)).chance, 1.0);
}

TEST(Incident, APartThatIsNamedExplainsTheJob) {
  Job job(11);
  for (int step = 0; step < 120; ++step) {
    job.sample(kStep, {}, step, (step < 80 ? 4.0 : 5.5) * job.noise(0.01));
    for (int i = 0; i < 8; ++i)
      job.sample(kClock, gpu(i), step, (i == 6 && step >= 80 ? 1410 : 1965) + 15 * double(job.rng.below(2)));
  }
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "n1/gpu6");
}

Event closed(const char* host, const char* peer) {
  Event event;
  event.kind = "collective/closed";
  event.subject.host = host;
  event.fields = {{"peer", peer}};
  return event;
}

TEST(Endings, ThePeerThatClosedFirstNamesNobody) {
  Job job(1);
  for (const auto& [host, peer] : {std::pair{"n1", "n3.cluster<4111>"}, std::pair{"n2", "n3<4112>"}})
    job.records.add(closed(host, peer));
  const finding::Diagnosis found = job.judge();
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].subject, "n3");
}

TEST(Endings, HostsThatNameEachOtherLeaveItOpen) {
  Job job(1);
  for (const auto& [host, peer] :
       {std::pair{"n1", "n2<4111>"}, std::pair{"n3", "n2<4>"}, std::pair{"n2", "n1<4112>"}})
    job.records.add(closed(host, peer));
  EXPECT_EQ(job.judge().outcome, Outcome::CannotJudge);
}

TEST(Endings, ALogWithAnEndIsNotHealthy) {
  Job job(1);
  for (int i = 0; i < 40; ++i)
    job.sample(kStep, {}, i, job.noise(0.01));
  EXPECT_EQ(job.judge().outcome, Outcome::Healthy);
  Event event;
  event.kind = "job/time limit";
  event.meaning = "the job reached its time limit";
  job.records.add(event);
  EXPECT_EQ(job.judge().outcome, Outcome::CannotJudge);
}

const Quantity kWork{"global batch size", "", Kind::Annotation};

TEST(Onset, WorkExplainsOnlyWhatItIsLargeEnoughFor) {
  for (const double work : {1.01, 1.6}) {
    Job job(5);
    for (int i = 0; i < 80; ++i) {
      job.sample(kStep, {}, i, (i < 40 ? 1.0 : 1.5) * job.noise(0.01));
      job.sample(kWork, {}, i, i < 40 ? 100.0 : 100 * work);
    }
    EXPECT_EQ(job.judge().findings.size(), work < 1.1 ? 1u : 0u) << work;
  }
}

TEST(States, ACounterFarFromZeroOnItsOwn) {
  for (const int peers : {3, 4, 8}) {
    for (const double count : {2.0, 5000.0}) {
      Job job(1);
      for (int i = 0; i < peers; ++i)
        job.state(kPause, gpu(i), i == 1 ? count : 0);
      const finding::Diagnosis found = job.judge();
      EXPECT_EQ(found.findings.size(), count > 100 ? 1u : 0u) << peers << " peers, " << count;
    }
  }
}

TEST(States, ThreeThatScatterAreNotAnAllClear) {
  Job job(1);
  for (int i = 0; i < 3; ++i)
    job.state(kPause, gpu(i), 100 + 40 * i);
  EXPECT_EQ(job.judge().outcome, Outcome::CannotJudge);
}

finding::Finding finding_of(const char* subject, const char* category, const char* host, double score) {
  finding::Finding finding;
  finding.subject = subject;
  finding.category = category;
  finding.summary = subject;
  finding.score = score;
  finding.where = finding::Place{host, "", ""};
  return finding;
}

TEST(Causes, TheBrokenPartOfAHostLeadsItsHang) {
  std::vector<finding::Finding> findings{
      finding_of("n2 rank 5", "hang: a rank has not arrived", "n2", 0.95),
      finding_of("n1/gpu0", "fault of a program", "n1", 0.9),
      finding_of("n2/gpu1", "faulty hardware", "n2", 0.9),
      finding_of("n3", "fault of a service", "n3", 0.6)};
  place_symptoms(findings);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].subject, "n2/gpu1");
  EXPECT_NE(findings[0].summary.find("rank 5"), std::string::npos);
  EXPECT_EQ(findings[2].subject, "n3");
}

TEST(Causes, AJobThatSlowedDownIsExplainedByWhatChangedThen) {
  std::vector<finding::Finding> parts{
      finding_of("n1/gpu0", "fault of a program", "n1", 0.9),
      finding_of("n2/gpu1", "unlike its peers: SM clock", "n2", 0.85)};
  finding::Finding job = finding_of("the job", "became slower", "", 0.7);
  EXPECT_EQ(explain_job(parts, job, std::nullopt), 1u);
  const finding::TimeWindow span{500, 2000, "s"};
  job.when = finding::TimeWindow{1000, 2000, "s"};
  parts[0].when = finding::TimeWindow{990, 1000, "s"};
  parts[1].when = finding::TimeWindow{200, 2000, "s"};
  EXPECT_EQ(explain_job(parts, job, span), 0u);
  parts[0].when = finding::TimeWindow{600, 610, "s"};
  EXPECT_EQ(explain_job(parts, job, span), 1u) << "chance explains a fault 400 s apart";
  parts[0].when = finding::TimeWindow{10, 20, "s"};
  EXPECT_EQ(explain_job(parts, job, span), 1u) << "what was over before the job began is no cause";
  parts.pop_back();
  EXPECT_EQ(explain_job(parts, job, span), 1u) << "no part is left";
}

TEST(Causes, TheNearestOfManyMomentsIsNearByChance) {
  const finding::TimeWindow span{0, 3600, "s"};
  const auto near = nearness(9, 1, span);
  ASSERT_TRUE(near);
  EXPECT_NEAR(*near->value, 0.005, 1e-9);
  EXPECT_NE(near->text.find("once in 199 "), std::string::npos) << near->text;
  EXPECT_FALSE(nearness(9, 40, span));
  EXPECT_FALSE(nearness(9, 1, std::nullopt));
}

TEST(Incident, NothingToCompareIsNotHealthy) {
  Job job(1);
  EXPECT_EQ(job.judge().outcome, Outcome::CannotJudge);
}

}  // namespace
}  // namespace lento::desk
