// Writes and reads probe records. A block of version 3 is 16 records and the CRC-32 of their bytes, and the
// last block holds the rest. One damaged byte loses one block. A lost or inserted byte loses all following
// blocks. Neither produces a false record.
#include "chip/read/probe_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/compress.h"
#include "base/json.h"
#include "base/number.h"

namespace lento::chip {
namespace {

using base::Error;
using base::Json;
using base::Location;

constexpr std::string_view kMagic = "lento.probe/1 ";
constexpr std::string_view kMagicOfSeveral = "lento.probe/2 ";
constexpr std::string_view kMagicOfChecked = "lento.probe/3 ";
constexpr std::string_view kColumns = "begin end work layer inference core peer kind op step";
constexpr std::string_view kColumnsOfSeveral =
    "begin end work layer inference core peer kind op step chip peer_chip";
constexpr size_t kRecord = sizeof(ProbeRecord);
// Bytes after a record of version 2: its chip and the peer's chip.
constexpr size_t kPlaces = 2 * sizeof(uint16_t);
constexpr size_t kBlockRecords = 1 << 12;
constexpr size_t kCheckedRecords = 16;  // records in a block of version 3
constexpr uint32_t kMaxChips = 64;
constexpr uint32_t kMaxIds = 65536;  // most cores or ports of all chips together
constexpr double kMaxClock = 1e13;
constexpr double kMaxTime = 9e18;  // cycles; below 2^63
constexpr std::array<std::string_view, 4> kKinds{"compute", "message", "read", "write"};

bool several(const ProbeHeader& header) {
  return header.chips > 1;
}

std::string head_of(const ProbeHeader& header, ProbeForm form) {
  Json json = Json::object()
                  .set("chip", header.chip)
                  .set("mapping", header.mapping)
                  .set("cores", int64_t{header.cores / header.chips})
                  .set("inferences", int64_t{header.inferences})
                  .set("clock_hz", header.clock_hz);
  if (several(header)) {
    json.set("chips", int64_t{header.chips}).set("ports", int64_t{header.ports / header.chips});
    if (!header.clocks_hz.empty()) {
      Json clocks = Json::array();
      for (const double clock : header.clocks_hz)
        clocks.push(clock);
      json.set("clocks_hz", clocks);
    }
  }
  std::string text(form == ProbeForm::Binary ? kMagicOfChecked : several(header) ? kMagicOfSeveral : kMagic);
  text += form == ProbeForm::Text ? "text\n" : "binary\n";
  text += base::write_json(json) + "\n";
  if (form == ProbeForm::Text)
    text.append(several(header) ? kColumnsOfSeveral : kColumns).append("\n");
  return text;
}

// Reads the fields that a header has only for several chips. `cores` is the number of one chip before the
// call, and of all chips after it.
void read_several(const Json& json, const Location& where, ProbeHeader& header) {
  header.chips = uint32_t(json.at("chips", where).integer(base::child(where, "chips"), 1, kMaxChips));
  const uint32_t most = kMaxIds / header.chips;
  if (header.cores > most)
    throw Error(base::child(where, "cores"), "more than 65536 cores on all chips");
  header.cores *= header.chips;
  header.ports = uint32_t(json.at("ports", where).integer(base::child(where, "ports"), 0, most));
  header.ports *= header.chips;
  const Json* clocks = json.find("clocks_hz");
  if (!clocks)
    return;
  const Location at = base::child(where, "clocks_hz");
  for (const Json& clock : clocks->array(at))
    header.clocks_hz.push_back(clock.number(base::child(at, header.clocks_hz.size())));
  if (header.clocks_hz.size() != header.chips)
    throw Error(at, "needed one clock for each of " + std::to_string(header.chips) + " chips");
  header.clocks_hz.push_back(header.clock_hz);
  for (const double clock : header.clocks_hz)
    if (!(clock >= 1 && clock <= kMaxClock))
      throw Error(at, "a clock is not from 1 to 1e13 Hz", "'clock_hz' is needed beside 'clocks_hz'");
  header.clocks_hz.pop_back();
}

// Returns the cycles of the header's clock in one cycle of a chip's clock.
double cycles_of(const ProbeHeader& header, size_t chip) {
  if (header.clocks_hz.empty())
    return 1;
  return header.clock_hz / header.clocks_hz[chip];
}

uint64_t whole(double cycles) {
  return uint64_t(cycles + 0.5);
}

bool moves_data_of_dram(ProbeKind kind) {
  return kind == ProbeKind::Read || kind == ProbeKind::Write;
}

// Splits an id counted over all chips: returns its chip, and replaces `id` by the id on that chip.
uint16_t split(uint16_t& id, uint32_t of_all, uint32_t chips) {
  const uint32_t each = std::max<uint32_t>(1, of_all / chips);
  const auto chip = uint16_t(id / each);
  id = uint16_t(id % each);
  return chip;
}

// Parses the header. With `may_be_several`, the field `chips` decides whether there are several chips.
ProbeHeader header_from(std::string_view line, bool of_several, bool may_be_several, const Location& where) {
  const Json json = base::parse_json(line, where.file, where.line);
  of_several = of_several || (may_be_several && json.find("chips"));
  ProbeHeader header;
  header.chip = json.string_or("chip", "", where);
  header.mapping = json.string_or("mapping", "", where);
  header.cores = uint32_t(json.at("cores", where).integer(base::child(where, "cores"), 1, 65536));
  if (const Json* inferences = json.find("inferences"))
    header.inferences = uint32_t(inferences->integer(base::child(where, "inferences"), 0, UINT32_MAX));
  header.clock_hz = json.number_or("clock_hz", 0, where);
  if (of_several)
    read_several(json, where, header);
  return header;
}

void append_text(std::string& out, const ProbeRecord& r) {
  for (const uint64_t value :
       {r.begin,
        r.end,
        r.work,
        uint64_t{r.layer},
        uint64_t{r.inference},
        uint64_t{r.core},
        uint64_t{r.peer}}) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr - digits).append(1, ' ');
  }
  out.append(kKinds[size_t(r.kind)]);
  out.append(" ").append(std::to_string(r.op)).append(" ").append(std::to_string(r.step));
}

