// Draws random tile programs: instructions, branches, loops and accesses by weights that reach all parts of
// the core.
#include "random_program.h"

#include <vector>

#include "riscv/instruction.h"
#include "tile/unit/isa.h"
#include "tile/unit/memory.h"
#include "tile/unit/test_encode.h"

namespace lento::tile {
namespace {

using riscv::Op;

// Registers that point somewhere and are seldom written.
constexpr uint8_t kScratch = 18;
constexpr uint8_t kIo = 19;
constexpr uint8_t kSoft = 20;
constexpr uint8_t kControl = 21;
constexpr uint8_t kFifo = 22;

class Generator {
 public:
  Generator(base::Rng& rng, const ProgramMix& mix)
      : rng_(rng),
        mix_(mix),
        wide_(below(3) == 0),
        first_(below(4) ? 3 + below(kScratch - 9) : kFifo + 1 + below(3)) {
  }

  Image make() {
    Image image;
    const int init = 6 + below(20);
    const int main = 8 + below(120);
    for (const auto& [reg, base] :
         {std::pair<uint8_t, uint32_t>{kScratch, 0x8000},
          {kIo, kIoBase},
          {kSoft, kSoftBase},
          {kControl, kControlBase},
          {kFifo, kFifoBase}}) {
      emit({Op::Lui, reg, 0, 0, int32_t(base)});
    }
    region(init);
    if (below(4) == 0)  // anywhere, so that no bit of an address is idle
      words_.resize(words_.size() + size_t(below(kFinishEntry / 4 - 400)));
    image.main_entry = uint32_t(4 * words_.size());
    region(main);
    words_.resize(kFinishEntry / 4);
    region(8 + below(6));
    words_.resize(kCodeBytes / 4);
    if (below(4) == 0)
      words_.back() = riscv::encode({Op::Addi, 5, 5, 0, 1});  // falls off the end
    image.code.assign(reinterpret_cast<const char*>(words_.data()), 4 * words_.size());
    for (int n = below(4) * 64; n > 0; --n)
      image.data += char(rng_.next());
    image.input_mask = wide_ ? uint32_t(rng_.next()) : 3;
    image.triggered = below(4) == 0;
    image.trigger_start = uint32_t(below(16)), image.trigger_end = uint32_t(below(16));
    return image;
  }

 private:
  int below(int bound) {
    return int(rng_.below(uint64_t(bound)));
  }
  void emit(const riscv::Instruction& n) {
    words_.push_back(riscv::encode(n));
  }
  // Draws a register. Most operands are among seven registers, which differ from program to program.
  uint8_t reg() {
    return uint8_t(below(40) == 0 ? below(32) : first_ + below(7));
  }
  uint8_t target() {
    return uint8_t(below(60) == 0 ? below(kScratch) : first_ + below(7));
  }
  Op pick(Op first, Op last) {
    return static_cast<Op>(int(first) + below(int(last) - int(first) + 1));
  }

  void region(int length) {
    begin_ = int(words_.size());
    end_ = begin_ + length;
    while (int(words_.size()) < end_)
      one();
    emit({Op::Jalr, 0, 1, 0, 0});
  }

  void one() {
    if (mix_.wild && below(150) == 0)
      return wild();
    switch (below(mix_.custom ? 12 : 9)) {
      case 0:
      case 1:
        return emit({pick(Op::Add, Op::And), target(), reg(), reg(), 0});
      case 2:
        return emit({pick(Op::Addi, Op::Andi), target(), reg(), 0, below(4096) - 2048});
      case 3:
        return emit({pick(Op::Slli, Op::Srai), target(), reg(), 0, below(32)});
      case 4:
        return access(true);
      case 5:
        return access(false);
      case 6:
        return branch();
      case 7:
        return upper();
      case 8:
        return emit(
            below(8) ? riscv::Instruction{Op::Sw, 0, kFifo, reg(), 4 * below(256)}
                     : riscv::Instruction{below(2) ? Op::Sb : Op::Sh, 0, kFifo, reg(), 2 * below(256)});
      default:
        words_.push_back(custom());
    }
  }

