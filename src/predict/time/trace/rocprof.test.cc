#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "predict/time/trace/compare_run.h"

namespace lento::predict {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Rocprof : public ::testing::Test {
 protected:
  ~Rocprof() override {
    std::filesystem::remove(path_);
  }
  MeasuredRun read(const std::string& text) {
    base::write_file(path_, text);
    return read_run(path_, report_);
  }
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("rocprof." + std::to_string(::getpid()) + ".csv")).string();
  base::ReadReport report_;
};

TEST_F(Rocprof, RangesNamedAsStepsAreSteps) {
  const MeasuredRun run = read(
      "\"Domain\",\"Function\",\"Start_Timestamp\",\"End_Timestamp\"\n"
      "M,ProfilerStep#1,1000000000,1013000000\nM,forward,1000000000,1004000000\nM,Iteration 2,0,2500000\n");
  EXPECT_THAT(run.steps_s, ElementsAre(DoubleNear(0.013, 1e-12), DoubleNear(0.0025, 1e-12)));
  EXPECT_THAT(run.device, IsEmpty());
}

TEST_F(Rocprof, KernelsOfBothGenerationsAreSummed) {
  for (const char* header : {"Kernel_Name,Start_Timestamp,End_Timestamp\n", "KernelName,BeginNs,EndNs\n"}) {
    const MeasuredRun run = read(
        std::string(header) +
        "\"softmax<float>(float*, int)\",10,20\ngemm,100,400\ngemm,500,700\nback,9,1\nodd,x,2\n");
    ASSERT_THAT(run.device, SizeIs(2));
    EXPECT_EQ(run.device[0].name, "gemm");
    EXPECT_EQ(run.device[0].count, 2u);
    EXPECT_THAT(run.device[0].seconds, DoubleNear(500e-9, 1e-15));
    EXPECT_EQ(run.device[1].name, "softmax<float>(float*, int)");
  }
  EXPECT_EQ(report_.skipped, 4u);  // an end before its begin, and no number, in each of two tables
}

TEST_F(Rocprof, KernelsAloneCannotBeJudged) {
  const MeasuredRun run = read("Kernel_Name,Start_Timestamp,End_Timestamp\ngemm,100,400\n");
  const finding::Diagnosis d = compare_run(read_system("h100"), run, {});
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.remedy, HasSubstr("sizes"));
  ASSERT_THAT(d.figures, SizeIs(1));
}

TEST_F(Rocprof, AnotherToolsTableIsNotTakenForIt) {
  base::write_file(path_, "device,m,n,k,time_s\nH100,64,64,64,0.1\n");
  EXPECT_FALSE(is_rocprof(path_));
  EXPECT_THAT(
      base::test::error_of([&] {
        read_rocprof(path_, report_);
      }),
      HasSubstr("not those of rocprof"));
}

}  // namespace
}  // namespace lento::predict
