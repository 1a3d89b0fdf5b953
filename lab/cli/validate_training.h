// lento-lab validate --training: predicts published training runs with stacks that were fitted to other
// models only.
#pragma once

#include <string>

#include "base/progress.h"
#include "finding/finding.h"
#include "lab/predict/training_fit.h"

namespace lento::lab {

// `residuals` is a file for every run's times and their parts, empty: none.
finding::Diagnosis
validate_training(const std::string& folder, const std::string& residuals, const base::Progress& progress);

// Writes lines for the `frameworks:` of data sheets.
void write_stacks(const std::string& path, const predict::StackTable& table);

}  // namespace lento::lab
