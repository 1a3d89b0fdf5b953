#include "desk/training/training.h"

#include <gtest/gtest.h>

#include <map>

#include "desk/read/log_file.h"
#include "desk/training/step_lines.h"

namespace lento::desk {
namespace {

Records read(std::string_view text) {
  const LogReader reader(training_formats());
  Records records;
  reader.read_text(text, "train.log", records);
  return records;
}

// Steps or times and values of a quantity of the job.
std::map<double, double> values(const Records& records, std::string_view quantity) {
  std::map<double, double> found;
  for (const Series& series : records.series())
    for (const Observation& row : series.rows)
      if (records.quantities()[row.quantity].name == quantity)
        found[std::isnan(row.step) ? row.time.seconds : row.step] = row.value;
  return found;
}

using Values = std::map<double, double>;

TEST(NumberAfter, TakesWholeLabelsAndNumbersWithCommas) {
  EXPECT_EQ(number_after("tps: 6,892  mfu: 40.45%", "tps:"), 6892);
  EXPECT_EQ(number_after("tps: 6,892  mfu: 40.45%", "mfu:"), 40.45);
  EXPECT_EQ(number_after("a_tps: 1, tps: 2", "tps:"), 2);
  EXPECT_EQ(number_after("loss: 6.9E-01 | x", "loss:"), 0.69);
  EXPECT_EQ(number_after("CurrSamplesPerSec=24.7, MemAllocated=5GB", "CurrSamplesPerSec="), 24.7);
  EXPECT_EQ(number_after("'epoch': '0.5'}", "'epoch':"), 0.5);
  EXPECT_EQ(number_after("tps: none", "tps:"), std::nullopt);
  EXPECT_EQ(number_after("", "tps:"), std::nullopt);
}

TEST(Training, MegatronStepsAndTheReportOfItsStragglerDetector) {
  const Records records = read(
      " [2026-05-02 11:08:25] iteration       40/  250000 | consumed samples:  1024 | elapsed time per "
      "iteration (ms): 2500.0 | throughput per GPU (TFLOP/s/GPU): 402.8 | global batch size:  512 |\n"
      " [2026-05-02 11:08:25] MnRtt/Rnk: 4.69s/38 | MxRtt/Rnk: 4.95s/2 | MnPwr/Rnk: 668.10W/26 | MxPwr/Rnk: "
      "690.10W/23 | MnTmp/Rnk: 45.00C/50 | MxTmp/Rnk: 66.00C/12 | MnClk/Rnk: 1965.00MHz/18 | MxClk/Rnk: "
      "1980.00MHz/27\n");
  EXPECT_EQ(values(records, "step time"), (Values{{40, 2.5}}));
  EXPECT_EQ(values(records, "throughput per GPU"), (Values{{40, 402.8}}));
  EXPECT_EQ(values(records, "global batch size"), (Values{{40, 512}}));
  EXPECT_EQ(values(records, "lowest clock of all ranks"), (Values{{40, 1965}}));
  for (const Series& series : records.series()) {
    if (records.quantities()[series.quantity].name == "lowest clock of all ranks") {
      EXPECT_EQ(records.subjects()[series.subject].rank, "18");
    }
  }
}

TEST(Training, OneRowAStepOfEachProgram) {
  EXPECT_EQ(
      values(
          read("step: 20  loss:  7.5  memory: 1GiB(2%)  tps: 6,976  mfu: 40.5%\n"),
          "tokens per second and GPU"),
      (Values{{20, 6976}}));
  EXPECT_EQ(
      values(
          read("Training epoch 0, iteration 7/99 | lr: 3e-06 | global_batch_size: 8 | global_step: 7 | "
               "reduced_train_loss: 10.5 | train_step_timing in s: 4.5 | consumed_samples: 64\n"),
          "step time"),
      (Values{{7, 4.5}}));
  EXPECT_EQ(
      values(
          read("[2026-03-07 15:27:02,646] [INFO] [timer.py:260:stop] epoch=0/micro_step=9/global_step=9, "
               "RunningAvgSamplesPerSec=58.7, CurrSamplesPerSec=61.25, MemAllocated=6.01GB\n"),
          "samples per second"),
      (Values{{9, 61.25}}));
  EXPECT_EQ(
      values(
          read("completed step: 3, seconds: 1.25, TFLOP/s/device: 203.1, Tokens/s/device: 4538.9, loss: 7\n"),
          "step time"),
      (Values{{3, 1.25}}));
}

TEST(Training, TheTrainersEntriesAreTimedByTheirPrefix) {
  const Records records = read(
      "2026-05-02T10:00:00.000000000Z {'loss': 2.0, 'learning_rate': 1e-05, 'epoch': 0.1}\n"
      "2026-05-02T10:00:30.000000000Z {'loss': 1.9, 'learning_rate': 1e-05, 'epoch': 0.2}\n"
      "2026-05-02T10:02:00.000000000Z {'loss': 1.8, 'learning_rate': 1e-05, 'epoch': 0.4}\n");
  const Values found = values(records, "time per epoch");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found.begin()->second, 300, 1e-6);
  EXPECT_NEAR(found.rbegin()->second, 450, 1e-6);
  EXPECT_TRUE(
      values(read("{'loss': 2.0, 'epoch': 0.1}\n{'loss': 1.9, 'epoch': 0.2}\n"), "time per epoch").empty());
}

TEST(Training, MlperfBlocksAndThroughputAndALineThatWasCut) {
  const Records records = read(
      ":::MLLOG {\"time_ms\": 1000, \"key\": \"block_start\", \"value\": null, \"metadata\": {\"step\": 0}}\n"
      ":::MLLOG {\"time_ms\": 2000, \"key\": \"tracked_stats\", \"value\": {\"throughput\": 14.5}, "
      "\"metadata\": {\"step\": 64}}\n"
      ":::MLLOG {\"time_ms\": 5000, \"key\": \"block_stop\", \"value\": null, \"metadata\": {\"step\": 64}}\n"
      ":::MLLOG {\"time_ms\": 9000, \"key\": \"block_stop\", \"value\": null, \"metadata\": {\"step\": "
      "128}}\n"
      ":::MLLOG {\"time_ms\": 6000, \"key\": \"tracked_st");
  EXPECT_EQ(values(records, "time of a block of training"), (Values{{64, 4}}));
  EXPECT_EQ(values(records, "samples per second"), (Values{{64, 14.5}}));
}

TEST(Training, StragglerScoresTakeTheWorstRankAndTheWarningsRanks) {
  const Records records = read(
      "GPU relative performance:\n Worst performing 2/16 ranks:\n  Rank=9 Node=n1 Score=0.61\n  Rank=2 "
      "Node=n0 "
      "Score=0.97\n Best performing 2/16 ranks:\n  Rank=1 Node=n0 Score=1.00\n"
      "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: [9, 11]\n"
      "STRAGGLER DETECTION WARNING: Some GPUs performance dropped. Affected ranks: {Id(rank=9, "
      "node='n77')}\n");
  EXPECT_EQ(values(records, "lowest score of all ranks beside the others"), (Values{{1, 0.61}}));
  ASSERT_EQ(records.events().size(), 3u);
  EXPECT_EQ(records.events()[1].subject.rank, "11");
  EXPECT_EQ(records.events()[2].subject.rank, "9");
}

TEST(Training, HostileLinesGiveNoRow) {
  const Records records = read(
      "iteration 99999999999999999999/ 1 | elapsed time per iteration (ms): nan | x\n"
      "step: 1 loss: 3 tps: \n"
      "MnRtt/Rnk: 1.0s/1 | MxRtt/Rnk: 9e999s/99999999999999999999 | MnClk/Rnk: 5MHz/\n"
      ":::MLLOG {\"time_ms\": \"x\", \"key\": 3}\n"
      ":::MLLOG {{{{\n");
  EXPECT_TRUE(records.series().empty());
}

}  // namespace
}  // namespace lento::desk
