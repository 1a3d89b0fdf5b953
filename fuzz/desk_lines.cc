// Any bytes as a log of every family: recognised, peeled, read by each reader that finds something, and
// judged.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "desk/formats/formats.h"
#include "desk/incident/incident.h"
#include "desk/read/log_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const lento::desk::LogReader reader(lento::desk::all_formats());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lento::desk::Records records;
  try {
    reader.read_text(text, "input", records);
    records.name_by_files({{0, {"host", "", "3"}}});
    const lento::finding::Diagnosis found = lento::desk::judge_incident(records);
    if (found.outcome == lento::finding::Outcome::Healthy && !records.files[0].recognised())
      std::abort();
  } catch (const lento::base::Error&) {
  }
  return 0;
}
