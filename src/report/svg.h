// Parts of the static pictures: scales, axes, colour classes.
//
// Pictures have no colours of their own. Class names (q0 to q8 for values, s0 to s7 for series, `blame` for
// what a finding names, `band` for the range of the peers) refer to the style sheet of the page, so one
// picture serves dark, light and print.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/markup.h"

namespace lento::report {

// The range of finite values, {0, 1} when there is none, widened when all are equal.
struct Extent {
  double low = 0;
  double high = 1;
};
class ExtentOf {
 public:
  void add(double value);
  void add(std::span<const double> values);
  Extent get() const;
  // Returns the range, widened to a factor of two where values are positive, so that parts which hardly
  // differ look alike.
  Extent get_at_least_twofold() const;

 private:
  bool any_ = false;
  Extent extent_;
};

// Maps data to pixels, linearly or by logarithm. A logarithmic scale maps values that are not positive to its
// low end.
class Scale {
 public:
  Scale(Extent data, double pixel_low, double pixel_high, bool log = false);
  double operator()(double value) const;
  Extent data() const {
    return data_;
  }
  bool log() const {
    return log_;
  }
  std::vector<double> ticks(int about) const;  // round positions inside the data range

 private:
  Extent data_;
  double pixel_low_;
  double pixel_high_;
  bool log_;
};

// Returns 0..8 for a value inside the extent, and 0 for NaN.
int colour_class(double value, Extent extent);

// The plot area of the standard picture, with room for axes.
struct Frame {
  double width = 920;
  double height = 320;
  double left = 70;
  double right = 16;
  double top = 12;
  double bottom = 46;
};

// Draws both axes with ticks, grid and names.
std::string
axes(const Frame& frame, const Scale& x, const Scale& y, std::string_view x_name, std::string_view y_name);

// Draws the labels of a horizontal axis, which the script of the page redraws when it zooms.
std::string x_ticks(const Scale& x, double y);

// The box that marks are drawn into and clipped to. It is an inner picture whose attributes give the script
// of the page the ranges of the axes. Strokes keep their width while it is stretched. The caller closes it
// with </svg>.
struct Plot {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  std::string_view x_name;
  const Scale* y = nullptr;                        // nullptr: rows, no values
  const std::vector<std::string>* rows = nullptr;  // their names, from the top
};
std::string open_plot(const Plot& plot, const Scale& x);

// Returns the first `most` characters of a text in UTF-8.
std::string_view first_characters(std::string_view text, size_t most);

// Draws at most `most` characters, cut between code points. A cut text has its whole as title.
std::string cut_text_at(double x, double y, const std::string& text, size_t most, std::string_view anchor);

// Opens an <svg> with a title for screen readers, scaled to the width of the page.
std::string open_svg(double width, double height, std::string_view title);
std::string text_at(double x, double y, std::string_view text, std::string_view anchor = "start");

// Draws the colour legend for colour_class.
std::string value_legend(double x, double y, Extent extent, std::string_view name);

}  // namespace lento::report
