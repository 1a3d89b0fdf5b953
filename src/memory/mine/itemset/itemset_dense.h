// The dense core: a set of transactions as bit columns, one bit a transaction, searched by AND and popcount.
//
// Weights are binary: a transaction of weight 5 has one bit in a word of shift 0 and one in a word of shift
// 2. A weighted support is the sum of the shifted popcounts of the words.
#pragma once

#include <cstdint>

#include "memory/mine/itemset/itemset_arena.h"
#include "memory/mine/itemset/itemset_output.h"

namespace lento::memory {

// The items of a transaction by rising index. Those below a limit are earlier items, whose sets are found in
// other branches. The list has at least one item that is not below the limit.
using EarlierItems = const uint32_t*;

// Writes the earlier items that both hold to `out`, which may be `a`, and then the limit. Returns their
// number.
inline size_t intersect(EarlierItems a, EarlierItems b, uint32_t limit, uint32_t* out) {
  size_t size = 0;
  while (*a < limit && *b < limit) {
    const uint32_t x = *a;
    const uint32_t y = *b;
    out[size] = x;
    size += x == y;
    a += x <= y;
    b += y <= x;
  }
  out[size] = limit;
  return size;
}

// Q is the set of the branch, and every bit represents a transaction that holds Q. Columns of candidates come
// first, by rising support, then those of excluded items.
struct DenseBlock {
  uint32_t words = 0;                 // a column's length; 1, 2 or a multiple of 4
  const uint64_t* shift = nullptr;    // one a word; nullptr: all 0
  const uint64_t* columns = nullptr;  // 32-byte aligned
  const uint32_t* items = nullptr;    // candidates, as the caller numbers them
  const uint64_t* support =
      nullptr;  // of Q with each candidate; below the support of Q, at least min_support
  uint32_t candidates = 0;
  uint32_t excluded = 0;  // items whose sets were found elsewhere: a set they cover is not new
  // Instead of excluded columns: the earlier items of each bit, their limit, and by index whether an item
  // belongs to Q, and a zero that the search may use and leaves zero.
  EarlierItems* earlier = nullptr;
  uint32_t limit = 0;
  const uint8_t* in_set = nullptr;
  uint64_t* counts = nullptr;
};

struct DenseTask {
  DenseBlock block;
  uint64_t min_support = 1;
  // The range of candidates to extend Q by.
  uint32_t first = 0;
  uint32_t last = UINT32_MAX;
  // Only slice `part` of `parts` equal slices of the children is searched, so that several threads can share
  // one branch.
  uint32_t part = 0;
  uint32_t parts = 1;
  const SetConstraint* constraint = nullptr;
  bool track = false;  // keep the path and emit sets; otherwise count only
};

// Passes all sets of the kind that extend Q by at least one candidate to `output`.
void search_dense(SetKind kind, const DenseTask& task, Arena& arena, SetOutput& output);

// Rounds a number of 64-bit words up to a legal column length.
inline uint32_t column_words(uint64_t words) {
  return uint32_t(words <= 2 ? (words == 0 ? 1 : words) : (words + 3) / 4 * 4);
}

namespace baseline {
void search_dense(SetKind kind, const DenseTask& task, Arena& arena, SetOutput& output);
}
namespace avx2 {
void search_dense(SetKind kind, const DenseTask& task, Arena& arena, SetOutput& output);
}

}  // namespace lento::memory
