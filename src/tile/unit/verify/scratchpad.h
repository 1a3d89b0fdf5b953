// The abstract content of the scratchpad: cells, which do not overlap, with the values that they may hold. A
// cell is an address with a size of one, two or four bytes. Bytes without a cell may hold anything. A word to
// which a register that was never set may have been saved always has a cell, with a value that is not
// initialised. Copies share pages until one of them writes, so the cost of a copy does not depend on the
// number of cells.
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

// Returns the cell of an address and a size in bytes, written as one number. Cells are ordered by address.
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
// Returns the mask of the bits that a cell holds: its lowest 8, 16 or 32.
constexpr uint32_t cell_mask(uint32_t cell) {
  return UINT32_MAX >> (32 - 8 * cell_size(cell));
}

class Scratchpad {
 public:
  static constexpr uint32_t kPages = 128;
  static constexpr uint32_t kPageBytes = kDataBytes / kPages;

  // Returns the scratchpad after loading, in which every word has a value.
  static Scratchpad of_image(const std::string& data);

  // Returns the zero-extended value of `cell`, taken from the cells that overlap it when it is not one
  // itself.
  AbstractValue value(uint32_t cell) const;
  const AbstractValue* find(uint32_t cell) const;  // nullptr: there is no such cell
  bool is_free(uint32_t cell) const;               // no cell overlaps it
  // Sets the value of a cell. Cells that overlap it are split, and their bytes outside of it keep what is
  // known of them. Does nothing when `cell` is a part of a word that is not initialised.
  void set(uint32_t cell, const AbstractValue& value);
  bool shares(uint32_t address) const;  // whether a store there first copies a page
  // Makes all cells with bytes from address `low` to address `high` unknown. Those that are not initialised
  // stay so.
  void forget(uint32_t low, uint32_t high);
  // Returns whether all cells with bytes from address `low` to address `high` are initialised.
  bool initialised(uint32_t low, uint32_t high) const;
  // Returns the pages (bit i: page i) with more cells that are not initialised than in `before`.
  std::bitset<kPages> newly_unset(const Scratchpad& before) const;

  // Replaces the value of each cell by `combine` of its values here and in `other`. Where one of the two has
  // a larger cell, the smaller cells inside it are combined. A word that is not initialised in one of the two
  // is not initialised in the result. Returns whether the possible values of a cell changed
  // (AbstractValue::same_value).
  using Combine = std::function<AbstractValue(const AbstractValue&, const AbstractValue&)>;
  bool merge(const Scratchpad& other, const Combine& combine);

  static uint32_t pages_between(uint32_t low, uint32_t high) {
    return page_of(high) - page_of(low) + 1;
  }
  static std::bitset<kPages> pages_of(uint32_t low, uint32_t high) {
    return ~std::bitset<kPages>() >> (kPages - pages_between(low, high)) << page_of(low);
  }

 private:
  struct Page : std::vector<std::pair<uint32_t, AbstractValue>> {  // in the order of cells
    using vector::vector;
    bool may_be_unset = false;  // some cell may not be initialised
  };
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
