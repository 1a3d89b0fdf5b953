// Runs a program without timing. Plain stretches run in the fast loop (machine_fast.cc), and the general
// interpreter executes the single instructions that it leaves: atomics, traps, control registers, stores to
// `tohost`.
#include "riscv/machine.h"

#include <algorithm>

#include "base/error.h"

namespace lento::riscv {

void Machine::load(const ElfImage& image, uint32_t slack) {
  for (const ElfSegment& segment : image.segments) {
    memory_.map(segment.address, uint64_t{segment.address} + segment.memory_bytes);
    LENTO_CHECK(
        memory_.copy_in(segment.address, segment.bytes),
        "a segment does not fit the RAM made for it");
  }
  memory_.map(image.begin(), std::min(image.end() + slack, uint64_t{1} << 32));
  hart_.pc = image.entry;
  if (const auto address = image.find("tohost"))
    watch(*address);
}

bool Machine::run(uint64_t budget) {
  for (uint64_t spent = 0; spent < budget && !result_;) {
    if (const uint32_t cause = hart_.pending_interrupt())
      hart_.trap(cause, 0);
    spent += run_fast(budget - spent);
    const uint64_t before = cycle_;
    const bool near_end = budget - spent <= CodeCache::kWords;
    riscv::run(hart_, code_, *this, near_end ? budget - spent : 1);  // wfi is a no-op: nothing wakes the hart
    spent += cycle_ - before;                                        // counts trapped instructions too
  }
  return result_.has_value();
}

Access Machine::stored_to_watch(unsigned size, uint32_t value) {
  if (!watching_ || size != 4 || value == 0)
    return Access::Done;
  result_ = value;
  return Access::DoneStop;
}

// Executes an atomic operation.
Access Machine::atomic(Op op, uint32_t address, uint32_t operand, uint32_t& result) {
  uint32_t old = 0;
  if (!memory_.read(address, 4, old))
    return Access::Fault;
  if (op == Op::LrW) {
    hart_.reserved = true;
    hart_.reservation = address;
    result = old;
    return Access::Done;
  }
  if (op == Op::ScW) {
    const bool holds = hart_.reserved && hart_.reservation == address;
    hart_.reserved = false;
    result = holds ? 0 : 1;
    return holds ? store(address, 4, operand) : Access::Done;
  }
  result = old;
  return store(address, 4, amo(op, old, operand));
}

}  // namespace lento::riscv
