// Draws figures without axes of numbers as static SVG: the mesh of a chip, a heat map of machines over time,
// a graph.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "report/figures.h"
#include "report/markup.h"
#include "report/reduce.h"
#include "report/svg.h"

namespace lento::report {
namespace {

using finding::GraphFigure;
using finding::HeatMapFigure;
using finding::MeshFigure;

constexpr size_t kColours = 9;      // colour_class
constexpr int kDarkest = 6;         // the last colour that carries dark text
constexpr size_t kMostCells = 180;  // across a heat map
constexpr double kGraphSize = 560;  // pixels

// True when `name` is in the list of outlined subjects. Subjects match by label: "core5" outlines that core
// and "link5-9" the link between cores 5 and 9.
bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string value_class(int colour) {
  return "q" + std::to_string(colour);
}

std::string value_class(double value, Extent extent) {
  return std::isnan(value) ? "unseen" : value_class(colour_class(value, extent));
}

const char* blame_class(bool blamed) {
  return blamed ? " blame" : "";
}

struct MeshLayout {
  // Distance between cores and side of a core, in pixels.
  double cell;
  double core;
  double x(int column) const {
    return 20 + cell * column;
  }
  double y(int row) const {
    return 20 + cell * row;
  }
  double centre_x(int column) const {
    return x(column) + core / 2;
  }
  double centre_y(int row) const {
    return y(row) + core / 2;
  }
};

std::string coordinates(int x, int y) {
  return std::to_string(x) + "," + std::to_string(y);
}

// Returns the path of a link. Both directions of a link are drawn side by side, each to the right of its own
// travel, and a link once in the middle.
PathData link_path(const MeshFigure::Link& link, const MeshLayout& at, bool both) {
  const double dx = link.to_x - link.from_x;
  const double dy = link.to_y - link.from_y;
  const double length = std::max(std::hypot(dx, dy), 1e-9);
  const double ux = dx / length;
  const double uy = dy / length;
  const double aside = both ? at.core * 0.12 : 0;
  const double aside_x = -uy * aside;
  const double aside_y = ux * aside;
  const double gap = at.core * 0.5;
  const double gap_x = ux * gap;
  const double gap_y = uy * gap;
  const double x0 = at.centre_x(link.from_x) + aside_x;
  const double y0 = at.centre_y(link.from_y) + aside_y;
  const double x1 = at.centre_x(link.to_x) + aside_x;
  const double y1 = at.centre_y(link.to_y) + aside_y;
  PathData path;
  path.move_to(x0 + gap_x, y0 + gap_y);
  path.line_to(x1 - gap_x, y1 - gap_y);
  return path;
}

std::string shown_value(double value) {
  return std::isnan(value) ? "not seen" : base::format_number(value, 3);
}

// Returns a link between two cores. `both`: the opposite direction is drawn too.
std::string
link_line(const MeshFigure::Link& link, const MeshLayout& at, const std::string& classes, bool both) {
  const std::string from = coordinates(link.from_x, link.from_y);
  const std::string to = coordinates(link.to_x, link.to_y);
  Element line("path");
  line.set("class", classes);
  line.set("data-from", from);
  line.set("data-to", to);
  line.set("d", link_path(link, at, both).text());
  return line.titled(from + (both ? " to " : " and ") + to + ": " + shown_value(link.value));
}

// Returns the number of the core at each place ("12" for "core12"), by which the ends of "link5-9" are found.
std::vector<std::string> core_numbers(const MeshFigure& f) {
  std::vector<std::string> numbers(size_t(f.width) * size_t(f.height));
  for (const auto& core : f.cores) {
    const size_t digit = core.label.find_first_of("0123456789");
    std::string& number = numbers[size_t(core.y * f.width + core.x)];
    number = core.label;
    if (digit != std::string::npos)
      number.erase(0, digit);
  }
  return numbers;
}

// True when the subjects name this link. "link5-9" names both directions between cores 5 and 9.
bool link_blamed(const MeshFigure& f, const std::vector<std::string>& numbers, const MeshFigure::Link& link) {
  const auto number = [&](int x, int y) {
    const bool inside = x >= 0 && y >= 0 && x < f.width && y < f.height;
    if (inside)
      return numbers[size_t(y * f.width + x)];
    return std::string();
  };
  const std::string a = number(link.from_x, link.from_y);
  const std::string b = number(link.to_x, link.to_y);
  const std::string there = "link" + a + "-" + b;
  const std::string back = "link" + b + "-" + a;
  return contains(f.blamed, there) || contains(f.blamed, back);
}

// Returns the label of a core, light on dark colours.
std::string core_label(const MeshFigure::Core& core, const MeshLayout& at, int colour) {
  Element label("text");
  label.set("class", colour > kDarkest ? "on-dark" : "on");
  label.set("x", at.centre_x(core.x));
  label.set("y", at.centre_y(core.y) + 4);
  label.set("text-anchor", "middle");
  return label.with_text(core.label);
}

// Returns the box of a core.
std::string core_box(const MeshFigure& f, const MeshFigure::Core& core, const MeshLayout& at, Extent extent) {
  const int colour = std::isnan(core.value) ? 0 : colour_class(core.value, extent);
  Element box("rect");
  box.set("data-x", core.x);
  box.set("data-y", core.y);
  box.set("class", "core " + value_class(core.value, extent) + blame_class(contains(f.blamed, core.label)));
  box.set("x", at.x(core.x));
  box.set("y", at.y(core.y));
  box.set("width", at.core);
  box.set("height", at.core);
  box.set("rx", 3);
  const std::string out = box.titled(core.label + ": " + shown_value(core.value));
  if (at.core < 28)
    return out;
  return out + core_label(core, at, colour);
}

// Returns the line of a route.
std::string route_line(const MeshFigure::Route& route, const MeshLayout& at) {
  PathData path;
  for (const auto& [x, y] : route.hops)
    path.extend_to(at.centre_x(x), at.centre_y(y));
  Element line("path");
  line.set("class", "route");
  line.set("d", path.text());
  return line.titled(route.label);
}

// Explains the dashed lines of a mesh: a sample and its meaning, for each kind that the mesh has.
std::string dashes_legend(const MeshFigure& f, double y) {
  const bool unseen = std::ranges::any_of(f.links, [](const MeshFigure::Link& link) {
    return std::isnan(link.value);
  });
  std::string out;
  double x = 20;
  const auto explain = [&](bool shown, const char* css, const char* meaning) {
    if (!shown)
      return;
    PathData sample;
    sample.move_to(x, y);
    sample.line_to(x + 30, y);
    out += path_of(css, sample) + text_at(x + 36, y + 4, meaning);
    x += 190;
  };
  explain(!f.routes.empty(), "route-key", "route that shows it");
  explain(unseen, "unseen-key", "link that nothing crossed");
  return out;
}

// Positions of the rows and cells of a heat map, in pixels. Neighbouring columns of the data share a cell
// when there are more than kMostCells.
struct HeatMapLayout {
  double left = 130;
  double top = 8;
  double width = 770;
  double row_height = 0;
  size_t cells = 0;    // across
  size_t columns = 0;  // of the data

