// Removes prefixes one after another from the beginning of a line, until none matches or after kMostLayers.
// A prefix is removed only when it is complete, so that data which looks like the beginning of one is kept.
#include "desk/read/peel.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/moment.h"
#include "base/number.h"

namespace lento::desk {
namespace {

constexpr int kMostLayers = 8;

bool is_prefix_digit(char c) {
  return c >= '0' && c <= '9';
}

size_t digits(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_prefix_digit(text[end]))
    ++end;
  return end - at;
}

// Returns whether the text may be a host name.
bool is_host(std::string_view text) {
  if (text.empty() || text.size() > 255)
    return false;
  bool has_letter = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    has_letter = has_letter || letter;
    if (!letter && !is_prefix_digit(c) && c != '-' && c != '.' && c != '_')
      return false;
  }
  return has_letter;
}

void drop_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t'))
    text.remove_prefix(1);
}

// Removes terminal escape sequences: ESC "[" parameters final, for colours, cursor movements and erasures
// (ECMA-48).
std::string_view without_colours(std::string_view line, std::string& buffer) {
  if (line.find('\x1b') == line.npos)
    return line;
  buffer.clear();
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      buffer += line[at];
      continue;
    }
    if (at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && (line[at] < '@' || line[at] > '~'))
        ++at;
    }
  }
  return buffer;
}

// Removes "[rank3]:" or "[default3]:", with or without a following blank.
bool peel_torchrun(Peeled& p) {
  for (const std::string_view word : {"[rank", "[default"}) {
    if (!p.text.starts_with(word))
      continue;
    const size_t count = digits(p.text, word.size());
    const std::string_view number = p.text.substr(word.size(), count);
    const std::string_view rest = p.text.substr(word.size() + count);
    if (count == 0 || count > 7 || !rest.starts_with("]:"))
      return false;
    if (word == "[rank")
      p.subject.rank = number;
    else
      p.subject.device = "gpu" + std::string(number);
    p.text = rest.substr(2);
    return true;
  }
  return false;
}

// Removes the rank label that srun puts before a line.
bool peel_label(Peeled& p) {
  std::string_view text = p.text;
  drop_blanks(text);
  const size_t count = digits(text, 0);
  if (count == 0 || count > 6 || !text.substr(count).starts_with(": "))
    return false;
  p.subject.rank = text.substr(0, count);
  p.text = text.substr(count + 2);
  return true;
}

// Removes the label that mpirun puts before a line.
bool peel_mpirun(Peeled& p) {
  if (!p.text.starts_with("["))
    return false;
  const size_t job = digits(p.text, 1);
  const size_t comma = 1 + job;
  if (job == 0 || comma >= p.text.size() || p.text[comma] != ',')
    return false;
  const size_t count = digits(p.text, comma + 1);
  const std::string_view rest = p.text.substr(comma + 1 + count);
  if (count == 0 || count > 7 || !rest.starts_with("]<std"))
    return false;
  const size_t end = rest.find(">:");
  if (end == rest.npos || end > 10)
    return false;
  p.subject.rank = p.text.substr(comma + 1, count);
  p.text = rest.substr(end + 2);
  return true;
}

// Returns the length of a date with time at the beginning, or 0.
size_t moment_size(std::string_view text) {
  if (text.size() < 19 || digits(text, 0) != 4 || (text[4] != '-' && text[4] != '/'))
    return 0;
  if ((text[10] != 'T' && text[10] != ' ') || text[13] != ':' || text[16] != ':' || digits(text, 17) != 2)
    return 0;
  size_t end = 19;
  if (end < text.size() && (text[end] == '.' || text[end] == ','))
    end += 1 + digits(text, end + 1);
  if (end < text.size() && text[end] == 'Z')
    return end + 1;
  if (end < text.size() && (text[end] == '+' || text[end] == '-')) {
    size_t zone = end + 1 + digits(text, end + 1);
    if (zone < text.size() && text[zone] == ':')
      zone += 1 + digits(text, zone + 1);
    if (zone - end >= 5)
      return zone;
  }
  return end;
}

