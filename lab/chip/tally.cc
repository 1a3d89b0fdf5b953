// Adds results to the counts, and computes precision, recall and F1 from them.
#include "lab/chip/tally.h"

#include <algorithm>

namespace lento::chip {
namespace {

constexpr double kInTime = 0.7;

bool holds(const std::vector<std::string>& names, const std::string& name, size_t first = SIZE_MAX) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(first, names.size()));
  return std::find(names.begin(), end, name) != end;
}

}  // namespace

double Tally::precision() const {
  if (reports)
    return double(reports - spurious) / double(reports);
  return 0;
}
double Tally::recall() const {
  if (named + missed)
    return double(named) / double(named + missed);
  return 0;
}
double Tally::f1() const {
  const double p = precision();
  const double r = recall();
  if (p + r > 0)
    return 2 * p * r / (p + r);
  return 0;
}

void Tally::add(const RunResult& r) {
  if (!r.applicable)
    return void(++elsewhere);
  if (r.truth.empty()) {
    ++clean;
    ++paper.true_negative;
    alarms += !r.reported.empty();
    altered += r.name == "altered";
    altered_alarms += r.name == "altered" && !r.reported.empty();
    return;
  }
  if (r.hits == 0)
    return void(++untouched);
  uint64_t found = 0;
  uint64_t wrong = 0;
  for (const auto& t : r.truth)
    found += holds(r.reported, t);
  for (const auto& n : r.reported)
    wrong += !holds(r.truth, n);
  paper.true_positive += found;
  paper.false_negative += r.truth.size() - found;
  paper.false_positive += wrong;
  const bool exact = found == r.truth.size() && r.reported.size() == r.truth.size();
  if (r.hits < kFewHits) {
    ++few;
    few_right += exact;
    return;
  }
  ++cases;
  right += exact;
  const bool core = r.truth[0].starts_with("core");
  const bool link = r.truth[0].starts_with("link");
  ++(core ? cores : link ? links : others);
  (core ? cores_right : link ? links_right : others_right) += exact;
  first += holds(r.ranked, r.truth[0], 1);
  first_three += holds(r.ranked, r.truth[0], 3);
  in_time += r.overlap >= kInTime;
  cores_in_time += core && r.overlap >= kInTime;
  whole_in_time += r.whole_overlap >= kInTime;
  named += found;
  missed += r.truth.size() - found;
  reports += r.reported.size();
  spurious += wrong;
}

Tallies tally(const std::vector<RunResult>& results, bool training, bool pooled) {
  Tallies rows;
  for (const RunResult& r : results) {
    if (r.training == training || r.truth.empty())
      rows[{pooled ? "all" : r.workload, r.variant()}].add(r);
  }
  return rows;
}

bool named_first(const RunResult& r) {
  return !r.truth.empty() && !r.ranked.empty() && r.ranked[0] == r.truth[0];
}

bool counts(const RunResult& r, bool training) {
  return r.applicable && !r.truth.empty() && r.hits >= kFewHits && r.training == training;
}

bool only_training(const std::vector<RunResult>& results) {
  const auto faulty = [](const RunResult& r) {
    return !r.truth.empty();
  };
  return std::ranges::any_of(results, faulty) && std::ranges::all_of(results, [&](const RunResult& r) {
           return !faulty(r) || r.training;
         });
}

}  // namespace lento::chip
