// Looks for the host of each line, first in front of it and then in headings. A text is only split when at
// least two hosts have at least two lines each, because single lines of "name: value" are a table.
#include "desk/read/host_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/number.h"

namespace lento::desk {
namespace {

using Parts = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kDeviceStems[] = {
    "gpu",     "cpu",    "mlx",  "eth",   "ib",     "nvme",    "sd",  "core",  "socket", "rank",
    "disk",    "port",   "link", "slot",  "dimm",   "npu",     "aip", "lane",  "step",   "epoch",
    "iter",    "device", "dev",  "numa",  "bank",   "fan",     "ps",  "psu",   "temp",   "ens",
    "eno",     "enp",    "hsn",  "level", "stage",  "layer",   "mc",  "csrow", "md",     "osd",
    "channel", "worker", "card", "bond",  "thread", "process", "ost"};

// Collects the lines of each host of a text. Hosts beyond kMostHosts are dropped.
class Split {
 public:
  void add(std::string_view host, std::string_view line) {
    auto [at, is_new] = index_.try_emplace(std::string(host), parts_.size());
    if (is_new) {
      if (parts_.size() == kMostHosts) {
        index_.erase(at);
        return;
      }
      parts_.emplace_back(host, "");
      lines_.push_back(0);
    }
    parts_[at->second].second.append(line).push_back('\n');
    ++lines_[at->second];
  }

  Parts take() {
    const auto several = std::ranges::count_if(lines_, [](size_t lines) {
      return lines > 1;
    });
    return several > 1 ? std::move(parts_) : Parts{};
  }

 private:
  static constexpr size_t kMostHosts = 4096;
  Parts parts_;
  std::vector<size_t> lines_;
  std::map<std::string, size_t, std::less<>> index_;
};

template <class Use>
void each_text_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with("\r"))
      line.remove_suffix(1);
    if (!use(line) || end == text.npos)
      return;
    text.remove_prefix(end + 1);
  }
}

// The host in front of a line, "gpu7: text" or as docker compose writes it "gpu7  | text", and the index at
// which its text begins.
struct Prefixed {
  std::string_view host;
  size_t text = 0;
};
Prefixed prefix_host(std::string_view line) {
  const size_t end = line.find_first_of(":|");
  if (end == line.npos || (line[end] == '|' && (end == 0 || line[end - 1] != ' ')))
    return {};
  std::string_view host = line.substr(0, end);
  while (line[end] == '|' && host.ends_with(" "))
    host.remove_suffix(1);
  const bool is_end = end + 1 == line.size() || line[end + 1] == ' ' || line[end + 1] == '\t';
  return is_end && may_be_host(host) ? Prefixed{host, std::min(end + 2, line.size())} : Prefixed{};
}

Parts by_prefix(std::string_view text) {
  Split split;
  bool is_each = true;
  each_text_line(text, [&](std::string_view line) {
    if (line.empty())
      return true;
    const Prefixed prefixed = prefix_host(line);
    is_each = !prefixed.host.empty();
    if (is_each)
      split.add(prefixed.host, line.substr(prefixed.text));
    return is_each;
  });
  return is_each ? split.take() : Parts{};
}

bool is_rule_of_marks(std::string_view line) {
  return line.size() >= 4 && line.find_first_not_of("-=*#") == line.npos;
}

std::string_view without_marks(std::string_view line, std::string_view marks) {
  const size_t begin = line.find_first_not_of(marks);
  return begin == line.npos ? std::string_view{}
                            : line.substr(begin, line.find_last_not_of(marks) + 1 - begin);
}

// Returns the host that a heading names, or "". `is_ruled` is set when a rule precedes the line.
std::string_view heading_host(std::string_view line, bool is_ruled) {
  constexpr size_t kLongestHeading = 120;
  if (line.size() > kLongestHeading)
    return {};
  if (line.starts_with("==> ") && line.ends_with(" <==")) {
    line = line.substr(4, line.size() - 8);
    if (const size_t slash = line.rfind('/'); slash != line.npos)
      line.remove_prefix(slash + 1);
    line = line.substr(0, line.find('.'));
    return may_be_host(line) ? line : std::string_view{};
  }
  for (const std::string_view word : {" | CHANGED", " | SUCCESS", " | FAILED", " | UNREACHABLE"})
    if (const size_t at = line.find(word); at != line.npos)
      return may_be_host(line.substr(0, at)) ? line.substr(0, at) : std::string_view{};
  const std::string_view name = without_marks(line, "#=-*:[]<> \t");
  const bool is_marked = name.data() != line.data() && name.size() + 2 < line.size();
  return (is_marked || is_ruled) && may_be_host(name) ? name : std::string_view{};
}