// Sets the time from a date with clock time. Returns false for other text.
bool set_moment(Peeled& p, std::string_view text) {
  std::string plain(text);
  if (const size_t comma = plain.find(','); comma != plain.npos)
    plain[comma] = '.';
  const auto ms = base::try_moment_ms(plain);
  if (!ms)
    return false;
  p.time = {Clock::Unix, double(*ms) / 1000};
  return true;
}

// Removes a container's time, which ends in Z or a zone and has a stream name or nine digits. No table has
// such a column.
bool peel_container(Peeled& p) {
  const size_t size = moment_size(p.text);
  if (size == 0)
    return false;
  const std::string_view rest = p.text.substr(size);
  for (const std::string_view stream : {" stdout F ", " stderr F ", " stdout P ", " stderr P "}) {
    if (rest.starts_with(stream) && set_moment(p, p.text.substr(0, size))) {
      p.text = rest.substr(stream.size());
      return true;
    }
  }
  const bool is_docker = size == 30 && p.text[size - 1] == 'Z' && rest.starts_with(" ");
  if (!is_docker || !set_moment(p, p.text.substr(0, size)))
    return false;
  p.text = rest.substr(1);
  return true;
}

// Removes the sender after the time of a system log: "node17 kernel: " or "node17 program[123]: ".
bool peel_sender(Peeled& p, std::string_view rest) {
  drop_blanks(rest);
  const size_t host = rest.find(' ');
  if (host == rest.npos || !is_host(rest.substr(0, host)))
    return false;
  const std::string_view behind = rest.substr(host + 1);
  const size_t colon = behind.find(": ");
  const size_t blank = behind.find(' ');
  if (colon == behind.npos || blank < colon)
    return false;
  p.subject.host = rest.substr(0, host);
  p.sender = behind.substr(0, std::min(colon, behind.find('[')));
  p.text = behind.substr(colon + 2);
  return true;
}

// Removes " - root - INFO - " of Python's logging.
void drop_logger(std::string_view& rest) {
  if (!rest.starts_with(" - "))
    return;
  for (const std::string_view level :
       {" - DEBUG - ", " - INFO - ", " - WARNING - ", " - ERROR - ", " - CRITICAL - "}) {
    const size_t at = rest.find(level);
    if (at != rest.npos && at < 128) {
      rest.remove_prefix(at + level.size());
      return;
    }
  }
}

// Removes a date at the beginning.
bool peel_date(Peeled& p) {
  std::string_view text = p.text;
  drop_blanks(text);
  const bool bracketed = text.starts_with("[");
  if (bracketed)
    text.remove_prefix(1);
  const size_t size = moment_size(text);
  if (size == 0)
    return false;
  std::string_view rest = text.substr(size);
  if (bracketed) {
    const size_t end = rest.find(']');
    if (end == rest.npos || end > 40)
      return false;
    rest.remove_prefix(end + 1);
  }
  if (!set_moment(p, text.substr(0, size)))
    return false;
  if (!bracketed && peel_sender(p, rest))
    return true;
  drop_logger(rest);
  drop_blanks(rest);
  p.text = rest;
  return true;
}

constexpr std::array<std::string_view, 12>
    kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

int month_of(std::string_view text) {
  for (size_t i = 0; i < kMonths.size(); ++i)
    if (text.starts_with(kMonths[i]))
      return int(i) + 1;
  return 0;
}

// Sets a time without year, as seconds since the beginning of a leap year (1972).
bool set_yearless(Peeled& p, int month, int day, std::string_view clock) {
  char text[64];
  std::snprintf(text, sizeof text, "1972-%02d-%02d ", month, day);
  const auto ms = base::try_moment_ms(text + std::string(clock));
  if (!ms)
    return false;
  p.time = {Clock::Yearless, double(*ms) / 1000};
  return true;
}

