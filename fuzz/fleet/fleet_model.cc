// The fleet model file on any bytes.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "fleet/minder/lstm_vae.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    lento::fleet::model_from_json(lento::base::parse_json(text, "model"), "model");
  } catch (const lento::base::Error&) {
  }
  return 0;
}
