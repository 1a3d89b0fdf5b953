// Keeps abstract values of the scratchpad's words in pages that copies share until one of them writes. Joins
// and widenings skip pages that both sides share, so their cost follows the difference.
#include "tile/unit/verify/known_words.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lento::tile {
namespace {

// Returns the object of `at`, created, or copied when it is shared.
template <class T>
T& unshared(std::shared_ptr<T>& at) {
  if (!at)
    at = std::make_shared<T>();
  else if (at.use_count() > 1)
    at = std::make_shared<T>(*at);
  return *at;
}

}  // namespace

KnownWords::Pages& KnownWords::own_pages() {
  return unshared(pages_);
}

KnownWords::Page& KnownWords::own(uint32_t index) {
  return unshared(own_pages()[index]);
}

// Returns the words of page `index` between the addresses low and high, as bits.
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

namespace {

// Returns a byte or half word of a word, zero-extended and without relations.
AbstractValue part_of(const AbstractValue& word, uint32_t cell) {
  const uint32_t shift = 8 * (cell_address(cell) & 3);
  const uint32_t lane = cell_lane(cell);
  AbstractValue bits;
  bits.zeros = ~lane | word.zeros >> shift;
  bits.ones = word.ones >> shift & lane;
  uint32_t low = bits.ones;
  uint32_t high = ~bits.zeros;
  if (word.high >> shift <= lane) {
    low = std::max(low, word.low >> shift);
    high = std::min(high, word.high >> shift);
  }
  return meet(AbstractValue::range(low, high), bits);
}

}  // namespace

std::optional<AbstractValue> KnownWords::Page::cell(uint32_t cell) const {
  const uint32_t word = word_of(cell_address(cell));
  const auto part = parts.find(cell);
  if (cell_size(cell) < 4 && part != parts.end())
    return part->second;
  if (!(known >> word & 1) || (unset >> word & 1))
    return std::nullopt;
  return cell_size(cell) == 4 ? words[word] : part_of(words[word], cell);
}

// Removes the values of bytes and half words (parts) that overlap the bytes from `low` to `high`.
void KnownWords::Page::erase_parts(uint32_t low, uint32_t high) {
  std::erase_if(parts, [&](const auto& part) {
    const uint32_t at = cell_address(part.first);
    return at <= high && at + cell_size(part.first) > low;
  });
}

std::optional<AbstractValue> KnownWords::cell(uint32_t cell) const {
  const Page* at = page(page_of(cell_address(cell)));
  return at ? at->cell(cell) : std::nullopt;
}

const AbstractValue* KnownWords::find_cell(uint32_t cell) const {
  if (cell_size(cell) == 4)
    return find(cell_address(cell));
  const Page* at = page(page_of(cell_address(cell)));
  if (!at)
    return nullptr;
  const auto part = at->parts.find(cell);
  return part == at->parts.end() ? nullptr : &part->second;
}

void KnownWords::set_cell(uint32_t cell, const AbstractValue& value, uint32_t stamp) {
  const uint32_t address = cell_address(cell);
  if (cell_size(cell) == 4) {
    AbstractValue kept = value;
    kept.stamp = stamp;
    return set(address, kept);
  }
  Page& at = own(page_of(address));
  const uint32_t word = word_of(address);
  at.erase_parts(address, address + cell_size(cell) - 1);
  if (at.unset >> word & 1)
    return;
  AbstractValue& part = at.parts[cell] = value;
  part.stamp = stamp;
  const AbstractValue old = at.known >> word & 1 ? at.words[word] : AbstractValue::any();
  const uint32_t shift = 8 * (address & 3);
  const uint32_t lane = cell_lane(cell) << shift;
  AbstractValue bits;
  bits.zeros = (old.zeros & ~lane) | (value.zeros << shift & lane);
  bits.ones = (old.ones & ~lane) | (value.ones << shift & lane);
  const bool alone = shift == 0 && (old.zeros | lane) == UINT32_MAX;  // the rest of the word is 0
  at.words[word] = alone ? meet(AbstractValue::range(value.low, value.high), bits)
                         : meet(AbstractValue::range(bits.ones, ~bits.zeros), bits);
  at.words[word].stamp = stamp;
  at.known |= uint64_t{1} << word;
}

void KnownWords::narrow_cell(uint32_t cell, const AbstractValue& value) {
  Page& at = own(page_of(cell_address(cell)));
  (cell_size(cell) == 4 ? at.words[word_of(cell_address(cell))] : at.parts[cell]) = value;
}

