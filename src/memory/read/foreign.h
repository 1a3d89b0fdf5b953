// Access traces of other tools, read as our records in bounded memory (docs/formats/foreign-traces.md).
//
//   name        written by                         latency  time
//   paper       one line an access, column map     yes      cycles
//   perf        perf script                        yes      ns
//   perf.data   perf record (PEBS, IBS, SPE)       yes      ns
//   memaxes     Mitos / MemAxes CSV                yes      counter ticks
//   gem5        MemTraceProbe packets              joined   ticks
//   drmemtrace  DynamoRIO, one zip a thread        no       us, from markers
//   lackey      valgrind --tool=lackey             no       order
//   champsim    64-byte instruction records        no       order
//   c2c         perf c2c report                    a summary (c2c_report.h): recognised here, not opened
//
// Lines without what a record needs are skipped and counted with the reason.
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

// The format by magic, first lines or file name; "text" for our own. Throws base::Error when none fits.
std::string recognise_foreign(const std::string& path);

// `columns`: order of the paper's columns, empty for the default. What the format tells of its trace as a
// whole goes to `facts` while it is read; it outlives the source. Null: nobody asks.
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

// A source that fills one batch at a time; an empty batch ends it.
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

// perf's data_src word (linux/perf_event.h), the parts that a record can hold.
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
  // snooped from another cache: forwarded, or modified there (HitM)
  bool peer = false;
  bool modified = false;
  Level level = Level::Unknown;
};
PerfDataSource decode_perf_data_source(uint64_t word);
Service service_of(const PerfDataSource& source);
// Puts what the word says into the record: type, and whether the own cache served it. A word that names no
// operation leaves the type.
void apply_perf_data_source(uint64_t word, AccessRecord& record);

}  // namespace lento::memory
