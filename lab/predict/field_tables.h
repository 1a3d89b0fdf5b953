// The published tables of runs beside the list of field rows: recipes and benchmarks of the makers of stacks.
// Each table counts as one source, so that a maker's hundred rows weigh no more than one person's report.
// Deployments of latent attention (InferenceX) are left to the model of serving, whose kernels they measure.
#pragma once

#include <string>
#include <vector>

#include "lab/predict/field_fit.h"

namespace lento::predict {

// At most `most` rows of each table and stack, evenly spread over it. Tables that are absent are left out.
std::vector<FieldCase> table_cases(const std::string& folder, size_t most = 24);

}  // namespace lento::predict
