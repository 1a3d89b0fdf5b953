// Converts the rows of serving benchmarks (NVIDIA NIM, InferenceX, TensorRT-LLM, dstack) to questions.
#include <algorithm>
#include <cstdlib>

#include "base/number.h"
#include "predict/time/rows/row_fields.h"
#include "predict/time/rows/rows.h"

namespace lento::predict {

namespace {

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

}  // namespace

// Parses "4xH100_fp16_Llama3_3-70B": devices, precision, model.
InferenceRun nim_row(const base::CsvReader& row) {
  const int at = row.require("config");
  InferenceRun r;
  if (row.text(at).find("Llama3_3-70B") == std::string::npos) {
    throw base::Error(
        row.where(at),
        "the model of '" + row.text(at) + "' is not known",
        "Llama3_3-70B is; others: a workload file");
  }
  r.model = llama33_70b();
  r.tensor = int(std::clamp(std::atol(row.text(at).c_str()), 1L, 1L << 14));
  r.precision = row.text(at).find("bf16") != std::string::npos ? Precision::Bf16 : Precision::Fp16;
  r.prompt = whole(row, "Input Tokens");
  r.output = whole(row, "Output Tokens");
  r.batch = whole(row, "Concurrency");
  return r;
}

namespace {

// Request lengths in these benchmarks are uniform between this share of the column's value and the whole
// value.
constexpr double kShortest = 0.8;

// Exceeds the requests that any engine decodes at once, so that the cache is the limit.
constexpr int64_t kAllAtOnce = 1500;

// Reads how one pool of devices (prefill or decode) divides the model.
Engine engine_in(const base::CsvReader& row, const std::string& pool) {
  Engine e;
  e.tensor = ways(row, (pool + "_tp").c_str());
  e.expert = ways(row, (pool + "_ep").c_str());
  e.attention_by_request = is_true(row, (pool + "_dp_attn").c_str());
  // Experts may be spread over more devices than attention is.
  e.tensor = std::max(e.tensor, e.expert);
  return e;
}

}  // namespace

std::string serving_framework(const std::string& name) {
  if (name.find("sglang") != std::string::npos)
    return "SGLang";
  if (name.find("trt") != std::string::npos)
    return "TRTLLM";
  if (name.find("vllm") != std::string::npos)
    return "VLLM";
  return name;
}

// Reads a row of InferenceX. With one pool of devices the tensor-parallel degree is their number, even where
// other columns differ.
ServingRun inferencex_row(const base::CsvReader& row) {
  ServingRun r;
  r.model = known_model_of(row);
  r.precision = precision_of(row, Precision::Fp8);
  r.traffic.prompt = whole(row, "isl");
  r.traffic.output = whole(row, "osl");
  r.traffic.together = whole(row, "concurrency");
  r.traffic.shortest = kShortest;
  r.decode = engine_in(row, "decode");
  r.two_pools = is_true(row, "disaggregated");
  if (r.two_pools) {
    r.prefill = engine_in(row, "prefill");
    r.prefill.copies = std::max(1, ways(row, "prefill_workers"));
    r.decode.copies = std::max(1, ways(row, "decode_workers"));
  }
  // The number of accepted tokens is not predicted. These deployments report this value for one proposed
  // token.
  if (text_or(row, {"spec_decode"}, "none") != "none") {
    r.proposed = 1;
    r.accepted = 1.8;
  }
  return r;
}

// Reads a row of TensorRT-LLM's published throughput, where all requests arrive at once.
ServingRun trtllm_row(const base::CsvReader& row) {
  ServingRun r;
  r.model = known_model_of(row);
  r.precision = precision_of(row, Precision::Fp8);
  r.traffic.prompt = whole(row, "isl");
  r.traffic.output = whole(row, "osl");
  r.traffic.together = kAllAtOnce;
  r.traffic.at_once = true;
  r.decode.tensor = ways(row, "tp");
  r.decode.pipeline = ways(row, "pp");
  r.decode.expert = r.model.experts > 1 ? r.decode.tensor : 1;
  return r;
}

// Parses "8xH100 1FP8-meta", "batch 64" or "16 req/s": devices, concurrent requests, or requests per second.
ServingRun batch_serving_row(const base::CsvReader& row) {
  ServingRun r;
  r.model = known_model_of(row);
  r.precision = Precision::Fp8;
  const std::string setup = text_or(row, {"setup"});
  const std::string load = text_or(row, {"load"});
  const auto first_number = [&row](const std::string& text, const char* column) {
    const size_t from = text.find_first_of("0123456789");
    if (from == std::string::npos)
      throw base::Error(row.where(row.find(column)), "no number in '" + text + "'");
    const double number = std::atof(text.c_str() + from);
    if (!(number > 0) || number > double(kMostSize))
      throw base::Error(row.where(row.find(column)), "the number in '" + text + "' is out of range");
    return number;
  };
  r.decode.copies = setup.find(" 2FP8") != std::string::npos ? 2 : 1;
  r.decode.tensor = int(first_number(setup, "setup")) / r.decode.copies;
  if (r.decode.tensor < 1)
    throw base::Error(row.where(row.find("setup")), "'" + setup + "' leaves a copy of the model no device");
  const auto length = [&](const char* column) {
    return std::max<int64_t>(1, int64_t(first_number(text_or(row, {column}), column)));
  };
  r.traffic.prompt = length("isl");
  r.traffic.output = length("osl");
  r.traffic.requests = whole_or(row, "n_requests", 0);
  const double number = first_number(load, "load");
  if (load.starts_with("batch")) {
    r.traffic.at_once = true;
    r.traffic.together = std::max<int64_t>(1, int64_t(number));
    r.traffic.requests = r.traffic.together;
  } else {
    r.traffic.per_s = number;
  }
  r.most_together = whole_or(row, "max_num_seqs", 0);
  return r;
}

}  // namespace lento::predict
