// Collects the fields of an entry that name its host, its program, its time and its text, and writes them as
// one line of a system log. The first line decides how a file is wrapped.
//
//   export  = {KEY "=" VALUE newline | KEY newline LENGTH VALUE newline} newline     LENGTH: 8 bytes
//   verbose = DAY DATE TIME ZONE " [" CURSOR "]" newline {blanks KEY "=" VALUE newline}
//   pretty  = "{" newline {blanks JSON ":" JSON [","] newline} "}" newline
//   json    = JSON newline
//   list    = "[" JSON {"," JSON} "]"                       as Google Cloud's logging read writes it
//   csv     = NAMES newline {CELLS newline}                 with a column _raw, as Splunk exports it
//
// Source: systemd's journal export format and journalctl(1) of systemd 245 to 257; the json-file driver of
// Docker; zap, logrus and Elastic's common schema for the names of fields.
#include "desk/read/journal.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/moment.h"
#include "base/number.h"

namespace lento::desk {
namespace {

enum class Wrapping {
  None,
  Json,
  Blocks,
  List,
  Csv
};

constexpr size_t kLongestField = size_t{1} << 20;

struct JournalEntry {
  std::string time;
  std::string host;
  std::string program;
  std::string text;
  std::string level;

  bool empty() const {
    return text.empty();
  }
  std::string line() const {
    std::string out;
    if (!time.empty())
      out += time + ' ';
    if (!host.empty())
      out += host + ' ' + (program.empty() ? "log" : program) + ": ";
    if (!level.empty())
      out += level + ": ";
    return out + text;
  }
};

template <size_t N>
bool is_key(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}
constexpr std::array<std::string_view, 7>
    kTextKeys{"MESSAGE", "log", "message", "msg", "line", "textPayload", "_raw"};
constexpr std::array<std::string_view, 6>
    kHostKeys{"_HOSTNAME", "host", "hostname", "node", "node_name", "nodename"};
// Objects in which collectors put fields of an entry: Loki, Google Cloud, Fluent Bit.
constexpr std::array<std::string_view, 5> kInnerKeys{
    "labels",
    "stream",
    "jsonPayload",
    "kubernetes",
    "fields"};
constexpr std::array<std::string_view, 6>
    kTimeKeys{"_time", "__REALTIME_TIMESTAMP", "time", "@timestamp", "timestamp", "ts"};
constexpr std::array<std::string_view, 3> kLevelKeys{"level", "severity", "lvl"};

// Returns the time of an entry as text: a date for the journal's microseconds since 1970, any other date
// unchanged, "" for other values.
std::string time_text(std::string_view value) {
  constexpr size_t kMicroseconds = 16;  // digits of a time between 2001 and 2286
  const auto us = value.size() == kMicroseconds ? base::try_uint(value) : std::nullopt;
  if (!us)
    return base::try_moment_ms(value) ? std::string(value) : "";
  std::string text = base::format_moment(double(*us / 1'000'000)) + '.';
  text[10] = 'T';
  const std::string fraction = std::to_string(*us % 1'000'000);
  return text + std::string(6 - fraction.size(), '0') + fraction + 'Z';
}

std::string in_one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '\0', ' ');
  return text;
}

void add_field(JournalEntry& entry, std::string_view key, std::string_view value) {
  if (is_key(kTextKeys, key))
    entry.text = in_one_line(std::string(value));
  else if (is_key(kHostKeys, key) && value.find(' ') == value.npos)
    entry.host = value;
  else if (key == "SYSLOG_IDENTIFIER" || (key == "_TRANSPORT" && value == "kernel"))
    entry.program = value;
  else if (is_key(kTimeKeys, key) && entry.time.empty())
    entry.time = time_text(value);
  else if (is_key(kLevelKeys, key))
    entry.level = value;
}

// Returns the text of a value. Journald writes a text that is not UTF-8 as a list of bytes.
std::string text_of(const base::Json& value) {
  if (value.is_string())
    return value.string({});
  std::string out;
  for (const base::Json& byte : value.items())
    if (byte.is_int())
      out += char(byte.integer({}) & 0xff);
  return out;
}

JournalEntry entry_of(std::string_view line) {
  JournalEntry entry;
  try {
    const base::Json json = base::parse_json(line, "");
    for (const auto& [key, value] : json.members()) {
      if (!value.is_object())
        add_field(entry, key, text_of(value));
      else if (is_key(kInnerKeys, key))
        for (const auto& [name, inner] : value.members())
          add_field(entry, name, text_of(inner));
    }
    if (const base::Json* host = json.find("host"); host && host->is_object())
      entry.host = host->string_or("name", "", {});
  } catch (const base::Error&) {
    return {};
  }
  return entry;
}

