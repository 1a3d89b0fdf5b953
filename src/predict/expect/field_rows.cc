// Reads the list of public runs: the columns of each row become the question that a user would ask about it,
// and an empty field is the default of the stack at that version.
#include "predict/expect/field_rows.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/number.h"
#include "base/scan/csv.h"
#include "predict/time/workload.h"

namespace lento::predict {
namespace {

constexpr double kMost = 1e12;

// Reads the numbers of one row by column name. An empty field gives the default.
class Fields {
 public:
  explicit Fields(const base::CsvReader& row)
      : row_(row) {
  }
  const std::string& text(const char* column) const {
    return row_.text(row_.require(column));
  }
  // Returns a whole number from 0 on, or `otherwise` for an empty field. Throws base::Error for anything
  // else.
  int64_t whole(const char* column, int64_t otherwise) const {
    const int at = row_.require(column);
    if (row_.text(at).empty())
      return otherwise;
    const double value = row_.number(at);
    if (!(value >= 0) || value > kMost || value != std::floor(value))
      throw base::Error(row_.where(at), "'" + row_.text(at) + "' is no whole number from 0 on");
    return int64_t(value);
  }
  int ways(const char* column) const {
    return int(std::min<int64_t>(1 << 20, std::max<int64_t>(1, whole(column, 1))));
  }
  double positive(const char* column) const {
    const int at = row_.require(column);
    const double value = row_.number(at);
    if (!(value > 0))
      throw base::Error(row_.where(at), "'" + row_.text(at) + "' is not above 0");
    return value;
  }
  [[noreturn]] void refuse(const char* column, const std::string& hint) const {
    const int at = row_.require(column);
    throw base::Error(row_.where(at), "'" + row_.text(at) + "' is not known", hint);
  }

