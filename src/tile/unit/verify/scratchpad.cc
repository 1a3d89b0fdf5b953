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

V unset() {
  V v;
  v.initialised = false;
  return v;
}

bool tells(const V& v, uint32_t cell) {
  return !v.initialised || v.term.number != 0 || v.low != 0 || v.high != cell_lane(cell) ||
         (v.zeros & cell_lane(cell)) != 0 || v.ones != 0 || v.places != 0;
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
  const V lane = V::range(0, cell_lane(cell));
  V out = lane;
  for (const auto& [at, v] : cells_in(page, cell)) {
    if (at == cell)
      return v;
    if (!v.initialised)
      return unset();
    if (cell_size(at) > cell_size(cell)) {
      const V right = V::constant(8 * (cell_address(cell) - cell_address(at)));
      return related_alu(Op::And, related_alu(Op::Srli, v, right), V::constant(cell_lane(cell)));
    }
    const uint32_t left = 8 * (cell_address(at) - cell_address(cell));
    out.zeros |= (v.zeros & cell_lane(at)) << left;
    out.ones |= v.ones << left;
  }
  return meet(out, lane);
}

void Scratchpad::set(uint32_t cell, const V& value) {
  Page& at = own(page_of(cell_address(cell)));
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
      if ((byte < cell_address(cell) || byte >= cell_end(cell)) && tells(part, cell_of(byte, 1)))
        parts.emplace_back(cell_of(byte, 1), part);
    }
  }
  std::ranges::sort(parts, {}, &Cell::first);
  const auto first = at.begin() + (over.data() - at.data());
  at.insert(at.erase(first, first + std::ssize(over)), parts.begin(), parts.end());
}

void Scratchpad::forget(uint32_t low, uint32_t high) {
  for (uint32_t index = page_of(low); index <= page_of(high); ++index) {
    if (cells_between(page(index), low, high).empty())
      continue;
    Page& at = own(index);
    for (Cell& cell : cells_between(at, low, high))
      cell.second = cell.second.initialised ? V::any() : unset();
    std::erase_if(at, [&](const Cell& c) {
      return c.second.initialised && cell_end(c.first) > low && cell_address(c.first) <= high;
    });
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
  const bool same = std::ranges::equal(of_a, of_b, {}, &Cell::first, &Cell::first);
  bool changed = !same && std::ranges::any_of(of_a, [](const Cell& c) {
    return cell_size(c.first) > 1;
  });
  const auto add = [&](uint32_t cell, const V& x, const V& y) {
    V v = combine(x, y);
    if (v.high > cell_lane(cell))
      v = meet(v, V::range(0, cell_lane(cell)));
    changed |= !v.same_value(x);
    if (tells(v, cell))
      out.emplace_back(cell, v);
  };
  for (size_t i = 0; same && i < of_a.size(); ++i)
    add(of_a[i].first, of_a[i].second, of_b[i].second);
  for (uint32_t byte = word; !same && byte < word + 4; ++byte)
    add(cell_of(byte, 1), value_in(a, cell_of(byte, 1)), value_in(b, cell_of(byte, 1)));
  return changed;
}

bool Scratchpad::merge(const Scratchpad& other, const Combine& combine) {
  bool changed = false;
  for (uint32_t index = 0; index < kPages; ++index) {
    const Page& a = page(index);
    const Page& b = other.page(index);
    if (&a == &b)
      continue;
    auto out = std::make_shared<Page>();
    out->reserve(std::max(a.size(), b.size()));
    for (uint32_t i = 0; i < kPageBytes; i += 4)
      changed |= merge_word(a, b, kDataBase + index * kPageBytes + i, combine, *out);
    unshared(pages_)[index] = std::move(out);
  }
  return changed;
}

}  // namespace lento::tile
