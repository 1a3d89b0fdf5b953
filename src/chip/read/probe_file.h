// The probe-record file (docs/formats/probe.md): a line of magic, a line of JSON, then records, either binary
// (40 bytes each, 44 where there are several chips) or one text line each. Version 3 is binary with a check
// sum after each block of records, versions 1 and 2 have none. Written by simulators and by real machines
// alike.
//
// A file of version 2 is of several chips: its records say chip and core, and their times are cycles of the
// chip that wrote them. In memory there is one numbering and one clock: cores and DRAM ports count chip by
// chip, times are cycles of the header's clock. Both ends of the file translate.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/read_report.h"
#include "chip/read/probe_record.h"

namespace lento::chip {

struct ProbeHeader {
  std::string chip;         // its name
  std::string mapping;      // its name
  uint32_t cores = 0;       // of all chips; records of a core at or above it are skipped
  uint32_t inferences = 0;  // how many were run, records of later ones are skipped; 0: not known
  double clock_hz = 0;      // cycles a second
  uint32_t chips = 1;       // equal ones; above 1: each record names its chip
  uint32_t ports = 0;       // DRAM ports of all chips; several chips only
  // By chip, several chips only; empty: every chip runs at clock_hz. Counted from the same instant.
  std::vector<double> clocks_hz = {};
};

enum class ProbeForm {
  Binary,     // version 3
  Text,       // version 1, of several chips 2
  Unchecked,  // binary of version 1 or 2, for readers that know no other
};

// Appends records; the file appears at commit(). As a sink it costs nothing and drops nothing.
// Precondition: `chips` divides cores and ports; clocks_hz, where given, has one for each.
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

// Reads every form, compressed or not, in bounded memory. Throws base::Error when the head is not that of a
// probe file of version 1 to 3. Broken records and blocks whose check sum is wrong are skipped and counted in
// `report`.
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
  bool several_ = false;  // chips
  bool checked_ = false;  // version 3
  std::string block_;
  size_t used_ = 0;
  uint64_t index_ = 0;
};

// The 40 bytes, little-endian, in the order of the members.
void encode(const ProbeRecord& record, char* out);
ProbeRecord decode(const char* bytes);

}  // namespace lento::chip
