// Random tile programs that keep the verifier's rules by construction (masked addresses, counted loops, calls
// to functions further up, a balanced stack), except for a rare statement that may break one of the rules.
//
// Registers: 8, 9, 18, 19, 26 hold the base addresses of scratchpad, IORegs, FIFO, soft logic and control
// registers. 10 to 15 hold data, 5 to 7, 16 and 17 intermediate values. 20 to 23 are loop counters of main,
// 28 and 29 those of functions, which save them.
#pragma once

#include <initializer_list>

#include "base/rng.h"
#include "tile/unit/test_words.h"

namespace lento::tile::test {

class Grammar {
 public:
  explicit Grammar(uint64_t seed);
  Image make();

 private:
  unsigned data() {
    return unsigned(10 + rng_.below(6));
  }
  Op alu() {
    return static_cast<Op>(int(Op::Add) + int(rng_.below(10)));
  }
  bool one_in(uint64_t n) {
    return rng_.below(n) == 0;
  }
  void emit(std::initializer_list<uint32_t> words) {
    words_.insert(words_.end(), words);
  }

  void function();
  void main();
  void init();
  Words finish();
  void bases();
  void block(int depth);
  void statement(int depth);
  void compound(int depth);
  void simple();
  uint32_t body_word();
  void scratchpad();
  void device();
  void stack();
  void risky();
  void call();
  void branch_over(int depth);
  void counted(int depth);
  void data_bounded();
  void derive(unsigned to, unsigned from);
  void guarded();
  void counted_ones();
  void hardware();
  void nested();

  base::Rng rng_;
  Words words_;
  std::vector<size_t> functions_;  // first words
  unsigned counters_ = 20;
  bool streams_;
  bool soft_;
  bool in_main_ = false;
  bool has_frame_ = false;
};

}  // namespace lento::tile::test
