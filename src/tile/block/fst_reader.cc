// Converts an FST to VCD in the child process of fst.h. GTKWave's reader, C source from the Debian package
// verilator, is compiled here. Without that source, the process is replaced by the program fst2vcd.
#include <unistd.h>

#include "tile/block/fst.h"

#ifdef LENTO_FST_SOURCE

#define HAVE_LIBPTHREAD
#define FST_CONFIG_INCLUDE "fst_config.h"
// These parts of GTKWave's reader stay in this order.
// clang-format off
#include "gtkwave/fastlz.c"
#include "gtkwave/fstapi.c"
#include "gtkwave/lz4.c"
// clang-format on

namespace lento::tile {

int write_fst_as_vcd(const char* path, std::FILE* out) {
  void* const reader = fstReaderOpen(path);
  if (!reader)
    return 1;
  const bool header = fstReaderProcessHier(reader, out) != 0;
  fstReaderSetFacProcessMaskAll(reader);
  const bool changes = header && fstReaderIterBlocks(reader, nullptr, nullptr, out) != 0;
  fstReaderClose(reader);
  return changes ? 0 : 1;
}

}  // namespace lento::tile

#else

namespace lento::tile {

int write_fst_as_vcd(const char* path, std::FILE* out) {
  dup2(fileno(out), STDOUT_FILENO);
  execlp("fst2vcd", "fst2vcd", path, static_cast<char*>(nullptr));
  return 127;
}

}  // namespace lento::tile

#endif
