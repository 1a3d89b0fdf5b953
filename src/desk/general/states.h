// Words by which tools state whether a device or a service works, and the names of columns that hold such
// words.
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

// Returns whether a text is one word of a good or a bad state and nothing else.
bool is_state_word(std::string_view text);

// Returns whether a text is one word for a part that is out of order, whatever its key is.
bool is_out_of_order(std::string_view text);

// Returns whether a word for the bad state of a whole ("degraded") follows from that of a member, which may
// be reported too.
bool is_consequence(std::string_view condition);

// Returns whether a label names a condition: "Health", "state", "overall-health self-assessment test result".
bool names_condition(std::string_view label);

// Each returns whether the cells of a column name devices ("GPU", "Device ID", "Interface") or hosts ("Host",
// "NODE").
bool names_device(std::string_view label);
bool names_host(std::string_view label);
// Returns whether the cells of a column of a table name devices or parts of one: "OSD", "Port", "Lane".
bool names_member(std::string_view label);
// Returns whether the cells of a column name the rows, of whatever kind they are: "NAME", "TYPE NAME".
bool names_something(std::string_view label);

// Bad: it is bad that the flag is set ("HW Slowdown", "DiskPressure"). Good: it is bad that it is not set
// ("Link detected", "Ready").
enum class Polarity {
  None,
  Good,
  Bad
};
Polarity polarity_of(std::string_view label);
// Returns whether a 1 under this label is a flag and no count: "temp1_crit_alarm", "remapped_rows.failure".
bool names_single_flag(std::string_view label);

// Returns the value of a flag, in the words for yes and no that tools use, or nothing.
std::optional<bool> truth_of(std::string_view text);

}  // namespace lento::desk
