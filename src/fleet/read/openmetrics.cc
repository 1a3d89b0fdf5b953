// Reads a period of samples from exposition text (exposition.h). The time stamp is in seconds when it has a
// fraction or is below 1e11 (OpenMetrics), else in milliseconds (Prometheus text). Samples without one are
// skipped, unless the options give the time of the scrape.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "fleet/read/counters.h"
#include "fleet/read/exposition.h"
#include "fleet/read/source.h"

namespace lento::fleet {
namespace {

// Returns the first of these labels that is set, or null.
const std::string* first_label(const ExpositionSample& sample, const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    for (const auto& [key, value] : sample.labels) {
      if (key == name && !value.empty())
        return &value;
    }
  }
  return nullptr;
}

std::optional<int64_t> time_of(std::string_view text) {
  const auto time = base::try_double(text);
  if (!time || std::abs(*time) > 9e15)
    return std::nullopt;
  const bool seconds = text.find('.') != std::string_view::npos || std::abs(*time) < 1e11;
  return std::llround(seconds ? *time * 1000 : *time);
}

}  // namespace

MetricSeries read_openmetrics(const OpenMetricsOptions& options, base::ReadReport& report) {
  SeriesBuilder builder(report);
  base::InputStream in(options.path);
  base::Location where{options.path};
  MachineNames names;
  std::string_view line;
  ExpositionSample sample;
  while (in.line(line)) {
    where.line = int(std::min<int64_t>(in.line_number(), INT32_MAX));
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (line.empty() || line.front() == '#')
      continue;
    if (!parse_exposition(line, sample)) {
      report.skip(where, "not a sample line");
      continue;
    }
    const auto& keep = options.metrics;
    if (!keep.empty() && std::ranges::find(keep, sample.name) == keep.end())
      continue;
    const auto value = base::try_double(sample.value);
    const auto time_ms = sample.time.empty() ? options.scraped_at_ms : time_of(sample.time);
    const std::string* named = first_label(sample, options.machine_labels);
    const std::string& machine = named ? *named : options.scraped_from;
    if (!time_ms || !value || machine.empty() || is_blank(*value)) {
      report.skip(
          where,
          machine.empty()    ? "no machine label"
          : !value           ? "value is not a finite number"
          : is_blank(*value) ? "the exporter's value for 'not known'"
                             : "no time stamp");
      continue;
    }
    LabelList labels;
    for (const auto& [key, text] : sample.labels)
      labels.emplace_back(key, text);
    const std::string device = device_of(labels, options.device_labels);
    const uint32_t id = builder.machine(names.of(machine));
    for (const auto& [key, text] : sample.labels) {
      const auto& kept = options.label_names;
      if (std::ranges::find(kept, key) != kept.end())
        builder.set_label(id, key, text);
    }
    builder.add({builder.metric(sample.name), id, builder.device(device)}, *time_ms, *value, where);
  }
  MetricSeries series = builder.build(options.grid, {options.path});
  counters_to_rates(series);
  return series;
}

}  // namespace lento::fleet
