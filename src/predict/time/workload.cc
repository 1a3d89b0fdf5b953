// Reads a workload's YAML, or wraps a config.json or an ONNX graph with the options of the command line,
// into a question. All mistakes of a file are reported in one error.
#include "predict/time/workload.h"

#include <algorithm>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "predict/time/rows/known_models.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

using base::Dimension;
using spec::Fields;
using spec::YamlNode;

// Sizes are at most 8 Mi and degrees at most 16 Ki, so that products of three of them fit in 63 bits.
constexpr int64_t kMost = int64_t{1} << 23;
constexpr int kMostWays = 1 << 14;

void read_model(const YamlNode& node, Transformer& m, base::ErrorList& errors) {
  Fields f(node, errors);
  read_transformer(f, m);
  if (!f.has("layers") || !f.has("hidden") || !f.has("heads")) {
    f.error(
        "layers",
        "a model needs 'layers', 'hidden' and 'heads'",
        "e.g. {layers: 32, hidden: 4096, heads: 32}");
  }
  f.finish();
}

// Parses "tp=8,pp=2" into the run.
void apply_parallel(const std::string& text, TrainingRun& run) {
  const base::Location where{"--parallel"};
  run.sequence_parallel = false;
  int sequence_parallel = -1;
  struct Way {
    const char* key;
    int* slot;
    int least;
    int most;
  };
  const Way known[] = {
      {"tp", &run.tensor, 1, kMostWays},
      {"pp", &run.pipeline, 1, kMostWays},
      {"dp", &run.data, 1, kMostWays},
      {"cp", &run.context, 1, kMostWays},
      {"ep", &run.expert, 1, kMostWays},
      {"interleave", &run.interleave, 1, kMostWays},
      {"zero", &run.zero, 0, 3},
      {"shard", &run.shard, 0, kMostWays},
      {"sp", &sequence_parallel, 0, 1}};
  std::vector<std::string> seen;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw base::Error(where, "'" + part + "' is not understood", "write tp=8,pp=2,dp=4");
    const std::string key = part.substr(0, equals);
    const Way* way = std::find_if(std::begin(known), std::end(known), [&](const Way& w) {
      return key == w.key;
    });
    if (way == std::end(known))
      throw base::Error(
          where,
          "'" + key + "' is no kind of parallelism",
          "one of: tp, pp, dp, cp, ep, zero, shard, interleave, sp");
    if (part.find(' ') != std::string::npos)
      throw base::Error(where, "'" + part + "' is not understood", "commas between them: tp=8,pp=2,dp=4");
    if (std::ranges::find(seen, key) != seen.end())
      throw base::Error(where, "'" + key + "' is given twice", "write each degree once");
    seen.push_back(key);
    *way->slot = int(base::parse_int(part.substr(equals + 1), where, way->least, way->most));
    at = end + 1;
  }
  run.sequence_parallel = sequence_parallel < 0 ? run.tensor > 1 : sequence_parallel == 1;
}

// Parses "best", or an order of the dimensions.
void apply_placement(
    const std::string& text,
    const base::Location& where,
    TrainingRun& run,
    base::ErrorList& errors) {
  run.best_placement = text == "best";
  if (text.empty() || run.best_placement)
    return;
  if (const auto placement = parse_placement(text)) {
    run.placement = *placement;
  } else {
    errors.add(
        where,
        "'" + text + "' is no order of parallel dimensions",
        "write best, or e.g. tensor-data-pipeline-context, the fastest varying first");
  }
}

// Throws base::Error for an option of training that a serving run would ignore.
void refuse_training_options(const TrainingRun& run, const RunOptions& options) {
  const auto refuse = [](const char* option, const std::string& what) {
    throw base::Error({option}, what + " is for training", "add --train, or leave it out");
  };
  if (run.context > 1)
    refuse("--parallel", "serving divides no sequence: cp");
  const std::pair<const char*, bool> degrees[] = {
      {"zero", run.zero > 0},
      {"interleave", run.interleave > 1},
      {"shard", run.shard > 0}};
  for (const auto& [key, given] : degrees) {
    if (given)
      refuse("--parallel", std::string(key));
  }
  if (options.recompute != Recompute::None)
    refuse("--recompute", "recomputation");
  if (options.micro_batch != 1)
    refuse("--micro-batch", "a micro batch");
  if (!options.placement.empty())
    refuse("--placement", "an order of ranks");
}

