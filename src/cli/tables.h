// The tables of a diagnosis as aligned text, for commands whose result is their tables.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::cli {

// Empty when it has none. Tables of more than `most_rows` rows are cut, and say so.
std::string tables_as_text(const finding::Diagnosis& diagnosis, size_t most_rows = 60);

}  // namespace lento::cli
