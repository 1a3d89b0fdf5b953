// Any bytes as transactions in FIMI form, then mined.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/error.h"
#include "memory/mine/itemset.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 4096) return 0;
  static const std::string path =
      "/tmp/lento_fuzz_itemsets." + std::to_string(reinterpret_cast<uintptr_t>(&path));
  try {
    lento::base::write_file(path, {reinterpret_cast<const char*>(data), size});
    lento::base::InputStream stream(path);
    lento::base::ReadReport report;
    const auto transactions = lento::memory::read_fimi(stream, report);
    lento::memory::mine_itemsets(transactions, {.min_support = transactions.size() / 2 + 1});
  } catch (const lento::base::Error&) {
  }
  return 0;
}
