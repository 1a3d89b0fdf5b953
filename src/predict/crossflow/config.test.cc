// Design points as files: every field is needed, checked and comes back as it was written.
#include "predict/crossflow/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_error.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

const std::string kPath = "examples/search/node.yaml";

CrossFlowConfig read(const std::string& text) {
  const std::string path = testing::TempDir() + "/lento_design.yaml";
  base::write_file(path, text);
  return read_crossflow(path);
}

// The example with what follows `key:` on its first line replaced.
std::string with(const std::string& key, const std::string& value) {
  std::string text = base::read_file(kPath);
  size_t at = text.find(" " + key + ":");
  EXPECT_NE(at, std::string::npos) << key;
  at += key.size() + 2;
  return text.replace(at, text.find('\n', at) - at, " " + value);
}

std::string error_with(const std::string& key, const std::string& value) {
  return base::test::error_of([&] {
    read(with(key, value));
  });
}

TEST(CrossFlowConfig, SizesAreBinary) {
  EXPECT_DOUBLE_EQ(read(with("stack_capacity", "4 GB")).dram.stack_capacity, 4.0 * (1 << 30));
  EXPECT_DOUBLE_EQ(read(with("bank_capacity", "32 KB")).sram[0].bank_capacity, 32768);
  EXPECT_DOUBLE_EQ(read(with("bank_capacity", "1 MB")).sram[0].bank_capacity, 1 << 20);
  EXPECT_DOUBLE_EQ(read(with("bank_capacity", "100")).sram[0].bank_capacity, 100);
  EXPECT_THAT(error_with("bank_capacity", "4 GiB"), HasSubstr("'bank_capacity' is '4 GiB'"));
}

TEST(CrossFlowConfig, WordsThatAreNoneAreNotTakenForAnother) {
  EXPECT_THAT(error_with("dataflow", "output"), HasSubstr("'dataflow' is 'output'"));
  EXPECT_EQ(read(with("dataflow", "ost")).core.dataflow, "ost");
  EXPECT_THAT(
      error_with("scope", "mcu_bundle"),
      testing::AllOf(HasSubstr("'scope' is 'mcu_bundle'"), HasSubstr("mcu-bundle")));
  EXPECT_THAT(error_with("dp_inter", "maybe"), HasSubstr("'dp_inter' is 'maybe'"));
  EXPECT_TRUE(read(with("dp_inter", "True")).crosses[2]);
}

TEST(CrossFlowConfig, NumbersOutOfRangeAreToldWithTheirLine) {
  EXPECT_THAT(error_with("seq_len", "1e12"), HasSubstr("needed a number from 1 to 4096"));
  EXPECT_THAT(error_with("num_layers", "1e6"), HasSubstr("to 1024"));
  EXPECT_THAT(error_with("batch_size", "0"), HasSubstr("'batch_size' is '0'"));
  EXPECT_THAT(error_with("precision", "32"), HasSubstr("'precision'"));
  EXPECT_THAT(error_with("util", "-1"), HasSubstr("'util' is '-1'"));
  EXPECT_THAT(error_with("TDP", "lots"), HasSubstr("lento_design.yaml:"));
}

// All that is missing is told in one run.
TEST(CrossFlowConfig, EverythingThatIsMissingIsNamedAtOnce) {
  std::string text = base::read_file(kPath);
  for (const char* key : {" batch_size:", " TDP:", " dataflow:", " vocab_size:"}) {
    const size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos) << key;
    text.replace(at + 1, 1, "Z");
  }
  const std::string said = base::test::error_of([&] {
    read(text);
  });
  for (const char* key : {"'batch_size'", "'TDP'", "'dataflow'", "'vocab_size'"})
    EXPECT_THAT(said, HasSubstr(std::string(key) + " is missing"));
  EXPECT_THAT(
      base::test::error_of([] {
        read("model_param:\n  batch_size: 1\n");
      }),
      HasSubstr("section 'tech_param' is missing"));
}

}  // namespace
}  // namespace lento::predict
