// Removes prefixes one after another from the beginning of a line, until none matches or after kMostLayers.
// A prefix is removed only when it is complete, so that data which looks like the beginning of one is kept.
#include "desk/read/peel.h"

#include <algorithm>
#include <array>

#include "base/number.h"
#include "desk/read/log_date.h"
#include "desk/read/rank_word.h"

namespace lento::desk {
namespace {

constexpr int kMostLayers = 8;

// Returns whether the text may be a host name.
bool is_host(std::string_view text) {
  if (text.empty() || text.size() > 255)
    return false;
  bool has_letter = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    has_letter = has_letter || letter;
    if (!letter && !(c >= '0' && c <= '9') && c != '-' && c != '.' && c != '_')
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

// Removes "[rank3]:" or "[default3]:", with or without a following blank, and "[rank3] ", "[Rank: 3] " or
// "(rank=3) ", which programs of users write.
bool peel_torchrun(Peeled& p) {
  if (!p.text.starts_with("[") && !p.text.starts_with("("))
    return false;
  const size_t close = p.text.substr(0, 32).find(p.text[0] == '[' ? ']' : ')');
  if (close == p.text.npos)
    return false;
  const std::string_view inside = p.text.substr(1, close - 1);
  const std::string_view rest = p.text.substr(close + 1);
  const RankWord rank = rank_in(inside);
  // "[Rank 3] " is how PyTorch's watchdog writes the rank within a group, which its reader takes.
  const bool is_of_group = inside.starts_with("Rank ") || inside.starts_with("RANK ");
  const bool is_rank = !is_of_group && !rank.number.empty() && rank.begin == 0 && rank.end == inside.size();
  constexpr std::string_view kDefault = "default";
  const bool is_device = inside.starts_with(kDefault) && inside.size() > kDefault.size() &&
                         inside.size() <= kDefault.size() + 7 &&
                         digits(inside, kDefault.size()) == inside.size() - kDefault.size();
  if (!(is_rank || is_device) || !(rest.starts_with(":") || (is_rank && rest.starts_with(" "))))
    return false;
  if (is_rank)
    p.subject.rank = rank.number;
  else
    p.subject.device = "gpu" + std::string(inside.substr(kDefault.size()));
  p.text = rest.substr(1);
  return true;
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

bool set_time(Peeled& p, const std::optional<Moment>& time) {
  if (time)
    p.time = *time;
  return time.has_value();
}

// Removes a container's time, which ends in Z or a zone and has a stream name or nine digits. No table has
// such a column.
bool peel_container(Peeled& p) {
  const size_t size = iso_date_size(p.text);
  if (size == 0)
    return false;
  const std::string_view rest = p.text.substr(size);
  for (const std::string_view stream : {" stdout F ", " stderr F ", " stdout P ", " stderr P "}) {
    if (rest.starts_with(stream) && set_time(p, iso_moment(p.text.substr(0, size)))) {
      p.text = rest.substr(stream.size());
      return true;
    }
  }
  const bool is_docker = size == 30 && p.text[size - 1] == 'Z' && rest.starts_with(" ");
  if (!is_docker || !set_time(p, iso_moment(p.text.substr(0, size))))
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
  if (colon == behind.npos || blank < colon || digits(behind, 0) == colon)  // "step 10: loss"
    return false;
  p.subject.host = rest.substr(0, host);
  p.sender = behind.substr(0, std::min(colon, behind.find('[')));
  p.text = behind.substr(colon + 2);
  return true;
}

constexpr std::array<std::string_view, 7>
    kLogLevels{"DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "NOTICE"};

// Returns the next part of a logger's prefix: a word, or a bracket with its content. Empty at the end of the
// prefix.
std::string_view logger_part(std::string_view text) {
  const char open = text.empty() ? ' ' : text[0];
  if (open == '[' || open == '(') {
    const size_t end = text.find(open == '[' ? ']' : ')');
    return end == text.npos || end > 64 ? std::string_view{} : text.substr(0, end + 1);
  }
  return text.substr(0, std::min(text.find_first_of(" \t"), size_t{64}));
}

bool is_level(std::string_view part) {
  while (!part.empty() && std::string_view("[]():").find(part.back()) != std::string_view::npos)
    part.remove_suffix(1);
  while (!part.empty() && (part[0] == '[' || part[0] == '('))
    part.remove_prefix(1);
  return std::ranges::find(kLogLevels, part) != kLogLevels.end();
}

// Removes " - " and " | " between the parts of a prefix. Returns whether one was there.
bool drop_separator(std::string_view& text) {
  drop_blanks(text);
  const bool any = text.starts_with("- ") || text.starts_with("| ");
  if (any)
    text.remove_prefix(2);
  drop_blanks(text);
  return any;
}

// Removes what logging libraries put between the time and the message: " - root - INFO - ", " | INFO | module
// | ", " [INFO] ". The level must be among the first parts. A name behind it is removed when a separator
// follows.
void drop_logger(std::string_view& rest) {
  constexpr int kMostParts = 4;
  std::string_view text = rest;
  for (int i = 0; i < kMostParts; ++i) {
    drop_separator(text);
    const std::string_view part = logger_part(text);
    if (part.empty() || part == "NCCL" || part.find('=') != part.npos)  // a prefix of its own
      return;
    text.remove_prefix(part.size());
    if (!is_level(part))
      continue;
    drop_separator(text);
    const std::string_view name = logger_part(text);
    std::string_view behind = text.substr(name.size());
    if (!name.empty() && is_host(name) && drop_separator(behind))
      text = behind;
    rest = text;
    return;
  }
}

// Removes a date at the beginning, also in brackets with a name behind it: "[11/20 09:00:11 d2.utils.events]:
// ".
bool peel_date(Peeled& p) {
  std::string_view text = p.text;
  drop_blanks(text);
  const bool bracketed = text.starts_with("[");
  if (bracketed)
    text.remove_prefix(1);
  LogDate date = log_date(text);
  if (const size_t clock = date.size == 0 && bracketed ? clock_size(text) : 0; clock > 0)  // "[09:00:11]"
    if (const auto time = yearless_moment(1, 1, text.substr(0, clock)))
      date = {clock, false, *time};
  if (date.size == 0)
    return false;
  std::string_view rest = text.substr(date.size);
  if (bracketed) {
    const size_t end = rest.find(']');
    if (end == rest.npos || end > 40)
      return false;
    rest.remove_prefix(end + 1);
    if (rest.starts_with(":"))
      rest.remove_prefix(1);
  }
  p.time = date.time;
  if (!bracketed && date.is_iso && peel_sender(p, rest))
    return true;
  drop_logger(rest);
  drop_blanks(rest);
  p.text = rest;
  return true;
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
  if (!set_time(peeled, yearless_moment(month, day, rest.substr(0, size))) ||
      !peel_sender(peeled, rest.substr(size)))
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
  const bool is_padded = inside.starts_with(" ");
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
    if (!set_time(p, iso_moment(text + std::string(clock.substr(0, size)))))
      return false;
  } else {
    const size_t whole = digits(inside, 0);
    const bool is_uptime = whole > 0 && whole < inside.size() && inside[whole] == '.' &&
                           whole + 1 + digits(inside, whole + 1) == inside.size() &&
                           (is_padded || inside.size() == whole + 7);
    const auto seconds = base::try_double(inside);
    if (!is_uptime || !seconds)
      return false;
    if (p.time.clock == Clock::None)  // else the line has a date, which compares with other files
      p.time = {Clock::Boot, *seconds};
  }
  p.sender = "kernel";
  p.text = p.text.substr(end + 1);
  drop_blanks(p.text);
  // "[816.123456] node17 kernel: ", as journalctl -o short-monotonic writes it. Drivers begin their lines in
  // a similar way, so that only the kernel is accepted as the program.
  const size_t host = p.text.find(' ');
  if (host != p.text.npos && p.text.substr(host + 1).starts_with("kernel: "))
    peel_sender(p, p.text);
  return true;
}

// Removes a prefix of syslog as RFC 5424 defines it: "<4>1 2026-11-27T10:00:16.123Z node17 kernel - - - ".
bool peel_rfc5424(Peeled& p) {
  const size_t count = p.text.starts_with("<") ? digits(p.text, 1) : 0;
  if (count == 0 || count > 3 || !p.text.substr(1 + count).starts_with(">1 "))
    return false;
  std::string_view rest = p.text.substr(count + 4);
  const size_t size = iso_date_size(rest);
  Peeled peeled = p;
  if (size == 0 || !set_time(peeled, iso_moment(rest.substr(0, size))))
    return false;
  rest.remove_prefix(size);
  drop_blanks(rest);
  std::array<std::string_view, 4> words;  // host, program, process, kind of message
  for (std::string_view& word : words) {
    const size_t end = rest.find(' ');
    if (end == rest.npos)
      return false;
    word = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  while (rest.starts_with("[")) {  // structured data
    const size_t end = rest.find(']');
    if (end == rest.npos)
      return false;
    rest.remove_prefix(end + 1);
  }
  if (rest.starts_with("- "))
    rest.remove_prefix(2);
  drop_blanks(rest);
  if (is_host(words[0]))
    peeled.subject.host = words[0];
  peeled.sender = words[1];
  peeled.text = rest;
  p = peeled;
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
      !set_time(p, yearless_moment(int(*month_day / 100), int(*month_day % 100), clock.substr(0, size))))
    return false;
  p.text = clock.substr(size);
  drop_blanks(p.text);
  return true;
}

// Removes a process prefix of vLLM or Ray: "(EngineCore_0 pid=411) ", "(Worker pid=411, ip=10.0.0.7) ".
bool peel_process(Peeled& p) {
  constexpr std::string_view kPid = " pid=";
  const size_t pid = p.text.starts_with("(") ? p.text.substr(0, 64).find(kPid) : p.text.npos;
  if (pid == p.text.npos || !is_host(p.text.substr(1, pid - 1)))
    return false;
  std::string_view rest = p.text.substr(pid + kPid.size() + digits(p.text, pid + kPid.size()));
  constexpr std::string_view kIp = ", ip=";
  if (const size_t end = rest.find(')'); rest.starts_with(kIp) && end != rest.npos) {
    const std::string_view host = rest.substr(kIp.size(), end - kIp.size());
    if (host.find_first_not_of("0123456789.") != host.npos)
      return false;
    p.subject.host = host;
    rest.remove_prefix(end);
  }
  if (!rest.starts_with(") "))
    return false;
  p.text = rest.substr(2);
  return true;
}

// Removes a level prefix of vLLM: "INFO 11-20 09:01:10 ".
bool peel_level(Peeled& p) {
  const size_t blank = p.text.substr(0, sizeof "WARNING").find(' ');
  if (blank == p.text.npos)
    return false;
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
  if (size == 0 || !month || !day ||
      !set_time(p, yearless_moment(int(*month), int(*day), clock.substr(0, size))))
    return false;
  p.text = clock.substr(size);
  drop_blanks(p.text);
  return true;
}

// Removes an NCCL prefix: "gpu31:22600:22690 [0] NCCL INFO".
bool peel_nccl(Peeled& p) {
  const size_t colon = p.text.substr(0, 256).find(':');
  if (colon == p.text.npos || !is_host(p.text.substr(0, colon)))
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
  if (iso_date_size(date) == 0)
    return false;
  p.text = rest;
  return true;
}

}  // namespace

Peeled peel(std::string_view line, Depth depth, std::string& buffer, Peeled* as_table) {
  line = without_colours(line, buffer);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n'))
    line.remove_suffix(1);
  Peeled p{line, {}, {}, {}};
  for (int layer = 0; layer < kMostLayers; ++layer) {
    if (peel_torchrun(p) || peel_mpirun(p) || peel_label(p) || peel_container(p))
      continue;
    if (as_table) {
      *as_table = p;
      as_table = nullptr;
    }
    const bool any = depth == Depth::Log &&
                     (peel_rfc5424(p) || peel_syslog(p) || peel_dmesg(p) || peel_date(p) || peel_glog(p) ||
                      peel_nccl(p) || peel_process(p) || peel_level(p) || peel_tag(p));
    if (!any)
      break;
  }
  if (as_table)
    *as_table = p;
  return p;
}

}  // namespace lento::desk
