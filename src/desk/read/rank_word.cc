// Finds the word "rank" in letters of any case, a joint of blanks, ":", "=", "#", "_" or "-" and the number.
//
//   rank = [("global" | "world" | "worker") ("_" | " " | "-")] "rank" {" " | ":" | "=" | "#" | "_" | "-"} N
#include "desk/read/rank_word.h"

#include <algorithm>
#include <array>

namespace lento::desk {
namespace {

constexpr std::string_view kRank = "rank";
constexpr size_t kMostFigures = 7;
constexpr size_t kLongestJoint = 4;

char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}
bool is_letter_or_figure(char c) {
  c = small_letter(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Returns whether `word` ends at `end`, in letters of any case.
bool ends_with_word(std::string_view text, size_t end, std::string_view word) {
  return end >= word.size() && std::equal(
                                   word.begin(),
                                   word.end(),
                                   text.begin() + std::ptrdiff_t(end - word.size()),
                                   [](char a, char b) {
                                     return a == small_letter(b);
                                   });
}

// Returns the beginning of "rank" at `begin` with a word such as "global" in front, or npos when it is no
// rank of the job ("local_rank").
size_t whole_word(std::string_view text, size_t begin) {
  if (begin == 0)
    return begin;
  const char before = text[begin - 1];
  const bool is_joint = before == '_' || before == ' ' || before == '-';
  const size_t end = is_joint ? begin - 1 : begin;
  for (const std::string_view word : {"global", "world", "worker"})
    if (ends_with_word(text, end, word))
      return end - word.size();
  const bool is_local = ends_with_word(text, end, "local") || ends_with_word(text, end, "node");
  return is_local || before == '_' || is_letter_or_figure(before) ? text.npos : begin;
}

}  // namespace

bool names_rank(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != '_' && c != ' ' && c != '-' && c != '.')
      plain += small_letter(c);
  constexpr std::array<std::string_view, 4> kNames{"rank", "globalrank", "worldrank", "workerrank"};
  return std::ranges::find(kNames, plain) != kNames.end();
}

RankWord rank_in(std::string_view text) {
  for (size_t at = 0; (at = text.find_first_of("rR", at)) != text.npos; ++at) {
    const size_t behind = at + kRank.size();
    if (behind > text.size() || !ends_with_word(text, behind, kRank))
      continue;
    const size_t begin = whole_word(text, at);
    const size_t number = std::min(text.find_first_not_of(" :=#_-\t", behind), text.size());
    const size_t end = std::min(text.find_first_not_of("0123456789", number), text.size());
    const bool goes_on = end < text.size() &&
                         (is_letter_or_figure(text[end]) || text[end] == '_' || text[end] == '/' ||
                          (text[end] == '.' && end + 1 < text.size() && is_letter_or_figure(text[end + 1])));
    if (begin == text.npos || end == number || end - number > kMostFigures ||
        number - behind > kLongestJoint || goes_on)
      continue;
    const size_t first = std::min(text.find_first_not_of('0', number), end - 1);
    return {std::string(text.substr(first, end - first)), begin, end};
  }
  return {};
}

}  // namespace lento::desk
