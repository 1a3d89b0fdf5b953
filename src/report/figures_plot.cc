// Draws figures with axes as static SVG: lines with bands, spans, bars, points. A picture is data for the
// page's script too, which zooms and reads its axes from the attributes of the plot.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "report/figures.h"
#include "report/markup.h"
#include "report/svg.h"

namespace lento::report {
namespace {

using finding::BarsFigure;
using finding::ScatterFigure;
using finding::SeriesFigure;
using finding::TableFigure;
using finding::TimelineFigure;

std::string series_class(size_t i) {
  return "s" + std::to_string(i % 8);
}

struct Point {
  double x = 0;
  double y = 0;
};

struct Axes {
  Scale x;
  Scale y;
};

Axes axes_of(const Frame& frame, Extent x, Extent y, bool log_x, bool log_y) {
  const double right = frame.width - frame.right;
  const double bottom = frame.height - frame.bottom;
  return {Scale(x, frame.left, right, log_x), Scale(y, bottom, frame.top, log_y)};
}

// Returns the path of a line, which a gap in the data (NaN) interrupts.
PathData line_path(const std::vector<double>& x, const std::vector<double>& y, const Axes& axes) {
  PathData path;
  bool down = false;
  for (size_t i = 0; i < y.size(); ++i) {
    const bool known = std::isfinite(x[i]) && std::isfinite(y[i]);
    if (known && down)
      path.line_to(axes.x(x[i]), axes.y(y[i]));
    else if (known)
      path.move_to(axes.x(x[i]), axes.y(y[i]));
    down = known;
  }
  return path;
}

// Returns the outline of a band: along its upper edge and back along the lower one.
PathData band_path(const SeriesFigure::Band& band, const Axes& axes) {
  std::vector<size_t> known;
  for (size_t i = 0; i < band.x.size(); ++i) {
    if (std::isfinite(band.x[i]) && std::isfinite(band.low[i]) && std::isfinite(band.high[i]))
      known.push_back(i);
  }
  PathData path;
  for (const size_t i : known)
    path.extend_to(axes.x(band.x[i]), axes.y(band.high[i]));
  std::ranges::reverse(known);
  for (const size_t i : known)
    path.line_to(axes.x(band.x[i]), axes.y(band.low[i]));
  if (!path.empty())
    path.close();
  return path;
}

struct Key {
  std::string css;
  std::string name;
};

// Returns the coloured box of a legend entry.
std::string key_box(const std::string& css, double x, double y) {
  Element box("rect");
  box.set("class", css + " key");
  box.set("x", x);
  box.set("y", y);
  box.set("width", 12);
  box.set("height", 10);
  return box.empty();
}

// Holds the legend under a picture, in as many rows as its keys need.
struct Legend {
  std::string svg;
  double bottom = 0;
};
// Returns the legend, in as many lines as needed.
Legend legend(const std::vector<Key>& keys, double y) {
  constexpr size_t kMostCharacters = 28;
  constexpr double kLeft = 70;
  constexpr double kRight = 920;
  Legend out;
  double x = kLeft;
  for (const Key& key : keys) {
    const size_t characters = std::min(key.name.size(), kMostCharacters);
    const double width = 34 + 6.8 * double(characters);
    if (x + width > kRight && x > kLeft) {
      x = kLeft;
      y += 16;
    }
    out.svg += key_box(key.css, x, y);
    out.svg += cut_text_at(x + 17, y + 9, key.name, kMostCharacters, "start");
    x += width;
  }
  out.bottom = y + 16;
  return out;
}

std::string plot_of(const Frame& f, const Axes& axes, std::string_view x_name) {
  const double width = f.width - f.left - f.right;
  const double height = f.height - f.top - f.bottom;
  return open_plot({f.left, f.top, width, height, x_name, &axes.y}, axes.x);
}

// A picture over two axes, whose marks are clipped to the plot area.
struct Drawing {
  std::string x_name;
  std::string y_name;
  std::string marks;
  std::vector<Key> keys;
};

// Returns a drawing with axes, title and legend.
std::string
over_axes(const Drawing& drawing, const Frame& frame, const Axes& scales, const std::string& title) {
  const Legend named = legend(drawing.keys, frame.height + 4);
  std::string out = open_svg(frame.width, named.bottom, title);
  out += axes(frame, scales.x, scales.y, drawing.x_name, drawing.y_name);
  out += plot_of(frame, scales, drawing.x_name);
  out += drawing.marks;
  out += "</svg>";
  out += named.svg;
  return out + "</svg>";
}

// The rectangle of a bar or a span, in pixels.
struct SpanBox {
  std::string css;
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// Returns a box of the timeline.
std::string span_box(const SpanBox& span, const std::string& label) {
  Element box("rect");
  box.set("class", span.css + " span");
  box.set("x", span.x);
  box.set("y", span.y);
  box.set("width", span.width);
  box.set("height", span.height);
  return box.titled(label);
}

// Returns a line of a series.
std::string series_line(const SeriesFigure::Line& line, const std::string& css, const Axes& axes) {
  std::string classes = "line " + css;
  if (line.dashed)
    classes += " dashed";
  Element path("path");
  path.set("class", classes);
  path.set("data-name", line.name);
  path.set("d", line_path(line.x, line.y, axes).text());
  return path.empty();
}

// Draws the line that a finding names in the colour of findings from the first of `marks`, the begin of the
// fault, and in the usual colour before it. The point before the mark belongs to both parts, so that the
// line has no gap.
std::string blamed_line(const SeriesFigure::Line& line, const std::vector<double>& marks, const Axes& axes) {
  const size_t onset = marks.empty() ? 0
                                     : size_t(
                                           std::ranges::find_if(
                                               line.x,
                                               [&](double x) {
                                                 return x >= marks.front();
                                               }) -
                                           line.x.begin());
  if (onset == 0 || onset >= line.x.size() || onset >= line.y.size())
    return series_line(line, "blamed", axes);
  SeriesFigure::Line early = line;
  early.x.resize(onset);
  early.y.resize(onset);
  SeriesFigure::Line ill = line;
  ill.x.erase(ill.x.begin(), ill.x.begin() + ptrdiff_t(onset) - 1);
  ill.y.erase(ill.y.begin(), ill.y.begin() + ptrdiff_t(onset) - 1);
  return series_line(early, "early", axes) + series_line(ill, "blamed", axes);
}

std::string mark_line(double x, const Frame& frame) {
  PathData path;
  path.move_to(x, frame.top);
  path.vertical_to(frame.height - frame.bottom);
  return path_of("mark", path);
}

}  // namespace

std::string draw(const SeriesFigure& f, const std::string& title) {
  ExtentOf x;
  ExtentOf y;
  for (const auto& line : f.lines) {
    x.add(line.x);
    y.add(line.y);
  }
  for (const auto& band : f.bands) {
    x.add(band.x);
    y.add(band.low);
    y.add(band.high);
  }
  const Frame frame;
  const Axes axes = axes_of(frame, x.get(), y.get(), f.log_x, f.log_y);
  Drawing drawing{f.x_name, f.y_name, {}, {}};
  for (const auto& band : f.bands) {
    drawing.marks += path_of("band", band_path(band, axes));
    drawing.keys.push_back({"band", band.name});
  }
  for (const bool blamed : {false, true}) {  // blamed lines on top
    for (size_t i = 0; i < f.lines.size(); ++i) {
      const auto& line = f.lines[i];
      if (line.blamed != blamed)
        continue;
      const std::string css = blamed ? "blamed" : series_class(i);
      drawing.marks += blamed ? blamed_line(line, f.marks, axes) : series_line(line, css, axes);
      drawing.keys.push_back({css, line.name});
    }
  }
  for (const double mark : f.marks)
    drawing.marks += mark_line(axes.x(mark), frame);
  return over_axes(drawing, frame, axes, title);
}

std::string draw(const TimelineFigure& f, const std::string& title) {
  std::map<std::string, size_t> row;
  std::vector<std::string> tracks;
  ExtentOf ex;
  for (const auto& span : f.spans) {
    ex.add(span.begin);
    ex.add(span.end);
    if (row.emplace(span.track, tracks.size()).second)
      tracks.push_back(span.track);
  }
  // Unnamed spans lose their colours as soon as a finding names another.
  const bool accuses = std::ranges::any_of(f.spans, &TimelineFigure::Span::blamed);
  const size_t all = tracks.size();
  if (all > 80)
    tracks.resize(80);
  const double left = 130;
  const double right = 905;
  const double pitch = tracks.size() > 30 ? 12 : 20;
  const double top = 8;
  const double bottom = top + pitch * double(tracks.size());
  const Scale sx(ex.get(), left, right);
  std::string out = open_svg(920, bottom + 44, title);
  for (size_t i = 0; i < tracks.size(); ++i) {
    const double baseline = top + pitch * (double(i) + 0.7);
    out += cut_text_at(left - 6, baseline, tracks[i], 18, "end");
  }
  out += open_plot({left, 4, right - left, bottom - 4, f.x_name}, sx);
  for (const auto& span : f.spans) {
    const size_t track = row[span.track];
    if (track >= tracks.size())
      continue;
    const double from = sx(span.begin);
    SpanBox box;
    box.css = span.blamed ? "blamed" : accuses ? "q4" : series_class(track);
    box.x = from;
    box.y = top + pitch * double(track);
    box.width = std::max(1.0, sx(span.end) - from);
    box.height = pitch - 3;
    out += span_box(box, span.label);
  }
  out += "</svg>";
  out += x_ticks(sx, bottom + 16);
  if (all > tracks.size()) {
    const size_t left_out = all - tracks.size();
    out += text_at(left - 6, bottom + 16, std::to_string(left_out) + " more in the JSON", "end");
  }
  return out + text_at((left + right) / 2, bottom + 34, f.x_name, "middle") + "</svg>";
}

namespace {

// Draws stacked bars, one row per category with its whole name before it and the sum behind it. Rows keep
// names legible where columns would have to turn or cut them.
class Bars {
 public:
  explicit Bars(const BarsFigure& f)
      : f_(f),
        rows_(std::min(f.categories.size(), kMostRows)),
        pitch_(rows_ > 30 ? 14 : 22),
        bottom_(kTop + pitch_ * double(std::max<size_t>(1, rows_))),
        x_(extent(), kLeft, kRight) {
  }
  // Returns the bar figure.
  std::string picture(const std::string& title) const {
    const Legend named = legend(keys(), bottom_ + 40);
    std::string out = open_svg(kWidth, named.bottom, title);
    out += grid();
    for (size_t c = 0; c < rows_; ++c) {
      out += stack(c);
      out += cut_text_at(kLeft - 6, middle(c), f_.categories[c], kMostCharacters, "end");
    }
    if (rows_ < f_.categories.size())
      out += text_at(kLeft - 6, bottom_ + 16, std::to_string(f_.categories.size() - rows_) + " more", "end");
    out += named.svg;
    return out + "</svg>";
  }

