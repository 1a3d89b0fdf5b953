// Reads transactions, mines their item sets, and turns every reason for an empty result into an error.
#include "memory/itemsets.h"

#include "base/error.h"
#include "base/file.h"
#include "memory/mine/tuning.h"

namespace lento::memory {
namespace {

constexpr const char* kNeeded = "each line is a transaction: item numbers with blanks between them";

// Throws base::Error when no line has items, or too many lines were skipped. Blank lines are transactions
// without items and occur in any text, so they do not count.
void require_transactions(const std::string& path, const Transactions& data, const base::ReadReport& report) {
  uint64_t filled = 0;
  for (size_t i = 0; i < data.size(); ++i)
    filled += data.begin[i + 1] > data.begin[i];
  if (filled == 0 && report.skipped == 0)
    throw base::Error({path}, "holds no transaction", kNeeded);
  const std::string lines = std::to_string(report.skipped) + " lines skipped (" +
                            (report.reasons.empty() ? std::string() : report.reasons.begin()->first) + ")";
  if (filled == 0)
    throw base::Error(report.first_skip, "no transaction could be read: " + lines, kNeeded);
  if (double(report.skipped) > tuning::kMostSkipped * double(report.skipped + filled))
    throw base::Error(
        report.first_skip,
        "this is no file of transactions: " + std::to_string(filled) + " read, " + lines,
        kNeeded);
}

}  // namespace

MemoryItemsets mine_memory_itemsets(const MemoryItemsetsOptions& options) {
  MemoryItemsets out;
  out.report.strict = options.strict;
  base::InputStream stream(options.path);
  Transactions data = read_fimi(stream, out.report);
  require_transactions(options.path, data, out.report);
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
