// Simulated runs and sweeps: same seed same bytes, both forms of records hold the same, stops leave nothing.
#include "chip/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "chip/make_mapping.h"
#include "chip/map/file/map_file.h"
#include "chip/read/probe_file.h"
#include "chip/sweep.h"
#include "finding/finding.h"
#include "finding/inputs.h"

namespace lento::chip {
namespace {

using finding::TableFigure;
using testing::HasSubstr;

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("lento_simulate_" + std::to_string(getpid()) + name))
      .string();
}

ChipSimulationOptions options() {
  ChipSimulationOptions o;
  o.chip = "examples/chip/4x4.yaml";
  o.mapping = "examples/chip/tiny.map.json";
  o.inferences = 2;
  return o;
}

std::string json(const finding::Diagnosis& d) {
  return base::write_json(finding::to_json(d));
}

std::string fact(const finding::Diagnosis& d, const std::string& name) {
  for (const auto& [key, value] : d.facts) {
    if (key == name)
      return value;
  }
  return "not there";
}

std::vector<ProbeRecord> records_in(const std::string& path) {
  base::ReadReport report;
  ProbeReader reader(path, report);
  std::vector<ProbeRecord> all;
  for (ProbeRecord r; reader.next(r);)
    all.push_back(r);
  EXPECT_EQ(report.skipped, 0U);
  return all;
}

TEST(SimulateChip, TheSameSeedIsTheSameRun) {
  ChipSimulationOptions o = options();
  o.records = temporary(".a");
  const std::string first = json(*simulate_chip(o, {}));
  const std::string bytes = base::read_file(o.records);
  EXPECT_EQ(json(*simulate_chip(o, {})), first);
  EXPECT_EQ(base::read_file(o.records), bytes);
  o.seed = 2;
  EXPECT_NE(fact(*simulate_chip(o, {}), "total time"), fact(*simulate_chip(options(), {}), "total time"));
  EXPECT_NE(base::read_file(o.records), bytes);
  std::filesystem::remove(o.records);
}

TEST(SimulateChip, TextAndBinaryHoldTheSameRecords) {
  ChipSimulationOptions o = options();
  o.records = temporary(".bin");
  const finding::Diagnosis d = *simulate_chip(o, {});
  const auto binary = records_in(o.records);
  o.records = temporary(".txt");
  o.form = ProbeForm::Text;
  simulate_chip(o, {});
  const auto text = records_in(o.records);
  EXPECT_EQ(fact(d, "records"), std::to_string(binary.size()));
  ASSERT_EQ(text.size(), binary.size());
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_EQ(text[i].begin, binary[i].begin);
    EXPECT_EQ(text[i].end, binary[i].end);
    EXPECT_EQ(text[i].core, binary[i].core);
    EXPECT_EQ(text[i].kind, binary[i].kind);
  }
  std::filesystem::remove(temporary(".bin"));
  std::filesystem::remove(temporary(".txt"));
}

TEST(SimulateChip, ProbesCostTimeAndNoneWriteNothing) {
  ChipSimulationOptions o = options();
  const finding::Diagnosis full = *simulate_chip(o, {});
  o.probes = "none";
  const finding::Diagnosis none = *simulate_chip(o, {});
  EXPECT_EQ(fact(none, "records"), "0");
  EXPECT_LT(std::stod(fact(none, "total time")), std::stod(fact(full, "total time")));
  o.probes = "generated";
  EXPECT_NE(fact(*simulate_chip(o, {}), "records"), "0");
  o.probes = "/no/such/plan";
  EXPECT_THROW(simulate_chip(o, {}), base::Error);
}

TEST(SimulateChip, FaultsSlowTheRunAndAreCounted) {
  ChipSimulationOptions o = options();
  const double healthy = std::stod(fact(*simulate_chip(o, {}), "total time"));
  o.faults = temporary(".faults");
  base::write_file(
      o.faults,
      "schema: lento.faults/1\nfaults:\n  - component: core5\n    factor: 20\n    start: 0\n");
  const finding::Diagnosis d = *simulate_chip(o, {});
  EXPECT_GT(std::stod(fact(d, "total time")), 1.2 * healthy);
  EXPECT_GT(std::stoull(fact(d, "events inside the fault of core5")), 0U);
  EXPECT_EQ(d.inputs.size(), 3U);
  base::write_file(
      o.faults,
      "schema: lento.faults/1\nfaults:\n  - component: core5\n    factor: 20\n    start: 900000000000\n");
  EXPECT_THAT(
      base::test::error_of([&] {
        simulate_chip(o, {});
      }),
      HasSubstr("core5"));
  base::write_file(
      o.faults,
      "schema: lento.faults/1\nfaults:\n  - component: core99\n    factor: 2\n    start: 0\n");
  EXPECT_THROW(simulate_chip(o, {}), base::Error);
  std::filesystem::remove(o.faults);
}

