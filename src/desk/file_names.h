// Hosts and ranks from the names of files and folders: "dmesg-n17.txt" beside "dmesg-n18.txt", node1/smi.csv,
// rank3.log, and the folders 0, 1, 2 of torchrun.
#pragma once

#include <cstdint>
#include <map>

#include "desk/read/records.h"

namespace lento::desk {

// Returns the hosts or ranks after which files are named, by file. Parts of a rotated log have the same
// name.
std::map<int32_t, Subject> names_of(const Records& records);

}  // namespace lento::desk
