// Reads the list of records in a JSON document as lines, so that a history of a program in one document
// ({"log_history": [{"step": 1, "loss": 2.1}, ...]}) is read as the log that it is.
#pragma once

#include <string>
#include <string_view>

namespace lento::desk {

// Returns the flat objects (without objects or lists inside) of the list that has most of them, each as one
// line. Empty lines are added so that an object is in the line in which it begins in the document. Returns ""
// when the list has fewer than 12 flat objects, too few to show a change. Values that are not JSON (NaN) are
// kept.
std::string rows_of_document(std::string_view text);

}  // namespace lento::desk
