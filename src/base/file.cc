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
#include "base/rng.h"

namespace lento::base {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

[[noreturn]] void fail(const std::string& path, std::string_view what) {
  throw Error({path}, std::string(what) + ": " + std::strerror(errno));
}

// A codec turns the next bytes of the input into plain bytes. `produced` bytes were written to out.
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
  Gzip() { inflateInit2(&z_, 15 + 16); }
  ~Gzip() override { inflateEnd(&z_); }
  Step step(std::span<const char> in, std::span<char> out, bool, const std::string& path) override {
    if (ended_ && !in.empty()) {
      inflateReset(&z_);  // several members in one file
      ended_ = false;
    }
    if (ended_) return {0, 0, true};
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    z_.avail_in = static_cast<uInt>(in.size());
    z_.next_out = reinterpret_cast<Bytef*>(out.data());
    z_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&z_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) throw Error({path}, "damaged gzip data");
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
  ~Xz() override { lzma_end(&z_); }
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
  Zstd() : z_(ZSTD_createDStream()) { ZSTD_initDStream(z_); }
  ~Zstd() override { ZSTD_freeDStream(z_); }
  Step step(std::span<const char> in, std::span<char> out, bool, const std::string& path) override {
    ZSTD_inBuffer source{in.data(), in.size(), 0};
    ZSTD_outBuffer sink{out.data(), out.size(), 0};
    const size_t code = ZSTD_decompressStream(z_, &sink, &source);
    if (ZSTD_isError(code)) throw Error({path}, "damaged zstd data");
    if (source.pos || sink.pos) complete_ = code == 0;
    return {source.pos, sink.pos, complete_};
  }

 private:
  ZSTD_DStream* z_;
  bool complete_ = false;
};

std::unique_ptr<Codec> codec_for(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return std::make_unique<Gzip>();
  if (head.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6)))
    return std::make_unique<Xz>();
  if (head.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<Zstd>();
  return std::make_unique<Plain>();
}

}  // namespace

struct InputStream::Impl {
  std::string path;
  int fd = -1;
  std::vector<char> raw = std::vector<char>(kBlock);
  size_t raw_begin = 0, raw_end = 0;
  bool raw_done = false;
  bool complete = true;
  std::unique_ptr<Codec> codec;
  std::string text;  // decoded and not yet given out by line()
  size_t text_begin = 0;
  int64_t line_number = 0;
  Digest* digest = nullptr;

  ~Impl() {
    if (fd > 0) ::close(fd);
  }

  void fill() {
    if (raw_begin > 0 && raw_begin < raw_end)
      std::memmove(raw.data(), raw.data() + raw_begin, raw_end - raw_begin);
    raw_end -= raw_begin;
    raw_begin = 0;
    while (raw_end < raw.size()) {
      const ssize_t n = ::read(fd, raw.data() + raw_end, raw.size() - raw_end);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path, "cannot read");
      if (n == 0) {
        raw_done = true;
        return;
      }
      raw_end += static_cast<size_t>(n);
    }
  }

  size_t read(std::span<char> out) {
    size_t done = 0;
    while (done < out.size()) {
      if (raw_begin == raw_end && !raw_done) fill();
      const std::span<const char> in(raw.data() + raw_begin, raw_end - raw_begin);
      const auto step = codec->step(in, out.subspan(done), raw_done, path);
      raw_begin += step.consumed;
      done += step.produced;
      if (step.consumed || step.produced) complete = step.complete;
      if (step.consumed || step.produced) continue;
      if (!raw_done) {
        fill();
        continue;
      }
      if (!complete && !step.complete) throw Error({path}, "compressed data end too early");
      break;
    }
    if (digest != nullptr) digest->add({out.data(), done});
    return done;
  }
};

InputStream::InputStream(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path == "-" ? "<stdin>" : path;
  impl_->fd = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl_->fd < 0) fail(path, "cannot open");
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

void InputStream::count_into(Digest& digest) { impl_->digest = &digest; }

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
      throw Error({s.path, static_cast<int>(s.line_number + 1)}, "line longer than 16 MiB");
    s.text.erase(0, s.text_begin);
    s.text_begin = 0;
    scanned = s.text.size();
    s.text.resize(scanned + kBlock);
    const size_t got = s.read({s.text.data() + scanned, kBlock});
    s.text.resize(scanned + got);
    if (got > 0) continue;
    if (s.text.empty()) return false;
    out = s.text;
    s.text_begin = s.text.size();
    break;
  }
  ++s.line_number;
  if (out.ends_with('\r')) out.remove_suffix(1);
  return true;
}

int64_t InputStream::line_number() const { return impl_->line_number; }
const std::string& InputStream::path() const { return impl_->path; }

std::string read_file(const std::string& path, uint64_t max_bytes) {
  InputStream in(path);
  return read_all(in, max_bytes);
}

std::string read_all(InputStream& in, uint64_t max_bytes) {
  std::string all;
  for (;;) {
    const size_t before = all.size();
    all.resize(before + kBlock);
    const size_t got = in.read({all.data() + before, kBlock});
    all.resize(before + got);
    if (all.size() > max_bytes)
      throw Error({in.path()}, "larger than " + std::to_string(max_bytes) + " bytes");
    if (got < kBlock) return all;
  }
}

