// Splits at blanks, tabs and carriage returns alike, because tools align their tables with any of them.
#include "desk/nvidia/words.h"

namespace lento::desk {
namespace {

constexpr std::string_view kBlanks = " \t\r";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos)
    return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (line = trimmed(line); !line.empty() && words.size() < kMostColumns; line = trimmed(line)) {
    const size_t end = line.find_first_of(kBlanks);
    words.emplace_back(line.substr(0, end));
    line = end == line.npos ? std::string_view() : line.substr(end);
  }
  return words;
}

}  // namespace lento::desk
