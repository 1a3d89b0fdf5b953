// Fields of one row of a table, with what a missing or impossible one means.
#pragma once

#include <initializer_list>
#include <string>

#include "base/scan/csv.h"
#include "predict/hardware/system.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

// Sizes up to 8 Mi, so that products of three of them stay in 63 bits.
constexpr int64_t kMostSize = int64_t{1} << 23;

bool has_columns(const base::CsvReader& table, std::initializer_list<const char*> columns);

// Throw base::Error at a field that is absent or no whole number in range.
int64_t whole(const base::CsvReader& row, const char* column, int64_t min = 1, int64_t most = kMostSize);
int64_t whole_or(const base::CsvReader& row, const char* column, int64_t fallback, int64_t min = 1);
int ways(const base::CsvReader& row, const char* column);  // of parallelism; 1 when absent

// The first column that is there and not empty.
std::string
text_or(const base::CsvReader& row, std::initializer_list<const char*> columns, std::string fallback = {});
bool is_true(const base::CsvReader& row, const char* column);  // "True", "yes", "1"

// Of the column `model`. Throws base::Error when its sizes are not known.
Transformer known_model_of(const base::CsvReader& row);

// Of the usual columns. Throws base::Error when it is not known.
Precision precision_of(const base::CsvReader& row, Precision fallback);

}  // namespace lento::predict
