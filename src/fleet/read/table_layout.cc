// Finds the roles of a table's columns by scores. A name with a single common meaning weighs most, a name
// that contains such a word less, and the contents of the cells least. If two rows have the same time,
// machine and device, another column must distinguish them, and the first column that does so gets a role,
// too.
#include "fleet/read/table_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/number.h"
#include "fleet/read/column_cells.h"
#include "fleet/read/column_names.h"
#include "fleet/read/time_column.h"

namespace lento::fleet {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kMetricNames{
    "metric",
    "metric_name",
    "__name__",
    "measurement",
    "_measurement",
    "counter",
    "variable",
    "sensor",
    "kpi"};
constexpr std::array<std::string_view, 7>
    kWeakMetricNames{"name", "field", "_field", "key", "item", "parameter", "quantity"};
constexpr std::array<std::string_view, 6>
    kValueNames{"value", "_value", "val", "reading", "metric_value", "v"};

bool is_one_of(Words names, std::string_view text) {
  return std::ranges::find(names, text) != names.end();
}

class Guess {
 public:
  Guess(
      const std::vector<std::string>& header,
      const TableRows& rows,
      const CsvOptions& options,
      const base::Location& where)
      : header_(header),
        rows_(rows),
        options_(options),
        where_(where),
        used_(header.size(), false) {
  }

  // Guesses which column is time, machine, device and metric. Options decide where they are given.
  TableLayout guess(const std::string& name) {
    refuse_doubles();
    out_.machine = named(options_.machine_column, "machine");
    out_.device = named(options_.device_column, "device");
    out_.metric_name = named(options_.metric_column, "metric name");
    out_.value = named(options_.value_column, "value");
    out_.wide_metric = options_.wide_metric;
    find_number_form();
    count_cells();
    out_.time = named(options_.time_column, "time");
    if (out_.time < 0)
      out_.time = take(time_column({header_, cells_, used_, where_, rows_.empty()}));
    out_.time_unit = options_.time_unit.empty()
                         ? unit_of_time(header_[size_t(out_.time)], cells_[size_t(out_.time)])
                         : options_.time_unit;
    find_labels();
    if (out_.wide_metric.empty())
      find_who(name);
    else
      leave_beside_machines(columns_left());
    if (out_.wide_metric.empty())
      find_long();
    if (out_.wide_metric.empty())
      separate_rows();
    find_metrics();
    name_machines();
    return out_;
  }

 private:
  // Returns the column with this name. Throws base::Error when it is absent.
  size_t column(const std::string& name, const char* role) const {
    const auto at = std::ranges::find(header_, name);
    if (at == header_.end())
      throw base::Error(
          where_,
          std::string(role) + " column '" + name + "' is not in the header",
          base::suggestion(name, header_));
    return size_t(at - header_.begin());
  }

  int named(const std::string& name, const char* role) {
    return name.empty() ? -1 : take(column(name, role));
  }

  int take(size_t c) {
    used_[c] = true;
    return int(c);
  }

  void refuse_doubles() const {
    std::vector<std::string> sorted = header_;
    std::ranges::sort(sorted);
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw base::Error(where_, "column '" + *twice + "' appears twice");
  }

  // Sets the decimal sign: a comma if some cell needs it and no number has a point.
  void find_number_form() {
    bool comma = false;
    for (const auto& row : rows_)
      for (const std::string& cell : row) {
        comma = comma || has_decimal_comma(cell);
        if (cell.find('.') != std::string::npos && cell.find(',') == std::string::npos &&
            base::try_double(cell))
          return;
      }
    out_.numbers.decimal_comma = comma;
  }

  // Counts what the first cells of each column hold: numbers, texts, times.
  void count_cells() {
    cells_.resize(header_.size());
    for (size_t c = 0; c < header_.size(); ++c) {
      for (const auto& row : rows_)
        cells_[c].add(row[c], out_.numbers);
    }
  }

  // Chooses columns that name a group of equal machines.
  void find_labels() {
    for (const std::string& name : options_.label_columns)
      out_.labels.push_back(size_t(take(column(name, "label"))));
    if (!options_.label_columns.empty())
      return;
    for (size_t c = 0; c < header_.size(); ++c)
      if (!used_[c] && names_peer_group(header_[c]) && !judged(c))
        out_.labels.push_back(size_t(take(c)));
  }

  bool judged(size_t c) const {
    return std::ranges::find(options_.metrics, header_[c]) != options_.metrics.end();
  }

  // Returns how likely a column names the machine.
  double machine_score(size_t c) const {
    if (names_machine(header_[c]))
      return 3;
    if (names_part_of_machine(header_[c]))
      return 2;
    if (!cells_[c].is_text() || names_device(header_[c]))
      return 0;
    const auto& names = cells_[c].distinct;
    return are_machines({names.begin(), names.end()}) && names.size() < cells_[c].filled ? 1 : 0;
  }

