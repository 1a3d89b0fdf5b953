// Recognises names of times in which a rank waits for others, which do not make that rank slow.
#pragma once

#include <string>
#include <vector>

namespace lento::desk {

// Returns whether a label with these words, in lower case, names such time: "wait", "comm", "bubble".
bool is_waiting(const std::vector<std::string>& words);

}  // namespace lento::desk
