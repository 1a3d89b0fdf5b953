// Documents of JSON that no reader is made for: the same keys and values as in reports, with the names that
// the objects around them state.
#pragma once

#include "base/json.h"
#include "desk/general/entries.h"

namespace lento::desk {

enum class TreeRoot {
  Any,
  Part  // takes only members of objects that name a host, a device or a rank
};

// Passes each scalar member of every object of a document to `entries`, under its key and with the subject
// that the objects around it name. With TreeRoot::Part the members of objects without a subject are left out.
// Returns false when that leaves nothing.
bool walk_tree(const base::Json& root, Entries& entries, Sink& sink, TreeRoot is_of);

}  // namespace lento::desk
