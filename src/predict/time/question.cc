// Recognises the dialect of a table by its columns, converts rows to questions, and chooses the system that
// answers each.
#include "predict/time/question.h"

#include "predict/time/rows/row_fields.h"
#include "predict/time/rows/rows.h"

namespace lento::predict {

Dialect dialect_of(const base::CsvReader& t) {
  if (has_columns(t, {"op", "B", "M", "N", "K"}))
    return Dialect::NeuSight;
  if (has_columns(t, {"m", "n", "k"}) || has_columns(t, {"M", "N", "K"}))
    return Dialect::Gemm;
  if (has_columns(t, {"cell", "hidden", "batch", "timesteps"}))
    return Dialect::Lstm;
  if (has_columns(t, {"size_B", "n_gpus"}))
    return Dialect::CollectiveBytes;
  if (has_columns(t, {"op_name", "num_gpus", "message_elems"}))
    return Dialect::CollectiveElements;
  if (has_columns(t, {"hidden size", "# layers", "tensor parallelism"}))
    return Dialect::TrainVtrain;
  if (has_columns(t, {"hidden_size", "num_layers", "mbs", "dp", "tp"}))
    return Dialect::TrainNanotron;
  if (has_columns(t, {"model", "recompute", "microbatch", "tp"}))
    return Dialect::TrainKorthikanti;
  if (has_columns(t, {"hidden", "layers", "heads", "global_batch", "seq_len"}))
    return Dialect::TrainMegatron;
  if (has_columns(t, {"model", "isl", "osl", "concurrency", "decode_tp", "disaggregated"}))
    return Dialect::ServeInferencex;
  if (has_columns(t, {"setup", "model", "isl", "osl", "load"}))
    return Dialect::ServeBatch;
  if (has_columns(t, {"model", "chip", "tp", "pp", "isl", "osl", "load"}))
    return Dialect::ServeTrtllm;
  if (has_columns(t, {"model", "n_gpus", "seq_len", "sharding", "activation_checkpointing"}))
    return Dialect::TrainMpt;
  if (has_columns(t, {"model", "n_chips", "per_device_batch", "remat"}))
    return Dialect::TrainMaxtext;
  if (has_columns(t, {"model", "chip", "n_gpus", "seq_len", "tp", "pp", "cp"}))
    return Dialect::TrainRecipe;
  if (has_columns(t, {"device", "model", "mode", "seq_len", "batch"}))
    return Dialect::NeusightRun;
  if (has_columns(t, {"device", "model", "global_batch", "strategy"}))
    return Dialect::NeusightGpus;
  if (has_columns(t, {"num_tokens", "hidden_size", "inter_size", "topk", "num_experts"}))
    return Dialect::Experts;
  if (has_columns(t, {"tokens", "model_dim", "inter_dim", "experts", "topk"}))
    return Dialect::ExpertsAmd;
  if (has_columns(t, {"batch_size", "isl", "num_heads", "num_key_value_heads"}))
    return Dialect::Attention;
  if (has_columns(t, {"op_name", "mla_dtype", "batch_size", "isl", "step"}))
    return Dialect::LatentAttention;
  if (has_columns(t, {"config", "Input Tokens", "Output Tokens"}))
    return Dialect::Inference;
  throw base::Error(
      t.where(-1),
      "the columns fit no kind of question",
      "a matrix product needs m,n,k; docs/formats/questions.md lists the other kinds");
}

Question parse_question(Dialect dialect, const base::CsvReader& row) {
  Question q;
  q.device = text_or(row, {"gpu", "chip", "device", "GPU", "Chip", "Device"});
  q.framework = text_or(row, {"framework"});
  if (text_or(row, {"timing"}) == "eager")
    q.framework += " eager";  // kernels launched one by one by the host
  if (q.framework.empty() && text_or(row, {"op"}).starts_with("aten::"))
    q.framework = kTraced;
  switch (dialect) {
    case Dialect::Gemm:
    case Dialect::NeuSight:
      q.what = gemm_row(row, dialect == Dialect::NeuSight);
      break;
    case Dialect::Lstm:
      q.what = lstm_row(row);
      break;
    case Dialect::CollectiveBytes:
    case Dialect::CollectiveElements:
      q.what = collective_row(row, dialect == Dialect::CollectiveElements);
      break;
    case Dialect::Experts:
      q.what = experts_row(row);
      break;
    case Dialect::ExpertsAmd:
      q.what = amd_experts_row(row);
      break;
    case Dialect::Attention:
      q.what = attention_row(row);
      break;
    case Dialect::LatentAttention:
      q.what = latent_row(row);
      break;
    case Dialect::TrainVtrain:
      q.what = vtrain_row(row);
      break;
    case Dialect::TrainNanotron:
      q.what = nanotron_row(row);
      q.framework = is_early_nanotron(row) ? "nanotron early" : "nanotron";
      break;
    case Dialect::TrainMegatron:
      q.what = megatron_row(row);
      q.framework = "megatron";
      break;
    case Dialect::TrainKorthikanti:
      q.what = korthikanti_row(row);
      q.framework = "megatron";
      break;
    case Dialect::TrainRecipe:
      q.what = recipe_row(row);
      q.framework = framework_of_recipe(row);
      break;
    case Dialect::TrainMpt:
      q.what = mpt_row(row);
      q.framework = "llm-foundry";
      break;
    case Dialect::TrainMaxtext:
      q.what = maxtext_row(row);
      q.framework = "maxtext";
      break;
    case Dialect::NeusightRun:
      if (text_or(row, {"mode"}) == "train")
        q.what = neusight_training_row(row);
      else
        q.what = neusight_inference_row(row);
      break;
    case Dialect::NeusightGpus:
      q.what = neusight_gpus_row(row);
      break;
    case Dialect::ServeInferencex:
      q.what = inferencex_row(row);
      q.framework = serving_framework(q.framework);
      break;
    case Dialect::ServeTrtllm:
      q.what = trtllm_row(row);
      q.framework = "TRTLLM";
      break;
    case Dialect::ServeBatch:
      q.what = batch_serving_row(row);
      q.device = text_or(row, {"setup"}).find("H100") != std::string::npos ? "h100" : "mi300x";
      q.framework = "VLLM";
      break;
    case Dialect::Inference:
      q.what = nim_row(row);
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
      throw base::Error(
          {},
          "neither the row nor the command names a system",
          "give --system h100, or a data sheet");
    return with_framework(read_system(question.device), question.framework);
  }
  if (!question.device.empty() && !is_called(*given, question.device))
    throw base::Error(
        {},
        "the row is of '" + question.device + "', --system is '" + given->name + "'",
        "leave --system out where rows name their device, or list the name in the sheet's 'aliases'");
  return with_framework(*given, question.framework);
}

System specialised(const System& system, const Question& question) {
  return with_framework(variant_for(system, question), question.framework);
}

}  // namespace lento::predict
