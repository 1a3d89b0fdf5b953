// Writes files atomically. A run that is killed must not leave half a report, so the bytes go to a temporary
// file in the same folder, which rename() puts in place of the target. Devices, pipes and standard output
// cannot be renamed and are written directly.
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/file_error.h"
#include "base/temporary.h"

namespace lento::base {
namespace {

constexpr size_t kWriteBlock = size_t{1} << 16;

// True for a path that exists and takes bytes but is no regular file: a device or a named pipe.
bool is_device(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// Returns the file that a symbolic link points to, so that the link survives when the file is replaced.
std::string resolve_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error))
    return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  if (error)
    return path;
  return target.string();
}

}  // namespace

struct OutputFile::Impl {
  std::string path;
  std::string target;
  std::unique_ptr<Temporary> temporary;  // of a file that appears at commit
  int fd = -1;
  gzFile gz = nullptr;
  ZSTD_CStream* zstd = nullptr;
  std::unique_ptr<lzma_stream> xz;
  std::vector<char> block = std::vector<char>(kWriteBlock);

  void write_all(const char* data, size_t size) {
    while (size > 0) {
      const ssize_t n = ::write(fd, data, size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 && errno == EPIPE && path == "-")
        return;
      if (n < 0)
        throw_errno(path, "cannot write");
      data += n;
      size -= size_t(n);
    }
  }

  void write_zstd(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{block.data(), block.size(), 0};
      const size_t left = ZSTD_compressStream2(zstd, &out, &in, directive);
      if (ZSTD_isError(left))
        throw Error({path}, "cannot compress");
      write_all(block.data(), out.pos);
      if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size)
        return;
    }
  }

  void write_xz(std::string_view bytes, lzma_action action) {
    xz->next_in = reinterpret_cast<const uint8_t*>(bytes.data());
    xz->avail_in = bytes.size();
    for (;;) {
      xz->next_out = reinterpret_cast<uint8_t*>(block.data());
      xz->avail_out = block.size();
      const lzma_ret code = lzma_code(xz.get(), action);
      write_all(block.data(), block.size() - xz->avail_out);
      if (code == LZMA_STREAM_END)
        return;
      if (code != LZMA_OK)
        throw Error({path}, "cannot compress");
      if (action == LZMA_RUN && xz->avail_in == 0)
        return;
    }
  }
};

OutputFile::OutputFile(const std::string& path)
    : impl_(std::make_unique<Impl>()) {
  Impl& s = *impl_;
  s.path = path;
  if (path == "-") {
    s.fd = 1;
    return;
  }
  if (path.empty())
    throw Error({}, "the name of a file to write is empty");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error({path}, "is a folder, needed a file to write");
  if (is_device(path)) {
    s.fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    s.target = resolve_links(path);
    s.temporary = std::make_unique<Temporary>(s.target);
    s.fd = s.temporary->fd();
  }
  if (s.fd < 0)
    throw_errno(path, "cannot create");
  if (path.ends_with(".gz"))
    s.gz = gzdopen(::dup(s.fd), "wb6");
  if (path.ends_with(".zst"))
    s.zstd = ZSTD_createCStream();
  if (path.ends_with(".xz")) {
    s.xz = std::make_unique<lzma_stream>();
    *s.xz = LZMA_STREAM_INIT;
    if (lzma_easy_encoder(s.xz.get(), 6, LZMA_CHECK_CRC64) != LZMA_OK)
      throw Error({path}, "cannot compress");
  }
}

OutputFile::~OutputFile() {
  Impl& s = *impl_;
  if (s.gz)
    gzclose(s.gz);
  if (s.zstd)
    ZSTD_freeCStream(s.zstd);
  if (s.xz)
    lzma_end(s.xz.get());
  if (s.fd > 1 && !s.temporary)
    ::close(s.fd);
}

void OutputFile::write(std::string_view bytes) {
  Impl& s = *impl_;
  if (s.gz) {
    if (!bytes.empty() && gzwrite(s.gz, bytes.data(), unsigned(bytes.size())) == 0)
      throw_errno(s.path, "cannot write");
  } else if (s.zstd) {
    s.write_zstd(bytes, ZSTD_e_continue);
  } else if (s.xz) {
    s.write_xz(bytes, LZMA_RUN);
  } else {
    s.write_all(bytes.data(), bytes.size());
  }
}

// Completes the file and gives it its name. Without this call nothing remains.
void OutputFile::commit() {
  Impl& s = *impl_;
  if (s.gz) {
    const int code = gzclose(s.gz);
    s.gz = nullptr;
    if (code != Z_OK)
      throw_errno(s.path, "cannot write");
  }
  if (s.zstd)
    s.write_zstd({}, ZSTD_e_end);
  if (s.xz)
    s.write_xz({}, LZMA_FINISH);
  if (s.temporary && !s.temporary->replace(s.target))
    throw_errno(s.path, "cannot write");
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile out(path);
  out.write(bytes);
  out.commit();
}

}  // namespace lento::base
