// Runs one scan for each budget over the same months of healthy rows. The distribution of the metrics differs
// from kind to kind, because a threshold that follows from a normal distribution fails on counts, heavy tails
// and slow drifts.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "base/rng.h"
#include "fleet/scan/budget_text.h"
#include "fleet/scan/scan.h"
#include "lab/fleet/fleet_audit.h"

namespace lento::lab {
namespace {

constexpr size_t kMachines = 16;
constexpr int64_t kStep_ms = 60'000;
constexpr size_t kDay = 1440;  // rows
constexpr std::array<const char*, 4> kMetrics{"power_w", "temperature_c", "network_receive", "step_time_s"};

// The state of one fleet: the random state of each machine and metric.
struct Fleet {
  base::Rng rng;
  std::vector<double> state = std::vector<double>(kMetrics.size() * kMachines, 0.0);
};

struct Law {
  const char* name;
  // One value of a machine at a row. `state` is its own.
  std::function<double(base::Rng&, size_t row, size_t machine, double& state)> value;
};

int poisson(base::Rng& rng, double mean) {
  const double limit = std::exp(-mean);
  int n = 0;
  for (double product = rng.uniform(); product > limit; product *= rng.uniform())
    ++n;
  return n;
}

const std::vector<Law>& laws() {
  static const std::vector<Law> list{
      {"normal",
       [](base::Rng& rng, size_t, size_t, double&) {
         return rng.normal(700, 30);
       }},
      {"counts",
       [](base::Rng& rng, size_t, size_t, double&) {
         return double(poisson(rng, 2));
       }},
      {"few values",
       [](base::Rng& rng, size_t, size_t, double&) {
         return rng.uniform() < 0.9 ? 100.0 : 0.0;
       }},
      {"heavy tails",
       [](base::Rng& rng, size_t, size_t, double&) {
         return 1e9 * std::exp(rng.normal() / std::sqrt(rng.gamma(1.5, 1 / 1.5)) / 3);
       }},
      {"autoregressive",
       [](base::Rng& rng, size_t, size_t, double& state) {
         state = 0.95 * state + rng.normal(0, 0.01);
         return 60 * std::exp(state);
       }},
      {"phases of the job, roles",
       [](base::Rng& rng, size_t row, size_t machine, double&) {
         const double phase = row % 360 < 30 ? (machine < 4 ? 0.7 : 0.6) : 1;
         return rng.normal(700, 20) * phase * (machine == 0 ? 0.9 : 1);
       }},
      {"drifts of a day",
       [](base::Rng& rng, size_t row, size_t machine, double& state) {
         state += rng.normal(0, 0.0005) - 0.001 * state;
         const double wave = 0.03 * std::sin(2 * std::numbers::pi * double(row) / double(kDay));
         return 60 * std::exp(state + wave * (1 + 0.05 * double(machine % 4)) + rng.normal(0, 0.01));
       }},
  };
  return list;
}

// Returns the days, of so many, on which a machine was named.
size_t days_with_alarms(const fleet::Scan& scan, size_t days) {
  std::vector<uint8_t> alarmed(days, 0);
  for (const fleet::Episode& e : scan.episodes()) {
    const auto day = size_t(e.raised_ms / (int64_t(kDay) * kStep_ms));
    if (e.what == fleet::Episode::What::Machines && day < days)
      alarmed[day] = 1;
  }
  return size_t(std::ranges::count(alarmed, 1));
}

std::vector<fleet::Scan> scans_of(std::span<const char* const> budgets) {
  fleet::ScanFleet fleet;
  for (size_t m = 0; m < kMachines; ++m)
    fleet.machines.push_back("host" + std::to_string(m));
  fleet.labels.resize(kMachines);
  fleet.metrics.assign(kMetrics.begin(), kMetrics.end());
  fleet.step_ms = kStep_ms;
  std::vector<fleet::Scan> out;
  for (const char* budget : budgets) {
    fleet::ScanOptions options;
    options.budget = fleet::parse_budget(budget);
    out.emplace_back(fleet, options);
  }
  return out;
}

}  // namespace

std::vector<Promise> audit_fleet_months(const FleetMonthsOptions& options, const base::Progress& progress) {
  constexpr std::array kBudgets{"1/month", "1/week", "1/day"};
  const auto days = size_t(std::ceil(30 * options.months));
  std::vector<Promise> out;
  for (const Law& law : laws()) {
    std::vector<fleet::Scan> scans = scans_of(kBudgets);
    Fleet fleet{base::Rng(options.seed, law.name)};
    std::vector<float> row(kMetrics.size() * kMachines);
    size_t rows = 0;
    for (; rows < days * kDay && !progress.stopped(); ++rows) {
      for (size_t i = 0; i < row.size(); ++i)
        row[i] = float(law.value(fleet.rng, rows, i % kMachines, fleet.state[i]));
      for (fleet::Scan& scan : scans)
        scan.push(int64_t(rows) * kStep_ms, row);
      if (rows % kDay == 0)
        progress(law.name, double(rows), double(days * kDay));
    }
    for (size_t b = 0; b < kBudgets.size(); ++b) {
      const double a_day = fleet::alarms_per_day(fleet::parse_budget(kBudgets[b]));
      Promise p{std::string(law.name) + ", " + kBudgets[b] + ": days with a false alarm"};
      p.promised = -std::expm1(-a_day);  // one or more, of a Poisson distribution
      p.trials = rows / kDay;
      p.hits = days_with_alarms(scans[b], p.trials);
      out.push_back(std::move(p));
    }
  }
  return out;
}

}  // namespace lento::lab
