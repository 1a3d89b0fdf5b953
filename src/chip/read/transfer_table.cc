// Reads two kinds of tables: tt-metal's profile_log_device.csv (zones only), and tables whose columns the
// user names.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/number.h"
#include "base/scan/csv.h"
#include "base/scan/lines.h"
#include "chip/read/transfer_readers.h"

namespace lento::chip {
namespace {

using base::ReadReport;

constexpr int64_t kMaxTableSide = 65535;

int find_column(const std::vector<std::string>& columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end())
    return -1;
  return int(found - columns.begin());
}

// Returns the first of these columns. Throws base::Error when there is none.
int first_column(
    const std::vector<std::string>& columns,
    std::initializer_list<const char*> names,
    const std::string& file,
    int line) {
  for (const char* name : names)
    if (const int at = find_column(columns, name); at >= 0)
      return at;
  throw base::Error(
      {file, line},
      std::string("no column '") + *names.begin() + "'",
      base::suggestion(*names.begin(), columns));
}

std::optional<int32_t> side(const std::string& text) {
  const auto value = base::try_int(text);
  if (!value || *value < 0 || *value > kMaxTableSide)
    return std::nullopt;
  return int32_t(*value);
}

// Parses "x-y", "x,y", "chip:x-y", or "core5" on a chip with one row.
std::optional<Place> place_of(std::string_view text) {
  Place place;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const auto chip = side(std::string(text.substr(0, colon)));
    if (!chip)
      return std::nullopt;
    place.chip = *chip;
    text.remove_prefix(colon + 1);
  }
  while (!text.empty() && (text[0] < '0' || text[0] > '9'))
    text.remove_prefix(1);
  const size_t dash = text.find_first_of("-,");
  const auto x = side(std::string(text.substr(0, dash)));
  const auto y = dash == std::string_view::npos ? side("0") : side(std::string(text.substr(dash + 1)));
  if (!x || !y)
    return std::nullopt;
  place.x = *x;
  place.y = *y;
  return place;
}

// Returns the kind of transfer for a word, in the vocabulary of several tools.
std::optional<TransferKind> kind_of(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
    return std::tolower(c);
  });
  if (word == "read" || word == "message" || word == "receive" || word == "recv")
    return TransferKind::Read;
  if (word == "write" || word == "send")
    return TransferKind::Write;
  if (word == "compute")
    return TransferKind::Compute;
  return std::nullopt;
}

// Parses an amount, hexadecimal after "0x". Whole numbers are kept exactly, because times since 1970 in
// nanoseconds have more digits than a double.
std::optional<uint64_t> amount(const std::string& text) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    constexpr int kHexadecimal = 16;
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data() + 2, text.data() + text.size(), value, kHexadecimal);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value <= uint64_t(INT64_MAX) ? std::optional(value) : std::nullopt;
  }
  const auto whole = base::try_uint(text);
  if (whole && *whole <= uint64_t(INT64_MAX))
    return whole;
  const auto value = base::try_double(text);
  if (!value || *value < 0 || *value > 9e18)
    return std::nullopt;
  return uint64_t(std::llround(*value));
}

// Returns the clock that the first line of a profiler's log states, such as "CHIP_FREQ[MHz]: 1000".
std::optional<double> stated_clock(std::string_view line) {
  constexpr std::string_view kKey = "CHIP_FREQ[MHz]:";
  constexpr double kMega = 1e6;
  const size_t at = line.find(kKey);
  if (at == std::string_view::npos)
    return {};
  const std::vector<std::string> value = fields_of(line.substr(at + kKey.size()));
  const std::optional<double> megahertz = base::try_double(value[0]);
  return megahertz && *megahertz > 0 ? std::optional(*megahertz * kMega) : std::nullopt;
}

class TableReader {
 public:
  TableReader(const std::string& file, const TableColumns& columns, ReadReport& report)
      : file_(file),
        report_(report),
        streams_(trace_),
        wanted_(columns) {
  }

  TransferTrace read(std::string_view text) {
    const std::string_view first = base::take_text_line(text);
    const char delimiter = base::csv_delimiter(first);
    const std::vector<std::string> header = fields_of(first, delimiter);
    component_ = first_column(header, {wanted_.component.c_str()}, file_, 1);
    start_ = first_column(header, {wanted_.start.c_str()}, file_, 1);
    kind_ = find_column(header, wanted_.kind);
    peer_ = find_column(header, wanted_.peer);
    bytes_ = find_column(header, wanted_.bytes);
    end_ = find_column(header, wanted_.end);
    layer_ = find_column(header, wanted_.layer);
    trace_.network_id("noc");
    for (int line = 2; !text.empty(); ++line) {
      const std::vector<std::string> row = fields_of(base::take_text_line(text), delimiter);
      if (row.size() == 1 && row[0].empty())
        continue;
      if (row.size() != header.size()) {
        report_.skip({file_, line}, "a row with another number of fields than the header");
        continue;
      }
      take(row, line);
    }
    // A processor issues one transfer after another, so its rows are sorted by time.
    for (TransferStream& stream : trace_.streams)
      std::ranges::stable_sort(stream.records, {}, &TransferRecord::begin);
    return std::move(trace_);
  }

