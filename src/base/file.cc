// Reads whole files and streams in bounded memory. Traces are often compressed, and their names do not always
// show it, so the first bytes choose the codec. A codec converts one buffer of 64 KiB at a time, and a stream
// that ends inside a compressed member is an Error.
#include "base/file.h"

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/file_error.h"
#include "base/interrupt.h"
#include "base/reading.h"

namespace lento::base {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

// Converts the next bytes of the input into plain bytes. Step counts the bytes read and written.
class Codec {
 public:
  virtual ~Codec() = default;
  struct Step {
    size_t consumed = 0;
    size_t produced = 0;
    bool complete = false;  // at a member boundary: end of input is legal here
  };
  virtual Step step(std::span<const char> in, std::span<char> out, bool last, const std::string& path) = 0;
};

class Plain : public Codec {
 public:
  Step step(std::span<const char> in, std::span<char> out, bool, const std::string&) override {
    const size_t n = std::min(in.size(), out.size());
    std::memcpy(out.data(), in.data(), n);
    return {n, n, true};
  }
};

class Gzip : public Codec {
 public:
  Gzip() {
    inflateInit2(&z_, 15 + 16);
  }
  ~Gzip() override {
    inflateEnd(&z_);
  }
  Step step(std::span<const char> in, std::span<char> out, bool, const std::string& path) override {
    if (ended_ && !in.empty()) {
      inflateReset(&z_);  // several members in one file
      ended_ = false;
    }
    if (ended_)
      return {0, 0, true};
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    z_.avail_in = static_cast<uInt>(in.size());
    z_.next_out = reinterpret_cast<Bytef*>(out.data());
    z_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&z_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      throw Error({path}, "damaged gzip data");
    ended_ = code == Z_STREAM_END;
    return {in.size() - z_.avail_in, out.size() - z_.avail_out, ended_};
  }

 private:
  z_stream z_{};
  bool ended_ = false;
};

class Xz : public Codec {
 public:
  Xz() {
    if (lzma_stream_decoder(&z_, uint64_t{1} << 30, LZMA_CONCATENATED) != LZMA_OK)
      throw Error({}, "cannot start the xz decoder");
  }
  ~Xz() override {
    lzma_end(&z_);
  }
  Step step(std::span<const char> in, std::span<char> out, bool last, const std::string& path) override {
    z_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    z_.avail_in = in.size();
    z_.next_out = reinterpret_cast<uint8_t*>(out.data());
    z_.avail_out = out.size();
    const lzma_ret code = lzma_code(&z_, last ? LZMA_FINISH : LZMA_RUN);
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
      throw Error({path}, "damaged xz data");
    return {in.size() - z_.avail_in, out.size() - z_.avail_out, code == LZMA_STREAM_END};
  }

 private:
  lzma_stream z_ = LZMA_STREAM_INIT;
};

class Zstd : public Codec {
 public:
  Zstd()
      : z_(ZSTD_createDStream()) {
    ZSTD_initDStream(z_);
  }
  ~Zstd() override {
    ZSTD_freeDStream(z_);
  }
  Step step(std::span<const char> in, std::span<char> out, bool, const std::string& path) override {
    ZSTD_inBuffer source{in.data(), in.size(), 0};
    ZSTD_outBuffer sink{out.data(), out.size(), 0};
    const size_t code = ZSTD_decompressStream(z_, &sink, &source);
    if (ZSTD_isError(code))
      throw Error({path}, "damaged zstd data");
    if (source.pos || sink.pos)
      complete_ = code == 0;
    return {source.pos, sink.pos, complete_};
  }

 private:
  ZSTD_DStream* z_;
  bool complete_ = false;
};

// Returns the decompressor for a file that begins with these bytes, or null.
std::unique_ptr<Codec> codec_for(std::string_view head) {
  if (head.starts_with("\x1f\x8b"))
    return std::make_unique<Gzip>();
  if (head.starts_with(std::string_view(
          "\xfd"
          "7zXZ\0",
          6)))
    return std::make_unique<Xz>();
  if (head.starts_with("\x28\xb5\x2f\xfd"))
    return std::make_unique<Zstd>();
  return std::make_unique<Plain>();
}

}  // namespace

struct InputStream::Impl {
  std::string path;
  int fd = -1;
  std::vector<char> raw = std::vector<char>(kBlock);
  size_t raw_begin = 0;
  size_t raw_end = 0;
  bool raw_done = false;
  bool complete = true;
  std::unique_ptr<Codec> codec;
  std::string text;  // decoded and not yet given out by line()
  size_t text_begin = 0;
  int64_t line_number = 0;
  Digest* digest = nullptr;

  ~Impl() {
    if (fd > 0)
      ::close(fd);
  }

