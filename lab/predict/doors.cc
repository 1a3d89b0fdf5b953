// Sends rows of the training tables through all interfaces of the predictor and compares the answers bit by
// bit.
#include "lab/predict/doors.h"

#include <filesystem>

#include "base/file.h"
#include "base/scan/csv.h"
#include "predict/time/explain.h"
#include "predict/time/rows/known_models.h"
#include "predict/time/workload.h"

namespace lento::predict {
namespace {

struct Table {
  const char* file;
  const char* system;  // of rows that name no device
};
constexpr Table kTables[] = {
    {"train_a100_vtrain_single.csv.gz", "a100"},
    {"train_a100_vtrain_multi.csv", "a100"},
    {"train_h100_nanotron.csv.gz", "h100"},
    {"train_korthikanti_a100.csv", "a100"},
    {"train_megatron_a100_narayanan.csv", "a100"},
    {"train_megatron_core_h100.csv", "h100"},
    {"train_megatron_tp_v100_a100_nodes.csv", "a100"},
    {"train_torchtitan.csv", ""},
    {"train_megatron_bridge.csv", ""},
    {"train_mpt_llmfoundry.csv", ""},
    {"train_tpu_maxtext.csv", ""},
    {"train_published_runs.csv", ""},
    {"train_gpt_4gpu_neusight.csv", ""},
    {"dnn_e2e_neusight_labels.csv", ""}};

constexpr std::pair<Recompute, const char*> kRecompute[] = {
    {Recompute::None, "none"},
    {Recompute::Selective, "selective"},
    {Recompute::Operators, "operators"},
    {Recompute::Full, "full"}};
constexpr std::pair<Schedule, const char*> kSchedules[] = {
    {Schedule::Interleaved, "interleaved"},
    {Schedule::ZeroBubble, "zero bubble"},
    {Schedule::DualPipe, "dual pipe"}};

template <class Key, size_t N>
std::string named(const std::pair<Key, const char*> (&names)[N], Key key) {
  for (const auto& [value, text] : names) {
    if (value == key)
      return text;
  }
  return "";
}

class Lines {
 public:
  void text(const std::string& key, const std::string& value) {
    text_ += key + ": " + value + separator_;
  }
  void number(const std::string& key, int64_t value) {
    text(key, std::to_string(value));
  }
  // Adds a size unless it is 0, which is the default.
  void size(const std::string& key, int64_t value) {
    if (value > 0)
      number(key, value);
  }
  void yes(const std::string& key, bool value) {
    text(key, value ? "true" : "false");
  }
  explicit Lines(std::string separator)
      : separator_(std::move(separator)) {
  }
  const std::string& all() const {
    return text_;
  }

