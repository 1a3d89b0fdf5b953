// Implements the loads and stores of a tile program. An access to an address that memory.h does not list for
// it is a fault.
#include "tile/unit/memory.h"

#include <cstring>
#include <numeric>

namespace lento::tile {

std::string_view drop_name(Drop drop) {
  static constexpr std::string_view kNames[kDrops] =
      {"main was running", "paused", "outside the trigger region", "finalizing", "error state"};
  return kNames[int(drop)];
}

uint64_t TileCounters::total_dropped() const {
  return std::accumulate(dropped.begin(), dropped.end(), uint64_t{0});
}

// Returns the control register at this offset in bytes from kControlBase.
uint32_t TileMemory::control(uint32_t offset) const {
  const uint32_t words[] = {
      status,
      trigger_start,
      trigger_end,
      address,
      uint32_t(counters.cycles),
      uint32_t(counters.cycles >> 32)};
  if (offset < sizeof words)
    return words[offset / 4];
  const uint32_t index = uint32_t((offset - sizeof words) / 4);
  return index < kDrops ? uint32_t(counters.dropped[index]) : arrival;
}

uint32_t TileMemory::read_io(uint32_t index) {
  counters.io_read |= 1u << index;
  return io[index];
}

Reach TileMemory::load(uint32_t at, unsigned size, uint32_t& value) {
  if (at & (size - 1))
    return Reach::Fault;
  value = 0;
  if ((at & 0xffff8000) == 0x8000) {
    std::memcpy(&value, scratchpad.data() + (at - 0x8000), size);
    return Reach::Done;
  }
  const unsigned shift = 8 * (at & 3);
  uint32_t word = 0;
  if (at - kIoBase < 4 * kIoRegs)
    word = read_io((at - kIoBase) / 4);
  else if ((at & ~3u) == kValidAddress)
    word = valid;
  else if (at - kSoftBase < 4 * kSoftRegs)
    word = soft ? soft->read((at - kSoftBase) / 4) : 0;
  else if (at - kControlBase < kControlBytes)
    word = control((at - kControlBase) & ~3u);
  else
    return Reach::Fault;
  value = size == 4 ? word : (word >> shift) & ((1u << (8 * size)) - 1);
  return Reach::Done;
}

// Stores the low `size` bytes of a value. Returns Full when the output FIFO has no room, and Fault when the
// address is misaligned or not writable.
Reach TileMemory::store(uint32_t at, unsigned size, uint32_t value) {
  if (at & (size - 1))
    return Reach::Fault;
  if ((at & 0xffff8000) == 0x8000) {
    std::memcpy(scratchpad.data() + (at - 0x8000), &value, size);
    return Reach::Done;
  }
  if ((at & 0xfffff000) == kFifoBase) {
    if (!room(size))
      return Reach::Full;
    push(reinterpret_cast<const char*>(&value), size);
    return Reach::Done;
  }
  if (at - kSoftBase < 4 * kSoftRegs && size == 4) {
    if (soft)
      soft->write((at - kSoftBase) / 4, value);
    return Reach::Done;
  }
  return Reach::Fault;
}

void TileMemory::push(const char* bytes, size_t count) {
  fifo_.append(bytes, count);
  counters.output_bytes += count;
}

}  // namespace lento::tile
