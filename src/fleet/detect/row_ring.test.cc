// The ring of samples against a list.
#include "fleet/detect/row_ring.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lento::fleet {
namespace {

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
          for (size_t k = 0; k < n; ++k)
            EXPECT_EQ(ring.window(s, n)[k], rows[rows.size() - n + k][s]) << capacity << " " << i;
        }
      }
    }
    EXPECT_EQ(ring.capacity(), capacity);
  }
}

TEST(RowRing, WhatWasNeverPushedIsMissing) {
  RowRing ring(2, 4);
  ring.push(std::vector<float>{1, 2});
  const float* window = ring.window(1, 4);
  EXPECT_TRUE(std::isnan(window[0]) && std::isnan(window[1]) && std::isnan(window[2]));
  EXPECT_EQ(window[3], 2);
}

}  // namespace
}  // namespace lento::fleet
