// Any code through the verifier; what it accepts must run to its end without a fault and within its bound.
#include "base/error.h"
#include "tile/unit/functional.h"
#include "tile/unit/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::tile;
  Image image;
  image.code = std::string("\x67\x80\0\0", 4) +
               std::string(reinterpret_cast<const char*>(data), std::min<size_t>(size / 4 * 4, 4096));
  image.main_entry = 4;
  image.input_mask = 3;
  image.drops_declared = true;
  image.output_bytes = 1 << 30;
  const VerifyReport report = verify(image);
  if (!report.accepted || report.main.worst_cycles > 1'000'000) return 0;
  FunctionalTile tile(image);
  TileInputs in;
  in.valid = 3;
  in.data.fill(0x5a5aa5a5);
  LENTO_CHECK(tile.main(in, report.main.worst_cycles).ended, "an accepted program ends within its bound");
  return 0;
}
