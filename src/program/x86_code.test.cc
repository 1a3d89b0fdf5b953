// Lengths and branches of instructions as GNU as encodes them; the whole of libc and libm was compared with
// objdump once.
#include "program/x86_code.h"

#include <gtest/gtest.h>

#include <vector>

namespace lento::program {
namespace {

using Flow = X86Instruction::Flow;
using Bytes = std::vector<uint8_t>;

// Returns the length that is decoded when other bytes follow; 0: none.
unsigned length_of(Bytes bytes) {
  bytes.resize(15, 0x90);
  const auto i = decode_x86(bytes, 0x1000);
  return i ? i->length : 0;
}

TEST(X86Code, OperandsImmediatesAndPrefixesHaveTheirLengths) {
  const std::vector<Bytes> whole = {
      {0x90},                                             // nop
      {0x48, 0x8b, 0x03},                                 // mov (%rbx),%rax
      {0x48, 0x8b, 0x44, 0x24, 0x08},                     // mov 8(%rsp),%rax
      {0x48, 0x8d, 0x05, 1, 2, 3, 4},                     // lea 0x4030201(%rip),%rax
      {0x8b, 0x04, 0x25, 1, 2, 3, 4},                     // mov 0x4030201,%eax
      {0x48, 0xb9, 1, 2, 3, 4, 5, 6, 7, 8},               // movabs $...,%rcx
      {0x66, 0x81, 0xc3, 1, 2},                           // add $0x201,%bx
      {0xf6, 0xc1, 0x07},                                 // test $7,%cl
      {0x48, 0xf7, 0xd0},                                 // not %rax
      {0x66, 0x0f, 0x70, 0xc0, 0x4e},                     // pshufd $0x4e,%xmm0,%xmm0
      {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08},               // palignr $8,%xmm1,%xmm0
      {0xc5, 0xf8, 0x77},                                 // vzeroupper
      {0xc4, 0xe3, 0x7d, 0x19, 0xc1, 0x01},               // vextractf128 $1,%ymm0,%xmm1
      {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x44, 0x24, 0x01},   // vmovups 64(%rsp),%zmm0
      {0xf3, 0x0f, 0x1e, 0xfa},                           // endbr64
      {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0}};  // nopw
  for (const Bytes& bytes : whole) {
    EXPECT_EQ(length_of(bytes), bytes.size()) << int(bytes[0]) << ' ' << int(bytes.back());
    EXPECT_FALSE(decode_x86(std::span(bytes).first(bytes.size() - 1), 0)) << "cut off";
  }
}

TEST(X86Code, BranchesCallsAndReturnsGoWhereTheyGo) {
  const auto flow = [](const Bytes& bytes) {
    return decode_x86(bytes, 0x1000).value();
  };
  EXPECT_EQ(flow({0x75, 0xfe}).target, 0x1000u);
  EXPECT_EQ(flow({0x75, 0xfe}).flow, Flow::Branch);
  EXPECT_EQ(flow({0x0f, 0x84, 0, 1, 0, 0}).target, 0x1106u);
  EXPECT_EQ(flow({0xeb, 0x10}).flow, Flow::Jump);
  EXPECT_EQ(flow({0xe8, 0xfb, 0xff, 0xff, 0xff}).target, 0x1000u);
  EXPECT_EQ(flow({0xff, 0x15, 1, 2, 3, 4}).flow, Flow::Call);
  EXPECT_EQ(flow({0xff, 0xe0}).flow, Flow::End);
  EXPECT_EQ(flow({0xc3}).flow, Flow::End);
  EXPECT_EQ(flow({0x48, 0x01, 0xc3}).flow, Flow::Next);  // the return's byte as an operand
}

TEST(X86Code, DivisionsAndSquareRootsAreMarked) {
  const auto divides = [](const Bytes& bytes) {
    return decode_x86(bytes, 0).value().divides;
  };
  EXPECT_TRUE(divides({0x48, 0xf7, 0xf1}));         // div %rcx
  EXPECT_TRUE(divides({0xf2, 0x0f, 0x5e, 0xc1}));   // divsd
  EXPECT_TRUE(divides({0xc5, 0xfb, 0x51, 0xc1}));   // vsqrtsd
  EXPECT_FALSE(divides({0x48, 0xf7, 0xe1}));        // mul %rcx
  EXPECT_FALSE(divides({0xf2, 0x0f, 0x59, 0xc1}));  // mulsd
}

}  // namespace
}  // namespace lento::program
