// Scans the brackets of the document once, outside strings, with the open ones on a stack.
#include "desk/read/json_rows.h"

#include <algorithm>
#include <vector>

namespace lento::desk {
namespace {

constexpr size_t kFewestRows = 12;  // as a change needs (incident/pieces.h)
constexpr size_t kDeepest = 256;

struct Bracket {
  size_t begin = 0;
  bool is_list = false;
  bool is_flat = true;                    // an object without brackets inside
  std::vector<std::string_view> objects;  // flat ones of a list
};

// Returns the objects of the longest list of flat objects.
std::vector<std::string_view> longest_list(std::string_view text) {
  std::vector<Bracket> open;
  std::vector<std::string_view> longest;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
    } else if (c == '{' || c == '[') {
      if (open.size() == kDeepest)
        return {};
      if (!open.empty())
        open.back().is_flat = false;
      open.push_back({at, c == '[', true, {}});
    } else if ((c == '}' || c == ']') && !open.empty()) {
      Bracket closed = std::move(open.back());
      open.pop_back();
      if (closed.is_list && closed.objects.size() > longest.size())
        longest = std::move(closed.objects);
      if (!closed.is_list && closed.is_flat && !open.empty() && open.back().is_list)
        open.back().objects.push_back(text.substr(closed.begin, at + 1 - closed.begin));
    }
  }
  return longest;
}

}  // namespace

std::string rows_of_document(std::string_view text) {
  const std::vector<std::string_view> objects = longest_list(text);
  std::string out;
  if (objects.size() < kFewestRows)
    return out;
  size_t from = 0;
  int64_t missing = 0;  // line ends of the document that `out` does not have yet
  for (const std::string_view object : objects) {
    const size_t begin = size_t(object.data() - text.data());
    missing += std::ranges::count(text.substr(from, begin - from), '\n');
    if (missing == 0 && !out.empty())
      missing = 1;  // several objects in a line take a line each
    out.append(size_t(std::max<int64_t>(missing, 0)), '\n');
    for (const char c : object)
      out += c == '\n' || c == '\r' ? ' ' : c;
    missing = std::ranges::count(object, '\n');
    from = begin + object.size();
  }
  return out += '\n';
}

}  // namespace lento::desk