 private:
  static constexpr size_t kMostRows = 60;
  static constexpr size_t kMostCharacters = 36;
  static constexpr double kWidth = 920;
  static constexpr double kTop = 8;
  static constexpr double kLeft = 250;
  static constexpr double kRight = 830;  // leaves room for the sums

  // Returns the range of values, with stacks and zero.
  Extent extent() const {
    ExtentOf x;
    x.add(0.0);
    for (size_t c = 0; c < f_.categories.size(); ++c) {
      double end = 0;  // of the stack so far: with values of both signs the last is not the highest
      for (const auto& series : f_.values) {
        end += std::isfinite(series[c]) ? series[c] : 0;
        x.add(end);
      }
    }
    return x.get();
  }
  double top(size_t category) const {
    return kTop + pitch_ * double(category);
  }
  double middle(size_t category) const {
    return top(category) + pitch_ * 0.68;
  }
  // The unit ends the name of the axis: "seconds", "mean step, ms". Other names are of plain numbers.
  std::string number(double value) const {
    constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
        {"seconds", "s"},
        {"ms", "ms"},
        {"joules", "J"},
        {"flop/s", "FLOP/s"}};
    std::string_view unit;
    for (const auto& [word, symbol] : kUnits) {
      if (std::string_view(f_.y_name).ends_with(word))
        unit = symbol;
    }
    return base::format_measure(value, unit);
  }
  // Returns the stacked bars of one category.
  std::string stack(size_t category) const {
    std::string out;
    double before = 0;
    double farthest = 0;
    for (size_t s = 0; s < f_.series.size(); ++s) {
      const double value = f_.values[s][category];
      if (!std::isfinite(value))
        continue;
      const double from = x_(before);
      const double to = x_(before + value);
      before += value;
      farthest = std::max(farthest, before);
      SpanBox box;
      box.css = series_class(s);
      box.x = std::min(from, to);
      box.y = top(category) + pitch_ * 0.1;
      box.width = std::fabs(to - from);
      box.height = pitch_ * 0.8;
      const std::string name = f_.categories[category] + ", " + f_.series[s];
      out += span_box(box, name + ": " + number(value));
    }
    return out + text_at(x_(farthest) + 5, middle(category), number(before));
  }
  // Returns the vertical grid lines.
  std::string grid() const {
    std::string lines;
    for (const double tick : x_.ticks(5)) {
      PathData line;
      line.move_to(x_(tick), kTop);
      line.vertical_to(bottom_);
      lines += Element("path").set("d", line.text()).empty();
      lines += text_at(x_(tick), bottom_ + 16, number(tick), "middle");
    }
    if (number(1).find(' ') == std::string::npos)
      lines += text_at((kLeft + kRight) / 2, bottom_ + 32, f_.y_name, "middle");
    return Element("g").set("class", "axis").around(lines);
  }
  std::vector<Key> keys() const {
    std::vector<Key> out;
    for (size_t s = 0; s < f_.series.size() && f_.series.size() > 1; ++s)
      out.push_back({series_class(s), f_.series[s]});
    return out;
  }

