// Stores the state of the first pass over a trace, so that a long diagnosis survives a kill.
#pragma once

#include <string>

#include "memory/mine/functions.h"
#include "memory/mine/scan_state.h"

namespace lento::memory {

struct PassMark {
  uint64_t records = 0;  // records that the pass has read, filtered ones included
  bool finished = false;
};

// Packs the state. `key` names trace and options, and the state is only valid for the same key. The bytes end
// with a check sum.
std::string
pack_pass(const std::string& key, const PassMark& mark, const Scan& scan, const Functions& functions);

// The destination of an unpacked state.
struct PassState {
  PassMark& mark;
  Scan& scan;
  Functions& functions;
};

// Restores the state. Returns false, and changes nothing, when the bytes have another key. Throws base::Error
// naming `path` when they are damaged.
bool unpack_pass(
    std::string_view bytes,
    const std::string& path,
    const std::string& key,
    const PassState& state);

}  // namespace lento::memory
