// Finds which of many fixed words a line holds, in one pass whatever the number of words. A word is found by
// four of its bytes: a look-up in a table rejects almost all places of a line, and a look-up does not wait
// for the one before, as in an automaton it does. The words are compared in full at the places that are left.
// Words of fewer than four bytes are found by their first two.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

class Prefilter {
 public:
  // An empty word is a base::Bug.
  explicit Prefilter(const std::vector<std::string_view>& words);

  // Finds the indices of the words in `line`, ascending and each once. `found` is overwritten.
  void find(std::string_view line, std::vector<uint32_t>& found) const;

 private:
  static constexpr size_t kSlots = size_t{1} << 14;
  struct Entry {
    uint32_t key = 0;  // the four bytes
    uint32_t word = 0;
    uint32_t offset = 0;  // of these bytes in the word
  };
  void find_at(std::string_view line, size_t at, std::vector<uint32_t>& found) const;

  std::vector<std::string> words_;
  std::vector<Entry> long_;  // ascending by key
  std::vector<uint32_t> short_;
  std::array<uint8_t, kSlots> has_key_{};  // by a hash of the key
  // A bit is set in both for the first and second byte of a short word, one of eight bits for each word.
  std::array<uint8_t, 256> first_{};
  std::array<uint8_t, 256> second_{};
};

}  // namespace lento::desk