// Takes one word off a text line. Returns false at the end of the line.
bool word(std::string_view& line, std::string_view& out) {
  const size_t start = line.find_first_not_of(' ');
  if (start == std::string_view::npos)
    return false;
  line.remove_prefix(start);
  const size_t size = std::min(line.find(' '), line.size());
  out = line.substr(0, size);
  line.remove_prefix(size);
  return true;
}

template <class Integer>
bool number(std::string_view& line, Integer& out) {
  std::string_view text;
  if (!word(line, text))
    return false;
  const auto value = base::try_uint(text);
  if (!value || *value > std::numeric_limits<Integer>::max())
    return false;
  out = static_cast<Integer>(*value);
  return true;
}

// Parses "begin end work layer inference core peer kind op step", separated by blanks. The rest stays in
// `line`.
bool parse_record(std::string_view& line, ProbeRecord& r) {
  std::string_view kind;
  if (!(number(line, r.begin) && number(line, r.end) && number(line, r.work) && number(line, r.layer) &&
        number(line, r.inference) && number(line, r.core) && number(line, r.peer) && word(line, kind))) {
    return false;
  }
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] != kind)
      continue;
    r.kind = static_cast<ProbeKind>(i);
    return number(line, r.op) && number(line, r.step);
  }
  return false;
}

// Converts a record of one chip, in place: numbers its core and peer over all chips, and converts its times
// from cycles of its chip's clock to cycles of the header's. Returns nullptr, or the reason why the record is
// invalid.
const char* count_over_chips(const ProbeHeader& header, uint16_t chip, uint16_t peer_chip, ProbeRecord& r) {
  const bool dram = moves_data_of_dram(r.kind);
  const uint32_t cores = header.cores / header.chips;
  const uint32_t peers = (dram ? header.ports : header.cores) / header.chips;
  if (chip >= header.chips || r.core >= cores)
    return "core is not on the chip";
  if (r.kind != ProbeKind::Compute) {
    if (peer_chip >= header.chips || r.peer >= peers)
      return dram ? "DRAM port is not on the chip" : "sending core is not on the chip";
    r.peer = uint16_t(peer_chip * peers + r.peer);
  }
  r.core = uint16_t(chip * cores + r.core);
  const double cycles = cycles_of(header, chip);
  if (cycles == 1)
    return nullptr;
  if (double(r.end) * cycles > kMaxTime)
    return "time is out of range";
  r.begin = whole(double(r.begin) * cycles);
  r.end = whole(double(r.end) * cycles);
  return nullptr;
}

size_t record_bytes(bool of_several) {
  return of_several ? kRecord + kPlaces : kRecord;
}

}  // namespace

