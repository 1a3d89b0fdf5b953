// Machine words of a tile program, for the tests of this module.
#pragma once

#include <vector>

#include "tile/seal/image.h"
#include "tile/unit/isa.h"
#include "tile/unit/test_encode.h"

namespace lento::tile::test {

using riscv::Op;
using Words = std::vector<uint32_t>;

inline uint32_t jal(unsigned rd, int offset) {
  return riscv::encode({Op::Jal, uint8_t(rd), 0, 0, offset});
}
inline const uint32_t kRet = imm(Op::Jalr, 0, 1, 0);
inline const uint32_t kNop = imm(Op::Addi, 0, 0, 0);

// Writes machine words into the image's code from byte address `at` on, and lengthens the code where needed.
inline void place(Image& image, uint32_t at, const Words& words) {
  const size_t end = at + 4 * words.size();
  if (image.code.size() < end)
    image.code.resize(end);
  image.code.replace(at, 4 * words.size(), reinterpret_cast<const char*>(words.data()), 4 * words.size());
}

// Returns an image with the words `main` at byte address 4, its main entry, the words `finish` as its finish,
// the input mask `mask`, and an init of one `ret`.
inline Image image_of(const Words& main, uint32_t mask = 1, const Words& finish = {kRet}) {
  Image image;
  image.main_entry = 4;
  image.input_mask = mask;
  place(image, 0, {kRet});
  place(image, 4, main);
  place(image, kFinishEntry, finish);
  return image;
}

}  // namespace lento::tile::test
