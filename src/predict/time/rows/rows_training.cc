// Converts the rows of training benchmarks (vTrain, nanotron, Megatron, recipes, MosaicML, MaxText,
// NeuSight) to questions, and fills in the settings that a table leaves out.
#include <algorithm>

#include "base/number.h"
#include "predict/time/rows/row_fields.h"
#include "predict/time/rows/rows.h"

namespace lento::predict {

TrainingRun vtrain_row(const base::CsvReader& row) {
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

// Reads a row of the Nanotron benchmark table.
TrainingRun nanotron_row(const base::CsvReader& row) {
  TrainingRun r;
  Transformer& m = r.model;
  m.hidden = whole(row, "hidden_size");
  m.layers = whole(row, "num_layers");
  m.heads = whole(row, "num_heads");
  m.kv_heads = whole_or(row, "num_kv_heads", m.heads);
  m.ffn = whole_or(row, "interm_dim", 4 * m.hidden);
  m.vocab = whole(row, "vocab_size");
  m.gated = true;
  m.tied = is_true(row, "tie_word_embeddings");
  r.sequence = whole(row, "seq_len");
  r.micro_batch = whole(row, "mbs");
  r.tensor = ways(row, "tp");
  r.data = ways(row, "dp");
  r.pipeline = ways(row, "pp");
  r.global_batch = r.micro_batch * whole(row, "batch_accum") * r.data;
  r.zero = int(whole_or(row, "zero_stage", 0, 0));
  r.sequence_parallel = text_or(row, {"tp_mode"}) == "REDUCE_SCATTER";
  r.fp32_gradients = is_true(row, "accumulate_grad_in_fp32");
  return r;
}

// Returns whether a row ran nanotron's pipelines before their fix, which the column after_pp_fix records.
bool is_early_nanotron(const base::CsvReader& row) {
  return row.find("after_pp_fix") >= 0 && !is_true(row, "after_pp_fix") && ways(row, "pp") > 1;
}

// Reads a published Megatron configuration. The settings of the runs come from the tables' papers, because
// their columns do not hold them.
TrainingRun megatron_row(const base::CsvReader& row) {
  TrainingRun r;
  r.micro_batch = 0;  // the tables do not give it
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
    r.overlap_tensor = r.overlap_gather = r.overlap_pipeline = true;  // as the README of these runs states
    while (r.interleave * 2 * r.pipeline <= r.model.layers && r.pipeline > 1 && r.interleave < 4)
      r.interleave *= 2;
  }
  return r;
}

namespace {

struct Named {
  const char* name;
  int64_t layers, hidden, heads;
};
constexpr Named kKorthikanti[] = {
    {"22B", 48, 6144, 64},
    {"175B", 96, 12288, 96},
    {"530B", 105, 20480, 128},
    {"1T", 128, 25600, 160}};

}  // namespace

// Reads a row of the measurements in Korthikanti et al. 2022.
TrainingRun korthikanti_row(const base::CsvReader& row) {
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
    throw base::Error(
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
  r.sequence_parallel = is_true(row, "seq_parallel");
  r.precision = Precision::Fp16;
  return r;
}

namespace {

// Returns the precision of the weights' products: "MXFP8", "fp8_linear", "amp_bf16", "FP8-CS (FP8-MX)".
std::optional<Precision> products_of(const base::CsvReader& row) {
  std::string text = text_or(row, {"precision"});
  for (char& c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  if (text.find("fp4") != std::string::npos)
    return Precision::Fp4;
  if (text.find("fp8") != std::string::npos)
    return Precision::Fp8;
  return std::nullopt;
}

// Returns what is recomputed in the backward pass, from the words of several frameworks.
Recompute recompute_in(const base::CsvReader& row) {
  const std::string text = text_or(row, {"activation_checkpointing", "recompute", "remat"});
  if (text.starts_with("full") || text == "True")
    return Recompute::Full;
  // torchtitan's recipes recompute by operator when the table gives no setting.
  if (row.find("torch_compile") >= 0 && (text.starts_with("selective") || text == "not stated"))
    return Recompute::Operators;
  return text.starts_with("selective") || text == "minimal" ? Recompute::Selective : Recompute::None;
}

// Returns the sequences of a step, which tables state in sequences or in tokens.
int64_t global_batch_in(const base::CsvReader& row, const TrainingRun& r) {
  const int64_t sequences = whole_or(row, "global_batch_seqs", 0);
  if (sequences > 0)
    return sequences;
  constexpr int64_t kMostTokens = int64_t{1} << 40;
  const int at = row.find("global_batch_tokens");
  if (at >= 0 && !row.text(at).empty())
    return std::max<int64_t>(1, whole(row, "global_batch_tokens", 1, kMostTokens) / r.sequence);
  return int64_t(r.data) * 8;
}

// Returns the divisor of the per-replica batch that is nearest to the stated micro batch.
int64_t dividing(int64_t micro, const TrainingRun& r) {
  const int64_t each = std::max<int64_t>(1, r.global_batch / r.data);
  micro = std::clamp<int64_t>(micro, 1, each);
  while (each % micro != 0)
    --micro;
  return micro;
}

}  // namespace

std::string framework_of_recipe(const base::CsvReader& row) {
  if (row.find("torch_compile") >= 0) {
    if (text_or(row, {"precision"}) == "fp8_rowwise")
      return "torchtitan rowwise";
    return is_true(row, "torch_compile") ? "torchtitan" : "torchtitan eager";
  }
  const std::string container = text_or(row, {"container"});
  // Hybrids run kernels of recurrences, which no other model has. Mixtures run other software: token
  // dispatchers and grouped products, whose host time fell in later
  // releases.
  const Transformer model = known_model_of(row);
  if (model.is_hybrid())
    return "megatron bridge hybrid";
  if (model.experts > 1) {
    if (text_or(row, {"model"}).find("tokendrop") != std::string::npos)
      return "megatron bridge mixture dropping";
    const bool early = !container.empty() && (container.starts_with("25") || container == "26.02");
    const bool middle = container.starts_with("26.02") || container.starts_with("26.04");
    return early    ? "megatron bridge mixture 26.02"
           : middle ? "megatron bridge mixture 26.04"
                    : "megatron bridge mixture";
  }
  if (text_or(row, {"run"}).starts_with("Gaudi"))
    return "megatron deepspeed";
  if (products_of(row) == Precision::Fp4)
    return "megatron bridge fp4";
  return products_of(row) || !container.empty() ? "megatron bridge" : "megatron";
}

namespace {

// Returns the default expert parallelism when a table gives none: the most devices, up to 8, that divide
// both experts and replicas.
int usual_expert_ways(const TrainingRun& r) {
  int ways = 1;
  while (ways < 8 && r.model.experts % (2 * ways) == 0 && (r.tensor * r.context * r.data) % (2 * ways) == 0)
    ways *= 2;
  return ways;
}

}  // namespace

// Reads a row of a training recipe. Missing settings get the values that such recipes use: optimizer states
// sharded over all replicas, exchanges overlapped with computation, sequence parallelism with tensor
// parallelism.
TrainingRun recipe_row(const base::CsvReader& row) {
  TrainingRun r;
  r.model = known_model_of(row);
  r.sequence = whole(row, "seq_len");
  const int devices = int(whole(row, "n_gpus"));
  r.tensor = ways(row, "tp");
  r.pipeline = ways(row, "pp");
  r.context = ways(row, "cp");
  const int64_t group = int64_t{r.tensor} * r.pipeline * r.context;
  if (devices % group != 0)
    throw base::Error(
        row.where(row.find("n_gpus")),
        std::to_string(devices) + " devices do not divide into groups of " + std::to_string(group));
  r.data = int(devices / group);
  r.expert = r.model.experts > 1 ? int(whole_or(row, "ep", usual_expert_ways(r))) : 1;
  r.global_batch = global_batch_in(row, r);
  if (r.global_batch % r.data != 0)
    r.global_batch = std::max<int64_t>(1, r.global_batch / r.data) * r.data;
  const bool titan = row.find("local_batch_seqs") >= 0;
  const int64_t stated = titan ? whole(row, "local_batch_seqs") : whole_or(row, "micro_batch", 1);
  // torchtitan's pipelines cut the local batch into as many micro batches as there are stages.
  r.micro_batch = dividing(titan ? std::max<int64_t>(1, stated / r.pipeline) : stated, r);
  if (text_or(row, {"pp_schedule"}) == "DualPipe")
    r.schedule = Schedule::DualPipe;
  // An empty field for model chunks means one layer in each chunk. The value "n/a" means no chunks.
  const int at = row.find("vp");
  const bool open = at >= 0 && row.text(at).empty() && r.schedule == Schedule::Interleaved;
  const int64_t layers = (r.model.layers + r.pipeline - 1) / r.pipeline;
  const int64_t chunks = open ? layers : whole_or(row, "vp", 1);
  const bool interleaved = text_or(row, {"pp_schedule"}).starts_with("interleaved");
  if (r.pipeline > 1 && r.micro_batches() % r.pipeline == 0)
    r.interleave =
        int(titan ? (interleaved ? 2 : 1) : std::max<int64_t>(1, std::min<int64_t>(chunks, layers)));
  // Megatron overlaps the exchanges of experts with computation when stages hold several chunks.
  r.overlap_experts = row.find("container") >= 0 && r.interleave > 1;
  r.expanded_keys = titan;
  r.recompute = recompute_in(row);
  r.recompute_open = !titan && r.recompute == Recompute::None;
  r.sequence_parallel = r.tensor > 1;
  const bool sharded = titan || whole_or(row, "fsdp", 0, 0) > 1;
  // torchtitan holds the gathered weights in memory while micro batches pass through a pipeline (stage 2).
  r.zero = !sharded ? 1 : r.pipeline > 1 ? 2 : 3;
  r.frozen = text_or(row, {"task"}) == "lora";
  r.overlap_tensor = r.overlap_gather = r.overlap_pipeline = true;
  if (titan)
    r.overlap_tensor = is_true(row, "async_tp");
  r.products = products_of(row);
  return r;
}

// Reads a row of MosaicML's MPT training benchmarks.
TrainingRun mpt_row(const base::CsvReader& row) {
  TrainingRun r;
  r.model = known_model_of(row);
  r.sequence = whole(row, "seq_len");
  r.data = int(whole(row, "n_gpus"));
  r.global_batch = whole(row, "global_batch_seqs");
  r.micro_batch = dividing(whole(row, "micro_batch"), r);
  r.recompute = recompute_in(row);
  r.zero = text_or(row, {"sharding"}) == "FULL_SHARD" ? 3 : 2;
  r.fp32_gradients = text_or(row, {"mixed_precision_mode"}) != "PURE";
  r.overlap_gather = true;
  r.products = products_of(row);
  return r;
}

namespace {

// Sets the batch of a row without one to the most sequences per device that fit in memory as one micro batch.
TrainingRun largest_that_fits(TrainingRun r, const base::CsvReader& row) {
  const System* chip = find_shipped(text_or(row, {"chip"}));
  const auto fits = [chip](const TrainingRun& run) {
    return training_memory(run, chip->stack).total() + chip->chip.memory_reserve <= chip->chip.memory_bytes;
  };
  for (TrainingRun wider = r; chip; r = wider) {
    wider.micro_batch *= 2;
    wider.global_batch *= 2;
    if (!fits(wider))
      break;
  }
  return r;
}

// Returns the sequences of all devices. The number per device may be a fraction.
int64_t batch_of_devices(const base::CsvReader& row, int devices) {
  const int at = row.find("per_device_batch");
  if (row.text(at).empty())
    return devices;
  const double each = row.number(at);
  if (!(each > 0) || each > double(kMostSize))
    throw base::Error(row.where(at), "'" + row.text(at) + "' is no number of sequences");
  return std::max<int64_t>(1, int64_t(each * double(devices)));
}

}  // namespace

// Reads a row of MaxText. Its global_parameter_scale is a power of two times a model of about 20 heads; the
// sizes are those of its recipes.
TrainingRun maxtext_row(const base::CsvReader& row) {
  struct Scale {
    std::string_view name;
    int64_t layers;
    int64_t hidden;
    int64_t heads;
    int64_t ffn;
  };
  constexpr Scale kScales[] = {
      {"maxtext-16B", 32, 6144, 24, 24576},
      {"maxtext-32B", 32, 8192, 32, 32768},
      {"maxtext-64B", 64, 8192, 32, 32768},
      {"maxtext-128B", 64, 12288, 48, 49152},
      {"maxtext-256B", 128, 12288, 48, 49152},
      {"maxtext-512B", 64, 24576, 96, 98304},
      {"maxtext-1024B", 128, 24576, 96, 98304}};
  TrainingRun r;
  const std::string name = text_or(row, {"model"});
  const Scale* scale = std::ranges::find_if(kScales, [&name](const Scale& s) {
    return name.starts_with(s.name);
  });
  if (scale != std::end(kScales)) {
    r.model.layers = scale->layers;
    r.model.hidden = scale->hidden;
    r.model.heads = scale->heads;
    r.model.ffn = scale->ffn;
    r.model.vocab = 32768;
  } else {
    r.model = known_model_of(row);
  }
  r.sequence = whole(row, "seq_len");
  const int chips = int(whole(row, "n_chips"));
  r.tensor = ways(row, "ici_tp");
  if (chips % r.tensor != 0)
    throw base::Error(
        row.where(row.find("n_chips")),
        std::to_string(chips) + " devices do not divide into groups of " + std::to_string(r.tensor));
  r.data = chips / r.tensor;
  r.global_batch = batch_of_devices(row, chips);
  if (r.global_batch % r.data != 0)
    r.global_batch = std::max<int64_t>(1, r.global_batch / r.data) * r.data;
  r.micro_batch = r.global_batch / r.data;
  // MaxText recomputes every layer by default.
  r.recompute = text_or(row, {"remat"}) == "minimal" ? Recompute::Selective : Recompute::Full;
  r.sequence_parallel = r.tensor > 1;
  r.zero = 3;
  r.fp32_gradients = false;
  r.overlap_tensor = r.overlap_gather = true;
  if (text_or(row, {"per_device_batch"}).empty())
    r = largest_that_fits(r, row);
  return r;
}

// Reads a row of NeuSight's training measurements on one GPU, or on four that split the run as "DP", "tp4",
// ...
TrainingRun neusight_training_row(const base::CsvReader& row) {
  TrainingRun r;
  r.model = known_model_of(row);
  r.model.flash = false;
  const bool four = row.find("strategy") >= 0;
  r.sequence = !four ? whole(row, "seq_len") : r.model.hidden >= 2048 ? 2048 : 1024;
  r.global_batch = whole(row, four ? "global_batch" : "batch");
  r.micro_batch = r.global_batch;
  r.precision = Precision::Fp32;
  const std::string split = text_or(row, {"strategy", "variant"});
  if (split == "DP" || split.starts_with("dp4")) {
    r.data = 4;
    r.micro_batch = std::max<int64_t>(1, r.global_batch / 4);
  } else if (split == "TP" || split.starts_with("tp4")) {
    r.tensor = 4;
  } else if (four || split.starts_with("pp4")) {
    r.pipeline = 4;
  }
  return r;
}

// Reads a row of NeuSight's inference measurements: one forward pass without flash attention.
InferenceRun neusight_inference_row(const base::CsvReader& row) {
  InferenceRun r;
  r.model = known_model_of(row);
  r.model.flash = false;
  r.prompt = whole(row, "seq_len");
  r.batch = whole(row, "batch");
  r.output = 1;
  r.one_pass = true;
  r.precision = Precision::Fp32;
  return r;
}

}  // namespace lento::predict
