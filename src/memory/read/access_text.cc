// Writes and reads access traces as text (access_text.h gives the grammar). Numbers are decimal, or
// hexadecimal after 0x. A line that is no record is skipped and counted. The header must match exactly,
// because the columns are positional.
#include "memory/read/access_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "memory/read/access_codec.h"

namespace lento::memory {
namespace {

constexpr std::string_view kSchema = "# lento.access/1";
constexpr std::string_view kContextSchema = "# lento.access/2";
constexpr std::string_view kContextColumns =
    "cpu cycle pc type address latency size flags culprit culprit_pc blamed cause thread process node "
    "service";
constexpr std::string_view kTextColumns =
    "cpu cycle pc type address latency size flags culprit culprit_pc blamed cause";
constexpr std::string_view kFlagLetters = "lksfucdg";
constexpr size_t kBatch = 65536;
constexpr size_t kFields = 12;
constexpr size_t kAllFields = 16;

void number(std::string& out, uint64_t value, int radix = 10) {
  char text[24];
  if (radix == 16)
    out += "0x";
  out.append(text, std::to_chars(text, text + sizeof text, value, radix).ptr);
}

std::optional<uint64_t> read_number(std::string_view text, uint64_t max) {
  const bool hex = text.substr(0, 2) == "0x";
  const auto value = base::try_uint(hex ? text.substr(2) : text, hex ? 16 : 10);
  if (value && *value <= max)
    return value;
  return std::nullopt;
}

// Splits a line at blanks and returns the number of fields, or 0 when there are too many or one is empty.
size_t split(std::string_view line, std::array<std::string_view, kAllFields>& fields) {
  size_t count = 0;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (count == kAllFields || end == 0)
      return 0;
    fields[count++] = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return count;
}

// Returns "remote_memory" for "remote memory", because fields hold no blanks.
std::string service_name(Service service) {
  std::string text = to_string(service);
  for (char& c : text) {
    if (c == ' ')
      c = '_';
  }
  return text;
}

// Parses where an access was served from. "-": unknown.
bool take_service(std::string_view text, Service& out) {
  if (text == "-")
    return true;
  for (int i = 0; i < kServices; ++i) {
    if (text != service_name(static_cast<Service>(i)))
      continue;
    out = static_cast<Service>(i);
    return true;
  }
  return false;
}

// Fills `out` when `text` is a number up to `max`. A "-" leaves the default when the field is optional.
template <class T>
bool take(std::string_view text, T& out, uint64_t max, bool optional = false) {
  if (optional && text == "-")
    return true;
  const auto value = read_number(text, max);
  if (value)
    out = static_cast<T>(*value);
  return value.has_value();
}

// Parses the name of an enumerator.
template <class T>
bool take_name(std::string_view text, T& out, int count) {
  for (int i = 0; i < count; ++i) {
    if (text == to_string(static_cast<T>(i))) {
      out = static_cast<T>(i);
      return true;
    }
  }
  return false;
}

// Parses flags, one letter each. "-": none.
bool take_flags(std::string_view text, uint8_t& out) {
  if (text == "-")
    return true;
  for (const char c : text) {
    const size_t bit = kFlagLetters.find(c);
    if (bit == std::string_view::npos)
      return false;
    out = uint8_t(out | 1u << bit);
  }
  return true;
}

}  // namespace

bool parse_access_text(std::string_view line, AccessRecord& r) {
  std::array<std::string_view, kAllFields> f;
  const size_t count = split(line, f);
  if (count != kFields && count != kAllFields)
    return false;
  if (count == kAllFields &&
      !(take(f[12], r.thread, UINT32_MAX, true) && take(f[13], r.process, UINT16_MAX, true) &&
        take(f[14], r.node, UINT8_MAX - 1, true) && take_service(f[15], r.service))) {
    return false;
  }
  if (f[11] != "-" && !take_name(f[11], r.cause, kDelayCauses))
    return false;
  return take(f[0], r.cpu, UINT16_MAX - 1) && take(f[1], r.cycle, UINT64_MAX) &&
         take(f[2], r.pc, UINT64_MAX) && take_name(f[3], r.type, kAccessTypes) &&
         take(f[4], r.address, UINT64_MAX) && take(f[5], r.latency, UINT32_MAX - 1, true) &&
         take(f[6], r.size, 255, true) && take_flags(f[7], r.flags) &&
         take(f[8], r.culprit, UINT16_MAX - 1, true) && take(f[9], r.culprit_pc, UINT64_MAX, true) &&
         take(f[10], r.blamed, UINT32_MAX, true);
}

std::string access_text_header(TextForm form) {
  if (form == TextForm::Paper)
    return "";
  if (form == TextForm::Full)
    return std::string(kSchema) + "\n" + std::string(kTextColumns) + "\n";
  return std::string(kContextSchema) + "\n" + std::string(kContextColumns) + "\n";
}

void append_context_text(const AccessRecord& r, std::string& out) {
  append_access_text(r, out);
  out.back() = ' ';
  number(out, r.thread);
  out += ' ';
  number(out, r.process);
  out += ' ';
  if (r.node == AccessRecord::kNoNode) {
    out += '-';
  } else {
    number(out, r.node);
  }
  out += ' ' + service_name(r.service) + '\n';
}

void append_paper_text(const AccessRecord& r, std::string& out) {
  number(out, r.cpu), out += ' ';
  number(out, r.cycle), out += ' ';
  number(out, r.pc, 16), out += ' ';
  out += to_string(r.type);
  out += ' ';
  number(out, r.address, 16), out += ' ';
  if (r.latency == AccessRecord::kNoLatency) {
    out += '-';
  } else {
    number(out, r.latency);
  }
  out += '\n';
}

void append_access_text(const AccessRecord& r, std::string& out) {
  append_paper_text(r, out);
  out.back() = ' ';
  number(out, r.size), out += ' ';
  for (size_t bit = 0; bit < kFlagLetters.size(); ++bit) {
    if (r.flags >> bit & 1)
      out += kFlagLetters[bit];
  }
  out += r.flags != 0 ? " " : "- ";
  if (r.culprit == AccessRecord::kNoCpu && r.culprit_pc == 0 && r.blamed == 0 &&
      r.cause == DelayCause::None) {
    out += "- - - -\n";
    return;
  }
  if (r.culprit == AccessRecord::kNoCpu) {
    out += '-';
  } else {
    number(out, r.culprit);
  }
  out += ' ';
  number(out, r.culprit_pc, 16), out += ' ';
  number(out, r.blamed), out += ' ';
  out += to_string(r.cause);
  out += '\n';
}

AccessTextWriter::AccessTextWriter(const std::string& path, TextForm form)
    : file_(path),
      form_(form) {
  file_.write(access_text_header(form));
}

void AccessTextWriter::record(const AccessRecord& record) {
  pending_.push_back(record);
}

void AccessTextWriter::advance(uint64_t cycle) {
  if (pending_.size() >= kBatch)
    write_before(cycle);
}

// Writes all pending accesses before a cycle, sorted.
void AccessTextWriter::write_before(uint64_t cycle) {
  sort_by_cycle(pending_);
  std::string text;
  size_t count = 0;
  for (; count < pending_.size() && pending_[count].cycle < cycle; ++count) {
    if (form_ == TextForm::Full)
      append_access_text(pending_[count], text);
    if (form_ == TextForm::Context)
      append_context_text(pending_[count], text);
    if (form_ == TextForm::Paper)
      append_paper_text(pending_[count], text);
  }
  file_.write(text);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
}

void AccessTextWriter::finish() {
  write_before(UINT64_MAX);
  file_.commit();
}

AccessTextSource::AccessTextSource(
    const std::string& path,
    base::ReadReport& report,
    program::TraceFacts* facts)
    : in_(path),
      report_(report) {
  std::string_view line;
  const bool first = in_.line(line);
  const bool context = first && line == kContextSchema;
  if (!first || (line != kSchema && !context))
    throw base::Error({path, 1, 1}, "the first line is not '" + std::string(kSchema) + "'");
  // Lines such as "# line 64" hold facts of the trace as a whole.
  bool any = in_.line(line);
  for (; any && line.starts_with("# "); any = in_.line(line)) {
    std::string fact(line.substr(2));
    std::replace(fact.begin(), fact.end(), ' ', '\t');
    if (facts)
      program::read_fact(fact, *facts);
  }
  const std::string_view columns = context ? kContextColumns : kTextColumns;
  if (!any || line != columns)
    throw base::Error(
        {path, int(in_.line_number()), 1},
        "the columns are not '" + std::string(columns) + "'");
}

std::span<const AccessRecord> AccessTextSource::next() {
  records_.clear();
  std::string_view line;
  while (records_.size() < kBatch && in_.line(line)) {
    if (line.empty() || line[0] == '#')
      continue;
    AccessRecord record;
    if (parse_access_text(line, record)) {
      records_.push_back(record);
      ++report_.taken;
    } else {
      report_.skip({in_.path(), int(in_.line_number())}, "not an access record of 12 or 16 columns");
    }
  }
  return records_;
}

}  // namespace lento::memory
