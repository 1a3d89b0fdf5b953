// Recognises access traces of other tools by magic and first lines, opens them, and decodes the data source
// word that the readers of perf share. The word follows `union perf_mem_data_src` of linux/perf_event.h.
#include "memory/read/foreign.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/file.h"
#include "base/scan/lines.h"
#include "memory/read/c2c_report.h"

namespace lento::memory {
namespace {

using base::Error;

const std::vector<std::string> kNames =
    {"paper", "perf", "perf.data", "memaxes", "gem5", "drmemtrace", "lackey", "champsim", "c2c"};

std::string first_bytes(const std::string& path) {
  base::InputStream in(path);
  std::string bytes(4096, '\0');
  bytes.resize(in.read(bytes));
  return bytes;
}

// Finds "comm 12 [003] ...:", which perf script prints for the CPU of a sample. A symbol such as workers[3]
// does not match.
bool names_a_cpu(std::string_view line) {
  for (size_t open = line.find(" ["); open != std::string_view::npos; open = line.find(" [", open + 1)) {
    const size_t close = line.find_first_not_of("0123456789", open + 2);
    if (close != std::string_view::npos && close > open + 2 && line.substr(close, 2) == "] ")
      return line.find(':', close) != std::string_view::npos;
  }
  return false;
}

// Searches all first lines for one of perf script, because warnings may precede it.
bool is_perf_script(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = base::take_line(text);
    if (names_a_cpu(line) || line.find("|OP ") != std::string_view::npos)
      return true;
  }
  return false;
}

// Returns whether the bytes are text: no control characters except line ends and tabs.
bool is_text(std::string_view bytes) {
  return std::ranges::none_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 32 && c != '\n' && c != '\t' && c != '\r';
  });
}

bool is_lackey(std::string_view text) {
  const size_t at = text.find("\n L ") == std::string_view::npos ? text.find("\n S ") : text.find("\n L ");
  return text.starts_with("I  ") || at != std::string_view::npos;
}

