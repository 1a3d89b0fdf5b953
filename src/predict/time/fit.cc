// Nelder and Mead's downhill simplex (Computer Journal 7, 1965) on logarithms, restarted from its best
// point.
#include "predict/time/fit.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {
namespace {

using Point = std::vector<double>;

struct Vertex {
  Point x;
  double loss = 0;
};

// Returns centre + factor * (centre - from).
Point reflect(const Point& centre, const Point& from, double factor) {
  Point out(centre.size());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = centre[i] + factor * (centre[i] - from[i]);
  return out;
}

class Simplex {
 public:
  Simplex(const std::function<double(const Point&)>& loss, const Point& start, double spread)
      : loss_(loss) {
    add(start);
    for (size_t i = 0; i < start.size(); ++i) {
      Point x = start;
      x[i] += spread;
      add(x);
    }
  }

  // Makes one step of the Nelder-Mead method: reflects, expands or contracts the worst vertex. Returns the
  // number of evaluations.
  int step() {
    std::ranges::sort(vertices_, [](const Vertex& a, const Vertex& b) {
      return a.loss < b.loss;
    });
    const size_t n = vertices_.size() - 1;
    Point centre(n, 0.0);
    for (size_t v = 0; v < n; ++v) {
      for (size_t i = 0; i < n; ++i)
        centre[i] += vertices_[v].x[i] / double(n);
    }
    Vertex& worst = vertices_[n];
    const Vertex mirrored = at(reflect(centre, worst.x, 1));
    if (mirrored.loss < vertices_[0].loss) {
      const Vertex further = at(reflect(centre, worst.x, 2));
      worst = further.loss < mirrored.loss ? further : mirrored;
      return 2;
    }
    if (mirrored.loss < vertices_[n - 1].loss) {
      worst = mirrored;
      return 1;
    }
    const Vertex inside = at(reflect(centre, worst.x, -0.5));
    if (inside.loss < worst.loss) {
      worst = inside;
      return 2;
    }
    for (size_t v = 1; v <= n; ++v)
      vertices_[v] = at(reflect(vertices_[0].x, vertices_[v].x, -0.5));
    return int(n) + 2;
  }

  const Vertex& best() const {
    return *std::ranges::min_element(vertices_, [](const Vertex& a, const Vertex& b) {
      return a.loss < b.loss;
    });
  }

 private:
  void add(const Point& x) {
    vertices_.push_back(at(x));
  }
  Vertex at(const Point& x) const {
    Point values(x.size());
    std::transform(x.begin(), x.end(), values.begin(), [](double v) {
      return std::exp(v);
    });
    return {x, loss_(values)};
  }

  const std::function<double(const Point&)>& loss_;
  std::vector<Vertex> vertices_;
};

}  // namespace

std::vector<double> minimise(
    const std::function<double(const std::vector<double>&)>& loss,
    std::vector<double> start,
    const FitOptions& options) {
  Point x(start.size());
  std::transform(start.begin(), start.end(), x.begin(), [](double v) {
    return std::log(v);
  });
  double spread = options.spread;
  for (int r = 0; r <= options.restarts; ++r, spread *= -0.6) {
    Simplex simplex(loss, x, spread);
    for (int used = int(x.size()) + 1; used < options.evaluations;)
      used += simplex.step();
    x = simplex.best().x;
  }
  std::transform(x.begin(), x.end(), x.begin(), [](double v) {
    return std::exp(v);
  });
  return x;
}

}  // namespace lento::predict
