// Finds the accesses that show what an access takes alone, in a trace that names neither culprits nor levels.
//
// The cost of sharing is then the latency beyond that of undisturbed accesses, so these must not be taken
// from the accesses under suspicion: where every access is contended, none is slower than the others. An
// access is quiet unless another thread wrote the block since its thread used it, or, for a store, used it at
// all. Samples do not show which thread used a block last, so in a sampled trace a block is quiet as long as
// it is not written or one thread alone uses it.
#pragma once

#include "memory/mine/contention_scan.h"

namespace lento::memory {

// Fills in Scan::quiet, quiet_by_type and contended (accesses). Cost: a pass. Blocks beyond
// kMostLines count as neither.
void find_quiet(const OpenTrace& open, const ContentionOptions& options, Functions& functions, Scan& scan);

// Returns whether the accesses of a type have enough quiet ones for a baseline.
bool has_quiet(const Scan& scan, size_t type);

// Returns the smallest p that Fisher's exact test can reach on this trace, if all `high` latencies are among
// the contended accesses (Scan::contended), for the access type where that is largest. Above the level of the
// test, contention cannot be found. Returns 0 without types that have enough contended accesses, 1 when one
// has too few quiet ones.
double least_chance(const Scan& scan, uint64_t high);

}  // namespace lento::memory