namespace {

// Something that is there and takes bytes but is no file: a device, a named pipe.
bool is_device(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

std::string behind_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

struct OutputFile::Impl {
  std::string path, target, temporary;
  int fd = -1;
  bool committed = false;
  gzFile gz = nullptr;
  ZSTD_CStream* zstd = nullptr;
  std::unique_ptr<lzma_stream> xz;
  std::vector<char> block = std::vector<char>(kBlock);

  void put(const char* data, size_t size) {
    while (size > 0) {
      const ssize_t n = ::write(fd, data, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EPIPE && path == "-") return;
      if (n < 0) fail(path, "cannot write");
      data += n;
      size -= static_cast<size_t>(n);
    }
  }

  void write_zstd(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{block.data(), block.size(), 0};
      const size_t left = ZSTD_compressStream2(zstd, &out, &in, directive);
      if (ZSTD_isError(left)) throw Error({path}, "cannot compress");
      put(block.data(), out.pos);
      if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
    }
  }

  void write_xz(std::string_view bytes, lzma_action action) {
    xz->next_in = reinterpret_cast<const uint8_t*>(bytes.data());
    xz->avail_in = bytes.size();
    for (;;) {
      xz->next_out = reinterpret_cast<uint8_t*>(block.data());
      xz->avail_out = block.size();
      const lzma_ret code = lzma_code(xz.get(), action);
      put(block.data(), block.size() - xz->avail_out);
      if (code == LZMA_STREAM_END) return;
      if (code != LZMA_OK) throw Error({path}, "cannot compress");
      if (action == LZMA_RUN && xz->avail_in == 0) return;
    }
  }
};

OutputFile::OutputFile(const std::string& path) : impl_(std::make_unique<Impl>()) {
  Impl& s = *impl_;
  s.path = path;
  if (path == "-") {
    s.fd = 1;
    return;
  }
  if (is_device(path)) {
    s.fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    s.target = behind_links(path);
    s.temporary = s.target + ".tmp" + std::to_string(::getpid());
    s.fd = ::open(s.temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (s.fd < 0) fail(path, "cannot create");
  if (path.ends_with(".gz")) s.gz = gzdopen(::dup(s.fd), "wb6");
  if (path.ends_with(".zst")) s.zstd = ZSTD_createCStream();
  if (path.ends_with(".xz")) {
    s.xz = std::make_unique<lzma_stream>();
    *s.xz = LZMA_STREAM_INIT;
    if (lzma_easy_encoder(s.xz.get(), 6, LZMA_CHECK_CRC64) != LZMA_OK) throw Error({path}, "cannot compress");
  }
}

OutputFile::~OutputFile() {
  Impl& s = *impl_;
  if (s.gz) gzclose(s.gz);
  if (s.zstd) ZSTD_freeCStream(s.zstd);
  if (s.xz) lzma_end(s.xz.get());
  if (s.fd > 1) ::close(s.fd);
  if (!s.committed && !s.temporary.empty()) ::unlink(s.temporary.c_str());
}

void OutputFile::write(std::string_view bytes) {
  Impl& s = *impl_;
  if (s.gz) {
    if (!bytes.empty() && gzwrite(s.gz, bytes.data(), static_cast<unsigned>(bytes.size())) == 0)
      fail(s.path, "cannot write");
  } else if (s.zstd) {
    s.write_zstd(bytes, ZSTD_e_continue);
  } else if (s.xz) {
    s.write_xz(bytes, LZMA_RUN);
  } else {
    s.put(bytes.data(), bytes.size());
  }
}

void OutputFile::commit() {
  Impl& s = *impl_;
  if (s.gz) {
    const int code = gzclose(s.gz);
    s.gz = nullptr;
    if (code != Z_OK) fail(s.path, "cannot write");
  }
  if (s.zstd) s.write_zstd({}, ZSTD_e_end);
  if (s.xz) s.write_xz({}, LZMA_FINISH);
  s.committed = true;
  if (s.temporary.empty()) return;
  if (::fsync(s.fd) != 0 && errno != EINVAL) fail(s.path, "cannot write");
  if (::rename(s.temporary.c_str(), s.target.c_str()) != 0) {
    s.committed = false;
    fail(s.path, "cannot replace");
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile out(path);
  out.write(bytes);
  out.commit();
}

void Digest::add(std::string_view bytes) {
  size_ += bytes.size();
  if (!rest_.empty()) {
    const size_t missing = std::min(8 - rest_.size(), bytes.size());
    rest_.append(bytes.substr(0, missing));
    bytes.remove_prefix(missing);
    if (rest_.size() < 8) return;
  }
  const auto mix = [&](const char* at) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    a_ = mix64(a_ ^ word);
    b_ = (b_ ^ word) * 0x100000001b3ULL + (a_ >> 7);
  };
  if (!rest_.empty()) mix(rest_.data());
  const size_t whole = bytes.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) mix(bytes.data() + i);
  rest_ = bytes.substr(whole);
}

std::string Digest::text() const {
  uint64_t tail = size_;
  for (const char c : rest_) tail = (tail << 8) ^ static_cast<unsigned char>(c);
  const uint64_t a = mix64(a_ ^ tail);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(mix64(b_ ^ a)));
  return text;
}

std::string digest(std::string_view bytes) {
  Digest all;
  all.add(bytes);
  return all.text();
}

}  // namespace lento::base
