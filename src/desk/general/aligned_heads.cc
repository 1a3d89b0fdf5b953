// A word of the head belongs to the column whose number it overlaps most, or to the nearest. Bars divide head
// and row alike, and a name that is alone between two bars belongs to each column between them:
//
//             Compressing     |    Decompressing
//   Dict   Speed Usage Rating |  Speed Usage Rating
//          KiB/s     %   MIPS |  KiB/s     %   MIPS
//   22:   130698  5007 130698 | 296358  6234 129636
#include "desk/general/aligned_heads.h"

#include <algorithm>

#include "desk/general/cells.h"

namespace lento::desk {
namespace {

struct Span {
  size_t begin = 0;
  size_t end = 0;
};

// Returns where the words of a line stand that `gap` blanks or more, or bars, separate.
std::vector<Span> words_of(std::string_view line, size_t gap) {
  std::vector<Span> words;
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] == ' ' || line[at] == '|')
      continue;
    const bool goes_on = !words.empty() && at - words.back().end < gap &&
                         line.substr(words.back().end, at - words.back().end).find('|') == line.npos;
    if (!goes_on)
      words.push_back({at, at});
    words.back().end = at + 1;
  }
  return words;
}

bool begins_number(std::string_view word) {
  const size_t sign = word.starts_with("-") || word.starts_with("+") || word.starts_with(".") ? 1 : 0;
  return word.size() > sign && word[sign] >= '0' && word[sign] <= '9' && !word.ends_with(":");
}

// Returns the column between `low` and `high` that a word belongs to, else their number.
size_t column_of(const std::vector<Span>& columns, const Span& word, size_t low, size_t high) {
  size_t best = columns.size();
  int64_t most = INT64_MIN;
  for (size_t i = 0; i < columns.size(); ++i) {
    const size_t middle = (columns[i].begin + columns[i].end) / 2;
    const int64_t overlap = int64_t(std::min(word.end, columns[i].end)) -
                            int64_t(std::max(word.begin, columns[i].begin));  // negative: their distance
    if (middle >= low && middle < high && overlap > most) {
      most = overlap;
      best = i;
    }
  }
  return best;
}

// Puts the names of one line in front of those below it. Returns false when it is no line of a head.
bool add_line(std::string_view line, const std::vector<Span>& columns, std::vector<std::string>& names) {
  const std::vector<Span> groups = words_of(line, 2);
  const bool has_names = groups.size() > 1 && std::ranges::all_of(groups, [&](const Span& group) {
                           const std::string_view text = line.substr(group.begin, group.end - group.begin);
                           return has_letter(text) || text.find_first_of("%#") != text.npos;
                         });
  if (!has_names)
    return false;
  std::vector<std::string> own(columns.size());
  for (size_t low = 0; low < line.size();) {
    const size_t bar = line.find('|', low);
    const size_t high = bar == line.npos ? SIZE_MAX : bar;
    const std::string_view between = line.substr(low, high - low);
    const bool is_shared = words_of(between, 2).size() == 1 && groups.size() < columns.size();
    for (Span word : words_of(between, 1)) {
      const std::string text(between.substr(word.begin, word.end - word.begin));
      word = {word.begin + low, word.end + low};
      const size_t nearest = column_of(columns, word, low, high);
      for (size_t i = 0; i < columns.size(); ++i) {
        const size_t middle = (columns[i].begin + columns[i].end) / 2;
        if (is_shared ? middle >= low && middle < high : i == nearest)
          own[i] += (own[i].empty() ? "" : " ") + text;
      }
    }
    low = bar == line.npos ? line.size() : bar + 1;
  }
  for (size_t i = 0; i < names.size(); ++i)
    names[i] = own[i] + (own[i].empty() || names[i].empty() ? "" : " ") + names[i];
  return true;
}

}  // namespace

AlignedHead aligned_head(const std::vector<std::string>& above, const std::string& row) {
  constexpr size_t kFewestNumbers = 4;
  AlignedHead head;
  std::vector<Span> columns = words_of(row, 1);
  const auto is_number = [&](const Span& word) {
    return begins_number(std::string_view(row).substr(word.begin, word.end - word.begin));
  };
  const auto first = std::ranges::find_if(columns, is_number);
  head.names = size_t(first - columns.begin());
  if (head.names > 3 || columns.size() - head.names < kFewestNumbers ||
      !std::all_of(first, columns.end(), is_number))
    return {};
  if (head.names > 1) {  // one column for the name
    columns[head.names - 1].begin = columns[0].begin;
    columns.erase(columns.begin(), columns.begin() + std::ptrdiff_t(head.names) - 1);
  }
  head.columns.resize(columns.size());
  for (auto line = above.rbegin(); line != above.rend() && add_line(*line, columns, head.columns); ++line)
    if (++head.lines == 1)
      head.is_exact = std::ranges::none_of(head.columns, [](const std::string& name) {
        return name.find(' ') != name.npos;
      });
  const bool is_whole =
      std::all_of(head.columns.begin() + (head.names > 0), head.columns.end(), [](const std::string& name) {
        return !name.empty();
      });
  return is_whole ? head : AlignedHead{};
}

}  // namespace lento::desk