// Returns the length of a clock time at the beginning, or 0.
size_t clock_size(std::string_view text) {
  if (text.size() < 8 || digits(text, 0) != 2 || text[2] != ':' || digits(text, 3) != 2 || text[5] != ':' ||
      digits(text, 6) != 2)
    return 0;
  if (text.size() > 8 && text[8] == '.')
    return 9 + digits(text, 9);
  return 8;
}

// Removes a syslog prefix: "Oct  2 11:08:25 node17 kernel: ".
bool peel_syslog(Peeled& p) {
  const int month = month_of(p.text);
  if (month == 0)
    return false;
  std::string_view rest = p.text.substr(3);
  drop_blanks(rest);
  const size_t count = digits(rest, 0);
  if (count == 0 || count > 2)
    return false;
  const int day = int(base::try_int(rest.substr(0, count)).value_or(0));
  rest.remove_prefix(count);
  drop_blanks(rest);
  const size_t size = clock_size(rest);
  if (size == 0)
    return false;
  Peeled peeled = p;
  if (!set_yearless(peeled, month, day, rest.substr(0, size)) || !peel_sender(peeled, rest.substr(size)))
    return false;
  p = peeled;
  return true;
}

// Removes a dmesg prefix: "[1209341.112233] " or "[Thu Oct  2 11:08:25 2026] ".
bool peel_dmesg(Peeled& p) {
  if (!p.text.starts_with("["))
    return false;
  const size_t end = p.text.find(']');
  if (end == p.text.npos || end > 40)
    return false;
  std::string_view inside = p.text.substr(1, end - 1);
  drop_blanks(inside);
  if (inside.size() > 20 && inside[3] == ' ' && month_of(inside.substr(4)) != 0) {
    std::string_view rest = inside.substr(7);
    drop_blanks(rest);
    const size_t count = digits(rest, 0);
    const std::string_view clock = rest.size() > count ? rest.substr(count + 1) : std::string_view();
    const size_t size = clock_size(clock);
    // Apache writes similar times, with a fraction or followed by another bracket.
    const bool is_kernel = size == 8 && !p.text.substr(end + 1).starts_with(" [");
    if (count == 0 || count > 2 || !is_kernel || clock.size() != size + 5)
      return false;
    char text[64];
    std::snprintf(
        text,
        sizeof text,
        "%.4s-%02d-%02d ",
        std::string(clock.substr(size + 1)).c_str(),
        month_of(inside.substr(4)),
        int(base::try_int(rest.substr(0, count)).value_or(0)));
    if (!set_moment(p, text + std::string(clock.substr(0, size))))
      return false;
  } else {
    const size_t whole = digits(inside, 0);
    const bool is_uptime = whole > 0 && whole < inside.size() && inside[whole] == '.' &&
                           whole + 1 + digits(inside, whole + 1) == inside.size() &&
                           inside.size() == whole + 7;
    const auto seconds = base::try_double(inside);
    if (!is_uptime || !seconds)
      return false;
    p.time = {Clock::Boot, *seconds};
  }
  p.sender = "kernel";
  p.text = p.text.substr(end + 1);
  drop_blanks(p.text);
  return true;
}

// Removes a glog prefix: "E1102 10:14:02.331 12345 file.cc:616] ", also with "[" before it. The source
// file's name stays in the text.
bool peel_glog(Peeled& p) {
  std::string_view text = p.text;
  if (text.starts_with("["))
    text.remove_prefix(1);
  constexpr std::string_view kLevels = "IWEFDV";
  if (text.size() < 15 || kLevels.find(text[0]) == kLevels.npos || digits(text, 1) != 4 || text[5] != ' ')
    return false;
  const std::string_view clock = text.substr(6);
  const size_t size = clock_size(clock);
  const auto month_day = base::try_int(text.substr(1, 4));
  if (size == 0 || !month_day ||
      !set_yearless(p, int(*month_day / 100), int(*month_day % 100), clock.substr(0, size)))
    return false;
  p.text = clock.substr(size);
  drop_blanks(p.text);
  return true;
}

