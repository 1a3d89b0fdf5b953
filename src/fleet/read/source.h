// Readers of fleet metrics: CSV files, OpenMetrics text, saved answers. (Prometheus:
// fleet/read/prometheus.h.) Every reader yields a MetricSeries. Damaged records are skipped and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_report.h"
#include "fleet/read/metric_names.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

// A recorded period as CSV with a header line (docs/formats/fleet-csv.md).
//
//   long: one line per machine and time, a column per metric      machine,time,power_w,cpu
//   wide: one line per time, a column per machine, one metric      time,node1,node2,node3
//   tidy: one line per machine, time and metric                    machine,time,metric,value
//
// A column that is not named here is guessed (table_layout.h), and MetricSeries::notes states the guess.
// Without a machine column each file is one machine, named by its file name up to the first dot. An empty
// field is no sample. Two values for the same machine, metric and time throw base::Error, and the same value
// twice is skipped and counted. Fields may be quoted. Files may be compressed (.gz, .xz, .zst).
struct CsvOptions {
  std::vector<std::string> paths;
  std::string shown_as;  // used instead of the path in messages and names; "": the path itself
  std::string machine_column;
  std::string time_column;
  std::string time_unit;                   // s, ms, us, ns
  std::string metric_column;               // tidy: names the metric of a row
  std::string value_column;                // tidy: its value
  std::vector<std::string> metrics;        // columns (tidy: names); empty: all that are no annotation
  std::vector<std::string> label_columns;  // kept as labels of the machine (last value wins)
  std::string device_column;               // names the device (GPU) of a row
  std::string wide_metric;                 // name of the metric of a wide table; empty: not wide
  // The records in [from, to) are read, in time units of the file.
  std::optional<double> from;
  std::optional<double> to;
  GridOptions grid;
};

MetricSeries read_csv(const CsvOptions& options, base::ReadReport& report);

// Prometheus or OpenMetrics text with time stamps (`promtool tsdb dump`, federation, backfill files):
//   name{label="value",...} value [timestamp]
// The machine is the first of `machine_labels` that is present.
struct OpenMetricsOptions {
  std::string path;
  std::vector<std::string> metrics;  // names to keep; empty: all; counters are not made rates
  std::vector<std::string> machine_labels = default_machine_labels();
  std::vector<std::string> device_labels = default_device_labels();
  std::vector<std::string> label_names;  // kept as labels of the machine
  std::optional<int64_t> scraped_at_ms;  // time of samples without a time stamp; nullopt: they are skipped
  std::string scraped_from;              // machine of samples whose labels name none
  GridOptions grid;
};

MetricSeries read_openmetrics(const OpenMetricsOptions& options, base::ReadReport& report);

// Saved answers of Prometheus to range queries (range_answer.cc), of one metric or of several. A counter is
// read as its rate.
struct RangeOptions {
  std::vector<std::string> paths;
  std::vector<std::string> metrics;  // names to keep; empty: all
  std::vector<std::string> machine_labels = default_machine_labels();
  std::vector<std::string> device_labels = default_device_labels();
  std::vector<std::string> label_names;  // kept as labels of the machine
  GridOptions grid;
};

MetricSeries read_range_answers(const RangeOptions& options, base::ReadReport& report);
bool is_range_answer(std::string_view head);  // the first bytes of a file

// Reads a trace of operations of a training job (op_trace.cc): compute time per worker and step, label
// `stage`.
MetricSeries read_op_trace(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet
