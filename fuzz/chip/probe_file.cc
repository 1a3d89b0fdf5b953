// Any bytes as a probe-record file. Records that were read are written in each form and read again.
#include "chip/read/probe_file.h"

#include <algorithm>

#include "base/error.h"
#include "chip/read/true_records.h"
#include "memory_file.h"

namespace {

using namespace lento;

std::vector<chip::ProbeRecord> records_of(chip::ProbeReader& reader) {
  std::vector<chip::ProbeRecord> all;
  for (chip::ProbeRecord record; reader.next(record);)
    all.push_back(record);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  static const NamedFile written;
  try {
    base::ReadReport report;
    chip::ProbeReader reader(file.fill(data, size), report);
    const std::vector<chip::ProbeRecord> all = records_of(reader);
    size_t next = 0;
    chip::TrueRecords truly(
        [&](chip::ProbeRecord& out) {
          const bool any = next < all.size();
          if (any)
            out = all[next++];
          return any;
        },
        "fuzz",
        report);
    size_t taken = 0;
    for (chip::ProbeRecord record; truly.next(record);)
      ++taken;
    if (taken > all.size())
      std::abort();
    const bool one_clock = reader.header().clocks_hz.empty();  // else times are rounded
    for (const auto form : {chip::ProbeForm::Binary, chip::ProbeForm::Text, chip::ProbeForm::Unchecked}) {
      chip::ProbeWriter out(written.path(), reader.header(), form);
      for (const chip::ProbeRecord& record : all)
        out.write(record);
      out.commit();
      chip::ProbeReader again(written.path(), report);
      const auto back = records_of(again);
      if (one_clock && (back.size() != all.size() || !std::ranges::equal(back, all, [](auto& a, auto& b) {
                          return a.begin == b.begin && a.end == b.end && a.core == b.core && a.kind == b.kind;
                        })))
        std::abort();
    }
  } catch (const base::Error&) {
  }
  return 0;
}