// Returns the first line that is neither blank nor a comment.
std::string_view first_record(std::string_view text) {
  while (text.starts_with('#') || text.starts_with('\n') || text.starts_with('\r')) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string foreign_formats() {
  std::string text;
  for (const std::string& name : kNames)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string recognise_foreign(const std::string& path) {
  const std::string head = first_bytes(path);
  const std::string_view text(head);
  if (text.starts_with("# lento.access/"))
    return "text";
  if (text.starts_with("PERFILE2") || text.starts_with("2ELIFREP"))
    return "perf.data";
  if (text.starts_with("gem5"))
    return "gem5";
  if (text.starts_with("PK\x03\x04"))
    return "drmemtrace";
  if (path.find("champsim") != std::string::npos)
    return "champsim";
  if (!is_text(text))
    throw Error(
        {path},
        "the kind of trace is not recognised: it is no text and has no known magic",
        "name it with --format: text, " + foreign_formats());
  if (is_c2c_report(text))
    return "c2c";
  const std::string_view line = first_record(text);
  if (line.find("latency") != std::string_view::npos && line.find(',') != std::string_view::npos)
    return "memaxes";
  if (is_perf_script(text))
    return "perf";
  if (is_lackey(text))
    return "lackey";
  if (line.find("fetch") != std::string_view::npos || line.find("load") != std::string_view::npos ||
      line.find("store") != std::string_view::npos) {
    return "paper";
  }
  throw Error(
      {path},
      "the kind of trace is not recognised",
      "name it with --format: text, " + foreign_formats());
}

std::unique_ptr<AccessSource> open_foreign(
    const std::string& format,
    const std::string& path,
    const std::string& columns,
    base::ReadReport& report,
    program::TraceFacts* facts) {
  if (format == "paper")
    return open_paper_text(path, columns, report);
  if (format == "perf")
    return open_perf_script(path, report, facts);
  if (format == "perf.data")
    return open_perf_data(path, report, facts);
  if (format == "memaxes")
    return open_memaxes(path, report, facts);
  if (format == "gem5")
    return open_gem5(path, report, facts);
  if (format == "drmemtrace")
    return open_drmemtrace(path, report, facts);
  if (format == "lackey")
    return open_lackey(path, report, facts);
  if (format == "champsim")
    return open_champsim(path, report, facts);
  if (format == "c2c")
    throw Error(
        {path},
        "is a report of perf c2c: a summary, no trace of accesses",
        "'lento memory diagnose' reads it; a trace comes from: perf script, or the perf.data itself");
  throw Error({"--format"}, "'" + format + "' is not a kind of trace", base::suggestion(format, kNames));
}

// Decodes the level of older kernels from PERF_MEM_LVL_* bits: 8 L1, 16 LFB, 32 L2, 64 L3, 128 local RAM, 256
// and 512 remote RAM, 1024 and 2048 remote caches.
static PerfDataSource::Level level_by_bits(uint64_t bits) {
  using Level = PerfDataSource::Level;
  if (bits & 8)
    return Level::L1;
  if (bits & 16)
    return Level::Buffer;
  if (bits & 32)
    return Level::L2;
  if (bits & 64)
    return Level::L3;
  if (bits & (128 | 256 | 512))
    return Level::Memory;
  if (bits & (1024 | 2048))
    return Level::L3;
  return Level::Unknown;
}

// Decodes the data source word of a perf sample (`perf_mem_data_src` of the Linux kernel).
PerfDataSource decode_perf_data_source(uint64_t word) {
  using Level = PerfDataSource::Level;
  PerfDataSource s;
  const uint64_t op = word & 31;
  const uint64_t level_bits = word >> 5 & 0x3fff;
  const uint64_t snoop = word >> 19 & 31;
  s.load = op & 2;
  s.store = op & 4;
  s.prefetch = op & 8;
  s.fetch = op & 16;
  s.locked = (word >> 24 & 3) == 2;
  s.modified = snoop & 16;
  s.peer = (word >> 38 & 2) != 0;  // 1 is a clean line that was forwarded, which no CPU has written to
  constexpr uint64_t kRemoteLevels = 256 | 512 | 1024 | 2048;  // RAM and caches one and two hops away
  s.remote = (word >> 37 & 1) || (level_bits & kRemoteLevels);
  // "L3 miss" names the last level that was looked up, not the one that answered.
  const bool missed = (level_bits & 6) == 4;
  const uint64_t number = word >> 33 & 15;
  static constexpr std::array<Level, 16> kByNumber = {
      Level::Unknown,
      Level::L1,
      Level::L2,
      Level::L3,
      Level::Other,
      Level::Unknown,
      Level::Unknown,
      Level::Unknown,
      Level::Unknown,
      Level::Memory,
      Level::Other,
      Level::Unknown,
      Level::Buffer,
      Level::Memory,
      Level::Memory,
      Level::Unknown};
  s.level = kByNumber[number];
  if (s.level == Level::Unknown)
    s.level = level_by_bits(level_bits);
  if (missed && s.level != Level::Unknown && s.level != Level::Memory)
    s.level = Level::Other;
  return s;
}
// Returns from where the access was served.
Service service_of(const PerfDataSource& s) {
  using Level = PerfDataSource::Level;
  if (s.modified || s.peer)
    return s.remote ? Service::RemotePeer : Service::LocalPeer;
  switch (s.level) {
    case Level::L1:
      return Service::L1;
    case Level::Buffer:
      return Service::Buffer;
    case Level::L2:
      return Service::L2;
    case Level::L3:  // a cache of another node takes as long as its memory
      return s.remote ? Service::RemoteMemory : Service::L3;
    case Level::Memory:
      if (s.remote)
        return Service::RemoteMemory;
      return Service::LocalMemory;
    case Level::Other:
    case Level::Unknown:
      break;
  }
  return Service::Unknown;
}

void apply_perf_data_source(uint64_t word, AccessRecord& r) {
  const PerfDataSource s = decode_perf_data_source(word);
  const bool known = s.load || s.store || s.prefetch || s.fetch;
  if (s.locked)
    r.type = AccessType::Atomic;
  else if (known)
    r.type = s.store      ? AccessType::Store
             : s.prefetch ? AccessType::Prefetch
             : s.fetch    ? AccessType::Fetch
                          : AccessType::Load;
  r.service = service_of(s);
  if (s.level == PerfDataSource::Level::Unknown && r.service == Service::Unknown)
    return;
  r.flags |= AccessRecord::kServiceKnown;
  if (r.service == Service::L1)
    r.flags |= AccessRecord::kLocal;
}

}  // namespace lento::memory
