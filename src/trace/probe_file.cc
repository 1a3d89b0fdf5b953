#include "trace/probe_file.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/json.h"
#include "base/number.h"

namespace lento::trace {
namespace {

using base::Error;
using base::Json;
using base::Location;

constexpr std::string_view kMagic = "lento.probe/1 ";
constexpr std::string_view kColumns = "begin end work layer inference core peer kind op step";
constexpr size_t kRecord = sizeof(ProbeRecord);
constexpr size_t kBlock = kRecord << 12;
constexpr std::array<std::string_view, 4> kKinds{"compute", "message", "read", "write"};

std::string head_of(const ProbeHeader& header, ProbeForm form) {
  const Json json = Json::object()
                        .set("chip", header.chip)
                        .set("mapping", header.mapping)
                        .set("cores", int64_t{header.cores})
                        .set("inferences", int64_t{header.inferences})
                        .set("clock_hz", header.clock_hz);
  std::string text(kMagic);
  text += form == ProbeForm::Binary ? "binary\n" : "text\n";
  text += base::write_json(json) + "\n";
  if (form == ProbeForm::Text)
    text.append(kColumns).append("\n");
  return text;
}

ProbeHeader header_from(std::string_view line, const Location& where) {
  const Json json = base::parse_json(line, where.file, where.line);
  ProbeHeader header;
  header.chip = json.string_or("chip", "", where);
  header.mapping = json.string_or("mapping", "", where);
  header.cores = uint32_t(json.at("cores", where).integer(base::child(where, "cores"), 1, 65536));
  if (const Json* inferences = json.find("inferences"))
    header.inferences = uint32_t(inferences->integer(base::child(where, "inferences"), 0, UINT32_MAX));
  header.clock_hz = json.number_or("clock_hz", 0, where);
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
  out.append(" ").append(std::to_string(r.op)).append(" ").append(std::to_string(r.step)).append("\n");
}

// One word of a text line; false when the line has no more.
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

// line = begin end work layer inference core peer kind op step, separated by spaces
bool parse_line(std::string_view line, ProbeRecord& r) {
  std::string_view kind;
  std::string_view rest;
  if (!(number(line, r.begin) && number(line, r.end) && number(line, r.work) && number(line, r.layer) &&
        number(line, r.inference) && number(line, r.core) && number(line, r.peer) && word(line, kind))) {
    return false;
  }
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] != kind)
      continue;
    r.kind = static_cast<ProbeKind>(i);
    return number(line, r.op) && number(line, r.step) && !word(line, rest);
  }
  return false;
}

}  // namespace

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
      form_(form) {
  file_.write(head_of(header, form));
}

void ProbeWriter::write(const ProbeRecord& record) {
  if (form_ == ProbeForm::Binary) {
    const size_t at = buffer_.size();
    buffer_.resize(at + kRecord);
    encode(record, buffer_.data() + at);
  } else {
    append_text(buffer_, record);
  }
  if (buffer_.size() >= kBlock)
    flush();
}

void ProbeWriter::flush() {
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
  if (!input_->line(line) || !line.starts_with(kMagic)) {
    throw Error(
        {path, 1, 1, {}},
        "not a probe-record file of version 1",
        "it starts with '" + std::string(kMagic) +
            "binary' or '... text'; 'lento chip simulate -o' writes one");
  }
  const std::string_view form = line.substr(kMagic.size());
  if (form != "binary" && form != "text") {
    throw Error(
        {path, 1, int(kMagic.size()) + 1, {}},
        "form '" + std::string(form.substr(0, 40)) + "' is not known, needed 'binary' or 'text'");
  }
  form_ = form == "binary" ? ProbeForm::Binary : ProbeForm::Text;
  if (!input_->line(line))
    throw Error({path, 2, 1, {}}, "the line with the header is missing");
  header_ = header_from(line, {path, 2, 0, "header"});
  if (form_ == ProbeForm::Text && (!input_->line(line) || line != kColumns)) {
    throw Error(
        {path, 3, 1, {}},
        "the line with the column names is missing",
        "needed '" + std::string(kColumns) + "'");
  }
}

bool ProbeReader::accept(const ProbeRecord& record, const Location& where) {
  const char* reason = size_t(record.kind) >= kKinds.size() ? "unknown record kind"
                       : record.end < record.begin          ? "ends before it begins"
                       : record.core >= header_.cores       ? "core is not on the chip"
                       : header_.inferences > 0 && record.inference >= header_.inferences
                           ? "of an inference that the head does not count"
                           : nullptr;
  if (reason) {
    report_.skip(where, reason);
    return false;
  }
  ++report_.taken;
  return true;
}

bool ProbeReader::next_binary(ProbeRecord& out) {
  if (used_ + kRecord > block_.size()) {
    const size_t left = block_.size() - used_;
    block_.erase(0, used_);
    block_.resize(kBlock);
    block_.resize(left + input_->read({block_.data() + left, kBlock - left}));
    used_ = 0;
  }
  if (block_.size() - used_ < kRecord) {
    if (block_.size() > used_) {
      report_.skip(
          {input_->path(), 0, 0, "record " + std::to_string(index_)},
          "cut off at the end of the file");
    }
    used_ = block_.size();
    return false;
  }
  out = decode(block_.data() + used_);
  used_ += kRecord;
  ++index_;
  return true;
}

bool ProbeReader::next_text(ProbeRecord& out) {
  std::string_view line;
  while (input_->line(line)) {
    ++index_;
    if (line.empty())
      continue;
    if (parse_line(line, out))
      return true;
    report_.skip({input_->path(), int(input_->line_number()), 1, {}}, "not a record line");
  }
  return false;
}

bool ProbeReader::next(ProbeRecord& out) {
  for (;;) {
    out = {};
    if (!(form_ == ProbeForm::Binary ? next_binary(out) : next_text(out)))
      return false;
    Location where{input_->path(), 0, 0, {}};
    if (form_ == ProbeForm::Text)
      where.line = int(input_->line_number());
    // The text of a place is made only for a record that is refused.
    if (accept(out, where))
      return true;
  }
}

}  // namespace lento::trace
