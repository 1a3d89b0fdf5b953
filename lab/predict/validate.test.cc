// Made-up tables whose times are the predicted ones, or twice as long: which figures are stated, and whether
// each limit is said to be reached.
#include "lab/predict/validate.h"

#include <algorithm>

#include "base/test_folder.h"
#include "base/units.h"

namespace lento::predict {
namespace {

class Validated : public base::test::FolderTest {
 protected:
  // Writes four published runs with these seconds a step.
  void korthikanti(const std::vector<double>& seconds) const {
    std::string text =
        "model,tp,pp,dp,global_batch,microbatch,pp_interleave,recompute,seq_parallel,iter_time_s\n";
    const char* const runs[] = {
        "22B,8,1,1,4,4,1",
        "175B,8,8,1,64,1,3",
        "530B,8,35,1,280,1,3",
        "1T,8,64,1,512,1,1"};
    for (size_t i = 0; i < seconds.size(); ++i)
      text += std::string(runs[i]) + ",full,False," + base::format_exact(seconds[i]) + "\n";
    file("train_korthikanti_a100.csv", text);
  }
  const Bar* bar(const Validation& v, const std::string& what) const {
    const auto at = std::ranges::find(v.bars, what, &Bar::what);
    return at == v.bars.end() ? nullptr : &*at;
  }
  static std::vector<double> predicted(const Validation& v) {
    std::vector<double> out;
    for (const Residual& r : v.residuals)
      out.push_back(r.predicted_s);
    return out;
  }
};

TEST_F(Validated, WithoutTablesNothingIsStated) {
  const Validation v = validate(folder_);
  EXPECT_TRUE(v.bars.empty());
  EXPECT_TRUE(v.residuals.empty());
}

TEST_F(Validated, TimesAsPredictedReachTheirLimitAndTwiceTheTimeDoesNot) {
  korthikanti({1, 1, 1, 1});
  std::vector<double> seconds = predicted(validate(folder_));
  ASSERT_EQ(seconds.size(), 4u);
  korthikanti(seconds);
  const Validation same = validate(folder_);
  const Bar* reached = bar(same, "training, Korthikanti 8");
  ASSERT_TRUE(reached);
  EXPECT_EQ(reached->rows, 4u);
  EXPECT_NEAR(reached->ours, 0, 1e-6);
  EXPECT_TRUE(reached->reached);
  for (double& s : seconds)
    s *= 2;
  korthikanti(seconds);
  const Validation slower = validate(folder_);
  EXPECT_NEAR(bar(slower, "training, Korthikanti 8")->ours, 0.5, 1e-6);
  EXPECT_FALSE(bar(slower, "training, Korthikanti 8")->reached);
  // Two scalars of the stack, fitted to the other runs, take up what all runs share.
  EXPECT_LT(bar(slower, "leave one out, Korthikanti 8")->ours, 0.25);
}

TEST_F(Validated, RunsThatEndedForWantOfMemoryAreCounted) {
  const std::string header =
      "hidden_size,num_layers,num_heads,vocab_size,seq_len,mbs,batch_accum,tp,dp,pp,zero_stage,tp_mode,"
      "status,tok/s/gpu\n";
  const std::string small = "2048,16,16,32768,4096,1,4,1,8,1,1,REDUCE_SCATTER,";
  const std::string large = "16384,80,128,131072,8192,16,4,1,8,1,0,REDUCE_SCATTER,";
  file(
      "train_h100_nanotron.csv.gz",
      header + small + "Success,1000\n" + large + "OOM,\n" + small + "Fail,\n");
  const Validation right = validate(folder_);
  ASSERT_TRUE(bar(right, "out of memory wrongly told, nanotron H100"));
  EXPECT_EQ(bar(right, "out of memory wrongly told, nanotron H100")->rows, 2u);
  EXPECT_EQ(bar(right, "out of memory wrongly told, nanotron H100")->ours, 0);
  file("train_h100_nanotron.csv.gz", header + small + "OOM,\n" + large + "OOM,\n");
  EXPECT_EQ(bar(validate(folder_), "out of memory wrongly told, nanotron H100")->ours, 0.5);
}

}  // namespace
}  // namespace lento::predict
