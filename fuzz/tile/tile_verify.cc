// Any code through the verifier: accepted code must run to its end without a fault and within its bounds.
// The first 64 bytes of the input are finish, the next 64 are init at address 0, main follows.
#include "base/error.h"
#include "tile/unit/test_functional.h"
#include "tile/unit/verify/verify.h"

namespace {

void must_end(const lento::tile::FunctionalTile::Outcome& outcome) {
  LENTO_CHECK(outcome.ended, "an accepted program ends within its bound");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::tile;
  constexpr size_t kFinish = kCodeBytes - kFinishEntry;
  constexpr size_t kInit = 64;
  constexpr size_t kHead = kFinish + kInit;
  if (size < kHead)
    return 0;
  const std::string bytes(reinterpret_cast<const char*>(data), std::min<size_t>(size / 4 * 4, kHead + 4096));
  Image image;
  image.code = bytes.substr(kFinish);
  image.code.resize(kFinishEntry);
  image.code += bytes.substr(0, kFinish);
  image.main_entry = kInit;
  image.input_mask = 3;
  image.drops_declared = true;
  image.output_bytes = 1 << 30;
  const VerifyReport report = verify(image);
  if (!report.accepted || report.main.worst_cycles > 1'000'000 || report.init.worst_cycles > 1'000'000)
    return 0;
  FunctionalTile tile(image);
  TileInputs in;
  in.valid = 3;
  in.data.fill(0x5a5aa5a5);
  must_end(tile.init(report.init.worst_cycles));
  must_end(tile.main(in, report.main.worst_cycles, [&] {
    return &in;
  }));
  must_end(tile.finish(report.finish.worst_cycles));
  return 0;
}