 private:
  std::string text_;
  std::string separator_;
};

std::string model_yaml(const Transformer& m) {
  Lines out(", ");
  out.number("layers", m.layers);
  out.number("hidden", m.hidden);
  out.number("heads", m.heads);
  out.size("kv_heads", m.kv_heads);
  out.size("head_size", m.head_size);
  out.size("value_size", m.value_size);
  out.size("kv_rank", m.kv_rank);
  out.size("query_rank", m.query_rank);
  out.size("rotary_size", m.rotary_size);
  out.size("ffn", m.ffn);
  out.size("shared_ffn", m.shared_ffn);
  out.size("dense_layers", m.dense_layers);
  out.size("dense_ffn", m.dense_ffn);
  out.size("window", m.window);
  out.size("window_layers", m.window_layers);
  out.number("vocab", m.vocab);
  out.number("experts", m.experts);
  out.number("active_experts", m.active_experts);
  out.yes("gated", m.gated);
  out.yes("tied", m.tied);
  out.yes("flash", m.flash);
  return "model: {" + out.all().substr(0, out.all().size() - 2) + "}\n";
}

double
asked(const System& system, const std::string& text, const std::string& file, const RunOptions& options) {
  const Question q = parse_workload(text, file, options);
  return answer(with_framework(system, q.framework), q).seconds;
}

// Returns published configurations by the shape under which tables list them.
std::map<std::string, std::string> configurations(const std::string& folder) {
  std::map<std::string, std::string> out;
  const std::string from = folder + "/model_configs";
  if (!std::filesystem::exists(from))
    return out;
  for (const auto& entry : std::filesystem::directory_iterator(from))
    out[entry.path().stem().string()] = entry.path().string();
  return out;
}

// Returns the configuration whose model is that of the run.
std::optional<std::string> config_of(
    const std::map<std::string, std::string>& files,
    const Transformer& model) {
  for (const auto& [name, path] : files) {
    const auto known = known_sizes(name);
    if (known && *known == model)
      return path;
  }
  return std::nullopt;
}

}  // namespace

std::string run_yaml(const TrainingRun& run, const std::string& framework, bool with_model) {
  Lines out("\n");
  out.text("schema", "lento.workload/1");
  out.text("kind", "training");
  out.text("precision", std::string(name(run.precision)));
  if (run.products)
    out.text("products", std::string(name(*run.products)));
  out.number("sequence", run.sequence);
  out.number("global_batch", run.global_batch);
  out.number("micro_batch", run.micro_batch);
  out.number("tensor", run.tensor);
  out.number("pipeline", run.pipeline);
  out.number("data", run.data);
  out.number("context", run.context);
  out.number("expert", run.expert);
  out.number("interleave", run.interleave);
  out.number("zero", run.zero);
  out.yes("sequence_parallel", run.sequence_parallel);
  out.yes("fp32_gradients", run.fp32_gradients);
  out.yes("overlap_tensor", run.overlap_tensor);
  out.yes("overlap_gather", run.overlap_gather);
  out.yes("overlap_pipeline", run.overlap_pipeline);
  out.yes("overlap_experts", run.overlap_experts);
  out.yes("expanded_keys", run.expanded_keys);
  out.yes("frozen", run.frozen);
  out.text("schedule", named(kSchedules, run.schedule));
  out.text("recompute", run.recompute_open ? "open" : named(kRecompute, run.recompute));
  if (!framework.empty())
    out.text("framework", framework);
  return out.all() + (with_model ? model_yaml(run.model) : "");
}

namespace {

// Adds the answers of all interfaces other than the table. An interface that refuses a question gives no
// number.
void ask_other_doors(
    const TrainingRun& run,
    const std::string& asked_framework,
    const std::map<std::string, std::string>& files,
    const std::string& run_file,
    AskedRow& one) {
  const System sheet = read_system(one.system);
  const bool listed = stack_for(sheet, asked_framework).framework == asked_framework;
  const std::string framework = listed ? asked_framework : "";
  const auto config = config_of(files, run.model);
  if (config)
    one.config_s = 0;
  try {
    const std::string text = run_yaml(run, framework, true);
    one.yaml_s = asked(sheet, text, "row.yaml", {});
    one.api_s = explain(sheet, parse_workload(text, "row.yaml", {})).expectations.at(0).value;
    if (!config)
      return;
    base::write_file(run_file, run_yaml(run, framework, false));
    RunOptions options;
    options.run = run_file;
    one.config_s = asked(sheet, base::read_file(*config), *config, options);
  } catch (const base::Error& e) {
    one.refused = e.what();
  }
}

}  // namespace

AskedRows
ask_all_doors(const std::string& folder, const std::string& run_file, const base::Progress& progress) {
  AskedRows out;
  const auto files = configurations(folder);
  size_t done = 0;
  for (const Table& table : kTables) {
    progress("tables asked through every door", double(done++), double(std::size(kTables)));
    const std::string path = folder + "/" + table.file;
    if (!std::filesystem::exists(path))
      continue;
    base::ReadReport report;
    base::CsvReader reader(path, report);
    const Dialect dialect = dialect_of(reader);
    for (uint64_t row = 0; reader.next(); ++row) {
      AskedRow one{table.file, row, {}, 0, 0, 0, {}, {}};
      try {
        const Question q = parse_question(dialect, reader);
        const auto* run = std::get_if<TrainingRun>(&q.what);
        if (!run)
          continue;
        const System given = *table.system ? read_system(table.system) : System{};
        const System used = system_for(*table.system ? &given : nullptr, q);
        one.system = used.name;
        one.table_s = answer(used, q).seconds;
        ask_other_doors(*run, q.framework, files, run_file, one);
        out.rows.push_back(one);
      } catch (const base::Error& e) {
        out.not_answered[std::string(table.file) + ": " + e.what()]++;
      }
    }
  }
  std::filesystem::remove(run_file);
  return out;
}

}  // namespace lento::predict
