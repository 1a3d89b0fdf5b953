// Figures as data: a few kinds that detectors fill and `report` draws. A new detector needs no change in the
// report.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lento::finding {

// Cores of a 2-D mesh and the directed links between neighbours, each with a value.
struct MeshFigure {
  struct Core {
    int x = 0;
    int y = 0;
    double value = 0;
    std::string label;
  };
  struct Link {
    int from_x = 0;
    int from_y = 0;
    int to_x = 0;
    int to_y = 0;
    double value = 0;
  };
  struct Route {
    std::vector<std::pair<int, int>> hops;
    std::string label;
  };
  int width = 0;
  int height = 0;
  std::string value_name;  // what core and link values mean, with unit
  std::vector<Core> cores;
  std::vector<Link> links;
  std::vector<Route> routes;        // evidence: routes to draw over the mesh
  std::vector<std::string> blamed;  // subjects to outline: "core5", "link5-9"
};

// A matrix of values[row * columns + column], where NaN means that there are no data.
struct HeatMapFigure {
  std::vector<std::string> rows;
  std::vector<double> columns;  // positions along x
  std::string x_name;
  std::string value_name;
  std::vector<double> values;
  std::vector<std::string> blamed;  // row names to outline
};

// Lines over a shared axis, with an optional band (the peers) behind them.
struct SeriesFigure {
  struct Line {
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
    bool blamed = false;
    bool dashed = false;
  };
  struct Band {
    std::string name;
    std::vector<double> x;
    std::vector<double> low;
    std::vector<double> high;
  };
  std::string x_name;
  std::string y_name;
  bool log_x = false;
  bool log_y = false;
  std::vector<Band> bands;
  std::vector<Line> lines;
  std::vector<double> marks;  // vertical markers on x
};

// Spans on named tracks.
struct TimelineFigure {
  struct Span {
    std::string track;
    double begin = 0;
    double end = 0;
    std::string label;
    bool blamed = false;
  };
  std::string x_name;
  std::vector<Span> spans;
};

// Bars, stacked when there are several series. values[series][category].
struct BarsFigure {
  std::vector<std::string> categories;
  std::vector<std::string> series;
  std::vector<std::vector<double>> values;
  std::string y_name;
};

struct GraphFigure {
  struct Node {
    std::string id;
    std::string label;
    double value = 0;
    bool blamed = false;
  };
  struct Edge {
    std::string from;
    std::string to;
    double value = 0;
  };
  std::string value_name;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

// Points in two dimensions, in groups, such as a Pareto front or a roofline.
struct ScatterFigure {
  struct Point {
    double x = 0;
    double y = 0;
    std::string label;
    bool blamed = false;
  };
  struct Group {
    std::string name;
    std::vector<Point> points;
    bool joined = false;
  };
  std::string x_name;
  std::string y_name;
  bool log_x = false;
  bool log_y = false;
  std::vector<Group> groups;
};

struct TableFigure {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

using FigureBody = std::variant<
    MeshFigure,
    HeatMapFigure,
    SeriesFigure,
    TimelineFigure,
    BarsFigure,
    GraphFigure,
    ScatterFigure,
    TableFigure>;

struct Figure {
  std::string title;
  std::string caption;  // what to see in it, one or two sentences
  FigureBody body;
};

}  // namespace lento::finding
