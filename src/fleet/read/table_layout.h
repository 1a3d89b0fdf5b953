// Guesses the roles of the columns of a metrics table. The command line and data frames in Python share this
// guess, so that their verdicts cannot differ. Options fix the role of a column. The others are scored by
// their names and by the values of the first rows.
//
//   a row per machine and time   node,time,power_w,sm_clock_mhz
//   long                       node,time,metric,value
//   a row per device             node,time,gpu,power_w,sm_clock_mhz
//   a machine a file           time,power_w,sm_clock_mhz
//   a machine a column         time,node1,node2,node3,node4
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "fleet/read/source.h"
#include "fleet/read/table_cells.h"

namespace lento::fleet {

struct TableLayout {
  // Columns of the header, -1: none.
  int machine = -1;
  int time = -1;
  int device = -1;
  int metric_name = -1;         // long: the column that names the metric of a row
  int value = -1;               // long: the column of its value
  std::string wide_metric;      // name of the metric when each column of `metrics` is a machine; else empty
  std::vector<size_t> metrics;  // columns that are judged; long: empty
  std::vector<size_t> labels;   // columns kept as labels of the machine
  std::vector<std::pair<std::string, std::string>> left_out;  // column, reason
  std::string time_unit;                                      // "": times are dates
  DateOrder order = DateOrder::Unknown;
  NumberForm numbers;
  std::string machine_prefix;  // put before numbers that name machines: "gpu", "rank" or ""
};

using TableRows = std::vector<std::vector<std::string>>;

// Guesses the layout. `name` names the metric of a table whose columns are machines. Throws base::Error when
// the header lacks a column that an option names or has a name twice, and when there is no time column or no
// metric column.
TableLayout guess_layout(
    const std::vector<std::string>& header,
    const TableRows& rows,
    const CsvOptions& options,
    const std::string& name,
    const base::Location& where);

// Returns one line that states the role of each column, the columns left out, and the options to change them.
std::string describe(const TableLayout& layout, const std::vector<std::string>& header);

// Returns the command-line options that give this layout: {"--machine-column", "node", ...}.
std::vector<std::string> options_of(const TableLayout& layout, const std::vector<std::string>& header);

}  // namespace lento::fleet
