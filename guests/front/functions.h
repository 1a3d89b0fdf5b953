/* 256 functions of a few cache lines each, no two alike: more code than an instruction cache of 32 KB holds.
 */
#ifndef FUNCTIONS_H_
#define FUNCTIONS_H_
#include "core.h"

// clang-format off
#define FOR16(M, n) \
  M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) \
  M(n##8) M(n##9) M(n##a) M(n##b) M(n##c) M(n##d) M(n##e) M(n##f)
#define FOR256(M) \
  FOR16(M, 0x0) FOR16(M, 0x1) FOR16(M, 0x2) FOR16(M, 0x3) FOR16(M, 0x4) FOR16(M, 0x5) FOR16(M, 0x6) FOR16(M, 0x7) \
  FOR16(M, 0x8) FOR16(M, 0x9) FOR16(M, 0xa) FOR16(M, 0xb) FOR16(M, 0xc) FOR16(M, 0xd) FOR16(M, 0xe) FOR16(M, 0xf)
// clang-format on

/* One step of work that differs with the constant n; its length differs with n too. */
#define MIX(x, n) (((x) << ((n) % 13 + 1)) ^ ((x) >> ((n) % 11 + 3)) ^ ((n)*0x9e3779b9u))
#define WORK(x, n)                                                           \
  do {                                                                       \
    for (uint32_t k = 0; k < ((x)&1) + 1; ++k)                               \
      (x) = MIX(x, n) + MIX((x) ^ k, (n) + 7);                               \
    if ((x)&4)                                                               \
      (x) = MIX(x, (n) + 3) * ((n) | 1);                                     \
    if ((n) % 3 != 0)                                                        \
      (x) ^= MIX((x) + (n), (n) + 5) + MIX(~(x), (n) + 11);                  \
    if ((n) % 4 == 0)                                                        \
      (x) += MIX(x, (n) + 17) ^ MIX((x)*3, (n) + 19) ^ MIX((x)*5, (n) + 23); \
  } while (0)
#endif
