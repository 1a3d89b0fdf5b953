#include "trace/access_text.h"

#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "trace/access_codec.h"

namespace lento::trace {
namespace {

constexpr std::string_view kSchema = "# lento.access/1";
constexpr std::string_view kColumns =
    "cpu cycle pc type address latency size flags culprit culprit_pc blamed cause";
constexpr std::string_view kFlagLetters = "lksf";
constexpr size_t kBatch = 65536, kFields = 12;

void number(std::string& out, uint64_t value, int radix = 10) {
  char text[24];
  if (radix == 16) out += "0x";
  out.append(text, std::to_chars(text, text + sizeof text, value, radix).ptr);
}

std::optional<uint64_t> read_number(std::string_view text, uint64_t max) {
  const bool hex = text.substr(0, 2) == "0x";
  const auto value = base::try_uint(hex ? text.substr(2) : text, hex ? 16 : 10);
  return value && *value <= max ? value : std::nullopt;
}

bool split(std::string_view line, std::array<std::string_view, kFields>& fields) {
  size_t count = 0;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (count == kFields || end == 0) return false;
    fields[count++] = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return count == kFields;
}

// Fills `out` when `text` is a number up to `max`; "-" leaves the default.
template <class T>
bool take(std::string_view text, T& out, uint64_t max, bool optional = false) {
  if (optional && text == "-") return true;
  const auto value = read_number(text, max);
  if (value) out = static_cast<T>(*value);
  return value.has_value();
}

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

bool take_flags(std::string_view text, uint8_t& out) {
  if (text == "-") return true;
  for (const char c : text) {
    const size_t bit = kFlagLetters.find(c);
    if (bit == std::string_view::npos) return false;
    out = static_cast<uint8_t>(out | 1u << bit);
  }
  return true;
}

}  // namespace

bool parse_access_text(std::string_view line, AccessRecord& r) {
  std::array<std::string_view, kFields> f;
  if (!split(line, f)) return false;
  if (f[11] != "-" && !take_name(f[11], r.cause, kDelayCauses)) return false;
  return take(f[0], r.cpu, UINT16_MAX - 1) && take(f[1], r.cycle, UINT64_MAX) &&
         take(f[2], r.pc, UINT64_MAX) && take_name(f[3], r.type, kAccessTypes) &&
         take(f[4], r.address, UINT64_MAX) && take(f[5], r.latency, UINT32_MAX - 1, true) &&
         take(f[6], r.size, 255, true) && take_flags(f[7], r.flags) &&
         take(f[8], r.culprit, UINT16_MAX - 1, true) && take(f[9], r.culprit_pc, UINT64_MAX, true) &&
         take(f[10], r.blamed, UINT32_MAX, true);
}

std::string access_text_header() { return std::string(kSchema) + "\n" + std::string(kColumns) + "\n"; }

void append_paper_text(const AccessRecord& r, std::string& out) {
  number(out, r.cpu), out += ' ';
  number(out, r.cycle), out += ' ';
  number(out, r.pc, 16), out += ' ';
  out += to_string(r.type), out += ' ';
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
    if (r.flags >> bit & 1) out += kFlagLetters[bit];
  }
  out += r.flags & 15 ? " " : "- ";
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

AccessTextWriter::AccessTextWriter(const std::string& path, TextForm form) : file_(path), form_(form) {
  if (form_ == TextForm::Full) file_.write(access_text_header());
}

void AccessTextWriter::record(const AccessRecord& record) { pending_.push_back(record); }

void AccessTextWriter::advance(uint64_t cycle) {
  if (pending_.size() >= kBatch) write_before(cycle);
}

void AccessTextWriter::write_before(uint64_t cycle) {
  sort_by_cycle(pending_);
  std::string text;
  size_t count = 0;
  for (; count < pending_.size() && pending_[count].cycle < cycle; ++count) {
    form_ == TextForm::Full ? append_access_text(pending_[count], text)
                            : append_paper_text(pending_[count], text);
  }
  file_.write(text);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
}

void AccessTextWriter::finish() {
  write_before(UINT64_MAX);
  file_.commit();
}

AccessTextSource::AccessTextSource(const std::string& path, base::ReadReport& report)
    : in_(path), report_(report) {
  std::string_view line;
  if (!in_.line(line) || line != kSchema)
    throw base::Error({path, 1, 1}, "the first line is not '" + std::string(kSchema) + "'");
  if (!in_.line(line) || line != kColumns)
    throw base::Error({path, 2, 1}, "the columns are not '" + std::string(kColumns) + "'");
}

std::span<const AccessRecord> AccessTextSource::next() {
  records_.clear();
  std::string_view line;
  while (records_.size() < kBatch && in_.line(line)) {
    if (line.empty() || line[0] == '#') continue;
    AccessRecord record;
    if (parse_access_text(line, record)) {
      records_.push_back(record);
      ++report_.taken;
    } else {
      report_.skip({in_.path(), static_cast<int>(in_.line_number())}, "not an access record of 12 columns");
    }
  }
  return records_;
}

}  // namespace lento::trace
