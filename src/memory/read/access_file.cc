// Writes and reads the binary access trace. Every chunk carries two check sums, so that damage costs one
// chunk, and a file whose end is missing is read by walking its chunks.
//
// Layout (little-endian):
//   file   = magic "LENTOACC", u32 version 3, u32 zero; chunk*; facts?; index; trailer
//   facts  = u32 "AFCT", u32 packed bytes, u32 text bytes, u32 crc of the packed bytes; zstd of write_facts
//   chunk  = u32 "ACHK", u32 events, u64 first cycle, u64 last cycle, u32 packed bytes, u32 column bytes,
//            u32 crc of the packed bytes, u32 crc of the 36 bytes before; packed bytes (zstd of access_codec)
//   index  = per chunk: u64 offset, u64 first cycle, u64 last cycle, u32 events, u32 zero
//   trailer = u64 index offset, u64 chunks, u32 crc of the index, u32 crc of the 20 bytes before, "LENTOEND"
#include "memory/read/access_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/compress.h"
#include "base/error.h"
#include "base/file.h"
#include "memory/read/access_codec.h"

namespace lento::memory {
namespace {

using base::Error;

constexpr std::string_view kMagic = "LENTOACC";
constexpr std::string_view kEnd = "LENTOEND";
constexpr uint32_t kVersion = 3;
constexpr uint32_t kOldest = 2;
// The characters "ACHK" and "AFCT".
constexpr uint32_t kChunkMagic = 0x4b484341;
constexpr uint32_t kFactsMagic = 0x54434641;
constexpr uint32_t kMaxFactBytes = 1u << 28;
constexpr size_t kHeader = 16;
constexpr size_t kChunkHeader = 40;
constexpr size_t kIndexEntry = 32;
constexpr size_t kTrailer = 32;
constexpr uint32_t kMaxEvents = 1u << 24;
constexpr uint32_t kMaxColumnBytes = 1u << 30;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T get(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct ChunkHeader {
  uint32_t events = 0;
  uint32_t packed = 0;
  uint32_t unpacked = 0;
  uint32_t crc = 0;
  uint64_t first = 0;
  uint64_t last = 0;
};

std::string write_chunk_header(const ChunkHeader& h) {
  std::string out;
  put(out, kChunkMagic), put(out, h.events), put(out, h.first), put(out, h.last);
  put(out, h.packed), put(out, h.unpacked), put(out, h.crc);
  put(out, base::crc32(out));
  return out;
}

// Parses the header of a chunk. Returns false when it is damaged.
bool parse_chunk_header(std::string_view bytes, ChunkHeader& h) {
  if (bytes.size() < kChunkHeader || get<uint32_t>(bytes, 0) != kChunkMagic)
    return false;
  if (get<uint32_t>(bytes, 36) != base::crc32(bytes.substr(0, 36)))
    return false;
  h = {
      get<uint32_t>(bytes, 4),
      get<uint32_t>(bytes, 24),
      get<uint32_t>(bytes, 28),
      get<uint32_t>(bytes, 32),
      get<uint64_t>(bytes, 8),
      get<uint64_t>(bytes, 16)};
  return h.events > 0 && h.events <= kMaxEvents && h.unpacked <= kMaxColumnBytes && h.first <= h.last;
}

}  // namespace

struct AccessFileWriter::Impl {
  Impl(const std::string& path, const AccessFileOptions& given)
      : file(path),
        options(given) {
  }

  void write(std::string_view bytes) {
    file.write(bytes);
    offset += bytes.size();
  }

  // Compresses and writes a chunk.
  void write_chunk(std::span<const AccessRecord> records) {
    const std::string columns = encode_accesses(records);
    const std::string packed = base::compress_block(columns, options.level);
    ChunkHeader header{
        uint32_t(records.size()),
        uint32_t(packed.size()),
        uint32_t(columns.size()),
        base::crc32(packed),
        records.front().cycle,
        records.back().cycle};
    index.push_back({offset, header.first, header.last, header.events});
    write(write_chunk_header(header));
    write(packed);
  }

  // Writes the records before `limit` in whole chunks. The caller guarantees that no earlier record will
  // follow.
  void flush(uint64_t limit, bool all) {
    sort_by_cycle(pending);
    const auto ready =
        std::lower_bound(pending.begin(), pending.end(), limit, [](const AccessRecord& r, uint64_t c) {
          return r.cycle < c;
        });
    size_t count = all ? pending.size() : size_t(ready - pending.begin());
    size_t done = 0;
    while (count - done >= options.chunk_events || (all && done < count)) {
      const size_t size = std::min<size_t>(options.chunk_events, count - done);
      write_chunk(std::span(pending).subspan(done, size));
      done += size;
    }
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(done));
    next_flush = pending.size() + options.chunk_events;
  }

