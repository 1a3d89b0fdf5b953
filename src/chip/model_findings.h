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
// Adds the 90 % interval of a part's factor to the summary where the factor is uncertain (by more than a
// fifth).
void add_interval(finding::Finding& finding);

}  // namespace lento::chip
