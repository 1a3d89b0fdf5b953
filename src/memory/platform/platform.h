// A shared-memory multiprocessor: 1 to 64 RV32IMA harts with caches and write buffers, an interconnect with
// an explicit arbiter, banked memory and devices. Bit-exact and repeatable. docs/formats/platform.md
// describes the configuration, the timing rules and the closed forms that tests assert.
//
//   Platform platform = read_platform("quad.yaml");
//   RunResult result = simulate(riscv::read_elf("guest.elf"), platform, options);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/read_report.h"
#include "memory/read/access_record.h"
#include "riscv/elf.h"
#include "spec/yaml.h"

namespace lento::memory {

using Cycles = uint64_t;

struct CacheShape {
  int bytes = 8192;
  int ways = 2;
  int line_bytes = 32;
};

enum class Topology : uint8_t {
  Bus,       // one transaction at a time takes the bus, then its bank
  Crossbar,  // one arbiter per bank, no conflict between different banks
  Mesh,      // harts and banks on a 2-D mesh, XY routing, an arbiter at every bank
};
enum class Arbiter : uint8_t {
  RoundRobin,
  Fixed,
  Fcfs
};  // Fixed: the lowest hart first

struct Platform {
  static constexpr const char* kSchema = "lento.platform/1";
  static constexpr int kMaxHarts = 64;

  int harts = 4;
  uint32_t memory_base = 0x80000000;
  uint32_t memory_bytes = 16u << 20;
  int banks = 1;         // lines are dealt to banks in turn
  int bank_cycles = 2;   // a bank is busy that long with a transaction (bus)
  int bank_latency = 4;  // from the start in the bank to the data at the core
  // Both have the same line size.
  CacheShape icache;
  CacheShape dcache;
  int write_buffer = 4;  // posted writes per hart
  Topology topology = Topology::Bus;
  Arbiter arbiter = Arbiter::RoundRobin;
  int read_cycles = 5;      // a line fill occupies the bus (or bank port) that long
  int write_cycles = 2;     // a write, or an atomic's request
  int hop_cycles = 1;       // mesh: per link, and a packet holds a link for its flits: 1, or a line / 8 bytes
  int multiply_cycles = 1;  // of a multiplication and
  int divide_cycles = 8;    // a division; every other instruction takes one cycle
  bool trace_every_fetch = true;  // false: only fetches that enter another cache line are recorded
};

// Reads `schema: lento.platform/1`. Absent keys keep the defaults. Throws base::Error with all mistakes.
Platform read_platform(const std::string& path);
Platform parse_platform(const spec::YamlNode& node);

// A frame that the guest handed to the frame buffer: `bytes_per_pixel` 1 (grey) or 3 (RGB).
struct Frame {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t bytes_per_pixel = 1;
  std::string pixels;
  Cycles at = 0;
};

struct RunOptions {
  AccessSink* sink = nullptr;       // takes the trace; gets advance() now and then
  std::string disk;                 // content of the block device
  uint64_t seed = 1;                // the guest reads its low 32 bits
  std::vector<uint32_t> arguments;  // the guest reads up to 8 words
  Cycles max_cycles = UINT64_MAX;
  std::function<void(std::string_view)> console;  // gets what the guest prints
  std::function<void(const Frame&)> frame;        // gets every committed frame
  base::Progress progress;
};

enum class Ending : uint8_t {
  Exit,
  CycleLimit,
  Deadlock,
  Stopped
};

struct RunResult {
  Ending ending = Ending::Exit;
  uint32_t exit_code = 0;  // what the guest wrote to the exit register, or (tohost >> 1)
  Cycles cycles = 0;
  uint64_t instructions = 0;
  struct HartResult {
    uint64_t instructions = 0;
    uint64_t ifetch_misses = 0;
    uint64_t loads = 0;
    uint64_t load_misses = 0;
    uint64_t coherence_misses = 0;
    uint64_t stores = 0;
    uint64_t store_stalls = 0;
    uint64_t atomics = 0;
    Cycles stalled = 0;  // cycles beyond one per instruction spent waiting for memory
  };
  std::vector<HartResult> harts;
  // blame[victim * harts + culprit]: cycles that the culprit's transactions kept the victim waiting.
  std::vector<uint64_t> blame;
  Cycles interconnect_busy = 0;  // summed over the channels
  int channels = 1;
};

// Throws base::Error when the program does not fit the memory.
RunResult simulate(const riscv::ElfImage& program, const Platform& platform, const RunOptions& options = {});

struct ReplayResult {
  uint64_t accesses = 0;
  uint64_t folded = 0;  // addresses beyond 32 bits that were folded into the model's lines
  Cycles cycles = 0;
  std::vector<uint64_t> blame;  // as above
};

// Replays a trace without latency through the same caches, write buffers and interconnect. Each CPU keeps its
// own order. It issues an access no earlier than its own cycle in the trace allows: the gap to its previous
// access, counted from that one's completion. Latency, culprit and service are filled in, and other fields
// are kept. CPUs are numbered anew in order of appearance. More than platform.harts of them are a
// base::Error.
enum class ReplayGaps {
  Kept,  // as above
  // The trace's own waits are subtracted: latencies beyond one cycle, and `blamed` cycles before the access.
  // All records are held until the end.
  WithoutWaits
};
ReplayResult replay(
    AccessSource& source,
    const Platform& platform,
    AccessSink& sink,
    const base::Progress& progress = {},
    ReplayGaps gaps = ReplayGaps::Kept);

}  // namespace lento::memory
