// Slowness over a whole run is a mean with a known deviation, so that runs add as weighted means do. Healthy
// draws give the scatter of each kind of part, which exceeds the deviation where records of a queue wait
// together.
#include "chip/model/runs.h"

#include <algorithm>
#include <cmath>

#include "evidence/distribution.h"

namespace lento::chip {

std::vector<PartInRuns>
parts_in_runs(const ChipModel& model, std::span<const ModelVerdict> runs, double tolerance) {
  std::vector<std::vector<Effect>> effects;
  for (const ModelVerdict& run : runs)
    effects.push_back(whole_run_effects(*run.likelihood, run.none, model.parts));
  std::vector<PartInRuns> out;
  for (size_t p = 0; p < model.parts.size(); ++p) {
    PartInRuns part{model.parts[p].component};
    const double scatter = model.limits.scatter[size_t(part.component.part)];
    double weights = 0;
    double sum = 0;
    double threshold = 0;
    for (size_t r = 0; r < runs.size(); ++r) {
      threshold = std::max(threshold, runs[r].threshold);
      if (const Effect& e = effects[r][p]; std::isfinite(e.deviation)) {
        const double weight = 1 / (e.deviation * e.deviation * scatter * scatter);
        weights += weight;
        sum += weight * e.log_factor;
      }
      if (weights == 0)
        continue;
      part.effect = {sum / weights, 1 / std::sqrt(weights)};
      part.gain = sum > 0 ? sum * sum / weights : 0;
      const double low = part.effect.log_factor - evidence::kNinety * part.effect.deviation;
      const bool certain = part.gain > threshold && low > std::log1p(tolerance);
      if (!certain)
        part.certain_after = 0;
      else if (part.certain_after == 0)
        part.certain_after = int(r) + 1;
    }
    if (weights > 0)
      out.push_back(part);
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &PartInRuns::gain);
  return out;
}

}  // namespace lento::chip
