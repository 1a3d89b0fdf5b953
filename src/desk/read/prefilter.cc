// Builds the automaton breadth first. A missing edge of a state is replaced by the edge of the state for its
// longest proper suffix, so that scanning never goes back.
#include "desk/read/prefilter.h"

#include <algorithm>

#include "base/error.h"

namespace lento::desk {

Prefilter::Prefilter(const std::vector<std::string_view>& words) {
  size_t most_states = 1;
  for (const std::string_view word : words) {
    LENTO_CHECK(!word.empty(), "an empty word to look for");
    most_states += word.size();
    for (const char c : word) {
      uint8_t& column = column_of_[uint8_t(c)];
      if (column == 0)
        column = uint8_t(columns_++);
    }
  }
  LENTO_CHECK(most_states < 65536, "more words than one table holds");
  next_.assign(columns_, 0);
  words_.resize(1);
  for (uint32_t i = 0; i < words.size(); ++i) {
    size_t state = 0;
    for (const char c : words[i]) {
      const size_t edge = state * columns_ + column_of_[uint8_t(c)];
      if (next_[edge] == 0) {
        next_[edge] = uint16_t(words_.size());
        words_.emplace_back();
        next_.resize(next_.size() + columns_, 0);
      }
      state = next_[edge];
    }
    words_[state].push_back(i);
  }
  std::vector<size_t> suffix(words_.size(), 0);
  std::vector<size_t> queue;
  for (size_t column = 0; column < columns_; ++column)
    if (next_[column] != 0)
      queue.push_back(next_[column]);
  for (size_t i = 0; i < queue.size(); ++i) {
    const size_t state = queue[i];
    const auto& shorter = words_[suffix[state]];
    words_[state].insert(words_[state].end(), shorter.begin(), shorter.end());
    for (size_t column = 0; column < columns_; ++column) {
      uint16_t& edge = next_[state * columns_ + column];
      const uint16_t fallback = next_[suffix[state] * columns_ + column];
      if (edge == 0) {
        edge = fallback;
      } else {
        suffix[edge] = fallback;
        queue.push_back(edge);
      }
    }
  }
  for (const auto& list : words_)
    has_words_.push_back(list.empty() ? 0 : 1);
}

void Prefilter::find(std::string_view line, std::vector<uint32_t>& found) const {
  found.clear();
  size_t state = 0;
  for (const char c : line) {
    state = next_[state * columns_ + column_of_[uint8_t(c)]];
    if (has_words_[state])
      found.insert(found.end(), words_[state].begin(), words_[state].end());
    // A hostile line may repeat one word, so duplicates are dropped before they fill the memory.
    if (found.size() > 4096) {
      std::ranges::sort(found);
      found.erase(std::unique(found.begin(), found.end()), found.end());
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

}  // namespace lento::desk
