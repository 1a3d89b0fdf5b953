// Any bytes as transactions in FIMI form, then mined.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory/mine/itemset/itemset.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 4096)
    return 0;
  static MemoryFile file;
  try {
    lento::base::InputStream stream(file.fill(data, size));
    lento::base::ReadReport report;
    const auto transactions = lento::memory::read_fimi(stream, report);
    lento::memory::mine_itemsets(transactions, {.min_support = transactions.size() / 2 + 1});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
