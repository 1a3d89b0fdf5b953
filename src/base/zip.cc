// A member is a local header, a name, extra fields and its bytes. The end of a deflated member is where its
// stream ends. That of a stored one follows from its size, which must then be stated in front.
//
//   archive = {header name extra bytes [descriptor]} directory              integers are little endian
//   header  = "PK\3\4" version:2 flags:2 method:2 time:4 crc:4 packed:4 size:4 name:2 extra:2
//   flags   = 0x1 encrypted | 0x8 a descriptor follows the bytes
//   extra   = {id:2 length:2 any}        of id 1: size:8 packed:8
//
// Source: PKWARE's .ZIP File Format Specification 6.3.10 (APPNOTE), sections 4.3 and 4.5.3.
#include "base/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace lento::base {
namespace {

constexpr std::string_view kLocal("PK\3\4", 4);
constexpr size_t kHeader = 30;
constexpr size_t kBuffer = size_t{1} << 16;
constexpr uint32_t kInExtra = 0xffffffff;

uint64_t little(const char* bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | uint8_t(bytes[i]);
  return value;
}

}  // namespace

struct ZipReader::State {
  Read source;
  std::string path;
  std::string name;
  std::vector<char> buffer = std::vector<char>(kBuffer);
  size_t begin = 0;
  size_t end = 0;
  z_stream stream{};
  bool is_inflating = false;
  bool is_open = false;      // a member is being read
  bool is_deflated = false;  // the open member
  bool has_descriptor = false;
  bool is_large = false;  // its sizes have eight bytes
  uint64_t left = 0;      // bytes of a stored member
  uLong stated = 0;       // CRC-32 of the member, from its header or the descriptor behind it
  uLong sum = 0;          // CRC-32 of what was read

  [[noreturn]] void fail(const std::string& what) const {
    throw Error({path}, what, "unpack it (unzip -t names what is broken) and give the files");
  }

  // At least `size` bytes in the buffer, false at the end of the source.
  bool need(size_t size) {
    while (end - begin < size) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
      const size_t got = source(std::span(buffer.data() + end, buffer.size() - end));
      if (got == 0)
        return false;
      end += got;
    }
    return true;
  }

  std::string take(size_t size) {
    if (!need(size))
      fail("the archive ends within a member");
    std::string bytes(buffer.data() + begin, size);
    begin += size;
    return bytes;
  }

  void stop_inflating() {
    if (is_inflating)
      inflateEnd(&stream);
    is_inflating = false;
  }

  // Starts reading a member of the archive.
  void start(bool deflated) {
    is_open = true;
    is_deflated = deflated;
    sum = ::crc32(0, nullptr, 0);
    if (!deflated)
      return;
    stream = {};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      fail("no memory to inflate a member");
    is_inflating = true;
  }

  // Ends a member with the descriptor behind its data. Throws Error when its checksum is another.
  void close() {
    stop_inflating();
    is_open = false;
    if (has_descriptor) {
      if (need(4) && std::string_view(buffer.data() + begin, 4) == std::string_view("PK\7\10", 4))
        begin += 4;
      stated = little(take(is_large ? 20 : 12).data(), 4);
    }
    if (sum != stated)
      fail("the member '" + name + "' is damaged");
  }

  void count(const char* bytes, size_t size) {
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(bytes), size);
  }

  // Reads a stored member. Returns the number of bytes, fewer than asked for at its end.
  size_t read_stored(std::span<char> out) {
    size_t done = 0;
    while (done < out.size() && left > 0) {
      if (!need(1))
        fail("the archive ends within a member");
      const size_t size = size_t(std::min<uint64_t>({left, end - begin, out.size() - done}));
      std::memcpy(out.data() + done, buffer.data() + begin, size);
      count(out.data() + done, size);
      begin += size;
      left -= size;
      done += size;
    }
    if (left == 0)
      close();
    return done;
  }

  // Reads a compressed member. Returns the number of bytes, fewer than asked for at its end.
  size_t read_deflated(std::span<char> out) {
    size_t done = 0;
    while (done < out.size()) {
      if (!need(1))
        fail("the archive ends within a member");
      stream.next_in = reinterpret_cast<Bytef*>(buffer.data() + begin);
      stream.avail_in = uInt(end - begin);
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      stream.avail_out = uInt(std::min<size_t>(out.size() - done, size_t{1} << 30));
      const uInt room = stream.avail_out;
      const int code = inflate(&stream, Z_NO_FLUSH);
      begin = end - stream.avail_in;
      count(out.data() + done, room - stream.avail_out);
      done += room - stream.avail_out;
      if (code == Z_STREAM_END) {
        close();
        return done;
      }
      if (code != Z_OK && code != Z_BUF_ERROR)
        fail("a member is damaged");
    }
    return done;
  }
};

bool ZipReader::begins(std::string_view head) {
  return head.size() >= kHeader && head.starts_with(kLocal);
}

ZipReader::ZipReader(Read read, std::string path)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(read);
  state_->path = std::move(path);
}

ZipReader::~ZipReader() {
  state_->stop_inflating();
}

const std::string& ZipReader::name() const {
  return state_->name;
}

bool ZipReader::next() {
  State& s = *state_;
  std::vector<char> skipped(kBuffer);
  while (true) {
    while (s.is_open)
      read(skipped);
    if (!s.need(4) || std::string_view(s.buffer.data() + s.begin, 4) != kLocal)
      return false;
    const std::string header = s.take(kHeader);
    const auto flags = little(header.data() + 6, 2);
    const auto method = little(header.data() + 8, 2);
    s.stated = little(header.data() + 14, 4);
    uint64_t packed = little(header.data() + 18, 4);
    s.name = s.take(little(header.data() + 26, 2));
    const std::string extra = s.take(little(header.data() + 28, 2));
    s.is_large = false;
    for (size_t at = 0; at + 4 <= extra.size();) {
      const size_t length = little(extra.data() + at + 2, 2);
      s.is_large = s.is_large || little(extra.data() + at, 2) == 1;
      if (little(extra.data() + at, 2) == 1 && packed == kInExtra && length >= 16 && at + 20 <= extra.size())
        packed = little(extra.data() + at + 12, 8);
      at += 4 + length;
    }
    if (flags & 1)
      s.fail("the member '" + s.name + "' is encrypted");
    if (method != 0 && method != 8)
      s.fail("the member '" + s.name + "' is packed by a method other than deflate");
    s.has_descriptor = (flags & 8) != 0;
    if (method == 0 && s.has_descriptor)
      s.fail("the member '" + s.name + "' does not state its size");
    s.left = packed;
    s.start(method == 8);
    if (!s.name.ends_with("/"))
      return true;
    if (method == 0 && packed == 0)
      s.close();
  }
}

size_t ZipReader::read(std::span<char> out) {
  if (!state_->is_open)
    return 0;
  return state_->is_deflated ? state_->read_deflated(out) : state_->read_stored(out);
}

}  // namespace lento::base
