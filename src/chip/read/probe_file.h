// Reads and writes the probe-record file (docs/formats/probe.md): a magic line, a JSON line, then records
// that are binary (40 bytes each, 44 with several chips) or one text line each. Version 3 is binary with a
// checksum after each block of records. Versions 1 and 2 have no checksum. Simulators and real machines
// write the same file.
//
// A file of version 2 is of several chips. Its records name chip and core, and their times are cycles of the
// chip that wrote them. In memory, cores and DRAM ports are numbered over all chips and times are cycles of
// the header's clock. Reader and writer convert.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/read_report.h"
#include "chip/read/probe_record.h"

namespace lento::chip {

struct ProbeHeader {
  std::string chip;         // name of the chip
  std::string mapping;      // name of the mapping
  uint32_t cores = 0;       // of all chips; records of a core at or above it are skipped
  uint32_t inferences = 0;  // number that were run, later records are skipped; 0: unknown
  double clock_hz = 0;      // cycles per second
  uint32_t chips = 1;       // number of equal chips; above 1 each record names its chip
  uint32_t ports = 0;       // DRAM ports of all chips; several chips only
  // Clock of each chip, for several chips only. Empty: all run at clock_hz. Counters start at the same
  // instant.
  std::vector<double> clocks_hz = {};
};

enum class ProbeForm {
  Binary,     // version 3
  Text,       // version 1, or 2 for several chips
  Unchecked,  // binary of version 1 or 2, for older readers
};

// Appends records to a file, which appears at commit(). Costs the simulated core no cycles and drops no
// record. Precondition: `chips` divides cores and ports, and clocks_hz is empty or has one entry for each
// chip.
class ProbeWriter : public RecordSink {
 public:
  ProbeWriter(const std::string& path, const ProbeHeader& header, ProbeForm form = ProbeForm::Binary);
  void write(const ProbeRecord& record);
  Outcome record(const ProbeRecord& r) override {
    write(r);
    return {};
  }
  void commit();

 private:
  void flush();
  base::OutputFile file_;
  ProbeHeader header_;
  ProbeForm form_;
  std::string buffer_;
};

// Reads every version, compressed or not, in bounded memory. Throws base::Error when the header is not one
// of version 1 to 3. Invalid records and blocks with a wrong checksum are skipped and counted in `report`.
class ProbeReader {
 public:
  ProbeReader(const std::string& path, base::ReadReport& report);
  ProbeReader(base::InputStream input, base::ReadReport& report);
  const ProbeHeader& header() const {
    return header_;
  }
  bool next(ProbeRecord& out);  // false at the end
  const std::string& path() const {
    return input_->path();
  }

 private:
  struct Placed;
  bool next_binary(Placed& out);
  bool next_block();
  bool next_text(Placed& out);
  bool accept(Placed& placed, const base::Location& where);

  std::unique_ptr<base::InputStream> input_;
  base::ReadReport& report_;
  ProbeHeader header_;
  ProbeForm form_ = ProbeForm::Binary;
  bool several_ = false;  // of several chips
  bool checked_ = false;  // version 3, with checksums
  std::string block_;
  size_t used_ = 0;
  uint64_t index_ = 0;
};

// Encodes a record as 40 bytes: the members in their order, little-endian. decode() is the inverse.
void encode(const ProbeRecord& record, char* out);
ProbeRecord decode(const char* bytes);

}  // namespace lento::chip
