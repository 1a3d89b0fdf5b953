// Pictures of places: the mesh of a chip, machines over time, a graph.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "report/figures.h"
#include "report/svg.h"

namespace lento::report {
namespace {

using finding::GraphFigure;
using finding::HeatMapFigure;
using finding::MeshFigure;

// Blamed subjects are drawn by name: "core5" outlines the core labelled so, "link5-9" the link between them.
bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct MeshLayout {
  double cell, core;  // pitch and side, pixels
  double x(int column) const { return 20 + cell * column; }
  double y(int row) const { return 20 + cell * row; }
  double centre() const { return core / 2; }
};

// The two directions of a link lie side by side, each to the right of its own travel.
std::string link_line(const MeshFigure::Link& link, const MeshLayout& at, const std::string& classes) {
  const double dx = link.to_x - link.from_x, dy = link.to_y - link.from_y;
  const double length = std::max(std::hypot(dx, dy), 1e-9);
  const double side = at.core * 0.12, gap = at.core * 0.5;
  const double ux = dx / length, uy = dy / length;
  const double x0 = at.x(link.from_x) + at.centre() - uy * side,
               y0 = at.y(link.from_y) + at.centre() + ux * side;
  const double x1 = at.x(link.to_x) + at.centre() - uy * side, y1 = at.y(link.to_y) + at.centre() + ux * side;
  return "<path class=\"" + classes + "\" d=\"M" + px(x0 + ux * gap) + " " + px(y0 + uy * gap) + "L" +
         px(x1 - ux * gap) + " " + px(y1 - uy * gap) + "\"/>";
}

std::string label_of(const MeshFigure& f, int x, int y) {
  for (const auto& core : f.cores) {
    if (core.x == x && core.y == y) return core.label;
  }
  return {};
}

// "link5-9" blames both directions between the cores whose labels end in 5 and 9.
bool link_blamed(const MeshFigure& f, const MeshFigure::Link& link) {
  if (f.blamed.empty()) return false;
  const auto number = [](const std::string& label) {
    const size_t digit = label.find_first_of("0123456789");
    return digit == std::string::npos ? label : label.substr(digit);
  };
  const std::string a = number(label_of(f, link.from_x, link.from_y)),
                    b = number(label_of(f, link.to_x, link.to_y));
  return contains(f.blamed, "link" + a + "-" + b) || contains(f.blamed, "link" + b + "-" + a);
}

std::string core_box(const MeshFigure& f, const MeshFigure::Core& core, const MeshLayout& at, Extent extent) {
  const bool blamed = contains(f.blamed, core.label);
  std::string out = "<rect class=\"q" + std::to_string(colour_class(core.value, extent)) +
                    (blamed ? " blame" : "") + "\" x=\"" + px(at.x(core.x)) + "\" y=\"" + px(at.y(core.y)) +
                    "\" width=\"" + px(at.core) + "\" height=\"" + px(at.core) + "\" rx=\"3\"><title>" +
                    escape(core.label) + ": " + base::format_number(core.value, 3) + "</title></rect>";
  if (at.core < 28) return out;
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

// Rows to show: all when few, else bins of neighbouring rows (their maximum), and every blamed row in full.
std::vector<std::vector<size_t>> row_bins(const HeatMapFigure& f, size_t most) {
  std::vector<std::vector<size_t>> bins;
  const size_t per_bin = std::max<size_t>(1, (f.rows.size() + most - 1) / most);
  for (size_t row = 0; row < f.rows.size(); ++row) {
    if (per_bin > 1 && contains(f.blamed, f.rows[row]))
      bins.insert(bins.begin(), {row});
    else if (bins.empty() || bins.back().size() >= per_bin || contains(f.blamed, f.rows[bins.back()[0]]))
      bins.push_back({row});
    else
      bins.back().push_back(row);
  }
  return bins;
}

double bin_maximum(const HeatMapFigure& f, const std::vector<size_t>& rows, size_t from, size_t to) {
  double best = std::nan("");
  for (const size_t row : rows) {
    for (size_t c = from; c < to; ++c) {
      const double v = f.values[row * f.columns.size() + c];
      if (std::isfinite(v) && !(best >= v)) best = v;
    }
  }
  return best;
}

}  // namespace

std::string draw(const MeshFigure& f, const std::string& title) {
  const double cell = std::clamp(860.0 / std::max({f.width, f.height, 1}), 12.0, 96.0);
  const MeshLayout at{cell, cell * 0.6};
  ExtentOf cores, links;
  for (const auto& core : f.cores) cores.add(core.value);
  for (const auto& link : f.links) links.add(link.value);
  const double width = std::max(380.0, 40 + cell * f.width), height = 70 + cell * f.height;
  std::string out = open_svg(width, height, title);
  for (const auto& link : f.links) {
    const std::string q = "q" + std::to_string(colour_class(link.value, links.get()));
    out += link_line(link, at, "link " + q + (link_blamed(f, link) ? " blame" : ""));
  }
  for (const auto& core : f.cores) out += core_box(f, core, at, cores.get());
  for (const auto& route : f.routes) out += route_line(route, at);
  return out + value_legend(20, height - 32, cores.get(), f.value_name) + "</svg>";
}

std::string draw(const HeatMapFigure& f, const std::string& title) {
  if (f.rows.empty() || f.columns.empty()) return {};
  const auto bins = row_bins(f, 72);
  const size_t columns = std::min<size_t>(f.columns.size(), 180);
  const double row_height = std::clamp(480.0 / static_cast<double>(bins.size()), 6.0, 22.0);
  const double left = 130, cell = 770.0 / static_cast<double>(columns);
  ExtentOf all;
  all.add(f.values);
  std::vector<std::string> paths(9);  // one path a colour keeps a large map small
  std::string labels;
  for (size_t b = 0; b < bins.size(); ++b) {
    const double y = 8 + row_height * static_cast<double>(b);
    for (size_t c = 0; c < columns; ++c) {
      const double v =
          bin_maximum(f, bins[b], c * f.columns.size() / columns, (c + 1) * f.columns.size() / columns);
      if (!std::isfinite(v)) continue;
      paths[static_cast<size_t>(colour_class(v, all.get()))] +=
          "M" + px(left + cell * static_cast<double>(c)) + " " + px(y) + "h" + px(cell + 0.3) + "v" +
          px(row_height - 0.5) + "h-" + px(cell + 0.3) + "z";
    }
    const bool blamed = bins[b].size() == 1 && contains(f.blamed, f.rows[bins[b][0]]);
    if (row_height >= 9 || blamed || b % 4 == 0) {
      const std::string more = bins[b].size() > 1 ? " +" + std::to_string(bins[b].size() - 1) : "";
      labels += text_at(left - 6, y + row_height * 0.75, f.rows[bins[b][0]].substr(0, 18) + more, "end");
    }
    if (blamed)
      labels += "<rect class=\"outline\" x=\"" + px(left) + "\" y=\"" + px(y) + "\" width=\"770\" height=\"" +
                px(row_height) + "\"/>";
  }
  const double bottom = 8 + row_height * static_cast<double>(bins.size());
  std::string out = open_svg(920, bottom + 74, title);
  for (size_t q = 0; q < paths.size(); ++q)
    out += "<path class=\"q" + std::to_string(q) + "\" d=\"" + paths[q] + "\"/>";
  const Scale x({f.columns.front(), std::max(f.columns.back(), f.columns.front() + 1e-9)}, left, left + 770);
  for (const double t : x.ticks(8)) labels += text_at(x(t), bottom + 15, base::format_number(t, 7), "middle");
  return out + labels + text_at(left + 385, bottom + 32, f.x_name, "middle") +
         value_legend(left, bottom + 42, all.get(), f.value_name) + "</svg>";
}

std::string draw(const GraphFigure& f, const std::string& title) {
  constexpr double kSize = 560, kPi = 3.14159265358979;
  std::map<std::string, std::pair<double, double>> at;
  std::string nodes, edges;
  ExtentOf values;
  for (const auto& node : f.nodes) values.add(node.value);
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const auto& node = f.nodes[i];
    const double angle = 2 * kPi * static_cast<double>(i) / static_cast<double>(f.nodes.size());
    const double x = kSize / 2 + 220 * std::sin(angle), y = kSize / 2 - 220 * std::cos(angle);
    at[node.id] = {x, y};
    nodes += "<circle class=\"q" + std::to_string(colour_class(node.value, values.get())) +
             (node.blamed ? " blame" : "") + "\" cx=\"" + px(x) + "\" cy=\"" + px(y) + "\" r=\"9\"/>" +
             text_at(x, y - 13, node.label, "middle");
  }
  for (const auto& edge : f.edges) {
    const auto from = at.find(edge.from), to = at.find(edge.to);
    if (from == at.end() || to == at.end()) continue;
    edges += "<path class=\"edge\" d=\"M" + px(from->second.first) + " " + px(from->second.second) + "L" +
             px(to->second.first) + " " + px(to->second.second) + "\"/>";
  }
  return open_svg(kSize, kSize + 40, title) + edges + nodes +
         value_legend(20, kSize + 4, values.get(), f.value_name) + "</svg>";
}

}  // namespace lento::report
