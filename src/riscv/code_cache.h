// Predecoded instructions by page. A word is decoded when it is first executed. A store into a decoded word
// marks its entry undecoded, so code may be rewritten at any time, with or without fence.i.
#pragma once

#include <cstring>

#include "riscv/instruction.h"
#include "riscv/page_table.h"

namespace lento::riscv {

class CodeCache {
 public:
  static constexpr uint32_t kWords = kPageBytes / 4;
  // An instruction that writes x0 is stored with rd = 32 (see Hart::x). The last entry stays undecoded and
  // marks the end of the page.
  struct Page {
    Instruction ops[kWords + 1];
    const uint8_t* bytes = nullptr;
  };

  explicit CodeCache(const Extensions& extensions = {})
      : extensions_(extensions) {
  }

  Page* find(uint32_t address) const {
    return pages_.find(address);
  }

  // Adds the page around `address`. `bytes` is the memory behind it and must stay where it is.
  Page* add(uint32_t address, const uint8_t* bytes) {
    auto page = std::make_unique<Page>();
    for (Instruction& op : page->ops)
      op.op = Op::Undecoded;
    page->bytes = bytes;
    return pages_.insert(address, std::move(page));
  }

  void decode_at(Page& page, uint32_t index) const {
    page.ops[index] = decoded(page, index);
  }
  Instruction decoded(const Page& page, uint32_t index) const {
    Instruction entry = decode(word_at(page, index), extensions_);
    if (entry.rd == 0)
      entry.rd = 32;
    return entry;
  }

  static uint32_t word_at(const Page& page, uint32_t index) {
    uint32_t word;
    std::memcpy(&word, page.bytes + 4 * index, 4);
    return word;
  }

  // Returns whether a word of [address, address + size) is decoded. Size is at most 4.
  bool holds(uint32_t address, unsigned size) const {
    return is_decoded(address) || is_decoded(address + size - 1);
  }

  // Marks [address, address + size) undecoded after a store. Size is at most 4.
  void written(uint32_t address, unsigned size) {
    if (Page* page = pages_.find(address)) [[unlikely]]
      page->ops[(address >> 2) % kWords].op = Op::Undecoded;
    const uint32_t last = address + size - 1;
    if ((last ^ address) >> 2) [[unlikely]] {
      if (Page* page = pages_.find(last))
        page->ops[(last >> 2) % kWords].op = Op::Undecoded;
    }
  }

 private:
  bool is_decoded(uint32_t address) const {
    const Page* page = pages_.find(address);
    return page && page->ops[(address >> 2) % kWords].op != Op::Undecoded;
  }

  PageTable<Page> pages_;
  Extensions extensions_;
};

}  // namespace lento::riscv