// A record with its chips, as stored in the file.
struct ProbeReader::Placed {
  ProbeRecord record;
  uint16_t chip = 0;
  uint16_t peer_chip = 0;
};

static_assert(std::endian::native == std::endian::little, "encode copies the members as they lie in memory");

void encode(const ProbeRecord& record, char* out) {
  std::memcpy(out, &record, kRecord);
}

ProbeRecord decode(const char* bytes) {
  ProbeRecord record;
  std::memcpy(&record, bytes, kRecord);
  return record;
}

ProbeWriter::ProbeWriter(const std::string& path, const ProbeHeader& header, ProbeForm form)
    : file_(path),
      header_(header),
      form_(form) {
  LENTO_CHECK(
      header.chips >= 1 && header.cores % header.chips == 0 && header.ports % header.chips == 0,
      "cores and ports of equal chips do not come out even");
  LENTO_CHECK(header.clocks_hz.empty() || header.clocks_hz.size() == header.chips, "a chip without a clock");
  file_.write(head_of(header, form));
}

void ProbeWriter::write(const ProbeRecord& record) {
  ProbeRecord own = record;
  std::array<uint16_t, 2> chips{};
  if (several(header_)) {
    chips[0] = split(own.core, header_.cores, header_.chips);
    if (own.kind != ProbeKind::Compute)
      chips[1] = split(own.peer, moves_data_of_dram(own.kind) ? header_.ports : header_.cores, header_.chips);
    const double cycles = cycles_of(header_, chips[0]);
    if (cycles != 1) {
      own.begin = whole(double(own.begin) / cycles);
      own.end = whole(double(own.end) / cycles);
    }
  }
  if (form_ != ProbeForm::Text) {
    const size_t at = buffer_.size();
    buffer_.resize(at + record_bytes(several(header_)));
    encode(own, buffer_.data() + at);
    if (several(header_))
      std::memcpy(buffer_.data() + at + kRecord, chips.data(), kPlaces);
  } else {
    append_text(buffer_, own);
    if (several(header_))
      buffer_.append(" ").append(std::to_string(chips[0])).append(" ").append(std::to_string(chips[1]));
    buffer_.append("\n");
  }
  const size_t full =
      form_ == ProbeForm::Binary ? kCheckedRecords * record_bytes(several(header_)) : kBlockRecords * kRecord;
  if (buffer_.size() >= full)
    flush();
}

void ProbeWriter::flush() {
  if (form_ == ProbeForm::Binary && !buffer_.empty()) {
    const uint32_t sum = base::crc32(buffer_);
    buffer_.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  }
  file_.write(buffer_);
  buffer_.clear();
}

void ProbeWriter::commit() {
  flush();
  file_.commit();
}

ProbeReader::ProbeReader(const std::string& path, base::ReadReport& report)
    : ProbeReader(base::InputStream(path), report) {
}

ProbeReader::ProbeReader(base::InputStream input, base::ReadReport& report)
    : input_(std::make_unique<base::InputStream>(std::move(input))),
      report_(report) {
  const std::string path = input_->path();
  std::string_view line;
  if (!input_->line(line) ||
      !(line.starts_with(kMagic) || line.starts_with(kMagicOfSeveral) || line.starts_with(kMagicOfChecked))) {
    throw Error(
        {path, 1, 1, {}},
        "not a probe-record file of version 1 to 3",
        "it starts with '" + std::string(kMagic) +
            "binary' or '... text'; 'lento chip simulate -o' writes one");
  }
  several_ = line.starts_with(kMagicOfSeveral);
  checked_ = line.starts_with(kMagicOfChecked);
  const std::string_view form = line.substr(kMagic.size());
  if (form != "binary" && (form != "text" || checked_)) {
    throw Error(
        {path, 1, int(kMagic.size()) + 1, {}},
        "form '" + std::string(form.substr(0, 40)) + "' is not known, needed 'binary'" +
            (checked_ ? "" : " or 'text'"));
  }
  form_ = form == "binary" ? ProbeForm::Binary : ProbeForm::Text;
  if (!input_->line(line))
    throw Error({path, 2, 1, {}}, "the line with the header is missing");
  header_ = header_from(line, several_, checked_, {path, 2, 0, "header"});
  several_ = several_ || (checked_ && several(header_));
  const std::string_view columns = several_ ? kColumnsOfSeveral : kColumns;
  if (form_ == ProbeForm::Text && (!input_->line(line) || line != columns)) {
    throw Error(
        {path, 3, 1, {}},
        "the line with the column names is missing",
        "needed '" + std::string(columns) + "'");
  }
}