  explicit HeatMapLayout(const HeatMapFigure& f)
      : row_height(std::clamp(480.0 / double(f.rows.size()), 6.0, 22.0)),
        cells(std::min(f.columns.size(), kMostCells)),
        columns(f.columns.size()) {
  }
  double y(size_t row) const {
    return top + row_height * double(row);
  }
  double right() const {
    return left + width;
  }
  double cell_width() const {
    return width / double(cells);
  }
  double x(size_t cell) const {
    return left + cell_width() * double(cell);
  }
  size_t first_column(size_t cell) const {
    return cell * columns / cells;
  }
};

// Returns one path a colour, which keeps the SVG of a large map small.
std::array<PathData, kColours> heat_paths(const HeatMapFigure& f, const HeatMapLayout& at, Extent extent) {
  std::array<PathData, kColours> paths;
  const double width = at.cell_width() + 0.3;
  for (size_t row = 0; row < f.rows.size(); ++row) {
    const double* values = &f.values[row * f.columns.size()];
    for (size_t c = 0; c < at.cells; ++c) {
      const double v = finite_maximum(values + at.first_column(c), values + at.first_column(c + 1));
      if (!std::isfinite(v))
        continue;
      PathData& path = paths[size_t(colour_class(v, extent))];
      path.move_to(at.x(c), at.y(row));
      path.horizontal_by(width);
      path.vertical_by(at.row_height - 0.5);
      path.horizontal_by(-width);
      path.close();
    }
  }
  return paths;
}

// Labels as many rows as there is room for, and outlines those that a finding names.
std::string heat_labels(const HeatMapFigure& f, const HeatMapLayout& at) {
  std::string labels;
  for (size_t row = 0; row < f.rows.size(); ++row) {
    const bool blamed = contains(f.blamed, f.rows[row]);
    const bool room = at.row_height >= 9 || row % 4 == 0;
    if (room || blamed) {
      const double middle = at.y(row) + at.row_height * 0.75;
      labels += cut_text_at(at.left - 6, middle, f.rows[row], 22, "end");
    }
    if (!blamed)
      continue;
    Element outline("rect");
    outline.set("class", "outline");
    outline.set("x", at.left);
    outline.set("y", at.y(row));
    outline.set("width", at.width);
    outline.set("height", at.row_height);
    labels += outline.empty();
  }
  return labels;
}

// True for a few columns that are numbered one by one, such as CPUs: each is named, and none lies between
// two.
bool are_counted(const std::vector<double>& columns) {
  constexpr size_t kMostNames = 24;
  for (size_t i = 1; i < columns.size(); ++i) {
    if (columns[i] != columns[i - 1] + 1)
      return false;
  }
  return columns.size() <= kMostNames && columns[0] == std::floor(columns[0]);
}

std::string column_names(const std::vector<double>& columns, const Scale& x, double y) {
  std::string labels;
  for (const double column : columns)
    labels += text_at(x(column), y, base::format_compact(column), "middle");
  return Element("g").set("class", "x-ticks").set("data-y", y).around(labels);
}

struct SpacePoint {
  double x = 0;
  double y = 0;
};

// Returns the i-th of n positions on a circle, from the top.
SpacePoint on_circle(size_t i, size_t n) {
  constexpr double kPi = 3.14159265358979;
  constexpr double kCentre = kGraphSize / 2;
  constexpr double kRadius = 220;
  const double angle = 2 * kPi * double(i) / double(n);
  return {kCentre + kRadius * std::sin(angle), kCentre - kRadius * std::cos(angle)};
}

// Returns a node of a graph.
std::string graph_node(const GraphFigure::Node& node, SpacePoint at, Extent extent) {
  Element circle("circle");
  circle.set("class", value_class(colour_class(node.value, extent)) + blame_class(node.blamed));
  circle.set("cx", at.x);
  circle.set("cy", at.y);
  circle.set("r", 9);
  const std::string drawn = circle.titled(node.label + ": " + base::format_number(node.value, 3));
  return drawn + text_at(at.x, at.y - 13, node.label, "middle");
}

}  // namespace

std::string draw(const MeshFigure& f, const std::string& title) {
  const double cell = std::clamp(860.0 / std::max({f.width, f.height, 1}), 12.0, 96.0);
  const MeshLayout at{cell, cell * 0.6};
  ExtentOf all;
  for (const auto& core : f.cores)
    all.add(core.value);
  for (const auto& link : f.links)
    all.add(link.value);
  const Extent extent = all.get_at_least_twofold();
  const double width = std::max(380.0, 40 + cell * f.width);
  const double scale = 38 + cell * f.height;  // where the legend of the colours begins
  const std::string dashes = dashes_legend(f, scale + 42);
  std::string out = open_svg(width, scale + (dashes.empty() ? 32 : 54), title);
  const std::vector<std::string> numbers = core_numbers(f);
  std::set<std::array<int, 4>> ends;
  for (const auto& link : f.links)
    ends.insert({link.from_x, link.from_y, link.to_x, link.to_y});
  std::string named;  // drawn last, so that no route covers what a finding names
  for (const auto& link : f.links) {
    const bool blamed = !f.blamed.empty() && link_blamed(f, numbers, link);
    const bool both = ends.contains({link.to_x, link.to_y, link.from_x, link.from_y});
    (blamed ? named : out) +=
        link_line(link, at, "link " + value_class(link.value, extent) + blame_class(blamed), both);
  }
  for (const auto& route : f.routes)
    out += route_line(route, at);
  out += named;
  for (const auto& core : f.cores)
    out += core_box(f, core, at, extent);
  return out + value_legend(20, scale, extent, f.value_name) + dashes + "</svg>";
}

std::string draw(const HeatMapFigure& f, const std::string& title) {
  if (f.rows.empty() || f.columns.empty())
    return {};
  const HeatMapLayout at(f);
  ExtentOf all;
  all.add(f.values);
  const bool counted = are_counted(f.columns);
  const double aside = counted ? 0.5 : 0;  // a cell lies around the number of its column
  const double first = f.columns.front() - aside;
  const double last = std::max(f.columns.back() + aside, first + 1e-9);
  const Scale x({first, last}, at.left, at.right());
  const double bottom = at.y(f.rows.size());
  std::string out = open_svg(920, bottom + 74, title);
  out += open_plot({at.left, at.top, at.width, bottom - at.top, f.x_name, nullptr, &f.rows}, x);
  const auto paths = heat_paths(f, at, all.get());
  for (size_t q = 0; q < paths.size(); ++q)
    out += path_of(value_class(int(q)), paths[q]);
  out += "</svg>";
  out += counted ? column_names(f.columns, x, bottom + 15) : x_ticks(x, bottom + 15);
  out += heat_labels(f, at);
  out += text_at(at.left + at.width / 2, bottom + 32, f.x_name, "middle");
  out += value_legend(at.left, bottom + 42, all.get(), f.value_name);
  return out + "</svg>";
}

std::string draw(const GraphFigure& f, const std::string& title) {
  ExtentOf values;
  for (const auto& node : f.nodes)
    values.add(node.value);
  std::map<std::string, SpacePoint> places;
  std::string nodes;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const auto& node = f.nodes[i];
    const SpacePoint at = on_circle(i, f.nodes.size());
    places[node.id] = at;
    nodes += graph_node(node, at, values.get());
  }
  std::string edges;
  for (const auto& edge : f.edges) {
    const auto from = places.find(edge.from);
    const auto to = places.find(edge.to);
    if (from == places.end() || to == places.end())
      continue;
    PathData line;
    line.move_to(from->second.x, from->second.y);
    line.line_to(to->second.x, to->second.y);
    edges += path_of("edge", line);
  }
  std::string out = open_svg(kGraphSize, kGraphSize + 40, title);
  out += edges;
  out += nodes;
  out += value_legend(20, kGraphSize + 4, values.get(), f.value_name);
  return out + "</svg>";
}

}  // namespace lento::report