  const BarsFigure& f_;
  size_t rows_;
  double pitch_;
  double bottom_;
  Scale x_;
};

// Returns a dot with a label.
std::string dot(Point at, const std::string& css, const std::string& label) {
  PathData place;
  place.move_to(at.x, at.y);
  place.horizontal_by(0);
  Element dot("path");
  dot.set("class", css + " dot");
  dot.set("d", place.text());
  return dot.titled(label);
}

// Draws the points of one group and, for a joined group, the line through them.
std::string points_of(const ScatterFigure::Group& group, const std::string& css, const Axes& axes) {
  std::string out;
  PathData joined;
  for (const auto& p : group.points) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y))
      continue;
    const Point at{axes.x(p.x), axes.y(p.y)};
    joined.extend_to(at.x, at.y);
    const bool plain = !p.blamed && p.label.empty();
    if (group.joined && plain)
      continue;
    const std::string& label = p.label.empty() ? group.name : p.label;
    out += dot(at, p.blamed ? "blamed" : css, label);
  }
  if (group.joined)
    out += path_of("line " + css, joined);
  return out;
}

}  // namespace

std::string draw(const BarsFigure& f, const std::string& title) {
  return Bars(f).picture(title);
}

std::string draw(const ScatterFigure& f, const std::string& title) {
  ExtentOf x;
  ExtentOf y;
  for (const auto& group : f.groups) {
    for (const auto& p : group.points) {
      x.add(p.x);
      y.add(p.y);
    }
  }
  Frame frame;
  frame.height = 400;
  const Axes axes = axes_of(frame, x.get(), y.get(), f.log_x, f.log_y);
  Drawing drawing{f.x_name, f.y_name, {}, {}};
  for (size_t g = 0; g < f.groups.size(); ++g) {
    const std::string css = series_class(g);
    drawing.marks += points_of(f.groups[g], css, axes);
    drawing.keys.push_back({css, f.groups[g].name});
  }
  return over_axes(drawing, frame, axes, title);
}

std::string draw(const TableFigure&, const std::string&) {
  return {};
}

}  // namespace lento::report
