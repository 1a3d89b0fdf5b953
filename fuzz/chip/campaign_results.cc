// Any bytes as the result lines of a campaign: accepted ones must survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "lab/chip/result.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  try {
    const base::Json json = base::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    const base::Json once = chip::to_json(chip::run_result_from_json(json, {"fuzz"}));
    const std::string text = base::write_json(once);
    const base::Json twice =
        chip::to_json(chip::run_result_from_json(base::parse_json(text, "again"), {"again"}));
    if (base::write_json(twice) != text)
      std::abort();
  } catch (const base::Error&) {
  }
  return 0;
}
