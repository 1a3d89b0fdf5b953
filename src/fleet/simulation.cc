// Writes the metrics of a simulated fleet as a table or as pages of an exporter, with the truth in JSON.
#include "fleet/simulation.h"

#include <cmath>

#include "base/file.h"
#include "base/units.h"

namespace lento::fleet {

using base::Json;

Json truth_json(const FleetTruth& t, const MetricSeries& s) {
  Json json = Json::object();
  json.set("schema", "lento.fleet-truth/1");
  json.set("faulty", t.faulty);
  if (!t.faulty)
    return json;
  Json shown = Json::array();
  for (const std::string& c : t.shown)
    shown.push(c);
  json.set("machine", s.machines[t.machine]);
  json.set("type", t.type);
  json.set("onset_s", t.onset_s);
  json.set("halt_s", t.halt_s);
  json.set("contrast_s", t.contrast_s);
  json.set("shown", std::move(shown));
  json.set("visible", t.visible);
  return json;
}

std::string exposition(const MetricSeries& s, size_t step, const std::string& machine) {
  std::string text;
  for (size_t m = 0; m < s.machines.size(); ++m) {
    if (!machine.empty() && s.machines[m] != machine)
      continue;
    const std::string stage(label(s, m, "stage"));
    for (size_t k = 0; k < s.metrics.size(); ++k) {
      const float v = s.at(k, step, m);
      if (std::isnan(v))
        continue;
      text += s.metrics[k] + "{machine=\"" + s.machines[m] + "\",stage=\"" + stage + "\"} ";
      text += base::format_number(v, 7) + "\n";
    }
  }
  return text;
}

void write_metrics_csv(const MetricSeries& s, const std::string& path) {
  base::OutputFile out(path);
  const bool staged = !s.labels.empty() && !label(s, 0, "stage").empty();
  std::string text = staged ? "machine,stage,time" : "machine,time";
  for (const std::string& name : s.metrics)
    text += "," + name;
  out.write(text + "\n");
  for (size_t t = 0; t < s.steps; ++t) {
    text.clear();
    for (size_t m = 0; m < s.machines.size(); ++m) {
      text += s.machines[m];
      if (staged)
        text += "," + std::string(label(s, m, "stage"));
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

void write_fleet(const SimulatedFleet& fleet, const std::string& path) {
  write_metrics_csv(fleet.series, path);
  base::write_file(path + ".truth.json", base::write_json(truth_json(fleet.truth, fleet.series), 2) + "\n");
}

}  // namespace lento::fleet
