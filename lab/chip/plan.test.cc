#include "lab/chip/plan.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "lab/chip/alter.h"

namespace lento::chip {
namespace {

// A small campaign in a folder of its own.
class CampaignPlan : public testing::Test {
 protected:
  CampaignPlan()
      : folder_(testing::TempDir() + "plan." + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    base::write_file(folder_ + "/chip.yaml", spec::write_chip({}));
  }
  ~CampaignPlan() override {
    std::filesystem::remove_all(folder_);
  }

  Plan plan(const std::string& more) const {
    base::write_file(
        folder_ + "/c.yaml",
        "schema: lento.campaign/1\ninferences: 2\nclean_runs: 2\nfaults:\n  cores: 4\n  links: 2\n"
        "  longest: 1 s\nworkloads:\n- name: tree\n  chip: chip.yaml\n  binary_tree:\n"
        "    size: 32\n" +
            more);
    return make_plan(folder_ + "/c.yaml", "1");
  }
  std::string folder_;
};

TEST_F(CampaignPlan, EveryMethodAndRecorderJudgesTheSameRun) {
  const Plan p = plan(
      "methods: [lento, threshold, {method: paper, restart: [0, 1]}]\n"
      "recorders:\n- {kind: sketch}\n- {kind: raw, budget: [1 KiB, 2 KiB]}\n- {kind: exact, budget: 1 "
      "KiB}\n");
  ASSERT_EQ(p.runs(), 8u);
  const std::vector<RunResult> results = run_one(p, 6);
  ASSERT_EQ(results.size(), 16u);
  EXPECT_EQ(results[3].method, "paper restart=1");
  EXPECT_EQ(results[4].recorder, "raw budget=1024");
  for (const RunResult& r : results) {
    EXPECT_EQ(r.name, "clean");
    EXPECT_EQ(r.numbers.at("cycles"), results[0].numbers.at("cycles"));
  }
  EXPECT_LE(results[4].numbers.at("recorder_bytes"), 16 * 1024);
  EXPECT_EQ(write_results(run_one(p, 6)), write_results(results));
  EXPECT_EQ(write_results(read_results(write_results(results), {"x"})), write_results(results));
}

TEST_F(CampaignPlan, TrainingAloneKeepsACaseInThree) {
  const Plan all = plan("");
  const Plan training = plan("training_only: true\n");
  EXPECT_EQ(all.stages[0].cases.size(), 6u);
  ASSERT_EQ(training.stages[0].cases.size(), 2u);
  EXPECT_EQ(training.stages[0].cases[1].name, all.stages[0].cases[3].name);
  EXPECT_NE(all.identity, training.identity);
}

TEST_F(CampaignPlan, AlteredStructuresAreMoreCleanRuns) {
  const Plan p = plan("altered_runs: 3\naltered_structures: 2\nprobes: [none, full]\n");
  ASSERT_EQ(p.runs(), 22u);
  std::map<std::string, int> names;
  for (uint64_t i = 12; i < p.runs(); ++i)
    ++names[run_one(p, i)[0].name + " " + run_one(p, i)[0].probes];
  EXPECT_EQ(
      names,
      (std::map<std::string, int>{
          {"altered full", 3},
          {"altered none", 3},
          {"clean full", 2},
          {"clean none", 2}}));
}

TEST_F(CampaignPlan, MapsOfAFolderAreWorkloads) {
  EXPECT_THROW(plan("maps:\n- folder: .\n  chip: chip.yaml\n"), base::Error);  // there are none
  std::filesystem::create_directories(folder_ + "/maps");
  for (const char* name : {"b", "a"})
    base::write_file(folder_ + "/maps/" + name + ".map.json", base::read_file("examples/chip/tiny.map.json"));
  const Plan p = plan("maps:\n- folder: maps\n  chip: chip.yaml\n");
  ASSERT_EQ(p.stages.size(), 3u);
  EXPECT_EQ(p.stages[1].name, "a");
  EXPECT_EQ(p.stages[2].name, "b");
  EXPECT_EQ(p.stages[1].bench->model().program.name, "tiny");
}

TEST_F(CampaignPlan, OneCaseCanBeRunAlone) {
  const Plan all = plan("");
  const Case& third = all.stages[0].cases[2];
  const std::vector<Fault> faults = faults_of_case(folder_ + "/c.yaml", "tree/" + third.name);
  EXPECT_EQ(write_faults(faults), write_faults(third.faults));
  EXPECT_THROW(faults_of_case(folder_ + "/c.yaml", "tree/fault99"), base::Error);
}

TEST_F(CampaignPlan, ConfigurationsAreWorkloads) {
  base::write_file(
      folder_ + "/small.json",
      R"({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 64, "n_layer": 3, "n_head": 4,)"
      R"( "n_positions": 128, "vocab_size": 96})");
  const auto workload = [&](const std::string& run) {
    return plan("- name: small\n  chip: chip.yaml\n  model: small.json\n  batch: 1\n" + run)
        .stages[1]
        .run_cycles;
  };
  const uint64_t one = workload("  tokens: 16\n  layers: 1\n");
  EXPECT_LT(one, workload("  tokens: 16\n  layers: 2\n"));
  EXPECT_LT(one, workload("  tokens: 64\n  layers: 1\n"));
  EXPECT_GT(workload("  tokens: 0\n  context: 32\n  steps: 2\n  layers: 1\n"), 0u);
  EXPECT_THROW(workload("  tokens: 0\n"), base::Error);  // asks for nothing
  EXPECT_THROW(plan("  tokens: 16\n"), base::Error);     // of a tree
}

// What a fault file says about a fault decides what its run is: a journal of other faults is another
// campaign.
TEST_F(CampaignPlan, ChangedFaultsAreAnotherCampaign) {
  const auto identity = [&](const std::string& shape) {
    base::write_file(
        folder_ + "/f/one.yaml",
        "schema: lento.faults/1\nfaults:\n- component: core5\n  factor: 3\n" + shape);
    base::write_file(
        folder_ + "/d.yaml",
        "schema: lento.campaign/1\ninferences: 1\nfaults:\n  files: f\nworkloads:\n- name: tree\n"
        "  chip: chip.yaml\n  binary_tree:\n    size: 32\n");
    return make_plan(folder_ + "/d.yaml", "1").identity;
  };
  std::filesystem::create_directories(folder_ + "/f");
  const std::string steady = identity("");
  EXPECT_EQ(identity(""), steady);
  EXPECT_NE(identity("  ramp: 1 ms\n"), steady);
}

TEST_F(CampaignPlan, RefusesWhatItCannotRun) {
  for (const char* bad :
       {"methods: [sloth]\n",
        "methods: [{method: paper, speed: 1}]\n",
        "recorders: [{kind: tape}]\n",
        "recorders: [{kind: sketch, buckets: 3}]\n",
        "recorders: [{kind: sketch, bucket: 4}]\n",
        "recorders: [{kind: sketch, bins: 1}]\n",
        "recorders: [{kind: sketch, as_printed: yes}]\n",
        "probes: [most]\n"})
    EXPECT_THROW(plan(bad), base::Error) << bad;
  const Plan cramped = plan("recorders: [{kind: sketch, entries: 127, budget: 1 KiB}]\n");
  EXPECT_THROW(run_one(cramped, cramped.runs() - 1), base::Error);
  std::string many = "methods: [{method: paper";
  for (const char* name : {"restart", "direction", "reference", "link_temperature", "link_candidate"})
    many += std::string(", ") + name + ": [0, 1, 2, 3, 4, 5, 6, 7, 8]";
  EXPECT_THROW(plan(many + "}]\n"), base::Error);
}

// Work moves from core to core and changes in amount; what is read and sent stays consistent.
TEST(Altered, LoadsCoresUnevenlyAndStillRuns) {
  const spec::Chip chip;
  BinaryTree tree;
  tree.size = 32;
  const Mapping mapping = map_binary_tree(tree, chip);
  Options quiet;
  quiet.noise = false;
  const auto busy = [&](const Mapping& m) {
    const Program program = expand(m, chip, m.name);
    const Model model(chip, program);
    const Result r = simulate(model, {}, quiet);
    EXPECT_TRUE(r.finished);
    return r.core_busy;
  };
  int differ = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed)
    differ += busy(altered(mapping, chip, seed)) != busy(mapping);
  EXPECT_EQ(differ, 8);
}

TEST(Data, RunShareAndShapes) {
  DataSetOptions o;
  o.run_cycles = 1'000'000;
  o.run_share = 0.01;
  o.shape = "on_off";
  for (const Case& c : draw_cases(Grid(spec::Chip{}), o)) {
    EXPECT_EQ(c.faults[0].end - c.faults[0].begin, 10'000u);
    EXPECT_LE(c.faults[0].end, o.run_cycles);
    EXPECT_EQ(c.faults[0].on * 2, c.faults[0].period);
  }
  o.run_share = 50;
  for (const Case& c : draw_cases(Grid(spec::Chip{}), o)) {
    EXPECT_EQ(c.faults[0].begin, 0u);
    EXPECT_EQ(c.faults[0].end, 50 * o.run_cycles);
  }
}

}  // namespace
}  // namespace lento::chip
