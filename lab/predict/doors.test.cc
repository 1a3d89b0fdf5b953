// The doors are compared to the bit, and a door that is not there is not passed.
#include "lab/predict/doors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "predict/time/rows/known_models.h"
#include "predict/time/workload.h"

namespace lento::predict {
namespace {

TrainingRun every_field() {
  TrainingRun r;
  r.model = *known_sizes("deepseek-v3");
  r.sequence = 4096;
  r.global_batch = 96;
  r.micro_batch = 3;
  r.tensor = 2;
  r.pipeline = 4;
  r.data = 8;
  r.context = 2;
  r.expert = 16;
  r.interleave = 2;
  r.schedule = Schedule::ZeroBubble;
  r.recompute = Recompute::Operators;
  r.sequence_parallel = true;
  r.zero = 2;
  r.fp32_gradients = false;
  r.overlap_tensor = r.overlap_gather = r.overlap_pipeline = r.overlap_experts = true;
  r.expanded_keys = r.frozen = true;
  r.precision = Precision::Fp16;
  r.products = Precision::Fp8;
  return r;
}

TEST(Doors, ARunWrittenAsYamlIsThatRun) {
  const TrainingRun run = every_field();
  const Question q = parse_workload(run_yaml(run, "megatron", true), "w.yaml", {});
  EXPECT_EQ(std::get<TrainingRun>(q.what), run);
  EXPECT_EQ(q.framework, "megatron");
}

TEST(Doors, ABitMoreIsADifference) {
  AskedRow row{"t", 0, "h100", 1.5, 1.5, 1.5, {}, {}};
  EXPECT_TRUE(row.same());
  row.yaml_s = 1.5000000000000002;
  EXPECT_FALSE(row.same());
  row.yaml_s = 1.5;
  row.config_s = 0;
  EXPECT_FALSE(row.same());
  row.config_s = 1.5;
  row.refused = "no such key";
  EXPECT_FALSE(row.same());
}

TEST(Doors, RowsOfTablesAreAsked) {
  const std::string folder = testing::TempDir() + "/lento_doors_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  base::write_file(
      folder + "/train_megatron_core_h100.csv",
      "hidden,layers,heads,gpus,global_batch,seq_len,vocab,tp,pp,dp\n"
      "2048,24,16,48,192,4096,131072,1,1,48\n"
      "2048,24,15,48,192,4096,131072,2,1,24\n");
  const AskedRows asked = ask_all_doors(folder, folder + "/run.yaml");
  ASSERT_EQ(asked.rows.size(), 1U);
  EXPECT_TRUE(asked.rows[0].same()) << asked.rows[0].refused;
  EXPECT_GT(asked.rows[0].table_s, 0);
  EXPECT_EQ(asked.not_answered.size(), 1U);
}

}  // namespace
}  // namespace lento::predict
