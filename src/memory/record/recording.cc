// Maps a recording into memory and indexes the events of each thread without copying them. The file is as the
// program left it, so a chunk may end anywhere and the number of chunks may exceed the file. Chunks are
// bounded by the file and events by their chunk.
#include "memory/record/recording.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/error.h"
#include "memory/record/record_format.h"

namespace lento::memory {
namespace {

using base::Error;

constexpr uint64_t kMapsAt = 4096;

const lento_header& header_of(const char* bytes) {
  return *reinterpret_cast<const lento_header*>(bytes);
}

}  // namespace

Recording::Recording(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    throw Error({path}, std::string("cannot be opened: ") + std::strerror(errno));
  const off_t end = ::lseek(file, 0, SEEK_END);
  size_ = end < 0 ? 0 : uint64_t(end);
  void* bytes = size_ < LENTO_HEADER ? MAP_FAILED : ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  if (bytes == MAP_FAILED)
    throw Error({path}, "is no recording of a program's accesses");
  bytes_ = static_cast<const char*>(bytes);
  if (header_of(bytes_).magic != LENTO_RECORD_MAGIC) {
    ::munmap(const_cast<char*>(bytes_), size_);
    throw Error({path}, "is no recording of a program's accesses");
  }
  read_chunks();
}

Recording::~Recording() {
  ::munmap(const_cast<char*>(bytes_), size_);
}

// Reads the chunks of the recording and orders those of each thread.
void Recording::read_chunks() {
  struct Piece {
    uint64_t sequence;
    const Event* begin;
    const Event* end;
  };
  const uint64_t room = (size_ - LENTO_HEADER) / LENTO_CHUNK;
  const uint64_t taken = header_of(bytes_).next_chunk;
  full_ = taken > room;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Piece>> pieces;  // by thread, then process
  for (uint64_t c = 0; c < std::min(taken, room); ++c) {
    const char* at = bytes_ + LENTO_HEADER + c * LENTO_CHUNK;
    const auto& head = *reinterpret_cast<const lento_chunk*>(at);
    if (head.thread == 0)
      continue;
    const auto* begin = reinterpret_cast<const Event*>(at + sizeof head);
    const auto* limit = reinterpret_cast<const Event*>(at + LENTO_CHUNK);
    const Event* end = std::find_if(begin, limit, [](const Event& e) {
      return e.first == 0;
    });
    if (end == begin)
      continue;
    pieces[{head.thread, head.pid}].push_back({head.sequence, begin, end});
    events_ += uint64_t(end - begin);
    stored_ += uint64_t(std::count_if(begin, end, [](const Event& e) {
      return is_access(kind_of(e));
    }));
  }
  for (auto& [who, list] : pieces) {
    std::ranges::sort(list, [](const Piece& a, const Piece& b) {
      return a.sequence < b.sequence;
    });
    Thread thread{who.second, who.first, {}};
    for (const Piece& piece : list)
      thread.pieces.emplace_back(piece.begin, piece.end);
    threads_.push_back(std::move(thread));
  }
}

std::string Recording::maps() const {
  const uint64_t bytes = std::min<uint64_t>(header_of(bytes_).maps_bytes, LENTO_MAPS_BYTES);
  return {bytes_ + kMapsAt, bytes};
}

bool is_access(unsigned kind) {
  switch (kind) {
    case LENTO_READ:
    case LENTO_WRITE:
    case LENTO_ATOMIC:
    case LENTO_LOCK:
    case LENTO_UNLOCK:
    case LENTO_UPDATE:
    case LENTO_COMPARE:
    case LENTO_LOST:
    case LENTO_DROP:
    case LENTO_TAKE:
    case LENTO_GIVE:
    case LENTO_READER:
    case LENTO_WRITER:
    case LENTO_LEAVE:
      return true;
    default:
      return false;
  }
}

bool Recording::is_static() const {
  return header_of(bytes_).is_static != 0;
}
uint64_t Recording::unordered() const {
  return header_of(bytes_).unordered;
}
uint64_t Recording::reported() const {
  const uint64_t passed = header_of(bytes_).passed;
  return passed > UINT64_MAX - stored_ ? UINT64_MAX : stored_ + passed;
}
uint64_t Recording::seen_us() const {
  return std::min(header_of(bytes_).seen_us, worked_us());
}
uint64_t Recording::worked_us() const {
  return header_of(bytes_).worked_us;
}
bool Recording::in_bursts() const {
  return header_of(bytes_).off_us > 0;
}
uint32_t Recording::line_bytes() const {
  return uint32_t(header_of(bytes_).line_bytes);
}

void Recording::prepare(const std::string& path, uint64_t bytes, uint64_t on_us, uint64_t off_us) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    throw Error({path}, std::string("cannot be made: ") + std::strerror(errno));
  lento_header header = {};
  header.magic = LENTO_RECORD_MAGIC;
  header.bytes = LENTO_HEADER + bytes / LENTO_CHUNK * LENTO_CHUNK;
  header.on_us = on_us;
  header.off_us = off_us;
  const long line = ::sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  header.line_bytes = line > 0 ? uint64_t(line) : 64;
  const bool done = ::ftruncate(file, static_cast<off_t>(header.bytes)) == 0 &&
                    ::write(file, &header, sizeof header) == static_cast<ssize_t>(sizeof header);
  const int error = errno;
  ::close(file);
  if (!done)
    throw Error({path}, std::string("cannot be written: ") + std::strerror(error));
}

}  // namespace lento::memory