 private:
  const base::CsvReader& row_;
};

// Builds the model from the sizes in a row.
Transformer model_of(const Fields& f) {
  Transformer m;
  m.hidden = f.whole("hidden", 1);
  m.layers = f.whole("layers", 1);
  m.heads = f.whole("heads", 1);
  m.kv_heads = f.whole("kv_heads", 0);
  m.ffn = f.whole("ffn", 0);
  m.vocab = f.whole("vocab", 51200);
  m.experts = f.whole("experts", 1);
  m.active_experts = f.whole("top_k", 1);
  m.head_size = f.whole("head_dim", 0);
  m.gated = f.whole("gated", 1) != 0;
  m.tied = f.whole("tied", 0) != 0;
  return m;
}

Precision precision_of(const Fields& f) {
  const auto p = parse_precision(f.text("precision"));
  if (!p)
    f.refuse("precision", "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4");
  return *p;
}

// Sets what the row's software overlaps with computation: "tensor+pipeline+gather", or a part of it.
void set_overlaps(const Fields& f, TrainingRun& run) {
  const std::pair<std::string_view, bool TrainingRun::*> kinds[] = {
      {"tensor", &TrainingRun::overlap_tensor},
      {"pipeline", &TrainingRun::overlap_pipeline},
      {"gather", &TrainingRun::overlap_gather}};
  std::istringstream words(f.text("overlap"));
  for (std::string word; std::getline(words, word, '+');) {
    const auto* kind = std::ranges::find(kinds, word, [](const auto& k) {
      return k.first;
    });
    if (kind == std::end(kinds))
      f.refuse("overlap", "tensor, pipeline and gather, joined by +");
    run.*kind->second = true;
  }
}

// Converts a row to a training run.
TrainingRun training_of(const Fields& f) {
  TrainingRun r;
  r.model = model_of(f);
  r.sequence = f.whole("tokens_in_or_sequence", 2048);
  r.global_batch = f.whole("batch", 1);
  r.micro_batch = f.whole("micro_batch", 1);
  r.interleave = f.ways("chunks");
  r.model.flash = f.whole("flash", 1) != 0;
  r.tensor = f.ways("tp");
  r.pipeline = f.ways("pp");
  r.data = f.ways("dp");
  r.expert = f.ways("ep");
  r.zero = int(std::min<int64_t>(3, f.whole("zero", 0)));
  r.shard = f.text("shard").empty() ? 0 : f.ways("shard");
  r.sequence_parallel = r.tensor > 1;
  set_overlaps(f, r);
  const std::string& again = f.text("recompute");
  r.recompute = again.empty() ? Recompute::None : recompute_of(again);
  train_in(r, precision_of(f));
  return r;
}

// Converts a row to a load of requests.
InferenceRun serving_of(const Fields& f) {
  InferenceRun r;
  r.model = model_of(f);
  r.batch = f.whole("batch", 1);
  r.prompt = std::max<int64_t>(1, f.whole("tokens_in_or_sequence", 1));
  r.output = std::max<int64_t>(1, f.whole("tokens_out", 1));
  r.tensor = f.ways("tp");
  r.pipeline = f.ways("pp");
  r.data = f.ways("dp");
  r.expert = f.ways("ep");
  r.precision = precision_of(f);
  return r;
}

// Returns the stack of a row with its generation. vLLM replaced its engine: the new one is the default from
// 0.8 on. From 0.6 on the server is a process of its own and the host schedules while the device computes.
// Before 0.3 vLLM launched every kernel from the host instead of replaying graphs.
std::string stack_of(const Fields& f) {
  const std::string& stack = f.text("stack");
  const std::string& version = f.text("stack_version");
  if (stack != "vllm" || !version.starts_with("0."))
    return stack == "vllm" ? "vllm v1" : stack;
  const std::string rest = version.substr(2);
  const double minor = base::try_double(rest.substr(0, rest.find('.'))).value_or(8);
  return minor < 3 ? "vllm eager" : minor < 6 ? "vllm v0" : minor < 8 ? "vllm v0.6" : "vllm v1";
}

// Converts a row to a question with its measured time.
FieldRow row_of(const base::CsvReader& in) {
  const Fields f(in);
  FieldRow row;
  row.model = f.text("model");
  row.chip = f.text("chip");
  row.stack = stack_on(stack_of(f), row.chip);
  row.source = f.text("source");
  row.precision = f.text("precision");
  row.devices = f.ways("n_gpus");
  row.faulty = f.whole("faulty", 0) != 0;
  if (!find_shipped(row.chip))
    f.refuse("chip", "name a shipped system");
  row.node = f.text("node").empty() ? 0 : f.ways("node");
  row.between_Bps = f.text("between_GBps").empty() ? 0 : 1e9 * f.positive("between_GBps");
  const double rate = f.positive("measured_tokens_per_s");
  const bool per_device = f.text("per") == "gpu";
  const double all = per_device ? rate * row.devices : rate;
  if (f.text("kind") == "train") {
    const TrainingRun run = training_of(f);
    row.work = Work::Train;
    row.measured_s = double(run.global_batch) * double(run.sequence) / all;
    row.run = run;
  } else if (f.text("kind") == "serve") {
    const InferenceRun run = serving_of(f);
    row.varied = f.text("lengths") == "varied";
    row.server = f.text("door") != "offline";
    row.at_once = f.whole("at_once", 0);
    row.cache_bits = f.whole("cache", 0);
    row.scheduled = f.whole("scheduled", 1);
    row.measured_s = double(run.batch) * double(run.output) / all;
    row.run = run;
  } else {
    f.refuse("kind", "train or serve");
  }
  return row;
}

}  // namespace

System FieldRow::system() const {
  System out = *find_shipped(chip);
  if (node > 0)
    out.network.node_devices = node;
  if (between_Bps > 0)
    out.network.between_Bps = between_Bps;
  return out;
}

std::string FieldRow::group() const {
  return source.substr(0, source.find(' '));
}

std::vector<FieldRow> read_field_rows(const std::string& path, base::ReadReport& report) {
  base::CsvReader in(path, report);
  std::vector<FieldRow> rows;
  while (in.next())
    rows.push_back(row_of(in));
  return rows;
}

}  // namespace lento::predict
