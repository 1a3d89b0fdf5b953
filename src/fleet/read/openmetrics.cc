// Reads exposition text, one sample a line:
//   line   = "" | "#" any
//          | name [ "{" [ label { "," label } [","] ] "}" ] " " value [ " " timestamp ] [ exemplar ]
//   label  = name "=" '"' { char | "\\" | "\"" | "\n" } '"'
// The time stamp is in seconds when it has a fraction or is below 1e11 (OpenMetrics), else in milliseconds
// (Prometheus text). Samples without one are skipped, because a period needs times.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "fleet/read/source.h"

namespace lento::fleet {
namespace {

struct Sample {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> labels;
  std::string_view value;
  std::string_view time;
};

bool metric_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

std::string_view take_name(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && metric_name_char(text[n]))
    ++n;
  const std::string_view name = text.substr(0, n);
  text.remove_prefix(n);
  return name;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c)
    return false;
  text.remove_prefix(1);
  return true;
}

bool take_quoted(std::string_view& text, std::string& out) {
  if (!take(text, '"'))
    return false;
  while (!text.empty() && text.front() != '"') {
    if (text.front() == '\\') {
      text.remove_prefix(1);
      if (text.empty())
        return false;
      out += text.front() == 'n' ? '\n' : text.front();
    } else {
      out += text.front();
    }
    text.remove_prefix(1);
  }
  return take(text, '"');
}

void skip_blanks(std::string_view& text) {
  while (take(text, ' ')) {
  }
}

std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

bool parse(std::string_view text, Sample& out) {
  out.labels.clear();
  out.name = take_name(text);
  if (out.name.empty())
    return false;
  if (take(text, '{')) {
    skip_blanks(text);
    while (!take(text, '}')) {
      const std::string_view key = take_name(text);
      std::string value;
      if (key.empty() || !take(text, '=') || !take_quoted(text, value))
        return false;
      out.labels.emplace_back(key, std::move(value));
      if (out.labels.size() > 128)
        return false;
      const bool more = take(text, ',');
      skip_blanks(text);
      if (!more && (text.empty() || text.front() != '}'))
        return false;
    }
  }
  out.value = take_word(text);
  out.time = take_word(text);
  return !out.value.empty();
}

const std::string* first_label(const Sample& sample, const std::vector<std::string>& wanted) {
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
  Sample sample;
  while (in.line(line)) {
    where.line = int(std::min<int64_t>(in.line_number(), INT32_MAX));
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (line.empty() || line.front() == '#')
      continue;
    if (!parse(line, sample)) {
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
  return builder.build(options.grid, {options.path});
}

}  // namespace lento::fleet
