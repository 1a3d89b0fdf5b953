// Sparse byte memory over the 32-bit address space. Mapped ranges are RAM, and a page is allocated when it is
// first touched.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "riscv/page_table.h"

namespace lento::riscv {

class FlatMemory {
 public:
  // Maps [begin, end) as RAM, rounded out to pages. Ranges may touch and overlap.
  void map(uint32_t begin, uint64_t end) {
    ranges_.emplace_back(begin & ~(kPageBytes - 1), (end + kPageBytes - 1) & ~uint64_t{kPageBytes - 1});
  }

  // Returns the bytes of the page around `address`, or nullptr where there is no RAM. The pointer is valid as
  // long as the memory.
  uint8_t* page(uint32_t address) {
    Page* page = pages_.find(address);
    if (!page) [[unlikely]]
      page = make(address);
    return page ? page->data() : nullptr;
  }

  // Reads or writes 1, 2 or 4 bytes, little-endian, at any alignment. Returns false where a byte is no RAM.
  bool read(uint32_t address, unsigned size, uint32_t& value) {
    const uint32_t offset = address % kPageBytes;
    const Page* page = pages_.find(address);
    if (!page || offset + size > kPageBytes) [[unlikely]]
      return read_slow(address, size, value);
    value = 0;
    std::memcpy(&value, page->data() + offset, size);
    return true;
  }
  bool write(uint32_t address, unsigned size, uint32_t value) {
    const uint32_t offset = address % kPageBytes;
    Page* page = pages_.find(address);
    if (!page || offset + size > kPageBytes) [[unlikely]]
      return write_slow(address, size, value);
    std::memcpy(page->data() + offset, &value, size);
    return true;
  }

  // Copies bytes into mapped RAM. Returns false when a part is not mapped.
  bool copy_in(uint32_t address, std::string_view bytes);

 private:
  using Page = std::array<uint8_t, kPageBytes>;
  Page* make(uint32_t address);
  bool read_slow(uint32_t address, unsigned size, uint32_t& value);
  bool write_slow(uint32_t address, unsigned size, uint32_t value);

  PageTable<Page> pages_;
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;
};

}  // namespace lento::riscv
