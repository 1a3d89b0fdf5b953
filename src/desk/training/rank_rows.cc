// Parses two shapes of line, a heading and a row. Each must match the whole line, so that a sentence that
// mentions a rank is no row.
#include "desk/training/rank_rows.h"

#include "base/number.h"

namespace lento::desk {
namespace {

std::string_view inner(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace

double take_number(std::string_view& text) {
  constexpr size_t kLongest = 32;
  const size_t size = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  for (size_t n = std::min(size, kLongest); n > 0; --n) {
    if (const auto value = base::try_double(text.substr(0, n))) {
      text.remove_prefix(n);
      return *value;
    }
  }
  return kUnknown;
}

// Returns rank and text of a line that begins with a rank.
std::optional<RankRow> rank_row(std::string_view line) {
  line = inner(line);
  if (!line.starts_with("rank ") && !line.starts_with("Rank "))
    return std::nullopt;
  line = inner(line.substr(5));
  const size_t size = std::min(line.find_first_not_of("0123456789"), line.size());
  if (size == 0 || size > 8 || !line.substr(size).starts_with(":"))
    return std::nullopt;
  RankRow row;
  row.rank = std::string(line.substr(0, size));
  line = inner(line.substr(size + 1));
  row.value = take_number(line);
  row.unit = inner(line);
  if (std::isnan(row.value) || row.unit.find(' ') != row.unit.npos)
    return std::nullopt;
  return row;
}

std::string heading_of(std::string_view line) {
  line = inner(line);
  constexpr size_t kLongest = 80;
  if (line.size() < 2 || line.size() > kLongest || !line.ends_with(":"))
    return "";
  line.remove_suffix(1);
  return line.find_first_of(" :\t") == line.npos ? std::string(line) : "";
}

}  // namespace lento::desk
