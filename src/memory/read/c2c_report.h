// Reads the text of `perf c2c report --stdio` (docs/formats/c2c.md): the cache lines that moved between
// caches, and the code and offsets that used them. The report is a summary and no trace: it does not state
// which threads used a line at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_report.h"

namespace lento::memory {

// One row: an offset and the code that used it. Shares are of the line's loads of each kind, 0..1.
struct C2cUse {
  uint32_t offset = 0;
  uint64_t pc = 0;
  double remote = 0;  // loads of a line that was modified in a cache of another node
  double local = 0;   // ... of the same node
  double peer = 0;    // ... or forwarded by a cache (Arm)
  double stores = 0;  // the largest share of one kind of store
  // Mean cycles, or 0 when none was sampled.
  uint64_t remote_cycles = 0;
  uint64_t local_cycles = 0;
  uint64_t records = 0;
  uint64_t cpus = 0;
  std::string symbol;
  std::string object;                // program or library
  std::string source;                // "file.c:12"
  std::vector<std::string> callers;  // innermost first, where call graphs were printed
};

struct C2cLine {
  uint64_t address = 0;
  uint64_t remote = 0;
  uint64_t local = 0;
  uint64_t peers = 0;
  uint64_t stores = 0;
  std::vector<C2cUse> uses;
  uint64_t taken() const {
    return remote + local + peers;
  }
};

struct C2cReport {
  uint64_t records = 0;
  uint64_t loads = 0;
  uint64_t stores = 0;
  uint64_t local = 0;
  uint64_t remote = 0;
  uint64_t peers = 0;
  uint64_t unparsed = 0;       // samples whose data source perf could not read
  std::vector<C2cLine> lines;  // in the order of the report
};

bool is_c2c_report(std::string_view head);

// Reads the report. Lines that are no rows are skipped and counted. Throws base::Error naming `path` when the
// text holds none of the report's tables.
C2cReport parse_c2c_report(std::string_view text, const std::string& path, base::ReadReport& report);

}  // namespace lento::memory
