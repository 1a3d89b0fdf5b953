// Programs whose step lines need a table and nothing else.
//
//   torchtitan = "step:" N "loss:" X {NAME ":" X}
//   NeMo       = "Training epoch" N ", iteration" N "/" N {" | " NAME ": " X}
//              | progress bar with "[" {NAME "=" X ","} "]"
//   DeepSpeed  = "epoch=" N "/micro_step=" N "/global_step=" N {", " NAME "=" X}
//              | "steps:" N "loss:" X "iter time (s):" X "samples/sec:" X
//   MaxText    = "completed step:" N ", seconds:" X {", " NAME ": " X}
//
// Sources: torchtitan 0.1 to 0.2, NeMo 1.20 to 2.3, DeepSpeed 0.9 to 0.17
// (utils/timer.py, runtime/pipe/engine.py), MaxText of 2023 to 2025.
#include "desk/training/step_lines.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

const std::vector<StepLine> kTorchtitanLines{
    {{"step: {step:count} loss:",
      {"step: 10  loss:  7.9889  grad_norm:  2.1000  memory: 47.52GiB(59.99%)  tps: 6,892  tflops: 400.10  "
       "mfu: 40.45%",
       "[rank3]:[titan] 2026-03-04 01:02:03,456 - root - INFO - step:  1  loss: 12.2721  memory: "
       "26.84GiB(28.25%)  wps: 1,129  mfu: 6.61%"}},
     {{"tps:", &kTokensPerS}, {"wps:", &kTokensPerS}, {"tflops:", &kFlopsPerGpu}, {"mfu:", &kUtilisation}}},
};

const std::vector<StepLine> kNemoLines{
    {{"Training epoch {_:int}, iteration {step:int}/{_:int} |",
      {"Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 61952 | global_batch_size: 512 | "
       "global_step: 120 | reduced_train_loss: 1.233 | train_step_timing in s: 4.503 | val_loss: 4.106"}},
     {{"train_step_timing in s:", &kStepTime},
      {"TFLOPS_per_GPU:", &kFlopsPerGpu},
      {"global_batch_size:", &kBatch}}},
    {{"global_step={step:num},{_}train_step_timing in s=",
      {"Epoch 0: :   3%|2  | 40/1200 [03:20<1:36:40, reduced_train_loss=9.87, global_step=39.00, "
       "consumed_samples=20480.0, train_step_timing in s=4.98]"}},
     {{"train_step_timing in s=", &kStepTime}}},
};

const std::vector<StepLine> kDeepSpeedLines{
    {{"epoch={_:int}/micro_step={_:int}/global_step={step:int},",
      {"[2026-03-07 15:27:02,646] [INFO] [timer.py:260:stop] epoch=0/micro_step=199/global_step=199, "
       "RunningAvgSamplesPerSec=58.73, CurrSamplesPerSec=61.35, MemAllocated=6.01GB, "
       "MaxMemAllocated=19.5GB"}},
     {{"CurrSamplesPerSec=", &kSamplesPerS}}},
    {{"steps: {step:int} loss: {_:num} iter time (s): {_:num} samples/sec:",
      {"steps: 30 loss: 9.1234 iter time (s): 2.145 samples/sec: 119.334"}},
     {{"iter time (s):", &kStepTime}, {"samples/sec:", &kSamplesPerS}}},
};

const std::vector<StepLine> kMaxTextLines{
    {{"completed step: {step:int}, seconds: {_:num},",
      {"completed step: 12, seconds: 4.512, TFLOP/s/device: 203.117, Tokens/s/device: 4538.921, "
       "total_weights: 131072, loss: 7.104"}},
     {{"seconds:", &kStepTime},
      {"TFLOP/s/device:", &kFlopsPerGpu},
      {"Tokens/s/device:", &kTokensPerS},
      {"total_weights:", &kBatch}}},
};

const std::vector<LineForm> kTorchtitanForms = forms_of(kTorchtitanLines);
const std::vector<LineForm> kNemoForms = forms_of(kNemoLines);
const std::vector<LineForm> kDeepSpeedForms = forms_of(kDeepSpeedLines);
const std::vector<LineForm> kMaxTextForms = forms_of(kMaxTextLines);

}  // namespace

const Format kTorchtitan{
    "torchtitan log",
    "training",
    kTorchtitanForms,
    Shape::Lines,
    make<StepLines<kTorchtitanLines>>};
const Format kNemo{"NeMo log", "training", kNemoForms, Shape::Lines, make<StepLines<kNemoLines>>};
const Format kDeepSpeed{
    "DeepSpeed log",
    "training",
    kDeepSpeedForms,
    Shape::Lines,
    make<StepLines<kDeepSpeedLines>>};
const Format kMaxText{"MaxText log", "training", kMaxTextForms, Shape::Lines, make<StepLines<kMaxTextLines>>};

Formats training_formats() {
  return {
      &kMegatron,
      &kTorchtitan,
      &kNemo,
      &kDeepSpeed,
      &kMaxText,
      &kTrainer,
      &kMlperf,
      &kStragglerScores,
      &kComposer,
      &kRankNumbers,
      &kRankTable,
      &kUnreadRanks,
      &kNanoGpt,
      &kDeepSpeedTimers,
      &kProgressBars,
      &kLoss};
}

}  // namespace lento::desk
