// Metrics as a long table: machine, its stage where it has one, time, one column a metric.
#include <cmath>

#include "base/file.h"
#include "base/units.h"
#include "cli/fleet.h"

namespace lento::cli {

void write_metrics_csv(const trace::MetricSeries& s, const std::string& path) {
  base::OutputFile out(path);
  const bool staged = !s.labels.empty() && !trace::label(s, 0, "stage").empty();
  std::string text = staged ? "machine,stage,time" : "machine,time";
  for (const std::string& name : s.metrics)
    text += "," + name;
  out.write(text + "\n");
  for (size_t t = 0; t < s.steps; ++t) {
    text.clear();
    for (size_t m = 0; m < s.machines.size(); ++m) {
      text += s.machines[m];
      if (staged)
        text += "," + std::string(trace::label(s, m, "stage"));
      text += "," + std::to_string(t);
      for (size_t k = 0; k < s.metrics.size(); ++k) {
        const float v = s.at(k, t, m);
        text += std::isnan(v) ? "," : "," + base::format_number(v, 6);
      }
      text += "\n";
    }
    out.write(text);
  }
  out.commit();
}

}  // namespace lento::cli
