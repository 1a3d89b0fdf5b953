// Recognises files by content, because users hand over files with any name. Checks run from the most specific
// to the least: magic bytes, our own schema line, marks of JSON dialects, then the look of a text.
#include "base/sniff.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/reading.h"

namespace lento::base {
namespace {

constexpr size_t kMostPeeked = size_t{64} << 10;

struct Format {
  std::string_view mark;
  std::string_view noun;
  std::string_view format;
};

// Our own formats by the word between "lento." and "/".
constexpr std::array kOwnFormats = {
    Format{"campaign", "campaign", {}},
    Format{"chip", "chip", {}},
    Format{"cluster", "cluster", {}},
    Format{"diagnosis", "diagnosis", {}},
    Format{"faults", "list of faults", {}},
    Format{"fleet-model", "fleet model", {}},
    Format{"fleet-state", "watch state", {}},
    Format{"fleet-truth", "truth of a simulated job", {}},
    Format{"journal", "campaign journal", {}},
    Format{"map", "mapping", {}},
    Format{"platform", "platform", {}},
    Format{"probe", "probe record file", {}},
    Format{"probes", "probe plan", {}},
    Format{"search", "search space", {}},
    Format{"sketch", "sketch", {}},
    Format{"system", "system data sheet", {}},
    Format{"tile-approval", "tile approval", {}},
    Format{"tile-block", "tile block description", {}},
    Format{"tile-certificate", "tile certificate", {}},
    Format{"tile-head", "log head of a tile store", {}},
    Format{"tile-map", "tile signal map", {}},
    Format{"tile-trust", "trust file of a tile store", {}},
    Format{"workload", "workload", {}},
};

// Foreign formats by their magic bytes.
constexpr std::array kForeignFormats = {
    Format{
        "\x7f"
        "ELF",
        "program",
        "ELF"},
    Format{"LENTOACC", "access trace", "LENTOACC"},
    Format{"PERFILE2", "recording of perf", "perf.data"},
    Format{"PK\x03\x04", "zip archive", "ZIP"},
    Format{"\x89PNG", "picture", "PNG"},
    Format{"\xff\xd8\xff", "picture", "JPEG"},
    Format{"GIF8", "picture", "GIF"},
    Format{"%PDF-", "document", "PDF"},
    Format{"SQLite format 3", "database", "SQLite"},
    Format{"\x93NUMPY", "array", "NumPy"},
    Format{"YPUIMG", "tile image", "YPUIMG"},
    Format{"lento-records ", "record of data movement", "lento-records"},
    Format{"ARCH: ", "record of data movement", "profile_log_device.csv"},
    Format{"untrusted comment:", "key or signature", "minisign"},
    Format{"<!DOCTYPE html", "web page", "HTML"},
    Format{"<!doctype html", "web page", "HTML"},
    Format{"<html", "web page", "HTML"},
    Format{"#!/", "script", {}},
    Format{"$date", "recording of signals", "VCD"},
    Format{"$version", "recording of signals", "VCD"},
    Format{"$timescale", "recording of signals", "VCD"},
    Format{"$comment", "recording of signals", "VCD"},
    Format{"$scope", "recording of signals", "VCD"},
    Format{{"\0\0\0\0\0\0\0\x01\x49", 9}, "recording of signals", "FST"},
    Format{"Sample in Buffer,", "recording of a logic analyser", "CSV of Vivado"},
    Format{"# HELP", "page of metrics", "OpenMetrics"},
    Format{"# TYPE", "page of metrics", "OpenMetrics"},
};

bool is_word_character(char c) {
  return std::islower(static_cast<unsigned char>(c)) || c == '-';
}

// Finds "lento.WORD/N" in the first line of a file of ours, or in the value of its key `schema`.
FileKind recognise_own(std::string_view head) {
  constexpr std::string_view kPrefix = "lento.";
  size_t at = head.starts_with(kPrefix) ? 0 : head.find("schema");
  if (at == std::string_view::npos)
    return {};
  at = head.find(kPrefix, at);
  if (at == std::string_view::npos || at > 4096)
    return {};
  size_t end = at + kPrefix.size();
  while (end < head.size() && is_word_character(head[end]))
    ++end;
  const std::string_view word = head.substr(at + kPrefix.size(), end - at - kPrefix.size());
  if (end + 1 >= head.size() || head[end] != '/')
    return {};
  size_t past = end + 1;
  while (past < head.size() && std::isdigit(static_cast<unsigned char>(head[past])))
    ++past;
  for (const Format& known : kOwnFormats)
    if (known.mark == word)
      return {std::string(known.noun), std::string(head.substr(at, past - at))};
  return {};
}

bool is_text(std::string_view head) {
  return std::ranges::none_of(head, [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\f' && byte != 0x1b;
  });
}

// True for an object that ends with its line and is followed by another object.
bool is_json_lines(std::string_view head) {
  const size_t end = head.find('\n');
  std::string_view line = head.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? "" : head.substr(end + 1);
  while (line.ends_with('\r') || line.ends_with(' '))
    line.remove_suffix(1);
  return line.starts_with('{') && line.ends_with('}') && rest.starts_with('{');
}

// Returns the kind of a JSON file from keys in its first bytes.
FileKind recognise_json(std::string_view head) {
  const auto has = [&](std::string_view key) {
    return head.find(key) != std::string_view::npos;
  };
  if (has("\"batch_size\"") && has("\"layers\""))
    return {"mapping", "compact map format, JSON"};
  if (has("\"sx\"") && has("\"sy\"") && has("\"proc\""))
    return {"record of data movement", "NoC events, JSON"};
  if (has("\"core_trace for tile"))
    return {"record of data movement", "AI Engine events, JSON"};
  if (has("\"traceEvents\""))
    return {"trace of a profiler", "Chrome trace, JSON"};
  if (has("\"hidden_size\"") || has("\"n_embd\"") || has("\"model_type\""))
    return {"description of a language model", "config.json"};
  if (is_json_lines(head))
    return {"table", "JSON Lines"};
  return {"JSON file", "JSON"};
}

// True for C and related languages, by the usual beginnings of such files.
bool is_source(std::string_view text) {
  for (const std::string_view mark : {"//", "/*", "#include", "#pragma", "#define", "#ifndef"})
    if (text.starts_with(mark))
      return true;
  return false;
}

// True for a header line of words that are separated by commas, semicolons, tabs or bars.
bool is_table(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.find_first_of(",;\t|") == std::string_view::npos)
    return false;
  return std::ranges::all_of(line, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-. ,;|\"/()%[]:\r\t\xef\xbb\xbf").find(c) != std::string_view::npos;
  });
}

