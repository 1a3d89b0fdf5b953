// Checks that the lengths inside figures agree. The report indexes lists by each other's lengths, and a
// figure that was read from a file may claim any shape.
#include <variant>

#include "finding/finding.h"

namespace lento::finding {
namespace {

using base::Error;
using base::Location;

void need(bool agrees, const Location& where, const char* what) {
  if (!agrees)
    throw Error(where, std::string("lengths do not agree: ") + what);
}

void check(const MeshFigure& f, const Location& where) {
  need(
      f.width >= 0 && f.height >= 0 && f.width <= 4096 && f.height <= 4096,
      where,
      "a mesh is at most 4096 wide and high");
  for (const auto& c : f.cores)
    need(c.x >= 0 && c.y >= 0 && c.x < f.width && c.y < f.height, where, "a core lies outside the mesh");
}
void check(const HeatMapFigure& f, const Location& where) {
  need(f.values.size() == f.rows.size() * f.columns.size(), where, "values must be rows times columns");
}
void check(const SeriesFigure& f, const Location& where) {
  for (const auto& line : f.lines)
    need(line.x.size() == line.y.size(), where, "x and y of a line");
  for (const auto& b : f.bands)
    need(b.x.size() == b.low.size() && b.x.size() == b.high.size(), where, "x, low and high of a band");
}
void check(const BarsFigure& f, const Location& where) {
  need(f.values.size() == f.series.size(), where, "one list of values for each series");
  for (const auto& v : f.values)
    need(v.size() == f.categories.size(), where, "one value for each category");
}
void check(const TableFigure& f, const Location& where) {
  for (const auto& row : f.rows)
    need(row.size() == f.columns.size(), where, "one cell for each column");
}
void check(const TimelineFigure&, const Location&) {
}
void check(const GraphFigure&, const Location&) {
}
void check(const ScatterFigure&, const Location&) {
}

}  // namespace

void check_shapes(const Diagnosis& diagnosis, const Location& where) {
  for (size_t i = 0; i < diagnosis.figures.size(); ++i) {
    const Location place = base::child(base::child(where, "figures"), i);
    std::visit(
        [&](const auto& body) {
          check(body, place);
        },
        diagnosis.figures[i].body);
  }
}

}  // namespace lento::finding
