// The source options that 'lento fleet diagnose', 'train' and 'watch' share.
#pragma once

#include <string>

#include "cli/context.h"
#include "fleet/source.h"

namespace lento::cli {

// Throws UsageError when an option was given that the chosen source or method does not use.
void refuse_idle_options(const Command& app, const fleet::FleetSource& source, const std::string& method);

// Declares --csv, --openmetrics, columns, period and step.
void add_source_options(Command& app, fleet::FleetSource& source);

// Declares --prometheus and what it needs: credentials, TLS, label conditions.
void add_prometheus_options(Command& app, fleet::FleetSource& source);

// Declares --expect and --expect-metric.
void add_expect_options(Command& app, std::string& file, std::string& metric);

}  // namespace lento::cli