  // Chooses the machine column, or the file's name for all rows.
  void find_who(const std::string& name) {
    double best = 0;
    for (size_t c = 0; c < header_.size() && options_.machine_column.empty(); ++c) {
      const double score = used_[c] || judged(c) ? 0 : machine_score(c);
      if (score > best) {
        best = score;
        out_.machine = int(c);
      }
    }
    if (out_.machine >= 0)
      take(size_t(out_.machine));
    for (size_t c = 0; c < header_.size() && out_.device < 0; ++c)
      if (!used_[c] && names_device(header_[c]) && !judged(c))
        out_.device = take(c);
    if (out_.machine < 0 && out_.device < 0 && options_.paths.size() < 2)
      doubt_wide(name);
  }

  std::vector<std::string> columns_left() const {
    std::vector<std::string> out;
    for (size_t c = 0; c < header_.size(); ++c)
      if (!used_[c] && !header_[c].empty())
        out.push_back(header_[c]);
    return out;
  }

  // Makes the table a wide one when its other columns look like machines. A number, such as a file descriptor
  // as file name, does not name the metric.
  void doubt_wide(const std::string& name) {
    const std::vector<std::string> others = columns_left();
    if (options_.metrics.empty() && (are_machines(others) || leave_beside_machines(others)))
      out_.wide_metric = base::try_uint(name) ? "value" : name;
  }

  // Leaves out the columns that name no machine, such as an epoch or a learning rate, if at least two thirds
  // name machines. Returns false otherwise.
  bool leave_beside_machines(const std::vector<std::string>& others) {
    const std::vector<std::string> machines = machines_among(others);
    if (3 * machines.size() < 2 * others.size() || machines.empty())
      return false;
    for (size_t c = 0; c < header_.size(); ++c) {
      if (used_[c] || header_[c].empty() || std::ranges::count(machines, header_[c]) > 0)
        continue;
      take(c);
      out_.left_out.emplace_back(header_[c], "beside the machines");
    }
    return true;
  }

  // Finds the two columns of a long table: the one of values and the one that names their metric.
  void find_long() {
    if (out_.metric_name >= 0 && out_.value < 0)
      out_.value = value_column(false);
    if (out_.metric_name >= 0 && out_.value < 0)
      throw base::Error(
          where_,
          "no column of values beside '" + header_[size_t(out_.metric_name)] + "', which names metrics",
          "a column for each metric needs no such name: choose metrics with --metric (Python: "
          "columns=[...])");
    if (out_.metric_name >= 0)
      return;
    const int value = value_column(true);
    for (const auto& [names, only] :
         {std::pair{Words(kMetricNames), false}, std::pair{Words(kWeakMetricNames), true}})
      for (size_t c = 0; c < header_.size() && out_.metric_name < 0; ++c) {
        if (used_[c] || !cells_[c].is_text() || !is_one_of(names, base::lower_case(header_[c])))
          continue;
        out_.value = value >= 0 ? value : only ? -1 : value_column(false);
        if (out_.value >= 0)
          out_.metric_name = take(c);
      }
    if (out_.metric_name < 0)
      out_.value = -1;
    if (out_.value >= 0)
      take(size_t(out_.value));
  }

  // Returns the column that is named like a value, or else (unless `by_name`) the only column of numbers that
  // is no annotation, or -1.
  int value_column(bool by_name) const {
    int found = -1;
    for (size_t c = 0; c < header_.size(); ++c) {
      if (used_[c] || !cells_[c].is_number() || header_[c].empty())
        continue;
      if (is_one_of(kValueNames, base::lower_case(header_[c])))
        return int(c);
      if (by_name || names_annotation(header_[c]))
        continue;
      if (found >= 0)
        return -1;
      found = int(c);
    }
    return found;
  }

  // Returns the key of a row: its time, machine, device, metric name and the column `beside`.
  std::string cell_of(const std::vector<std::string>& row, int beside) const {
    std::string key;
    for (const int c : {out_.time, out_.machine, out_.device, out_.metric_name, beside})
      if (c >= 0)
        key += row[size_t(c)] + '\x1f';
    return key;
  }

  // Returns whether all rows have different keys when the column `beside` is part of the key.
  bool separates(int beside) const {
    std::set<std::string> cells;
    return std::ranges::all_of(rows_, [&](const auto& row) {
      return cells.insert(cell_of(row, beside)).second;
    });
  }