TEST(SimulateChip, AStopLeavesNoFile) {
  ChipSimulationOptions o = options();
  o.records = temporary(".stopped");
  o.chrome_trace = temporary(".trace.json");
  base::Progress stop;
  stop.stop = [] {
    return true;
  };
  EXPECT_FALSE(simulate_chip(o, stop).has_value());
  EXPECT_FALSE(std::filesystem::exists(o.records));
  EXPECT_FALSE(std::filesystem::exists(o.chrome_trace));
  EXPECT_TRUE(simulate_chip(o, {}).has_value());
  EXPECT_TRUE(std::filesystem::exists(o.records));
  base::parse_json(base::read_file(o.chrome_trace), o.chrome_trace);
  std::filesystem::remove(o.records);
  std::filesystem::remove(o.chrome_trace);
}

TEST(SimulateChip, TheReleasedModelCountsItsInstructions) {
  ChipSimulationOptions o = options();
  o.released = true;
  const finding::Diagnosis d = *simulate_chip(o, {});
  EXPECT_EQ(fact(d, "sends"), fact(d, "receives"));
  EXPECT_GT(std::stoull(fact(d, "computes")), 0U);
  EXPECT_EQ(json(*simulate_chip(o, {})), json(d));
}

TEST(SimulateChip, BusySharesAreShares) {
  const finding::Diagnosis d = *simulate_chip(options(), {});
  const auto& mesh = std::get<finding::MeshFigure>(d.figures[0].body);
  EXPECT_EQ(mesh.cores.size(), 16U);
  for (const auto& core : mesh.cores) {
    EXPECT_GE(core.value, 0);
    EXPECT_LE(core.value, 100);
  }
  EXPECT_EQ(mesh.links.size(), 48U);
}

ChipSweepOptions sweep_options() {
  ChipSweepOptions o;
  o.chip = "examples/chip/4x4.yaml";
  o.mapping = "examples/chip/tiny.map.json";
  o.factor = 8;
  return o;
}

TEST(SweepChip, AnyNumberOfThreadsGivesTheSameTable) {
  ChipSweepOptions o = sweep_options();
  o.threads = 1;
  const finding::Diagnosis one = *chip_sweep(o, {});
  o.threads = 3;
  EXPECT_EQ(json(*chip_sweep(o, {})), json(one));
  const auto& all = std::get<TableFigure>(one.figures[2].body);
  EXPECT_EQ(all.rows.size(), 16U + 24 + 16 + 16 + 8);
  double before = INFINITY;
  for (const auto& row : all.rows) {
    EXPECT_LE(std::stod(row[1]), before);
    before = std::stod(row[1]);
  }
  EXPECT_THAT(one.verdict, HasSubstr(all.rows[0][0]));
  size_t counted = 0;
  for (const auto& row : std::get<TableFigure>(one.figures[0].body).rows)
    counted += std::stoull(row[1]);
  EXPECT_EQ(counted, all.rows.size());
}

TEST(SweepChip, AStopAtOnceIsNoAnswerAndALaterOneSaysSo) {
  base::Progress stop;
  stop.stop = [] {
    return true;
  };
  EXPECT_FALSE(chip_sweep(sweep_options(), stop).has_value());
}

TEST(MapNetwork, OptionsThatAreNoneAreNamed) {
  ChipMappingOptions o;
  o.model = "examples/models/googlenet.onnx";
  o.chip = "examples/chip/4x4.yaml";
  const auto error = [&] {
    return base::test::error_of([&] {
      map_network(o, "out.map.json", {});
    });
  };
  o.dimensions = {"batch"};
  EXPECT_THAT(error(), HasSubstr("needed NAME=N"));
  o.dimensions = {"batch=0"};
  EXPECT_THAT(error(), HasSubstr("--dim batch=0"));
  o.dimensions = {};
  o.model = "/no/such.onnx";
  EXPECT_THAT(error(), HasSubstr("/no/such.onnx"));
}

TEST(MapNetwork, ATreeNeedsNoModel) {
  ChipMappingOptions o;
  o.chip = "examples/chip/4x4.yaml";
  o.binary_tree = true;
  const ChipMapping made = map_network(o, "out.map.json", {});
  EXPECT_EQ(made.width, 4);
  EXPECT_EQ(made.mapping.layers.size(), 4U);
  EXPECT_EQ(made.guessed, 0);
}

TEST(InputOf, ADigestIsThatOfTheBytes) {
  const std::string path = temporary(".input");
  const std::string text(200'000, 'x');
  base::write_file(path, text);
  EXPECT_EQ(finding::input_of("role", path).digest, base::digest(text));
  EXPECT_EQ(finding::input_of("role", path).role, "role");
  EXPECT_EQ(finding::input_of("role", "/dev/null").digest, "");
  EXPECT_EQ(finding::input_of("role", "/no/such").digest, "");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::chip
