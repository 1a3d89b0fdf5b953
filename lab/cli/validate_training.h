// lento-lab validate --training: published training runs, predicted with stacks that saw other models only.
#pragma once

#include <string>

#include "base/progress.h"
#include "finding/finding.h"
#include "lab/predict/training_fit.h"

namespace lento::lab {

// `residuals`: a file for every run's times and their parts; empty: none.
finding::Diagnosis
validate_training(const std::string& folder, const std::string& residuals, const base::Progress& progress);

// Lines for the `frameworks:` of data sheets.
void write_stacks(const std::string& path, const predict::StackTable& table);

}  // namespace lento::lab
