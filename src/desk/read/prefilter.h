// Finds in one pass which of many fixed words a line holds (Aho and Corasick 1975): one table look-up per
// byte, whatever the number of words. Bytes that occur in no word share one column of the table, so that it
// stays within a core's second-level cache.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lento::desk {

class Prefilter {
 public:
  // Builds the automaton. It has at most 65,535 states. An empty word is a base::Bug.
  explicit Prefilter(const std::vector<std::string_view>& words);

  // Finds the indices of the words in `line`, ascending and each once. `found` is overwritten.
  void find(std::string_view line, std::vector<uint32_t>& found) const;

 private:
  std::array<uint8_t, 256> column_of_{};
  size_t columns_ = 1;
  std::vector<uint16_t> next_;                // [state * columns_ + column]
  std::vector<std::vector<uint32_t>> words_;  // by state: the words that end there
  std::vector<uint8_t> has_words_;
};

}  // namespace lento::desk
