// Reads the fields of one table row, with a default or an error for a missing or impossible value.
#pragma once

#include <initializer_list>
#include <string>

#include "base/scan/csv.h"
#include "predict/hardware/system.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

// Sizes up to 8 Mi, so that products of three of them stay in 63 bits.
constexpr int64_t kMostSize = int64_t{1} << 23;

bool has_columns(const base::CsvReader& table, const std::vector<const char*>& columns);

// Read a whole number. Throw base::Error when the field is absent, is not a whole number, or is out of
// range.
int64_t whole(const base::CsvReader& row, const char* column, int64_t min = 1, int64_t most = kMostSize);
int64_t whole_or(const base::CsvReader& row, const char* column, int64_t fallback, int64_t min = 1);
int ways(const base::CsvReader& row, const char* column);  // a degree of parallelism; 1 when absent

// Returns the first field of these columns that exists and is not empty, else `fallback`.
std::string
text_or(const base::CsvReader& row, std::initializer_list<const char*> columns, std::string fallback = {});
bool is_true(const base::CsvReader& row, const char* column);  // "True", "yes", "1"

// Returns the model named in the column `model`. Throws base::Error when its sizes are not known.
Transformer known_model_of(const base::CsvReader& row);

// Returns the precision from the usual columns. Throws base::Error when the name is not known.
Precision precision_of(const base::CsvReader& row, Precision fallback);

}  // namespace lento::predict
