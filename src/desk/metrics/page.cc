// A page without time stamps shows one instant, so its samples are states: each part is compared with its
// peers of the same page and of the pages of other hosts. Names decide the side on which a deviation is a
// fault. A clock, a link's width and a link's speed should be as high as the peers', errors and slow-downs as
// rare. Temperatures, power and loads differ from part to part at any one instant and are not judged.
//
// Pages with time stamps are recordings of a period, which the fleet's reader takes
// (fleet/read/openmetrics.cc), as it does answers to queries of a period (fleet/read/range_answer.cc).
//
// An answer of Prometheus to a query of one instant holds the same samples in JSON:
//
//   answer = {"status": _, "data": {"resultType": _, "result": [{"metric": {LABEL: TEXT}, "value": [TIME,
//   TEXT]}]}}
#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/ascii.h"
#include "base/json.h"
#include "base/number.h"
#include "base/units.h"
#include "desk/kernel/kernel.h"
#include "desk/metrics/metrics.h"
#include "desk/nvidia/gpu_rows.h"
#include "fleet/read/column_names.h"
#include "fleet/read/exposition.h"
#include "fleet/read/metric_names.h"
#include "fleet/read/source.h"

namespace lento::desk {
namespace {

using Words = std::span<const std::string_view>;

// Words in the names of labels that identify a part or a job. Such a label does not become a part of the name
// of the quantity, so that parts that differ in it are compared with each other.
constexpr std::array<std::string_view, 18> kIdentity{
    "uuid",
    "gpu_uuid",
    "serial",
    "pci",
    "pod",
    "namespace",
    "container",
    "job",
    "name",
    "modelname",
    "driver",
    "device",
    "rank",
    "gpu",
    "ip",
    "host",
    "instance",
    "node"};

bool holds(const std::string& text, Words words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return text.find(word) != text.npos;
  });
}

constexpr std::array<std::string_view, 8>
    kLimits{"max", "limit", "default", "application", "supported", "setting", "threshold", "rated"};
constexpr std::array<std::string_view, 6> kFaults{"error", "errs", "ecc", "replay", "remapped", "retired"};
constexpr std::array<std::string_view, 4> kSlow{"slowdown", "throttl", "violation", "power_brake"};
constexpr std::array<std::string_view, 3> kLinks{"pcie", "link", "infiniband"};
constexpr std::array<std::string_view, 4> kSizes{"width", "gen", "speed", "rate"};
constexpr std::array<std::string_view, 6>
    kOther{"config", "mode", "pending", "inforom", "version", "histogram"};

// Returns whether a metric states the width, generation or rate of a link, such as "pcie_link_width_current"
// and unlike "nvlink_bandwidth".
bool is_size(const std::string& name) {
  return std::ranges::any_of(fleet::words_of(name), [](const std::string& word) {
    return std::ranges::find(kSizes, word) != kSizes.end();
  });
}

// Returns whether a metric reports a hang, such as "XPU_TIMER_COMMON_HANG" and unlike "carrier_changes".
bool states_hang(const std::string& name) {
  const std::vector<std::string> words = fleet::words_of(name);
  return std::ranges::find(words, "hang") != words.end();
}

// Returns whether a metric counts errors that hardware could not correct. Memory that was replaced since
// ("remapped", "retired") is none.
bool counts_uncorrected(const std::string& name) {
  constexpr std::array<std::string_view, 3> kUncorrected{"uncorrectable", "uncorrected", "dbe"};
  constexpr std::array<std::string_view, 4> kReplaced{"remapped", "remap", "retired", "rows"};
  const auto has = [words = fleet::words_of(name)](const auto& list) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return std::ranges::find(list, word) != list.end();
    });
  };
  return has(kUncorrected) && !has(kReplaced);
}

// Returns whether a metric is a flag for a failure, such as "ROW_REMAP_FAILURE", and no count of them.
bool is_failure_flag(const std::string& name) {
  constexpr std::array<std::string_view, 4> kFlags{"failure", "failed", "lost", "unhealthy"};
  const std::vector<std::string> words = fleet::words_of(name);
  return !words.empty() && std::ranges::find(kFlags, words.back()) != kFlags.end();
}

// Returns whether a metric is the temperature of a GPU of NVIDIA, and no limit or temperature of its memory.
bool is_gpu_temperature(const std::string& name) {
  const bool is_nvidia = name.starts_with("dcgm") || name.starts_with("nvidia");
  const bool is_other = holds(name, kLimits) || holds(name, kSlow) || name.find("mem") != name.npos ||
                        name.find("shutdown") != name.npos;
  return is_nvidia && !is_other && name.find("temp") != name.npos && name.find("gpu") != name.npos;
}

