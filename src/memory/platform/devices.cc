// Implements the register files of the devices (devices.h lists the registers). The guest's values are
// untrusted: addresses, sizes and frames are checked against the memory before they are used.
#include "memory/platform/devices.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "memory/platform/order.h"
#include "riscv/hart.h"

namespace lento::memory {
namespace {

constexpr uint32_t kTimer = 0x02000000;
constexpr uint32_t kController = 0x0c000000;
constexpr uint32_t kSystem = 0x10000000;
constexpr uint32_t kDisk = 0x10000100;
constexpr uint32_t kFrame = 0x10000200;
constexpr uint64_t kSector = 512;
constexpr uint64_t kMaxFrameBytes = 64u << 20;

// Replaces the low or high word of a 64-bit register.
void set_half(uint64_t& reg, bool high, uint32_t value) {
  reg = high ? (reg & 0xffffffffu) | (uint64_t{value} << 32) : (reg & ~uint64_t{0xffffffffu}) | value;
}

}  // namespace

Devices::Devices(const Platform& platform, const RunOptions& options, std::vector<uint8_t>& ram)
    : platform_(platform),
      options_(options),
      ram_(ram),
      lines_(size_t(platform.harts)) {
}

void Devices::finish_transfer(Cycles now) {
  if (now < disk_done_)
    return;
  disk_done_ = UINT64_MAX;
  disk_status_ = disk_result_;
  pending_ |= 1u << kDiskSource;
}

uint32_t Devices::interrupts(uint32_t hart, Cycles now) {
  finish_transfer(now);
  const Lines& l = lines_[hart];
  return (l.software ? riscv::kSoftwareBit : 0) | (now >= l.compare ? riscv::kTimerBit : 0) |
         (pending_ & l.enabled ? riscv::kExternalBit : 0);
}

Cycles Devices::next_change(uint32_t hart, uint32_t enabled, Cycles now) const {
  const Lines& l = lines_[hart];
  Cycles next = UINT64_MAX;
  if ((enabled & riscv::kTimerBit) && l.compare > now && l.compare < Order::kEnd)
    next = l.compare;
  if ((enabled & riscv::kExternalBit) && (l.enabled >> kDiskSource & 1))
    next = std::min(next, disk_done_);
  return next;
}

// Reads a register of the system: number of harts, seed, line size in bytes, and arguments of the program.
bool Devices::read_system(uint32_t offset, uint32_t& value) const {
  if (offset == 8) {
    value = uint32_t(platform_.harts);
    return true;
  }
  if (offset == 12) {
    value = uint32_t(options_.seed);
    return true;
  }
  if (offset == 16) {
    value = uint32_t(platform_.dcache.line_bytes);
    return true;
  }
  if (offset < 0x20 || offset >= 0x40)
    return false;
  const size_t index = (offset - 0x20) / 4;
  value = index < options_.arguments.size() ? options_.arguments[index] : 0;
  return true;
}

bool Devices::read(uint32_t address, Cycles now, uint32_t& value) {
  finish_transfer(now);
  value = 0;
  if (address % 4)
    return false;
  const size_t harts = lines_.size();
  if (address >= kTimer && address < kTimer + 4 * harts) {
    value = lines_[(address - kTimer) / 4].software;
    return true;
  }
  if (address >= kTimer + 0x4000 && address < kTimer + 0x4000 + 8 * harts) {
    const uint32_t offset = address - kTimer - 0x4000;
    value = uint32_t(lines_[offset / 8].compare >> (offset & 4 ? 32 : 0));
    return true;
  }
  if (address == kTimer + 0xbff8) {
    value = uint32_t(now);
    return true;
  }
  if (address == kTimer + 0xbffc) {
    value = uint32_t(now >> 32);
    return true;
  }
  if (address == kController) {
    value = pending_;
    return true;
  }
  if (address >= kController + 0x100 && address < kController + 0x100 + 4 * harts) {
    value = lines_[(address - kController - 0x100) / 4].enabled;
    return true;
  }
  if (address >= kController + 0x200 && address < kController + 0x200 + 4 * harts) {
    const uint32_t ready = pending_ & lines_[(address - kController - 0x200) / 4].enabled;
    if (ready) {
      value = uint32_t(std::countr_zero(ready));
      pending_ &= ~(1u << value);
    }
    return true;
  }
  if (address >= kDisk && address < kDisk + 16) {
    value = disk_[(address - kDisk) / 4];
    return true;
  }
  if (address == kDisk + 16) {
    value = disk_status_;
    return true;
  }
  if (address == kDisk + 20) {
    value = uint32_t(options_.disk.size());
    return true;
  }
  return address >= kSystem && address < kDisk && read_system(address - kSystem, value);
}

bool Devices::write_system(uint32_t offset, uint32_t value) {
  if (offset == 0) {
    const char c = char(value);
    if (options_.console)
      options_.console({&c, 1});
    return true;
  }
  if (offset != 4)
    return false;
  exited_ = true;
  exit_code_ = value;
  return true;
}

// Copies sectors of the disk to memory. Returns false for an invalid range.
bool Devices::load_sectors() {
  const uint64_t from = disk_[0] * kSector;
  const uint64_t to = uint64_t{disk_[2]} - platform_.memory_base;
  const uint64_t bytes = disk_[1] * kSector;
  if (disk_[2] < platform_.memory_base || to > ram_.size() || bytes > ram_.size() - to)
    return false;
  if (from > options_.disk.size())
    return false;
  const uint64_t there = std::min<uint64_t>(bytes, options_.disk.size() - from);
  std::memcpy(ram_.data() + to, options_.disk.data() + from, there);
  std::memset(ram_.data() + to + there, 0, bytes - there);
  return true;
}

bool Devices::write_disk(uint32_t offset, Cycles now, uint32_t value) {
  if (offset > 12 || disk_status_ == 1)
    return offset <= 12;  // a busy device ignores writes
  disk_[offset / 4] = value;
  if (offset != 12)
    return true;
  disk_result_ = value == 1 && load_sectors() ? 2 : 3;
  disk_status_ = 1;
  disk_done_ = now + 1 + (disk_result_ == 2 ? disk_[1] * kSectorCycles : 0);
  return true;
}

// Writes a register of the frame buffer. The commit register passes the picture to RunOptions::frame. Returns
// false for an unknown register or an invalid picture.
bool Devices::write_frame(uint32_t offset, Cycles now, uint32_t value) {
  if (offset < 16) {
    frame_[offset / 4] = value;
    return true;
  }
  if (offset != 16)
    return false;
  const auto [address, width, height, depth] = frame_;
  const uint64_t bytes = uint64_t{width} * height;
  const uint64_t at = uint64_t{address} - platform_.memory_base;
  const bool sane = (depth == 1 || depth == 3) && bytes > 0 && bytes <= kMaxFrameBytes &&
                    address >= platform_.memory_base && at <= ram_.size() &&
                    bytes * depth <= ram_.size() - at;
  if (!sane)
    return false;
  if (options_.frame) {
    options_.frame(
        {width,
         height,
         depth,
         std::string(reinterpret_cast<const char*>(ram_.data()) + at, bytes * depth),
         now});
  }
  return true;
}

// Writes a device register. Returns false for an unknown address.
bool Devices::write(uint32_t address, Cycles now, uint32_t value) {
  finish_transfer(now);
  if (address % 4)
    return false;
  const size_t harts = lines_.size();
  if (address >= kTimer && address < kTimer + 4 * harts)
    return lines_[(address - kTimer) / 4].software = value & 1, true;
  if (address >= kTimer + 0x4000 && address < kTimer + 0x4000 + 8 * harts) {
    const uint32_t offset = address - kTimer - 0x4000;
    return set_half(lines_[offset / 8].compare, offset & 4, value), true;
  }
  if (address >= kController + 0x100 && address < kController + 0x100 + 4 * harts) {
    return lines_[(address - kController - 0x100) / 4].enabled = value, true;
  }
  if (address >= kSystem && address < kDisk)
    return write_system(address - kSystem, value);
  if (address >= kDisk && address < kFrame)
    return write_disk(address - kDisk, now, value);
  return address >= kFrame && address < kFrame + 0x100 && write_frame(address - kFrame, now, value);
}

}  // namespace lento::memory
