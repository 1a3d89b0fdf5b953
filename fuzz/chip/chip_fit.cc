// Any bytes as the fit of a chip.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "chip/fit/fit_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const lento::spec::Chip chip;
  try {
    const lento::chip::Fit fit = lento::chip::parse_fit(text, "fuzz", chip);
    lento::chip::parse_fit(lento::chip::write_fit(fit, chip), "again", chip);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
