// The state of the first pass over a trace, so that a long diagnosis survives a kill.
#pragma once

#include <string>

#include "memory/mine/functions.h"
#include "memory/mine/scan_state.h"

namespace lento::memory {

struct PassMark {
  uint64_t records = 0;  // that the state holds, filtered ones included
  bool finished = false;
};

// `key` names trace and options: a state is only of use to the same run. The bytes end with a check sum.
std::string
pack_pass(const std::string& key, const PassMark& mark, const Scan& scan, const Functions& functions);

// Where a state is put.
struct PassState {
  PassMark& mark;
  Scan& scan;
  Functions& functions;
};

// False, and nothing changed, when the bytes are of another key. Throws base::Error when they are damaged;
// `path` names them.
bool unpack_pass(
    std::string_view bytes,
    const std::string& path,
    const std::string& key,
    const PassState& state);

}  // namespace lento::memory
