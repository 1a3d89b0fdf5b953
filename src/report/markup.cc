// Builds HTML and SVG part by part. Escaping happens where a value enters an element, so no caller can forget
// it. Coordinates have one decimal, because a tenth of a pixel cannot be seen.
#include "report/markup.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/visible.h"

namespace lento::report {

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char c) {
    return static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t';
  });
  for (const char c : base::visible(kept)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string px(double value) {
  if (!std::isfinite(value))
    return "0";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", value);
  std::string text = buffer;
  if (text.ends_with(".0"))
    text.resize(text.size() - 2);
  return text;
}

Element::Element(std::string_view name)
    : name_(name) {
  head_ = "<" + name_;
}

Element& Element::set(std::string_view attribute, std::string_view value) {
  head_ += ' ';
  head_ += attribute;
  head_ += "=\"";
  head_ += escape(value);
  head_ += '"';
  return *this;
}

Element& Element::set(std::string_view attribute, double pixels) {
  return set(attribute, px(pixels));
}

std::string Element::open() const {
  return head_ + ">";
}

std::string Element::empty() const {
  return head_ + "/>";
}

std::string Element::around(std::string_view markup) const {
  std::string out = open();
  out += markup;
  out += "</";
  out += name_;
  out += '>';
  return out;
}

std::string Element::titled(std::string_view text) const {
  return around(Element("title").with_text(text));
}

std::string Element::with_text(std::string_view text) const {
  return around(escape(text));
}

void PathData::point(char command, double x, double y) {
  number(command, x);
  number(' ', y);
}

void PathData::number(char command, double value) {
  text_ += command;
  text_ += px(value);
}

void PathData::move_to(double x, double y) {
  point('M', x, y);
}

void PathData::line_to(double x, double y) {
  point('L', x, y);
}

void PathData::extend_to(double x, double y) {
  if (empty())
    move_to(x, y);
  else
    line_to(x, y);
}

void PathData::horizontal_to(double x) {
  number('H', x);
}

void PathData::vertical_to(double y) {
  number('V', y);
}

void PathData::horizontal_by(double dx) {
  number('h', dx);
}

void PathData::vertical_by(double dy) {
  number('v', dy);
}

void PathData::close() {
  text_ += 'z';
}

std::string path_of(std::string_view css, const PathData& data) {
  Element path("path");
  path.set("class", css);
  path.set("d", data.text());
  return path.empty();
}

}  // namespace lento::report
