// A loss is planted as large as the all-clear of the same record promises that it would be named. Draws
// differ in the number of machines, the length of the record, the distribution of the metric and the moment
// of the loss, because a promise that holds in the middle of a long record of many machines may fail
// elsewhere.
#include "lab/fleet/fleet_audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "fleet/scan/notes.h"
#include "fleet/scan/scan.h"
#include "lab/fleet/scan_draw.h"

namespace lento::lab {
namespace {

using fleet::Draw;
using fleet::MetricSeries;
using fleet::Scan;
using fleet::Sensitivity;

// A record without a fault, and the distribution of its metric.
struct Law {
  const char* name;
  const char* metric;
  bool slow_is_low;
  // Fills the laid out metric.
  std::function<void(Draw&)> fill;
};

void fill_alike(Draw& d, const std::function<double()>& value) {
  d.fill(0, [&](size_t, size_t) {
    return value();
  });
}

void fill_drifting(Draw& d, double keep, double noise) {
  const size_t machines = d.c.series.machines.size();
  std::vector<double> state(machines, 0);
  for (size_t t = 0; t < d.c.series.steps; ++t) {
    for (size_t m = 0; m < machines; ++m) {
      state[m] = keep * state[m] + d.rng.normal(0, noise);
      d.c.series.row(0, t)[m] = float(60 * std::exp(state[m]));
    }
  }
}

const std::vector<Law>& laws() {
  static const std::vector<Law> list{
      {"power on a plateau with dips",
       "power_w",
       true,
       [](Draw& d) {
         fill_alike(d, [&] {
           return d.power();
         });
       }},
      {"normal power",
       "power_w",
       true,
       [](Draw& d) {
         fill_alike(d, [&] {
           return d.rng.normal(700, 30);
         });
       }},
      {"step time",
       "compute_duration_s",
       false,
       [](Draw& d) {
         fill_alike(d, [&] {
           return 5 * std::exp(d.rng.normal(0, 0.03));
         });
       }},
      {"temperature that drifts",
       "temperature_c",
       false,
       [](Draw& d) {
         fill_drifting(d, 0.9, 0.01);
       }},
      {"bandwidth of a wide law",
       "nvlink_bandwidth",
       true,
       [](Draw& d) {
         fill_alike(d, [&] {
           return 1e9 * std::exp(d.rng.normal(0, 0.5));
         });
       }},
      {"machines of unequal noise",
       "power_w",
       true,
       [](Draw& d) {
         d.fill(0, [&](size_t, size_t m) {
           return 700 * std::exp(d.rng.normal(0, m % 8 == 0 ? 0.06 : 0.03));
         });
       }},
  };
  return list;
}

// Scans a record to its end.
Scan scanned(const MetricSeries& s) {
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, s.steps}, {});
  std::vector<float> row;
  for (size_t step = 0; step < s.steps; ++step) {
    row.assign(s.row(0, step).begin(), s.row(0, step).end());
    scan.push(s.time_ms(step), row);
  }
  return scan;
}

struct Planted {
  Draw draw;
  const Law* law = nullptr;
  Sensitivity promised;
  size_t window = 0;  // rows
  size_t onset = 0;
  size_t machine = 0;
  double shift = 0;
};

class Audit {
 public:
  Audit(const FleetAuditOptions& options, const base::Progress& progress)
      : options_(options),
        progress_(progress),
        rng_(options.seed, "fleet.audit") {
  }

  std::vector<Promise> run() {
    std::vector<Promise> out{healthy()};
    for (Promise& p : losses())
      out.push_back(std::move(p));
    out.push_back(together());
    return out;
  }

 private:
  bool stopped(const std::string& what, double done, double of) const {
    progress_(what, done, of);
    return progress_.stopped();
  }

