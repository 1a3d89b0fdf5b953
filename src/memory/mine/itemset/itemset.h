// Itemset mining: all sets of items that occur together in at least `min_support` transactions.
//
//   Transactions data = read_fimi(stream, report);
//   MineResult r = mine_itemsets(data, {.min_support = 100, .kind = SetKind::Closed,});
//
// Closed: no superset has the same support. Maximal: no superset is frequent. The empty set is never counted
// and never listed. Results are exact. Sets are not stored, so memory does not grow with their number.
// Source: Uno, Kiyomi, Arimura, LCM ver. 2 (FIMI 2004). The method and its deviations:
// docs/methods/itemsets.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "base/read_report.h"

namespace lento::memory {

__extension__ using Uint128 = unsigned __int128;

enum class SetKind {
  Frequent,
  Closed,
  Maximal
};

// Transaction t holds items[begin[t]] .. items[begin[t + 1] - 1]: any numbers, any order, repeats allowed.
struct Transactions {
  std::vector<uint32_t> items;
  std::vector<uint64_t> begin = {0};
  std::vector<uint32_t> weight;  // how often each occurs; empty: once each

  size_t size() const {
    return begin.size() - 1;
  }
  void add(std::span<const uint32_t> transaction);
  uint64_t total_weight() const;
};

// Reads the FIMI form: one transaction per line, item numbers 0 .. 2^32 - 2 separated by blanks. An empty
// line is an empty transaction. A line with anything else is skipped and counted.
Transactions read_fimi(base::InputStream& stream, base::ReadReport& report);

// Parses "65%" of `transactions`, rounded up, or an absolute count, and returns at least 1. Throws
// base::Error on anything else.
uint64_t parse_support(const std::string& text, uint64_t transactions);

// Called once a set, one call at a time, in an order that does not depend on the number of threads. An
// exception that it throws ends the search and leaves mine_itemsets.
using SetSink = std::function<void(std::span<const uint32_t> items, uint64_t support)>;

// A constraint that is pushed into the search: branches that cannot meet it are not entered. Classes are bits
// that the caller gives to items (one a CPU, one for "high latency", ...).
struct SetConstraint {
  std::vector<uint64_t> item_class = {};  // by item number; items beyond its end have none
  uint64_t need_all = 0;                  // every one of these bits must appear
  uint64_t count_mask = 0;                // at least `count_min` different bits of this mask must appear
  int count_min = 0;
  bool active() const {
    return need_all != 0 || count_min > 0;
  }
};

struct MineOptions {
  uint64_t min_support = 1;  // in transaction weight, at least 1
  SetKind kind = SetKind::Closed;
  unsigned threads = 1;  // 0: all cores
  SetConstraint constraint = {};
  SetSink sink = {};                // empty: count only
  uint64_t most_sets = UINT64_MAX;  // each thread stops listing after so many
  base::Progress progress = {};
};

struct MineResult {
  Uint128 count = 0;      // non-empty sets
  bool too_many = false;  // the count needs more than 128 bits; `count` means nothing then
  bool stopped = false;   // progress.stop() or most_sets ended the search early
};

MineResult mine_itemsets(const Transactions& data, const MineOptions& options);
// Mines the same sets, and frees the transactions as soon as they are reduced.
MineResult mine_itemsets(Transactions&& data, const MineOptions& options);

std::string to_string(Uint128 value);

}  // namespace lento::memory
