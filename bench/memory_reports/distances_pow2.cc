// All pairs' distances of 1024 vertices, column by column of rows of 4096 bytes.
// github.com/igraph/igraph/issues/2822
// expect: set conflict|capacity, distances
#include "run.h"
constexpr int kN = 1024;
alignas(4096) static volatile float distances[kN][kN];
struct alignas(128) Sum {
  float value = 0;
};
static Sum sums[2];
int main() {
  run(2, [](int me) {
    float least = 1;
    for (int round = 0; round < 16; ++round)
      for (int column = me * 4; column < me * 4 + 4; ++column)
        for (int row = 0; row < kN; ++row)
          if (distances[row][column] < least)
            least = distances[row][column];
    sums[me].value = least;
  });
  std::printf("%g\n", sums[1].value);
}
