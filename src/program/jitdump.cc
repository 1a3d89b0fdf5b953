// Reads the dump of a just-in-time compiler. Its code is in no file, so the dump is the only source of names
// and lines. Records may be cut off when the process was killed, and the complete ones are used.
//
//   file   = header record*
//   header = u32 magic "JiTD"  u32 version  u32 bytes of the header  u32 machine  u32 zero  u32 pid  u64 time
//            u64 flags
//   record = u32 kind  u32 bytes of the record  u64 time  body
//   load (0)  = u32 pid  u32 tid  u64 vma  u64 address  u64 bytes  u64 index  name '\0'  code
//   move (1)  = u32 pid  u32 tid  u64 vma  u64 from  u64 to  u64 bytes  u64 index
//   lines (2) = u64 address  u64 entries  (u64 address  u32 line  u32 column  file '\0')*
//
// Lines precede the code that they belong to. Numbers have the byte order of the machine that wrote them, and
// only little-endian dumps are read.
#include "program/jitdump.h"

#include <map>

#include "base/error.h"

namespace lento::program {
namespace {

constexpr uint32_t kMagic = 0x4A695444;
constexpr uint32_t kOtherOrder = 0x4454694A;
constexpr size_t kHeader = 40;
constexpr size_t kRecordHead = 16;

enum RecordKind : uint32_t {
  kLoad = 0,
  kMove = 1,
  kLines = 2
};

// Reads little-endian numbers and strings one after another. Past the end every value is 0 and bad() is true.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes)
      : bytes_(bytes) {
  }
  // Returns the next integer of `size` bytes.
  uint64_t number(size_t size) {
    if (bytes_.size() < size) {
      bad_ = true;
      return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
      value |= uint64_t{uint8_t(bytes_[i])} << (8 * i);
    bytes_.remove_prefix(size);
    return value;
  }
  std::string text() {
    const size_t end = bytes_.find('\0');
    if (end == std::string_view::npos) {
      bad_ = true;
      return {};
    }
    std::string out(bytes_.substr(0, end));
    bytes_.remove_prefix(end + 1);
    return out;
  }
  bool bad() const {
    return bad_;
  }

 private:
  std::string_view bytes_;
  bool bad_ = false;
};

class Reader {
 public:
  Reader(uint16_t process, AddressSpace& names)
      : process_(process),
        names_(names) {
  }

  void take(uint64_t kind, FieldReader body) {
    if (kind == kLoad)
      take_load(body);
    if (kind == kMove)
      take_move(body);
    if (kind == kLines)
      take_lines(body);
  }

 private:
  struct Code {
    std::string name;
    uint64_t bytes = 0;
  };

  void add(uint64_t address, const Code& code) {
    if (code.bytes == 0 || code.bytes > UINT64_MAX - address)
      return;
    names_.add_code({process_, address, address + code.bytes, code.name, ""});
  }

  // Reads a record of a function that was compiled at run time.
  void take_load(FieldReader& in) {
    in.number(8);  // process and thread
    in.number(8);  // where it was made; it runs at the address
    const uint64_t address = in.number(8);
    Code code;
    code.bytes = in.number(8);
    const uint64_t index = in.number(8);
    code.name = in.text();
    if (in.bad())
      return;
    add(address, code);
    end_lines(address, code);
    known_[index] = std::move(code);
  }

  // Reads a record of a compiled function's move to another address.
  void take_move(FieldReader& in) {
    in.number(8);
    in.number(8);
    in.number(8);  // from
    const uint64_t to = in.number(8);
    in.number(8);
    const auto code = known_.find(in.number(8));
    if (!in.bad() && code != known_.end())
      add(to, code->second);
  }

  // Reads a record of a function's source lines.
  void take_lines(FieldReader& in) {
    in.number(8);
    const uint64_t entries = in.number(8);
    for (uint64_t i = 0; i < entries && !in.bad(); ++i) {
      Line line;
      line.low = in.number(8);
      line.line = int(in.number(4) & INT32_MAX);
      in.number(4);
      line.file = in.text();
      if (!in.bad())
        lines_.push_back(std::move(line));
    }
  }

  // Extends each line to the next one, and the last to the end of the code.
  void end_lines(uint64_t address, const Code& code) {
    const uint64_t end = address + std::min(code.bytes, UINT64_MAX - address);
    for (size_t i = 0; i < lines_.size(); ++i) {
      const uint64_t next = i + 1 < lines_.size() ? lines_[i + 1].low : end;
      if (lines_[i].low >= address && next <= end && lines_[i].low < next)
        names_.add_source({process_, lines_[i].low, next, code.name, lines_[i].file, lines_[i].line});
    }
    lines_.clear();
  }

  struct Line {
    uint64_t low = 0;
    int line = 0;
    std::string file;
  };

  const uint16_t process_;
  AddressSpace& names_;
  std::map<uint64_t, Code> known_;  // by index
  std::vector<Line> lines_;         // of the code that comes next
};

}  // namespace

bool is_jitdump(std::string_view bytes) {
  const uint64_t magic = FieldReader(bytes).number(4);
  return magic == kMagic || magic == kOtherOrder;
}

void read_jitdump(std::string_view bytes, uint16_t process, const std::string& path, AddressSpace& names) {
  const uint64_t magic = FieldReader(bytes).number(4);
  if (magic == kOtherOrder)
    throw base::Error({path}, "is of a machine with the other byte order", "read it there");
  if (magic != kMagic || bytes.size() < kHeader)
    throw base::Error({path}, "is no jitdump");
  const uint64_t header = FieldReader(bytes.substr(8)).number(4);
  if (header < kHeader || header > bytes.size())
    throw base::Error({path}, "the header of the jitdump is damaged");
  bytes.remove_prefix(header);
  Reader reader(process, names);
  while (bytes.size() >= kRecordHead) {
    FieldReader head(bytes);
    const uint64_t kind = head.number(4);
    const uint64_t size = head.number(4);
    if (size < kRecordHead || size > bytes.size())
      break;
    reader.take(kind, FieldReader(bytes.substr(kRecordHead, size - kRecordHead)));
    bytes.remove_prefix(size);
  }
}

}  // namespace lento::program
