// A detector of one's own for the chip: the core whose operations ran longest against the chip's rate is
// reported when it took twice as long as the median core. Copied to src/chip and listed in methods.cc,
// it answers to `lento chip diagnose --method busiest` (CONTRIBUTING.md, recipes).
#include <algorithm>
#include <cmath>

#include "chip/detect/method.h"
#include "chip/sketch/level.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

constexpr double kMuchSlower = 2;  // times the median core

// Returns the base-2 logarithm of cycles per unit of work, mean over a core's operations. 0 without records.
double mean_octaves(const CoreSketch& core) {
  double sum = 0;
  double count = 0;
  for (const CoreSketch::Entry& held : core.entries()) {
    if (Pattern::unpack(held.entry->key).kind != chip::ProbeKind::Compute)
      continue;
    sum += double(held.entry->mean) / kLevelsPerOctave * held.entry->count;
    count += held.entry->count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

MethodResult judge_by_busiest(const MethodCall& call) {
  std::vector<double> octaves;
  for (const CoreSketch& core : call.sketch.cores())
    octaves.push_back(mean_octaves(core));
  MethodResult out;
  const double usual = evidence::median(octaves);
  for (size_t core = 0; core < octaves.size(); ++core) {
    const double slower = std::exp2(octaves[core] - usual);
    if (slower < kMuchSlower)
      continue;
    Suspect s;
    s.component = {Part::Core, int(core)};
    s.factor = slower;
    s.score = 1 - 1 / slower;
    out.detection.reported.push_back(s);
  }
  out.detection.ranked = out.detection.reported;
  return out;
}

}  // namespace lento::chip
