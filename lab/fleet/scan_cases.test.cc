// The scan on ordinary healthy fleets and planted faults. LENTO_SCAN_SEEDS=201-210 draws other and more cases
// and prints a row a kind: kind, draws, findings, draws that were named. LENTO_SCAN_KIND=hang draws that kind
// alone and prints the finding of each draw that is not as it should be.
#include "lab/fleet/scan_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "fleet/scan/notes.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

struct Seeds {
  uint64_t first = 1;
  uint64_t last = 1;
  bool printed = false;
};

Seeds seeds() {
  Seeds s;
  unsigned long first = 0;
  unsigned long last = 0;
  const char* text = std::getenv("LENTO_SCAN_SEEDS");
  if (text && std::sscanf(text, "%lu-%lu", &first, &last) == 2)
    s = {first, last, true};
  return s;
}

bool named(const ScanCase& c, const finding::Diagnosis& d) {
  if (d.findings.size() != 1)
    return false;
  return d.findings[0].subject == (c.whole_job ? "job" : list_of(c.series, c.slow));
}

struct Counts {
  size_t draws = 0;
  size_t findings = 0;
  size_t named = 0;
};

Counts count(const std::string& kind, const Seeds& s) {
  Counts n;
  const char* only = std::getenv("LENTO_SCAN_KIND");
  if (only && kind != only)
    return n;
  for (uint64_t seed = s.first; seed <= s.last; ++seed) {
    const ScanCase c = draw_case(kind, seed);
    const finding::Diagnosis d = scan(c.series, {});
    ++n.draws;
    n.findings += d.findings.size();
    const bool planted = !c.slow.empty() || c.whole_job;
    if (only && (planted ? !named(c, d) : !d.findings.empty()))
      std::printf("seed %lu: %s\n", (unsigned long)(seed), d.verdict.c_str());
    n.named += named(c, d);
  }
  if (s.printed)
    std::printf("%s,%zu,%zu,%zu\n", kind.c_str(), n.draws, n.findings, n.named);
  return n;
}

TEST(ScanCases, HealthyFleetsAreAccusedNoMoreThanTheBudgetAllows) {
  const Seeds s = seeds();
  size_t draws = 0;
  size_t findings = 0;
  for (const std::string& kind : healthy_kinds()) {
    const Counts n = count(kind, s);
    draws += n.draws;
    findings += n.findings;
  }
  // One in 200 draws, and two standard deviations of chance.
  const double expected = 0.005 * double(draws);
  EXPECT_LE(double(findings), expected + 2 * std::sqrt(expected));
}

TEST(ScanCases, PlantedFaultsAreNamedAndNobodyElse) {
  const Seeds s = seeds();
  size_t draws = 0;
  size_t hits = 0;
  for (const std::string& kind : planted_kinds()) {
    const Counts n = count(kind, s);
    draws += n.draws;
    hits += n.named;
  }
  EXPECT_GE(10 * hits, 9 * draws);
}

TEST(ScanCases, ADrawIsRepeatedByKindAndSeed) {
  EXPECT_EQ(draw_case("2 of 4", 5).series.values, draw_case("2 of 4", 5).series.values);
  EXPECT_NE(draw_case("2 of 4", 5).series.values, draw_case("2 of 4", 6).series.values);
}

}  // namespace
}  // namespace lento::fleet
