// Converts the rows of kernel benchmarks (NeuSight, DeepBench, NCCL tests, AIConfigurator, AMD's sweeps) to
// questions.
#include <algorithm>

#include "base/number.h"
#include "predict/time/rows/row_fields.h"
#include "predict/time/rows/rows.h"

namespace lento::predict {

// NeuSight's tables (op,B,M,N,K) call the reduction N and the columns K.
Gemm gemm_row(const base::CsvReader& row) {
  Gemm g;
  const bool upper = row.find("M") >= 0;
  const bool neusight = upper && row.find("op") >= 0 && row.find("B") >= 0;
  g.batch = whole_or(row, upper ? "B" : "batch", 1);
  g.m = whole(row, upper ? "M" : "m");
  g.n = whole(row, upper ? "N" : "n");
  g.k = whole(row, upper ? "K" : "k");
  if (neusight)
    std::swap(g.n, g.k);
  g.precision = precision_of(row, neusight ? Precision::Fp32 : Precision::Fp16);
  return g;
}

// Reads a row of recurrent-layer benchmarks.
LstmLayer lstm_row(const base::CsvReader& row) {
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
    throw base::Error(
        row.where(row.find("pass")),
        "pass '" + pass + "' is not known",
        "one of: forward, backward_inputs, backward_weights, training");
  }
  return l;
}

// Reads a row of collective benchmarks. `elements`: the size column counts elements instead of bytes.
Collective collective_row(const base::CsvReader& row) {
  Collective c;
  if (row.find("message_elems") < 0) {
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
    throw base::Error(
        row.where(row.find("op_name")),
        "collective '" + op + "' is not known",
        "one of: all_reduce, all_gather, reduce_scatter, alltoall");
  }
  c.devices = int(whole(row, "num_gpus"));
  c.bytes =
      double(whole(row, "message_elems", 1, int64_t{1} << 50)) * bytes_of(precision_of(row, Precision::Fp16));
  return c;
}

namespace {

base::Error unknown_format(const base::CsvReader& row, const char* column, const std::string& text) {
  return base::Error(
      row.where(row.find(column)),
      "the format '" + text + "' is not known",
      "one of: bfloat16, fp8, fp8_block, nvfp4, int4_wo, w4a16_mxfp4, w4a8_mxfp4_mxfp8");
}

// Parses the distribution of tokens over experts: "power_law_1.2" gives the exponent 1.2, "balanced" gives
// 0.
double skew_of(const base::CsvReader& row) {
  constexpr std::string_view kLaw = "power_law_";
  const std::string text = text_or(row, {"distribution"}, "balanced");
  if (text == "balanced")
    return 0;
  if (text.starts_with(kLaw))
    return base::parse_double(text.substr(kLaw.size()), row.where(row.find("distribution")));
  throw base::Error(
      row.where(row.find("distribution")),
      "distribution '" + text + "' is not known",
      "balanced, or power_law_ and an exponent");
}

// Returns the format of a kernel from the table's two columns of data types and its column of scaling.
std::string
amd_format(const std::string& activations, const std::string& weights, const std::string& scales) {
  const bool wide = activations == "bfloat16" || activations == "float16";
  const bool four = weights.starts_with("float4");
  if (weights == "bfloat16")
    return "bfloat16";
  if (weights == "int4")
    return "w4a16_int4";
  if (wide && four)
    return "w4a16_mxfp4";
  if (activations.starts_with("float8") && four)
    return "w4a8_mxfp4_mxfp8";
  if (four)
    return "mxfp4";
  return scales == "per_1x128" ? "fp8_block" : "fp8";
}

// Returns the precision of arithmetic and of the key-value cache. Throws base::Error for an unknown pair.
KernelFormat attention_format_of(const base::CsvReader& row, const char* column) {
  const std::string arithmetic = text_or(row, {column}, "bfloat16");
  const std::string cache = text_or(row, {"kv_cache_dtype"}, arithmetic);
  const auto format = attention_format(arithmetic, cache);
  if (!format)
    throw unknown_format(row, column, arithmetic + " over " + cache);
  return *format;
}

}  // namespace

// Reads a row of expert-layer benchmarks.
ExpertLayer experts_row(const base::CsvReader& row) {
  ExpertLayer l;
  l.tokens = whole(row, "num_tokens");
  l.hidden = whole(row, "hidden_size");
  l.inner = whole(row, "inter_size");
  l.chosen = whole(row, "topk");
  l.experts = whole(row, "num_experts", l.chosen);
  l.tensor = ways(row, "moe_tp_size");
  l.expert = ways(row, "moe_ep_size");
  l.skew = skew_of(row);
  l.kernel = text_or(row, {"kernel_source"});
  l.gated = l.kernel.find("nongated") == std::string::npos;
  const std::string format = text_or(row, {"moe_dtype", "precision"}, "bfloat16");
  const auto known = expert_format(format);
  if (!known)
    throw unknown_format(row, row.find("moe_dtype") >= 0 ? "moe_dtype" : "precision", format);
  l.format = *known;
  return l;
}

// Reads a row of AMD's sweep. The sweep timed one device's share, so widths and numbers of experts are per
// device.
ExpertLayer amd_experts_row(const base::CsvReader& row) {
  ExpertLayer l;
  l.tokens = whole(row, "tokens");
  l.hidden = whole(row, "model_dim");
  l.inner = whole(row, "inter_dim");
  l.chosen = whole(row, "topk");
  l.experts = whole(row, "experts", l.chosen);
  l.gated = whole_or(row, "gate_and_up", 1, 0) == 1;
  l.kernel = "aiter";
  const std::string format =
      amd_format(text_or(row, {"act_dtype"}), text_or(row, {"weight_dtype"}), text_or(row, {"quant"}));
  l.format = *expert_format(format);
  return l;
}

// Reads a row of attention benchmarks. A row without the column "step" is a prefill.
AttentionKernel attention_row(const base::CsvReader& row) {
  AttentionKernel k;
  const int64_t cached = whole_or(row, "step", -1, 0);
  k.kind = cached < 0 ? FusedKind::Prefill : FusedKind::Decode;
  k.batch = whole(row, "batch_size");
  const int64_t prompt = whole(row, "isl");
  k.tokens = cached < 0 ? prompt : 1;
  k.context = cached < 0 ? prompt : prompt + cached;
  k.heads = whole(row, "num_heads");
  k.kv_heads = whole(row, "num_key_value_heads");
  k.head = whole_or(row, "head_dim", 128);
  k.window = whole_or(row, "window_size", 0, 0);
  k.format = attention_format_of(row, "attn_dtype");
  k.kernel = text_or(row, {"kernel_source"});
  return k;
}

// Reads a row of benchmarks of attention with a compressed cache.
AttentionKernel latent_row(const base::CsvReader& row) {
  AttentionKernel k;
  const bool prefill = text_or(row, {"op_name"}).find("context") != std::string::npos;
  k.kind = prefill ? FusedKind::LatentPrefill : FusedKind::LatentDecode;
  k.batch = whole(row, "batch_size");
  const int64_t prompt = whole(row, "isl");
  const int64_t cached = whole_or(row, "step", 0, 0);
  k.tokens = prefill ? prompt : 1;
  k.context = prompt + cached;
  k.heads = whole(row, "num_heads");
  k.kv_heads = 1;
  k.format = attention_format_of(row, "mla_dtype");
  k.kernel = text_or(row, {"kernel_source"});
  return k;
}

}  // namespace lento::predict