// Sets the possible values of a word.
void KnownWords::set(uint32_t address, const AbstractValue& value) {
  Page& at = own(page_of(address));
  const uint32_t word = word_of(address);
  at.erase_parts(address, address + 3);
  const uint64_t bit = uint64_t{1} << word;
  at.words[word] = value;
  at.known |= bit;
  at.unset = value.initialised ? at.unset & ~bit : at.unset | bit;
}

bool KnownWords::shares(uint32_t address) const {
  return pages_ && (pages_.use_count() > 1 || (*pages_)[page_of(address)].use_count() > 1);
}

void KnownWords::forget(uint32_t low, uint32_t high) {
  for (uint32_t index = page_of(low); index <= page_of(high); ++index) {
    const uint64_t mask = mask_of(index, low, high);
    const Page* before = page(index);
    if (!before || ((before->known & mask) == 0 && before->parts.empty()))
      continue;
    if ((before->known & ~mask) == 0 && before->unset == 0) {
      own_pages()[index].reset();
      continue;
    }
    Page& at = own(index);
    at.erase_parts(low & ~3u, high | 3);
    at.known &= ~mask | at.unset;
    for (uint64_t left = at.unset & mask; left != 0; left &= left - 1) {
      AbstractValue& word = at.words[size_t(std::countr_zero(left))];
      word = AbstractValue::any();
      word.stamp = AbstractValue::kManyStamps;
      word.initialised = false;
    }
  }
}

// Returns whether all words from `low` to `high` are initialised.
bool KnownWords::initialised(uint32_t low, uint32_t high) const {
  for (uint32_t index = page_of(low); index <= page_of(high); ++index) {
    const Page* at = page(index);
    if (at && (at->unset & mask_of(index, low, high)))
      return false;
  }
  return true;
}

void KnownWords::join(const KnownWords& other) {
  static const Page nothing;
  if (pages_ == other.pages_)
    return;
  for (uint32_t index = 0; index < kPages; ++index) {
    if (page(index) == other.page(index))
      continue;
    const Page& b = other.page(index) ? *other.page(index) : nothing;
    Page& a = own(index);
    join_parts(a, b);
    const uint64_t both = a.known & b.known;
    const uint64_t unset = a.unset | b.unset;
    for (uint64_t left = both | unset; left != 0; left &= left - 1) {
      const auto word = size_t(std::countr_zero(left));
      const bool known = both >> word & 1;
      const bool same_store = known && a.words[word].stamp == b.words[word].stamp;
      const uint32_t stamp = same_store ? a.words[word].stamp : AbstractValue::kManyStamps;
      a.words[word] = known ? lento::tile::join(a.words[word], b.words[word]) : AbstractValue::any();
      a.words[word].stamp = stamp;
      a.words[word].initialised = !(unset >> word & 1);
    }
    a.known = both | unset;
    a.unset = unset;
  }
}

std::set<uint32_t> KnownWords::parts_of(const Page& a, const Page& b) {
  std::set<uint32_t> out;
  for (const Page* page : {&a, &b}) {
    for (const auto& [cell, value] : page->parts)
      out.insert(cell);
  }
  return out;
}

// Joins the bytes and half words of both pages that have their own values (Page::parts), before the words are
// joined. Where one page has no such value, it follows from the word.
void KnownWords::join_parts(Page& a, const Page& b) {
  std::map<uint32_t, AbstractValue> joined;
  for (const uint32_t cell : parts_of(a, b)) {
    const std::optional<AbstractValue> of_a = a.cell(cell);
    const std::optional<AbstractValue> of_b = b.cell(cell);
    if (!of_a || !of_b)
      continue;
    AbstractValue both = lento::tile::join(*of_a, *of_b);
    const bool same_store = a.parts.contains(cell) && b.parts.contains(cell) && of_a->stamp == of_b->stamp;
    both.stamp = same_store ? of_a->stamp : AbstractValue::kManyStamps;
    joined[cell] = both;
  }
  a.parts = std::move(joined);
}

KnownWords KnownWords::of_image(const std::string& data) {
  KnownWords out;
  for (uint32_t at = 0; at < kDataBytes; at += 4) {
    uint32_t word = 0;
    if (at < data.size())
      std::memcpy(&word, data.data() + at, std::min<size_t>(4, data.size() - at));
    out.set(kDataBase + at, AbstractValue::constant(word));
  }
  return out;
}

