// Splits the lines of a VCD into words and handles each word by its first character. An extended VCD
// ($dumpports, IEEE 1364-2005, section 18.4) has other values and is refused.
#include "tile/block/vcd_text.h"

#include <algorithm>

#include "base/number.h"

namespace lento::tile {
namespace {

constexpr size_t kMaxSignals = 1 << 20;
constexpr size_t kMaxDepth = 256;
constexpr std::string_view kBlank = " \t\r";

// Removes the next word from the front of `line` and returns it, or "" when there is none.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

}  // namespace

// Takes the next word of the header, from further lines when needed. Returns false at the end of the file.
bool VcdText::next_word(std::string& out) {
  while ((out = take_word(rest_)).empty()) {
    std::string_view line;
    if (!in_.line(line))
      return false;
    line_ = line;
    rest_ = line_;
  }
  return true;
}

void VcdText::declare(const std::vector<std::string>& section, WaveNames& names) {
  if (section[0] == "port")
    throw base::Error(
        here(),
        "an extended VCD ($dumpports) is not read",
        "let the simulator write a plain VCD: $dumpvars in place of $dumpports");
  if (names.size() >= kMaxSignals)
    throw base::Error(here(), "more than a million signals");
  std::string prefix;
  for (const std::string& part : scope_)
    prefix += part + ".";
  names.declare(prefix, section);
  codes_.try_emplace(section[2], codes_.size());
}

void VcdText::read_header(WaveNames& names) {
  std::string word;
  while (next_word(word)) {
    std::vector<std::string> section;
    const std::string kind = word;
    if (kind[0] != '$')
      throw base::Error(
          here(),
          "not a VCD header: '" + kind + "'",
          "a recording is a VCD or an FST; a logic analyser's table can be written as VCD");
    while (next_word(word) && word != "$end") {
      if (section.size() < 16)
        section.push_back(word);
    }
    if (kind == "$enddefinitions")
      return;
    // LiteScope writes a scope's name without its type, and $unscope for $upscope.
    if ((kind == "$upscope" || kind == "$unscope") && !scope_.empty())
      scope_.pop_back();
    if (kind == "$scope" && !section.empty())
      scope_.push_back(section[section.size() > 1 ? 1 : 0]);
    if (scope_.size() > kMaxDepth)
      throw base::Error(here(), "scopes nest deeper than 256");
    if (kind == "$var" && section.size() >= 4)
      declare(section, names);
  }
  throw base::Error(here(), "the file ends inside the VCD header");
}

void VcdText::read_changes(VcdEvents& events) {
  std::string_view line;
  while (events.wants_more() && in_.line(line)) {
    while (events.wants_more()) {
      const std::string_view word = take_word(line);
      if (word.empty())
        break;
      if (in_comment_)
        in_comment_ = word != "$end";
      else if (word[0] == '$')
        section(word, events);
      else if (word[0] == '#')
        time(word, events);
      else
        change(word, line, events);
    }
  }
}

void VcdText::section(std::string_view word, VcdEvents& events) {
  in_comment_ = word == "$comment";
  const bool is_off = word == "$dumpoff";
  if (word == "$end" || in_comment_ || is_off == is_off_)
    return;
  is_off_ = is_off;
  events.recording(!is_off);
}

// Skips a damaged time stamp. One before the last counts as the same time.
void VcdText::time(std::string_view word, VcdEvents& events) {
  const std::optional<uint64_t> now = base::try_uint(word.substr(1));
  if (!now)
    return report_.skip(here(), "a time that is not a number");
  if (*now < time_)
    report_.skip(here(), "a time before that of the line above");
  time_ = std::max(time_, *now);
  events.time(time_);
}

// The identifier code of a vector, a real or a string is the next word in `rest`.
void VcdText::change(std::string_view word, std::string_view& rest, VcdEvents& events) {
  const char first = word[0];
  const bool vector = first == 'b' || first == 'B';
  // The value of a real or a string, which a map cannot name.
  const bool other = first == 'r' || first == 'R' || first == 's';
  if (!vector && !other && std::string_view("01xXzZhHlLuUwW-").find(first) == std::string_view::npos)
    return report_.skip(here(), "a change that is no value");
  const std::string_view code = vector || other ? take_word(rest) : word.substr(1);
  if (code.empty())
    return report_.skip(here(), "a change without a signal");
  if (other)
    return;
  const auto variable = codes_.find(code);
  if (variable == codes_.end())
    return report_.skip(here(), "a change of an identifier that the header does not declare");
  ++report_.taken;
  events.change(variable->second, vector ? word.substr(1) : word.substr(0, 1));
}

}  // namespace lento::tile
