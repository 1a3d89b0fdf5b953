// Parses a piece of markup into elements for tests, and fails where it is not well formed.
#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lento::report::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside it, still escaped

  double number(const std::string& attribute) const {
    return std::strtod(attributes.at(attribute).c_str(), nullptr);
  }
  // True when `word` is one of its classes.
  bool is(const std::string& word) const {
    const auto at = attributes.find("class");
    return at != attributes.end() && (" " + at->second + " ").find(" " + word + " ") != std::string::npos;
  }
};

inline void need(bool fine, const std::string& what) {
  if (!fine)
    throw std::runtime_error("not well formed: " + what);
}

// Parses the text between < and >, without a closing slash.
inline Element opened(std::string_view tag) {
  Element out;
  size_t at = std::min(tag.find(' '), tag.size());
  out.name = tag.substr(0, at);
  need(!out.name.empty() && out.name.find_first_of("<\"'=") == std::string::npos, "a name of an element");
  while (at < tag.size()) {
    const size_t name = tag.find_first_not_of(' ', at);
    if (name == std::string_view::npos)
      break;
    const size_t open = tag.find("=\"", name);
    need(open != std::string_view::npos, "an attribute in '" + std::string(tag) + "'");
    const size_t close = tag.find('"', open + 2);
    need(close != std::string_view::npos, "the end of an attribute");
    const std::string value(tag.substr(open + 2, close - open - 2));
    need(value.find('<') == std::string::npos, "'<' in an attribute");
    const bool fresh = out.attributes.emplace(tag.substr(name, open - name), value).second;
    need(fresh, "an attribute twice");
    at = close + 1;
  }
  return out;
}

// Returns the elements in the order in which they begin.
inline std::vector<Element> elements_of(std::string_view markup) {
  std::vector<Element> all;
  std::vector<size_t> open;
  size_t at = 0;
  while (at < markup.size()) {
    const size_t tag = std::min(markup.find('<', at), markup.size());
    if (!open.empty())
      all[open.back()].text += markup.substr(at, tag - at);
    if (tag == markup.size())
      break;
    const size_t end = markup.find('>', tag);
    need(end != std::string_view::npos, "'<' without '>'");
    std::string_view inside = markup.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside.starts_with("/")) {
      need(
          !open.empty() && all[open.back()].name == inside.substr(1),
          "</" + std::string(inside.substr(1)) + ">");
      open.pop_back();
      continue;
    }
    const bool closed = inside.ends_with("/");
    if (closed)
      inside.remove_suffix(1);
    all.push_back(opened(inside));
    if (!closed)
      open.push_back(all.size() - 1);
  }
  need(open.empty(), "an element is not closed");
  return all;
}

inline std::vector<Element> with_class(std::string_view markup, const std::string& word) {
  std::vector<Element> out;
  for (Element& e : elements_of(markup)) {
    if (e.is(word))
      out.push_back(std::move(e));
  }
  return out;
}

// Returns the points that the M and L of a path name.
inline std::vector<std::pair<double, double>> points_of(const Element& path) {
  std::vector<std::pair<double, double>> out;
  const std::string& d = path.attributes.at("d");
  for (size_t at = d.find_first_of("ML"); at != std::string::npos; at = d.find_first_of("ML", at + 1)) {
    char* end = nullptr;
    const double x = std::strtod(d.c_str() + at + 1, &end);
    out.emplace_back(x, std::strtod(end, nullptr));
  }
  return out;
}

}  // namespace lento::report::test
