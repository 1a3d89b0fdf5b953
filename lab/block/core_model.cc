// The timing of the out-of-order core: fetch, dispatch, issue, commit, and the charge for each cycle.
#include "lab/block/core_model.h"

#include <algorithm>

#include "base/error.h"

namespace lento::tile {

using riscv::Op;

namespace {
constexpr size_t kHorizon = 1 << 16;  // cycles ahead for which issue slots are kept
}

std::string event_names(uint16_t signature) {
  static constexpr std::string_view kNames[] = {
      "instruction miss",
      "instruction page",
      "data miss",
      "data page",
      "L2 miss",
      "queue full",
      "mispredicted",
      "exception",
      "ordering"};
  std::string out;
  for (unsigned i = 0; i < std::size(kNames); ++i) {
    if (signature >> i & 1)
      out += (out.empty() ? "" : ", ") + std::string(kNames[i]);
  }
  if (out.empty())
    return "base";
  return out;
}

std::vector<CycleStacks::Bar> CycleStacks::bars() const {
  std::unordered_map<uint32_t, Bar> by_pc;
  for (const auto& [key, parts] : parts_) {
    Bar& bar = by_pc[uint32_t(key >> 16)];
    bar.pc = uint32_t(key >> 16);
    bar.parts += parts;
    bar.causes.emplace_back(uint16_t(key), parts);
  }
  std::vector<Bar> out;
  for (auto& [pc, bar] : by_pc) {
    std::ranges::sort(bar.causes, [](const auto& a, const auto& b) {
      if (a.second != b.second)
        return a.second > b.second;
      return a.first < b.first;
    });
    out.push_back(std::move(bar));
  }
  std::ranges::sort(out, [](const Bar& a, const Bar& b) {
    if (a.parts != b.parts)
      return a.parts > b.parts;
    return a.pc < b.pc;
  });
  return out;
}

CoreModel::CoreModel(const riscv::ElfImage& program, const CoreShape& shape)
    : shape_(shape),
      machine_(riscv::Extensions{true, false, false}),
      memory_(shape.memory),
      slots_(kHorizon) {
  machine_.load(program);
}

// Fetches the next instruction of the right path, with its cost in the front end.
bool CoreModel::fetch() {
  if (next_)
    return true;
  if (machine_.tohost())
    return false;
  Fetched f;
  riscv::Hart& hart = machine_.hart();
  f.pc = hart.pc;
  uint32_t word = 0;
  if (!machine_.memory().read(f.pc, 4, word))
    throw base::Error({}, "the program leaves its code");
  f.op = riscv::decode(word, {true, false, false});
  f.address = hart.x[f.op.rs1] + uint32_t(f.op.imm);
  machine_.run(1);
  if (hart.mcause != 0 || hart.mepc != 0)
    throw base::Error({}, "the program traps; it must be RV32IM without a trap handler");
  f.next = hart.pc;
  if (const uint32_t line = f.pc / shape_.memory.line_bytes; line != fetched_line_) {
    fetched_line_ = line;
    const CoreMemory::Answer answer = memory_.fetch(f.pc, std::max(now_, front_ready_));
    front_ready_ = answer.ready;
    f.events = uint16_t(
        (answer.l1_miss ? kInstructionMiss : 0) | (answer.tlb_miss ? kInstructionPage : 0) |
        (answer.l2_miss ? kLastLevelMiss : 0));
  }
  next_ = f;
  return true;
}

bool CoreModel::predicted(const Fetched& f) {
  if (riscv::is_branch(f.op.op))
    return predictor_.conditional(f.pc, f.next != f.pc + 4);
  if (f.op.rd == 1 && riscv::is_jump(f.op.op))
    predictor_.call(f.pc + 4);
  if (f.op.op != Op::Jalr)
    return true;
  if (f.op.rs1 == 1 && f.op.rd == 0)
    return predictor_.is_return_to(f.next);
  return predictor_.indirect(f.pc, f.next);
}

bool CoreModel::queue_is_full(const riscv::Instruction& op) {
  while (!loads_.empty() && loads_.front() <= now_)
    loads_.pop_front();
  while (!stores_.empty() && stores_.front().written <= now_)
    stores_.pop_front(), --committed_stores_;
  return (riscv::is_load(op.op) && loads_.size() >= shape_.loads) ||
         (riscv::is_store(op.op) && stores_.size() >= shape_.stores);
}

// Returns the first cycle from `ready` on with a free issue slot, and takes the slot.
uint64_t CoreModel::issue(uint64_t ready, bool memory) {
  for (uint64_t at = std::max(ready, now_ + 1);; ++at) {
    Slots& s = slots_[at % kHorizon];
    if (s.cycle != at)
      s = {at, 0, 0};
    if (s.all >= shape_.width || (memory && s.memory >= shape_.memory_ports))
      continue;
    ++s.all, s.memory += memory;
    return at;
  }
}

uint64_t CoreModel::load(Entry& entry, uint64_t start) {
  for (size_t i = stores_.size(); i-- > 0;) {
    if (stores_[i].word == entry.address / 4)
      return std::max(start, stores_[i].data_ready) + 1;
  }
  const CoreMemory::Answer answer = memory_.access(entry.address, start);
  entry.events |= uint16_t(
      (answer.l1_miss ? kDataMiss : 0) | (answer.tlb_miss ? kDataPage : 0) |
      (answer.l2_miss ? kLastLevelMiss : 0));
  return answer.ready;
}

void CoreModel::execute(Entry& entry, const riscv::Instruction& op) {
  uint64_t operands = now_ + 1;
  if (riscv::reads_rs1(op.op))
    operands = std::max(operands, ready_[op.rs1]);
  const uint64_t second = riscv::reads_rs2(op.op) ? ready_[op.rs2] : 0;
  if (riscv::is_store(op.op)) {  // address and data arrive on their own
    entry.done = std::max(issue(operands, true) + 1, second);
    stores_.push_back({entry.address / 4, std::max(entry.done, second)});
    return;
  }
  operands = std::max(operands, second);
  if (riscv::is_load(op.op)) {
    entry.done = load(entry, issue(operands, true));
    loads_.push_back(std::max(entry.done, loads_.empty() ? 0 : loads_.back()));
  } else if (riscv::is_divide(op.op)) {
    const uint64_t start = issue(std::max(operands, divider_free_), false);
    divider_free_ = entry.done = start + shape_.divide_cycles;
  } else {
    entry.done = issue(operands, false) + (riscv::is_multiply(op.op) ? shape_.multiply_cycles : 1);
  }
  if (riscv::writes_rd(op.op) && op.rd != 0)
    ready_[op.rd] = entry.done;
}

void CoreModel::dispatch() {
  for (uint32_t n = 0; n < shape_.width && buffer_.size() < shape_.reorder_buffer; ++n) {
    if (!fetch() || front_ready_ > now_)
      return;
    Fetched& f = *next_;
    if (queue_is_full(f.op)) {
      f.events |= kQueueFull;
      return;
    }
    Entry entry{f.pc, f.address, f.op.op, f.events, 0, f.parts};
    execute(entry, f.op);
    offender_.reset();
    const bool right = predicted(f);
    const bool jumps = f.next != f.pc + 4;
    if (!right) {
      entry.events |= kMispredicted;
      front_ready_ = entry.done + shape_.front_end_cycles;
      offender_ = {entry.pc, entry.events};
    }
    if (jumps)
      fetched_line_ = UINT32_MAX;
    buffer_.push_back(entry);
    next_.reset();
    if (!right || jumps)
      return;
  }
}

void CoreModel::commit(CoreSignals& out) {
  out.tail = uint8_t((head_ + buffer_.size()) % shape_.reorder_buffer);
  out.head = uint8_t(head_ % shape_.reorder_buffer);
  uint32_t n = 0;
  while (n < shape_.width && n < buffer_.size() && buffer_[n].done < now_)
    ++n;
  out.commits = n;
  for (uint32_t i = 0; i < n; ++i) {
    const Entry& e = buffer_.front();
    out.committed[i] = e.pc;
    out.events |= i == 0 ? e.events : e.events & kMispredicted;
    stacks_.add(e.pc, e.events, e.parts + kCycleParts / n);
    if (riscv::is_store(e.op)) {
      const CoreMemory::Answer answer = memory_.access(e.address, std::max(now_, last_write_));
      // A hit is written in one cycle, because its tag was read together with the address.
      last_write_ = answer.l1_miss || answer.tlb_miss ? answer.ready : std::max(now_, last_write_) + 1;
      stores_[committed_stores_++].written = last_write_;
    }
    buffer_.pop_front();
    ++head_;
    ++committed_;
  }
}

// Charges a cycle in which no instruction commits.
void CoreModel::charge(CoreSignals& out) {
  out.has_oldest = !buffer_.empty();
  if (out.has_oldest) {
    out.oldest = buffer_.front().pc;
    out.events = buffer_.front().events;
    buffer_.front().parts += kCycleParts;
  } else if (offender_) {
    stacks_.add(offender_->first, offender_->second, kCycleParts);
  } else if (fetch()) {
    out.front = next_->pc;
    out.events = next_->events;
    next_->parts += kCycleParts;
  }
}

bool CoreModel::step(CoreSignals& out) {
  ++now_;
  out = {};
  commit(out);
  if (out.commits == 0)
    charge(out);
  dispatch();
  return !buffer_.empty() || next_ || !machine_.tohost();
}

}  // namespace lento::tile
