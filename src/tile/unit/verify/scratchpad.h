// The abstract content of the scratchpad: cells of one, two or four bytes, which do not overlap, with the
// values that they may hold. Bytes without a cell may hold anything. A word that may hold a register that was
// never set always has a cell, as a value that is not initialised. Copies share pages until one of them
// writes, so the cost of a copy does not depend on the number of cells.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tile/seal/image.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

// Returns the cell of an address and a size in bytes, as one number in the order of addresses.
constexpr uint32_t cell_of(uint32_t address, uint32_t size) {
  return address << 3 | size;
}
constexpr uint32_t cell_address(uint32_t cell) {
  return cell >> 3;
}
constexpr uint32_t cell_size(uint32_t cell) {
  return cell & 7;
}
constexpr uint32_t cell_end(uint32_t cell) {
  return cell_address(cell) + cell_size(cell);
}
// Returns the mask of the bits of a cell's value.
constexpr uint32_t cell_lane(uint32_t cell) {
  return UINT32_MAX >> (32 - 8 * cell_size(cell));
}

class Scratchpad {
 public:
  static constexpr uint32_t kPages = 128;
  static constexpr uint32_t kPageBytes = kDataBytes / kPages;

  // Returns the scratchpad after loading, in which every word has a value.
  static Scratchpad of_image(const std::string& data);

  // Returns the zero-extended value of any cell, as this cell or those that overlap it tell.
  AbstractValue value(uint32_t cell) const;
  const AbstractValue* find(uint32_t cell) const;  // nullptr: there is no such cell
  bool is_free(uint32_t cell) const;               // no cell overlaps it
  // Sets the value of a cell. The other bytes of a larger cell keep what their bits tell. A part of a word
  // that is not initialised cannot be set.
  void set(uint32_t cell, const AbstractValue& value);
  bool shares(uint32_t address) const;  // whether a store there first copies a page
  // Makes all cells with bytes from `low` to `high` unknown. Words that are not initialised stay marked.
  void forget(uint32_t low, uint32_t high);
  bool initialised(uint32_t low, uint32_t high) const;
  // Returns as bits the pages with words that are not initialised here but were in `before`.
  std::bitset<kPages> newly_unset(const Scratchpad& before) const;

  // Replaces each cell by `combine` of its values here and in `other`. Where the cells of a word differ, its
  // bytes are combined. Words that are not initialised in one are not in the result. Returns whether the
  // possible values of a cell, apart from terms, changed.
  using Combine = std::function<AbstractValue(const AbstractValue&, const AbstractValue&)>;
  bool merge(const Scratchpad& other, const Combine& combine);

  static uint32_t pages_between(uint32_t low, uint32_t high) {
    return page_of(high) - page_of(low) + 1;
  }
  static std::bitset<kPages> pages_of(uint32_t low, uint32_t high) {
    return ~std::bitset<kPages>() >> (kPages - pages_between(low, high)) << page_of(low);
  }

 private:
  using Page = std::vector<std::pair<uint32_t, AbstractValue>>;  // in the order of cells
  using Pages = std::array<std::shared_ptr<Page>, kPages>;

  static uint32_t page_of(uint32_t address) {
    return (address - kDataBase) / kPageBytes;
  }
  static AbstractValue value_in(const Page& page, uint32_t cell);
  static bool merge_word(const Page& a, const Page& b, uint32_t word, const Combine& combine, Page& out);
  const Page& page(uint32_t index) const;
  Page& own(uint32_t index);

  std::shared_ptr<Pages> pages_;
};

}  // namespace lento::tile
