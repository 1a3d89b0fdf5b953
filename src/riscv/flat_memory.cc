// Implements the slow paths of a sparse memory: pages that are touched for the first time, and accesses that
// cross a page. Pages are allocated inside mapped ranges only, so a wild store of a guest faults.
#include "riscv/flat_memory.h"

#include <algorithm>

namespace lento::riscv {

FlatMemory::Page* FlatMemory::make(uint32_t address) {
  for (const auto& [begin, end] : ranges_) {
    if (address >= begin && address < end)
      return pages_.insert(address, std::make_unique<Page>());
  }
  return nullptr;
}

bool FlatMemory::read_slow(uint32_t address, unsigned size, uint32_t& value) {
  value = 0;
  for (unsigned i = 0; i < size; ++i) {
    const uint32_t at = address + i;
    const uint8_t* bytes = page(at);
    if (!bytes)
      return false;
    value |= uint32_t{bytes[at % kPageBytes]} << (8 * i);
  }
  return true;
}

bool FlatMemory::write_slow(uint32_t address, unsigned size, uint32_t value) {
  if (!page(address) || !page(address + size - 1))
    return false;
  for (unsigned i = 0; i < size; ++i)
    page(address + i)[(address + i) % kPageBytes] = uint8_t(value >> (8 * i));
  return true;
}

bool FlatMemory::copy_in(uint32_t address, std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t count = std::min<size_t>(bytes.size(), kPageBytes - address % kPageBytes);
    uint8_t* to = page(address);
    if (!to)
      return false;
    std::memcpy(to + address % kPageBytes, bytes.data(), count);
    address += uint32_t(count);
    bytes.remove_prefix(count);
  }
  return true;
}

}  // namespace lento::riscv
