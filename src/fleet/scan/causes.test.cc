#include "fleet/scan/causes.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace lento::fleet {
namespace {

// Six machines. The first takes four times as long in every sixtieth row, the second from the 300th row on.
MetricSeries checkpoints() {
  base::Rng rng(2, "causes");
  MetricSeries s;
  s.metrics = {"t"};
  s.steps = 400;
  for (int m = 0; m < 6; ++m)
    s.machines.push_back("n" + std::to_string(m));
  for (size_t t = 0; t < s.steps; ++t) {
    for (size_t m = 0; m < 6; ++m)
      s.values.push_back(float(rng.normal(1, 0.01) * ((m == 0 ? t % 60 == 59 : m == 1 && t >= 300) ? 4 : 1)));
  }
  return s;
}

TEST(Causes, SingleSamplesThatComeAgainAreCounted) {
  const MetricSeries s = checkpoints();
  Scan scan({s.machines, {}, s.metrics, s.step_ms, s.steps}, {});
  for (size_t t = 0; t < s.steps; ++t)
    scan.push(s.time_ms(t), s.row(0, t));
  const View view{s, scan};
  const Episode e;
  EXPECT_EQ(times_before(view, {{&e}, {0}, {357, 363}}), 5u);
  EXPECT_EQ(times_before(view, {{&e}, {0}, {57, 63}}), 0u);
  EXPECT_EQ(times_before(view, {{&e}, {1}, {300, 400}}), 0u);
  EXPECT_EQ(times_before(view, {{&e}, {0, 1}, {357, 363}}), 0u);
}

}  // namespace
}  // namespace lento::fleet
