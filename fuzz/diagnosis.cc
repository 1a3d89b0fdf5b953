// Any bytes as a stored diagnosis: read, then every report form.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "report/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto diagnosis = lento::finding::diagnosis_from_json(lento::base::parse_json(text, "fuzz"), "fuzz");
    lento::report::write_text(diagnosis);
    lento::report::write_html(diagnosis);
    lento::report::write_json(diagnosis);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
