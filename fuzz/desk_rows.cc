// Any bytes as a document whose longest list of flat objects becomes lines, as text with ranks, and as the
// ends of a log.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "desk/read/json_rows.h"
#include "desk/read/line_source.h"
#include "desk/read/rank_word.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::desk;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string rows = rows_of_document(text);
  // Each object is in a line of its own, which is no earlier than its own in the document.
  if (std::ranges::count(rows, '\n') > std::ranges::count(text, '\n') + std::ranges::count(text, '{') + 1)
    std::abort();
  const RankWord rank = rank_in(text);
  if (rank.begin > rank.end || rank.end > size)
    std::abort();
  begins_within_line(text);
  LineSource lines = LineSource::of_text(text);
  for (std::string_view line; lines.line(line);) {
  }
  if (lines.is_partial() && !lines.is_torn())
    std::abort();
  return 0;
}
