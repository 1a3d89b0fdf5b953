// Words by which tools state whether a part works, and the names of columns that hold them.
#pragma once

#include <string_view>

namespace lento::desk {

enum class Condition {
  Unknown,  // no word of a state
  Good,
  Bad,
  Neutral  // not read, switched off, absent
};

// Of a whole cell or value: "OK", "down,offline", "FAILED!".
Condition condition_of(std::string_view text);

// "degraded": something in it is broken, which may state so itself.
bool is_consequence(std::string_view condition);

// "Health", "state", "overall-health self-assessment test result".
bool names_condition(std::string_view label);

// "GPU", "Device ID", "Interface": a column whose cells name devices. "Host", "NODE" name hosts.
bool names_device(std::string_view label);
bool names_host(std::string_view label);
// "NAME", "TYPE NAME": the rows are called so, whatever they are.
bool names_something(std::string_view label);

}  // namespace lento::desk
