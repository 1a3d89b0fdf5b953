// Reads the model of a chip and a mapping from the folder of learnt models, or learns it and keeps it there.
#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "chip/model/model.h"
#include "finding/finding.h"

namespace lento::chip {

// The files that a model depends on, and the folder that keeps models.
struct ModelPlace {
  std::string folder;  // empty: nowhere
  std::string chip;
  std::string mapping;

  // Returns the path of the model's file. Empty when no folder is given or an input is no regular file.
  std::string path(const LearnSetup& setup, const LearnOptions& options) const;
};

std::shared_ptr<const ChipModel>
kept_model(const ModelPlace& place, const LearnSetup& setup, const LearnOptions& options);
// Learns the model and writes it to the folder. A failure to write is no error: the next call learns again.
std::shared_ptr<const ChipModel> learn_and_keep(
    const ModelPlace& place,
    const LearnSetup& setup,
    const LearnOptions& options,
    const base::Progress& progress);

struct ChipLearnOptions {
  std::string chip;
  std::string mapping;
  std::string models;
  uint32_t inferences = 1;
  double false_alarms = LearnOptions{}.false_alarms;
};
// Throws base::Error when files are broken, or when the model cannot be written to the folder.
finding::Diagnosis chip_learn(const ChipLearnOptions& options, const base::Progress& progress = {});

}  // namespace lento::chip
