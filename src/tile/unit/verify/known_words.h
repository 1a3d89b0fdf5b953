// The abstract content of the scratchpad: a value for some of its 8,192 words, none for the others. A word
// that may hold a register that was never set always has an entry, as a value that is not initialised. Copies
// share pages until one of them writes, so the cost of a copy does not depend on the number of entries.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tile/seal/image.h"
#include "tile/unit/verify/abstract_value.h"

namespace lento::tile {

class KnownWords {
 public:
  static constexpr uint32_t kPages = 128;
  static constexpr uint32_t kPageWords = kDataBytes / 4 / kPages;

  // Addresses are byte addresses in the scratchpad. Ranges include the words of both ends.
  const AbstractValue* find(uint32_t address) const;  // of an aligned word; nullptr: nothing is known
  void set(uint32_t address, const AbstractValue& value);
  bool shares(uint32_t address) const;       // a store there copies a page first
  void forget(uint32_t low, uint32_t high);  // what is not initialised stays so
  bool initialised(uint32_t low, uint32_t high) const;
  void join(const KnownWords& other);  // to what holds in both

  // Returns the scratchpad after loading, in which every word has a value.
  static KnownWords of_image(const std::string& data);
  // Widens to the start of regions that run again and again. Differing words grow to the next of `ends`
  // (ascending), so that few rounds are needed, or become unknown when there are no ends. Returns true when
  // something grew. Homes are dropped because they belong to one exploration.
  enum class Growth : uint8_t {
    Exact,
    ToEnds,
    ToAny
  };
  bool widen(const KnownWords& other, Growth growth, const std::vector<uint32_t>& ends = {});
  void forget_all();  // what is not initialised stays so
  // Returns the pages with words that are not initialised here but are in `before`, a bit each.
  std::bitset<kPages> newly_unset(const KnownWords& before) const;

  uint32_t last_stamp() const;  // the greatest of all words, kManyStamps aside
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
    // Bit i belongs to word i. `unset` is a subset of `known`.
    uint64_t known = 0;
    uint64_t unset = 0;
    std::array<AbstractValue, kPageWords> words;
  };
  static_assert(kPageWords == 64);

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
