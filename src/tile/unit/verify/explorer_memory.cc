// Loads and stores of the explorer. A constant address loads or stores one cell. A load from an address with
// several possible values returns the join of their cells, and a store there joins its value with that of
// each cell, when they are at most kMostTable. With more cells, a load returns any value, and a store makes
// the whole range unknown. Bounds, alignment and variables (check_object) are checked first.
#include "riscv/alu.h"
#include "tile/unit/verify/explorer_impl.h"
#include "tile/unit/ypu_map.h"

namespace lento::tile {
namespace {

// Returns what the load `op` writes to its register, given the zero-extended value of the cell: lb and lh
// extend the sign.
V extended(const V& value, Op op) {
  const uint32_t lane = riscv::access_size(op) == 1 ? 0xff : 0xffff;
  if ((op != Op::Lb && op != Op::Lh) || value.high <= lane / 2)
    return value;
  if (value.is_constant())
    return V::constant(riscv::extend(op, value.low));
  V out;
  out.least = -int32_t(lane / 2) - 1;
  out.most = int32_t(lane / 2);
  return meet(out, V::any());
}

// Returns the value of a cell after a store of `value` to it: the low bits that fit into the cell.
V stored(const V& value, uint32_t cell) {
  V kept = related_alu(Op::Andi, value, V::constant(cell_mask(cell)));
  kept.initialised = value.initialised;
  kept.modulus = kept.residue = kept.reach = 0;
  return kept;
}

}  // namespace

void Explorer::check_object(const V& address, unsigned size, Rule rule, uint32_t pc) {
  if (program_.objects.empty() || address.is_constant())
    return;
  const auto next = std::ranges::upper_bound(program_.objects, address.low, {}, &DataObject::low);
  if (next == program_.objects.begin())
    return;
  const DataObject& object = *std::prev(next);
  const uint64_t end = uint64_t{object.low} + object.bytes;
  const uint64_t last = uint64_t{address.high} + size;
  if (address.low >= end || last <= end)
    return;
  reject(
      rule,
      pc,
      (rule == Rule::LoadBounds ? "load from bytes " : "store to bytes ") +
          std::to_string(address.low - object.low) + ".." + std::to_string(last - 1 - object.low) + " of '" +
          object.name + "', which has " + std::to_string(object.bytes));
}

std::vector<uint32_t> Explorer::cells_of(const V& address, unsigned size) {
  const int known = std::min(std::countr_one(address.zeros | address.ones), 16);
  const bool congruent = address.modulus > 1u << known;
  const int64_t modulus = congruent ? address.modulus : 1u << known;
  const int64_t residue =
      congruent ? int32_t(address.residue) % modulus : int64_t{address.ones & ((1u << known) - 1)};
  const int64_t reach = congruent ? address.reach : 0;
  if ((int64_t{address.high} - address.low) / modulus * std::max<int64_t>(reach / size, 1) > kMostTable)
    return {};
  std::vector<uint32_t> out;
  for (int64_t at = ((int64_t{address.low} - residue) / modulus - 1) * modulus + residue; at <= address.high;
       at += modulus) {
    for (int64_t one = (at + size - 1) & ~int64_t{size - 1};
         one <= std::min<int64_t>(at + reach, address.high);
         one += size) {
      if (one < address.low)
        continue;
      if (out.size() == kMostTable)
        return {};
      out.push_back(cell_of(uint32_t(one), size));
    }
  }
  return out;
}

// Returns the value of a cell. A value that is not constant and has no term gets one (name), which the cell
// keeps unless it overlaps other cells, so that a branch on the register that is loaded narrows the cell too.
V Explorer::load_cell(State& s, uint32_t cell) {
  V value = s.words.value(cell);
  if (value.is_constant() || !value.initialised)
    return value;
  if (value.term.number == 0) {
    name(value);
    if (s.words.find(cell) || s.words.is_free(cell))
      set_cell(s, cell, value);
  }
  note_cell(value.term.number, cell);
  return value;
}

// Returns the possible values of the load `op`. Rejects the program when the address may be misaligned,
// outside the readable addresses, or outside its variable (check_object).
V Explorer::load(State& s, Op op, const V& address, uint32_t pc) {
  const unsigned size = riscv::access_size(op);
  if (!aligned(address, size))
    reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may be misaligned");
  const uint32_t last = address.high + size - 1;
  const bool extends = op == Op::Lbu || op == Op::Lhu;
  V out = V::range(0, extends ? cell_mask(cell_of(0, size)) : UINT32_MAX);
  if (inside(address, size, kDataBase, kDataBytes)) {
    check_object(address, size, Rule::LoadBounds, pc);
    charge(Scratchpad::pages_between(address.low, last) / kPagesPerStep, pc);
    if (!address.is_constant() || s.words.is_free(cell_of(address.low, size)))
      looked_at_ |= Scratchpad::pages_of(address.low, last);
    if (address.is_constant())
      return extended(load_cell(s, cell_of(address.low, size)), op);
    out.initialised = s.words.initialised(address.low, last);
    std::optional<V> joined;
    for (const uint32_t cell : cells_of(address, size)) {
      const V one = extended(s.words.value(cell), op);
      joined = joined ? join(*joined, one) : one;
    }
    if (joined && out.initialised)
      out = *joined;
    out.term = {};
    return out;
  }
  if (!inside(address, size, kSoftBase, 4 * kSoftRegs) && !inside(address, size, kIoBase, 4 * kIoRegs + 4) &&
      !inside(address, size, kControlBase, kControlBytes))
    reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may leave the map");
  const bool is_arrival = address.is_constant() && address.low == YPU_MAP_ARRIVAL && size == 4;
  if (is_arrival && kind_ == RegionKind::Main && !s.streamed)
    out.term = {kArrivalNumber};
  return out;
}

// Stores register `from` to one cell. A word that gets an arrival time is suggested as a clock to track
// (Tracked).
void Explorer::store_cell(State& s, unsigned from, uint32_t cell) {
  if (s.x[from].initialised)
    name(s.x[from]);
  const V value = stored(s.x[from], cell);
  if (cell_address(cell) < lowest_stack_)
    changed_.insert(cell);
  set_cell(s, cell, value);
  note_cell(value.term.number, cell);
  if (value.term.number == kArrivalNumber && cell_size(cell) == 4)
    suggested_.insert({cell, 0, 0, value.term});
}

// Executes a store of register n.rs2 (explorer_impl.h). Rejects the program when the address may be
// misaligned, outside the writable addresses, or outside its variable (check_object). A store to the FIFO
// window adds its bytes to `cost`.
void Explorer::store(
    State& s,
    const riscv::Instruction& n,
    const V& address,
    uint32_t pc,
    PathCost& cost,
    bool may_save) {
  const unsigned size = riscv::access_size(n.op);
  if (!aligned(address, size))
    reject(Rule::StoreBounds, pc, "store to " + extent(address) + " may be misaligned");
  const bool scratchpad = inside(address, size, kDataBase, kDataBytes);
  if (scratchpad)
    check_object(address, size, Rule::StoreBounds, pc);
  const bool saves = scratchpad && address.is_constant() && size == 4 && may_save && n.rs1 == 2;
  if (!saves)
    read(s, n.rs2, pc);
  if (scratchpad) {
    const uint32_t last = address.high + size - 1;
    if (open_loops_ > 0)
      stored_.push_back({address.low, last});
    charge(Scratchpad::pages_between(address.low, last) / kPagesPerStep, pc);
    if (address.is_constant())
      return store_cell(s, n.rs2, cell_of(address.low, size));
    const std::vector<uint32_t> cells = cells_of(address, size);
    if (cells.empty())
      return s.words.forget(address.low, last);
    for (const uint32_t cell : cells) {
      V kept = join(s.words.value(cell), stored(s.x[n.rs2], cell));
      kept.term = {};
      set_cell(s, cell, kept);
    }
  } else if (inside(address, size, kFifoBase, 0x1000)) {
    cost.add_bytes(size);
  } else if (size == 4 && inside(address, size, kSoftBase, 4 * kSoftRegs)) {
    if (program_.image.soft_logic.empty())
      reject(Rule::Taint, pc, "a store to the soft-logic registers, but the image has no soft logic");
  } else {
    reject(Rule::StoreBounds, pc, "store to " + extent(address) + " may leave what is writable");
  }
}

}  // namespace lento::tile
