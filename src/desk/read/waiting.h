// Names of time that a rank spends waiting for others, which is nobody's own slowness.
#pragma once

#include <string>
#include <vector>

namespace lento::desk {

// Returns whether a label with these words, in lower case, names such time: "wait", "comm", "bubble".
bool is_waiting(const std::vector<std::string>& words);

}  // namespace lento::desk
