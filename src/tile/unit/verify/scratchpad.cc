// Keeps cells in sorted pages of 64 words that copies share until one of them writes. A merge skips the pages
// that both sides share, so its cost grows with the number of pages that they do not.
#include "tile/unit/verify/scratchpad.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "tile/unit/verify/relation.h"

namespace lento::tile {
namespace {

using riscv::Op;
using V = AbstractValue;
using Cell = std::pair<uint32_t, V>;

// Returns the object that `at` points to. It is created first when there is none, and copied when other
// pointers share it.
template <class T>
T& unshared(std::shared_ptr<T>& at) {
  if (!at)
    at = std::make_shared<T>();
  else if (at.use_count() > 1)
    at = std::make_shared<T>(*at);
  return *at;
}

// Returns the cells of a page that have bytes from address `low` to address `high`.
template <class Page>
auto cells_between(Page& page, uint32_t low, uint32_t high) {
  const auto first = std::ranges::partition_point(page, [&](const Cell& c) {
    return cell_end(c.first) <= low;
  });
  auto last = first;
  while (last != page.end() && cell_address(last->first) <= high)
    ++last;
  return std::span(first, last);
}

template <class Page>
auto cells_in(Page& page, uint32_t cell) {
  return cells_between(page, cell_address(cell), cell_end(cell) - 1);
}

// Returns the cell with a byte, or nullptr.
const Cell* cell_with(std::span<const Cell> cells, uint32_t byte) {
  const auto at = std::ranges::find_if(cells, [&](const Cell& c) {
    return cell_address(c.first) <= byte && byte < cell_end(c.first);
  });
  return at == cells.end() ? nullptr : &*at;
}

V unset() {
  V v;
  v.initialised = false;
  return v;
}

bool is_informative(const V& v, uint32_t cell) {
  return !v.initialised || v.term.number != 0 || v.low != 0 || v.high != cell_mask(cell) ||
         (v.zeros & cell_mask(cell)) != 0 || v.ones != 0 || v.places != 0;
}

}  // namespace

const Scratchpad::Page& Scratchpad::page(uint32_t index) const {
  static const Page nothing;
  const Page* at = pages_ ? (*pages_)[index].get() : nullptr;
  return at ? *at : nothing;
}

Scratchpad::Page& Scratchpad::own(uint32_t index) {
  return unshared(unshared(pages_)[index]);
}

bool Scratchpad::shares(uint32_t address) const {
  return pages_ && (pages_.use_count() > 1 || (*pages_)[page_of(address)].use_count() > 1);
}

Scratchpad Scratchpad::of_image(const std::string& data) {
  Scratchpad out;
  for (uint32_t at = 0; at < kDataBytes; at += 4) {
    uint32_t word = 0;
    if (at < data.size())
      std::memcpy(&word, data.data() + at, std::min<size_t>(4, data.size() - at));
    out.own(page_of(kDataBase + at)).emplace_back(cell_of(kDataBase + at, 4), V::constant(word));
  }
  return out;
}

const V* Scratchpad::find(uint32_t cell) const {
  const auto found = cells_in(page(page_of(cell_address(cell))), cell);
  return found.size() == 1 && found[0].first == cell ? &found[0].second : nullptr;
}

bool Scratchpad::is_free(uint32_t cell) const {
  return cells_in(page(page_of(cell_address(cell))), cell).empty();
}

V Scratchpad::value(uint32_t cell) const {
  return value_in(page(page_of(cell_address(cell))), cell);
}

// Returns the value of a cell from the cells that overlap it. From a larger cell it is a shift and a mask of
// that cell's value, so it stays related to that value (Term). From smaller cells only their known bits are
// put together.
V Scratchpad::value_in(const Page& page, uint32_t cell) {
  const V lane = V::range(0, cell_mask(cell));
  V out = lane;
  for (const auto& [at, v] : cells_in(page, cell)) {
    if (at == cell)
      return v;
    if (!v.initialised)
      return unset();
    if (cell_size(at) > cell_size(cell)) {
      const V right = V::constant(8 * (cell_address(cell) - cell_address(at)));
      return related_alu(Op::And, related_alu(Op::Srli, v, right), V::constant(cell_mask(cell)));
    }
    const uint32_t left = 8 * (cell_address(at) - cell_address(cell));
    out.zeros |= (v.zeros & cell_mask(at)) << left;
    out.ones |= v.ones << left;
  }
  return meet(out, lane);
}

void Scratchpad::set(uint32_t cell, const V& value) {
  Page& at = own(page_of(cell_address(cell)));
  at.may_be_unset |= !value.initialised;
  const auto over = cells_in(at, cell);
  if (over.size() == 1 && over[0].first == cell) {
    over[0].second = value;
    return;
  }
  if (cell_size(cell) < 4 && !value_in(at, cell).initialised)
    return;
  Page parts = {{cell, value}};
  for (const Cell& old : over) {
    for (uint32_t byte = cell_address(old.first); byte < cell_end(old.first); ++byte) {
      const V part = value_in(at, cell_of(byte, 1));
      if ((byte < cell_address(cell) || byte >= cell_end(cell)) && is_informative(part, cell_of(byte, 1)))
        parts.emplace_back(cell_of(byte, 1), part);
    }
  }
  std::ranges::sort(parts, {}, &Cell::first);
  const auto first = at.begin() + (over.data() - at.data());
  at.insert(at.erase(first, first + std::ssize(over)), parts.begin(), parts.end());
}

void Scratchpad::forget(uint32_t low, uint32_t high) {
  for (uint32_t index = page_of(low); index <= page_of(high); ++index) {
    const Page& before = page(index);
    const uint32_t begin = kDataBase + index * kPageBytes;
    if (!before.may_be_unset && low <= begin && begin + kPageBytes <= high + 1) {
      if (!before.empty())
        unshared(pages_)[index] = nullptr;
      continue;
    }
    const auto forgotten = cells_between(before, low, high);
    if (forgotten.empty())
      continue;
    Page kept(before.data(), forgotten.data());
    for (const Cell& cell : forgotten) {
      if (!cell.second.initialised)
        kept.emplace_back(cell.first, unset());
    }
    kept.may_be_unset = before.may_be_unset;
    kept.insert(kept.end(), forgotten.data() + forgotten.size(), before.data() + before.size());
    unshared(pages_)[index] = kept.empty() ? nullptr : std::make_shared<Page>(std::move(kept));
  }
}

std::bitset<Scratchpad::kPages> Scratchpad::newly_unset(const Scratchpad& before) const {
  const auto unset_in = [](const Page& page) {
    return std::ranges::count(page, false, [](const Cell& c) {
      return c.second.initialised;
    });
  };
  std::bitset<kPages> out;
  for (uint32_t index = 0; index < kPages; ++index)
    out[index] = unset_in(page(index)) > unset_in(before.page(index));
  return out;
}

bool Scratchpad::initialised(uint32_t low, uint32_t high) const {
  for (uint32_t index = page_of(low); index <= page_of(high); ++index) {
    for (const Cell& cell : cells_between(page(index), low, high)) {
      if (!cell.second.initialised)
        return false;
    }
  }
  return true;
}

// Appends the merged cells of the word at address `word`, on the pages a and b, to `out`. Returns whether
// their possible values differ from those on `a`.
bool Scratchpad::merge_word(const Page& a, const Page& b, uint32_t word, const Combine& combine, Page& out) {
  const auto of_a = cells_between(a, word, word + 3);
  const auto of_b = cells_between(b, word, word + 3);
  if (std::ranges::equal(of_a, of_b)) {
    out.insert(out.end(), of_a.begin(), of_a.end());
    return false;
  }
  const auto is_unset = [](const auto& cells) {
    return cells.size() == 1 && !cells[0].second.initialised;
  };
  if (is_unset(of_a) || is_unset(of_b)) {
    out.emplace_back(cell_of(word, 4), unset());
    return !is_unset(of_a);
  }
  if (of_a.empty() || of_b.empty())
    return !of_a.empty();
  // Overlapping cells are nested, because each is aligned to its size. The smaller one is combined.
  bool changed = false;
  for (uint32_t byte = word; byte < word + 4;) {
    const Cell* x = cell_with(of_a, byte);
    const Cell* y = cell_with(of_b, byte);
    changed |= x && (!y || cell_size(y->first) < cell_size(x->first));
    if (!x || !y) {
      ++byte;
      continue;
    }
    const uint32_t cell = cell_size(x->first) <= cell_size(y->first) ? x->first : y->first;
    const V before = value_in(a, cell);
    V v = combine(before, value_in(b, cell));
    if (v.high > cell_mask(cell))
      v = meet(v, V::range(0, cell_mask(cell)));
    changed |= !v.same_value(before);
    if (is_informative(v, cell))
      out.emplace_back(cell, v);
    byte = cell_end(cell);
  }
  return changed;
}

bool Scratchpad::merge(const Scratchpad& other, const Combine& combine) {
  if (pages_ == other.pages_)
    return false;
  bool changed = false;
  for (uint32_t index = 0; index < kPages; ++index) {
    if (pages_ && other.pages_ && (*pages_)[index] == (*other.pages_)[index])
      continue;
    const Page& a = page(index);
    const Page& b = other.page(index);
    if (&a == &b)
      continue;
    auto out = std::make_shared<Page>();
    out->reserve(std::max(a.size(), b.size()));
    out->may_be_unset = a.may_be_unset || b.may_be_unset;
    for (uint32_t i = 0; i < kPageBytes; i += 4)
      changed |= merge_word(a, b, kDataBase + index * kPageBytes + i, combine, *out);
    unshared(pages_)[index] = std::move(out);
  }
  return changed;
}

}  // namespace lento::tile
