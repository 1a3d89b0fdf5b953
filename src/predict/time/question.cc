// Recognises the dialect of a table by its columns, converts rows to questions, and chooses the system that
// answers each.
#include "predict/time/question.h"

#include <algorithm>

#include "predict/time/rows/row_fields.h"
#include "predict/time/rows/rows.h"

namespace lento::predict {
namespace {

using Row = base::CsvReader;
using What = decltype(Question::what);

template <auto Read>
What as(const Row& row) {
  return Read(row);
}

// A kind of table: the columns that decide for it, how its rows are read, and the stack that ran them (empty:
// as the row states).
struct Table {
  Dialect dialect;
  std::vector<const char*> columns;
  What (*read)(const Row&);
  const char* framework = "";
};

What neusight_run(const Row& row) {
  return text_or(row, {"mode"}) == "train" ? What(neusight_training_row(row))
                                           : What(neusight_inference_row(row));
}

// The dialects and the columns that each needs. A table whose columns match several is read as the first of
// them.
const std::vector<Table>& tables() {
  using enum Dialect;
  static const std::vector<Table> kTables = {
      {NeuSight, {"op", "B", "M", "N", "K"}, as<gemm_row>},
      {Gemm, {"m", "n", "k"}, as<gemm_row>},
      {Gemm, {"M", "N", "K"}, as<gemm_row>},
      {Lstm, {"cell", "hidden", "batch", "timesteps"}, as<lstm_row>},
      {CollectiveBytes, {"size_B", "n_gpus"}, as<collective_row>},
      {CollectiveElements, {"op_name", "num_gpus", "message_elems"}, as<collective_row>},
      {TrainVtrain, {"hidden size", "# layers", "tensor parallelism"}, as<vtrain_row>},
      {TrainNanotron, {"hidden_size", "num_layers", "mbs", "dp", "tp"}, as<nanotron_row>, "nanotron"},
      {TrainKorthikanti, {"model", "recompute", "microbatch", "tp"}, as<korthikanti_row>, "megatron"},
      {TrainMegatron, {"hidden", "layers", "heads", "global_batch", "seq_len"}, as<megatron_row>, "megatron"},
      {ServeInferencex,
       {"model", "isl", "osl", "concurrency", "decode_tp", "disaggregated"},
       as<inferencex_row>},
      {ServeBatch, {"setup", "model", "isl", "osl", "load"}, as<batch_serving_row>, "VLLM"},
      {ServeTrtllm, {"model", "chip", "tp", "pp", "isl", "osl", "load"}, as<trtllm_row>, "TRTLLM"},
      {TrainMpt,
       {"model", "n_gpus", "seq_len", "sharding", "activation_checkpointing"},
       as<mpt_row>,
       "llm-foundry"},
      {TrainMaxtext, {"model", "n_chips", "per_device_batch", "remat"}, as<maxtext_row>, "maxtext"},
      {TrainRecipe, {"model", "chip", "n_gpus", "seq_len", "tp", "pp", "cp"}, as<recipe_row>},
      {NeusightRun, {"device", "model", "mode", "seq_len", "batch"}, neusight_run},
      {NeusightGpus, {"device", "model", "global_batch", "strategy"}, as<neusight_training_row>},
      {Experts, {"num_tokens", "hidden_size", "inter_size", "topk", "num_experts"}, as<experts_row>},
      {ExpertsAmd, {"tokens", "model_dim", "inter_dim", "experts", "topk"}, as<amd_experts_row>},
      {Attention, {"batch_size", "isl", "num_heads", "num_key_value_heads"}, as<attention_row>},
      {LatentAttention, {"op_name", "mla_dtype", "batch_size", "isl", "step"}, as<latent_row>},
      {Inference, {"config", "Input Tokens", "Output Tokens"}, as<nim_row>}};
  return kTables;
}

}  // namespace

Dialect dialect_of(const Row& row) {
  for (const Table& t : tables()) {
    if (has_columns(row, t.columns))
      return t.dialect;
  }
  throw base::Error(
      row.where(-1),
      "the columns fit no kind of question",
      "a matrix product needs m,n,k; docs/formats/questions.md lists the other kinds");
}

Question parse_question(Dialect dialect, const Row& row) {
  const Table& table = *std::ranges::find(tables(), dialect, &Table::dialect);
  Question q;
  q.device = text_or(row, {"gpu", "chip", "device", "GPU", "Chip", "Device"});
  q.framework = text_or(row, {"framework"});
  if (text_or(row, {"timing"}) == "eager")
    q.framework += " eager";  // kernels launched one by one by the host
  if (q.framework.empty() && text_or(row, {"op"}).starts_with("aten::"))
    q.framework = kTraced;
  q.what = table.read(row);
  if (*table.framework != 0)
    q.framework = table.framework;
  if (dialect == Dialect::TrainNanotron && is_early_nanotron(row))
    q.framework = "nanotron early";
  if (dialect == Dialect::TrainRecipe)
    q.framework = framework_of_recipe(row);
  if (dialect == Dialect::ServeInferencex)
    q.framework = serving_framework(q.framework);
  if (dialect == Dialect::ServeBatch)
    q.device = text_or(row, {"setup"}).find("H100") != std::string::npos ? "h100" : "mi300x";
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
