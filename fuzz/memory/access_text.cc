// Any text as an access trace. What was read must survive being written and read again.
#include "memory/read/access_text.h"

#include <algorithm>

#include "base/error.h"
#include "memory/read/access_codec.h"
#include "memory_file.h"

namespace {

using namespace lento;

std::vector<memory::AccessRecord> records_of(const std::string& path, program::TraceFacts& facts) {
  base::ReadReport report;
  memory::AccessTextSource source(path, report, &facts);
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
    program::TraceFacts facts;
    std::vector<memory::AccessRecord> all = records_of(held.fill(data, size), facts);
    if (all.empty())
      return 0;
    program::write_facts(facts);
    const auto write = [&](memory::TextForm form) {
      memory::AccessTextWriter out(written.path(), form);
      for (const memory::AccessRecord& record : all) {
        out.record(record);
        out.advance(record.cycle);
      }
      out.finish();
    };
    write(memory::TextForm::Paper);
    write(memory::TextForm::Full);
    write(memory::TextForm::Context);
    memory::sort_by_cycle(all);
    if (records_of(written.path(), facts) != all)
      std::abort();
  } catch (const base::Error&) {
  }
  return 0;
}
