// Every figure as a table: the same numbers for readers without pictures, for CSV and for screen readers.
#include <cmath>

#include "base/units.h"
#include "report/figures.h"

namespace lento::report {
namespace {

using namespace finding;

// Where something is: a coordinate, a time, a bin. Neighbours must stay apart.
std::string place(double value) {
  return base::format_number(value, 6);
}

struct Form {
  size_t most;  // rows
  int digits;   // of what was measured

  std::string measured(double value) const {
    const bool count = value == std::trunc(value) && std::fabs(value) < 1e15;
    return base::format_number(value, count ? 15 : digits);
  }
};

bool full(const TableFigure& t, const Form& form) {
  return t.rows.size() >= form.most;
}

TableFigure table(const MeshFigure& f, const Form& form) {
  TableFigure t{{"component", "x", "y", f.value_name.empty() ? "value" : f.value_name}, {}};
  for (const auto& c : f.cores)
    t.rows.push_back({c.label, std::to_string(c.x), std::to_string(c.y), form.measured(c.value)});
  for (const auto& l : f.links) {
    const auto at = [](int x, int y) {
      return "(" + std::to_string(x) + "," + std::to_string(y) + ")";
    };
    t.rows.push_back(
        {"link " + at(l.from_x, l.from_y) + " to " + at(l.to_x, l.to_y),
         std::to_string(l.from_x),
         std::to_string(l.from_y),
         form.measured(l.value)});
  }
  return t;
}

TableFigure table(const HeatMapFigure& f, const Form& form) {
  TableFigure t{
      {"row", f.x_name.empty() ? "x" : f.x_name, f.value_name.empty() ? "value" : f.value_name},
      {}};
  for (size_t r = 0; r < f.rows.size(); ++r) {
    for (size_t c = 0; c < f.columns.size() && !full(t, form); ++c) {
      t.rows.push_back({f.rows[r], place(f.columns[c]), form.measured(f.values[r * f.columns.size() + c])});
    }
  }
  return t;
}

TableFigure table(const SeriesFigure& f, const Form& form) {
  TableFigure t{{"line", f.x_name, f.y_name, "high"}, {}};
  for (const auto& line : f.lines) {
    for (size_t i = 0; i < line.x.size() && !full(t, form); ++i)
      t.rows.push_back({line.name, place(line.x[i]), form.measured(line.y[i]), ""});
  }
  for (const auto& band : f.bands) {
    for (size_t i = 0; i < band.x.size() && !full(t, form); ++i)
      t.rows.push_back(
          {band.name, place(band.x[i]), form.measured(band.low[i]), form.measured(band.high[i])});
  }
  return t;
}

TableFigure table(const TimelineFigure& f, const Form&) {
  TableFigure t{{"track", "begin", "end", "label"}, {}};
  for (const auto& s : f.spans)
    t.rows.push_back({s.track, place(s.begin), place(s.end), s.label});
  return t;
}

TableFigure table(const BarsFigure& f, const Form& form) {
  TableFigure t{{""}, {}};
  t.columns.insert(t.columns.end(), f.series.begin(), f.series.end());
  for (size_t c = 0; c < f.categories.size(); ++c) {
    std::vector<std::string> row{f.categories[c]};
    for (const auto& values : f.values)
      row.push_back(form.measured(values[c]));
    t.rows.push_back(std::move(row));
  }
  return t;
}

TableFigure table(const GraphFigure& f, const Form& form) {
  TableFigure t{{"from", "to", "value"}, {}};
  for (const auto& n : f.nodes)
    t.rows.push_back({n.label, "", form.measured(n.value)});
  for (const auto& e : f.edges)
    t.rows.push_back({e.from, e.to, form.measured(e.value)});
  return t;
}

TableFigure table(const ScatterFigure& f, const Form& form) {
  TableFigure t{{"group", "label", f.x_name, f.y_name}, {}};
  for (const auto& g : f.groups) {
    for (const auto& p : g.points)
      t.rows.push_back({g.name, p.label, form.measured(p.x), form.measured(p.y)});
  }
  return t;
}

TableFigure table(const TableFigure& f, const Form&) {
  return f;
}

}  // namespace

TableFigure as_table(const FigureBody& body, size_t most, int digits) {
  const Form form{most, digits};
  TableFigure t = std::visit(
      [&](const auto& figure) {
        return table(figure, form);
      },
      body);
  if (t.rows.size() > most)
    t.rows.resize(most);
  return t;
}

}  // namespace lento::report
