// Finds headings and names of hardware parts (a GPU, a port, a node) in single lines of reports, without
// their context.
#include "desk/general/report_lines.h"

#include <algorithm>
#include <array>
#include <vector>

#include "desk/general/cells.h"
#include "desk/general/entries.h"
#include "desk/general/states.h"
#include "desk/read/host_parts.h"
#include "desk/read/log_date.h"

namespace lento::desk {

// Returns the line with Unicode's box drawing (U+2500 to U+257F) in ASCII, without bullets.
std::string without_box_drawing(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (const std::string_view sign = text.substr(i, 3); sign == "\xe2\x97\x8f" || sign == "\xe2\x97\x8b") {
      out += ' ';  // a bullet
      i += 2;
      continue;
    }
    const bool is_drawing =
        text[i] == '\xe2' && i + 2 < text.size() && (text[i + 1] == '\x94' || text[i + 1] == '\x95');
    if (!is_drawing) {
      out += text[i];
      continue;
    }
    const std::string_view sign = text.substr(i, 3);
    const bool is_upright = sign == "\xe2\x94\x82" || sign == "\xe2\x94\x83" || sign == "\xe2\x95\x91";
    const bool is_heavy = sign == "\xe2\x94\x81" || sign == "\xe2\x95\x90";
    const bool is_light = sign == "\xe2\x94\x80";
    out += is_upright ? '|' : is_heavy ? '=' : is_light ? '-' : '+';
    i += 2;
  }
  return out;
}

// Returns whether the line is an unindented word alone.
bool is_heading(std::string_view line) {
  return line[0] != ' ' && line[0] != '\t' && line.size() < kLongestName && has_letter(line) &&
         line.find_first_of(" \t:=|,;()[]{}<>\"'") == line.npos;
}

// Returns the hardware part that a heading names: "ens1f0" of "Settings for ens1f0:", "Port 1" of "Port 1:",
// and "GPU 00000000:07:00.0" as a whole.
std::string_view headed_part(std::string_view text) {
  // "GPU 0000:19:00.0 #0 : NVIDIA A100-SXM4-80GB (Serial: 1322521012345)"
  if (const size_t word = text.find(' '); word != text.npos && names_device(text.substr(0, word))) {
    const size_t end = text.find(' ', word + 1);
    const std::string_view address = text.substr(word + 1, end == text.npos ? end : end - word - 1);
    if (std::ranges::count(address, ':') == 2 && address.find('.') != address.npos && end != text.npos &&
        text.find(" : ", end) != text.npos)
      return text.substr(0, end);
  }
  // "--- dgx075.(none) (Lid 20) ibping statistics ---"
  if (text.starts_with("--- ") && text.ends_with("ibping statistics ---"))
    return text.substr(4, text.find_first_of(" .", 4) - 4);
  const bool is_open = text.ends_with(":");
  std::string_view name = is_open ? text.substr(0, text.size() - 1) : text;
  const size_t blank = name.rfind(' ');
  const std::string_view first = name.substr(0, blank);
  const std::string_view last = blank == name.npos ? name : name.substr(blank + 1);
  constexpr size_t kLongestHeading = 48;
  if (text.size() > kLongestHeading || first.ends_with(":") ||
      last.find_first_of("0123456789") == last.npos || last.find_first_of(",;()[]{}<>=%") != last.npos)
    return {};
  const bool is_number = last.find_first_not_of("0123456789") == last.npos;
  if (is_open)
    return is_number ? name : last;
  // Without a colon only a word for a device and its number are a heading.
  return blank != name.npos && names_device(first) && (is_number || last.find(':') != last.npos)
             ? name
             : std::string_view{};
}

// Removes a time of day in front, as sar, mpstat and iostat write it: "09:00:01 AM".
std::string_view without_clock(std::string_view text) {
  const auto is_figure = [&](size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  constexpr size_t kClock = 8;
  const bool is_clock = text.size() > kClock && is_figure(0) && is_figure(1) && text[2] == ':' &&
                        is_figure(3) && is_figure(4) && text[5] == ':' && is_figure(6) && is_figure(7) &&
                        text[kClock] == ' ';
  if (!is_clock)
    return text;
  text = without_blanks(text.substr(kClock));
  if (text.starts_with("AM ") || text.starts_with("PM "))
    text.remove_prefix(3);
  return without_blanks(text);
}

std::string_view without_date(std::string_view text) {
  constexpr size_t kFewestDecimals = 3;
  const size_t point = digits(text, 0);
  const size_t end = point + 1 + digits(text, point + 1);
  if (point > 0 && end > point + kFewestDecimals && text[point] == '.' && text.substr(end).starts_with(": "))
    return text.substr(end + 2);
  const LogDate date = log_date(text);
  if (date.size == 0)
    return text;
  std::string_view rest = text.substr(date.size);
  if (rest.starts_with("("))  // its zone
    rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);
  return rest.starts_with(" ") ? without_blanks(rest) : text;
}

