#include "chip/detect/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

constexpr double kBin = 1 << 20;

struct Found {
  Suspect best;
  int tries = 0;
};

using Worth = std::function<double(const Suspect&)>;

Found searched(Suspect from, const Worth& worth) {
  Search search(kBin);
  Found out{from};
  while (const auto other = search.next(out.best)) {
    const double better = worth(*other) - worth(out.best);
    search.told(better);
    if (better > 0)
      out.best = *other;
    ++out.tries;
  }
  return out;
}

Suspect at(double factor, double begin_bins, double end_bins) {
  Suspect s;
  s.factor = factor;
  s.begin = uint64_t(begin_bins * kBin);
  s.end = uint64_t(end_bins * kBin);
  return s;
}

double hill(const Suspect& s, double factor, double begin_bins) {
  const double f = std::log(s.factor / factor);
  const double b = double(s.begin) / kBin - begin_bins;
  return -50 * f * f - b * b;
}

TEST(Search, FindsTheTop) {
  const Worth worth = [](const Suspect& s) {
    return hill(s, 9, 4.3);
  };
  for (const double factor : {3.0, 9.0, 20.0})
    for (const double begin : {1.0, 4.25, 9.0}) {
      const Found found = searched(at(factor, begin, 20), worth);
      EXPECT_NEAR(std::log(found.best.factor / 9), 0, std::log(kLeastFactorStep));
      EXPECT_NEAR(double(found.best.begin) / kBin, 4.3, kLeastBeginStep) << factor << " " << begin;
      EXPECT_EQ(found.best.end, at(1, 0, 20).end);
      EXPECT_LE(found.tries, 40) << factor << " " << begin;
    }
}

// Where nothing happens between two begins, one try tells.
TEST(Search, ABeginThatChangesNothingIsTriedOnce) {
  int begins = 0;
  const Found found = searched(at(3, 8, 20), [&](const Suspect& s) {
    begins += s.begin != at(3, 8, 20).begin;
    return hill(s, 3, 0) - hill(s, 3, 0);
  });
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(found.best.begin, at(3, 8, 20).begin);
}

TEST(Search, StaysWithinWhatIsPossible) {
  const Found low = searched(at(1.1, 0, 1), [](const Suspect& s) {
    return -s.factor;
  });
  EXPECT_EQ(low.best.factor, 1);
  const Found late = searched(at(2, 0, 3), [](const Suspect& s) {
    return double(s.begin);
  });
  EXPECT_LT(late.best.begin, late.best.end);
  const Found high = searched(at(2, 0, 1), [](const Suspect& s) {
    return s.factor;
  });
  EXPECT_EQ(high.best.factor, kMostFactor);
}

}  // namespace
}  // namespace lento::chip
