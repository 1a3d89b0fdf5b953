// Judges a report of `perf c2c`: the lines that caches took from one another, by the same names and order as
// the contention detector, with causes as far as the table shows them.
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

// Judges the report. Outcome "cannot judge" below 100 samples. Throws base::Error when it is no such report.
finding::Diagnosis diagnose_c2c_report(const C2cDiagnosisOptions& options);

}  // namespace lento::memory