// True where an object or an array of JSON begins. A log line often opens with a bracket too: "[rank0] ...",
// "[12:01:02] ...".
bool is_json(std::string_view text) {
  if (text[0] == '{')
    return true;
  if (text[0] != '[')
    return false;
  const size_t first = text.find_first_not_of(" \t\r\n", 1);
  if (first == std::string_view::npos)
    return false;
  const std::string_view inner = text.substr(first);
  for (const std::string_view word : {"true", "false", "null"})
    if (inner.starts_with(word))
      return true;
  if (std::string_view("{[\"]").find(inner[0]) != std::string_view::npos)
    return true;
  const size_t past = inner.find_first_not_of(".0123456789eE", inner[0] == '-' ? 1 : 0);
  return past > 0 && (past == std::string_view::npos ||
                      std::string_view(", \t\r\n").find(inner[past]) != std::string_view::npos);
}

// True where a first line is a key of YAML and its value: a word of letters, digits, dashes and underscores
// before ": ".
bool is_yaml(std::string_view line) {
  if (line.starts_with("---"))
    return true;
  const size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || (colon + 1 < line.size() && line[colon + 1] != ' '))
    return false;
  return std::ranges::all_of(line.substr(0, colon), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  });
}

// Returns the kind of a text file from its first bytes.
FileKind recognise_text(std::string_view head) {
  std::string_view rest = head;
  if (rest.starts_with("\xef\xbb\xbf"))
    rest.remove_prefix(3);
  const size_t first = rest.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return {"blank file", {}};
  rest.remove_prefix(first);
  if (is_json(rest))
    return recognise_json(rest);
  if (is_source(rest))
    return {"source text", rest.find("ypu.h\"") == std::string_view::npos ? "C" : "C, for a tile"};
  if (is_table(rest))
    return {"table", "CSV"};
  if (is_yaml(rest.substr(0, rest.find_first_of("\r\n"))))
    return {"settings file", "YAML"};
  return {"text file", {}};
}

// True for an ELF file that was compiled and not linked, by the type in its little-endian header.
bool is_object(std::string_view head) {
  constexpr size_t kTypeAt = 16;
  return head.size() > kTypeAt + 1 &&
         head.starts_with(
             "\x7f"
             "ELF") &&
         head[kTypeAt] == 1 && head[kTypeAt + 1] == 0;
}

}  // namespace

FileKind kind_of(std::string_view head) {
  head = head.substr(0, kMostPeeked);
  if (head.empty())
    return {"empty file", {}};
  if (is_object(head))
    return {"object file", "ELF"};
  for (const Format& magic : kForeignFormats)
    if (head.starts_with(magic.mark))
      return {std::string(magic.noun), std::string(magic.format)};
  if (FileKind own = recognise_own(head); !own.noun.empty())
    return own;
  if (is_text(head))
    return recognise_text(head);
  // An ONNX model is a protobuf whose field 1 is the version of the format and whose next field is the
  // producer.
  if (head.size() > 8 && head[0] == '\x08' && head[1] > 0 && head[1] < 32 && head[2] == '\x12')
    return {"network", "ONNX"};
  return {"file of no kind that Lento knows", {}};
}

FileKind kind_of_file(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    return {};
  const std::string current = reading();
  try {
    InputStream in(path);
    const FileKind kind = kind_of(in.peek(kMostPeeked));
    note_reading(current);
    return kind;
  } catch (const Error&) {
    return {};
  }
}

std::string describe(const FileKind& kind) {
  if (kind.noun.empty())
    return {};
  const bool vowel = std::string_view("aeiou").find(kind.noun[0]) != std::string_view::npos;
  const std::string text = (vowel ? "an " : "a ") + kind.noun;
  if (kind.format.empty() || kind.noun.starts_with(kind.format))
    return text;
  return text + " (" + kind.format + ")";
}

}  // namespace lento::base
