// Keeps the rows until the legend is known, which tools often print last.
#include "desk/general/letter_rows.h"

#include <algorithm>

#include "desk/general/cells.h"
#include "desk/general/states.h"

namespace lento::desk {
namespace {

constexpr size_t kLongestMark = 4;
constexpr size_t kFewestMarks = 2;
constexpr size_t kMostRows = 1024;

bool is_mark(std::string_view word) {
  return !word.empty() && word.size() <= kLongestMark &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == word.npos;
}

}  // namespace

bool LetterRows::take_legend(std::string_view text) {
  if (const size_t dash = text.find(" - "); dash != text.npos && is_mark(text.substr(0, dash))) {
    std::string_view word = text.substr(dash + 3);
    word = word.substr(0, word.find(" - "));
    meanings_.try_emplace(std::string(text.substr(0, dash)), word);
    return true;
  }
  std::map<std::string, std::string> found;
  for (const std::string& word : blank_cells(text)) {
    const size_t colon = word.find(':');
    if (word == "*")
      continue;
    if (colon == word.npos || !is_mark(std::string_view(word).substr(0, colon)))
      return false;
    found[word.substr(0, colon)] = word.substr(colon + 1);
  }
  if (found.size() < kFewestMarks)
    return false;
  meanings_.merge(found);
  return true;
}

bool LetterRows::take(std::string_view text, const std::string& host) {
  if (text.size() > kLongestName * 4)
    return false;
  if (take_legend(text))
    return true;
  const std::vector<std::string> words = blank_cells(text);
  const auto first = std::find_if(words.rbegin(), words.rend(), [](const std::string& word) {
                       return !is_mark(word);
                     }).base();
  const size_t marks = size_t(words.end() - first);
  const bool is_part = !words.empty() && has_letter(words[0]) && !is_mark(words[0]) &&
                       words[0].find_first_of("0123456789") != std::string::npos &&
                       words[0].find(':') == std::string::npos;
  if (!is_part || marks < kFewestMarks || first - words.begin() > 2 || rows_.size() == kMostRows)
    return false;
  const std::string_view stem = std::string_view(words[0]).substr(0, words[0].find_first_of("0123456789"));
  std::string name = words[0];
  if (names_device(stem))  // "GPU0" is gpu0 everywhere
    name = label_words(words[0])[0];
  rows_.push_back({{host, name, ""}, {first, words.end()}});
  return true;
}

void LetterRows::end(Entries& entries, Sink& sink) const {
  std::vector<size_t> bad(rows_.size());
  std::vector<const Row*> dead;
  std::string word;
  bool is_known = false;
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (const std::string& mark : rows_[i].marks) {
      const auto meaning = meanings_.find(mark);
      const Condition condition =
          meaning == meanings_.end() ? Condition::Unknown : condition_of(meaning->second);
      is_known = is_known || condition != Condition::Unknown;
      bad[i] += condition == Condition::Bad;
      if (condition == Condition::Bad)
        word = meaning->second;
    }
    if (bad[i] == rows_[i].marks.size())
      dead.push_back(&rows_[i]);
  }
  if (!is_known)
    return;
  entries.note_states(sink);
  bool is_explained = true;
  for (size_t i = 0; i < rows_.size(); ++i)
    is_explained = is_explained && (bad[i] <= dead.size() || bad[i] == rows_[i].marks.size());
  if (word.empty())
    return;
  if (is_explained && !dead.empty() && dead.size() * 2 < rows_.size())
    for (const Row* row : dead)
      entries.bad_state(
          "state of all its " + std::to_string(row->marks.size()) + " links is " + word,
          row->subject,
          sink);
  else
    entries.open_state("links between parts are " + word, sink);
}

}  // namespace lento::desk
