// Parses a budget of false alarms as a user writes it.
#pragma once

#include <string>

#include "fleet/scan/scan.h"

namespace lento::fleet {

// Parses "1/month", "2/week", "0.5/day", or a number for each day. A month has 30 days. Throws base::Error
// for any other text and for values not above zero.
ScanBudget parse_budget(const std::string& text);

double alarms_per_day(const ScanBudget& budget);  // the budget must have a period

}  // namespace lento::fleet