// Throws base::Error for arithmetic in which no software trains.
void check_trainable(Precision precision, const base::Location& where) {
  if (precision == Precision::Int8)
    throw base::Error(where, "training in int8 is not modelled: gradients need floats", "fp8, bf16 or fp16");
}

// Returns the serving question that the options state for this model.
InferenceRun serving_run(const TrainingRun& run, const RunOptions& options) {
  refuse_training_options(run, options);
  InferenceRun r;
  r.model = run.model;
  r.batch = options.batch;
  r.prompt = options.sequence;
  r.output = options.output;
  r.tensor = run.tensor;
  r.pipeline = run.pipeline;
  r.data = run.data;
  r.expert = run.expert;
  r.precision = options.precision;
  return r;
}

// Replaces Infinity and NaN, which Python's writer puts into a config.json and JSON does not allow. They
// occur only in limits that Lento does not read.
std::string without_infinities(std::string text) {
  for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 4)) {
      const bool quoted = at > 0 && text[at - 1] == '"';
      if (!quoted)
        text.replace(at, word.size(), "null");
    }
  }
  return text;
}

Question from_yaml(const std::string& text, const std::string& file, const Transformer* given = nullptr);

// Returns the question of a model: the run file when one is given, else a training run from the options.
Question from_model(const Transformer& model, const RunOptions& options) {
  if (!options.run.empty())
    return from_yaml(base::read_file(options.run, most_workload_bytes(options.run)), options.run, &model);
  TrainingRun run;
  run.model = model;
  run.sequence = options.sequence;
  run.global_batch = options.batch;
  run.micro_batch = options.micro_batch;
  train_in(run, options.precision);
  run.recompute = options.recompute;
  apply_parallel(options.parallel, run);
  base::ErrorList errors;
  apply_placement(options.placement, {"--placement"}, run, errors);
  errors.throw_if_any();
  if (options.training) {
    check_trainable(options.precision, {"--precision"});
    return {run, {}, options.framework};
  }
  return {serving_run(run, options), {}, options.framework};
}

// Returns the question of an ONNX graph. Throws base::Error when the options ask for any parallelism but
// replicas.
Question from_graph(const std::string& bytes, const std::string& file, const RunOptions& options) {
  base::ReadReport report;
  GraphRun run = lower_graph(spec::parse_onnx(bytes, file, {}, report), options.batch, options.precision);
  TrainingRun ways;
  apply_parallel(options.parallel, ways);
  if (ways.devices() != ways.data)
    throw base::Error({"--parallel"}, "a graph runs on replicas only", "write dp=N");
  run.name = file;
  run.training = options.training;
  run.replicas = ways.data;
  return {std::move(run), {}, options.framework};
}

void read_schedule(Fields& f, TrainingRun& run) {
  constexpr std::pair<const char*, Schedule> kSchedules[] = {
      {"interleaved", Schedule::Interleaved},
      {"zero bubble", Schedule::ZeroBubble},
      {"dual pipe", Schedule::DualPipe}};
  std::string schedule = "interleaved";
  f.choice("schedule", schedule, {"interleaved", "zero bubble", "dual pipe"});
  for (const auto& [text, value] : kSchedules) {
    if (schedule == text)
      run.schedule = value;
  }
}

// Reads the precision of the weights' products, where it differs from the run's.
void read_products(Fields& f, TrainingRun& run) {
  std::string products;
  f.text("products", products);
  if (products.empty())
    return;
  run.products = parse_precision(products);
  if (!run.products)
    f.error("products", "precision '" + products + "' is not known", "one of: fp16, bf16, int8, fp8, fp4");
}

