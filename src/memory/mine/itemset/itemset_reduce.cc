// Reduces raw transactions: infrequent items are dropped, the rest is numbered by rising support, equal
// transactions become one with a weight.
//
// Transactions are transposed to occurrence lists and back. Both are counting sorts, after which every
// transaction is sorted. Cost: linear in the number of items.
#include <algorithm>
#include <bit>
#include <numeric>

#include "memory/mine/itemset/itemset_sparse.h"

namespace lento::memory {
namespace {

constexpr uint32_t kGone = UINT32_MAX;

uint32_t weight_of(const Transactions& data, size_t t) {
  return data.weight.empty() ? 1 : data.weight[t];
}

// Returns the distinct item numbers, rising. Small numbers (the usual case) are found by marking.
std::vector<uint32_t> distinct_items(const Transactions& data) {
  const uint32_t largest = data.items.empty() ? 0 : *std::ranges::max_element(data.items);
  std::vector<uint32_t> numbers;
  if (largest <= 16 * data.items.size() + 1024) {
    std::vector<bool> seen(size_t{largest} + 1);
    for (const uint32_t item : data.items)
      seen[item] = true;
    for (uint32_t item = 0; item < seen.size(); ++item) {
      if (seen[item])
        numbers.push_back(item);
    }
    return numbers;
  }
  numbers = data.items;
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Maps an item number to its position in the distinct numbers, by a table when they are small, else by a
// search.
class Positions {
 public:
  explicit Positions(const std::vector<uint32_t>& numbers)
      : numbers_(numbers) {
    if (numbers.empty() || numbers.back() > 64 * numbers.size() + 65536)
      return;
    table_.resize(size_t{numbers.back()} + 1);
    for (uint32_t i = 0; i < numbers.size(); ++i)
      table_[numbers[i]] = i;
  }
  uint32_t of(uint32_t number) const {
    if (!table_.empty())
      return table_[number];
    return uint32_t(std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
  }

 private:
  const std::vector<uint32_t>& numbers_;
  std::vector<uint32_t> table_;
};

// Computes the support of each position. A repeat within a transaction counts once.
std::vector<uint64_t> supports(const Transactions& data, size_t positions) {
  std::vector<uint64_t> support(positions);
  std::vector<uint32_t> last(positions, kGone);
  for (size_t t = 0; t < data.size(); ++t) {
    const uint32_t w = weight_of(data, t);
    for (uint64_t i = data.begin[t]; i < data.begin[t + 1]; ++i) {
      const uint32_t p = data.items[i];
      support[p] += last[p] == t ? 0 : w;
      last[p] = uint32_t(t);
    }
  }
  return support;
}

uint64_t hash_row(std::span<const uint32_t> row) {
  uint64_t h = row.size();
  for (const uint32_t item : row)
    h = (h ^ item) * 0x9e3779b97f4a7c15ULL + (h >> 29);
  return h ^ (h >> 32);
}

// Returns rows sorted by index, as (items, begin). data.items must hold indices already (kGone: dropped).
void transpose_rows(
    Transactions& data,
    uint32_t indices,
    std::vector<uint32_t>& items,
    std::vector<uint32_t>& begin) {
  std::vector<uint32_t> at(size_t{indices} + 1);
  size_t kept = 0;
  for (const uint32_t index : data.items) {
    if (index != kGone)
      ++at[index + 1], ++kept;
  }
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<uint32_t> rows(kept);
  for (size_t t = 0; t < data.size(); ++t) {
    for (uint64_t i = data.begin[t]; i < data.begin[t + 1]; ++i) {
      if (data.items[i] != kGone)
        rows[at[data.items[i]]++] = uint32_t(t);
    }
  }
  begin.assign(data.size() + 1, 0);
  for (const uint32_t t : rows)
    ++begin[t + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  items = std::move(data.items);
  items.resize(kept);
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  size_t i = 0;
  for (uint32_t index = 0; index < indices; ++index) {
    for (; i < at[index]; ++i)
      items[next[rows[i]]++] = index;  // at[] now holds the ends
  }
}

// Drops repeats within sorted rows and empty rows, merges equal rows into the first of them.
void merge_rows(const Transactions& data, std::vector<uint32_t>& begin, SparseDb& db) {
  const size_t slots = std::bit_ceil(2 * data.size() + 2);
  std::vector<uint32_t> table(slots, kGone);
  size_t end = 0;
  db.begin = {0};
  for (size_t t = 0; t < data.size(); ++t) {
    const size_t first = end;
    for (uint32_t i = begin[t]; i < begin[t + 1]; ++i) {
      if (end == first || db.items[end - 1] != db.items[i])
        db.items[end++] = db.items[i];
    }
    if (end == first)
      continue;
    const std::span<const uint32_t> row(db.items.data() + first, end - first);
    size_t at = hash_row(row) & (slots - 1);
    while (table[at] != kGone && !std::ranges::equal(db.row(table[at]), row))
      at = (at + 1) & (slots - 1);
    const uint64_t w = weight_of(data, t);
    if (table[at] != kGone && db.weight[table[at]] + w <= UINT32_MAX) {
      db.weight[table[at]] += uint32_t(w);
      end = first;
      continue;
    }
    table[at] = uint32_t(db.size());
    db.weight.push_back(uint32_t(w));
    db.begin.push_back(uint32_t(end));
  }
  db.items.resize(end);
}

}  // namespace

void SparseDb::deliver() {
  occurrence_begin.assign(size_t{candidates} + 1, 0);
  for (const uint32_t index : items) {
    if (index >= excluded)
      ++occurrence_begin[index - excluded + 1];
  }
  std::partial_sum(occurrence_begin.begin(), occurrence_begin.end(), occurrence_begin.begin());
  occurrences.resize(occurrence_begin.back());
  std::vector<uint32_t> next(occurrence_begin.begin(), occurrence_begin.end() - 1);
  for (size_t r = 0; r < size(); ++r) {
    for (uint32_t at = begin[r]; at < begin[r + 1]; ++at) {
      if (items[at] >= excluded)
        occurrences[next[items[at] - excluded]++] = {uint32_t(r), at};
    }
  }
}

SparseDb reduce(Transactions&& data, uint64_t min_support, std::vector<uint32_t>& perfect) {
  LENTO_CHECK(
      data.items.size() < UINT32_MAX && data.size() < UINT32_MAX,
      "itemset data over 2^32 items in memory");
  const std::vector<uint32_t> numbers = distinct_items(data);
  {
    const Positions positions(numbers);
    for (uint32_t& item : data.items)
      item = positions.of(item);
  }
  const std::vector<uint64_t> support = supports(data, numbers.size());
  const uint64_t total = data.total_weight();
  std::vector<uint32_t> order;
  for (uint32_t p = 0; p < numbers.size(); ++p) {
    if (support[p] < min_support)
      continue;
    support[p] == total ? perfect.push_back(numbers[p]) : order.push_back(p);
  }
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return support[a] < support[b];
  });

  SparseDb db;
  db.candidates = uint32_t(order.size());
  std::vector<uint32_t> index_of(numbers.size(), kGone);
  for (uint32_t i = 0; i < order.size(); ++i) {
    index_of[order[i]] = i;
    db.labels.push_back(numbers[order[i]]);
    db.support.push_back(support[order[i]]);
  }
  for (uint32_t& item : data.items)
    item = index_of[item];
  std::vector<uint32_t> begin;
  transpose_rows(data, db.candidates, db.items, begin);
  merge_rows(data, begin, db);
  data = {};
  return db;
}

}  // namespace lento::memory
