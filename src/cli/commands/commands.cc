// Lists the commands of `lento`. The order here is the order of the help, and each command is declared in its
// own file.
#include "cli/commands/commands.h"

#include "cli/commands/first_look.h"

namespace lento::cli {

Program program() {
  return {
      "lento",
      "Lento finds what is slow in parallel AI hardware, and says how fast it should have been.",
      {add_chip,
       add_demo,
       add_diagnose,
       add_diff,
       add_docs,
       add_fleet,
       add_report,
       add_memory,
       add_search,
       add_serve,
       add_tile,
       add_predict},
      {{"chip campaign", "lento-lab chip campaign"},
       {"chip evaluate", "lento-lab chip evaluate"},
       {"fleet evaluate", "lento-lab fleet evaluate"},
       {"tile case", "lento-lab tile case"},
       {"validate", "lento-lab validate"}},
      nullptr,
      first_look};
}

}  // namespace lento::cli
