// A small dense matrix of plain values, row by row: what callers hand over and get back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lento::evidence {

struct Matrix {
  Matrix() = default;
  Matrix(size_t row_count, size_t column_count)
      : rows(row_count),
        columns(column_count),
        values(row_count * column_count) {
  }

  double& operator()(size_t row, size_t column) {
    return values[row * columns + column];
  }
  double operator()(size_t row, size_t column) const {
    return values[row * columns + column];
  }
  std::span<double> row(size_t r) {
    return std::span(values).subspan(r * columns, columns);
  }
  std::span<const double> row(size_t r) const {
    return std::span(values).subspan(r * columns, columns);
  }

  size_t rows = 0;
  size_t columns = 0;
  std::vector<double> values;
};

}  // namespace lento::evidence
