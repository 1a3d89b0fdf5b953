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
};  // Fixed prefers the lowest hart, Fcfs the earliest arrival

struct Platform {
  static constexpr const char* kSchema = "lento.platform/1";
  static constexpr int kMaxHarts = 64;

  int harts = 4;
  uint32_t memory_base = 0x80000000;
  uint32_t memory_bytes = 16u << 20;
  int banks = 1;         // lines are dealt to banks in turn
  int bank_cycles = 2;   // bus only: a transaction occupies its bank for so many cycles
  int bank_latency = 4;  // cycles of access time after the bus or bank port has served a transaction
  // The instruction and the data cache must have the same line size.
  CacheShape icache;
  CacheShape dcache;
  int write_buffer = 4;  // posted writes per hart
  Topology topology = Topology::Bus;
  Arbiter arbiter = Arbiter::RoundRobin;
  int read_cycles = 5;            // cycles that a line fill occupies the bus or bank port
  int write_cycles = 2;           // the same for a write, an atomic or an uncached access
  int hop_cycles = 1;             // cycles per mesh link; a packet has 1 flit, with a line line_bytes / 8
  int multiply_cycles = 1;        // cycles of a multiplication
  int divide_cycles = 8;          // cycles of a division or remainder; every other instruction takes one
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
  AccessSink* sink = nullptr;       // receives the trace, and advance() now and then; nullptr: no trace
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
  uint32_t exit_code = 0;  // the value that the guest wrote to the exit register, or to tohost >> 1
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
  Cycles interconnect_busy = 0;  // busy cycles, summed over the channels
  int channels = 1;
};

// Throws base::Error when the program does not fit the memory.
RunResult simulate(const riscv::ElfImage& program, const Platform& platform, const RunOptions& options = {});

struct ReplayResult {
  uint64_t accesses = 0;
  uint64_t folded = 0;  // addresses beyond 32 bits that were folded into the model's lines
  Cycles cycles = 0;
  std::vector<uint64_t> blame;  // as in RunResult, with one row per CPU of the trace
};

// Selects how long after the completion of its previous access a CPU issues the next one in a replay.
enum class ReplayGaps {
  Kept,  // the gap of the trace
  // The gap of the trace without the waits in it: the latency of the previous access beyond one cycle, and
  // the `blamed` cycles before this access. The replay starts after the last record is read.
  WithoutWaits
};
// Replays a trace through the caches, write buffers and interconnect of a platform. Each CPU issues its
// accesses in the order of the trace. The replay sets cycle, latency, culprit and service of a record and
// keeps its other fields. Rows of `blame` number the CPUs in order of appearance. Throws base::Error when the
// trace has more CPUs than platform.harts.
ReplayResult replay(
    AccessSource& source,
    const Platform& platform,
    AccessSink& sink,
    const base::Progress& progress = {},
    ReplayGaps gaps = ReplayGaps::Kept);

}  // namespace lento::memory
