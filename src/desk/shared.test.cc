// The inputs that people hold, kept outside the repository: LENTO_SHARED names their folder, and the test is
// skipped without it. Each line holds a folder, the outcome that is right and the subject that must lead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "desk/diagnose.h"

namespace lento::desk {
namespace {

struct Case {
  const char* folder;
  finding::Outcome outcome;
  const char* subject;  // of the first finding; a part of the reason where none is named
};

class SharedInput : public ::testing::TestWithParam<Case> {};

TEST_P(SharedInput, IsAnsweredAsItShould) {
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string root = shared ? std::string(shared) + "/data/field/" : "";
  if (root.empty() || !std::filesystem::exists(root + GetParam().folder))
    GTEST_SKIP() << "LENTO_SHARED does not name the folder of shared inputs";
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(root + GetParam().folder))
    if (entry.path().filename() != "cmd" && entry.path().filename() != "right.txt")
      paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  const finding::Diagnosis found = diagnose({paths, {}});
  EXPECT_EQ(found.outcome, GetParam().outcome) << found.verdict;
  const std::string said = found.findings.empty() ? found.reason : found.findings[0].subject;
  EXPECT_NE(said.find(GetParam().subject), std::string::npos) << said << "\n" << found.verdict;
}

using enum finding::Outcome;
INSTANTIATE_TEST_SUITE_P(
    Field,
    SharedInput,
    ::testing::Values(
        Case{"01-watchdog-timeout", Findings, "rank 3"},
        Case{"02-xid-dmesg", Findings, "node17/0000:4b:00"},
        Case{"03-megatron-straggler", Findings, "rank 37"},
        Case{"04-megatron-no-ranks", Findings, "the job"},
        Case{"05-torchtitan-drop", Findings, "the job"},
        Case{"06-nvidia-smi-throttle", Findings, "node03/gpu2"},
        Case{"07-nccl-info-no-gdr", Findings, "gpu37"},
        Case{"08-nccl-tests-pairs", Findings, "n4"},
        Case{"09-nccl-ras-mismatch", CannotJudge, "30 ranks have not launched AllGather 641"},
        Case{"10-dcgm-diag", Findings, "gpu3"},
        Case{"11-pcie-downgraded", Findings, "0000:9d:00.0"},
        Case{"12-roce-counters", Findings, "n3"},
        Case{"13-vllm-bench", CannotJudge, "1024 tokens in and 128 out"},
        Case{"14-nsys-kernels", CannotJudge, "waits for a slower one 48.5 %"},
        Case{"15-sacct", Findings, "gpu017"},
        Case{"16-ib-rate", Findings, "mlx5_6"},
        Case{"first_hour/08-gpu-burn", Findings, "gpu2"},
        Case{"fleet/01-nvrx-scores", Findings, "gpu01 rank 11"},
        Case{"fleet/03-ib-completion", Findings, "10.0.3.9"},
        Case{"fleet/04-sinfo", Findings, "gpu-"},
        Case{"fleet/05-sniff-test", Findings, "gpu02 rank 21"},
        Case{"fleet/07-job-hang-power", Findings, "dgx2/gpu6"},
        Case{"fleet/09-min-max-rank", Findings, "rank 19"},
        Case{"fleet/10-perfquery", Findings, "gpu03/mlx5_1"},
        Case{"fleet/11-ras-text", Findings, "10.0.4.3 rank 21"},
        Case{"fleet/12-amd-smi", Findings, "gpu4"},
        Case{"fleet/14-rank-step-csv", Findings, "rank 9"},
        Case{"fleet/19-rank-jsonl", Findings, "h1 rank 12"},
        Case{"fleet/22-megatron-timers", Findings, "the job"}),
    [](const ::testing::TestParamInfo<Case>& tested) {
      const std::string folder = tested.param.folder;
      const size_t slash = folder.find('/');
      const std::string room = folder.starts_with("fleet") ? "Fleet" : "FirstHour";
      return slash == folder.npos ? "Input" + folder.substr(0, 2) : room + folder.substr(slash + 1, 2);
    });

}  // namespace
}  // namespace lento::desk
