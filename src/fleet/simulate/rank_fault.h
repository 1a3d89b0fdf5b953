// Draws place and time of the fault of a simulated job, and finds the places that no record distinguishes
// from it.
#pragma once

#include "fleet/simulate/rank_job.h"
#include "fleet/simulate/rank_program.h"

namespace lento::fleet {

// Fills fault, factor, from_step, rank, host, same_ranks, same_hosts and whole_network. The job's seed, place
// and from_step decide. The same draws are made for every kind of fault.
void draw_rank_fault(const RankJob& job, const RankProgram& program, RankTruth& truth);

}  // namespace lento::fleet
