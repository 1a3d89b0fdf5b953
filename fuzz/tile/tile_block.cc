// Line-visit traces and signal maps.
#include "base/error.h"
#include "lab/block/line_trace.h"
#include "tile/block/signal_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    lento::tile::write_line_trace(lento::tile::parse_line_trace(text, "f"));
  } catch (const lento::base::Error&) {
  }
  try {
    lento::tile::parse_signal_map(text, "f");
  } catch (const lento::base::Error&) {
  }
  return 0;
}
