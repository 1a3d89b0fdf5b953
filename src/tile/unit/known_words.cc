#include "tile/unit/known_words.h"

#include <bit>

namespace lento::tile {
namespace {

// What `at` points to, made or copied so that nothing else shares it.
template <class T>
T& unshared(std::shared_ptr<T>& at) {
  if (!at)
    at = std::make_shared<T>();
  else if (at.use_count() > 1)
    at = std::make_shared<T>(*at);
  return *at;
}

}  // namespace

KnownWords::Pages& KnownWords::own_pages() { return unshared(pages_); }

KnownWords::Page& KnownWords::own(uint32_t index) { return unshared(own_pages()[index]); }

// The words of page `index` that lie between low and high.
uint64_t KnownWords::mask_of(uint32_t index, uint32_t low, uint32_t high) {
  const uint32_t first = index == page_of(low) ? word_of(low) : 0;
  const uint32_t last = index == page_of(high) ? word_of(high) : kPageWords - 1;
  return (UINT64_MAX << first) & (UINT64_MAX >> (63 - last));
}

const AbstractValue* KnownWords::find(uint32_t address) const {
  const Page* at = page(page_of(address));
  const uint32_t word = word_of(address);
  return at && (at->known >> word & 1) ? &at->words[word] : nullptr;
}

void KnownWords::set(uint32_t address, const AbstractValue& value) {
  Page& at = own(page_of(address));
  const uint32_t word = word_of(address);
  const uint64_t bit = uint64_t{1} << word;
  at.words[word] = value;
  at.known |= bit;
  at.unset = value.initialised ? at.unset & ~bit : at.unset | bit;
}

void KnownWords::forget(uint32_t low, uint32_t high) {
  for (uint32_t index = page_of(low); index <= page_of(high); ++index) {
    const uint64_t mask = mask_of(index, low, high);
    const Page* before = page(index);
    if (!before || (before->known & mask) == 0) continue;
    if ((before->known & ~mask) == 0 && before->unset == 0) {
      own_pages()[index].reset();
      continue;
    }
    Page& at = own(index);
    at.known &= ~mask | at.unset;
    for (uint64_t left = at.unset & mask; left != 0; left &= left - 1) {
      AbstractValue& word = at.words[static_cast<size_t>(std::countr_zero(left))];
      word = AbstractValue::any();
      word.initialised = false;
    }
  }
}

bool KnownWords::initialised(uint32_t low, uint32_t high) const {
  for (uint32_t index = page_of(low); index <= page_of(high); ++index) {
    const Page* at = page(index);
    if (at && (at->unset & mask_of(index, low, high))) return false;
  }
  return true;
}

void KnownWords::join(const KnownWords& other) {
  static const Page nothing;
  if (pages_ == other.pages_) return;
  for (uint32_t index = 0; index < kPages; ++index) {
    if (page(index) == other.page(index)) continue;
    const Page& b = other.page(index) ? *other.page(index) : nothing;
    Page& a = own(index);
    const uint64_t both = a.known & b.known, unset = a.unset | b.unset;
    for (uint64_t left = both | unset; left != 0; left &= left - 1) {
      const auto word = static_cast<size_t>(std::countr_zero(left));
      const bool known = both >> word & 1;
      a.words[word] = known ? lento::tile::join(a.words[word], b.words[word]) : AbstractValue::any();
      a.words[word].initialised = !(unset >> word & 1);
    }
    a.known = both | unset, a.unset = unset;
  }
}

}  // namespace lento::tile
