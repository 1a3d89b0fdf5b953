// Rows of tables that name two hosts and the rate between them: "host_a,host_b,size,busbw_gbps", as people
// join the results of benchmarks of pairs.
#pragma once

#include <string>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

// Writes a Run whose members are the two hosts of the row, with the rate between them. Returns false when the
// columns do not name two hosts and a rate.
bool take_pair_row(
    const std::vector<std::string>& columns,
    const std::vector<std::string>& cells,
    Sink& sink);

}  // namespace lento::desk
