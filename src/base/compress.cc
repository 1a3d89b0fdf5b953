// Wraps zstd and zlib for blocks of binary files. A decompression context is large, so every thread keeps one
// for all its blocks. The size of a block comes from the index of the file and bounds what a damaged block
// can allocate.
#include "base/compress.h"

#include <zlib.h>
#include <zstd.h>

#include <memory>

#include "base/error.h"

namespace lento::base {

std::string compress_block(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  LENTO_CHECK(!ZSTD_isError(size), "zstd could not compress a block");
  out.resize(size);
  return out;
}

bool decompress_block(std::string_view block, size_t size, std::string& out) {
  static thread_local const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(
      ZSTD_createDCtx(),
      ZSTD_freeDCtx);
  out.resize(size);
  const size_t got = ZSTD_decompressDCtx(context.get(), out.data(), size, block.data(), block.size());
  return !ZSTD_isError(got) && got == size;
}

uint32_t crc32(std::string_view bytes) {
  return uint32_t(::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace lento::base
