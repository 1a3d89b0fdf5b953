// Writes probe records as a trace for chrome://tracing and Perfetto: one process per core, tracks for each
// kind of record, times in microseconds of the chip's clock.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "chip/map/mapping.h"
#include "chip/read/probe_record.h"
#include "spec/chip.h"

namespace lento::chip {

class ChromeTrace : public RecordSink {
 public:
  ChromeTrace(const std::string& path, const Mapping& mapping, const spec::Chip& chip);
  Outcome record(const ProbeRecord& r) override;
  void commit();  // the file appears here

 private:
  size_t track(const ProbeRecord& r);

  base::OutputFile file_;
  std::vector<std::vector<uint64_t>> lanes_;  // [core and kind][lane]: end of its last record, in cycles
  std::vector<std::string> names_;            // names of layers in JSON quotes, by layer id
  double microseconds_;                       // length of a cycle
  std::string buffer_;
};

// Passes every record to two sinks. The cost is the sum, and a record counts as dropped when either dropped
// it.
class Tee : public RecordSink {
 public:
  Tee(RecordSink& a, RecordSink& b)
      : a_(a),
        b_(b) {
  }
  Outcome record(const ProbeRecord& r) override {
    const Outcome a = a_.record(r);
    const Outcome b = b_.record(r);
    return {a.cost_cycles + b.cost_cycles, a.dropped || b.dropped};
  }

 private:
  RecordSink& a_;
  RecordSink& b_;
};

}  // namespace lento::chip