  base::OutputFile file;
  AccessFileOptions options;
  std::vector<AccessRecord> pending;
  std::vector<AccessFile::Chunk> index;
  std::string facts;
  uint64_t offset = 0;
  uint64_t events = 0;
  uint64_t promised = 0;
  uint64_t next_flush = 0;
  bool advances = false;
};

AccessFileWriter::AccessFileWriter(const std::string& path, const AccessFileOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {
  LENTO_CHECK(options.chunk_events > 0 && options.chunk_events <= kMaxEvents, "a chunk size out of range");
  impl_->next_flush = options.chunk_events;
  std::string header(kMagic);
  put(header, kVersion), put(header, uint32_t{0});
  impl_->write(header);
}

AccessFileWriter::~AccessFileWriter() = default;

// Adds a record. Without calls of advance(), whole chunks are written when two are pending.
void AccessFileWriter::record(const AccessRecord& record) {
  Impl& w = *impl_;
  LENTO_CHECK(record.cycle >= w.promised, "an access came before a cycle that was promised to be complete");
  w.pending.push_back(record);
  ++w.events;
  if (!w.advances && w.pending.size() >= 2 * size_t{w.options.chunk_events}) {
    w.promised = record.cycle;
    w.flush(record.cycle + 1, false);
  }
}

void AccessFileWriter::advance(uint64_t cycle) {
  Impl& w = *impl_;
  w.advances = true;
  w.promised = std::max(w.promised, cycle);
  if (w.pending.size() >= w.next_flush)
    w.flush(cycle, false);
}

void AccessFileWriter::set_facts(const program::TraceFacts& facts) {
  impl_->facts = program::write_facts(facts);
}

void AccessFileWriter::finish() {
  Impl& w = *impl_;
  w.flush(UINT64_MAX, true);
  if (!w.facts.empty()) {
    const std::string packed = base::compress_block(w.facts, w.options.level);
    std::string head;
    put(head, kFactsMagic);
    put(head, uint32_t(packed.size()));
    put(head, uint32_t(w.facts.size()));
    put(head, base::crc32(packed));
    w.write(head + packed);
  }
  std::string index;
  for (const AccessFile::Chunk& c : w.index) {
    put(index, c.offset), put(index, c.first_cycle), put(index, c.last_cycle), put(index, c.events),
        put(index, uint32_t{0});
  }
  std::string trailer;
  put(trailer, w.offset), put(trailer, uint64_t{w.index.size()}), put(trailer, base::crc32(index));
  put(trailer, base::crc32(trailer));
  trailer += kEnd;
  w.write(index);
  w.write(trailer);
  w.file.commit();
}

uint64_t AccessFileWriter::events() const {
  return impl_->events;
}
uint64_t AccessFileWriter::bytes() const {
  return impl_->offset;
}

struct AccessFile::Impl {
  std::string path;
  int fd = -1;
  uint64_t size = 0;
  uint64_t events = 0;
  std::vector<Chunk> chunks;

  ~Impl() {
    if (fd >= 0)
      ::close(fd);
  }

  bool read(uint64_t offset, size_t count, std::string& out) const {
    if (offset > size || count > size - offset)
      return false;
    out.resize(count);
    for (size_t done = 0; done < count;) {
      const ssize_t got = ::pread(fd, out.data() + done, count - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return false;
      done += size_t(got);
    }
    return true;
  }

  // Reads the index at the end of the file. Returns false without one, as after an interrupted recording.
  bool read_index() {
    std::string trailer;
    std::string index;
    if (size < kHeader + kTrailer || !read(size - kTrailer, kTrailer, trailer))
      return false;
    if (trailer.substr(24) != kEnd || get<uint32_t>(trailer, 20) != base::crc32(trailer.substr(0, 20)))
      return false;
    const uint64_t offset = get<uint64_t>(trailer, 0), count = get<uint64_t>(trailer, 8);
    if (count > size / kIndexEntry || !read(offset, count * kIndexEntry, index))
      return false;
    if (get<uint32_t>(trailer, 16) != base::crc32(index))
      return false;
    for (size_t at = 0; at < index.size(); at += kIndexEntry) {
      chunks.push_back(
          {get<uint64_t>(index, at),
           get<uint64_t>(index, at + 8),
           get<uint64_t>(index, at + 16),
           get<uint32_t>(index, at + 24)});
    }
    return true;
  }

  // Finds the chunks of a file whose end is missing.
  void walk() {
    std::string bytes;
    ChunkHeader header;
    for (uint64_t at = kHeader; read(at, kChunkHeader, bytes) && parse_chunk_header(bytes, header);) {
      if (header.packed > size - at - kChunkHeader)
        break;
      chunks.push_back({at, header.first, header.last, header.events});
      at += kChunkHeader + header.packed;
    }
  }
};

bool AccessFile::recognises(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  char magic[8];
  const bool is = ::pread(fd, magic, 8, 0) == 8 && std::string_view(magic, 8) == kMagic;
  ::close(fd);
  return is;
}

AccessFile::AccessFile(const std::string& path, base::ReadReport& report)
    : impl_(std::make_unique<Impl>()) {
  Impl& f = *impl_;
  f.path = path;
  f.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (f.fd < 0)
    throw Error({path}, std::string("cannot be opened: ") + std::strerror(errno));
  const off_t end = ::lseek(f.fd, 0, SEEK_END);
  if (end < 0)
    throw Error({path}, "not a regular file", "store the trace in a file; the format needs seeking");
  f.size = uint64_t(end);
  std::string header;
  if (!f.read(0, kHeader, header) || header.substr(0, 8) != kMagic) {
    throw Error(
        {path},
        "not a Lento access trace",
        "'lento memory simulate --trace' and 'lento memory replay' write one");
  }
  const uint32_t version = get<uint32_t>(header, 8);
  if (version < kOldest || version > kVersion)
    throw Error(
        {path},
        "version " + std::to_string(version) + " of the access trace, needed " + std::to_string(kVersion));
  if (!f.read_index()) {
    f.chunks.clear();
    f.walk();
    report.skip({path}, "the end of the file is missing or damaged: its whole chunks were taken", 0);
  }
  for (const Chunk& chunk : f.chunks)
    f.events += chunk.events;
}

AccessFile::~AccessFile() = default;
void AccessFile::read_facts(program::TraceFacts& facts) const {
  constexpr size_t kHead = 16;
  uint64_t at = kHeader;
  std::string bytes;
  std::string text;
  ChunkHeader last;
  if (!impl_->chunks.empty()) {
    at = impl_->chunks.back().offset;
    if (!impl_->read(at, kChunkHeader, bytes) || !parse_chunk_header(bytes, last))
      return;
    at += kChunkHeader + last.packed;
  }
  if (!impl_->read(at, kHead, bytes) || get<uint32_t>(bytes, 0) != kFactsMagic)
    return;
  const uint32_t packed = get<uint32_t>(bytes, 4), size = get<uint32_t>(bytes, 8);
  const uint32_t sum = get<uint32_t>(bytes, 12);
  if (size > kMaxFactBytes || !impl_->read(at + kHead, packed, bytes) || base::crc32(bytes) != sum)
    return;
  if (base::decompress_block(bytes, size, text))
    program::read_facts(text, facts);
}

const std::string& AccessFile::path() const {
  return impl_->path;
}
const std::vector<AccessFile::Chunk>& AccessFile::chunks() const {
  return impl_->chunks;
}
uint64_t AccessFile::events() const {
  return impl_->events;
}

bool AccessFile::read_chunk(size_t index, std::vector<AccessRecord>& out) const {
  static thread_local std::string bytes;
  static thread_local std::string columns;
  out.clear();
  const Chunk& chunk = impl_->chunks[index];
  ChunkHeader header;
  if (!impl_->read(chunk.offset, kChunkHeader, bytes) || !parse_chunk_header(bytes, header))
    return false;
  if (header.packed > impl_->size || !impl_->read(chunk.offset + kChunkHeader, header.packed, bytes))
    return false;
  if (base::crc32(bytes) != header.crc || header.unpacked / 1024 > header.packed + 1024)
    return false;
  if (!base::decompress_block(bytes, header.unpacked, columns))
    return false;
  return decode_accesses(columns, header.events, out);
}

AccessFileSource::AccessFileSource(const AccessFile& file, base::ReadReport& report, size_t begin, size_t end)
    : file_(file),
      report_(report),
      at_(begin),
      end_(std::min(end, file.chunks().size())) {
}

std::span<const AccessRecord> AccessFileSource::next() {
  while (at_ < end_) {
    const size_t index = at_++;
    if (file_.read_chunk(index, records_)) {
      report_.taken += records_.size();
      return records_;
    }
    report_.skip(
        {file_.path(), 0, 0, "chunk " + std::to_string(index)},
        "damaged chunk",
        file_.chunks()[index].events);
  }
  return {};
}

}  // namespace lento::memory
