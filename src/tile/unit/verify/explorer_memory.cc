// Loads and stores of the explorer. An address that is one cell uses or sets that cell. A range of addresses
// reads the join of its cells when they form a short table, and a store to it is joined with what each of
// them held. Cells of a longer range become unknown. Bounds, alignment and variables are checked first.

#include "riscv/alu.h"
#include "tile/unit/verify/explorer_impl.h"
#include "tile/unit/ypu_map.h"

namespace lento::tile {

void Explorer::check_object(const V& address, unsigned size, Rule rule, uint32_t pc) {
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

std::vector<uint32_t> Explorer::cells_of(const V& address, unsigned size) {
  const int known = std::min(std::countr_one(address.zeros | address.ones), 16);
  int64_t distance = int64_t{1} << known;
  int64_t rest = address.ones & (distance - 1);
  if (address.id != 0 && address.factor > distance) {
    distance = address.factor;
    rest = int32_t(address.plus) % distance;
  }
  int64_t reach = 0;
  if (address.modulus > distance) {
    distance = address.modulus;
    rest = int32_t(address.residue) % distance;
    reach = address.reach;
  }
  std::vector<uint32_t> out;
  const int64_t first = (int64_t{address.low} - rest) / distance - 1;
  for (int64_t at = first * distance + rest; at <= address.high; at += distance) {
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

V Explorer::extended(const V& value, Op op) {
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

std::optional<V> Explorer::load_table(const State& s, Op op, const V& address, uint32_t pc) {
  const std::vector<uint32_t> cells = cells_of(address, riscv::access_size(op));
  charge(cells.size() / kWordsAStep, pc);
  std::optional<V> out;
  for (const uint32_t cell : cells) {
    const std::optional<V> one = s.words.cell(cell);
    if (!one || !one->initialised)
      return std::nullopt;
    out = out ? join(*out, extended(*one, op)) : extended(*one, op);
  }
  if (!out)
    return std::nullopt;
  out->home = out->stamp = out->offset = 0;
  out->forget_number();
  return out;
}

// Returns the value that a load of the cell puts into a register. The value names the cell as its home
// (AbstractValue), so that a branch on the register narrows the cell too.
V Explorer::load_cell(State& s, uint32_t cell, V value) {
  if (cell_size(cell) < 4 && !value.is_constant() && !s.words.find_cell(cell)) {
    if (s.words.shares(cell_address(cell)))
      charge(kPageSteps, s.pc);
    value.stamp = ++stamp_;
    s.words.narrow_cell(cell, value);
  }
  const bool own = s.words.find_cell(cell) && value.stamp != V::kManyStamps && value.initialised;
  value.home = own ? cell : 0;
  value.offset = 0;
  return value;
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
    const uint32_t cell = cell_of(address.low, size);
    const V* word = size == 4 && address.is_constant() ? s.words.find(address.low) : nullptr;
    const std::optional<V> known = word                    ? std::optional(*word)
                                   : address.is_constant() ? s.words.cell(cell)
                                                           : std::nullopt;
    if (known)
      return extended(load_cell(s, cell, *known), op);
    if (const auto table = load_table(s, op, address, pc))
      return *table;
    looked_at_ |= KnownWords::pages_of(address.low, last);
    out.initialised = s.words.initialised(address.low, last);
    if (address.is_constant() && out.initialised) {
      charge(s.words.shares(address.low) ? kPageSteps : 1, pc);
      s.words.set_cell(cell, V::range(0, cell_lane(cell)), ++stamp_);
      return extended(load_cell(s, cell, *s.words.cell(cell)), op);
    }
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

// Stores a value to one cell.
void Explorer::store_cell(State& s, unsigned from, uint32_t cell, const V& value, PathCost& cost) {
  const uint32_t address = cell_address(cell);
  const bool whole = value.high <= cell_lane(cell);
  if (options_.counter.cell == cell)
    charge_time(s, value, cost);
  const V* word = s.words.find(address & ~3u);
  if (cell_size(cell) < 4 && word && !word->initialised)
    return s.words.forget(address, address + cell_size(cell) - 1);
  if (value.time_shift != 0 && cell_size(cell) == 4 && time_words_.size() < kMostTimeWords)
    time_words_.insert({cell, 0, value.time_shift, value.time_plus});
  if (address < lowest_stack_)
    changed_.insert(cell);
  V kept = value;
  if (!whole) {
    const V lane = V::constant(cell_lane(cell));
    if (kept.id != 0 && !can_relate(Op::Andi, kept, lane)) {
      renumber(kept);
      if (s.x[from].same_number(value))
        s.x[from] = kept;
    }
    const V low = abstract_alu(Op::Andi, kept, lane);
    const V number = kept;
    kept = low;
    relate(Op::Andi, number, lane, kept);
  }
  kept.home = kept.offset = kept.modulus = 0;
  kept.forget_time();
  if (s.words.shares(address))
    charge(kPageSteps, s.pc);
  s.words.set_cell(cell, kept, ++stamp_);
  if (from == 0 || !value.initialised || !whole)
    return;
  V& source = s.x[from];
  source.home = cell;
  source.stamp = stamp_;
  source.offset = 0;
}

void Explorer::store_table(State& s, const riscv::Instruction& n, const V& address, const V& value) {
  const unsigned size = riscv::access_size(n.op);
  const std::vector<uint32_t> cells = cells_of(address, size);
  if (cells.empty())
    return s.words.forget(address.low, address.high + size - 1);
  for (const uint32_t cell : cells) {
    charge(s.words.shares(cell_address(cell)) ? kPageSteps : 1, s.pc);
    const std::optional<V> old = s.words.cell(cell);
    if (!old || !old->initialised) {
      s.words.forget(cell_address(cell), cell_address(cell) + size - 1);
      continue;
    }
    V kept = join(*old, abstract_alu(Op::Andi, value, V::constant(cell_lane(cell))));
    kept.home = kept.offset = 0;
    kept.forget_number();
    kept.forget_time();
    s.words.set_cell(cell, kept, ++stamp_);
  }
}

V Explorer::low_bits(const V& v) const {
  const V mask = V::constant(options_.counter.mask);
  V out = abstract_alu(Op::Andi, v, mask);
  relate(Op::Andi, v, mask, out);
  return out;
}

void Explorer::begin_counter(State& s) {
  const uint32_t cell = options_.counter.cell;
  if (cell == 0)
    return;
  const std::optional<V> known = s.words.cell(cell);
  V v = known.value_or(V::range(0, cell_lane(cell)));
  if (v.id == 0 && !v.is_constant()) {
    name(v);
    if (!s.words.find_cell(cell))
      s.words.set_cell(cell, v, v.stamp = ++stamp_);
    else if (known)
      s.words.narrow_cell(cell, v);
  }
  s.ghosts = {v, low_bits(v)};
}

// Updates State::ghosts after a store to the counter's cell: ghosts[1] becomes the low bits of the new value,
// and ghosts[0], the value at the last charge, stays. A new value that is an unknown number plus a constant
// becomes an unknown number of its own, because relate() can express the mask of a number only without an
// addend.
void Explorer::follow_counter(State& s) {
  V v = s.ghosts[0];
  begin_counter(s);
  std::swap(v, s.ghosts[0]);
  const V mask = V::constant(options_.counter.mask);
  if (v.id == 0 || can_relate(Op::Andi, v, mask))
    return;
  const V old = v;
  renumber(v);
  for (V& x : s.x) {
    if (x.same_number(old)) {
      x.id = v.id;
      x.factor = 1;
      x.mask = UINT32_MAX;
      x.plus = 0;
    }
  }
  if (s.words.find_cell(options_.counter.cell))
    s.words.narrow_cell(options_.counter.cell, v);
  s.ghosts[1] = low_bits(v);
}

// Narrows the counter's value at the last charge (ghosts[0]) when `known` is a mask of that value plus a
// constant, such as the low 16 bits of x + 1.
void Explorer::reflect_origin(State& s, const V& known) const {
  const auto at = origins_.find(known.id);
  V& before = s.ghosts[0];
  if (at == origins_.end() || known.factor != 1 || known.plus != 0 || before.id != at->second.first ||
      before.factor != 1 || before.mask != UINT32_MAX || before.plus != 0)
    return;
  const V made = abstract_alu(Op::Add, before, V::constant(at->second.second));
  if ((made.zeros | known.mask) != UINT32_MAX)
    return;
  const V sharper =
      meet(before, abstract_alu(Op::Add, meet(made, known), V::constant(0u - at->second.second)));
  before = sharper.empty() ? before : sharper;
}

std::optional<uint32_t> Explorer::distance_of(const V& from, const V& to, uint32_t mask) const {
  std::array<std::pair<uint32_t, uint32_t>, 2> roots;  // number and what is added
  for (size_t i = 0; i < 2; ++i) {
    const V& v = i == 0 ? from : to;
    if (v.id == 0 || v.factor != 1 || (mask & ~v.mask) != 0 || (v.mask & (v.mask + 1)) != 0)
      return std::nullopt;
    roots[i] = {v.id, v.plus};
    for (auto at = origins_.find(v.id); at != origins_.end(); at = origins_.find(at->second.first)) {
      roots[i].first = at->second.first;
      roots[i].second += at->second.second;
    }
  }
  if (roots[0].first != roots[1].first)
    return std::nullopt;
  return (roots[1].second - roots[0].second) & mask;
}

void Explorer::charge_counter(State& s, PathCost& cost) {
  const Counter& counter = options_.counter;
  if (counter.cell == 0 || counter.kind != Counter::Kind::Count)
    return;
  const std::optional<uint32_t> step = distance_of(s.ghosts[0], s.ghosts[1], counter.mask);
  if (step == 0)
    return;
  const auto shifted = [&](const V& low) {
    return low_bits(abstract_alu(Op::Add, low, V::constant(0u - counter.residue)));
  };
  const V before = shifted(low_bits(s.ghosts[0]));
  const V now = shifted(s.ghosts[1]);
  int64_t most = int64_t{now.high} - before.low;
  int64_t least = int64_t{now.low} - before.high;
  if (step) {
    const int64_t up = *step;
    const int64_t wrapped = up - counter.mask - 1;
    const bool wraps = now.high < up || before.low + up > counter.mask;
    const bool stays = now.low >= up || before.high + up <= counter.mask;
    least = stays ? up : wrapped;
    most = wraps ? wrapped : up;
  }
  int64_t change = counter.weight >= 0 ? most : -least;
  if (in_loop_ > 0 || open_loops_ > 0)
    change = std::max<int64_t>(change, 0);
  add_charge(cost, std::abs(counter.weight), change);
  begin_counter(s);
}

// Charges a store to the counter's cell under Counter::Kind::Window or Elapsed. On a path that has shown that
// the period is over, a store of the arrival time in the counter's form lowers the cost by the weight. Any
// other store that changes the cell makes the cost unbounded.
void Explorer::charge_time(State& s, const V& value, PathCost& cost) const {
  const Counter& counter = options_.counter;
  if (counter.kind == Counter::Kind::Count)
    return;
  const bool is_time = value.time_shift == counter.form && value.time_plus == counter.ahead;
  const bool kept = value.offset == 0 && is_counter_cell(s, value.home, value.stamp);
  const bool repeats = in_loop_ > 0 || open_loops_ > 0;
  if (!kept && (!is_time || !s.time_is_over || repeats))
    cost.charged = PathCost::kMostCharged;
  else if (!kept)
    cost.charged -= counter.weight;
  s.time_is_over = false;
}

void Explorer::add_charge(PathCost& cost, int64_t amount, int64_t change) {
  if (change > 0 && amount > PathCost::kMostCharged / change)
    cost.charged = PathCost::kMostCharged;
  else
    cost.charged = std::min(cost.charged + amount * change, PathCost::kMostCharged);
}

bool Explorer::is_counter_cell(const State& s, uint32_t cell, uint32_t stamp) const {
  const V* own = s.words.find_cell(options_.counter.cell);
  return cell == options_.counter.cell && stamp == (own ? own->stamp : 0) && stamp != V::kManyStamps;
}

void Explorer::learn_of_time(State& s, const TileOp& op, bool differs) {
  const Counter& counter = options_.counter;
  if (counter.cell == 0 || counter.kind == Counter::Kind::Count)
    return;
  if (counter.kind == Counter::Kind::Window && differs) {
    for (const auto& [time, word] : {std::pair{op.base.rs1, op.base.rs2}, {op.base.rs2, op.base.rs1}}) {
      s.time_is_over |= s.x[time].time_shift == counter.form && s.x[word].offset == 0 &&
                        is_counter_cell(s, s.x[word].home, s.x[word].stamp);
    }
  }
  if (counter.kind != Counter::Kind::Elapsed)
    return;
  for (const V& v : s.x) {
    if (v.since == 0 || !is_counter_cell(s, v.since, v.since_stamp))
      continue;
    const V elapsed = abstract_alu(Op::Add, v, V::constant(counter.ahead - v.time_plus));
    s.time_is_over |= elapsed.low >= counter.period;
    if (elapsed.low > 1 && time_words_.size() < kMostTimeWords)
      time_words_.insert({v.since, elapsed.low, counter.form, counter.ahead});
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
  const bool constant = scratchpad && address.is_constant();
  const bool saves = constant && size == 4 && may_save && n.rs1 == 2;
  const V value = saves ? s.x[n.rs2] : read(s, n.rs2, pc);
  if (scratchpad && open_loops_ > 0)
    stored_.push_back({address.low, address.high + size - 1});
  if (scratchpad) {
    const uint32_t last = address.high + size - 1;
    const Counter& counter = options_.counter;
    const uint32_t cell = cell_of(address.low, size);
    const bool of_counter = counter.cell != 0 && cell_address(counter.cell) <= last &&
                            cell_address(counter.cell) + cell_size(counter.cell) > address.low;
    charge(KnownWords::pages_between(address.low, last) / kWordsAStep, pc);
    if (of_counter)
      charge_counter(s, cost);
    if (of_counter && counter.kind != Counter::Kind::Count && (!constant || cell != counter.cell))
      cost.charged = PathCost::kMostCharged;
    if (constant)
      store_cell(s, n.rs2, cell, value, cost);
    else
      store_table(s, n, address, value);
    if (of_counter)
      follow_counter(s);
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
