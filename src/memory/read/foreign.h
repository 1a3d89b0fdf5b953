// Reads access traces of other tools as Lento's records, in bounded memory (docs/formats/foreign-traces.md).
//
//   name        written by                         latency  time
//   paper       one line per access, column map     yes      cycles
//   perf        perf script                        yes      ns
//   perf.data   perf record (PEBS, IBS, SPE)       yes      ns
//   memaxes     Mitos / MemAxes CSV                yes      counter ticks
//   gem5        MemTraceProbe packets              joined   ticks
//   drmemtrace  DynamoRIO, one zip per thread        no       us, from markers
//   lackey      valgrind --tool=lackey             no       order
//   champsim    64-byte instruction records        no       order
//   c2c         perf c2c report                    a summary (c2c_report.h): recognised here, not opened
//
// Lines that lack a field a record needs are skipped and counted with the reason.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_report.h"
#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::memory {

std::string foreign_formats();  // the names above, joined by commas

// Names the format by magic, first lines or file name, and "text" for Lento's own. Throws base::Error when
// none fits.
std::string recognise_foreign(const std::string& path);

// Opens a trace. `columns` is the order of the columns of a text trace in the layout of Lagraa et al. (format
// paper), empty for the default. Facts of the trace, such as names and mappings, are added to `facts` while
// it is read, unless that is null. Throws base::Error for an unknown format. `facts` must outlive the source.
std::unique_ptr<AccessSource> open_foreign(
    const std::string& format,
    const std::string& path,
    const std::string& columns,
    base::ReadReport& report,
    program::TraceFacts* facts = nullptr);

std::unique_ptr<AccessSource>
open_paper_text(const std::string& path, const std::string& columns, base::ReadReport& report);
std::unique_ptr<AccessSource>
open_perf_script(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);
std::unique_ptr<AccessSource>
open_perf_data(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);
std::unique_ptr<AccessSource>
open_memaxes(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);
std::unique_ptr<AccessSource>
open_gem5(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);
std::unique_ptr<AccessSource>
open_drmemtrace(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);
std::unique_ptr<AccessSource>
open_lackey(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);
std::unique_ptr<AccessSource>
open_champsim(const std::string& path, base::ReadReport& report, program::TraceFacts* facts = nullptr);

// A source that fills one batch at a time. An empty batch ends it.
class BatchSource : public AccessSource {
 public:
  std::span<const AccessRecord> next() override {
    batch_.clear();
    fill(batch_);
    return batch_;
  }

 protected:
  static constexpr size_t kBatch = 4096;
  virtual void fill(std::vector<AccessRecord>& out) = 0;

 private:
  std::vector<AccessRecord> batch_;
};

// The parts of perf's data_src word (linux/perf_event.h) that a record can hold.
struct PerfDataSource {
  enum class Level : uint8_t {
    Unknown,
    L1,
    L2,
    L3,
    Buffer,
    Memory,
    Other
  };
  bool load = false;
  bool store = false;
  bool prefetch = false;
  bool fetch = false;
  bool locked = false;
  bool remote = false;  // of another node
  // The line came from another cache: forwarded, or modified there (HitM).
  bool peer = false;
  bool modified = false;
  Level level = Level::Unknown;
};
PerfDataSource decode_perf_data_source(uint64_t word);
Service service_of(const PerfDataSource& source);
// Copies the type, and the part of the machine that served the access, from the word into the record. A word
// that names no operation leaves the type.
void apply_perf_data_source(uint64_t word, AccessRecord& record);

}  // namespace lento::memory
