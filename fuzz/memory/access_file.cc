// Any bytes as an access trace file: index, chunk headers, chunks, facts. What was read must survive being
// written and read again.
#include "memory/read/access_file.h"

#include <algorithm>

#include "base/error.h"
#include "memory_file.h"

namespace {

using namespace lento;

std::vector<memory::AccessRecord> records_of(const memory::AccessFile& file, base::ReadReport& report) {
  memory::AccessFileSource source(file, report);
  std::vector<memory::AccessRecord> all;
  for (auto some = source.next(); !some.empty(); some = source.next())
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile held;
  static const NamedFile written;
  try {
    base::ReadReport report;
    const std::string& path = held.fill(data, size);
    if (!memory::AccessFile::recognises(path) && size % 2 == 0)
      return 0;
    const memory::AccessFile file(path, report);
    program::TraceFacts facts;
    file.read_facts(facts);
    const auto all = records_of(file, report);
    const bool sorted = std::ranges::is_sorted(all, {}, [](const memory::AccessRecord& r) {
      return std::pair(r.cycle, r.cpu);
    });
    if (!sorted)
      return 0;  // a writer requires the order of the trace
    memory::AccessFileWriter out(written.path(), {.chunk_events = 1 << 12, .level = 1});
    for (const memory::AccessRecord& record : all) {
      if (size % 3 == 0)
        out.advance(record.cycle);
      out.record(record);
    }
    out.set_facts(facts);
    out.finish();
    const memory::AccessFile again(written.path(), report);
    if (records_of(again, report) != all)
      std::abort();
  } catch (const base::Error&) {
  }
  return 0;
}
