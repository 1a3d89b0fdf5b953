// Findings of the chip's model.
#pragma once

#include <string>

#include "chip/model/model.h"
#include "chip/model/runs.h"
#include "finding/finding.h"

namespace lento::chip {

constexpr const char* kLowerEnd = "lower end of its factor's 90 % interval";
constexpr const char* kUpperEnd = "upper end of its factor's 90 % interval";

// Returns the plural name of a kind of part.
std::string class_of(const Component& component);
finding::Finding finding_of(const ClassDifference& difference);
// Returns the finding of a part that several runs show together. `runs` is their number.
finding::Finding finding_of(const PartInRuns& part, const std::string& name, const std::string& runs);
// Returns what would decide whether a part is slow that `runs` runs do not make certain: the number of runs
// after which the lower end of its factor's 90 % interval exceeds the tolerance.
std::string remedy_for(const PartTest& part, size_t runs, double tolerance);
// Adds the 90 % interval of a part's factor to the summary where the factor is uncertain (by more than a
// fifth).
void add_interval(finding::Finding& finding);

}  // namespace lento::chip
