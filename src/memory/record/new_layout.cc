// Maps an access to the line that it would use with words padded or copied. Moved words get keys of their own
// above those of all addresses, so that they share a line with no other data. Copies and the words of one
// user take as much of a cache as before, at the same sets. A word that several use takes the place of its
// old line, as a real layout would not spread words over so many lines.
#include "memory/record/new_layout.h"

namespace lento::memory {

uint64_t NewLayout::line_key(uint16_t process, size_t index, uint64_t address) const {
  constexpr uint64_t kCopies = uint64_t{1} << 61;
  constexpr uint64_t kOwned = uint64_t{1} << 60;
  for (const Relayout& r : relayouts_) {
    const bool moves = r.kind == Relayout::Kind::Pad || r.kind == Relayout::Kind::Private;
    if (!moves || address < r.low || address >= r.high)
      continue;
    const size_t word = (address - r.low) / kUserWord;
    const bool has_user = r.kind == Relayout::Kind::Pad && r.users && word < r.users->size();
    if (has_user && (*r.users)[word] != UINT32_MAX)
      return kOwned | uint64_t{(*r.users)[word] & 0xffffU} << 44 | (address / line_bytes_ & 0xfffffffffff);
    if (r.kind == Relayout::Kind::Pad)
      return ReplayMachine::kMovedLine | uint64_t{process & 0xfffU} << 48 | address;
    return kCopies | index << 44 | (address / line_bytes_ & 0xfffffffffff);
  }
  return old_line(process, address);
}

// Processes have separate memory at equal addresses, so the number of the process is part of the key.
uint64_t NewLayout::old_line(uint16_t process, uint64_t address) const {
  return uint64_t{process} << 44 | address / line_bytes_;
}

std::pair<uint32_t, uint64_t> NewLayout::lock_key(uint32_t process, size_t index, uint64_t address) const {
  for (const Relayout& r : relayouts_) {
    if (r.kind == Relayout::Kind::Private && address >= r.low && address < r.high)
      return {process, address | uint64_t{index + 1} << 48};
  }
  return {process, address};
}

// Returns the effects of the new layout on accesses to an address.
ReplayMachine::Hints NewLayout::hints(uint16_t process, uint64_t address) const {
  ReplayMachine::Hints hints;
  hints.place = old_line(process, address);
  for (const Relayout& r : relayouts_) {
    if (address < r.low || address >= r.high)
      continue;
    hints.copied |= r.kind == Relayout::Kind::Private;
    hints.local |= r.kind == Relayout::Kind::Local;
    hints.huge |= r.kind == Relayout::Kind::Huge;
    hints.second |= r.kind == Relayout::Kind::Second;
    hints.fits |= r.kind == Relayout::Kind::Fits;
  }
  return hints;
}

}  // namespace lento::memory