// Returns the hosts of "gpu[041-047,049] (8)", or none.
std::vector<std::string> grouped_hosts(std::string_view line) {
  const size_t open = line.find('[');
  const size_t close = line.find(']', open);
  std::vector<std::string> hosts;
  if (open == line.npos || close == line.npos || open == 0)
    return hosts;
  const std::string_view stem = line.substr(0, open);
  std::string_view ranges = line.substr(open + 1, close - open - 1);
  constexpr size_t kMostGrouped = 4096;
  while (!ranges.empty()) {
    const size_t end = std::min(ranges.find(','), ranges.size());
    const std::string_view range = ranges.substr(0, end);
    const size_t dash = range.find('-');
    const auto first = base::try_uint(range.substr(0, dash));
    const auto last = dash == range.npos ? first : base::try_uint(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first + hosts.size() >= kMostGrouped)
      return {};
    const size_t width = std::min(dash, range.size());
    for (uint64_t number = *first; number <= *last; ++number) {
      const std::string figures = std::to_string(number);
      hosts.push_back(
          std::string(stem) + std::string(width - std::min(width, figures.size()), '0') + figures);
    }
    ranges.remove_prefix(std::min(end + 1, ranges.size()));
  }
  return hosts.empty() || !may_be_host(hosts[0]) ? std::vector<std::string>{} : hosts;
}

Parts by_headings(std::string_view text) {
  Split split;
  std::vector<std::string> hosts;  // that the last heading names
  bool is_ruled = false;
  bool is_headed = true;
  each_text_line(text, [&](std::string_view line) {
    std::vector<std::string> named;
    if (is_ruled)
      named = grouped_hosts(line);
    if (const std::string_view one = heading_host(line, is_ruled); !one.empty())
      named = {std::string(one)};
    if (!named.empty()) {
      hosts = std::move(named);
      is_ruled = false;
      return true;
    }
    const bool is_end_of_heading = is_rule_of_marks(line) && !is_ruled;
    is_ruled = is_rule_of_marks(line);
    is_headed = !hosts.empty() || line.empty() || is_ruled;
    if (!is_end_of_heading && !is_ruled)
      for (const std::string& host : hosts)
        split.add(host, line);
    return is_headed;
  });
  return is_headed ? split.take() : Parts{};
}

bool is_figure(char c) {
  return c >= '0' && c <= '9';
}

// Returns whether a word has the form of a host name: letters, then a number at the end or before a domain.
bool is_host_name(std::string_view word) {
  constexpr size_t kLongest = 64;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const std::string_view name = word.substr(0, word.find('.'));
  return !name.empty() && word.size() <= kLongest && is_letter(name[0]) && is_figure(name.back()) &&
         std::ranges::all_of(word, [&](char c) {
           return is_letter(c) || is_figure(c) || c == '-' || c == '.';
         });
}

// Returns the letters in front of the number, in lower case.
std::string stem_of(std::string_view word) {
  std::string stem;
  for (const char c : word.substr(0, word.find_first_of("0123456789")))
    stem += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return stem;
}

// Returns whether a name ends in three digits or more that begin with 0 or follow a dash ("gpu034"). Devices
// are counted from 0 without leading zeros.
bool is_padded(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('.'));
  const size_t number = name.find_last_not_of("0123456789") + 1;
  return name.size() - number > 2 && (name[number] == '0' || name[number - 1] == '-');
}

}  // namespace

bool may_be_host(std::string_view word) {
  return is_host_name(word) &&
         (is_padded(word) || std::ranges::find(kDeviceStems, stem_of(word)) == std::end(kDeviceStems));
}

bool is_host_word(std::string_view word) {
  constexpr std::string_view kHostStems[] = {
      "node",
      "host",
      "gpu",
      "dgx",
      "hgx",
      "worker",
      "compute",
      "server",
      "nid",
      "cn",
      "gn",
      "srv",
      "machine",
      "ip"};
  if (!is_host_name(word))
    return false;
  std::string stem = stem_of(word);
  if (stem.ends_with("-"))
    stem.pop_back();
  const bool is_known = std::ranges::find(kHostStems, stem) != std::end(kHostStems) && stem != "gpu";
  return is_padded(word) || is_known;
}

namespace {

// Returns the text of a string of JSON that stands alone on its line, or nothing.
std::optional<std::string> json_line(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos || line[begin] != '"')
    return std::nullopt;
  line = line.substr(begin + 1, line.find_last_of('"') - begin - 1);
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool is_escaped = line[i] == '\\' && i + 1 < line.size();
    i += is_escaped;
    text += is_escaped && line[i] == 't' ? '\t' : line[i];
  }
  return text;
}

// Takes the lists of lines that Ansible shows for each host.
Parts by_tasks(std::string_view text) {
  Split split;
  std::string host;
  bool is_in_list = false;
  if (text.find("TASK [") == text.npos)
    return {};
  each_text_line(text, [&](std::string_view line) {
    if (const size_t at = line.find(": ["); at != line.npos && line.ends_with("] => {") && line[0] != ' ')
      host = line.substr(at + 3, line.find(']', at) - at - 3);
    else if (line.starts_with("}"))
      host.clear();
    const bool begins = line.ends_with("\": [");
    if (is_in_list && line.find_first_not_of(" \t],") == line.npos)
      is_in_list = false;
    if (const auto own = json_line(line); own && is_in_list && !host.empty() && !begins)
      split.add(host, *own);
    is_in_list = is_in_list || begins;
    return true;
  });
  return split.take();
}

}  // namespace

Parts host_parts(std::string_view text) {
  Parts parts = by_prefix(text);
  if (parts.empty())
    parts = by_headings(text);
  return parts.empty() ? by_tasks(text) : parts;
}

}  // namespace lento::desk