namespace {

AbstractValue without_home(AbstractValue v) {
  v.home = v.stamp = v.offset = 0;
  v.forget_number();
  v.forget_time();
  return v;
}

// Returns an interval that contains both. An end that lies outside a's interval moves out to the next of
// `ends`, or to 0 or 2^32 - 1 when there is none.
AbstractValue widened(const AbstractValue& a, const AbstractValue& b, const std::vector<uint32_t>& ends) {
  const AbstractValue both = join(a, b);
  if (both.places > 0)
    return both;
  uint32_t low = both.low;
  uint32_t high = both.high;
  if (low < a.low) {
    const auto above = std::upper_bound(ends.begin(), ends.end(), low);
    low = above == ends.begin() ? 0 : *std::prev(above);
  }
  if (high > a.high) {
    const auto at = std::lower_bound(ends.begin(), ends.end(), high);
    high = at == ends.end() ? UINT32_MAX : *at;
  }
  // Known bits can only become fewer, so they need no widening. They bound the bytes of a word.
  AbstractValue bits;
  bits.zeros = both.zeros;
  bits.ones = both.ones;
  bits.low = both.ones;
  bits.high = ~both.zeros;
  return meet(AbstractValue::range(low, high), bits);
}

}  // namespace

// Widens the bytes and half words of a page that have their own values (Page::parts), before its words are
// widened. Returns whether one of them grew.
bool KnownWords::widen_parts(Page& a, const Page& b, Growth growth, const std::vector<uint32_t>& ends) {
  bool grew = false;
  std::map<uint32_t, AbstractValue> next;
  for (const uint32_t cell : parts_of(a, b)) {
    const std::optional<AbstractValue> of_a = a.cell(cell);
    const std::optional<AbstractValue> of_b = b.cell(cell);
    const AbstractValue before = without_home(of_a.value_or(AbstractValue::any()));
    AbstractValue after = before;
    if (of_a && of_b)
      after = without_home(lento::tile::join(before, *of_b));
    const bool same = of_b && after.same_value(before);
    if (!same && growth == Growth::ToEnds && of_a && of_b)
      after = widened(before, *of_b, ends);
    const bool known = of_a && of_b && (same || growth != Growth::ToAny);
    grew |= of_a && !same && (a.parts.contains(cell) || known);
    if (known)
      next[cell] = after;
  }
  a.parts = std::move(next);
  return grew;
}

// Adds the possible values of `other`. `growth` selects how far ranges are enlarged, so that the iteration
// ends. Returns whether anything grew.
bool KnownWords::widen(const KnownWords& other, Growth growth, const std::vector<uint32_t>& ends) {
  static const Page nothing;
  bool grew = false;
  for (uint32_t index = 0; index < kPages; ++index) {
    if (page(index) == other.page(index))
      continue;
    const Page& b = other.page(index) ? *other.page(index) : nothing;
    Page& a = own(index);
    grew |= widen_parts(a, b, growth, ends);
    for (uint64_t left = a.known | b.unset; left != 0; left &= left - 1) {
      const auto word = size_t(std::countr_zero(left));
      const uint64_t bit = uint64_t{1} << word;
      const bool unset = ((a.unset | b.unset) & bit) != 0;
      const bool known = (a.known & bit) != 0 && (b.known & bit) != 0;
      const AbstractValue before = without_home(a.words[word]);
      AbstractValue after = AbstractValue::any();
      if (known)
        after = without_home(lento::tile::join(before, b.words[word]));
      const bool same = known && after.same_value(before);
      if (known && !same && growth == Growth::ToAny)
        after = AbstractValue::any();
      if (known && !same && growth == Growth::ToEnds)
        after = widened(before, b.words[word], ends);
      after.initialised = !unset;
      grew |= !same && (!(a.known & bit) || !after.same_value(before));
      a.words[word] = after;
      const bool nothing_known = !unset && after.low == 0 && after.high == UINT32_MAX;
      a.known = nothing_known ? a.known & ~bit : a.known | bit;
      a.unset = unset ? a.unset | bit : a.unset & ~bit;
      grew |= nothing_known;
    }
  }
  return grew;
}

std::bitset<KnownWords::kPages> KnownWords::newly_unset(const KnownWords& before) const {
  std::bitset<kPages> out;
  for (uint32_t index = 0; index < kPages; ++index) {
    const uint64_t now = page(index) ? page(index)->unset : 0;
    const uint64_t then = before.page(index) ? before.page(index)->unset : 0;
    out[index] = (now & ~then) != 0;
  }
  return out;
}

void KnownWords::forget_all() {
  forget(kDataBase, kDataBase + kDataBytes - 1);
}

}  // namespace lento::tile
