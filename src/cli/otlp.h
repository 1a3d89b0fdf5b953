// Findings to an OpenTelemetry collector, or into a file.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::cli {

// `target` is a file, or the address of a collector that takes OTLP over HTTP: without a path /v1/logs is
// meant. Headers such as a token come from OTEL_EXPORTER_OTLP_HEADERS (name=value,name=value). Throws
// base::Error when the collector cannot be reached or refuses.
void send_otlp(const std::string& target, const finding::Diagnosis& diagnosis);

}  // namespace lento::cli
