// The methods of `fleet diagnose` for a recorded period: Lento's own and that of the Minder paper.
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

// Returns the method of this name. Throws base::Error with all names for an unknown one.
const FleetMethod& fleet_method(const std::string& name);

}  // namespace lento::fleet
