// Text from outside, made fit to be shown: what would steer a terminal is written out instead of sent.
#pragma once

#include <string>
#include <string_view>

namespace lento::base {

// Control characters but line end and tab, the C1 controls and the characters that turn the direction of text
// become \x1b, \u009b, \u202e; so does a byte that is not UTF-8. Everything else is left as it is.
std::string visible(std::string_view text);

// How many bytes at the end of `text` begin a UTF-8 character that is not complete: 0 to 3.
size_t incomplete_tail(std::string_view text);

}  // namespace lento::base
