// Every figure as a table: the same numbers for readers without pictures, for CSV and for screen readers.
#include "base/units.h"
#include "report/figures.h"

namespace lento::report {
namespace {

using namespace finding;

std::string number(double value) {
  return base::format_number(value, 6);
}

bool full(const TableFigure& t, size_t most) {
  return t.rows.size() >= most;
}

TableFigure table(const MeshFigure& f, size_t) {
  TableFigure t{{"component", "x", "y", f.value_name.empty() ? "value" : f.value_name}, {}};
  for (const auto& c : f.cores)
    t.rows.push_back({c.label, std::to_string(c.x), std::to_string(c.y), number(c.value)});
  for (const auto& l : f.links) {
    const auto at = [](int x, int y) {
      return "(" + std::to_string(x) + "," + std::to_string(y) + ")";
    };
    t.rows.push_back(
        {"link " + at(l.from_x, l.from_y) + " to " + at(l.to_x, l.to_y),
         std::to_string(l.from_x),
         std::to_string(l.from_y),
         number(l.value)});
  }
  return t;
}

TableFigure table(const HeatMapFigure& f, size_t most) {
  TableFigure t{
      {"row", f.x_name.empty() ? "x" : f.x_name, f.value_name.empty() ? "value" : f.value_name},
      {}};
  for (size_t r = 0; r < f.rows.size(); ++r) {
    for (size_t c = 0; c < f.columns.size() && !full(t, most); ++c) {
      t.rows.push_back({f.rows[r], number(f.columns[c]), number(f.values[r * f.columns.size() + c])});
    }
  }
  return t;
}

TableFigure table(const SeriesFigure& f, size_t most) {
  TableFigure t{{"line", f.x_name, f.y_name, "high"}, {}};
  for (const auto& line : f.lines) {
    for (size_t i = 0; i < line.x.size() && !full(t, most); ++i)
      t.rows.push_back({line.name, number(line.x[i]), number(line.y[i]), ""});
  }
  for (const auto& band : f.bands) {
    for (size_t i = 0; i < band.x.size() && !full(t, most); ++i)
      t.rows.push_back({band.name, number(band.x[i]), number(band.low[i]), number(band.high[i])});
  }
  return t;
}

TableFigure table(const TimelineFigure& f, size_t) {
  TableFigure t{{"track", "begin", "end", "label"}, {}};
  for (const auto& s : f.spans)
    t.rows.push_back({s.track, number(s.begin), number(s.end), s.label});
  return t;
}

TableFigure table(const BarsFigure& f, size_t) {
  TableFigure t{{""}, {}};
  t.columns.insert(t.columns.end(), f.series.begin(), f.series.end());
  for (size_t c = 0; c < f.categories.size(); ++c) {
    std::vector<std::string> row{f.categories[c]};
    for (const auto& values : f.values)
      row.push_back(number(values[c]));
    t.rows.push_back(std::move(row));
  }
  return t;
}

TableFigure table(const GraphFigure& f, size_t) {
  TableFigure t{{"from", "to", "value"}, {}};
  for (const auto& n : f.nodes)
    t.rows.push_back({n.label, "", number(n.value)});
  for (const auto& e : f.edges)
    t.rows.push_back({e.from, e.to, number(e.value)});
  return t;
}

TableFigure table(const ScatterFigure& f, size_t) {
  TableFigure t{{"group", "label", f.x_name, f.y_name}, {}};
  for (const auto& g : f.groups) {
    for (const auto& p : g.points)
      t.rows.push_back({g.name, p.label, number(p.x), number(p.y)});
  }
  return t;
}

TableFigure table(const TableFigure& f, size_t) {
  return f;
}

}  // namespace

TableFigure as_table(const FigureBody& body, size_t most) {
  TableFigure t = std::visit(
      [&](const auto& figure) {
        return table(figure, most);
      },
      body);
  if (t.rows.size() > most)
    t.rows.resize(most);
  return t;
}

}  // namespace lento::report
