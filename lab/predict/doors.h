// Sends one question through every interface: as a row, as YAML, and as a config.json with its run beside
// it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/time/training/training.h"

namespace lento::predict {

struct AskedRow {
  std::string table;
  uint64_t row = 0;  // of the table, from 0
  std::string system;
  double table_s = 0;
  double yaml_s = 0;
  double api_s = 0;                // what explanations expect, of the workload in YAML
  std::optional<double> config_s;  // the row's model has a published configuration
  std::string refused;             // why a door gave no number

  bool same() const {
    return refused.empty() && yaml_s == table_s && api_s == table_s && config_s.value_or(table_s) == table_s;
  }
};

struct AskedRows {
  std::vector<AskedRow> rows;
  std::map<std::string, size_t> not_answered;  // as rows of a table, by reason
};

// Returns a run in the form of docs/formats/workload.md, without its model when `with_model` is false.
std::string run_yaml(const TrainingRun& run, const std::string& framework, bool with_model);

// Sends every row of the training tables under `folder`. Each run without its model is written to `run_file`
// in turn, which is removed at the end.
AskedRows
ask_all_doors(const std::string& folder, const std::string& run_file, const base::Progress& progress = {});

}  // namespace lento::predict
