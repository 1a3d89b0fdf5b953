// Explains why a machine was reported at a certain time, or how close a machine without a finding came to
// one.
#pragma once

#include <string>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

// Scans the record and collects the tests of one machine. The diagnosis holds its strongest tests over time,
// as facts and a picture. Throws base::Error when the record has no machine of this name.
finding::Diagnosis
explain(const MetricSeries& series, const std::string& machine, const ScanOptions& options);

}  // namespace lento::fleet
