// Documents of JSON that no reader is made for: the same keys and values as in reports, with the names that
// the objects around them state.
#pragma once

#include "base/json.h"
#include "desk/general/entries.h"

namespace lento::desk {

enum class TreeRoot {
  Any,
  Part  // the outermost object has to name a host, a device or a rank
};

// Passes each scalar member of every object of a document to `entries`, under its key and with the subject
// that the objects around it name. Returns false, and takes nothing, when `is_of` is TreeRoot::Part and the
// root is an object that names no part.
bool walk_tree(const base::Json& root, Entries& entries, Sink& sink, TreeRoot is_of);

}  // namespace lento::desk
