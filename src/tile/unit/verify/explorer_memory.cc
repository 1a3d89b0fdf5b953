// Loads and stores of the explorer. An address that is one word uses or sets that word. A range of addresses
// reads the join of its words when they form a short table, and a store to it makes all its words unknown.
// Bounds, alignment and variables are checked first.
#include <cstdlib>

#include "riscv/alu.h"
#include "tile/unit/verify/explorer_impl.h"

namespace lento::tile {

void Explorer::check_object(const V& address, unsigned size, Rule rule, uint32_t pc) const {
  if (objects_.empty() || address.is_constant())
    return;
  const auto next = std::ranges::upper_bound(objects_, address.low, {}, &DataObject::low);
  if (next == objects_.begin())
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

std::optional<V> Explorer::load_table(const State& s, Op op, const V& address, unsigned size, uint32_t pc) {
  if ((address.high - address.low) / size >= kMostTable)
    return std::nullopt;
  charge((address.high - address.low) / size / kWordsAStep, pc);
  std::optional<V> out;
  for (uint32_t at = address.low; at <= address.high; at += size) {
    const V* word = s.words.find(at & ~3u);
    if (!word || !word->initialised || (size < 4 && !word->is_constant()))
      return std::nullopt;
    const uint32_t raw = word->low >> (8 * (at & 3));
    const V one = size == 4 ? *word : V::constant(riscv::extend(op, raw & ((1u << (8 * size)) - 1)));
    out = out ? join(*out, one) : one;
  }
  out->home = out->stamp = out->offset = 0;
  return out;
}

V Explorer::load(State& s, Op op, const V& address, uint32_t pc) {
  const unsigned size = riscv::access_size(op);
  if (!aligned(address, size))
    reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may be misaligned");
  V out;
  if (inside(address, size, kDataBase, kDataBytes)) {
    check_object(address, size, Rule::LoadBounds, pc);
    const uint32_t last = address.high + size - 1;
    charge(KnownWords::pages_between(address.low, last) / kWordsAStep, pc);
    const V* known = size == 4 && address.is_constant() ? s.words.find(address.low) : nullptr;
    if (known)
      return load_word(address.low, *known);
    if (const auto table = load_table(s, op, address, size, pc))
      return *table;
    looked_at_ |= KnownWords::pages_of(address.low, last);
    out.initialised = s.words.initialised(address.low, last);
  } else if (
      !inside(address, size, kSoftBase, 4 * kSoftRegs) && !inside(address, size, kIoBase, 4 * kIoRegs + 4) &&
      !inside(address, size, kControlBase, kControlBytes)) {
    reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may leave the map");
  }
  if (op == Op::Lbu) {
    out.high = 255;
    out.zeros = ~255u;
  }
  if (op == Op::Lhu) {
    out.high = 65535;
    out.zeros = ~65535u;
  }
  return out;
}

void Explorer::store_word(State& s, unsigned from, uint32_t address, const V& value, PathCost& cost) {
  if (options_.counter.address == address)
    charge_counter(s, value, cost);
  if (address < lowest_stack_)
    changed_[(address - kDataBase) / 4] = true;
  V kept = value;
  kept.home = kept.offset = 0;
  kept.forget_number();
  kept.stamp = ++stamp_;
  if (s.words.shares(address))
    charge(kPageSteps, s.pc);
  s.words.set(address, kept);
  if (from == 0 || !value.initialised)
    return;
  V& source = s.x[from];
  source.home = address;
  source.stamp = kept.stamp;
  source.offset = 0;
}

void Explorer::charge_counter(const State& s, const V& value, PathCost& cost) const {
  const V* before = s.words.find(options_.counter.address);
  const int64_t weight = options_.counter.weight;
  const V old = before ? *before : V::any();
  const bool step = before && value.home == options_.counter.address && value.stamp == old.stamp;
  int64_t most = int64_t{value.high} - old.low;
  int64_t least = int64_t{value.low} - old.high;
  if (step)
    most = least = int32_t(value.offset);
  int64_t change = weight >= 0 ? most : -least;
  if (in_loop_ > 0 || open_loops_ > 0)
    change = std::max<int64_t>(change, 0);
  const int64_t amount = std::abs(weight);
  if (change > 0 && amount > PathCost::kMostCharged / change)
    cost.charged = PathCost::kMostCharged;
  else
    cost.charged = std::min(cost.charged + amount * change, PathCost::kMostCharged);
}

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
  const bool word = scratchpad && size == 4 && address.is_constant();
  const V value = word && may_save && n.rs1 == 2 ? s.x[n.rs2] : read(s, n.rs2, pc);
  if (scratchpad && open_loops_ > 0)
    stored_.push_back({address.low, address.high + size - 1});
  if (word) {
    store_word(s, n.rs2, address.low, value, cost);
  } else if (scratchpad) {
    const uint32_t last = address.high + size - 1;
    charge(KnownWords::pages_between(address.low, last) / kWordsAStep, pc);
    if (options_.counter.address + 3 >= address.low && options_.counter.address <= last)
      cost.charged = PathCost::kMostCharged;
    s.words.forget(address.low, last);
  } else if (inside(address, size, kFifoBase, 0x1000)) {
    put_out(cost, size);
  } else if (size == 4 && inside(address, size, kSoftBase, 4 * kSoftRegs)) {
    if (image_.soft_logic.empty())
      reject(Rule::Taint, pc, "a store to the soft-logic registers, but the image has no soft logic");
  } else {
    reject(Rule::StoreBounds, pc, "store to " + extent(address) + " may leave what is writable");
  }
}

}  // namespace lento::tile
