// Diagnoses a report of `perf c2c`: the cache lines that move between caches. Causes and order of the
// findings are those of the contention detector, as far as the report shows them.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"

namespace lento::memory {

struct C2cDiagnosisOptions {
  std::string report;
  std::vector<std::string> programs;  // ELF files, "file" or "file@0xLOADADDRESS": they name variables
  std::vector<std::string> maps;      // /proc/PID/maps of the traced process
  bool strict = false;
  double least_share = 0.01;  // share of the loads below which a line is no finding
};

// Judges the report. The outcome is "cannot judge" below 100 samples, or when the report does not show the
// data sources or the lines of its samples. Throws base::Error when the file is no such report.
finding::Diagnosis diagnose_c2c_report(const C2cDiagnosisOptions& options);

}  // namespace lento::memory
