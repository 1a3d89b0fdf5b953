// Mines item sets of transactions in FIMI form.
#pragma once

#include <string>

#include "base/read_report.h"
#include "memory/mine/itemset/itemset.h"

namespace lento::memory {

struct MemoryItemsetsOptions {
  std::string path;     // "-" is stdin
  std::string support;  // a count, or a share such as "65%"
  bool strict = false;
  MineOptions mine;  // kind, threads, sink, progress; its least support is set from `support`
};

struct MemoryItemsets {
  MineResult result;
  base::ReadReport report;
};

// Throws base::Error when no line is a transaction with items, when most non-blank lines are no transactions,
// and when there are too many sets to count.
MemoryItemsets mine_memory_itemsets(const MemoryItemsetsOptions& options);

}  // namespace lento::memory
