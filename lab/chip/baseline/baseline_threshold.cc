// Threshold filtering. A profile gives the nominal latency of every component. A component is fail-slow when
// it exceeds a multiple of that in any window. The latency of a core is that of its operations, the latency
// of a link the mean of the transfers that cross it.
#include <algorithm>
#include <cmath>

#include "chip/paper/observations.h"
#include "lab/chip/baseline/baselines.h"

namespace lento::chip {
namespace {

constexpr double kFewest = 4;  // transfers in a window that say something

void add_cores(const Observations& seen, double factor, std::vector<Suspect>& out) {
  for (const SlowStretch& s : seen.stretches) {
    Suspect suspect;
    suspect.component = {Part::Core, s.core, -1};
    suspect.factor = std::exp2(s.octaves);
    suspect.begin = s.begin;
    suspect.end = s.end;
    suspect.seen = s.count;
    suspect.score = score_at(suspect.factor - 1, factor - 1);
    const bool again = !out.empty() && out.back().component == suspect.component;
    if (!again) {
      out.push_back(suspect);
    } else if (out.back().score < suspect.score) {
      out.back() = suspect;
    }
  }
}

// Returns the worst window of the link, extended over its neighbours while they exceed the threshold too.
Suspect judge_link(const Observations& seen, const Component& link, double factor) {
  const Samples latency = latency_through(seen, link);
  size_t worst = 0;
  const auto ratio = [&](size_t b) -> double {
    if (latency[b].count >= kFewest)
      return std::exp2(latency[b].octaves);
    return 1;
  };
  for (size_t b = 0; b < latency.size(); ++b)
    if (ratio(b) > ratio(worst))
      worst = b;
  size_t begin = worst;
  size_t end = worst + 1;
  while (begin > 0 && ratio(begin - 1) > factor)
    --begin;
  while (end < latency.size() && ratio(end) > factor)
    ++end;
  Suspect s = suspect_over(seen, link, begin, end);
  s.factor = latency.empty() ? 1 : ratio(worst);
  s.score = score_at(std::max(0.0, s.factor - 1), factor - 1);
  return s;
}

}  // namespace

std::vector<Parameter> threshold_parameters() {
  return {
      {"core", 2, 1.001, 1000, "times slower than nominal from which a core is reported"},
      {"link", 12, 1.001, 1000, "the same of a link"}};
}

MethodResult judge_by_threshold(const MethodCall& call) {
  const Profile profile(call.detect);
  const Observations seen = observe(call.sketch, call.chip, profile.sketch());
  const Grid grid(call.chip);
  std::vector<Suspect> out;
  add_cores(seen, call["core"], out);
  for (int id = 0; id < grid.link_count(); ++id) {
    const Component link = link_component(grid, id);
    if (grid.link(id).from == link.index)
      out.push_back(judge_link(seen, link, call["link"]));
  }
  return ranked_result(std::move(out), 0.5, seen.run_cycles);
}

MethodResult ranked_result(std::vector<Suspect> suspects, double least_score, uint64_t run_cycles) {
  std::ranges::stable_sort(suspects, [](const Suspect& a, const Suspect& b) {
    return std::pair(-a.score, a.component) < std::pair(-b.score, b.component);
  });
  MethodResult r;
  r.detection.run_cycles = run_cycles;
  for (Suspect& s : suspects) {
    s.strength = s.score;
    if (s.score <= 0)
      break;
    if (s.score > least_score)
      r.detection.reported.push_back(s);
    if (r.detection.ranked.size() < 10)
      r.detection.ranked.push_back(s);
  }
  return r;
}

}  // namespace lento::chip
