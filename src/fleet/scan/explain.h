// Explains the time at which a machine was named, or how close a machine without a finding came to one.
#pragma once

#include <string>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

// Scans the record and follows one machine in it. The diagnosis holds, as facts and a picture, the windows of
// each metric in which its score came nearest to the threshold. Throws base::Error when the record has no
// machine of this name.
finding::Diagnosis
explain(const MetricSeries& series, const std::string& machine, const ScanOptions& options);

}  // namespace lento::fleet
