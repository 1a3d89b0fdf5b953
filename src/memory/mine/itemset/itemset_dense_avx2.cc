// Compiles the dense core for x86 with AVX2, BMI2 and POPCNT, which is chosen at run time. Only functions
// between push and pop are compiled for it. Library templates stay baseline, so no such code can leak into
// other files.
#include <algorithm>
#include <bit>
#include <vector>

#include "memory/mine/itemset/itemset_dense.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif

#define LENTO_ISA avx2
#define LENTO_ISA_AVX2 1
#include "memory/mine/itemset/itemset_dense.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
