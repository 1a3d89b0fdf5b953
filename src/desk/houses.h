// Verdicts of the module fleet on files that the user gives beside logs: tables of metrics, telemetry and
// dumps of collectives.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "desk/recognise.h"
#include "finding/finding.h"

namespace lento::desk {

struct FleetVerdicts {
  std::vector<finding::Diagnosis> verdicts;
  std::vector<std::string> used;      // paths that the verdicts cover
  std::vector<std::string> failures;  // "table.csv: has no column of times"
};

// Answers each question about machines and ranks that `files` allow (desk/recognise.h) by the function of the
// module fleet that its command calls. Files of other kinds are left out.
FleetVerdicts verdicts_beside(const std::vector<RecognisedFile>& files, const base::Progress& progress = {});

}  // namespace lento::desk