// Returns whether a metric is the load of a GPU, its utilisation or its power.
bool is_load(const std::string& name) {
  constexpr std::array<std::string_view, 5> kLoads{
      "gpu_util",
      "utilization_gpu",
      "power_usage",
      "power_draw",
      "tensor_active"};
  return holds(name, kLoads);
}

std::string unit_of(const std::string& name) {
  if (name.ends_with("_hz"))
    return "Hz";
  if (name.ends_with("_seconds") || name.ends_with("_seconds_total"))
    return "s";
  return "";
}

constexpr const char* kAgain =
    "this is one instant: read the pages again while the job runs; then look at the part's slow-down "
    "reasons, "
    "temperature and power";

// Returns a quantity with the unit that its name contains.
Quantity with(std::string_view name, Kind kind, Better better) {
  Quantity quantity;
  quantity.name = name;
  quantity.unit = unit_of(base::lower_case(name));
  quantity.kind = kind;
  quantity.better = better;
  quantity.advice = kAgain;
  return quantity;
}

// Returns the labels that identify neither a part nor a job, as text for the name of the quantity: "
// (mode=read, level=2)", or "" when there are none.
std::string labels_beside(const fleet::ExpositionSample& sample, const std::string& device) {
  std::string text;
  for (const auto& [key, value] : sample.labels) {
    const std::string name = base::lower_case(key);
    const auto& hosts = fleet::default_machine_labels();
    const bool is_identity = holds(name, kIdentity) || std::ranges::find(hosts, key) != hosts.end();
    if (!is_identity && !value.empty() && value != device)
      text += (text.empty() ? "" : ", ") + std::string(key) + "=" + value;
  }
  return text.empty() ? "" : " (" + text + ")";
}

class MetricsPage : public Reader {
 public:
  bool row(std::string_view line, Sink& sink) override {
    if (line.empty() || line.front() == '#' || !fleet::parse_exposition(line, sample_))
      return false;
    const auto value = base::try_double(sample_.value);
    if (!value || fleet::is_blank(*value))
      return false;
    const auto [quantity, subject] = meaning();
    sink.set_time({});
    sink.state(quantity, *value, {subject});
    note_event(*value, subject, sink);
    return true;
  }

  void document(std::string_view text, const std::string& path, Sink& sink) override {
    const base::Json answer = base::parse_json(text, path);
    if (const base::Json* error = answer.find("error");
        error && error->is_string() && answer.find("errorType")) {
      Event event;
      event.kind = "unread/state";
      event.meaning = "the query of Prometheus failed: " + error->string({});
      event.action = "the same query again, over a shorter time or fewer series";
      sink.event(std::move(event));
      sink.took();
      return;
    }
    const base::Json* data = answer.find("data");
    const base::Json* result = data ? data->find("result") : nullptr;
    if (!result)
      return;
    for (const base::Json& series : result->items()) {
      const base::Json* metric = series.find("metric");
      if (!metric)
        continue;
      sample_ = {};
      for (const auto& [key, value] : metric->members()) {
        if (!value.is_string())
          continue;
        if (key == "__name__")
          sample_.name = value.string({});
        else
          sample_.labels.emplace_back(key, value.string({}));
      }
      if (const base::Json* value = series.find("value"))
        take_sample(*value, sink);
    }
  }

 private:
  void take_sample(const base::Json& sample, Sink& sink) {
    const auto& pair = sample.items();
    if (pair.size() != 2 || !pair[0].is_number() || !pair[1].is_string())
      return;
    const auto value = base::try_double(pair[1].string({}));
    if (!value || fleet::is_blank(*value))
      return;
    const auto [quantity, subject] = meaning();
    sink.set_time({});
    sink.state(quantity, *value, {subject});
    note_event(*value, subject, sink);
    sink.took();
  }

  // Returns the quantity and the subject of the sample.
  std::pair<Quantity, Subject> meaning() {
    fleet::LabelList labels;
    for (const auto& [key, text] : sample_.labels)
      labels.emplace_back(key, text);
    Subject subject;
    const std::string device = fleet::device_of(labels, fleet::default_device_labels());
    subject.host = host();
    subject.rank = label("rank");
    if (subject.rank.empty())
      subject.device = base::try_uint(device) ? "gpu" + device : device;
    Quantity quantity = quantity_of(sample_.name);
    quantity.name += labels_beside(sample_, device);
    quantity.group = label("modelName");
    return {std::move(quantity), std::move(subject)};
  }

  std::string label(std::string_view wanted) const {
    for (const auto& [key, value] : sample_.labels)
      if (key == wanted)
        return value;
    return {};
  }

