// One workload from a file: schema lento.workload/1 (docs/formats/workload.md) or a Hugging Face config.json.
#pragma once

#include <string>

#include "predict/time/question.h"
#include "spec/yaml.h"

namespace lento::predict {

// How a model without a workload file is run: a config.json or an ONNX graph (batch, replicas dp=N,
// precision). `parallel` reads "tp=8,pp=2,dp=4,zero=1" (also cp, ep, interleave, sp=0).
struct RunOptions {
  bool training = false;
  int64_t batch = 1;  // training: global batch; serving: requests together
  int64_t micro_batch = 1;
  int64_t sequence = 2048;  // training: tokens of a sequence; serving: of the prompt
  int64_t output = 128;     // tokens to generate
  Precision precision = Precision::Bf16;
  std::string parallel;
  std::string framework;  // empty: the system's own stack
  Recompute recompute = Recompute::None;
  std::string placement;  // "best", "tensor-data-pipeline"; empty: the usual
  // A workload in YAML without its model, which says how a config.json is run; all above is then not read.
  std::string run;
};

// "none", "selective", "operators", "full", "open" (as much as the memory needs, none in time). Throws
// base::Error.
Recompute recompute_of(const std::string& text);

// By the name of the file: an ONNX graph carries its weights, text does not.
uint64_t most_workload_bytes(const std::string& file);

// The fields of a `model:`; those that are absent stay as they are.
void read_transformer(spec::Fields& fields, Transformer& model);

Question read_workload(const std::string& path, const RunOptions& options);
// A model by its usual name ("llama-3.1-70b"), run as the options say. Throws base::Error with the nearest
// name.
Question named_workload(const std::string& model, const RunOptions& options);
// `text` may be an ONNX model: what neither starts like JSON nor reads as a workload's YAML, by its file
// name.
Question parse_workload(const std::string& text, const std::string& file, const RunOptions& options);

}  // namespace lento::predict
