// The scan on recorded power of a GPT-3 training: LENTO_GPT3=RUN.csv.gz of shared/data/fleet/mlperf64,
// without it the test is skipped. A loss is planted on every fourth node from a random moment on, in all rows
// or in every n-th as a store with slow scrapes has them. LENTO_GPT3_NODES=1 plants on every node,
// LENTO_GPT3_SEED draws other moments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/rng.h"
#include "fleet/read/source.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

MetricSeries read_run(const std::string& path) {
  CsvOptions csv;
  csv.paths = {path};
  csv.machine_column = "node";
  csv.time_column = "time_ms";
  csv.time_unit = "ms";
  csv.metrics = {"dc_watts"};
  base::ReadReport report;
  return read_csv(csv, report);
}

struct Loss {
  double factor = 1;
  size_t node = 0;
  size_t from = SIZE_MAX;  // step
  size_t until = SIZE_MAX;
};

// Keeps every n-th row.
MetricSeries thinned(const MetricSeries& s, size_t n) {
  MetricSeries out = s;
  out.step_ms = s.step_ms * int64_t(n);
  out.steps = s.steps / n;
  out.values.clear();
  for (size_t step = 0; step < out.steps; ++step)
    out.values.insert(out.values.end(), s.row(0, step * n).begin(), s.row(0, step * n).end());
  return out;
}

// Machines that episodes name, in order.
std::vector<size_t> named(const MetricSeries& s, const Loss& loss) {
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, s.steps}, {});
  for (size_t step = 0; step < std::min(loss.until, s.steps); ++step) {
    std::vector<float> row(s.row(0, step).begin(), s.row(0, step).end());
    if (step >= loss.from)
      row[loss.node] *= float(loss.factor);
    scan.push(s.time_ms(step), row);
  }
  std::vector<size_t> out;
  for (const Episode& e : scan.episodes()) {
    for (const Member& m : e.members) {
      if (e.what == Episode::What::Machines)
        out.push_back(m.machine);
    }
  }
  return out;
}

TEST(ScanRecorded, NamesPlantedLossesAndNobodyElse) {
  const char* path = std::getenv("LENTO_GPT3");
  if (!path)
    GTEST_SKIP() << "LENTO_GPT3 names no run";
  const char* every = std::getenv("LENTO_GPT3_NODES");
  const char* seed = std::getenv("LENTO_GPT3_SEED");
  const size_t stride = every ? std::strtoul(every, nullptr, 10) : 4;
  struct Case {
    size_t rows;  // of which one is kept
    double factor;
    double limit_s;
    size_t least;  // of a hundred
  };
  const MetricSeries all = read_run(path);
  base::Rng rng(seed ? std::strtoul(seed, nullptr, 10) : 7, "recorded");
  const auto scrapes = [](size_t rows) {  // 240 s and four of them
    return 240 + 4 * 2 * double(rows);
  };
  for (const Case& c :
       {Case{1, 0.9, 150, 60},
        Case{1, 0.95, 600, 70},
        Case{1, 0.85, scrapes(1), 98},
        Case{7, 0.85, scrapes(7), 50},
        Case{15, 0.85, scrapes(15), 50},
        Case{30, 0.85, scrapes(30), 20}}) {
    const MetricSeries s = thinned(all, c.rows);
    EXPECT_TRUE(named(s, {}).empty());
    size_t hits = 0;
    size_t wrong = 0;
    size_t trials = 0;
    for (size_t node = 0; node < s.machines.size(); node += stride) {
      const double step_s = double(s.step_ms) / 1000;
      const auto from = size_t(rng.uniform(1200, 2200) / step_s);
      const auto found = named(s, {c.factor, node, from, from + size_t(c.limit_s / step_s) + 1});
      ++trials;
      hits += std::ranges::count(found, node) > 0;
      wrong += size_t(std::ranges::count_if(found, [&](size_t m) {
        return m != node;
      }));
    }
    std::printf(
        "every %zu rows, x%.2f within %.0f s: %zu of %zu, others %zu\n",
        c.rows,
        c.factor,
        c.limit_s,
        hits,
        trials,
        wrong);
    std::fflush(stdout);
    EXPECT_GE(100 * hits, c.least * trials);
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace lento::fleet
