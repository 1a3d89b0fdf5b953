// The ring of samples against a list.
#include "fleet/detect/row_ring.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::fleet {
namespace {

std::vector<float> window(const RowRing& ring, size_t series, size_t n) {
  constexpr size_t kStride = 3;
  std::vector<float> spread(n * kStride, -1);
  ring.read(series, n, spread.data(), kStride);
  std::vector<float> out;
  for (size_t i = 0; i < n; ++i) {
    out.push_back(spread[i * kStride]);
    EXPECT_EQ(spread[i * kStride + 1], -1);  // what lies between belongs to others
  }
  return out;
}

TEST(RowRing, WindowsAreTheLastRowsOldestFirst) {
  for (const size_t capacity : {1, 2, 5, 8}) {
    RowRing ring(3, capacity);
    std::vector<std::vector<float>> rows;
    for (size_t i = 0; i < 3 * capacity + 2; ++i) {
      rows.push_back({float(i), float(i) + 100, -float(i)});
      ring.push(rows.back());
      EXPECT_EQ(ring.pushed(), i + 1);
      for (size_t n = 1; n <= std::min(capacity, rows.size()); ++n) {
        for (size_t s = 0; s < 3; ++s) {
          const std::vector<float> seen = window(ring, s, n);
          for (size_t k = 0; k < n; ++k) {
            EXPECT_EQ(seen[k], rows[rows.size() - n + k][s]) << capacity << " " << i;
            EXPECT_EQ(ring.row(n, k)[s], seen[k]);
          }
        }
      }
    }
    EXPECT_EQ(ring.capacity(), capacity);
  }
}

TEST(RowRing, WhatWasNeverPushedIsMissing) {
  RowRing ring(2, 4);
  ring.push(std::vector<float>{1, 2});
  const std::vector<float> seen = window(ring, 1, 4);
  EXPECT_TRUE(std::isnan(seen[0]) && std::isnan(seen[1]) && std::isnan(seen[2]));
  EXPECT_EQ(seen[3], 2);
}

}  // namespace
}  // namespace lento::fleet
