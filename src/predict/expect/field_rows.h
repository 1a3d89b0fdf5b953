// The runs of share/lento/field_rows.csv (docs/formats/field-rows.md), each as the question that a person
// asks about it.
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
  std::string chip;   // a shipped system
  std::string stack;  // as the row spells it
  std::string source;
  std::string precision;
  std::variant<TrainingRun, InferenceRun> run;
  bool varied = false;  // serving: lengths as in conversations
  bool server = true;   // serving: through a server (ServedLoad)
  int64_t at_once = 0;  // serving: requests in flight (ServedLoad)
  int devices = 1;
  int node = 0;            // devices of a node; 0: those of the sheet
  double between_Bps = 0;  // a device's share of the links between nodes; 0: that of the sheet
  double measured_s = 0;   // of the same work that the model times: an iteration, or all requests

  std::string group() const;  // what is left out together: the source up to its first blank
  System system() const;      // the shipped one, in nodes and on links as the source has them
};

// Throws base::Error at the first field that cannot be read.
std::vector<FieldRow> read_field_rows(const std::string& path, base::ReadReport& report);

}  // namespace lento::predict
