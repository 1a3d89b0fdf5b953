// Text of programs that no reader is made for: numbers with labels and units, and states of parts in words
// that most tools share (docs/formats/desk-general.md). A reader of a known format always goes first.
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kErrorLevel;    // lines of known logs at the level of an error that nothing else took
extern const Format kPeerFailures;  // one end of a connection does not reach the other
extern const Format kStepSeries;    // numbers that come again and again in a log
extern const Format kReport;        // numbers and states of one report, read where nothing else is known

// Returns whether one of the first words of a line is the level of an error.
bool is_at_error_level(std::string_view text);

Formats general_formats();

}  // namespace lento::desk