  // Writes an event for samples that report one: a hang found by a monitoring library, or the last Xid of a
  // GPU.
  void note_event(double value, const Subject& subject, Sink& sink) const {
    const std::string name = base::lower_case(sample_.name);
    Event event;
    event.subject = subject;
    if (value == 1 && states_hang(name)) {
      event.kind = "exporter/hang";
      event.severity = Severity::Fault;
      event.meaning = "the exporter states a hang";
      event.action = "take the stacks of that rank (py-spy dump, gdb) before it is stopped";
    } else if (const Xid* known = name.find("xid") != name.npos ? xid(int64_t(value)) : nullptr) {
      event.kind = "xid/" + std::to_string(known->code);
      event.severity = known->severity;
      event.origin = known->origin;
      event.meaning = "Xid " + std::to_string(known->code) + ", " + known->meaning;
      event.action = known->action;
    } else if (value == 1 && is_failure_flag(name)) {
      event.kind = "exporter/" + name;
      event.severity = Severity::Fault;
      event.origin = Origin::Hardware;
      event.meaning = "the exporter states " + std::string(sample_.name);
      event.action = "look at that part on its host (nvidia-smi -q, dmesg -T), drain and reset it";
    } else if (is_gpu_temperature(name) && value >= kTooHot_C) {
      event = hot_gpu(value);
      event.subject = subject;
    } else if (value > 0 && counts_uncorrected(name)) {
      event.kind = "exporter/uncorrected";
      event.severity = Severity::Fault;
      event.origin = Origin::Hardware;
      event.meaning = std::string(sample_.name) + " " + base::format_number(value);
      event.action = "replace the memory module or the board if the count rises";
    } else {
      return;
    }
    sink.event(std::move(event));
  }

  std::string host() {
    for (const std::string& name : fleet::default_machine_labels())
      if (const std::string value = label(name); !value.empty())
        return names_.of(value);
    return {};
  }

  fleet::ExpositionSample sample_;
  fleet::MachineNames names_;
};

// Returns the share of lines that are samples of one instant. Words followed by a number are not enough: the
// page must contain braces or an exporter's comments.
double score(std::string_view head, std::string& reason) {
  size_t lines = 0;
  size_t samples = 0;
  size_t marks = 0;
  fleet::ExpositionSample sample;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    if (end == head.npos && lines > 0)
      break;  // the line was cut by the end of `head`
    head.remove_prefix(end == head.npos ? head.size() : end + 1);
    if (line.empty() || line == "\r" || line.front() == '#') {
      marks += line.starts_with("# HELP ") || line.starts_with("# TYPE ");
      continue;
    }
    ++lines;
    const bool is_sample = fleet::parse_exposition(line, sample) && sample.time.empty() &&
                           (base::try_double(sample.value) || sample.value == "NaN");
    samples += is_sample;
    marks += is_sample && !sample.labels.empty();
  }
  if (lines == 0 || marks * 2 < lines || samples * 10 < lines * 9)
    return 0;
  reason =
      std::to_string(samples) + " of the first " + std::to_string(lines) + " lines are samples of metrics";
  return 0.9 * double(samples) / double(lines);
}

double score_answer(std::string_view head, std::string& reason) {
  if (head.find("\"errorType\"") != head.npos && head.find("\"status\"") != head.npos) {
    reason = "it is the error that Prometheus answered";
    return 0.9;
  }
  if (head.find("\"resultType\"") == head.npos || head.find("\"result\"") == head.npos ||
      fleet::is_range_answer(head))
    return 0;
  reason = "it has the members of an answer of Prometheus";
  return 0.9;
}

}  // namespace

Quantity quantity_of(std::string_view metric) {
  const std::string name = base::lower_case(metric);
  if (states_hang(name))
    return with(metric, Kind::Flag, Better::Lower);
  if (holds(name, kOther) || holds(name, kLimits))
    return with(metric, Kind::Annotation, Better::Neither);
  if (holds(name, kFaults) || (holds(name, kSlow) && name.find("second") != name.npos))
    return with(metric, Kind::Counter, Better::Lower);
  if (holds(name, kSlow))
    return with(metric, Kind::Flag, Better::Lower);
  const bool is_clock = name.find("clock") != name.npos && name.find("reason") == name.npos;
  if (is_clock || (holds(name, kLinks) && is_size(name))) {
    Quantity quantity = with(metric, is_clock ? Kind::Level : Kind::FewValued, Better::Higher);
    quantity.needs_load = is_clock || (name.find("pcie") != name.npos && name.find("width") == name.npos);
    return quantity;
  }
  Quantity quantity = with(metric, Kind::Level, Better::Neither);
  quantity.is_load = is_load(name);
  if (quantity.is_load && name.find("util") != name.npos)
    quantity.unit = "%";
  return quantity;
}

const Format kMetricsPage{"page of metrics", "metrics", {}, Shape::Table, make<MetricsPage>, score};

const Format
    kMetricsAnswer{"answer of Prometheus", "metrics", {}, Shape::Document, make<MetricsPage>, score_answer};

Formats metrics_formats() {
  return {&kMetricsPage, &kMetricsAnswer};
}

}  // namespace lento::desk