bool names_server(std::string_view text) {
  const size_t port = text.find(':');
  return port != text.npos && port + 1 < text.size() && text.find(' ') == text.npos &&
         (text[port + 1] == '/' ? !text.substr(port).starts_with("://")
                                : text.find_first_not_of("0123456789", port + 1) == text.npos) &&
         is_host_word(text.substr(0, port));
}

// Returns the hardware part whose name and number begin a line: "gpu3" of "GPU #3: 51494 Gflops/s", "device3"
// of "Device 3  812 GB/s", "cuda3" of "cuda:3 ...".
std::string part_of(std::string_view text) {
  const size_t word = text.find_first_of(" #:=[");
  constexpr std::array<std::string_view, 4> kOthers{"Worker", "worker", "GCD", "Socket"};
  const std::string_view name = text.substr(0, word);
  if (word == text.npos || (!names_device(name) && std::ranges::find(kOthers, name) == kOthers.end()))
    return "";
  size_t at = word;
  while (at < text.size() &&
         (text[at] == ' ' || text[at] == '#' || text[at] == ':' || text[at] == '[' || text[at] == '='))
    ++at;
  const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  const bool is_number =
      end > at && end - at < 4 && end < text.size() && text[end] != '.' && text[end] != '%';
  return is_number ? label_words(text.substr(0, word))[0] + std::string(text.substr(at, end - at)) : "";
}

// Returns the hardware part that a line names in brackets: "adapter3" of "GEMM (ADAPTER#3) ended with ...",
// "gpu3" of "[gpu 3] ...".
std::string bracketed_part(std::string_view text) {
  // This word is not in names_device(), because "Adapter: PCI adapter" names no part.
  static const std::vector<std::string> adapter{"adapter"};
  for (size_t begin = 0, close = 0; (close = text.find_first_of(")]", begin)) != text.npos;
       begin = close + 1) {
    const std::string_view before = text.substr(begin, close - begin);
    const size_t open = before.find_last_of("([");
    if (open == before.npos)
      continue;
    const std::string_view inside = before.substr(open + 1);
    const size_t figures = inside.find_last_not_of("0123456789") + 1;
    const std::string_view name = inside.substr(0, inside.find_first_of(" #:="));
    const bool is_number = figures < inside.size() && inside.size() - figures < 4;
    if (is_number && (names_device(name) || label_words(name) == adapter) &&
        inside.find_first_not_of(" #:=", name.size()) == figures)
      return label_words(name)[0] + std::string(inside.substr(figures));
  }
  return "";
}

FileOfValue file_of_value(std::string_view text) {
  constexpr size_t kLongestPath = 256;
  const size_t slash = text.substr(0, std::min(text.find(' '), kLongestPath)).find_last_of('/');
  const size_t colon = slash == text.npos ? slash : text.find(':', slash);
  if (!text.starts_with("/") || slash == 0 || colon == text.npos ||
      text.substr(0, colon).find(' ') != text.npos)
    return {};
  FileOfValue file;
  for (std::string_view path = text.substr(1, slash - 1); !path.empty();) {
    const std::string_view one = path.substr(0, path.find('/'));
    const bool is_number = one.find_first_not_of("0123456789") == one.npos;
    if (!is_number && one.find_first_of("0123456789") != one.npos)
      file.device = one;
    path.remove_prefix(std::min(one.size() + 1, path.size()));
  }
  // Without a part the folder belongs to the name: "transparent_hugepage/enabled".
  const size_t begin = file.device.empty() ? text.rfind('/', slash - 1) : slash;
  file.key = text.substr(begin + 1, colon - begin - 1);
  file.value = without_blanks(text.substr(colon + 1));
  return file;
}

}  // namespace lento::desk
