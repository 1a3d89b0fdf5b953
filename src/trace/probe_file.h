// The probe-record file (docs/formats/probe.md): a line of magic, a line of JSON, then records, either 40
// bytes each or one text line each. Written by simulators and by real machines alike.
#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "base/read_report.h"
#include "trace/probe_record.h"

namespace lento::trace {

struct ProbeHeader {
  std::string chip;         // its name
  std::string mapping;      // its name
  uint32_t cores = 0;       // records of a core at or above it are skipped
  uint32_t inferences = 0;  // how many were run, records of later ones are skipped; 0: not known
  double clock_hz = 0;      // cycles a second
};

enum class ProbeForm {
  Binary,
  Text
};

// Appends records; the file appears at commit(). As a sink it costs nothing and drops nothing.
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
  ProbeForm form_;
  std::string buffer_;
};

// Reads either form, compressed or not, in bounded memory. Throws base::Error when the head is not that of a
// probe file of this version; broken records are skipped and counted in `report`.
class ProbeReader {
 public:
  ProbeReader(const std::string& path, base::ReadReport& report);
  ProbeReader(base::InputStream input, base::ReadReport& report);
  const ProbeHeader& header() const {
    return header_;
  }
  bool next(ProbeRecord& out);  // false at the end

 private:
  bool next_binary(ProbeRecord& out);
  bool next_text(ProbeRecord& out);
  bool accept(const ProbeRecord& record, const base::Location& where);

  std::unique_ptr<base::InputStream> input_;
  base::ReadReport& report_;
  ProbeHeader header_;
  ProbeForm form_ = ProbeForm::Binary;
  std::string block_;
  size_t used_ = 0;
  uint64_t index_ = 0;
};

// The 40 bytes, little-endian, in the order of the members.
void encode(const ProbeRecord& record, char* out);
ProbeRecord decode(const char* bytes);

}  // namespace lento::trace
