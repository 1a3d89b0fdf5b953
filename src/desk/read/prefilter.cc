// A word is found by those four bytes in a row that the fewest other words hold, because bytes that are
// common in the words are common in logs. Cost: three look-ups in tables of 17 KB for each byte of a line,
// and one branch for eight bytes.
#include "desk/read/prefilter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "base/error.h"

namespace lento::desk {
namespace {

constexpr size_t kKey = sizeof(uint32_t);

uint32_t key_at(const char* text) {
  uint32_t key = 0;
  std::memcpy(&key, text, sizeof key);
  return key;
}

size_t slot_of(uint32_t key) {
  constexpr uint32_t kGolden = 0x9e3779b1;  // Knuth's multiplicative hash
  constexpr int kUnusedBits = 18;           // of 32, above those of Prefilter::kSlots
  return (key * kGolden) >> kUnusedBits;
}

}  // namespace

Prefilter::Prefilter(const std::vector<std::string_view>& words)
    : words_(words.begin(), words.end()) {
  std::map<uint32_t, size_t> holders;
  for (const std::string& word : words_)
    for (size_t at = 0; at + kKey <= word.size(); ++at)
      ++holders[key_at(word.data() + at)];
  for (uint32_t i = 0; i < words_.size(); ++i) {
    const std::string& word = words_[i];
    LENTO_CHECK(!word.empty(), "an empty word to look for");
    if (word.size() >= kKey) {
      size_t rarest = 0;
      for (size_t at = 1; at + kKey <= word.size(); ++at)
        if (holders[key_at(word.data() + at)] < holders[key_at(word.data() + rarest)])
          rarest = at;
      long_.push_back({key_at(word.data() + rarest), i, uint32_t(rarest)});
      has_key_[slot_of(long_.back().key)] = 1;
      continue;
    }
    const auto bit = uint8_t(1 << (short_.size() % 8));
    short_.push_back(i);
    first_[uint8_t(word[0])] |= bit;
    for (size_t second = 0; second < second_.size(); ++second)
      if (word.size() == 1 || second == uint8_t(word[1]))
        second_[second] |= bit;
  }
  std::ranges::stable_sort(long_, {}, &Entry::key);
}

// Adds the words that the line holds and whose key is at `at`.
void Prefilter::find_at(std::string_view line, size_t at, std::vector<uint32_t>& found) const {
  const std::string_view rest = line.substr(at);
  const uint32_t key = rest.size() < kKey ? 0 : key_at(rest.data());
  if (rest.size() >= kKey && has_key_[slot_of(key)])
    for (auto entry = std::ranges::lower_bound(long_, key, {}, &Entry::key);
         entry != long_.end() && entry->key == key;
         ++entry)
      if (at >= entry->offset && line.substr(at - entry->offset).starts_with(words_[entry->word]))
        found.push_back(entry->word);
  if (first_[uint8_t(rest[0])] & (rest.size() > 1 ? second_[uint8_t(rest[1])] : 0xff))
    for (const uint32_t word : short_)
      if (rest[0] == words_[word][0] && rest.starts_with(words_[word]))
        found.push_back(word);
}

void Prefilter::find(std::string_view line, std::vector<uint32_t>& found) const {
  found.clear();
  const auto sort = [&found] {
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
  };
  constexpr size_t kAtOnce = sizeof(uint64_t);
  constexpr size_t kMostFound = 4096;
  size_t at = 0;
  for (; at + kAtOnce + kKey <= line.size(); at += kAtOnce) {
    const char* text = line.data() + at;
    std::array<uint8_t, kAtOnce> may_begin{};
    for (size_t i = 0; i < kAtOnce; ++i)
      may_begin[i] =
          has_key_[slot_of(key_at(text + i))] | (first_[uint8_t(text[i])] & second_[uint8_t(text[i + 1])]);
    if (std::bit_cast<uint64_t>(may_begin) == 0)
      continue;
    for (size_t i = 0; i < kAtOnce; ++i)
      if (may_begin[i])
        find_at(line, at + i, found);
    // A hostile line may repeat one word, so duplicates are dropped before they fill the memory.
    if (found.size() > kMostFound)
      sort();
  }
  for (; at < line.size(); ++at)
    find_at(line, at, found);
  if (found.size() > 1)
    sort();
}

}  // namespace lento::desk
