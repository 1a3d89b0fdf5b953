#include "predict/time/question.h"

#include <cmath>
#include <sstream>

#include "base/number.h"

namespace lento::predict {
namespace {

using base::CsvReader;
using base::Error;

bool has(const CsvReader& t, std::initializer_list<const char*> columns) {
  for (const char* c : columns) {
    if (t.find(c) < 0)
      return false;
  }
  return true;
}

// Sizes up to 8 Mi, so that products of three of them stay in 63 bits.
constexpr int64_t kMost = int64_t{1} << 23;

int64_t whole(const CsvReader& row, const char* column, int64_t min = 1, int64_t most = kMost) {
  const int at = row.require(column);
  const double value = row.number(at);
  if (value != std::floor(value) || value < min || value > double(most)) {
    throw Error(
        row.where(at),
        "'" + row.text(at) + "' is no whole number from " + std::to_string(min) + " to " +
            std::to_string(most));
  }
  return int64_t(value);
}

int64_t whole_or(const CsvReader& row, const char* column, int64_t fallback, int64_t min = 1) {
  const int at = row.find(column);
  return at < 0 || row.text(at).empty() ? fallback : whole(row, column, min);
}

int ways(const CsvReader& row, const char* column) {
  return int(std::min<int64_t>(whole_or(row, column, 1), 1 << 14));
}

std::string
text_or(const CsvReader& row, std::initializer_list<const char*> columns, std::string fallback = {}) {
  for (const char* c : columns) {
    const int at = row.find(c);
    if (at >= 0 && !row.text(at).empty())
      return row.text(at);
  }
  return fallback;
}

Precision precision_of(const CsvReader& row, Precision fallback) {
  for (const char* c : {"precision", "gemm_dtype", "dtype", "nccl_dtype"}) {
    const int at = row.find(c);
    if (at < 0 || row.text(at).empty())
      continue;
    if (const auto p = parse_precision(row.text(at)))
      return *p;
    throw Error(
        row.where(at),
        "precision '" + row.text(at) + "' is not known",
        "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4, fp8_block, int8_wo, int4_wo");
  }
  return fallback;
}

bool truth(const CsvReader& row, const char* column) {
  const std::string text = text_or(row, {column});
  return text == "True" || text == "true" || text == "yes" || text == "1";
}

Gemm parse_gemm(Dialect dialect, const CsvReader& row) {
  Gemm g;
  const bool upper = row.find("M") >= 0;
  g.batch = whole_or(row, upper ? "B" : "batch", 1);
  g.m = whole(row, upper ? "M" : "m");
  g.n = whole(row, upper ? "N" : "n");
  g.k = whole(row, upper ? "K" : "k");
  if (dialect == Dialect::NeuSight)
    std::swap(g.n, g.k);
  g.precision = precision_of(row, dialect == Dialect::NeuSight ? Precision::Fp32 : Precision::Fp16);
  return g;
}

LstmLayer parse_lstm(const CsvReader& row) {
  LstmLayer l;
  const std::string cell = text_or(row, {"cell"}, "LSTM");
  const std::string pass = text_or(row, {"pass"}, "forward");
  l.gates = cell == "LSTM" ? 4 : cell == "GRU" ? 3 : 1;
  l.hidden = whole(row, "hidden");
  l.batch = whole(row, "batch");
  l.steps = whole(row, "timesteps");
  l.precision = precision_of(row, Precision::Fp32);
  using Pass = LstmLayer::Pass;
  if (pass == "forward") {
    l.pass = Pass::Forward;
  } else if (pass == "backward_inputs") {
    l.pass = Pass::BackwardInputs;
  } else if (pass == "backward_weights") {
    l.pass = Pass::BackwardWeights;
  } else if (pass == "training") {
    l.pass = Pass::Training;
  } else {
    throw Error(
        row.where(row.find("pass")),
        "pass '" + pass + "' is not known",
        "one of: forward, backward_inputs, backward_weights, training");
  }
  return l;
}

Collective parse_collective(Dialect dialect, const CsvReader& row) {
  Collective c;
  if (dialect == Dialect::CollectiveBytes) {
    c.bytes = double(whole(row, "size_B", 1, int64_t{1} << 50));
    c.devices = int(whole(row, "n_gpus"));
    return c;
  }
  const std::string op = text_or(row, {"op_name"});
  if (op == "all_reduce") {
    c.op = CollectiveOp::AllReduce;
  } else if (op == "all_gather") {
    c.op = CollectiveOp::AllGather;
  } else if (op == "reduce_scatter") {
    c.op = CollectiveOp::ReduceScatter;
  } else if (op == "alltoall") {
    c.op = CollectiveOp::AllToAll;
  } else {
    throw Error(
        row.where(row.find("op_name")),
        "collective '" + op + "' is not known",
        "one of: all_reduce, all_gather, reduce_scatter, alltoall");
  }
  c.devices = int(whole(row, "num_gpus"));
  c.bytes =
      double(whole(row, "message_elems", 1, int64_t{1} << 50)) * bytes_of(precision_of(row, Precision::Fp16));
  return c;
}

TrainingRun parse_vtrain(const CsvReader& row) {
  TrainingRun r;
  r.model.hidden = whole(row, "hidden size");
  r.model.heads = whole(row, "attention heads");
  r.model.layers = whole(row, "# layers");
  r.model.flash = false;
  r.sequence = whole(row, "sequence length");
  r.global_batch = whole(row, "global batch");
  r.micro_batch = whole(row, "micro batch");
  r.tensor = ways(row, "tensor parallelism");
  r.data = ways(row, "data parallelism");
  r.pipeline = ways(row, "pipeline parallelism");
  r.recompute = Recompute::Full;
  r.precision = Precision::Fp16;
  return r;
}

TrainingRun parse_nanotron(const CsvReader& row) {
  TrainingRun r;
  Transformer& m = r.model;
  m.hidden = whole(row, "hidden_size");
  m.layers = whole(row, "num_layers");
  m.heads = whole(row, "num_heads");
  m.kv_heads = whole_or(row, "num_kv_heads", m.heads);
  m.ffn = whole_or(row, "interm_dim", 4 * m.hidden);
  m.vocab = whole(row, "vocab_size");
  m.gated = true;
  m.tied = truth(row, "tie_word_embeddings");
  r.sequence = whole(row, "seq_len");
  r.micro_batch = whole(row, "mbs");
  r.tensor = ways(row, "tp");
  r.data = ways(row, "dp");
  r.pipeline = ways(row, "pp");
  r.global_batch = r.micro_batch * whole(row, "batch_accum") * r.data;
  r.zero = int(whole_or(row, "zero_stage", 0, 0));
  r.sequence_parallel = text_or(row, {"tp_mode"}) == "REDUCE_SCATTER";
  r.fp32_gradients = truth(row, "accumulate_grad_in_fp32");
  return r;
}

// Pipelines of nanotron before the fix that its benchmark notes in a column of its own.
bool is_early_nanotron(const CsvReader& row) {
  return row.find("after_pp_fix") >= 0 && !truth(row, "after_pp_fix") && ways(row, "pp") > 1;
}

// Published Megatron configurations: how each table was run is known from its paper, not from its columns.
TrainingRun parse_megatron(const CsvReader& row) {
  TrainingRun r;
  r.micro_batch = 0;  // the tables do not tell it
  r.model.hidden = whole(row, "hidden");
  r.model.layers = whole(row, "layers");
  r.model.heads = whole(row, "heads");
  r.model.vocab = whole_or(row, "vocab", 51200);
  r.sequence = whole(row, "seq_len");
  r.global_batch = whole(row, "global_batch");
  const int gpus = ways(row, row.find("gpus") >= 0 ? "gpus" : "gpus_tp");
  if (row.find("model_parallel_size") >= 0) {
    const int model_parallel = ways(row, "model_parallel_size");
    r.tensor = std::min(8, model_parallel);
    r.pipeline = std::max(1, model_parallel / r.tensor);
    r.data = std::max(1, gpus / (r.tensor * r.pipeline));
    r.model.flash = false;
    r.recompute = Recompute::Full;
    r.precision = Precision::Fp16;
    r.fp32_gradients = false;
    while (r.interleave * 2 * r.pipeline <= r.model.layers && r.pipeline > 1 && r.interleave < 2)
      r.interleave *= 2;
  } else if (row.find("gpus_tp") >= 0) {
    r.tensor = gpus;
    r.data = ways(row, "dp");
    r.model.flash = false;
    r.recompute = Recompute::Full;
    r.precision = Precision::Fp16;
    r.micro_batch = std::max<int64_t>(1, r.global_batch / r.data);
    return r;
  } else {
    r.tensor = ways(row, "tp");
    r.pipeline = ways(row, "pp");
    r.data = ways(row, "dp");
    r.sequence_parallel = r.tensor > 1;
    r.zero = 1;
    r.overlap_tensor = r.overlap_gather = r.overlap_pipeline = true;  // as its README says it was run
    while (r.interleave * 2 * r.pipeline <= r.model.layers && r.pipeline > 1 && r.interleave < 4)
      r.interleave *= 2;
  }
  return r;
}

struct Named {
  const char* name;
  int64_t layers, hidden, heads;
};
constexpr Named kKorthikanti[] = {
    {"22B", 48, 6144, 64},
    {"175B", 96, 12288, 96},
    {"530B", 105, 20480, 128},
    {"1T", 128, 25600, 160}};

TrainingRun parse_korthikanti(const CsvReader& row) {
  TrainingRun r;
  const std::string model = text_or(row, {"model"});
  for (const Named& n : kKorthikanti) {
    if (model == n.name) {
      r.model.layers = n.layers;
      r.model.hidden = n.hidden;
      r.model.heads = n.heads;
    }
  }
  if (r.model.layers == 1) {
    throw Error(
        row.where(row.find("model")),
        "model '" + model + "' is not known",
        "one of: 22B, 175B, 530B, 1T");
  }
  r.model.flash = false;
  r.sequence = 2048;
  r.tensor = ways(row, "tp");
  r.pipeline = ways(row, "pp");
  r.data = ways(row, "dp");
  r.global_batch = whole(row, "global_batch");
  r.micro_batch = whole(row, "microbatch");
  r.interleave = ways(row, "pp_interleave");
  r.recompute = text_or(row, {"recompute"}) == "full" ? Recompute::Full : Recompute::Selective;
  r.sequence_parallel = truth(row, "seq_parallel");
  r.precision = Precision::Fp16;
  return r;
}

Transformer llama33_70b() {
  Transformer m;
  m.layers = 80;
  m.hidden = 8192;
  m.heads = 64;
  m.kv_heads = 8;
  m.ffn = 28672;
  m.vocab = 128256;
  m.gated = true;
  m.tied = false;
  return m;
}

// "4xH100_fp16_Llama3_3-70B": devices, precision, model.
InferenceRun parse_inference(const CsvReader& row) {
  const int at = row.require("config");
  InferenceRun r;
  if (row.text(at).find("Llama3_3-70B") == std::string::npos) {
    throw Error(
        row.where(at),
        "the model of '" + row.text(at) + "' is not known",
        "Llama3_3-70B is; others: a workload file");
  }
  r.model = llama33_70b();
  r.tensor = std::max(1, std::atoi(row.text(at).c_str()));
  r.precision = row.text(at).find("bf16") != std::string::npos ? Precision::Bf16 : Precision::Fp16;
  r.prompt = whole(row, "Input Tokens");
  r.output = whole(row, "Output Tokens");
  r.batch = whole(row, "Concurrency");
  return r;
}

}  // namespace

Dialect dialect_of(const CsvReader& t) {
  if (has(t, {"op", "B", "M", "N", "K"}))
    return Dialect::NeuSight;
  if (has(t, {"m", "n", "k"}) || has(t, {"M", "N", "K"}))
    return Dialect::Gemm;
  if (has(t, {"cell", "hidden", "batch", "timesteps"}))
    return Dialect::Lstm;
  if (has(t, {"size_B", "n_gpus"}))
    return Dialect::CollectiveBytes;
  if (has(t, {"op_name", "num_gpus", "message_elems"}))
    return Dialect::CollectiveElements;
  if (has(t, {"hidden size", "# layers", "tensor parallelism"}))
    return Dialect::TrainVtrain;
  if (has(t, {"hidden_size", "num_layers", "mbs", "dp", "tp"}))
    return Dialect::TrainNanotron;
  if (has(t, {"model", "recompute", "microbatch", "tp"}))
    return Dialect::TrainKorthikanti;
  if (has(t, {"hidden", "layers", "heads", "global_batch", "seq_len"}))
    return Dialect::TrainMegatron;
  if (has(t, {"config", "Input Tokens", "Output Tokens"}))
    return Dialect::Inference;
  throw Error(
      t.where(-1),
      "the columns fit no kind of question",
      "a matrix product needs m,n,k; docs/formats/questions.md lists the other kinds");
}

Question parse_question(Dialect dialect, const CsvReader& row) {
  Question q;
  q.device = text_or(row, {"gpu", "chip", "device"});
  q.framework = text_or(row, {"framework"});
  if (text_or(row, {"timing"}) == "eager")
    q.framework += " eager";  // launched one by one by the host
  switch (dialect) {
    case Dialect::Gemm:
    case Dialect::NeuSight:
      q.what = parse_gemm(dialect, row);
      break;
    case Dialect::Lstm:
      q.what = parse_lstm(row);
      break;
    case Dialect::CollectiveBytes:
    case Dialect::CollectiveElements:
      q.what = parse_collective(dialect, row);
      break;
    case Dialect::TrainVtrain:
      q.what = parse_vtrain(row);
      break;
    case Dialect::TrainNanotron:
      q.what = parse_nanotron(row);
      q.framework = is_early_nanotron(row) ? "nanotron early" : "nanotron";
      break;
    case Dialect::TrainMegatron:
      q.what = parse_megatron(row);
      q.framework = "megatron";
      break;
    case Dialect::TrainKorthikanti:
      q.what = parse_korthikanti(row);
      q.framework = "megatron";
      break;
    case Dialect::Inference:
      q.what = parse_inference(row);
      break;
  }
  return q;
}

const System& variant_for(const System& system, const Question& question) {
  if (question.device.empty())
    return system;
  const System* exact = find_shipped(question.device);
  return exact && exact->family == system.family ? *exact : system;
}

System system_for(const System* given, const Question& question) {
  if (!given) {
    if (question.device.empty())
      throw Error(
          {},
          "neither the row nor the command names a system",
          "give --system h100, or a data sheet");
    return with_framework(read_system(question.device), question.framework);
  }
  if (!question.device.empty() && !is_called(*given, question.device))
    throw Error(
        {},
        "the row is of '" + question.device + "', --system is '" + given->name + "'",
        "leave --system out where rows name their device, or list the name in the sheet's 'aliases'");
  return with_framework(*given, question.framework);
}

System specialised(const System& system, const Question& question) {
  return with_framework(variant_for(system, question), question.framework);
}

}  // namespace lento::predict