  void access(bool load) {
    const Op op = load ? pick(Op::Lb, Op::Lhu) : pick(Op::Sb, Op::Sw);
    const int size = int(riscv::access_size(op));
    const int place = mix_.inputs ? below(6) : 0;
    if (place < 3) {
      if (!load && !mix_.stores)
        return;
      const int at = below(64) * size;
      return emit(
          load ? riscv::Instruction{op, target(), kScratch, 0, at}
               : riscv::Instruction{op, 0, kScratch, reg(), at});
    }
    if (!load)
      return emit({Op::Sw, 0, kSoft, reg(), 4 * below(8)});
    if (place == 3)
      return emit({op, target(), kIo, 0, below(4) ? size * below(132 / size) : 128});
    if (place == 4)
      return emit({op, target(), kSoft, 0, size * below(32 / size)});
    emit({op, target(), kControl, 0, size * below(48 / size)});
  }

  // Adds a branch within the region, mostly forward. A backward one may loop for ever.
  void branch() {
    const int at = int(words_.size());
    const int to = below(4) ? at + 1 + below(std::max(1, std::min(8, end_ - at)))
                            : at - below(std::min(6, at - begin_ + 1));
    emit({pick(Op::Beq, Op::Bgeu), 0, reg(), reg(), 4 * (to - at)});
  }

  void upper() {
    const int at = int(words_.size());
    const int32_t value = int32_t(rng_.next() & 0xfffff000u);
    switch (below(5)) {
      case 0:
        return emit({Op::Lui, target(), 0, 0, value});
      case 1:
        return emit({Op::Auipc, target(), 0, 0, value});
      case 2:
        return emit({Op::Fence});
      case 3:
        return emit({Op::Jal, target(), 0, 0, 4 * (1 + below(std::max(1, std::min(8, end_ - at))))});
      default:
        return emit({Op::Jalr, 5, 0, 0, 4 * (at + 1 + below(3)) < 2048 ? 4 * (at + 1) : 0});
    }
  }

  uint32_t custom() {
    switch (below(mix_.inputs ? 9 : 8)) {
      case 0:
        return encode_hash(target(), reg(), reg());
      case 1:
      case 2:
        return encode_hist(reg(), reg());
      case 3:
        return encode_hist_read(target(), reg());
      case 4:
        return encode_hist_config(reg());
      case 5:
        return below(3) ? encode_hist(reg(), reg()) : encode_emit(unsigned(below(10)));
      case 6:
        return encode_loop(reg(), unsigned(1 + below(below(4) ? 5 : 31)));
      case 7:
        return encode_loop_immediate(
            unsigned(1 + below(12)),
            unsigned(below(8) ? 0 : below(21)),
            unsigned(1 + below(below(4) ? 5 : 31)));
      default:
        return encode_hist_in(unsigned(wide_ ? below(16) : 0));
    }
  }

  void wild() {
    switch (below(8)) {
      case 0:
        return words_.push_back(uint32_t(rng_.next()));
      case 5:  // beside the FIFO's alignment
        return emit({below(2) ? Op::Sh : Op::Sw, 0, kFifo, reg(), 1 + below(64)});
      case 6:  // nearly an own instruction
        return words_.push_back(custom() ^ 1u << below(32));
      case 7:  // nearly one of the manual's, or a jump far out
        return below(2) ? emit({Op::Lui, target(), 0, 0, int32_t(1u << (13 + below(19)))})
                        : words_.push_back(
                              riscv::encode({pick(Op::Beq, Op::Andi), target(), reg(), reg(), 4}) ^
                              1u << below(32));
      case 1:
        return emit({pick(Op::Lb, Op::Lhu), target(), reg(), 0, below(4096) - 2048});
      case 2:
        return emit(
            {pick(Op::Sb, Op::Sw), 0, below(2) ? reg() : kIo, reg(), mix_.stores ? below(4096) - 2048 : 0});
      case 3:
        return emit({Op::Jalr, target(), reg(), 0, below(64)});
      default:
        return words_.push_back(0x0b | uint32_t(rng_.next()) << 7);
    }
  }

  base::Rng& rng_;
  ProgramMix mix_;
  bool wide_;  // inputs and what waits for them: any of 32, or the first two
  int first_;
  std::vector<uint32_t> words_;
  int begin_ = 0;
  int end_ = 0;
};

}  // namespace

Image random_image(base::Rng& rng, const ProgramMix& mix) {
  return Generator(rng, mix).make();
}

}  // namespace lento::tile
