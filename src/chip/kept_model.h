// The model of a chip and a mapping: read from the folder where models are kept, or learnt and kept there.
#pragma once

#include <memory>
#include <string>

#include "base/progress.h"
#include "chip/model/model.h"
#include "finding/finding.h"

namespace lento::chip {

// Files by whose content a model is known, and where it is kept.
struct ModelPlace {
  std::string folder;  // empty: nowhere
  std::string chip;
  std::string mapping;

  // Path of the file; empty when nothing is kept or an input is no regular file.
  std::string path(const LearnSetup& setup, const LearnOptions& options) const;
};

std::shared_ptr<const ChipModel>
kept_model(const ModelPlace& place, const LearnSetup& setup, const LearnOptions& options);
// A folder that cannot be written keeps nothing, which costs time alone.
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
// Throws base::Error when files are broken, or when nothing can be kept.
finding::Diagnosis chip_learn(const ChipLearnOptions& options, const base::Progress& progress = {});

}  // namespace lento::chip
