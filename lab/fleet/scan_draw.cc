// Fills drawn fleets and plants losses in them. Each kind of fleet is a few lines over one grid, so that many
// kinds cost little.
#include "lab/fleet/scan_draw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace lento::fleet {

void Draw::lay_out(const Grid& g, std::vector<std::string> metrics) {
  fleet::MetricSeries& s = c.series;
  for (size_t m = 0; m < g.machines; ++m)
    s.machines.push_back("host" + std::to_string(m));
  s.labels.resize(g.machines);
  s.metrics = std::move(metrics);
  s.step_ms = g.step_ms;
  s.steps = g.steps;
  s.values.assign(s.metrics.size() * g.steps * g.machines, kMissing);
}

void Draw::fill(size_t metric, const std::function<double(size_t, size_t)>& value) {
  fleet::MetricSeries& s = c.series;
  for (size_t m = 0; m < s.machines.size(); ++m) {
    for (size_t t = 0; t < s.steps; ++t)
      s.row(metric, t)[m] = float(value(t, m));
  }
}

void Draw::multiply(size_t metric, size_t machine, size_t from, size_t to, double factor) {
  fleet::MetricSeries& s = c.series;
  for (size_t t = from; t < std::min(to, s.steps); ++t)
    s.row(metric, t)[machine] *= float(factor);
}

int Draw::poisson(double mean) {
  const double limit = std::exp(-mean);
  double product = rng.uniform();
  int n = 0;
  while (product > limit) {
    product *= rng.uniform();
    ++n;
  }
  return n;
}

void Draw::steady_power(const Grid& g) {
  lay_out(g, {"power_w"});
  fill(0, [&](size_t, size_t) {
    return power();
  });
}

void Draw::steady_step_time(const Grid& g) {
  lay_out(g, {"compute_duration_s"});
  fill(0, [&](size_t, size_t) {
    return 5 * std::exp(rng.normal(0, 0.03));
  });
}

void Draw::counts(const char* metric, const std::function<double()>& value) {
  lay_out({}, {metric});
  fill(0, [&](size_t, size_t) {
    return value();
  });
}

size_t Draw::any_time() {
  const size_t steps = c.series.steps;
  return steps / 3 + rng.below(steps / 3);
}

std::vector<size_t> Draw::some(size_t count) {
  std::vector<size_t> all(c.series.machines.size());
  for (size_t m = 0; m < all.size(); ++m)
    all[m] = m;
  for (size_t i = 0; i < count; ++i)
    std::swap(all[i], all[i + rng.below(all.size() - i)]);
  all.resize(count);
  std::ranges::sort(all);
  return all;
}

void Draw::plant(size_t metric, size_t count, double factor) {
  const size_t from = any_time();
  c.slow = some(count);
  c.onset_ms = c.series.time_ms(from);
  for (const size_t m : c.slow)
    multiply(metric, m, from, c.series.steps, factor);
}

namespace {

std::vector<std::string> names_of(const std::vector<FleetKind>& list) {
  std::vector<std::string> out;
  for (const FleetKind& kind : list)
    out.emplace_back(kind.name);
  return out;
}

}  // namespace

const std::vector<std::string>& healthy_kinds() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> names = names_of(healthy_fleets());
    for (const FleetKind& kind : healthy_work())
      names.emplace_back(kind.name);
    return names;
  }();
  return list;
}

const std::vector<std::string>& planted_kinds() {
  static const std::vector<std::string> list = names_of(planted_fleets());
  return list;
}

ScanCase draw_case(const std::string& kind, uint64_t seed) {
  for (const auto* list : {&healthy_fleets(), &healthy_work(), &planted_fleets()}) {
    for (const FleetKind& known : *list) {
      if (kind != known.name)
        continue;
      Draw d{{}, base::Rng(seed, kind)};
      d.c.kind = kind;
      known.draw(d);
      return std::move(d.c);
    }
  }
  throw base::Error({}, "no kind of fleet '" + kind + "'");
}

}  // namespace lento::fleet
