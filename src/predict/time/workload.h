// Reads a workload from a file: schema lento.workload/1 (docs/formats/workload.md) or a Hugging Face
// config.json.
#pragma once

#include <string>

#include "predict/time/question.h"
#include "spec/yaml.h"

namespace lento::predict {

// Options to run a model that has no workload file, such as a config.json or an ONNX graph (batch, replicas
// dp=N, precision). `parallel` reads "tp=8,pp=2,dp=4,zero=1" (also cp, ep, interleave, sp=0).
struct RunOptions {
  bool training = false;
  int64_t batch = 1;  // training: global batch; serving: concurrent requests
  int64_t micro_batch = 1;
  int64_t sequence = 2048;  // training: tokens of a sequence; serving: tokens of the prompt
  int64_t output = 128;     // tokens to generate
  Precision precision = Precision::Bf16;
  std::string parallel;
  std::string framework;  // empty: the system's own stack
  Recompute recompute = Recompute::None;
  std::string placement;  // "best", "tensor-data-pipeline"; empty: the default order
  // A YAML workload without a model, which describes the run of a config.json. All options above are then
  // ignored.
  std::string run;
};

// Parses "none", "selective", "operators", "full" or "open" (assumes as much as memory needs, without its
// time). Throws base::Error for other words.
Recompute recompute_of(const std::string& text);

// Returns the size limit of a workload file by its name. The limit is larger for an ONNX graph, which
// contains its weights.
uint64_t most_workload_bytes(const std::string& file);

// Reads the fields of `model:`. Absent fields keep their values.
void read_transformer(spec::Fields& fields, Transformer& model);

Question read_workload(const std::string& path, const RunOptions& options);
// Returns the question of a model by its usual name ("llama-3.1-70b"), run as in `options`. Throws
// base::Error with the nearest name.
Question named_workload(const std::string& model, const RunOptions& options);
// Parses a workload. `text` is read as ONNX when the file's name ends so, or when it is neither JSON nor
// YAML.
Question parse_workload(const std::string& text, const std::string& file, const RunOptions& options);

}  // namespace lento::predict
