// Draws the place and time of the fault of a simulated job, and finds the other places at which a fault would
// leave the same records.
#pragma once

#include "fleet/simulate/rank_job.h"
#include "fleet/simulate/rank_program.h"

namespace lento::fleet {

// Sets fault, factor, from_step, rank, host, same_ranks, same_hosts and whole_network. Place and first step
// are those of the job or drawn from its seed, with the same draws for every kind of fault.
void draw_rank_fault(const RankJob& job, const RankProgram& program, RankTruth& truth);

}  // namespace lento::fleet
