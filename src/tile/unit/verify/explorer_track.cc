// Narrows the possible values on a path by comparisons, and computes the changes of the tracked cells
// (Tracked). A comparison narrows all registers and saved values (State::compared, State::before) over the
// same number (Term), and those cells that note_cell() remembers. The change of a cell is its value now less
// that in State::before: exact when both are one number plus constants, else from the bounds of both.
#include "tile/unit/verify/explorer_impl.h"

namespace lento::tile {
namespace {

// Returns the resolution, in tile cycles, of an arrival time in the form of the term `t`: 2^n when its n low
// bits are shifted out or cleared, else 1. Returns 0 when the form can decrease while the time grows, other
// than by wrapping around.
uint64_t unit_of(const Term& t) {
  const uint32_t top = UINT32_MAX >> t.right;
  const bool keeps_top = (t.mask | ((t.mask & (0u - t.mask)) - 1)) == top && t.right < 32;
  return keeps_top && t.minus == 0 && std::has_single_bit(t.factor)
             ? (uint64_t{t.mask & (0u - t.mask)} << t.right)
             : 0;
}

}  // namespace

void Explorer::note_cell(uint32_t number, uint32_t cell) {
  CellsOfNumber& slot = cells_of_number_[number % kNumberSlots];
  if (slot.number != number)
    slot = {number, {}};
  if (std::ranges::find(slot.cells, cell) != slot.cells.end())
    return;
  std::ranges::rotate(slot.cells, slot.cells.end() - 1);
  slot.cells[0] = cell;
}

void Explorer::reflect(State& s, const V& known) {
  const uint32_t number = known.term.number;
  if (number == 0)
    return;
  const auto narrow = [&](V& v) {
    if (v.term.number == number)
      v = sharpened(v, known);
  };
  std::for_each(s.x.begin() + 1, s.x.end(), narrow);
  std::ranges::for_each(s.compared, narrow);
  std::ranges::for_each(s.before, narrow);
  const CellsOfNumber& slot = cells_of_number_[number % kNumberSlots];
  for (size_t i = 0; slot.number == number && i < slot.cells.size() && slot.cells[i] != 0; ++i) {
    const V* held = s.words.find(slot.cells[i]);
    if (!held)
      continue;
    const V narrower = sharpened(*held, known);
    if (!narrower.same_value(*held))
      s.words.set(slot.cells[i], narrower);
  }
  if (std::ranges::find(s.compared, known.term, &V::term) != s.compared.end())
    return;
  if (s.compared.size() == kMostCompared)
    s.compared.erase(s.compared.begin());
  s.compared.push_back(known);
}

V Explorer::known_of(const State& s, V v) {
  for (const V& known : s.compared)
    v = sharpened(v, known);
  return v;
}

void Explorer::record(State& s) {
  s.before.clear();
  for (const Tracked& t : options_.tracked) {
    V v = s.words.value(t.cell);
    if (v.term.number == 0 && !v.is_constant() && (s.words.find(t.cell) || s.words.is_free(t.cell))) {
      name(v);
      note_cell(v.term.number, t.cell);
      s.words.set(t.cell, v);
    }
    s.before.push_back(v);
  }
}

void Explorer::add_changes(State& s, PathCost& cost) {
  for (size_t i = 0; i < options_.tracked.size(); ++i)
    cost.add_change(i, change_of(s, options_.tracked[i], s.before[i]));
  record(s);
}

Change Explorer::change_of(const State& s, const Tracked& tracked, const V& before) const {
  const V now = s.words.value(tracked.cell);
  if (distance(before, now, UINT32_MAX) == 0u || (before.is_constant() && before.same_value(now)))
    return {};
  if (tracked.clock.number != 0) {
    if (now.term != tracked.clock || unit_of(now.term) == 0)
      return {-kMostChange, kMostChange};
    const uint64_t unit = unit_of(tracked.clock);
    const V passed = known_of(s, related_alu(Op::Sub, now, before));
    // A form with fewer bits than the 32-bit time wraps around earlier. A difference other than 0 then shows
    // only that the time has advanced to another multiple of `unit`.
    return {int64_t(unit == 1 || passed.low == 0 ? passed.low : unit), kMostChange};
  }
  const V mask = V::constant(tracked.mask);
  const auto phase = [&](const V& v) {
    const V shifted = related_alu(Op::Addi, v, V::constant(0u - tracked.residue));
    return known_of(s, related_alu(Op::Andi, shifted, mask));
  };
  const V from = phase(before);
  const V to = phase(now);
  const std::optional<uint32_t> step = distance(before, now, tracked.mask);
  if (!step)
    return {int64_t{to.low} - from.high, int64_t{to.high} - from.low};
  const int64_t up = *step;
  const int64_t wrapped = up - tracked.mask - 1;
  const bool wraps = to.high < up || from.low + up > tracked.mask;
  const bool stays = to.low >= up || from.high + up <= tracked.mask;
  return {stays ? up : wrapped, wraps ? wrapped : up};
}

void Explorer::suggest(const V& value, const V& other) {
  const Term& t = value.term;
  const CellsOfNumber& slot = cells_of_number_[t.number % kNumberSlots];
  if (t.number == 0 || slot.number != t.number)
    return;
  for (const uint32_t cell : slot.cells) {
    if (cell == 0)
      continue;
    suggested_.insert({cell, cell_mask(cell), 0, {}});
    const uint32_t mask = t.mask & cell_mask(cell);
    if (mask == cell_mask(cell) || (mask & (mask + 1)) != 0 || t.right != 0 || !other.is_constant())
      continue;
    // The comparison with a constant holds for one value of the counter. That is the value at which the
    // counter starts anew, or the one before it, depending on whether the program counts before or after it
    // compares. Both are suggested as Tracked::residue.
    const uint32_t at = (other.low - t.plus) / t.factor - t.inner;
    suggested_.insert({cell, mask, at & mask, {}});
    suggested_.insert({cell, mask, (at + 1) & mask, {}});
  }
}

}  // namespace lento::tile
