// Loads and stores of the explorer. An address that is one word uses or sets that word. A range of addresses
// reads the join of its words when they form a short table, and a store to it makes all its words unknown.
// Bounds, alignment and variables are checked first.
#include <cstdlib>

#include "riscv/alu.h"
#include "tile/unit/verify/explorer_impl.h"
#include "tile/unit/ypu_map.h"

namespace lento::tile {

void Explorer::check_object(const V& computed, unsigned size, Rule rule, uint32_t pc) {
  if (objects_.empty() || (computed.is_constant() && !options_.split))
    return;
  // A split index is constant on each path, so the accesses of all paths are combined before they are
  // checked.
  V address = computed;
  if (options_.split) {
    Range& all = extents_.try_emplace(pc, Range{computed.low, computed.high}).first->second;
    all.low = address.low = std::min(all.low, computed.low);
    all.high = address.high = std::max(all.high, computed.high);
    if (all.low == all.high)
      return;
  }
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

// Returns the possible values of a load. Rejects the program when the address may be wrong.
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
    if (size < 4 && address.is_constant()) {
      const V* word = s.words.find(address.low & ~3u);
      if (word && word->initialised)
        return load_part(*word, op, address.low);
    }
    if (const auto table = load_table(s, op, address, size, pc))
      return *table;
    looked_at_ |= KnownWords::pages_of(address.low, last);
    out.initialised = s.words.initialised(address.low, last);
  } else if (
      !inside(address, size, kSoftBase, 4 * kSoftRegs) && !inside(address, size, kIoBase, 4 * kIoRegs + 4) &&
      !inside(address, size, kControlBase, kControlBytes)) {
    reject(Rule::LoadBounds, pc, "load from " + extent(address) + " may leave the map");
  }
  if (kind_ == RegionKind::Main && size == 4 && address.is_constant() && address.low == YPU_MAP_ARRIVAL)
    out.time_shift = 1;
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

V Explorer::load_part(const V& word, Op op, uint32_t address) {
  const uint32_t bits = 8 * riscv::access_size(op);
  const uint32_t shift = 8 * (address & 3);
  const uint32_t lane = (1u << bits) - 1;
  V out;
  out.zeros = ~lane | word.zeros >> shift;
  out.ones = word.ones >> shift & lane;
  out.low = out.ones;
  out.high = ~out.zeros;
  if (shift + bits == 32) {
    out.low = std::max(out.low, word.low >> shift);
    out.high = std::min(out.high, word.high >> shift);
  } else if (shift == 0 && word.high <= lane) {
    out.low = std::max(out.low, word.low);
    out.high = std::min(out.high, word.high);
  }
  const bool is_signed = op == Op::Lb || op == Op::Lh;
  if (is_signed && out.high > lane / 2)
    return out.is_constant() ? V::constant(riscv::extend(op, out.low)) : V::any();
  out = meet(V::range(out.low, out.high), out);
  if (shift != 0 || word.high > lane)
    return out;
  const V whole = load_word(address, word);  // the word holds nothing else
  out.home = whole.home;
  out.stamp = whole.stamp;
  return out;
}

// Stores a byte or half word and keeps the known bits of the rest of its word. When the rest is 0, the word
// equals the stored value.
void Explorer::store_part(
    State& s,
    const riscv::Instruction& n,
    uint32_t address,
    const V& value,
    PathCost& cost) {
  const unsigned size = riscv::access_size(n.op);
  const uint32_t at = address & ~3u;
  const V* before = s.words.find(at);
  if (before && !before->initialised) {
    if (options_.counter.address == at)
      cost.charged = PathCost::kMostCharged;
    return s.words.forget(address, address + size - 1);
  }
  const V old = before ? *before : V::any();
  const uint32_t shift = 8 * (address & 3);
  const uint32_t lane = ((1u << (8 * size)) - 1) << shift;
  if (shift == 0 && (old.zeros | lane) == UINT32_MAX && value.high <= lane)
    return store_word(s, n.rs2, at, value, cost);
  if (options_.counter.address == at)
    cost.charged = PathCost::kMostCharged;
  V kept;
  kept.zeros = (old.zeros & ~lane) | (value.zeros << shift & lane);
  kept.ones = (old.ones & ~lane) | (value.ones << shift & lane);
  kept.low = kept.ones;
  kept.high = ~kept.zeros;
  kept = meet(V::range(kept.low, kept.high), kept);
  kept.stamp = ++stamp_;
  if (address < lowest_stack_)
    changed_[(at - kDataBase) / 4] = true;
  if (s.words.shares(at))
    charge(kPageSteps, s.pc);
  s.words.set(at, kept);
}

// Stores a value at a known address.
void Explorer::store_word(State& s, unsigned from, uint32_t address, const V& value, PathCost& cost) {
  if (options_.counter.address == address)
    charge_counter(s, from, value, cost);
  if (value.time_shift > 1)
    time_words_.insert({address, 1u << (value.time_shift - 1), Counter::Kind::Window});
  if (value.time_shift == 1)
    time_words_.insert({address, 0, Counter::Kind::Elapsed});
  if (address < lowest_stack_)
    changed_[(address - kDataBase) / 4] = true;
  V kept = value;
  kept.home = kept.offset = 0;
  kept.forget_number();
  kept.time_shift = kept.since = kept.since_stamp = 0;
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

void Explorer::charge_counter(State& s, unsigned from, const V& value, PathCost& cost) {
  const Counter& counter = options_.counter;
  const V* before = s.words.find(counter.address);
  const V old = before ? *before : V::any();
  const bool repeats = in_loop_ > 0 || open_loops_ > 0;
  const bool step = before && value.home == counter.address && value.stamp == old.stamp;
  if (counter.kind == Counter::Kind::Masked)
    return charge_masked(s, from, step && !repeats ? std::optional(value.offset) : std::nullopt, value, cost);
  if (counter.kind != Counter::Kind::Value) {
    const bool is_time = counter.kind == Counter::Kind::Elapsed
                             ? value.time_shift == 1
                             : value.time_shift != 0 && counter.period == uint64_t{1}
                                                                              << (value.time_shift - 1);
    const bool kept = step && value.offset == 0;
    if (!kept && (!is_time || !s.time_is_over || repeats))
      cost.charged = PathCost::kMostCharged;
    else if (!kept)
      cost.charged -= counter.weight;
    s.time_is_over = false;
    return;
  }
  int64_t most = int64_t{value.high} - old.low;
  int64_t least = int64_t{value.low} - old.high;
  // The step is a plain addition only when it cannot wrap.
  const auto offset = int64_t{int32_t(value.offset)};
  if (step && old.low + offset >= 0 && old.high + offset <= int64_t{UINT32_MAX})
    most = least = offset;
  int64_t change = counter.weight >= 0 ? most : -least;
  if (repeats)
    change = std::max<int64_t>(change, 0);
  add_charge(cost, std::abs(counter.weight), change);
}

void Explorer::add_charge(PathCost& cost, int64_t amount, int64_t change) {
  if (change > 0 && amount > PathCost::kMostCharged / change)
    cost.charged = PathCost::kMostCharged;
  else
    cost.charged = std::min(cost.charged + amount * change, PathCost::kMostCharged);
}

// Adds the cost of a step of ((word - residue) & mask). The potential rises by the step unless the masked
// value wraps, which a later branch may show (learn_of_counter).
void Explorer::charge_masked(
    State& s,
    unsigned from,
    const std::optional<uint32_t>& step,
    const V& value,
    PathCost& cost) {
  const Counter& counter = options_.counter;
  s.open_number = 0;
  if (!step || *step > counter.mask)
    return add_charge(cost, counter.weight, counter.mask);
  add_charge(cost, counter.weight, *step);
  if (*step == 0)
    return;
  if (((value.zeros | value.ones) & counter.mask) == counter.mask) {
    if (((value.ones - counter.residue) & counter.mask) < *step)
      add_charge(cost, counter.weight, -int64_t{counter.mask} - 1);
    return;
  }
  if (*step != 1 || from == 0)
    return;
  V& source = s.x[from];
  if (source.by != 0 || source.mask != UINT32_MAX)
    source.forget_number();
  name(source);
  s.open_number = source.id;
  s.open_plus = source.plus;
}

bool Explorer::is_counter_word(const State& s, const V& v) const {
  const V* word = s.words.find(options_.counter.address);
  const uint32_t stamp = word ? word->stamp : 0;
  return v.home == options_.counter.address && v.offset == 0 && v.stamp == stamp && stamp != V::kManyStamps;
}

void Explorer::learn_of_counter(State& s, const TileOp& op, bool differs, PathCost& cost) {
  const Counter& counter = options_.counter;
  if (counter.address == 0)
    return;
  if (counter.kind == Counter::Kind::Window && differs) {
    for (const auto& [time, word] : {std::pair{op.base.rs1, op.base.rs2}, {op.base.rs2, op.base.rs1}}) {
      const uint32_t shift = s.x[time].time_shift;
      s.time_is_over |=
          shift != 0 && counter.period == uint64_t{1} << (shift - 1) && is_counter_word(s, s.x[word]);
    }
  }
  for (const V& v : s.x) {
    if (counter.kind == Counter::Kind::Elapsed) {
      const V* word = s.words.find(counter.address);
      const uint32_t stamp = word ? word->stamp : 0;
      const bool is_distance =
          v.since == counter.address && v.since_stamp == stamp && stamp != V::kManyStamps;
      s.time_is_over |= is_distance && v.low >= counter.period;
      if (is_distance && v.low > 1 && time_words_.size() < kMostCompared)
        time_words_.insert({v.since, v.low, Counter::Kind::Elapsed});
    }
    if (s.open_number == 0 || v.id != s.open_number || v.plus != 0 ||
        (v.mask & counter.mask) != counter.mask || (uint64_t{counter.mask} << v.by) > UINT32_MAX)
      continue;
    const uint32_t ones = v.ones >> v.by & counter.mask;
    const uint32_t zeros = v.zeros >> v.by & counter.mask;
    if ((ones | zeros) != counter.mask)
      continue;
    s.open_number = 0;
    if (((ones + s.open_plus) & counter.mask) == counter.residue)
      add_charge(cost, counter.weight, -int64_t{counter.mask} - 1);
  }
}

// Follows a store instruction. Rejects the program when the address may be wrong.
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
    if (address.is_constant() && size < 4)
      return store_part(s, n, address.low, value, cost);
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
