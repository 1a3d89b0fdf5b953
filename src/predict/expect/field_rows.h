// The runs of share/lento/field_rows.csv (docs/formats/field-rows.md), each as the question that a user would
// ask about it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/read_report.h"
#include "predict/expect/software.h"
#include "predict/time/serving/inference.h"
#include "predict/time/training/training.h"

namespace lento::predict {

struct FieldRow {
  Work work = Work::Serve;
  std::string model;
  std::string chip;   // name of a shipped system
  std::string stack;  // as the row spells it
  std::string source;
  std::string precision;
  std::variant<TrainingRun, InferenceRun> run;
  bool varied = false;     // serving: request lengths vary as in conversations
  bool server = true;      // serving: through a server (ServedLoad)
  int64_t at_once = 0;     // serving: requests in flight (ServedLoad)
  int64_t scheduled = 1;   // serving: decode steps scheduled at once (ServedLoad)
  int64_t cache_bits = 0;  // serving: bits of a cached value (ServedLoad)
  bool faulty = false;     // the source itself reports the run as slower than it should be: not fitted
  int devices = 1;
  int node = 0;            // devices in each node; 0: as in the data sheet
  double between_Bps = 0;  // bytes per second of one device between nodes; 0: as in the data sheet
  double measured_s = 0;   // of one iteration, or until all requests are served

  // Returns the source up to its first blank. To judge a row, the fit leaves out all rows of its group.
  std::string group() const;
  System system() const;  // the shipped system, with the source's node size and links
};

// Throws base::Error at the first field that cannot be read.
std::vector<FieldRow> read_field_rows(const std::string& path, base::ReadReport& report);

}  // namespace lento::predict
