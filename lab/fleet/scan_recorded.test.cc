// The scan on recorded power of a GPT-3 training: LENTO_GPT3=RUN.csv.gz of shared/data/fleet/mlperf64,
// without it the test is skipped. A loss is planted on every fourth node from a random moment on.
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
  const MetricSeries s = read_run(path);
  EXPECT_TRUE(named(s, {}).empty());
  struct Case {
    double factor;
    double limit_s;
    size_t least;  // of a hundred
  };
  base::Rng rng(7, "recorded");
  for (const Case& c : {Case{0.9, 150, 60}, Case{0.95, 600, 70}, Case{0.85, 248, 98}}) {
    size_t hits = 0;
    size_t wrong = 0;
    size_t trials = 0;
    for (size_t node = 0; node < s.machines.size(); node += 4) {
      const double step_s = double(s.step_ms) / 1000;
      const auto from = size_t(rng.uniform(1200, 2200) / step_s);
      const auto found = named(s, {c.factor, node, from, from + size_t(c.limit_s / step_s) + 1});
      ++trials;
      hits += std::ranges::count(found, node) > 0;
      wrong += size_t(std::ranges::count_if(found, [&](size_t m) {
        return m != node;
      }));
    }
    std::printf("x%.2f within %.0f s: %zu of %zu, others %zu\n", c.factor, c.limit_s, hits, trials, wrong);
    EXPECT_GE(100 * hits, c.least * trials);
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace lento::fleet
