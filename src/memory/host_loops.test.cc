#include "memory/host_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace lento::memory {
namespace {

#ifdef __x86_64__
// Returns the seconds of a multiplication that depends on the previous one.
double time_multiplication() {
  constexpr int kRounds = 1000;
  constexpr int kEach = 100;
  unsigned long x = 3;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i)
    asm volatile(".rept 100\n imul %0, %0\n .endr" : "+r"(x));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / (kRounds * kEach);
}

// A chain of additions takes a cycle each however the program is compiled, and one of multiplications takes
// three on every x86-64 core since 2008.
TEST(HostLoops, AnAdditionTakesACycle) {
  double addition = 1;
  double multiplication = 1;
  for (int i = 0; i < 200; ++i) {
    addition = std::min(addition, time_addition());
    multiplication = std::min(multiplication, time_multiplication());
  }
  EXPECT_NEAR(multiplication / addition, 3, 0.6);
  const HostBuffer buffer(kHostPage, false);
  double hit = 1;
  for (int i = 0; i < 200; ++i)
    hit = std::min(hit, time_hits(buffer, 20'000));
  EXPECT_LT(hit, 1.2 * addition) << "a core loads at least a word a cycle";
}
#endif

}  // namespace
}  // namespace lento::memory
