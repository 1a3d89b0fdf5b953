// Converts every figure to a table, so that readers without pictures, screen readers and spreadsheets get the
// same numbers.
#include <cmath>

#include "base/units.h"
#include "report/figures.h"

namespace lento::report {
namespace {

using namespace finding;

// Formats a position (a coordinate, a time, a bin) with enough digits to keep neighbours apart.
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

std::string name_or(const std::string& name, const char* fallback) {
  if (name.empty())
    return fallback;
  return name;
}

std::string coordinates_text(int x, int y) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + ")";
}

bool full(const TableFigure& t, const Form& form) {
  return t.rows.size() >= form.most;
}

TableFigure table(const MeshFigure& f, const Form& form) {
  TableFigure t;
  t.columns = {"component", "x", "y", name_or(f.value_name, "value")};
  const auto add = [&](const std::string& component, int x, int y, double value) {
    const std::string text = std::isnan(value) ? "not seen" : form.measured(value);
    t.rows.push_back({component, std::to_string(x), std::to_string(y), text});
  };
  for (const auto& core : f.cores)
    add(core.label, core.x, core.y, core.value);
  for (const auto& link : f.links) {
    const std::string from = coordinates_text(link.from_x, link.from_y);
    const std::string to = coordinates_text(link.to_x, link.to_y);
    add("link " + from + " to " + to, link.from_x, link.from_y, link.value);
  }
  return t;
}

TableFigure table(const HeatMapFigure& f, const Form& form) {
  TableFigure t;
  t.columns = {"row", name_or(f.x_name, "x"), name_or(f.value_name, "value")};
  auto value = f.values.begin();
  for (const std::string& row : f.rows) {
    for (const double column : f.columns) {
      if (full(t, form))
        return t;
      t.rows.push_back({row, place(column), form.measured(*value)});
      ++value;
    }
  }
  return t;
}

TableFigure table(const SeriesFigure& f, const Form& form) {
  TableFigure t;
  t.columns = {"line", f.x_name, f.y_name, "high"};
  for (const auto& line : f.lines) {
    for (size_t i = 0; i < line.x.size() && !full(t, form); ++i)
      t.rows.push_back({line.name, place(line.x[i]), form.measured(line.y[i]), ""});
  }
  for (const auto& band : f.bands) {
    for (size_t i = 0; i < band.x.size() && !full(t, form); ++i) {
      const std::string low = form.measured(band.low[i]);
      const std::string high = form.measured(band.high[i]);
      t.rows.push_back({band.name, place(band.x[i]), low, high});
    }
  }
  return t;
}

TableFigure table(const TimelineFigure& f, const Form&) {
  TableFigure t;
  t.columns = {"track", "begin", "end", "label"};
  for (const auto& s : f.spans)
    t.rows.push_back({s.track, place(s.begin), place(s.end), s.label});
  return t;
}

TableFigure table(const BarsFigure& f, const Form& form) {
  TableFigure t;
  t.columns = {""};
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
  TableFigure t;
  t.columns = {"from", "to", "value"};
  for (const auto& n : f.nodes)
    t.rows.push_back({n.label, "", form.measured(n.value)});
  for (const auto& e : f.edges)
    t.rows.push_back({e.from, e.to, form.measured(e.value)});
  return t;
}

TableFigure table(const ScatterFigure& f, const Form& form) {
  TableFigure t;
  t.columns = {"group", "label", f.x_name, f.y_name};
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
