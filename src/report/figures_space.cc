// Pictures of places: the mesh of a chip, machines over time, a graph.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "report/figures.h"
#include "report/reduce.h"
#include "report/svg.h"

namespace lento::report {
namespace {

using finding::GraphFigure;
using finding::HeatMapFigure;
using finding::MeshFigure;

// Blamed subjects are drawn by name: "core5" outlines the core labelled so, "link5-9" the link between them.
bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

struct MeshLayout {
  // pitch and side, pixels
  double cell;
  double core;
  double x(int column) const {
    return 20 + cell * column;
  }
  double y(int row) const {
    return 20 + cell * row;
  }
  double centre() const {
    return core / 2;
  }
};

// The two directions of a link lie side by side, each to the right of its own travel.
std::string link_line(const MeshFigure::Link& link, const MeshLayout& at, const std::string& classes) {
  const double dx = link.to_x - link.from_x;
  const double dy = link.to_y - link.from_y;
  const double length = std::max(std::hypot(dx, dy), 1e-9);
  const double side = at.core * 0.12;
  const double gap = at.core * 0.5;
  const double ux = dx / length;
  const double uy = dy / length;
  const double x0 = at.x(link.from_x) + at.centre() - uy * side;
  const double y0 = at.y(link.from_y) + at.centre() + ux * side;
  const double x1 = at.x(link.to_x) + at.centre() - uy * side;
  const double y1 = at.y(link.to_y) + at.centre() + ux * side;
  const auto place = [](int x, int y) {
    return std::to_string(x) + "," + std::to_string(y);
  };
  return "<path class=\"" + classes + "\" data-from=\"" + place(link.from_x, link.from_y) + "\" data-to=\"" +
         place(link.to_x, link.to_y) + "\" d=\"M" + px(x0 + ux * gap) + " " + px(y0 + uy * gap) + "L" +
         px(x1 - ux * gap) + " " + px(y1 - uy * gap) + "\"><title>" + place(link.from_x, link.from_y) +
         " to " + place(link.to_x, link.to_y) + ": " + base::format_number(link.value, 3) + "</title></path>";
}

// The number of the core at each place ("core12" -> "12"), for matching "link5-9" to its two ends.
std::vector<std::string> core_numbers(const MeshFigure& f) {
  std::vector<std::string> numbers(size_t(f.width) * size_t(f.height));
  for (const auto& core : f.cores) {
    const size_t digit = core.label.find_first_of("0123456789");
    numbers[size_t(core.y * f.width + core.x)] =
        digit == std::string::npos ? core.label : core.label.substr(digit);
  }
  return numbers;
}

// "link5-9" blames both directions between cores 5 and 9.
bool link_blamed(const MeshFigure& f, const std::vector<std::string>& numbers, const MeshFigure::Link& link) {
  const auto number = [&](int x, int y) {
    const bool inside = x >= 0 && y >= 0 && x < f.width && y < f.height;
    return inside ? numbers[size_t(y * f.width + x)] : std::string();
  };
  const std::string a = number(link.from_x, link.from_y);
  const std::string b = number(link.to_x, link.to_y);
  return contains(f.blamed, "link" + a + "-" + b) || contains(f.blamed, "link" + b + "-" + a);
}

std::string core_box(const MeshFigure& f, const MeshFigure::Core& core, const MeshLayout& at, Extent extent) {
  const bool blamed = contains(f.blamed, core.label);
  std::string out = "<rect data-x=\"" + std::to_string(core.x) + "\" data-y=\"" + std::to_string(core.y) +
                    "\" class=\"core q" + std::to_string(colour_class(core.value, extent)) +
                    (blamed ? " blame" : "") + "\" x=\"" + px(at.x(core.x)) + "\" y=\"" + px(at.y(core.y)) +
                    "\" width=\"" + px(at.core) + "\" height=\"" + px(at.core) + "\" rx=\"3\"><title>" +
                    escape(core.label) + ": " + base::format_number(core.value, 3) + "</title></rect>";
  if (at.core < 28)
    return out;
  return out + "<text class=\"" + (colour_class(core.value, extent) > 6 ? "on-dark" : "on") + "\" x=\"" +
         px(at.x(core.x) + at.centre()) + "\" y=\"" + px(at.y(core.y) + at.centre() + 4) +
         "\" text-anchor=\"middle\">" + escape(core.label) + "</text>";
}

std::string route_line(const MeshFigure::Route& route, const MeshLayout& at) {
  std::string d;
  for (const auto& [x, y] : route.hops) {
    d += (d.empty() ? "M" : "L") + px(at.x(x) + at.centre()) + " " + px(at.y(y) + at.centre());
  }
  return "<path class=\"route\" d=\"" + d + "\"><title>" + escape(route.label) + "</title></path>";
}

}  // namespace

std::string draw(const MeshFigure& f, const std::string& title) {
  const double cell = std::clamp(860.0 / std::max({f.width, f.height, 1}), 12.0, 96.0);
  const MeshLayout at{cell, cell * 0.6};
  ExtentOf cores;
  ExtentOf links;
  for (const auto& core : f.cores)
    cores.add(core.value);
  for (const auto& link : f.links)
    links.add(link.value);
  const double width = std::max(380.0, 40 + cell * f.width);
  const double height = 70 + cell * f.height;
  std::string out = open_svg(width, height, title);
  const std::vector<std::string> numbers = core_numbers(f);
  for (const auto& link : f.links) {
    const std::string q = "q" + std::to_string(colour_class(link.value, links.get()));
    out += link_line(
        link,
        at,
        "link " + q + (!f.blamed.empty() && link_blamed(f, numbers, link) ? " blame" : ""));
  }
  for (const auto& core : f.cores)
    out += core_box(f, core, at, cores.get());
  for (const auto& route : f.routes)
    out += route_line(route, at);
  return out + value_legend(20, height - 32, cores.get(), f.value_name) + "</svg>";
}

std::string draw(const HeatMapFigure& f, const std::string& title) {
  if (f.rows.empty() || f.columns.empty())
    return {};
  constexpr double kLeft = 130;
  constexpr double kWidth = 770;
  const size_t columns = std::min<size_t>(f.columns.size(), 180);
  const auto edge = [&](size_t c) {
    return c * f.columns.size() / columns;
  };
  const double row_height = std::clamp(480.0 / double(f.rows.size()), 6.0, 22.0);
  const double cell = kWidth / double(columns);
  ExtentOf all;
  all.add(f.values);
  std::vector<std::string> paths(9);  // one path a colour keeps a large map small
  std::string labels;
  for (size_t row = 0; row < f.rows.size(); ++row) {
    const double y = 8 + row_height * double(row);
    const double* values = &f.values[row * f.columns.size()];
    for (size_t c = 0; c < columns; ++c) {
      const double v = finite_maximum(values + edge(c), values + edge(c + 1));
      if (!std::isfinite(v))
        continue;
      paths[size_t(colour_class(v, all.get()))] += "M" + px(kLeft + cell * double(c)) + " " + px(y) + "h" +
                                                   px(cell + 0.3) + "v" + px(row_height - 0.5) + "h-" +
                                                   px(cell + 0.3) + "z";
    }
    const bool blamed = contains(f.blamed, f.rows[row]);
    if (row_height >= 9 || blamed || row % 4 == 0)
      labels += cut_text_at(kLeft - 6, y + row_height * 0.75, f.rows[row], 22, "end");
    if (blamed) {
      labels += "<rect class=\"outline\" x=\"" + px(kLeft) + "\" y=\"" + px(y) + "\" width=\"" + px(kWidth) +
                "\" height=\"" + px(row_height) + "\"/>";
    }
  }
  const double bottom = 8 + row_height * double(f.rows.size());
  const Scale x(
      {f.columns.front(), std::max(f.columns.back(), f.columns.front() + 1e-9)},
      kLeft,
      kLeft + kWidth);
  std::string out = open_svg(920, bottom + 74, title);
  out += open_plot({kLeft, 8, kWidth, bottom - 8, f.x_name, nullptr, &f.rows}, x);
  for (size_t q = 0; q < paths.size(); ++q)
    out += "<path class=\"q" + std::to_string(q) + "\" d=\"" + paths[q] + "\"/>";
  return out + "</svg>" + x_ticks(x, bottom + 15) + labels +
         text_at(kLeft + kWidth / 2, bottom + 32, f.x_name, "middle") +
         value_legend(kLeft, bottom + 42, all.get(), f.value_name) + "</svg>";
}

std::string draw(const GraphFigure& f, const std::string& title) {
  constexpr double kSize = 560;
  constexpr double kPi = 3.14159265358979;
  std::map<std::string, std::pair<double, double>> at;
  std::string nodes;
  std::string edges;
  ExtentOf values;
  for (const auto& node : f.nodes)
    values.add(node.value);
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const auto& node = f.nodes[i];
    const double angle = 2 * kPi * double(i) / double(f.nodes.size());
    const double x = kSize / 2 + 220 * std::sin(angle);
    const double y = kSize / 2 - 220 * std::cos(angle);
    at[node.id] = {x, y};
    nodes += "<circle class=\"q" + std::to_string(colour_class(node.value, values.get())) +
             (node.blamed ? " blame" : "") + "\" cx=\"" + px(x) + "\" cy=\"" + px(y) + "\" r=\"9\"><title>" +
             escape(node.label) + ": " + base::format_number(node.value, 3) + "</title></circle>" +
             text_at(x, y - 13, node.label, "middle");
  }
  for (const auto& edge : f.edges) {
    const auto from = at.find(edge.from);
    const auto to = at.find(edge.to);
    if (from == at.end() || to == at.end())
      continue;
    edges += "<path class=\"edge\" d=\"M" + px(from->second.first) + " " + px(from->second.second) + "L" +
             px(to->second.first) + " " + px(to->second.second) + "\"/>";
  }
  return open_svg(kSize, kSize + 40, title) + edges + nodes +
         value_legend(20, kSize + 4, values.get(), f.value_name) + "</svg>";
}

}  // namespace lento::report