// Returns whether a line of JSON wraps a log line: it has a text, and a time or a level as text. An object
// with a "reason" is none, because it is an event of Kubernetes.
bool is_wrapped(std::string_view line) {
  if (line.find("\"reason\"") != line.npos)
    return false;
  const JournalEntry entry = entry_of(line);
  return !entry.empty() && (!entry.time.empty() || !entry.level.empty());
}

bool is_verbose_head(std::string_view line) {
  return line.find(" [s=") != line.npos && line.ends_with("]");
}

// Returns the first JSON object of a list, or nothing when it does not end within the text.
std::string_view first_of_list(std::string_view head) {
  const size_t begin = head.find('{');
  int depth = 0;
  bool is_text = false;
  for (size_t i = begin; i < head.size(); ++i) {
    if (is_text) {
      i += head[i] == '\\';
      is_text = i < head.size() && head[i] != '"';
      continue;
    }
    is_text = head[i] == '"';
    depth += (head[i] == '{') - (head[i] == '}');
    if (depth == 0)
      return head.substr(begin, i + 1 - begin);
  }
  return {};
}

// Splits a record of CSV at its commas. Quotes in a quoted cell are doubled.
std::vector<std::string> csv_cells(std::string_view record) {
  constexpr size_t kMostCells = 256;
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (size_t i = 0; i < record.size(); ++i) {
    const char c = record[i];
    const bool is_doubled = is_quoted && c == '"' && i + 1 < record.size() && record[i + 1] == '"';
    if (c == ',' && !is_quoted && cells.size() < kMostCells)
      cells.emplace_back();
    else if (c != '"' || is_doubled)
      cells.back() += c;
    else
      is_quoted = !is_quoted;
    i += is_doubled;
  }
  return cells;
}

Wrapping wrapping_of(std::string_view head) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos)
    return Wrapping::None;
  head.remove_prefix(begin);
  const size_t end = head.find('\n');
  const std::string_view line = head.substr(0, end);
  if (line.starts_with("__CURSOR=") || line.starts_with("__REALTIME_TIMESTAMP=") || is_verbose_head(line))
    return Wrapping::Blocks;
  constexpr size_t kFirstEntry = 1024;
  const std::string_view first = head.substr(0, kFirstEntry);
  if (line == "{" &&
      (first.find("\"__CURSOR\"") != first.npos || first.find("\"__REALTIME_TIMESTAMP\"") != first.npos))
    return Wrapping::Blocks;
  const std::vector<std::string> names = csv_cells(line.substr(0, line.find('\r')));
  if (names.size() > 1 && std::ranges::find(names, "_raw") != names.end())
    return Wrapping::Csv;
  const size_t second = head.find_first_not_of(" \t\r\n", 1);
  if (head[0] == '[' && second != head.npos && head[second] == '{' && is_wrapped(first_of_list(head)))
    return Wrapping::List;
  return line.starts_with("{") && end != head.npos && is_wrapped(line) ? Wrapping::Json : Wrapping::None;
}

class Unwrapper : public Conversion {
 public:
  explicit Unwrapper(Wrapping wrapping)
      : wrapping_(wrapping) {
  }

  void add(std::string_view bytes, std::string& out) override {
    for (const char c : bytes) {
      if (wrapping_ == Wrapping::List) {
        take_of_list(c, out);
        continue;
      }
      if (length_at_ < sizeof length_ || left_ > 0) {
        take_binary(c, out);
        continue;
      }
      is_quoted_ = is_quoted_ != (wrapping_ == Wrapping::Csv && c == '"');
      if (c != '\n' || is_quoted_) {
        if (line_.size() < kLongestField)
          line_ += c;
        if (c == '\n')
          out += c;
        continue;
      }
      end_line(out);
    }
  }

  void finish(std::string& out) override {
    if (!line_.empty() && wrapping_ != Wrapping::List)
      end_line(out);
    if (has_entry_)
      out += '\n';
    if (!entry_.empty())
      out += entry_.line() + '\n';
    entry_ = {};
  }

