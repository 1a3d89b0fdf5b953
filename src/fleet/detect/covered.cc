// What a live verdict rests on, in a line.
#include "fleet/scan/covered.h"

#include "fleet/detect/detect.h"

namespace lento::fleet {

std::string covered_text(const Detector& detector) {
  const Coverage& c = detector.coverage();
  const Fleet& f = detector.fleet();
  const double cells = double(c.rows) * double(f.machines.size() * f.metrics.size());
  const double step_s = double(f.step_ms) / 1000;
  return text_of(
      {double(c.rows) * step_s,
       step_s,
       f.machines.size(),
       f.metrics,
       cells > 0 ? double(c.samples) / cells : 0});
}

}  // namespace lento::fleet
