// The memory-mapped devices, each a file of 32-bit registers. All accesses are uncached words; see
// docs/formats/platform.md.
//
//   0x02000000  software interrupt of hart h at +4h; +0x4000 + 8h: timer compare (64 bits); +0xbff8: time
//   0x0c000000  interrupt controller: +0 pending sources, +0x100 + 4h enabled sources of hart h,
//               +0x200 + 4h claim: reading takes the lowest pending enabled source (0: none)
//   0x10000000  system: +0 console byte, +4 exit code, +8 harts, +12 seed, +16 line bytes,
//               +0x20 + 4i argument i
//   0x10000100  block device: +0 sector, +4 sectors, +8 address, +12 command (1 read), +16 status (1 busy,
//               2 done, 3 failed), +20 bytes on the device. Sectors of 512 bytes; source 1 when done
//   0x10000200  frame buffer: +0 address, +4 width, +8 height, +12 bytes per pixel, +16 commit
#pragma once

#include <array>
#include <vector>

#include "memory/platform/platform.h"

namespace lento::memory {

class Devices {
 public:
  static constexpr uint32_t kEnd = 0x20000000;  // device addresses lie below it
  static constexpr Cycles kSectorCycles = 100;  // cycles that the block device takes per sector
  static constexpr uint32_t kDiskSource = 1;

  Devices(const Platform& platform, const RunOptions& options, std::vector<uint8_t>& ram);

  // Performs a word access at `now`. Returns false when no register has this address.
  bool read(uint32_t address, Cycles now, uint32_t& value);
  bool write(uint32_t address, Cycles now, uint32_t value);

  bool exited() const {
    return exited_;
  }
  uint32_t exit_code() const {
    return exit_code_;
  }

  // Returns the interrupt lines of a hart as bits of mip.
  uint32_t interrupts(uint32_t hart, Cycles now);
  // Returns the next cycle at which the timer or the disk may raise an interrupt line of the hart that is in
  // `enabled` (bits of mie), UINT64_MAX when neither will.
  Cycles next_change(uint32_t hart, uint32_t enabled, Cycles now) const;

 private:
  bool read_system(uint32_t offset, uint32_t& value) const;
  bool write_system(uint32_t offset, uint32_t value);
  bool write_disk(uint32_t offset, Cycles now, uint32_t value);
  bool write_frame(uint32_t offset, Cycles now, uint32_t value);
  bool load_sectors();
  void finish_transfer(Cycles now);

  const Platform& platform_;
  const RunOptions& options_;
  std::vector<uint8_t>& ram_;
  struct Lines {
    bool software = false;
    uint32_t enabled = 0;
    uint64_t compare = UINT64_MAX;
  };
  std::vector<Lines> lines_;
  uint32_t pending_ = 0;
  std::array<uint32_t, 4> disk_ = {};  // sector, sectors, address, command
  uint32_t disk_status_ = 0;
  uint32_t disk_result_ = 0;
  Cycles disk_done_ = UINT64_MAX;
  std::array<uint32_t, 4> frame_ = {};  // address, width, height, bytes per pixel
  bool exited_ = false;
  uint32_t exit_code_ = 0;
};

}  // namespace lento::memory
