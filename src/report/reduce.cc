// Reduces figures to what a page can show. A fleet has thousands of machines and metrics have millions of
// samples, but a screen has a thousand pixels. Bins keep the maximum and steps keep lowest and highest
// values, because outliers are what a reader looks for.
#include "report/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace lento::report {
double finite_maximum(const double* begin, const double* end) {
  double best = std::nan("");
  for (const double* v = begin; v != end; ++v)
    if (std::isfinite(*v) && !(best >= *v))
      best = *v;
  return best;
}

namespace {

using namespace finding;

constexpr size_t kMostRows = 96;
constexpr size_t kMostColumns = 900;
constexpr size_t kMostPoints = 3000;
constexpr size_t kMostSpans = 6000;

// Rounds to five significant digits, which is more than a picture resolves and a third of the bytes.
double rounded(double value) {
  if (!std::isfinite(value) || value == 0)
    return value;
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::strtod(text, nullptr);
}

using Bins = std::vector<std::vector<size_t>>;

// Divides the rows of a heat map into as many bins as can be shown. Rows with a fault stay alone.
Bins row_bins(const HeatMapFigure& f) {
  const std::set<std::string> blamed(f.blamed.begin(), f.blamed.end());
  Bins alone;
  Bins shared;
  const size_t per_bin = std::max<size_t>(1, (f.rows.size() + kMostRows - 1) / kMostRows);
  for (size_t row = 0; row < f.rows.size(); ++row) {
    if (per_bin > 1 && blamed.contains(f.rows[row])) {
      alone.push_back({row});
    } else if (shared.empty() || shared.back().size() >= per_bin) {
      shared.push_back({row});
    } else {
      shared.back().push_back(row);
    }
  }
  alone.insert(alone.end(), shared.begin(), shared.end());
  return alone;
}

// Returns the maximum of a range of cells.
double bin_maximum(const HeatMapFigure& f, const std::vector<size_t>& rows, size_t from, size_t to) {
  std::vector<double> of_rows;
  for (const size_t row : rows) {
    const double* values = &f.values[row * f.columns.size()];
    of_rows.push_back(finite_maximum(values + from, values + to));
  }
  return finite_maximum(of_rows.data(), of_rows.data() + of_rows.size());
}

// Returns the heat map with fewer rows and columns. Each cell has the maximum of its bin.
HeatMapFigure reduce(const HeatMapFigure& f) {
  HeatMapFigure out{{}, {}, f.x_name, f.value_name, {}, f.blamed};
  const Bins bins = row_bins(f);
  const size_t columns = std::min(f.columns.size(), kMostColumns);
  const auto edge = [&](size_t c) {
    return c * f.columns.size() / columns;
  };
  for (size_t c = 0; c < columns; ++c)
    out.columns.push_back(f.columns[edge(c)]);
  for (const auto& bin : bins) {
    out.rows.push_back(f.rows[bin[0]] + (bin.size() > 1 ? " +" + std::to_string(bin.size() - 1) : ""));
    for (size_t c = 0; c < columns; ++c)
      out.values.push_back(rounded(bin_maximum(f, bin, edge(c), edge(c + 1))));
  }
  return out;
}

// Returns indices that keep the shape of the area between `low` and `high` (for a line both are the same). A
// gap (NaN) is neither lowest nor highest.
std::vector<size_t> thinned(const std::vector<double>& low, const std::vector<double>& high) {
  std::vector<size_t> keep;
  const size_t steps = kMostPoints / 3;
  for (size_t s = 0; s < steps; ++s) {
    const size_t from = s * low.size() / steps;
    const size_t to = (s + 1) * low.size() / steps;
    size_t lowest = from;
    size_t highest = from;
    for (size_t i = from; i < to; ++i) {
      if (low[i] < low[lowest] || std::isnan(low[lowest]))
        lowest = i;
      if (high[i] > high[highest] || std::isnan(high[highest]))
        highest = i;
    }
    keep.insert(keep.end(), {from, std::min(lowest, highest), std::max(lowest, highest)});
  }
  keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
  return keep;
}

std::vector<double> at(const std::vector<double>& values, const std::vector<size_t>& keep) {
  std::vector<double> out;
  out.reserve(keep.size());
  for (const size_t i : keep)
    out.push_back(values[i]);
  return out;
}

void round_all(std::vector<double>& values) {
  for (double& v : values)
    v = rounded(v);
}

// Returns the series with fewer points, extremes kept.
SeriesFigure reduce(const SeriesFigure& f) {
  SeriesFigure out = f;
  for (auto& line : out.lines) {
    if (line.y.size() > kMostPoints) {
      const auto keep = thinned(line.y, line.y);
      line.x = at(line.x, keep);
      line.y = at(line.y, keep);
    }
    round_all(line.y);
  }
  for (auto& band : out.bands) {
    if (band.x.size() > kMostPoints) {
      const auto keep = thinned(band.low, band.high);
      band.x = at(band.x, keep);
      band.low = at(band.low, keep);
      band.high = at(band.high, keep);
    }
    round_all(band.low);
    round_all(band.high);
  }
  return out;
}

// Returns the timeline with fewer spans. Spans with a fault are kept.
TimelineFigure reduce(const TimelineFigure& f) {
  if (f.spans.size() <= kMostSpans)
    return f;
  TimelineFigure out{f.x_name, {}};
  const size_t stride = (f.spans.size() + kMostSpans - 1) / kMostSpans;
  for (size_t i = 0; i < f.spans.size(); ++i) {
    if (f.spans[i].blamed || i % stride == 0)
      out.spans.push_back(f.spans[i]);
  }
  return out;
}

template <class T>
T reduce(const T& f) {
  return f;
}

}  // namespace

FigureBody reduced(const FigureBody& body) {
  return std::visit(
      [](const auto& f) {
        return FigureBody(reduce(f));
      },
      body);
}

}  // namespace lento::report