void read_run(
    Fields& f,
    const base::Location& where,
    TrainingRun& run,
    std::string& recompute,
    base::ErrorList& errors) {
  std::string placement;
  f.text("placement", placement);
  apply_placement(placement, where, run, errors);
  f.integer("sequence", run.sequence, 1, kMost);
  f.integer("global_batch", run.global_batch, 1, kMost);
  f.integer("micro_batch", run.micro_batch, 0, kMost);  // 0: the fastest that fits
  f.integer("tensor", run.tensor, 1, kMostWays);
  f.integer("pipeline", run.pipeline, 1, kMostWays);
  f.integer("data", run.data, 1, kMostWays);
  f.integer("context", run.context, 1, kMostWays);
  f.integer("expert", run.expert, 1, kMostWays);
  f.integer("interleave", run.interleave, 1, kMostWays);
  f.integer("zero", run.zero, 0, 3);
  f.integer("shard", run.shard, 0, kMostWays);
  f.boolean("sequence_parallel", run.sequence_parallel);
  f.boolean("fp32_gradients", run.fp32_gradients);
  f.boolean("overlap_tensor", run.overlap_tensor);
  f.boolean("overlap_gather", run.overlap_gather);
  f.boolean("overlap_pipeline", run.overlap_pipeline);
  f.boolean("overlap_experts", run.overlap_experts);
  f.boolean("expanded_keys", run.expanded_keys);
  f.boolean("frozen", run.frozen);
  read_schedule(f, run);
  read_products(f, run);
  f.choice("recompute", recompute, {"none", "selective", "operators", "full", "open"});
  run.recompute_open = recompute == "open";
}

Question read_product(Fields& f, Precision precision) {
  Gemm g;
  g.precision = precision;
  f.integer("batch", g.batch, 1, kMost);
  f.integer("m", g.m, 1, kMost);
  f.integer("n", g.n, 1, kMost);
  f.integer("k", g.k, 1, kMost);
  return {g, {}, {}};
}

Question read_layer(Fields& f, Precision precision) {
  LstmLayer l;
  l.precision = precision;
  f.integer("gates", l.gates, 1, 8);
  f.integer("hidden", l.hidden, 1, 1 << 24);
  f.integer("batch", l.batch, 1, kMost);
  f.integer("steps", l.steps, 1, kMost);
  return {l, {}, {}};
}

Question read_serving(Fields& f, Precision precision, const Transformer& model) {
  InferenceRun r;
  r.model = model;
  r.precision = precision;
  f.integer("batch", r.batch, 1, kMost);
  f.integer("prompt", r.prompt, 1, kMost);
  f.integer("output", r.output, 1, kMost);
  f.integer("tensor", r.tensor, 1, kMostWays);
  f.integer("pipeline", r.pipeline, 1, kMostWays);
  f.integer("data", r.data, 1, kMostWays);
  f.integer("expert", r.expert, 1, kMostWays);
  return {r, {}, {}};
}

// Reads the model of a run. Returns `given` when the file has none.
Transformer read_model_of(Fields& f, const Transformer* given, base::ErrorList& errors) {
  Transformer model;
  const YamlNode* node = f.map("model");
  if (node && given)
    f.error("model", "the model is named twice, here and by its config.json", "leave 'model' out");
  else if (given)
    model = *given;
  else if (node)
    read_model(*node, model, errors);
  else
    f.error("model", "'model' is missing", "e.g. model: {layers: 32, hidden: 4096, heads: 32}");
  return model;
}

