// The columns of a table of metrics. The command line, --csv and frames in Python share this guess, so that
// their verdicts cannot differ. Columns that an option names are taken as they are. The others are scored by
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
  std::string wide_metric;      // not empty: each column of `metrics` is a machine, this is the metric
  std::vector<size_t> metrics;  // columns that are judged; long: empty
  std::vector<size_t> labels;   // columns kept as labels of the machine
  std::vector<std::pair<std::string, std::string>> left_out;  // column, reason
  std::string time_unit;                                      // "" where times are dates
  DateOrder order = DateOrder::Unknown;
  NumberForm numbers;
  std::string machine_prefix;  // "gpu" where machines are the numbers of devices
};

using TableRows = std::vector<std::vector<std::string>>;

// Guesses the layout. `name` is the metric of a table whose columns are machines. Throws base::Error for a
// column that an option names and the header lacks, for a name that occurs twice, and when there is no column
// of times or none to judge.
TableLayout guess_layout(
    const std::vector<std::string>& header,
    const TableRows& rows,
    const CsvOptions& options,
    const std::string& name,
    const base::Location& where);

// One line: what each column was taken for, what is left out, and the options that say otherwise.
std::string describe(const TableLayout& layout, const std::vector<std::string>& header);

// The options that state this layout on a command line: {"--machine-column", "node", ...}.
std::vector<std::string> options_of(const TableLayout& layout, const std::vector<std::string>& header);

}  // namespace lento::fleet
