// Reads numbers, words, models and precisions from the columns of one row, with bounds that keep products of
// sizes within 63 bits.
#include "predict/time/rows/row_fields.h"

#include <algorithm>
#include <cmath>

#include "predict/time/rows/known_models.h"

namespace lento::predict {

using base::CsvReader;
using base::Error;

bool has_columns(const CsvReader& table, const std::vector<const char*>& columns) {
  return std::ranges::all_of(columns, [&table](const char* column) {
    return table.find(column) >= 0;
  });
}

int64_t whole(const CsvReader& row, const char* column, int64_t min, int64_t most) {
  const int at = row.require(column);
  const double value = row.number(at);
  if (value != std::floor(value) || value < double(min) || value > double(most)) {
    throw Error(
        row.where(at),
        "'" + row.text(at) + "' is no whole number from " + std::to_string(min) + " to " +
            std::to_string(most));
  }
  return int64_t(value);
}

int64_t whole_or(const CsvReader& row, const char* column, int64_t fallback, int64_t min) {
  const int at = row.find(column);
  const bool absent = at < 0 || row.text(at).empty() || row.text(at) == "n/a";
  return absent ? fallback : whole(row, column, min);
}

int ways(const CsvReader& row, const char* column) {
  constexpr int64_t kMostWays = 1 << 14;
  return whole_or(row, column, 1) == 1 ? 1 : int(whole(row, column, 1, kMostWays));
}

// Returns the first of these columns that is present and not empty, else `fallback`.
std::string text_or(const CsvReader& row, std::initializer_list<const char*> columns, std::string fallback) {
  for (const char* column : columns) {
    const int at = row.find(column);
    if (at >= 0 && !row.text(at).empty())
      return row.text(at);
  }
  return fallback;
}

bool is_true(const CsvReader& row, const char* column) {
  const std::string text = text_or(row, {column});
  return text == "True" || text == "true" || text == "yes" || text == "1";
}

Transformer known_model_of(const CsvReader& row) {
  const int at = row.require("model");
  if (const auto model = known_sizes(row.text(at)))
    return *model;
  throw Error(
      row.where(at),
      "the sizes of the model '" + row.text(at) + "' are not known",
      base::suggestion(row.text(at), known_model_names()));
}

Precision precision_of(const CsvReader& row, Precision fallback) {
  for (const char* column : {"precision", "gemm_dtype", "dtype", "nccl_dtype"}) {
    const int at = row.find(column);
    if (at < 0 || row.text(at).empty())
      continue;
    if (const auto p = parse_precision(row.text(at)))
      return *p;
    throw Error(
        row.where(at),
        "precision '" + row.text(at) + "' is not known",
        "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4, fp8_block, int8_wo, int4_wo");
  }
  return fallback;
}

}  // namespace lento::predict