 private:
  // Adds a row of the table to the trace, or skips and counts it.
  void take(const std::vector<std::string>& row, int line) {
    const auto core = place_of(row[component_]);
    const auto begin = amount(row[start_]);
    if (!core)
      return report_.skip({file_, line}, "a component that is no tile");
    if (!begin)
      return report_.skip({file_, line}, "a start that is no time");
    TransferRecord record;
    record.begin = *begin;
    trace_.numbered |= row[component_].find_first_of("-,") == std::string::npos;
    record.kind = TransferKind::Compute;
    if (kind_ >= 0) {
      const auto kind = kind_of(row[kind_]);
      if (!kind)
        return report_.skip({file_, line}, "a kind that is not read, write, message or compute");
      record.kind = *kind;
    }
    if (peer_ >= 0 && is_transfer(record.kind)) {
      const auto peer = place_of(row[peer_]);
      if (!peer)
        return report_.skip({file_, line}, "a peer that is no tile");
      record.peer = *peer;
    }
    if (bytes_ >= 0)
      record.bytes = amount(row[bytes_]).value_or(0);
    if (end_ >= 0 && !row[end_].empty()) {
      const auto end = amount(row[end_]);
      if (!end || *end < *begin)
        return report_.skip({file_, line}, "an end before the start");
      record.end = *end;
    }
    if (layer_ >= 0)
      record.name = trace_.name_id(row[layer_]);
    streams_.at(*core, trace_.name_id("")).records.push_back(record);
    ++report_.taken;
  }

  const std::string& file_;
  ReadReport& report_;
  TransferTrace trace_;
  StreamTable streams_;
  const TableColumns& wanted_;
  int component_ = -1;
  int kind_ = -1;
  int peer_ = -1;
  int bytes_ = -1;
  int start_ = -1;
  int end_ = -1;
  int layer_ = -1;
};

}  // namespace

std::vector<std::string> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == delimiter && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  for (std::string& field : out) {
    const size_t first = field.find_first_not_of(" \t");
    const size_t last = field.find_last_not_of(" \t");
    field = first == std::string::npos ? std::string() : field.substr(first, last - first + 1);
  }
  return out;
}

// Parses the profiler's log. Line 1 is "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000" and line 2 holds the column
// names. Two generations of names are read: the phase of a zone is in "type" (ZONE_START, ZONE_END) or in
// "zone phase" (begin, end).
TransferTrace parse_profile_log(std::string_view text, const std::string& file, ReadReport& report) {
  const std::optional<double> clock_hz = stated_clock(base::take_text_line(text));
  const std::vector<std::string> header = fields_of(base::take_text_line(text));
  const int chip = first_column(header, {"PCIe slot"}, file, 2);
  const int x = first_column(header, {"core_x"}, file, 2);
  const int y = first_column(header, {"core_y"}, file, 2);
  const int processor = first_column(header, {"RISC processor type"}, file, 2);
  const int time = first_column(header, {"time[cycles since reset]"}, file, 2);
  const int zone = first_column(header, {"zone name"}, file, 2);
  const int phase = first_column(header, {"type", "zone phase"}, file, 2);
  TransferTrace trace;
  StreamTable streams(trace);
  for (int line = 3; !text.empty(); ++line) {
    const std::vector<std::string> row = fields_of(base::take_text_line(text));
    if (row.size() == 1 && row[0].empty())
      continue;
    // A comma in the last column (JSON meta data) makes a row longer, never shorter.
    if (row.size() < header.size()) {
      report.skip({file, line}, "a row with fewer fields than the header");
      continue;
    }
    const auto at_chip = side(row[chip]);
    const auto at_x = side(row[x]);
    const auto at_y = side(row[y]);
    const auto cycles = base::try_uint(row[time]);
    if (!at_chip || !at_x || !at_y || !cycles || *cycles == kNoTime) {
      report.skip({file, line}, "a row without core or time");
      continue;
    }
    TransferRecord record;
    record.begin = *cycles;
    record.name = trace.name_id(row[zone]);
    const std::string& word = row[phase];
    record.kind = word == "ZONE_START" || word == "begin" ? TransferKind::Zone
                  : word == "ZONE_END" || word == "end"   ? TransferKind::ZoneEnd
                                                          : TransferKind::Other;
    streams.at({*at_chip, *at_x, *at_y}, trace.name_id(row[processor])).records.push_back(record);
    if (clock_hz)
      trace.clock_hz[*at_chip] = *clock_hz;
    ++report.taken;
  }
  return trace;
}

TransferTrace
parse_table(std::string_view text, const std::string& file, const TableColumns& columns, ReadReport& report) {
  return TableReader(file, columns, report).read(text);
}

}  // namespace lento::chip
