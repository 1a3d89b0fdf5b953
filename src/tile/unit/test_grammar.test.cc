#include "tile/unit/test_grammar.h"

#include <utility>

#include "tile/unit/test_encode.h"

namespace lento::tile::test {

Grammar::Grammar(uint64_t seed)
    : rng_(seed, "tile.verify.grammar"),
      streams_(one_in(2)),
      soft_(one_in(3)) {
}

// init at 0 jumps to its body behind main, which stands behind the functions.
Image Grammar::make() {
  words_ = {0};
  for (uint64_t n = rng_.below(3); n > 0; --n)
    function();
  Image image;
  image.main_entry = uint32_t(4 * words_.size());
  main();
  words_[0] = jal(0, int(4 * words_.size()));
  init();
  place(image, 0, words_);
  place(image, kFinishEntry, finish());
  image.input_mask = one_in(4) ? 1 : 3;
  image.drops_declared = true;
  image.arrival_cycles = uint32_t(1 + rng_.below(1 << rng_.below(10)));
  image.output_bytes = UINT32_MAX;
  if (soft_)
    image.soft_logic = "any";
  return image;
}

void Grammar::bases() {
  emit({lui(8, 0x8000), lui(9, 0x4000), lui(18, 0x7000), lui(19, 0x5000), lui(26, 0x6000)});
}

void Grammar::function() {
  functions_.push_back(words_.size());
  emit({imm(Op::Addi, 2, 2, -48), save(Op::Sw, 1, 2, 44), save(Op::Sw, 28, 2, 40), save(Op::Sw, 29, 2, 36)});
  counters_ = 28;
  has_frame_ = true;
  block(1);
  emit(
      {imm(Op::Lw, 29, 2, 36), imm(Op::Lw, 28, 2, 40), imm(Op::Lw, 1, 2, 44), imm(Op::Addi, 2, 2, 48), kRet});
}

void Grammar::main() {
  emit({imm(Op::Addi, 2, 2, -48), save(Op::Sw, 1, 2, 44), save(Op::Sw, 27, 2, 40)});
  bases();
  for (unsigned r = 10; r <= 15; ++r)
    emit({imm(Op::Lw, r, 9, int(4 * rng_.below(2)))});
  counters_ = 20;
  in_main_ = has_frame_ = true;
  block(3);
  emit({imm(Op::Lw, 27, 2, 40), imm(Op::Lw, 1, 2, 44), imm(Op::Addi, 2, 2, 48), kRet});
}

void Grammar::init() {
  const bool streams = std::exchange(streams_, false);
  has_frame_ = false;
  bases();
  for (unsigned r = 10; r <= 15; ++r)
    emit({imm(Op::Addi, r, 0, int(rng_.below(2048)))});
  for (int n = 0; n < 3; ++n)
    simple();
  emit({kRet});
  streams_ = streams;
}

Words Grammar::finish() {
  const Words by_kind[] = {
      {kRet},
      {encode_emit(unsigned(rng_.below(10))), kRet},
      {lui(5, 0x7000),
       encode_loop_immediate(unsigned(1 + rng_.below(50)), 0, 2),
       encode_hist_read(6, 5),
       save(Op::Sw, 6, 5, 0),
       kRet},
      {save(Op::Sw, 30, 2, -8), lui(30, 0x4000), imm(Op::Lw, 5, 30, 0), imm(Op::Lw, 30, 2, -8), kRet}};
  return by_kind[rng_.below(4)];
}

void Grammar::block(int depth) {
  const int count = 1 + int(rng_.below(5));
  for (int n = 0; n < count && words_.size() < 800; ++n)
    statement(depth);
}

void Grammar::statement(int depth) {
  if (one_in(300))
    return risky();
  depth > 0 && rng_.below(10) < 4 ? compound(depth) : simple();
}

void Grammar::compound(int depth) {
  if (one_in(8))
    return one_in(2) ? guarded() : counted_ones();
  switch (rng_.below(6)) {
    case 0:
      return branch_over(depth);
    case 1:
      return counted(depth);
    case 2:
      return hardware();
    case 3:
      return nested();
    case 4:
      return call();
    default:
      return data_bounded();
  }
}

void Grammar::simple() {
  switch (rng_.below(8)) {
    case 0:
    case 1:
      return emit({op3(alu(), data(), data(), data())});
    case 2:
      return emit({imm(
          static_cast<Op>(int(Op::Addi) + int(rng_.below(6))),
          data(),
          data(),
          int(rng_.below(4096)) - 2048)});
    case 3:
      return scratchpad();
    case 4:
      return emit({one_in(2) ? encode_hash(data(), data(), data()) : encode_hist(data(), data())});
    case 5:
      return device();
    case 6:
      return stack();
    default:
      if (streams_ && one_in(2))
        return emit({encode_hist_in(0)});
      return emit({save(static_cast<Op>(int(Op::Sb) + int(rng_.below(3))), data(), 18, 0)});
  }
}

// A scratchpad access through a masked index.
void Grammar::scratchpad() {
  const unsigned size = unsigned(rng_.below(3));
  const int mask = int((rng_.below(2048) >> size) << size);
  emit({imm(Op::Andi, 5, data(), mask), op3(Op::Add, 5, 5, 8)});
  if (one_in(2))
    emit({save(static_cast<Op>(int(Op::Sb) + int(size)), data(), 5, 0)});
  else
    emit({imm(static_cast<Op>(int(Op::Lb) + int(size)), data(), 5, 0)});
}

void Grammar::device() {
  switch (rng_.below(4)) {
    case 0:
      return emit({imm(Op::Lw, data(), 26, int(4 * rng_.below(12)))});
    case 1:
      return emit({imm(Op::Lw, data(), 19, int(4 * rng_.below(8)))});
    case 2:
      return emit({imm(Op::Lw, data(), 9, one_in(2) ? 0x80 : int(4 * rng_.below(32)))});
    default:
      if (soft_)
        emit({save(Op::Sw, data(), 19, int(4 * rng_.below(8)))});
  }
}

// Locals of the running function, below what it saved.
void Grammar::stack() {
  const unsigned size = unsigned(rng_.below(3));
  const int at = int(rng_.below(32) >> size << size);
  if (!has_frame_)
    return;
  if (one_in(2))
    emit({save(static_cast<Op>(int(Op::Sb) + int(size)), data(), 2, at)});
  else
    emit({imm(static_cast<Op>(int(Op::Lb) + int(size)), data(), 2, at)});
}

// What the verifier has to see through; mostly refused.
void Grammar::risky() {
  switch (rng_.below(6)) {
    case 0:  // a register that may not be set, from where it was saved
      return emit({save(Op::Sw, 30, 2, 32), imm(one_in(2) ? Op::Lw : Op::Lbu, data(), 2, 32)});
    case 1:
      return emit({save(Op::Sb, 31, 2, 32), imm(Op::Lbu, data(), 2, 32)});
    case 2:
      return emit(
          {save(Op::Sw, 27, 2, 32), encode_loop_immediate(1, 0, 1), kNop, imm(Op::Lw, data(), 2, 32)});
    case 3:  // an address or a count that may be too large
      return emit(
          {imm(Op::Lw, data(), 8, int(rng_.below(2048))), op3(Op::Add, 5, 8, data()), imm(Op::Lb, 6, 5, 0)});
    case 4:
      return emit({imm(Op::Srli, 6, data(), int(rng_.below(32))), encode_loop(6, 1), kNop});
    default:
      return emit({save(Op::Sw, data(), 19, 0)});
  }
}

void Grammar::call() {
  // A function calls those above it; itself it would be the last.
  const size_t most = in_main_ ? functions_.size() : functions_.size() - 1;
  if (most == 0)
    return simple();
  const size_t target = functions_[rng_.below(most)];
  emit({jal(1, 4 * (int(target) - int(words_.size())))});
}

void Grammar::branch_over(int depth) {
  const size_t at = words_.size();
  emit({0});
  block(depth - 1);
  size_t end = words_.size();
  if (one_in(2)) {  // with an else part
    emit({0});
    const size_t other = words_.size();
    block(depth - 1);
    words_[end] = jal(0, int(4 * (words_.size() - end)));
    end = other;
  }
  words_[at] =
      branch(static_cast<Op>(int(Op::Beq) + int(rng_.below(6))), data(), data(), int(4 * (end - at)));
}

void Grammar::counted(int depth) {
  const unsigned counter = counters_ + unsigned(depth) - (counters_ == 28);
  emit({imm(Op::Addi, counter, 0, int(1 + rng_.below(6)))});
  const size_t head = words_.size();
  block(depth - 1);
  emit(
      {imm(Op::Addi, counter, counter, -1), branch(Op::Bne, counter, 0, -4 * int(words_.size() + 1 - head))});
}

// while (i < (input & 7)) ...
void Grammar::data_bounded() {
  emit(
      {imm(Op::Andi, 6, data(), 7),
       imm(Op::Addi, 7, 0, 0),
       branch(Op::Bgeu, 7, 6, 16),
       op3(Op::Xor, 10, 10, 11),
       imm(Op::Addi, 7, 7, 1),
       jal(0, -12)});
}

// What compilers make of an index before they compare: x + c, x & c, x << c, x << c >> c, and chains of
// these.
void Grammar::derive(unsigned to, unsigned from) {
  emit({imm(Op::Addi, to, from, 0)});
  for (uint64_t n = rng_.below(3); n > 0; --n) {
    const int bits = int(rng_.below(24));
    switch (rng_.below(4)) {
      case 0:
        emit({imm(Op::Addi, to, to, int(rng_.below(17)) - 8)});
        break;
      case 1:
        emit({imm(Op::Andi, to, to, int(rng_.below(2048)))});
        break;
      case 2:
        emit({imm(Op::Slli, to, to, int(rng_.below(4)))});
        break;
      default:
        emit({imm(Op::Slli, to, to, bits), imm(Op::Srli, to, to, bits)});
    }
  }
}

// An access whose index was made of what is compared, or of the same: by a branch around it, or by a mask
// that the comparison gives.
void Grammar::guarded() {
  emit({imm(Op::Andi, 5, data(), one_in(2) ? 63 : 15)});
  derive(6, 5);
  derive(7, 5);
  const int bound = int(rng_.below(one_in(2) ? 20 : 2048)) - int(rng_.below(4));
  const uint32_t access = one_in(2) ? save(Op::Sb, data(), 17, 0) : imm(Op::Lbu, data(), 17, 0);
  if (one_in(2)) {
    const Op less = one_in(2) ? Op::Sltiu : Op::Slti;
    return emit(
        {imm(less, 6, one_in(2) ? 6u : 7u, bound),
         op3(Op::Sub, 6, 0, 6),
         op3(Op::And, 7, 7, 6),
         op3(Op::Add, 17, 7, 8),
         access});
  }
  const Op test = static_cast<Op>(int(Op::Beq) + int(rng_.below(6)));
  emit(
      {imm(Op::Addi, 16, 0, bound),
       one_in(2) ? branch(test, 6, 16, 12) : branch(test, 16, 6, 12),
       op3(Op::Add, 17, one_in(2) ? 5u : 7u, 8),
       access});
}

// for (n = 0; v != 0; ++n) v &= v - 1; and an access to the n-th byte.
void Grammar::counted_ones() {
  derive(6, data());
  emit(
      {imm(Op::Addi, 7, 0, 0),
       branch(Op::Beq, 6, 0, 20),
       imm(Op::Addi, 5, 6, -1),
       one_in(2) ? op3(Op::And, 6, 6, 5) : op3(Op::And, 6, 5, 6),
       imm(Op::Addi, 7, 7, 1),
       jal(0, -16),
       op3(Op::Add, 17, 7, 8),
       imm(Op::Lbu, data(), 17, 0)});
}

uint32_t Grammar::body_word() {
  switch (rng_.below(8)) {
    case 0:
      return imm(Op::Lw, data(), 8, int(4 * rng_.below(64)));
    case 1:
      return save(Op::Sw, data(), 8, int(4 * rng_.below(64)));
    case 2:
      return save(static_cast<Op>(int(Op::Sb) + int(rng_.below(3))), data(), 18, 0);
    case 3:
      return encode_hist(data(), data());
    case 4:
      return one_in(8) ? encode_emit(unsigned(rng_.below(10))) : encode_hist_read(data(), data());
    case 5:
      return streams_ ? encode_hist_in(0) : kNop;
    default:
      return op3(alu(), data(), data(), data());
  }
}

void Grammar::hardware() {
  const unsigned length = unsigned(1 + rng_.below(4));
  if (one_in(2))
    emit({imm(Op::Andi, 6, data(), 15), encode_loop(6, length)});
  else
    emit({encode_loop_immediate(unsigned(1 + rng_.below(20)), 0, length)});
  for (unsigned n = 0; n < length; ++n)
    emit({body_word()});
}

// A hardware loop with another inside: before, inner body, after.
void Grammar::nested() {
  const unsigned before = unsigned(rng_.below(3));
  const unsigned inner = unsigned(1 + rng_.below(3));
  const unsigned after = unsigned(1 + rng_.below(2));
  emit({encode_loop_immediate(unsigned(1 + rng_.below(5)), 0, before + 1 + inner + after)});
  for (unsigned n = 0; n < before; ++n)
    emit({body_word()});
  emit({encode_loop_immediate(unsigned(1 + rng_.below(8)), 0, inner)});
  for (unsigned n = 0; n < inner + after; ++n)
    emit({body_word()});
}

}  // namespace lento::tile::test