  // Finds the column that distinguishes rows with equal keys. It becomes the device, or the machine if there
  // is none.
  void separate_rows() {
    const bool weak_only = out_.machine >= 0 || options_.paths.size() > 1;
    if (out_.device < 0 && (!separates(-1) || speaks_of_devices()))
      for (size_t c = 0; c < header_.size() && out_.device < 0; ++c) {
        const bool known = may_name_device(header_[c]);
        const bool repeats = 2 * cells_[c].distinct.size() <= cells_[c].filled;
        const bool can =
            !used_[c] && !judged(c) && ((known && repeats) || (cells_[c].is_text() && !separates(-1)));
        if (can && separates(int(c)))
          out_.device = int(c);
      }
    if (out_.device >= 0)
      take(size_t(out_.device));
    if (!weak_only && out_.device >= 0 && cells_[size_t(out_.device)].distinct.size() > 1)
      std::swap(out_.machine, out_.device);
    prefer_ranks();
  }

  // Compares ranks instead of hosts when there are too few hosts. Findings then name ranks.
  void prefer_ranks() {
    constexpr size_t kFewestPeers = 4;
    const auto count = [&](int c) {
      return cells_[size_t(c)].distinct.size();
    };
    if (out_.machine < 0 || out_.device < 0 || !options_.machine_column.empty() ||
        !options_.device_column.empty())
      return;
    const std::vector<std::string> words = words_of(header_[size_t(out_.device)]);
    if (words.empty() || words.back() != "rank" || words.front() == "local" ||
        count(out_.machine) >= kFewestPeers || count(out_.device) < kFewestPeers || !one_machine_a_device())
      return;
    out_.labels.push_back(size_t(std::exchange(out_.machine, std::exchange(out_.device, -1))));
  }

  // Returns whether each device name occurs on one machine only.
  bool one_machine_a_device() const {
    std::map<std::string, std::string> machine_of;
    return std::ranges::all_of(rows_, [&](const auto& row) {
      const std::string& machine = row[size_t(out_.machine)];
      return machine_of.try_emplace(row[size_t(out_.device)], machine).first->second == machine;
    });
  }

  // Returns whether names such as "utilization.gpu [%]" show a table of the devices of one machine.
  bool speaks_of_devices() const {
    if (out_.machine >= 0)
      return false;
    return std::ranges::any_of(header_, [](const std::string& name) {
      return base::lower_case(name).find(".gpu") != std::string::npos ||
             base::lower_case(name).starts_with("clocks.");
    });
  }

  // Chooses the metric columns.
  void find_metrics() {
    const bool wide = !out_.wide_metric.empty();
    if (!options_.metrics.empty() && !wide && out_.metric_name < 0) {
      for (const std::string& name : options_.metrics)
        out_.metrics.push_back(size_t(take(column(name, "metric"))));
      return;
    }
    for (size_t c = 0; c < header_.size(); ++c) {
      if (used_[c] || header_[c].empty())  // a table's index has no name
        continue;
      const std::string reason = wide ? "" : reason_to_leave(c);
      if (reason.empty())
        out_.metrics.push_back(c);
      else
        out_.left_out.emplace_back(header_[c], reason);
    }
    if (out_.metrics.empty() && out_.metric_name < 0)
      throw base::Error(where_, "no metric column is left", "name one with --metric");
  }

  // Returns why a column is no metric, or "" when it is one.
  std::string reason_to_leave(size_t c) const {
    if (out_.metric_name >= 0)
      return cells_[c].is_text() ? "text" : "beside the value";
    if (cells_[c].is_text())
      return "text";
    if (cells_[c].filled == 0 && cells_[c].refused > 0)
      return "no number in its first rows";
    if (cells_[c].mostly(cells_[c].dates))
      return "a time";
    const bool whole = cells_[c].integers == cells_[c].numbers;
    if (names_annotation(header_[c]) && whole)
      return "annotation";
    return machine_score(c) >= 2 || names_device(header_[c]) ? "a name" : "";
  }

  // Sets the prefix for machines that are numbers, so that a finding names "gpu3" or "rank3" and not "3".
  void name_machines() {
    if (out_.machine < 0)
      return;
    const std::string name = base::lower_case(header_[size_t(out_.machine)]);
    if (name.find("rank") != std::string::npos)
      out_.machine_prefix = "rank";
    else if (may_name_device(name))
      out_.machine_prefix = "gpu";
  }

  const std::vector<std::string>& header_;
  const TableRows& rows_;
  const CsvOptions& options_;
  const base::Location& where_;
  std::vector<bool> used_;
  std::vector<Cells> cells_;
  TableLayout out_;
};

}  // namespace

TableLayout guess_layout(
    const std::vector<std::string>& header,
    const TableRows& rows,
    const CsvOptions& options,
    const std::string& name,
    const base::Location& where) {
  return Guess(header, rows, options, where).guess(name);
}

}  // namespace lento::fleet
