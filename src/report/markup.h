// Elements and paths of pictures and pages, built part by part.
//
// Values are escaped here, so that text of a diagnosis cannot end its attribute.
#pragma once

#include <string>
#include <string_view>

namespace lento::report {

// Escapes & < > " ', drops control characters other than newline and tab, and writes what turns the direction
// of text or is no UTF-8 as base::visible does.
std::string escape(std::string_view text);

// Formats a number for an SVG attribute, with at most one decimal.
std::string px(double value);

// One element: its attributes in the order in which they were set, then the form in which it ends.
class Element {
 public:
  explicit Element(std::string_view name);
  Element& set(std::string_view attribute, std::string_view value);
  Element& set(std::string_view attribute, double pixels);  // as px writes it

  std::string open() const;                           // <name a="b">
  std::string empty() const;                          // <name a="b"/>
  std::string around(std::string_view markup) const;  // with children that are markup already
  std::string titled(std::string_view text) const;    // with the words that show under the pointer
  std::string with_text(std::string_view text) const;

 private:
  std::string name_;
  std::string head_;
};

// The data of an SVG path, in pixels. Relative moves have `by` in their names.
class PathData {
 public:
  void move_to(double x, double y);
  void line_to(double x, double y);
  void extend_to(double x, double y);  // begins the path or continues it
  void horizontal_to(double x);
  void vertical_to(double y);
  void horizontal_by(double dx);
  void vertical_by(double dy);
  void close();
  bool empty() const {
    return text_.empty();
  }
  const std::string& text() const {
    return text_;
  }

 private:
  void point(char command, double x, double y);
  void number(char command, double value);
  std::string text_;
};

// Returns a path element of a CSS class.
std::string path_of(std::string_view css, const PathData& data);

}  // namespace lento::report
