// Prints a layout as one line of text with the options that override it, and as command-line arguments, so
// that a guess can be repeated and changed.
#include <algorithm>

#include "fleet/read/table_layout.h"

namespace lento::fleet {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 6;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i)
    text += (i ? ", " : "") + names[i];
  return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more" : text;
}

}  // namespace

std::string describe(const TableLayout& layout, const std::vector<std::string>& header) {
  const auto of = [&](int c) {
    return "'" + header[size_t(c)] + "'";
  };
  std::string text = "Read as: time " + of(layout.time);
  text += layout.time_unit.empty() ? " (dates)" : " in " + layout.time_unit;
  if (!layout.wide_metric.empty())
    text += ", each other column a machine, all of metric " + layout.wide_metric;
  else
    text += layout.machine >= 0 ? ", machine " + of(layout.machine) : ", the file is one machine";
  if (layout.device >= 0)
    text += ", device " + of(layout.device);
  if (layout.metric_name >= 0)
    text += ", metrics named by " + of(layout.metric_name) + " with values in " + of(layout.value);
  if (layout.numbers.decimal_comma)
    text += ", decimal commas";
  if (layout.order != DateOrder::Unknown)
    text +=
        layout.order == DateOrder::DayFirst ? ", dates with the day first" : ", dates with the month first";
  std::vector<std::string> out;
  for (const auto& [column, reason] : layout.left_out)
    out.push_back(column + " (" + reason + ")");
  if (!out.empty())
    text += "; left out: " + listed(out);
  return text +
         ". Otherwise say --time-column, --time-unit, --machine-column, --device-column, --metric-column or "
         "--metric";
}

std::vector<std::string> options_of(const TableLayout& layout, const std::vector<std::string>& header) {
  std::vector<std::string> words;
  const auto add = [&](const char* option, int c) {
    if (c >= 0)
      words.insert(words.end(), {option, header[size_t(c)]});
  };
  add("--machine-column", layout.machine);
  if (!layout.wide_metric.empty())
    words.insert(words.end(), {"--wide", layout.wide_metric});
  add("--device-column", layout.device);
  add("--metric-column", layout.metric_name);
  add("--value-column", layout.value);
  add("--time-column", layout.time);
  if (!layout.time_unit.empty())
    words.insert(words.end(), {"--time-unit", layout.time_unit});
  for (const size_t c : layout.labels)
    add("--label", int(c));
  return words;
}

}  // namespace lento::fleet
