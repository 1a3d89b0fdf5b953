// The list of public runs: what it holds, and rows that are refused.
#include "predict/expect/field_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

std::string shipped_list() {
  const char* source = std::getenv("LENTO_SOURCE");
  return std::string(source ? source : ".") + "/share/lento/field_rows.csv";
}

TEST(FieldRows, TheListHoldsRunsOfManySources) {
  base::ReadReport report;
  const std::vector<FieldRow> rows = read_field_rows(shipped_list(), report);
  std::set<std::string> sources;
  std::set<std::string> stacks;
  std::set<std::string> chips;
  for (const FieldRow& r : rows) {
    sources.insert(r.group());
    stacks.insert(r.stack);
    chips.insert(r.chip);
    EXPECT_GT(r.measured_s, 0) << r.source;
  }
  EXPECT_GE(rows.size(), 190u);
  EXPECT_GE(sources.size(), 50u);
  EXPECT_GE(stacks.size(), 15u);
  EXPECT_GE(chips.size(), 10u);
}

TEST(FieldRows, RatesBecomeTheTimeOfTheWorkThatIsTimed) {
  base::ReadReport report;
  for (const FieldRow& r : read_field_rows(shipped_list(), report)) {
    if (r.group() == "foundation-model-stack/fms-fsdp" && r.model == "llama2-7b" && r.chip == "h100") {
      // 192 sequences of 4,096 tokens at 7,500 tokens a second on each of 96.
      EXPECT_NEAR(r.measured_s, 192 * 4096 / (7500.0 * 96), 1e-9);
      EXPECT_EQ(std::get<TrainingRun>(r.run).zero, 3);
      EXPECT_EQ(std::get<TrainingRun>(r.run).shard, 8);
      EXPECT_DOUBLE_EQ(r.system().network.between_Bps, 12.5e9);  // 800 Gbit/s over eight
      EXPECT_EQ(r.system().network.node_devices, 8);
    }
    if (r.group() == "NVIDIA/dgxc-benchmarking" && r.stack == "nemo") {
      EXPECT_TRUE(std::get<TrainingRun>(r.run).overlap_tensor);
      EXPECT_TRUE(std::get<TrainingRun>(r.run).overlap_gather);
    }
    if (r.group() == "vllm-project/vllm#16300") {
      EXPECT_EQ(r.stack, "vllm v0.6");
    }
    if (r.group() == "vllm-project/vllm#3692") {
      EXPECT_EQ(r.stack, "vllm v0");
    }
    if (r.group() == "vllm-project/vllm#670") {
      EXPECT_EQ(r.stack, "vllm eager");
    }
    if (r.source.starts_with("NVIDIA/dgxc-benchmarking nemo")) {
      EXPECT_EQ(std::get<TrainingRun>(r.run).interleave, 12);
      EXPECT_TRUE(std::get<TrainingRun>(r.run).model.flash);
    }
    if (r.group() == "NVIDIA/NeMo-Framework-Launcher") {
      EXPECT_FALSE(std::get<TrainingRun>(r.run).model.flash);
    }
    if (r.group() == "ROCm/vllm") {
      EXPECT_EQ(r.cache_bits, 8);
    }
    if (r.group() == "NVIDIA/TensorRT-LLM#4043") {
      EXPECT_EQ(r.faulty, r.chip == "b200");  // the same on an H200 reaches what its maker published
    }
    if (r.source == "vllm-project/recipes #476") {
      EXPECT_EQ(r.at_once, 32);
      EXPECT_TRUE(r.server);
    }
  }
}

class FieldRowsBad : public testing::Test {
 protected:
  // The refusal of the list with one field of its second line changed.
  std::string refusal(const std::string& from, const std::string& to) {
    std::string text = base::read_file(shipped_list());
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    const std::string path = (std::filesystem::temp_directory_path() / "lento_field_rows_bad.csv").string();
    base::write_file(path, text);
    base::ReadReport report;
    try {
      read_field_rows(path, report);
    } catch (const base::Error& e) {
      return e.what();
    }
    return {};
  }
};

TEST_F(FieldRowsBad, FieldsThatCannotBeReadAreNamed) {
  EXPECT_THAT(refusal(",a100,2,,,bf16,", ",a101,2,,,bf16,"), HasSubstr("'a101' is not known"));
  EXPECT_THAT(refusal(",a100,2,,,bf16,", ",a100,2,,,bf15,"), HasSubstr("'bf15' is not known"));
  EXPECT_THAT(refusal(",a100,2,,,bf16,", ",a100,2,1.5,,bf16,"), HasSubstr("no whole number"));
  EXPECT_THAT(refusal(",a100,2,,,bf16,", ",a100,2,,-1,bf16,"), HasSubstr("is not above 0"));
  EXPECT_THAT(refusal("36.2,job", "0,job"), HasSubstr("is not above 0"));
  EXPECT_THAT(refusal("serve,qwq-32b,5120", "serve,qwq-32b,51.2"), HasSubstr("no whole number"));
  EXPECT_THAT(refusal("serve,qwq-32b", "play,qwq-32b"), HasSubstr("train or serve"));
  EXPECT_THAT(refusal("kind,model", "sort,model"), HasSubstr("kind"));
}

}  // namespace
}  // namespace lento::predict
