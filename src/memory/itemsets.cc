// Reads transactions, mines their item sets, and turns every reason for an empty result into an error.
#include "memory/itemsets.h"

#include "base/error.h"
#include "base/file.h"

namespace lento::memory {

MemoryItemsets mine_memory_itemsets(const MemoryItemsetsOptions& options) {
  MemoryItemsets out;
  out.report.strict = options.strict;
  base::InputStream stream(options.path);
  Transactions data = read_fimi(stream, out.report);
  if (data.size() == 0 && out.report.skipped == 0)
    throw base::Error(
        {options.path},
        "holds no transaction",
        "each line is a transaction: item numbers with blanks between them");
  if (data.size() == 0)
    throw base::Error(
        out.report.first_skip,
        "no transaction could be read: " + std::to_string(out.report.skipped) + " lines skipped (" +
            out.report.reasons.begin()->first + ")",
        "each line is a transaction: item numbers with blanks between them");
  MineOptions mine = options.mine;
  mine.min_support = parse_support(options.support, data.size());
  out.result = mine_itemsets(std::move(data), mine);
  if (out.result.too_many)
    throw base::Error(
        {options.path},
        "too many sets: their number needs more than 128 bits",
        "use --closed or --maximal, or raise --support");
  return out;
}

}  // namespace lento::memory
