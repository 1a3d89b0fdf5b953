// Why a machine was named when it was, and why not earlier, or how near it came.
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
