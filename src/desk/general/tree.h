// Documents of JSON that no reader is made for: the same keys and values as in reports, with the names that
// the objects around them state.
#pragma once

#include "base/json.h"
#include "desk/general/entries.h"

namespace lento::desk {

enum class TreeRoot {
  Any,
  Part  // the outermost object has to name a part
};

// Takes all members of a document. Marks the document as understood when one has a known meaning. Returns
// whether the root is as it should be.
bool walk_tree(const base::Json& root, Entries& entries, Sink& sink, TreeRoot is_of);

}  // namespace lento::desk
