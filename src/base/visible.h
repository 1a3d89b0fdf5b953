// Makes text from outside fit to be shown: characters that would steer a terminal are written as escapes.
#pragma once

#include <string>
#include <string_view>

namespace lento::base {

// Replaces control characters except line end and tab, the C1 controls, characters that change the direction
// of text, and bytes that are not UTF-8 by \x1b, \u009b, \u202e and so on. Everything else is kept.
std::string visible(std::string_view text);

// Returns the number of bytes at the end of `text` that begin an incomplete UTF-8 character: 0 to 3.
size_t incomplete_tail(std::string_view text);

}  // namespace lento::base
