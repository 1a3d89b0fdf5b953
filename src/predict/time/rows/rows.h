// What a row of each kind of table asks. All throw base::Error at the field that cannot be understood.
#pragma once

#include "predict/time/question.h"

namespace lento::predict {

// Kernels (rows_kernel.cc).
Gemm gemm_row(const base::CsvReader& row, bool neusight);
LstmLayer lstm_row(const base::CsvReader& row);
Collective collective_row(const base::CsvReader& row, bool elements);
ExpertLayer experts_row(const base::CsvReader& row);
ExpertLayer amd_experts_row(const base::CsvReader& row);
AttentionKernel attention_row(const base::CsvReader& row);
AttentionKernel latent_row(const base::CsvReader& row);

// Training (rows_training.cc).
TrainingRun vtrain_row(const base::CsvReader& row);
TrainingRun nanotron_row(const base::CsvReader& row);
bool is_early_nanotron(const base::CsvReader& row);  // before the fix of pipelines that its benchmark notes
TrainingRun megatron_row(const base::CsvReader& row);
TrainingRun korthikanti_row(const base::CsvReader& row);
TrainingRun recipe_row(
    const base::CsvReader& row);  // torchtitan, Megatron Bridge, published runs: n_gpus, tp, pp
TrainingRun mpt_row(const base::CsvReader& row);
TrainingRun maxtext_row(const base::CsvReader& row);
// NeuSight's end-to-end runs in single precision: a training step; inference is a forward pass of one device.
TrainingRun neusight_training_row(const base::CsvReader& row);
InferenceRun neusight_inference_row(const base::CsvReader& row);
TrainingRun neusight_gpus_row(const base::CsvReader& row);
// The device as a row names it, without what it says of the row's limits ("H100-96GB-HBM2e-500W" stays).
std::string framework_of_recipe(const base::CsvReader& row);

// Serving (rows_serving.cc).
InferenceRun nim_row(const base::CsvReader& row);
ServingRun inferencex_row(const base::CsvReader& row);
ServingRun trtllm_row(const base::CsvReader& row);
ServingRun batch_serving_row(const base::CsvReader& row);  // dstack's
std::string serving_framework(const std::string& name);    // as the kernels' tables name it

}  // namespace lento::predict