 private:
  // Takes a byte of a list of JSON objects. An object becomes one line, in the place of its last line.
  void take_of_list(char c, std::string& out) {
    if (depth_ > 0 && line_.size() < kLongestField)
      line_ += c;
    if (c == '\n') {
      out += c;
      has_entry_ = false;
    }
    if (is_quoted_) {
      is_quoted_ = c != '"' || is_escaped_;
      is_escaped_ = c == '\\' && !is_escaped_;
      return;
    }
    is_quoted_ = c == '"';
    if (c == '{' && depth_++ == 0)
      line_ = c;
    if (c != '}' || depth_ == 0 || --depth_ > 0)
      return;
    const JournalEntry entry = entry_of(std::exchange(line_, {}));
    if (entry.empty())
      return;
    out += (has_entry_ ? "\n" : "") + entry.line();
    has_entry_ = true;
  }

  // Takes a record of CSV. The first record names the cells.
  void end_record(const std::string& line, std::string& out) {
    const std::vector<std::string> cells = csv_cells(std::string_view(line).substr(0, line.find('\r')));
    if (names_.empty()) {
      names_ = cells;
      out += '\n';
      return;
    }
    JournalEntry entry;
    for (size_t i = 0; i < cells.size() && i < names_.size(); ++i)
      add_field(entry, names_[i], cells[i]);
    out += entry.line() + '\n';
  }

  void end_line(std::string& out) {
    const std::string line = std::exchange(line_, {});
    if (wrapping_ == Wrapping::Csv) {
      end_record(line, out);
      return;
    }
    if (wrapping_ == Wrapping::Json) {
      const JournalEntry entry = entry_of(line);
      out += (entry.empty() ? line : entry.line()) + '\n';
    } else if (line.empty() || line.starts_with("}") || is_verbose_head(line)) {
      out += entry_.empty() ? "" : entry_.line();
      out += '\n';
      entry_ = {};
      if (line.size() > 30 && is_verbose_head(line))  // "Fri 2026-11-20 09:11:12.123456 CET [s=..."
        entry_.time = time_text(std::string_view(line).substr(4, 26));
    } else {
      field(line);
      out += length_at_ < sizeof length_ ? "" : "\n";
    }
  }

  void field(std::string_view line) {
    const size_t begin = std::min(line.find_first_not_of(" \t{"), line.size());
    line.remove_prefix(begin);
    while (line.ends_with(",") || line.ends_with("\r"))
      line.remove_suffix(1);
    if (line.starts_with("\"")) {
      const JournalEntry entry = entry_of("{" + std::string(line) + "}");
      for (std::string JournalEntry::*member :
           {&JournalEntry::time, &JournalEntry::host, &JournalEntry::program, &JournalEntry::text})
        if (!(entry.*member).empty())
          entry_.*member = entry.*member;
      return;
    }
    const size_t equals = line.find('=');
    if (equals != line.npos) {
      add_field(entry_, line.substr(0, equals), line.substr(equals + 1));
    } else if (begin == 0 && !line.empty()) {  // a binary field of the export format follows
      key_ = line;
      length_at_ = 0;
      length_ = 0;
    }
  }

  // Takes a byte of the length or of the value of a binary field.
  void take_binary(char c, std::string& out) {
    if (length_at_ < sizeof length_) {
      length_ |= uint64_t(uint8_t(c)) << (8 * length_at_);
      if (++length_at_ == sizeof length_)
        left_ = std::min<uint64_t>(length_, kLongestField) + 1;  // a line end follows the value
      return;
    }
    if (--left_ > 0) {
      value_ += c;
      return;
    }
    add_field(entry_, key_, value_);
    value_.clear();
    out += '\n';
  }

  Wrapping wrapping_;
  std::string line_;
  JournalEntry entry_;
  std::string key_;
  std::string value_;
  uint64_t length_ = 0;
  size_t length_at_ = sizeof length_;
  bool is_quoted_ = false;
  bool is_escaped_ = false;
  bool has_entry_ = false;  // the line so far holds one
  uint64_t depth_ = 0;
  std::vector<std::string> names_;
  uint64_t left_ = 0;
};

}  // namespace

LineSource::Read as_log_lines(LineSource::Read read) {
  return converted(std::move(read), [](std::string_view head) {
    const Wrapping wrapping = wrapping_of(head);
    return wrapping == Wrapping::None ? nullptr : std::make_unique<Unwrapper>(wrapping);
  });
}

std::string head_as_log_lines(std::string_view head) {
  const Wrapping wrapping = wrapping_of(head);
  if (wrapping == Wrapping::None)
    return std::string(head);
  std::string out;
  Unwrapper(wrapping).add(head, out);
  return out;
}

}  // namespace lento::desk
