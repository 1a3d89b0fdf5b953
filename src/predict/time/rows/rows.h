// Convert a row of each kind of table to a question. All throw base::Error at a field that cannot be read.
#pragma once

#include "predict/time/question.h"

namespace lento::predict {

// Tables of kernels (rows_kernel.cc).
Gemm gemm_row(const base::CsvReader& row);
LstmLayer lstm_row(const base::CsvReader& row);
Collective collective_row(const base::CsvReader& row);
ExpertLayer experts_row(const base::CsvReader& row);
ExpertLayer amd_experts_row(const base::CsvReader& row);
AttentionKernel attention_row(const base::CsvReader& row);
AttentionKernel latent_row(const base::CsvReader& row);

// Tables of training runs (rows_training.cc).
TrainingRun vtrain_row(const base::CsvReader& row);
TrainingRun nanotron_row(const base::CsvReader& row);
// Returns whether a row was measured before nanotron's pipelines were fixed, by its column after_pp_fix.
bool is_early_nanotron(const base::CsvReader& row);
TrainingRun megatron_row(const base::CsvReader& row);
TrainingRun korthikanti_row(const base::CsvReader& row);
TrainingRun recipe_row(
    const base::CsvReader& row);  // torchtitan, Megatron Bridge, published runs: n_gpus, tp, pp
TrainingRun mpt_row(const base::CsvReader& row);
TrainingRun maxtext_row(const base::CsvReader& row);
// NeuSight's end-to-end runs in single precision. A training row is one step, an inference row is one
// forward pass on one device.
TrainingRun neusight_training_row(const base::CsvReader& row);
InferenceRun neusight_inference_row(const base::CsvReader& row);
// Returns the name of the stack and its version, as the recipe's table states them.
std::string framework_of_recipe(const base::CsvReader& row);

// Tables of serving runs (rows_serving.cc).
InferenceRun nim_row(const base::CsvReader& row);
ServingRun inferencex_row(const base::CsvReader& row);
ServingRun trtllm_row(const base::CsvReader& row);
ServingRun batch_serving_row(const base::CsvReader& row);  // dstack's benchmark
std::string serving_framework(const std::string& name);    // returns the spelling of the tables of kernels

}  // namespace lento::predict
