// Perseus, with one model for all cores of a chip. Points are (log volume, log latency) of each layer on each
// core. DBSCAN on the distance from the principal axis removes outliers. A polynomial fitted to the rest
// gives the expected latency, and its residuals the upper bound. The risk of a core sums, over its layers and
// stretches of operations above the bound, the excess times the share of the core's operations.
#include <algorithm>
#include <cmath>

#include "chip/paper/observations.h"
#include "evidence/sample.h"
#include "lab/chip/baseline/baselines.h"
#include "lab/chip/clusters.h"

namespace lento::chip {
namespace {

constexpr double kUpper = 3.0902;         // deviations below which 99.9 % of a normal lie
constexpr double kLeastDeviation = 0.01;  // octaves

// Fits a parabola by least squares, in centred x. It has fewer terms when there are few points or all have
// the same x.
struct Parabola {
  double centre = 0;
  double a = 0;
  double b = 0;
  double c = 0;
  double at(double x) const {
    return a + b * (x - centre) + c * (x - centre) * (x - centre);
  }
};

double determinant(const double m[3][3]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

Parabola fit(const std::vector<Point>& points) {
  Parabola p;
  if (points.empty())
    return p;
  for (const Point& q : points)
    p.centre += q[0] / double(points.size());
  double s[5] = {};
  double t[3] = {};
  for (const Point& q : points) {
    double power = 1;
    for (int i = 0; i < 5; ++i, power *= q[0] - p.centre) {
      s[i] += power;
      if (i < 3)
        t[i] += power * q[1];
    }
  }
  p.a = t[0] / s[0];
  const double m[3][3] = {{s[0], s[1], s[2]}, {s[1], s[2], s[3]}, {s[2], s[3], s[4]}};
  const double whole = determinant(m);
  if (points.size() < 4 || std::abs(whole) < 1e-6 * s[0] * s[2] * s[4] || s[2] < 1e-9)
    return p;
  double* out[3] = {&p.a, &p.b, &p.c};
  for (int column = 0; column < 3; ++column) {
    double replaced[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        replaced[i][j] = j == column ? t[i] : m[i][j];
    *out[column] = determinant(replaced) / whole;
  }
  return p;
}

// Returns the coordinates along the two principal axes.
std::vector<Point> rotated(const std::vector<Point>& points) {
  double x = 0;
  double y = 0;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  const auto n = double(std::max<size_t>(1, points.size()));
  for (const Point& p : points) {
    x += p[0] / n;
    y += p[1] / n;
  }
  for (const Point& p : points) {
    xx += (p[0] - x) * (p[0] - x);
    yy += (p[1] - y) * (p[1] - y);
    xy += (p[0] - x) * (p[1] - y);
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  std::vector<Point> out;
  for (const Point& p : points)
    out.push_back({c * (p[0] - x) + s * (p[1] - y), -s * (p[0] - x) + c * (p[1] - y)});
  return out;
}

// Removes outliers by their distance from the main axis. Along that axis points differ because volumes do.
std::vector<Point> without_outliers(const std::vector<Point>& points, double radius) {
  std::vector<Point> across = rotated(points);
  for (Point& p : across)
    p[0] = 0;
  const std::vector<int> cluster = dbscan(across, radius, 4);
  const int main = largest_cluster(cluster);
  if (main < 0)
    return points;
  std::vector<Point> out;
  for (size_t i = 0; i < points.size(); ++i)
    if (cluster[i] == main)
      out.push_back(points[i]);
  return out;
}

struct Risk {
  double value = 0;
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
  double worst = 0;  // octaves above the bound
};

class Model {
 public:
  Model(const Observations& seen, double radius)
      : seen_(seen) {
    for (const ComputeMean& c : seen.computes)
      points_.push_back(point(c));
    const std::vector<Point> usual = without_outliers(points_, radius);
    curve_ = fit(usual);
    std::vector<double> residuals;
    for (const Point& p : usual)
      residuals.push_back(p[1] - curve_.at(p[0]));
    bound_ = kUpper * std::max(kLeastDeviation, std::sqrt(evidence::variance(residuals)));
  }

  Risk risk_of(int core) const {
    double all = 0;
    for (const ComputeMean& c : seen_.computes)
      if (c.core == core)
        all += double(c.count);
    Risk r;
    for (const ComputeMean& c : seen_.computes) {
      const Point p = point(c);
      if (c.core == core)
        add(r, p[1] - curve_.at(p[0]) - bound_, double(c.count) / std::max(1.0, all));
    }
    for (const SlowStretch& s : seen_.stretches) {
      if (s.core != core)
        continue;
      add(r, s.octaves - bound_, double(s.count) / std::max(1.0, all));
      r.begin = std::min(r.begin, s.begin);
      r.end = std::max(r.end, s.end);
    }
    if (r.end == 0) {
      r.begin = 0;
      r.end = seen_.run_cycles;
    }
    return r;
  }

 private:
  static Point point(const ComputeMean& c) {
    const double volume = std::log2(std::max(1.0, c.work));
    return {volume, volume + c.octaves};
  }
  static void add(Risk& r, double above, double share) {
    if (above <= 0)
      return;
    r.value += (std::exp2(above) - 1) * std::min(1.0, share);
    r.worst = std::max(r.worst, above);
  }

  const Observations& seen_;
  std::vector<Point> points_;
  Parabola curve_;
  double bound_ = 0;
};

}  // namespace

std::vector<Parameter> perseus_parameters() {
  return {
      {"radius", 0.2, 0.001, 100, "of a cluster across the main axis, octaves"},
      {"risk", 0.1, 1e-6, 1000, "from which a core is reported: times above the bound, times the share"}};
}

MethodResult judge_by_perseus(const MethodCall& call) {
  const Observations seen = observe(call.sketch, call.chip, nullptr);
  const Model model(seen, call["radius"]);
  std::vector<Suspect> out;
  for (int core = 0; core < seen.cores; ++core) {
    const Risk risk = model.risk_of(core);
    Suspect s;
    s.component = {Part::Core, core, -1};
    s.begin = risk.begin;
    s.end = risk.end;
    s.factor = std::exp2(risk.worst);
    s.score = score_at(risk.value, call["risk"]);
    out.push_back(s);
  }
  return ranked_result(std::move(out), 0.5, seen.run_cycles);
}

}  // namespace lento::chip
