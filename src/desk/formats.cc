// One line a family: its folder has the readers, its page in docs/formats the grammar.
#include "desk/formats.h"

#include "desk/kernel/kernel.h"
#include "desk/pytorch/pytorch.h"

namespace lento::desk {

Formats all_formats() {
  Formats all;
  for (const Formats& family : {
           pytorch_formats(),
           kernel_formats(),
       })
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

}  // namespace lento::desk