// Corrects a record during which a 32-bit counter wrapped: its end is then far before its begin.
static void mend_wrap(ProbeRecord& record) {
  constexpr uint64_t kWrap = uint64_t{1} << 32;
  if (record.begin < kWrap && record.begin > record.end && record.begin - record.end > kWrap / 2)
    record.end += kWrap;
}

// Returns whether a record is possible. Others are counted as skipped.
bool ProbeReader::accept(Placed& placed, const Location& where) {
  ProbeRecord& record = placed.record;
  mend_wrap(record);
  const char* reason = size_t(record.kind) >= kKinds.size() ? "unknown record kind"
                       : record.end < record.begin          ? "ends before it begins"
                       : record.core >= header_.cores       ? "core is not on the chip"
                       : header_.inferences > 0 && record.inference >= header_.inferences
                           ? "of an inference that the head does not count"
                           : nullptr;
  if (!reason && several_)
    reason = count_over_chips(header_, placed.chip, placed.peer_chip, record);
  if (reason) {
    report_.skip(where, reason);
    return false;
  }
  ++report_.taken;
  return true;
}

// Reads the next block of version 3 with a correct checksum. Returns false at the end.
bool ProbeReader::next_block() {
  const size_t size = record_bytes(several_);
  for (;;) {
    block_.resize(kCheckedRecords * size + sizeof(uint32_t));
    block_.resize(input_->read({block_.data(), block_.size()}));
    used_ = 0;
    if (block_.empty())
      return false;
    const size_t bytes = block_.size() - std::min(block_.size(), sizeof(uint32_t));
    const auto records = uint64_t{bytes / size};
    uint32_t sum = 0;
    if (bytes > 0 && bytes % size == 0) {
      std::memcpy(&sum, block_.data() + bytes, sizeof sum);
      block_.resize(bytes);
      if (sum == base::crc32(block_))
        return true;
    }
    report_.skip(
        {input_->path(), 0, 0, "record " + std::to_string(index_)},
        bytes % size == 0 ? "of a block whose check sum is wrong" : "of a block that is cut off",
        std::max<uint64_t>(1, records));
    index_ += records;
  }
}

// Reads the next record of the binary form, whose blocks may have checksums.
bool ProbeReader::next_binary(Placed& out) {
  const size_t size = record_bytes(several_);
  const size_t block = kBlockRecords * size;
  if (checked_ && used_ >= block_.size() && !next_block())
    return false;
  if (!checked_ && used_ + size > block_.size()) {
    const size_t left = block_.size() - used_;
    block_.erase(0, used_);
    block_.resize(block);
    block_.resize(left + input_->read({block_.data() + left, block - left}));
    used_ = 0;
  }
  if (block_.size() - used_ < size) {
    if (block_.size() > used_) {
      report_.skip(
          {input_->path(), 0, 0, "record " + std::to_string(index_)},
          "cut off at the end of the file");
    }
    used_ = block_.size();
    return false;
  }
  const char* at = block_.data() + used_;
  out.record = decode(at);
  if (several_) {
    std::memcpy(&out.chip, at + kRecord, sizeof out.chip);
    std::memcpy(&out.peer_chip, at + kRecord + sizeof out.chip, sizeof out.peer_chip);
  }
  used_ += size;
  ++index_;
  return true;
}

// Reads the next record of the text form.
bool ProbeReader::next_text(Placed& out) {
  std::string_view line;
  std::string_view rest;
  while (input_->line(line)) {
    ++index_;
    if (line.empty())
      continue;
    const bool read = parse_record(line, out.record) &&
                      (!several_ || (number(line, out.chip) && number(line, out.peer_chip)));
    if (read && !word(line, rest))
      return true;
    report_.skip({input_->path(), int(input_->line_number()), 1, {}}, "not a record line");
  }
  return false;
}

bool ProbeReader::next(ProbeRecord& out) {
  for (;;) {
    Placed placed;
    if (!(form_ == ProbeForm::Binary ? next_binary(placed) : next_text(placed)))
      return false;
    Location where{input_->path(), 0, 0, {}};
    if (form_ == ProbeForm::Text)
      where.line = int(input_->line_number());
    // The text of the location is built only for a record that is rejected.
    if (!accept(placed, where))
      continue;
    out = placed.record;
    return true;
  }
}

}  // namespace lento::chip
