// Prints the tables of a diagnosis as aligned text.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::cli {

// Returns "" when there is no table. A table of more than `most_rows` rows is cut, with a line that gives the
// number of the others.
std::string tables_as_text(const finding::Diagnosis& diagnosis, size_t most_rows = 60);

}  // namespace lento::cli
