// The ways that `fleet diagnose` knows to judge a recorded period: ours, and the method of the Minder paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/diagnose.h"

namespace lento::fleet {

struct FleetMethod {
  std::string_view name;
  std::string_view meaning;
  finding::Diagnosis (*judge)(
      const MetricSeries& series,
      const FleetDiagnosisOptions& options,
      const base::Progress& progress);
};

const std::vector<FleetMethod>& fleet_methods();

// Throws base::Error that names all of them when there is none of this name.
const FleetMethod& fleet_method(const std::string& name);

}  // namespace lento::fleet
