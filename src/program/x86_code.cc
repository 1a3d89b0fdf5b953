// Walks prefixes, opcode, operand bytes and immediate of an instruction. Of each opcode only the length of
// its operands is kept, as rules over ranges of the opcode maps in the manual's appendix A.
#include "program/x86_code.h"

namespace lento::program {
namespace {

using Flow = X86Instruction::Flow;

enum class Map {
  One,
  Two,    // 0F
  Three,  // 0F 38
  Four    // 0F 3A
};

struct Code {
  std::span<const uint8_t> bytes;
  size_t at = 0;
  bool ended = false;

  uint8_t next() {
    if (at < bytes.size())
      return bytes[at++];
    ended = true;
    return 0;
  }
  int64_t number(unsigned size) {  // signed, of 1 or 4 bytes
    uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i)
      value |= uint32_t{next()} << 8 * i;
    return size == 1 ? int8_t(value) : int32_t(value);
  }
};

struct Prefixes {
  bool short_operands = false;  // 66
  bool short_addresses = false;
  bool wide = false;  // REX.W
};

bool is_prefix(uint8_t byte, Prefixes& p) {
  p.short_operands |= byte == 0x66;
  p.short_addresses |= byte == 0x67;
  return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
         byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

bool within(unsigned value, unsigned first, unsigned last) {
  return value >= first && value <= last;
}

// Returns whether a ModRM byte follows the opcode.
bool has_operands(Map map, uint8_t op) {
  if (map == Map::One)
    return (op < 0x40 && (op & 7) < 4) || op == 0x63 || op == 0x69 || op == 0x6b || within(op, 0x80, 0x8f) ||
           op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || within(op, 0xd0, 0xd3) ||
           within(op, 0xd8, 0xdf) || op == 0xf6 || op == 0xf7 || op >= 0xfe;
  const bool none = within(op, 0x05, 0x09) || op == 0x0b || op == 0x0e || within(op, 0x30, 0x37) ||
                    op == 0x77 || within(op, 0x80, 0x8f) || within(op, 0xa0, 0xa2) ||
                    within(op, 0xa8, 0xaa) || within(op, 0xc8, 0xcf);
  return map != Map::Two || !none;
}

// Returns the bytes of the immediate operand. `group` is the opcode's extension in ModRM.
unsigned immediate(Map map, uint8_t op, unsigned group, const Prefixes& p) {
  const unsigned word = p.short_operands ? 2 : 4;
  if (map == Map::Four)
    return 1;
  if (map == Map::Two) {
    const bool byte = within(op, 0x70, 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
                      within(op, 0xc4, 0xc6);
    return byte ? 1 : 0;
  }
  if (map == Map::Three)
    return 0;
  if (op < 0x40)
    return (op & 7) == 4 ? 1 : (op & 7) == 5 ? word : 0;
  if (within(op, 0xb8, 0xbf))
    return p.wide ? 8 : word;
  if (within(op, 0xa0, 0xa3))
    return p.short_addresses ? 4 : 8;
  if (op == 0xf6 || op == 0xf7)
    return group > 1 ? 0 : op == 0xf6 ? 1 : word;
  if (op == 0x68 || op == 0x69 || op == 0x81 || op == 0xa9 || op == 0xc7)
    return word;
  if (op == 0xc8)
    return 3;
  if (op == 0xc2 || op == 0xca)
    return 2;
  const bool byte = op == 0x6a || op == 0x6b || op == 0x80 || op == 0x83 || op == 0xa8 ||
                    within(op, 0xb0, 0xb7) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xcd ||
                    within(op, 0xe4, 0xe7);
  return byte ? 1 : 0;
}

// Passes over ModRM, SIB and displacement. Returns the field that extends the opcode.
unsigned pass_operands(Code& code) {
  const uint8_t modrm = code.next();
  const unsigned mode = modrm >> 6;
  const unsigned base = modrm & 7;
  if (mode != 3) {
    const bool has_sib = base == 4;
    const bool no_base = has_sib ? (code.next() & 7) == 5 : base == 5;
    code.at += mode == 1 ? 1 : mode == 2 || no_base ? 4 : 0;
  }
  return modrm >> 3 & 7;
}

// Reads prefixes and opcode. Returns the opcode's map; empty for the maps of no mainstream processor.
std::optional<Map> read_opcode(Code& code, Prefixes& p, uint8_t& op) {
  op = code.next();
  while (is_prefix(op, p) && !code.ended)
    op = code.next();
  if (within(op, 0x40, 0x4f)) {
    p.wide = (op & 8) != 0;
    op = code.next();
  }
  unsigned map = 0;
  if (op == 0xc5) {  // VEX of two bytes
    code.next();
    map = 1;
  } else if (op == 0xc4) {
    map = code.next() & 31U;
    code.next();
  } else if (op == 0x62) {  // EVEX
    map = code.next() & 7U;
    code.at += 2;
  } else if (op == 0x0f) {
    op = code.next();
    if (op != 0x38 && op != 0x3a)
      return Map::Two;
    map = op == 0x38 ? 2 : 3;
  } else {
    return Map::One;
  }
  op = code.next();
  if (map < 1 || map > 3)
    return {};
  return map == 1 ? Map::Two : map == 2 ? Map::Three : Map::Four;
}

// Returns the size of the distance of a direct branch or call, and how it continues.
unsigned branch_of(Map map, uint8_t op, Flow& flow) {
  flow = Flow::Branch;
  if (map == Map::Two && within(op, 0x80, 0x8f))
    return 4;
  if (map != Map::One)
    return 0;
  if (within(op, 0x70, 0x7f) || within(op, 0xe0, 0xe3))
    return 1;
  flow = op == 0xe8 ? Flow::Call : Flow::Jump;
  return op == 0xe8 || op == 0xe9 ? 4 : op == 0xeb ? 1 : 0;
}

}  // namespace

std::optional<X86Instruction> decode_x86(std::span<const uint8_t> bytes, uint64_t address) {
  Code code{bytes};
  Prefixes prefixes;
  uint8_t op = 0;
  const std::optional<Map> map = read_opcode(code, prefixes, op);
  if (!map || code.ended)
    return {};
  X86Instruction i;
  Flow flow = Flow::Next;
  if (const unsigned size = branch_of(*map, op, flow); size > 0) {
    const int64_t distance = code.number(size);
    i.flow = flow;
    i.target = address + code.at + uint64_t(distance);
  } else {
    const unsigned group = has_operands(*map, op) ? pass_operands(code) : 0;
    code.at += immediate(*map, op, group, prefixes);
    const bool ends = op == 0xc2 || op == 0xc3 || op == 0xcc || op == 0xf4;
    if (*map == Map::One && (ends || (op == 0xff && (group == 4 || group == 5))))
      i.flow = Flow::End;
    if (*map == Map::One && op == 0xff && (group == 2 || group == 3))
      i.flow = Flow::Call;
    if (*map == Map::Two && op == 0x0b)
      i.flow = Flow::End;
    i.divides = (*map == Map::One && (op == 0xf6 || op == 0xf7) && group >= 6) ||
                (*map == Map::Two && (op == 0x5e || op == 0x51));
  }
  if (code.ended || code.at > bytes.size())
    return {};
  i.length = unsigned(code.at);
  return i;
}

}  // namespace lento::program