  // Fills the buffer of raw bytes from the file.
  void fill() {
    if (raw_begin > 0 && raw_begin < raw_end)
      std::memmove(raw.data(), raw.data() + raw_begin, raw_end - raw_begin);
    raw_end -= raw_begin;
    raw_begin = 0;
    while (raw_end < raw.size()) {
      const ssize_t n = ::read(fd, raw.data() + raw_end, raw.size() - raw_end);
      if (n < 0 && errno == EINTR) {
        // A pipe may never deliver another byte, so an interrupt by the user ends the wait.
        if (interrupted())
          throw Error({path}, "interrupted while waiting for more of it");
        continue;
      }
      if (n < 0)
        throw_errno(path, "cannot read");
      if (n == 0) {
        raw_done = true;
        return;
      }
      raw_end += size_t(n);
    }
  }

  size_t read(std::span<char> out) {
    size_t done = 0;
    while (done < out.size()) {
      if (raw_begin == raw_end && !raw_done)
        fill();
      const std::span<const char> in(raw.data() + raw_begin, raw_end - raw_begin);
      const auto step = codec->step(in, out.subspan(done), raw_done, path);
      raw_begin += step.consumed;
      done += step.produced;
      if (step.consumed || step.produced)
        complete = step.complete;
      if (step.consumed || step.produced)
        continue;
      if (!raw_done) {
        fill();
        continue;
      }
      if (!complete && !step.complete)
        throw Error({path}, "compressed data end too early");
      break;
    }
    if (digest != nullptr)
      digest->add({out.data(), done});
    return done;
  }
};

InputStream::InputStream(const std::string& path)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path == "-" ? "<stdin>" : path;
  note_reading(impl_->path);
  impl_->fd = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl_->fd < 0)
    throw_errno(path, "cannot open");
  struct stat info {};
  if (::fstat(impl_->fd, &info) == 0 && S_ISDIR(info.st_mode))
    throw Error({path}, "is a folder, needed a file");
  impl_->fill();
  impl_->codec = codec_for({impl_->raw.data(), impl_->raw_end});
}

InputStream::~InputStream() = default;
InputStream::InputStream(InputStream&&) noexcept = default;
InputStream& InputStream::operator=(InputStream&&) noexcept = default;

std::string_view InputStream::peek(size_t size) {
  Impl& s = *impl_;
  const size_t held = s.text.size() - s.text_begin;
  if (held < size) {
    s.text.erase(0, s.text_begin);
    s.text_begin = 0;
    s.text.resize(size);
    s.text.resize(held + s.read({s.text.data() + held, size - held}));
  }
  return std::string_view(s.text).substr(s.text_begin, size);
}

void InputStream::count_into(Digest& digest) {
  impl_->digest = &digest;
}

size_t InputStream::read(std::span<char> out) {
  const size_t buffered = std::min(out.size(), impl_->text.size() - impl_->text_begin);
  std::memcpy(out.data(), impl_->text.data() + impl_->text_begin, buffered);
  impl_->text_begin += buffered;
  return buffered + (buffered < out.size() ? impl_->read(out.subspan(buffered)) : 0);
}

bool InputStream::line(std::string_view& out) {
  Impl& s = *impl_;
  size_t scanned = s.text_begin;
  for (;;) {
    const size_t end = s.text.find('\n', scanned);
    if (end != std::string::npos) {
      out = std::string_view(s.text).substr(s.text_begin, end - s.text_begin);
      s.text_begin = end + 1;
      break;
    }
    if (s.text.size() - s.text_begin > kMaxLine)
      throw Error({s.path, int(s.line_number + 1)}, "line longer than 16 MiB");
    s.text.erase(0, s.text_begin);
    s.text_begin = 0;
    scanned = s.text.size();
    s.text.resize(scanned + kBlock);
    const size_t got = s.read({s.text.data() + scanned, kBlock});
    s.text.resize(scanned + got);
    if (got > 0)
      continue;
    if (s.text.empty())
      return false;
    out = s.text;
    s.text_begin = s.text.size();
    break;
  }
  ++s.line_number;
  if (out.ends_with('\r'))
    out.remove_suffix(1);
  return true;
}

int64_t InputStream::line_number() const {
  return impl_->line_number;
}
const std::string& InputStream::path() const {
  return impl_->path;
}

std::string read_file(const std::string& path, uint64_t max_bytes) {
  InputStream in(path);
  return read_all(in, max_bytes);
}

std::string read_all(InputStream& in, uint64_t max_bytes) try {
  std::string all;
  for (;;) {
    const size_t before = all.size();
    all.resize(before + kBlock);
    const size_t got = in.read({all.data() + before, kBlock});
    all.resize(before + got);
    if (all.size() > max_bytes) {
      throw Error(
          {in.path()},
          "larger than " + std::to_string(max_bytes) + " bytes",
          "this kind of file is never that large: is it the file you meant?");
    }
    if (got < kBlock)
      return all;
  }
} catch (const std::bad_alloc&) {
  throw out_of_memory(in.path());
}

}  // namespace lento::base
