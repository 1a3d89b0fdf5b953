// MLPerf's training log: one JSON object a line behind ":::MLLOG". Throughput is stated by "tracked_stats",
// and a block of training lasts from "block_start" to "block_stop". Evaluation lies between blocks and is not
// counted.
//
//   line = ":::MLLOG {" "time_ms": N "event_type": T "key": K "value": V "metadata": {M} "}"
//
// Position of a sample: the step, samples or epoch of the metadata, whichever the program counts in.
//
// Source: mlcommons/logging (mllog) 1.0 to 5.0 and the logs published with the rounds 3.0 to 5.0.
#include <optional>

#include "base/json.h"
#include "desk/training/step_lines.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

using base::Json;

const LineForm kMlperfForms[] = {
    {":::MLLOG {entry}",
     {":::MLLOG {\"namespace\": \"\", \"time_ms\": 1721026805975, \"event_type\": \"POINT_IN_TIME\", "
      "\"key\": "
      "\"tracked_stats\", \"value\": {\"throughput\": 14.92}, \"metadata\": {\"lineno\": 161, \"step\": "
      "3072}}",
      "0: :::MLLOG {\"namespace\": \"\", \"time_ms\": 1721026606541, \"event_type\": \"INTERVAL_START\", "
      "\"key\": \"block_start\", \"value\": null, \"metadata\": {\"samples_count\": 2688}}"}},
};

const Quantity kBlockTime{"time of a block of training", "s", Kind::Level, Better::Lower, "", Scope::Job};

std::optional<double> number(const Json* json, std::string_view key) {
  const Json* value = json ? json->find(key) : nullptr;
  if (!value || !value->is_number())
    return std::nullopt;
  return value->number({});
}

// Returns the position of an entry: step, samples or epoch.
double position(const Json& entry) {
  const Json* metadata = entry.find("metadata");
  for (const char* key : {"step", "step_num", "samples_count", "epoch_num", "first_epoch_num"})
    if (const auto value = number(metadata, key))
      return *value;
  return kUnknown;
}

class Mlperf : public Reader {
  void take(size_t, const Match&, Sink& sink) override {
    const std::string_view line = sink.line();
    const size_t open = line.find('{');
    if (open == line.npos)
      return;
    try {
      entry(base::parse_json(line.substr(open), ""), sink);
    } catch (const base::Error&) {
      return;  // the line was cut
    }
  }

  // Takes one entry of an MLPerf log.
  void entry(const Json& entry, Sink& sink) {
    const Json* key = entry.find("key");
    const auto ms = number(&entry, "time_ms");
    if (!key || !key->is_string() || !ms)
      return;
    sink.set_time({Clock::Unix, *ms / 1000});
    const std::string& name = key->string({});
    const double at = position(entry);
    if (name == "tracked_stats" || name == "throughput")
      stats(entry, at, sink);
    else if (name == "block_start")
      begin_ = *ms / 1000;
    else if (name == "block_stop" && begin_) {
      sink.sample(kBlockTime, *ms / 1000 - *begin_, {{}, at});
      begin_.reset();
    } else if (name == "global_batch_size") {
      if (const auto batch = number(&entry, "value"))
        sink.sample(kBatch, *batch, {{}, std::isnan(at) ? 0 : at});
    }
  }

  // Takes the measured rates and step times of an entry.
  static void stats(const Json& entry, double at, Sink& sink) {
    const Json* value = entry.find("value");
    if (!value)
      return;
    if (const auto rate = value->is_number() ? number(&entry, "value") : number(value, "throughput"))
      sink.sample(kSamplesPerS, *rate, {{}, at});
    for (const char* name : {"train_step_time", "train_step_timing"})
      if (const auto time = number(value, name))
        sink.sample(kStepTime, *time, {{}, at});
  }

  std::optional<double> begin_;
};

}  // namespace

const Format kMlperf{"MLPerf log", "training", kMlperfForms, Shape::Lines, make<Mlperf>};

}  // namespace lento::desk
