// Composes error messages and suggests the name that was probably meant. Suggestions use the edit distance
// with swapped neighbours (Damerau, 1964), because a swap such as "--htlm" is a common typing error.
#include "base/error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lento::base {
namespace {

// Returns the text of an error: place, message and, on a second line, the hint.
std::string compose(const Location& where, std::string_view message, std::string_view hint) {
  const std::string place = to_string(where);
  std::string text = place.empty() ? "error: " : place + ": error: ";
  text += message;
  if (!hint.empty())
    text.append("\n  hint: ").append(hint);
  return text;
}

// Counts the insertions, deletions, substitutions and swaps of neighbours ("--htlm") between two words.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::vector<size_t> above;
  std::vector<size_t> before;
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped)
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string to_string(const Location& where) {
  std::string text = where.file;
  if (where.line > 0) {
    text += ":" + std::to_string(where.line);
    if (where.column > 0)
      text += ":" + std::to_string(where.column);
  }
  if (!where.path.empty())
    text += (text.empty() ? "" : ": ") + where.path;
  return text;
}

Error::Error(const Location& where, std::string_view message, std::string_view hint)
    : std::runtime_error(compose(where, message, hint)) {
}

void ErrorList::add(const Location& where, std::string_view message, std::string_view hint) {
  messages_.push_back(compose(where, message, hint));
}

void ErrorList::throw_if_any() const {
  if (messages_.empty())
    return;
  constexpr size_t kShown = 20;
  // The constructor of Error would prefix "error: " a second time, so Composed overrides what().
  struct Composed : Error {
    explicit Composed(std::string text)
        : Error({}, ""),
          text_(std::move(text)) {
    }
    const char* what() const noexcept override {
      return text_.c_str();
    }
    std::string text_;
  };
  std::string text;
  for (size_t i = 0; i < std::min(kShown, messages_.size()); ++i)
    text += (i ? "\n" : "") + messages_[i];
  if (messages_.size() > kShown)
    text += "\n... and " + std::to_string(messages_.size() - kShown) + " more";
  throw Composed(std::move(text));
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(word.substr(0, 64), candidate);
    if (distance >= best_distance)
      continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

// Finds the shortest name that continues a cut-off word: "mi300x" for "mi300".
static std::string shortest_that_begins_with(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kFewest = 3;  // letters; shorter words are too similar to many names
  std::string shortest;
  for (const std::string& name : known)
    if (word.size() >= kFewest && name.starts_with(word) &&
        (shortest.empty() || name.size() < shortest.size()))
      shortest = name;
  return shortest;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string longer = shortest_that_begins_with(word, known);
  const std::string near = longer.empty() ? nearest(word, known) : longer;
  if (!near.empty())
    return "did you mean '" + near + "'?";
  constexpr size_t kLongest = 60;  // what a damaged header calls its columns is no help
  std::string all = "one of: ";
  for (size_t i = 0; i < known.size(); ++i)
    all += (i ? ", " : "") + (known[i].size() > kLongest ? known[i].substr(0, kLongest) + "..." : known[i]);
  return known.empty() ? "" : all;
}

void fail_check(const char* file, int line, const char* condition, std::string_view what) {
  throw Bug(
      std::string(file) + ":" + std::to_string(line) + ": " + std::string(what) + " (" + condition + ")");
}

}  // namespace lento::base