// Removes a process prefix of vLLM: "(EngineCore_0 pid=411) ".
bool peel_process(Peeled& p) {
  constexpr std::string_view kPid = " pid=";
  const size_t pid = p.text.starts_with("(") ? p.text.substr(0, 64).find(kPid) : p.text.npos;
  if (pid == p.text.npos || !is_host(p.text.substr(1, pid - 1)))
    return false;
  const size_t end = pid + kPid.size() + digits(p.text, pid + kPid.size());
  if (!p.text.substr(end).starts_with(") "))
    return false;
  p.text = p.text.substr(end + 2);
  return true;
}

// Removes a level prefix of vLLM: "INFO 11-20 09:01:10 ".
bool peel_level(Peeled& p) {
  const size_t blank = p.text.find(' ');
  const std::string_view level = p.text.substr(0, blank);
  if (level != "INFO" && level != "WARNING" && level != "ERROR" && level != "DEBUG")
    return false;
  const std::string_view rest = p.text.substr(blank + 1);
  if (rest.size() < 15 || digits(rest, 0) != 2 || rest[2] != '-' || digits(rest, 3) != 2 || rest[5] != ' ')
    return false;
  const std::string_view clock = rest.substr(6);
  const size_t size = clock_size(clock);
  const auto month = base::try_int(rest.substr(0, 2));
  const auto day = base::try_int(rest.substr(3, 2));
  if (size == 0 || !month || !day || !set_yearless(p, int(*month), int(*day), clock.substr(0, size)))
    return false;
  p.text = clock.substr(size);
  drop_blanks(p.text);
  return true;
}

// Removes an NCCL prefix: "gpu31:22600:22690 [0] NCCL INFO".
bool peel_nccl(Peeled& p) {
  const size_t colon = p.text.find(':');
  if (colon == p.text.npos || colon > 255 || !is_host(p.text.substr(0, colon)))
    return false;
  const size_t pid = digits(p.text, colon + 1);
  const size_t second = colon + 1 + pid;
  if (pid == 0 || second >= p.text.size() || p.text[second] != ':')
    return false;
  const size_t tid = digits(p.text, second + 1);
  std::string_view rest = p.text.substr(second + 1 + tid);
  if (tid == 0 || !rest.starts_with(" ["))
    return false;
  const size_t device = digits(rest, 2);
  if (device > 0 && rest.substr(2 + device).starts_with("] ")) {
    p.subject.device = "gpu" + std::string(rest.substr(2, device));
    rest.remove_prefix(device + 4);
  } else {
    return false;
  }
  p.subject.host = p.text.substr(0, colon);
  p.text = rest;
  return true;
}

// Removes a bracketed word before a date or another prefix: "[titan] ".
bool peel_tag(Peeled& p) {
  if (!p.text.starts_with("["))
    return false;
  const size_t end = p.text.find(']');
  if (end == p.text.npos || end > 40 || !is_host(p.text.substr(1, end - 1)))
    return false;
  std::string_view rest = p.text.substr(end + 1);
  drop_blanks(rest);
  const std::string_view date = rest.starts_with("[") ? rest.substr(1) : rest;
  if (moment_size(date) == 0)
    return false;
  p.text = rest;
  return true;
}

}  // namespace

Peeled peel(std::string_view line, Depth depth, std::string& buffer) {
  line = without_colours(line, buffer);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n'))
    line.remove_suffix(1);
  Peeled p{line, {}, {}, {}};
  for (int layer = 0; layer < kMostLayers; ++layer) {
    bool any = peel_torchrun(p) || peel_mpirun(p) || peel_label(p) || peel_container(p);
    if (depth == Depth::Log)
      any = any || peel_date(p) || peel_syslog(p) || peel_dmesg(p) || peel_glog(p) || peel_nccl(p) ||
            peel_process(p) || peel_level(p) || peel_tag(p);
    if (!any)
      break;
  }
  return p;
}

}  // namespace lento::desk
