// Words by which tools state whether a part works, and the names of columns that hold them.
#pragma once

#include <optional>
#include <string_view>

namespace lento::desk {

enum class Condition {
  Unknown,  // no word of a state
  Good,
  Bad,
  Neutral  // not read, switched off, absent
};

// Returns the condition that a whole cell or value states: "OK", "down,offline", "FAILED!".
Condition condition_of(std::string_view text);

// Whether a text is one word of a good or a bad state and nothing else.
bool is_state_word(std::string_view text);

// "degraded": something in it is broken, which may state so itself.
bool is_consequence(std::string_view condition);

// "Health", "state", "overall-health self-assessment test result".
bool names_condition(std::string_view label);

// "GPU", "Device ID", "Interface": a column whose cells name devices. "Host", "NODE" name hosts.
bool names_device(std::string_view label);
bool names_host(std::string_view label);
// "NAME", "TYPE NAME": the rows are called so, whatever they are.
bool names_something(std::string_view label);

// Whether it is bad that a flag is set ("HW Slowdown", "DiskPressure") or that it is not ("Link detected",
// "Ready").
enum class Polarity {
  None,
  Good,
  Bad
};
Polarity polarity_of(std::string_view label);
// Whether 1 under this label is a flag and no count: "temp1_crit_alarm", "remapped_rows.failure".
bool names_single_flag(std::string_view label);

// The value of a flag: yes or no in the words that tools use.
std::optional<bool> truth_of(std::string_view text);

}  // namespace lento::desk
