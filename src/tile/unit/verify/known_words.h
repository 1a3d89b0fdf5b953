// The abstract content of the scratchpad in cells: a value for some of its 8,192 words, none for the others,
// and one for bytes and half words that are used on their own. A word that may hold a register that was never
// set always has an entry, as a value that is not initialised. Copies share pages until one of them writes,
// so the cost of a copy does not depend on the number of entries.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tile/seal/image.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

// A cell is a byte, a half word or a word of the scratchpad. Its number combines its address and its size in
// bytes (1, 2 or 4).
constexpr uint32_t cell_of(uint32_t address, uint32_t size) {
  return address | size << 16;
}
constexpr uint32_t cell_address(uint32_t cell) {
  return cell & 0xffff;
}
constexpr uint32_t cell_size(uint32_t cell) {
  return cell >> 16;
}
// Returns a mask with a 1 for each bit of a cell's value.
constexpr uint32_t cell_lane(uint32_t cell) {
  return UINT32_MAX >> (32 - 8 * cell_size(cell));
}

class KnownWords {
 public:
  static constexpr uint32_t kPages = 128;
  static constexpr uint32_t kPageWords = kDataBytes / 4 / kPages;

  // Addresses are byte addresses in the scratchpad. Ranges include the words of both ends.
  const AbstractValue* find(uint32_t address) const;  // of an aligned word; nullptr: unknown
  void set(uint32_t address, const AbstractValue& value);
  // Returns the zero-extended value of any cell, from its own entry or its word's, or nothing when unknown.
  std::optional<AbstractValue> cell(uint32_t cell) const;
  const AbstractValue* find_cell(uint32_t cell) const;  // nullptr: no value of its own
  // Sets the value of a cell. The other bytes of its word do not change.
  void set_cell(uint32_t cell, const AbstractValue& value, uint32_t stamp);
  // Replaces the entry of a cell by a narrower value, without the effects of a store on other entries.
  void narrow_cell(uint32_t cell, const AbstractValue& value);
  bool shares(uint32_t address) const;  // whether a store there first copies a page
  // Makes the words of a range unknown, but keeps which of them are not initialised.
  void forget(uint32_t low, uint32_t high);
  bool initialised(uint32_t low, uint32_t high) const;
  void join(const KnownWords& other);  // keeps what holds in both

  // Returns the scratchpad after loading, in which every word has a value.
  static KnownWords of_image(const std::string& data);
  // Joins `other` into the scratchpad as it is when main or finish starts, which run many times. Words that
  // differ are joined exactly, grow to the next of `ends` (ascending) or become unknown, by `growth`, so
  // that a fixed point is reached in few rounds. Returns true when a word grew. The values lose their cell
  // and store number (AbstractValue::home), which are valid in one exploration only.
  enum class Growth : uint8_t {
    Exact,
    ToEnds,
    ToAny
  };
  bool widen(const KnownWords& other, Growth growth, const std::vector<uint32_t>& ends = {});
  void forget_all();  // words that are not initialised stay marked
  // Returns as bits the pages with words that are not initialised here but were in `before`.
  std::bitset<kPages> newly_unset(const KnownWords& before) const;

  bool same_pages(const KnownWords& other) const {
    return pages_ == other.pages_;
  }

  static std::bitset<kPages> pages_of(uint32_t low, uint32_t high) {
    const auto all = ~std::bitset<kPages>();
    return (all << page_of(low)) & (all >> (kPages - 1 - page_of(high)));
  }
  static uint32_t pages_between(uint32_t low, uint32_t high) {
    return page_of(high) - page_of(low) + 1;
  }

 private:
  struct Page {
    uint64_t known = 0;  // bit i: word i has a value in `words`
    uint64_t unset = 0;  // bit i: the value of word i may be that of a register that was never set
    std::array<AbstractValue, kPageWords> words;
    std::map<uint32_t, AbstractValue> parts;  // bytes and half words with a value of their own
    std::optional<AbstractValue> cell(uint32_t cell) const;
    void erase_parts(uint32_t low, uint32_t high);
  };
  static_assert(kPageWords == 64);
  static std::set<uint32_t> parts_of(const Page& a, const Page& b);
  static void join_parts(Page& a, const Page& b);
  static bool widen_parts(Page& a, const Page& b, Growth growth, const std::vector<uint32_t>& ends);

  static uint32_t page_of(uint32_t address) {
    return (address - kDataBase) / 4 / kPageWords;
  }
  static uint32_t word_of(uint32_t address) {
    return (address - kDataBase) / 4 % kPageWords;
  }
  static uint64_t mask_of(uint32_t page, uint32_t low, uint32_t high);
  using Pages = std::array<std::shared_ptr<Page>, kPages>;

  const Page* page(uint32_t index) const {
    return pages_ ? (*pages_)[index].get() : nullptr;
  }
  Pages& own_pages();
  Page& own(uint32_t index);

  std::shared_ptr<Pages> pages_;
};

}  // namespace lento::tile