  Promise healthy() {
    Promise p{"findings in healthy records", Promise::Kind::AtMost, fleet::ScanBudget{}.false_alarms};
    for (const std::string& kind : fleet::healthy_kinds()) {
      for (int i = 0; i < options_.healthy && !stopped(kind, double(i), double(options_.healthy)); ++i) {
        const finding::Diagnosis d = fleet::scan(fleet::draw_case(kind, rng_.next()).series, {});
        p.hits += !d.findings.empty();
        ++p.trials;
      }
    }
    return p;
  }

  // Draws a healthy record and a place for a loss in it. Nothing where the record promises nothing.
  std::optional<Planted> draw_place() {
    constexpr std::array<size_t, 4> kMachines{4, 8, 16, 64};
    constexpr std::array<size_t, 4> kRows{80, 160, 480, 960};
    Planted p{{{}, base::Rng(rng_.next(), "record")}};
    p.law = &laws()[rng_.below(laws().size())];
    fleet::Grid grid;
    grid.machines = kMachines[rng_.below(kMachines.size())];
    grid.steps = kRows[rng_.below(kRows.size())];
    p.draw.lay_out(grid, {p.law->metric});
    p.law->fill(p.draw);
    const std::vector<Sensitivity> promised = scanned(p.draw.c.series).sensitivity();
    if (promised.empty())
      return std::nullopt;
    p.promised = promised.front();
    p.window = size_t(std::ceil(p.promised.window_s * 1000 / double(grid.step_ms)));
    p.onset = size_t(double(grid.steps) * rng_.uniform(0.05, 0.95));
    p.machine = rng_.below(grid.machines);
    return p;
  }

  static finding::Diagnosis judged(const Planted& p, double shift) {
    MetricSeries s = p.draw.c.series;
    const double factor = std::exp(p.law->slow_is_low ? -shift : shift);
    for (size_t t = p.onset; t < s.steps; ++t)
      s.row(0, t)[p.machine] *= float(factor);
    return fleet::scan(s, {});
  }

  std::vector<Promise> losses() {
    Promise named{"losses as small as printed are named", Promise::Kind::AtLeast, 0.95};
    Promise cleared{
        "losses of one and a half times as much, anywhere, end in an all-clear",
        Promise::Kind::AtMost,
        0.05};
    Promise wrong{"a machine without a loss is named beside it", Promise::Kind::AtMost, 0.05};
    for (int i = 0; i < options_.detectable && !stopped("losses", double(i), double(options_.detectable));
         ++i) {
      const std::optional<Planted> p = draw_place();
      if (!p)
        continue;
      const std::string& subject = p->draw.c.series.machines[p->machine];
      if (p->onset >= p->window && p->onset + p->window <= p->draw.c.series.steps) {
        const finding::Diagnosis d = judged(*p, p->promised.shift);
        named.hits += !d.findings.empty() && d.findings.front().subject == subject;
        ++named.trials;
      }
      const finding::Diagnosis d = judged(*p, 1.5 * p->promised.shift);
      cleared.hits += d.outcome == finding::Outcome::Healthy;
      ++cleared.trials;
      wrong.hits += std::ranges::any_of(d.findings, [&](const finding::Finding& f) {
        return f.subject != subject;
      });
      ++wrong.trials;
    }
    return {named, cleared, wrong};
  }

  Promise together() {
    Promise p{"planted kinds, also of many machines and of the job, are named", Promise::Kind::AtLeast, 0.95};
    for (const std::string& kind : fleet::planted_kinds()) {
      for (int i = 0; i < options_.together && !stopped(kind, double(i), double(options_.together)); ++i) {
        const fleet::ScanCase c = fleet::draw_case(kind, rng_.next());
        const finding::Diagnosis d = fleet::scan(c.series, {});
        p.hits += d.findings.size() == 1 &&
                  d.findings.front().subject == (c.whole_job ? "job" : fleet::list_of(c.series, c.slow));
        ++p.trials;
      }
    }
    return p;
  }

  const FleetAuditOptions& options_;
  const base::Progress& progress_;
  base::Rng rng_;
};

}  // namespace

std::vector<Promise> audit_fleet(const FleetAuditOptions& options, const base::Progress& progress) {
  return Audit(options, progress).run();
}

}  // namespace lento::lab