// Reads a workload file. `given` is a model from another file, or null. With it the file must not have a
// model.
Question from_yaml(const std::string& text, const std::string& file, const Transformer* given) {
  const YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  Fields f(root, errors);
  f.schema("lento.workload/1");
  std::string kind = "training";
  std::string precision_text = "bf16";
  std::string recompute = "none";
  f.choice("kind", kind, {"gemm", "lstm", "training", "inference"});
  f.text("precision", precision_text);
  const std::optional<Precision> precision = parse_precision(precision_text);
  if (!precision)
    f.error(
        "precision",
        "precision '" + precision_text + "' is not known",
        "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4");
  const Precision p = precision.value_or(Precision::Bf16);
  Question q;
  Transformer model;
  if (kind == "training" || kind == "inference")
    model = read_model_of(f, given, errors);
  if (kind == "gemm") {
    q = read_product(f, p);
  } else if (kind == "lstm") {
    q = read_layer(f, p);
  } else if (kind == "inference") {
    q = read_serving(f, p, model);
  } else {
    TrainingRun run;
    run.model = model;
    train_in(run, p);
    read_run(f, root.find("placement") ? root.find("placement")->where : root.where, run, recompute, errors);
    run.recompute = recompute_of(recompute);
    check_trainable(run.products.value_or(run.precision), root.where);
    q.what = run;
  }
  f.text("framework", q.framework);
  f.finish();
  errors.throw_if_any();
  return q;
}

}  // namespace

Recompute recompute_of(const std::string& text) {
  if (text == "none" || text == "open")
    return Recompute::None;
  if (text == "operators")
    return Recompute::Operators;
  if (text == "selective")
    return Recompute::Selective;
  if (text == "full")
    return Recompute::Full;
  throw base::Error(
      {},
      "'" + text + "' is no kind of recomputation",
      "one of: none, selective, operators, full, open");
}

void read_transformer(Fields& f, Transformer& m) {
  f.integer("layers", m.layers, 1, 100000);
  f.integer("hidden", m.hidden, 1, 1 << 24);
  f.integer("heads", m.heads, 1, 1 << 20);
  f.integer("kv_heads", m.kv_heads, 1, 1 << 20);
  f.integer("head_size", m.head_size, 1, 1 << 20);
  f.integer("ffn", m.ffn, 1, 1 << 26);
  f.integer("vocab", m.vocab, 1, 1 << 28);
  f.integer("experts", m.experts, 1, kMostWays);
  f.integer("active_experts", m.active_experts, 1, kMostWays);
  f.integer("value_size", m.value_size, 1, 1 << 20);
  f.integer("kv_rank", m.kv_rank, 1, 1 << 24);
  f.integer("query_rank", m.query_rank, 1, 1 << 24);
  f.integer("rotary_size", m.rotary_size, 1, 1 << 20);
  f.integer("shared_ffn", m.shared_ffn, 1, 1 << 26);
  f.integer("dense_layers", m.dense_layers, 0, 100000);
  f.integer("dense_ffn", m.dense_ffn, 1, 1 << 26);
  f.integer("window", m.window, 1, 1 << 28);
  f.integer("window_layers", m.window_layers, 0, 100000);
  f.boolean("gated", m.gated);
  f.boolean("tied", m.tied);
  f.boolean("flash", m.flash);
}

Question parse_workload(const std::string& text, const std::string& file, const RunOptions& options) {
  if (file.ends_with(".onnx"))
    return from_graph(text, file, options);
  const size_t start = text.find_first_not_of(" \t\r\n");
  // A workload may be written in JSON, which is YAML too. It then names its schema, which no config.json
  // does.
  if (start != std::string::npos && text[start] == '{' && text.find("lento.workload/") == std::string::npos)
    return from_model(
        transformer_from_config(base::parse_json(without_infinities(text), file), file),
        options);
  return from_yaml(text, file);
}

Question named_workload(const std::string& model, const RunOptions& options) {
  const std::optional<Transformer> known = known_model(model);
  if (!known)
    throw base::Error(
        {"--model"},
        "no model is called '" + model + "'",
        base::suggestion(model, known_model_names()) + "; any other by its config.json");
  return from_model(*known, options);
}

uint64_t most_workload_bytes(const std::string& file) {
  return file.ends_with(".onnx") ? uint64_t{2} << 30 : uint64_t{16} << 20;
}

Question read_workload(const std::string& path, const RunOptions& options) {
  return parse_workload(base::read_file(path, most_workload_bytes(path)), path, options);
}

}  // namespace lento::predict
