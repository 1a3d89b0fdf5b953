// The table and the pages of a synthetic job: what was sampled, nothing else.
#include "fleet/simulation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "fleet/training.h"

namespace lento::fleet {
namespace {

SimulatedFleet small(bool faulty) {
  FleetJob job;
  job.preset = fleet_preset("paper");
  job.machines = 6;
  job.seconds = 300;
  job.faulty = faulty;
  return simulate_fleet(job);
}

class SimulatedFiles : public ::testing::Test {
 protected:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("lento_sim_" + std::to_string(::getpid()) + ".csv"))
          .string();
  void TearDown() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".truth.json");
  }
};

TEST_F(SimulatedFiles, TheTruthNamesTheMachineOnlyOfAFault) {
  const SimulatedFleet healthy = small(false);
  const base::Json none = truth_json(healthy.truth, healthy.series);
  EXPECT_FALSE(none.at("faulty", {}).boolean({}));
  EXPECT_EQ(none.find("machine"), nullptr);
  const SimulatedFleet faulty = small(true);
  const base::Json one = truth_json(faulty.truth, faulty.series);
  EXPECT_EQ(one.at("machine", {}).string({}), faulty.series.machines[faulty.truth.machine]);
  EXPECT_EQ(one.at("onset_s", {}).number({}), faulty.truth.onset_s);
}

TEST_F(SimulatedFiles, APageHoldsOneLineASample) {
  SimulatedFleet job = small(false);
  MetricSeries& s = job.series;
  const auto lines = [](const std::string& text) {
    return std::ranges::count(text, '\n');
  };
  size_t known = 0;
  for (size_t m = 0; m < s.machines.size(); ++m) {
    for (size_t k = 0; k < s.metrics.size(); ++k)
      known += !std::isnan(s.at(k, 7, m));
  }
  EXPECT_EQ(lines(exposition(s, 7, "")), std::ptrdiff_t(known));
  const std::string one = exposition(s, 7, s.machines[2]);
  EXPECT_LE(lines(one), std::ptrdiff_t(s.metrics.size()));
  EXPECT_GT(lines(one), 0);
  EXPECT_EQ(one.find("machine=\"" + s.machines[1] + "\""), std::string::npos);
  EXPECT_EQ(exposition(s, 7, "nobody"), "");
}

TEST_F(SimulatedFiles, TheTableIsWhatTheReaderReads) {
  const SimulatedFleet job = small(false);
  write_fleet(job, path_);
  FleetSource source;
  source.csv = {path_};
  source.columns.machine_column = "machine";
  source.labels = {"stage"};
  base::ReadReport report;
  std::vector<finding::Input> inputs;
  const MetricSeries back = read_source(source, report, inputs);
  EXPECT_EQ(back.machines, job.series.machines);
  EXPECT_EQ(back.metrics.size(), job.series.metrics.size());
  EXPECT_TRUE(std::filesystem::exists(path_ + ".truth.json"));
}

TEST_F(SimulatedFiles, TrainingIsTheSameWhateverTheThreadsAndItsThresholdHasACeiling) {
  write_fleet(small(false), path_);
  FleetTrainingOptions o;
  o.source.csv = {path_};
  o.source.columns.machine_column = "machine";
  o.source.metrics = {"cpu_usage", "gpu_duty_cycle"};
  o.train.windows = 1000;
  o.train.epochs = 2;
  const FleetTraining one = train_fleet(o);
  o.threads = 3;
  const FleetTraining three = train_fleet(o);
  EXPECT_EQ(base::write_json(to_json(one.model)), base::write_json(to_json(three.model)));
  const double most = 0.8 * 5 / std::sqrt(6.0);
  for (const MetricModel& m : one.model.metrics) {
    EXPECT_GT(m.threshold, 0);
    EXPECT_LE(m.threshold, float(most) + 1e-4);
  }
  const finding::Diagnosis d = describe(one, "model.json", 5);
  EXPECT_EQ(d.facts.size(), one.model.metrics.size());
  EXPECT_EQ(d.verdict, "Written to model.json.");
}

}  // namespace
}  // namespace lento::fleet
