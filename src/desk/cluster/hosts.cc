// Expands lists of hosts.
//
//   list  = item {"," item}
//   item  = {text | "[" range {"," range} "]"}
//   range = digits ["-" digits]         numbers keep the zeros in front
#include "base/number.h"
#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

bool is_host_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
         c == '.';
}

// Appends the numbers of "001-003,7" to `out`. Returns false when the text is not such a list, or a list of
// more than kMostHosts numbers.
bool expand_ranges(std::string_view ranges, std::vector<std::string>& out) {
  while (true) {
    const size_t comma = ranges.find(',');
    const std::string_view range = ranges.substr(0, comma);
    const size_t dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == range.npos ? first : range.substr(dash + 1);
    const auto begin = base::try_uint(first);
    const auto end = base::try_uint(last);
    if (!begin || !end || *end < *begin || *end - *begin >= kMostHosts || first.size() > 18)
      return false;
    for (uint64_t number = *begin; number <= *end; ++number) {
      std::string digits = std::to_string(number);
      if (digits.size() < first.size())
        digits.insert(0, first.size() - digits.size(), '0');
      out.push_back(std::move(digits));
    }
    if (out.size() > kMostHosts)
      return false;
    if (comma == ranges.npos)
      return true;
    ranges.remove_prefix(comma + 1);
  }
}

// Replaces `names` by every combination of a name and an ending. Returns false and changes nothing when these
// are more than kMostHosts.
bool append_each(std::vector<std::string>& names, const std::vector<std::string>& endings) {
  if (names.size() * endings.size() > kMostHosts)
    return false;
  std::vector<std::string> longer;
  for (const std::string& name : names)
    for (const std::string& ending : endings)
      longer.push_back(name + ending);
  names = std::move(longer);
  return true;
}

}  // namespace

// Expands a list of hosts such as node[01-03,7].
std::vector<std::string> expand_hosts(std::string_view list) {
  constexpr size_t kLongestName = 255;
  std::vector<std::string> hosts;
  for (size_t at = 0; at < list.size(); ++at) {
    std::vector<std::string> names{""};
    while (at < list.size() && list[at] != ',') {
      if (list[at] == '[') {
        const size_t end = list.find(']', at);
        std::vector<std::string> numbers;
        if (end == list.npos || !expand_ranges(list.substr(at + 1, end - at - 1), numbers) ||
            !append_each(names, numbers))
          return {};
        at = end + 1;
        continue;
      }
      if (!is_host_char(list[at]) || names[0].size() == kLongestName)
        return {};
      for (std::string& name : names)
        name += list[at];
      ++at;
    }
    if (names[0].empty() || hosts.size() + names.size() > kMostHosts)
      return {};
    hosts.insert(hosts.end(), names.begin(), names.end());
  }
  return hosts;
}

std::vector<std::string> HostLists::expand(std::string_view list) {
  if (held_ >= kMostOfFile)
    return {};
  std::vector<std::string> hosts = expand_hosts(list);
  held_ += hosts.size();
  return hosts;
}

}  // namespace lento::desk
