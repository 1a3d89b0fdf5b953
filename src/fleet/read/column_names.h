// Recognises the usual column names of exported metrics, in any case, to guess the layout of a table or to
// question a given one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::fleet {

bool names_machine(std::string_view column);  // node, Hostname, instance, ...
bool names_device(std::string_view column);   // gpu, device_id, ...
bool names_time(std::string_view column);     // time_ms, Timestamp, Date, ...

// Returns whether these columns can be the machines of one table (--wide): four or more that differ in their
// numbers only, as in node-1, node-2 or {instance="gpu07:9400"}.
bool are_machines(const std::vector<std::string>& columns);

}  // namespace lento::fleet
