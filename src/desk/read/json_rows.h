// Reads the list of records in a JSON document as lines, so that a history of a program in one document
// ({"log_history": [{"step": 1, "loss": 2.1}, ...]}) is read as the log that it is.
#pragma once

#include <string>
#include <string_view>

namespace lento::desk {

// Returns each object of the document's longest list of flat objects in the line in which it begins, and
// nothing in all other lines. Empty when no list is long enough to show a change. Values that JSON does not
// know (NaN) are kept.
std::string rows_of_document(std::string_view text);

}  // namespace lento::desk
