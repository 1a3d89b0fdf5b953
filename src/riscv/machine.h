// A functional machine: one hart on flat RAM without timing (one cycle per instruction) and without devices.
// It runs conformance programs, which end by storing to `tohost`, and is the reference of timed models.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "riscv/elf.h"
#include "riscv/flat_memory.h"
#include "riscv/interpreter.h"

namespace lento::riscv {

class Machine {
 public:
  explicit Machine(const Extensions& extensions = {})
      : code_(extensions),
        fast_code_(extensions) {
  }

  // Maps and fills the segments and `slack` bytes of RAM after the last one (stack, heap), sets the entry
  // point, and watches the symbol `tohost` when the program has one.
  void load(const ElfImage& image, uint32_t slack = 16u << 20);

  // Runs at most `budget` more instructions. Returns true when the program ended by a store to tohost.
  bool run(uint64_t budget);

  Hart& hart() {
    return hart_;
  }
  FlatMemory& memory() {
    return memory_;
  }
  std::optional<uint32_t> tohost() const {
    return result_;
  }  // the word stored there, once it was not 0
  // Handles ecall. An ecall traps when this is not set.
  std::function<bool(Hart&)> on_ecall;
  void watch(uint32_t address) {
    watched_ = address;
    watching_ = true;
    stores_ = {};
  }

  // The functions below are the Port of riscv::run.
  uint32_t enter(uint32_t pc) {
    return CodeCache::kWords - (pc >> 2) % CodeCache::kWords;
  }
  void elapse(uint64_t n, uint32_t) {
    cycle_ += n;
  }
  void extra(Op) {
  }
  bool load_now(uint32_t address, unsigned size, uint32_t& value, uint64_t) {
    return memory_.read(address, size, value);
  }
  Access load(uint32_t, unsigned, uint32_t&) {
    return Access::Fault;
  }  // load_now reads all there is
  Access store(uint32_t address, unsigned size, uint32_t value) {
    if (!memory_.write(address, size, value)) [[unlikely]]
      return Access::Fault;
    code_written(address, size);
    if (address == watched_) [[unlikely]]
      return stored_to_watch(size, value);
    return Access::Done;
  }
  Access atomic(Op op, uint32_t address, uint32_t operand, uint32_t& result);
  Access fence(Op) {
    return Access::Done;
  }
  bool environment_call(Hart& hart) {
    return on_ecall && on_ecall(hart);
  }
  const uint8_t* code_page(uint32_t address) {
    stores_[(address >> kPageBits) % kFastPages] = {};  // to be looked up again, with its code
    return memory_.page(address);
  }
  uint64_t cycle() const {
    return cycle_;
  }

 private:
  // A cached pointer to a page of RAM. The tag is the address of the page, or a value that no aligned access
  // has.
  struct alignas(32) FastPage {
    uint32_t tag = 1u << (kPageBits - 1);
    uint8_t* bytes = nullptr;
    Instruction* code = nullptr;
  };
  static constexpr uint32_t kFastPages = 64;

  Access stored_to_watch(unsigned size, uint32_t value);
  void code_written(uint32_t address, unsigned size);
  uint8_t* fast_page(uint32_t address, unsigned size, bool store);
  CodeCache::Page* fast_code_page(uint32_t pc);
  // Runs instructions of the fast loop (machine_fast.cc) while the budget exceeds a page of them, and returns
  // how many it ran.
  uint64_t run_fast(uint64_t budget);

  Hart hart_;
  FlatMemory memory_;
  // Predecoded code: code_ for riscv::run, fast_code_ for run_fast, where one entry may fuse two
  // instructions.
  CodeCache code_;
  CodeCache fast_code_;
  uint64_t cycle_ = 0;
  std::array<FastPage, kFastPages> loads_;
  std::array<FastPage, kFastPages> stores_;
  uint32_t watched_ = 0xffffffff;
  bool watching_ = false;
  std::optional<uint32_t> result_;
};

}  // namespace lento::riscv
