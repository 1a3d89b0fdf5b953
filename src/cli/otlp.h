// Sends findings to an OpenTelemetry collector or writes them to a file.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::cli {

// `target` is a file, or the address of a collector that accepts OTLP over HTTP, with /v1/logs when it has no
// path. Headers such as a token come from OTEL_EXPORTER_OTLP_HEADERS (name=value,name=value). Throws
// base::Error when the collector cannot be reached or refuses.
void send_otlp(const std::string& target, const finding::Diagnosis& diagnosis);

}  // namespace lento::cli
