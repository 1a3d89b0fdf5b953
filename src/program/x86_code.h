// Lengths, branches and divisions of x86-64 instructions.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and appendix A.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lento::program {

struct X86Instruction {
  enum class Flow {
    Next,
    Branch,  // to `target` or the next instruction
    Jump,    // to `target`
    Call,    // of `target`; 0: not known
    End      // a return, an indirect jump or a trap
  };
  unsigned length = 0;  // bytes
  Flow flow = Flow::Next;
  uint64_t target = 0;
  bool divides = false;  // a division or square root, of integers or floating point
};

// Decodes the instruction at the begin of `bytes`, which lie at `address`. Empty when they hold no whole
// instruction that is known.
std::optional<X86Instruction> decode_x86(std::span<const uint8_t> bytes, uint64_t address);

}  // namespace lento::program
