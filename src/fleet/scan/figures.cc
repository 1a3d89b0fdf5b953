// Draws pictures with which a reader can check a verdict. They show means of the record over columns of equal
// length, so that each value can be recomputed from the samples.
#include "fleet/scan/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evidence/sample.h"
#include "fleet/scan/notes.h"

namespace lento::fleet {
namespace {

constexpr size_t kColumns = 128;
constexpr size_t kRows = 64;       // machines of the heat map
constexpr double kMostShown = 10;  // multiples of the threshold from which the colour stays the same

size_t steps_a_column(const MetricSeries& s) {
  return std::max<size_t>(1, (s.steps + kColumns - 1) / kColumns);
}

}  // namespace

// Adds a picture of one metric over time: the machines, and the range of their peers.
void add_picture(const View& v, const Picture& p, finding::Diagnosis& d) {
  const MetricSeries& s = v.series;
  const std::string name = list_of(s, p.machines);
  finding::SeriesFigure figure;
  figure.x_name = "time, s";
  figure.y_name = s.metrics[p.metric];
  finding::SeriesFigure::Band peers{"peers, 10 to 90 %", {}, {}, {}};
  finding::SeriesFigure::Line middle{"peer median", {}, {}, false, true};
  finding::SeriesFigure::Line line{name, {}, {}, true, false};
  const size_t width = steps_a_column(s);
  for (size_t begin = 0; begin < s.steps; begin += width) {
    const Span span{begin, std::min(begin + width, s.steps)};
    std::vector<double> levels;
    for (const size_t m : p.peers) {
      const double level = mean_of(s, p.metric, std::vector<size_t>{m}, span);
      if (!std::isnan(level))
        levels.push_back(level);
    }
    const double own = mean_of(s, p.metric, p.machines, span);
    if (levels.empty() || std::isnan(own))
      continue;
    std::ranges::sort(levels);
    const double x = seconds(s.time_ms(begin));
    peers.x.push_back(x);
    peers.low.push_back(levels[levels.size() / 10]);
    peers.high.push_back(levels[levels.size() - 1 - levels.size() / 10]);
    middle.x.push_back(x);
    middle.y.push_back(levels[levels.size() / 2]);
    line.x.push_back(x);
    line.y.push_back(own);
  }
  if (line.x.size() < 2)
    return;
  figure.bands = {peers};
  figure.lines = {middle, line};
  figure.marks = {seconds(s.time_ms(p.span.begin)), seconds(s.time_ms(p.span.end - 1))};
  d.figures.push_back(
      {name + ": " + s.metrics[p.metric] + " against its peers",
       "Marks: begin and end of the finding. Means of the samples.",
       std::move(figure)});
}

void add_heat_map(const View& v, finding::Diagnosis& d) {
  const MetricSeries& s = v.series;
  const size_t width = steps_a_column(s);
  const size_t columns = (s.steps + width - 1) / width;
  if (columns < 2)
    return;
  std::vector<std::vector<double>> value(s.machines.size(), std::vector<double>(columns, 0));
  for (const Sensitivity& finest : v.scan.sensitivity()) {
    if (v.scan.kind(finest.metric) == Kind::FewValued)
      continue;
    for (const auto& group : v.scan.groups()) {
      const auto residuals = residuals_of_group(s, v.scan.scale(finest.metric), finest.metric, group);
      for (size_t i = 0; i < group.size(); ++i) {
        const std::span own(residuals[i]);
        const double usual = mean_there(own);
        for (size_t c = 0; c < columns; ++c) {
          const double level = mean_there(own.subspan(c * width, std::min(width, s.steps - c * width)));
          const double size = std::abs(level - usual) / finest.shift;
          if (!std::isnan(size))
            value[group[i]][c] = std::max(value[group[i]][c], size);
        }
      }
    }
  }
  std::vector<size_t> order(s.machines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return std::ranges::max(value[a]) > std::ranges::max(value[b]);
  });
  order.resize(std::min(order.size(), kRows));
  finding::HeatMapFigure map;
  map.x_name = "time, s";
  map.value_name = "deviation / what would be named";
  for (size_t c = 0; c < columns; ++c)
    map.columns.push_back(seconds(s.time_ms(c * width)));
  for (const size_t m : order) {
    map.rows.push_back(s.machines[m]);
    for (const double x : value[m])
      map.values.push_back(std::min(x, kMostShown));
  }
  for (const Episode& e : v.scan.episodes()) {
    if (e.what != Episode::What::Machines)
      continue;
    for (const Member& m : e.members)
      map.blamed.push_back(s.machines[m.machine]);
  }
  const std::string shown = s.machines.size() > kRows
                                ? "The " + std::to_string(kRows) + " most deviating of " +
                                      std::to_string(s.machines.size()) + " machines. "
                                : "";
  d.figures.push_back(
      {"Fleet over time",
       shown + "Values over 10 are shown as 10; named machines are outlined.",
       std::move(map)});
}

}  // namespace lento::fleet
