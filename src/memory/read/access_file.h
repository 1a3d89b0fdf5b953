// The binary access trace, kind `LENTOACC` (docs/formats/access.md): compressed chunks that can be read
// alone, each with check sums, and an index at the end for seeking, threads and resuming.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::memory {

struct AccessFileOptions {
  uint32_t chunk_events = 1u << 15;
  int level = 3;  // zstd
};

// Writes a trace. The records of one CPU must come in its order. Records of different CPUs may come in any
// order, but none before the cycle that advance() last promised. Without calls of advance(), records must
// come in trace order.
class AccessFileWriter : public AccessSink {
 public:
  explicit AccessFileWriter(const std::string& path, const AccessFileOptions& options = {});
  ~AccessFileWriter() override;  // without finish() nothing appears under the path

  void record(const AccessRecord& record) override;
  void advance(uint64_t cycle) override;
  // Sets the facts of the trace as a whole. finish() writes them.
  void set_facts(const program::TraceFacts& facts);
  // Writes the remaining records, the facts, the index and the trailer.
  void finish();

  uint64_t events() const;
  uint64_t bytes() const;  // written so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// An open trace file. Several threads may call read_chunk at once.
class AccessFile {
 public:
  struct Chunk {
    uint64_t offset = 0;  // of the chunk header
    // The first and the last cycle, both included.
    uint64_t first_cycle = 0;
    uint64_t last_cycle = 0;
    uint32_t events = 0;
  };

  // Returns true when the file starts with this format's magic, and false also when it cannot be read.
  static bool recognises(const std::string& path);

  // Reads the index. A file that was cut off has none: it is indexed by walking its chunks, which the report
  // counts. Throws base::Error when it is no access trace.
  AccessFile(const std::string& path, base::ReadReport& report);
  ~AccessFile();

  const std::string& path() const;
  const std::vector<Chunk>& chunks() const;
  uint64_t events() const;

  // Adds the facts that the file holds of its trace. Damaged facts add nothing.
  void read_facts(program::TraceFacts& facts) const;

  // Reads the records of chunk `index` in trace order. Returns false and an empty `out` when its bytes are
  // damaged.
  bool read_chunk(size_t index, std::vector<AccessRecord>& out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Streams the chunks [begin, end) of an open file. Damaged chunks are skipped and counted.
class AccessFileSource : public AccessSource {
 public:
  AccessFileSource(const AccessFile& file, base::ReadReport& report, size_t begin = 0, size_t end = SIZE_MAX);
  std::span<const AccessRecord> next() override;
  size_t position() const {
    return at_;
  }  // the chunk that comes next: where to resume

 private:
  const AccessFile& file_;
  base::ReadReport& report_;
  size_t at_;
  size_t end_;
  std::vector<AccessRecord> records_;
};

}  // namespace lento::memory
