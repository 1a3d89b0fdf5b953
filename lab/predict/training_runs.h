// Training runs as their makers publish them: torchtitan, Megatron Bridge, llm-foundry, MaxText and others.
#pragma once

#include <string>
#include <vector>

#include "predict/time/calibrate.h"

namespace lento::predict {

struct PublishedRun {
  Measurement measured;
  std::string table;      // "torchtitan", ...
  std::string name;       // as the table spells the model, its release and precision
  std::string chip;       // a shipped system
  std::string silicon;    // of several chips that differ in memory and power: what is fitted, they share
  std::string software;   // of several frameworks that differ in release: "torchtitan", ...
  double parameters = 0;  // models of one software are kept apart by them
  double peak_bytes = 0;  // of the fullest device; 0: not stated

  const TrainingRun& run() const {
    return std::get<TrainingRun>(measured.question.what);
  }
  const std::string& framework() const {
    return measured.question.framework;
  }
};

// Returns the folder of measured tables: data/predict under LENTO_SHARED, or under ../shared.
std::string published_tables();

// Returns the measurements of a table in `folder`, none where it is absent.
std::vector<Measurement> published_rows(const std::string& folder, const std::string& table);

// Returns the runs of every table of training runs in `folder`, on chips that the tables name exactly.
std::vector<PublishedRun> published_runs(const std::string& folder);

}  // namespace lento::predict
