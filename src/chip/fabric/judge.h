// Finds slow components of a fabric without a mapping, by comparing the records with each other.
//
// Waits that move the same amount in the same way form a group. A simulation of the fabric with the recorded
// issue times gives the expected tail of each wait (from its last issue to its end), and each group has one
// unknown correction of it. The rest is noise, whose spread is estimated from the groups. A hypothesis is a
// candidate (a link, a port, a memory, a whole core), a factor and an effect. Either every transfer over the
// candidate needs factor times its modelled time, so that a wait ends no earlier than the latest of them
// (slowed_search.h). Or the candidate has a lower rate, and the effect on all traffic is simulated
// (served_search.h). The hypothesis that explains the recorded ends best, and sufficiently better than none,
// is reported. Candidates that the same transfers pass are indistinguishable and reported as one class.
//
// Issue stamps show when a transfer was issued, waits when the last of several had arrived. A slow component
// that never delays the last transfer of a wait therefore leaves no trace here, whatever its factor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/fabric.h"
#include "chip/read/transfer_record.h"

namespace lento::chip {

struct FabricSuspect {
  std::vector<std::string> members;  // one class: components, then servers, by name
  // Other classes that predict the same ends of waits: their transfers differ from those of `members`, but no
  // transfer in which they differ was the last one of a wait.
  std::vector<std::vector<std::string>> alike;
  double factor = 1;
  double evidence = 0;  // log-likelihood over that of a healthy fabric
  uint32_t waits = 0;   // waits that include its transfers, or with Effect::Serves: that it changes
  uint32_t moved = 0;   // waits that end later under the hypothesis
  uint32_t transfers = 0;
  // Standard deviation of the log of recorded over predicted tails: of the waits that the suspect ended, or
  // with Effect::Serves of all.
  double spread = 0;
};

struct FabricJudgement {
  bool judged = false;
  // Set when the records could not be judged.
  std::string reason;
  std::string remedy;
  uint32_t waits = 0;                 // compared waits
  uint32_t patterns = 0;              // groups of equal waits
  uint32_t left_out = 0;              // waits in groups that are too small to be compared (kEqualWaits)
  uint32_t played = 0;                // classes that were simulated as slow servers
  double spread = 0;                  // robust standard deviation of log tails within groups of equal waits
  std::vector<FabricSuspect> ranked;  // best first, at most ten
  bool blamed = false;                // whether ranked.front() is reported as slow
  double strength = 0;                // evidence of the first beyond the threshold
};

FabricJudgement judge(const Fabric& fabric, const TransferTrace& trace);

// Compares with an earlier run of the same program: each wait's tail should equal the earlier one. `common`
// is the factor by which tails are longer than before, the median over the waits that no slow component
// delays. Sets `reason` and judges nothing when the two are not runs of one program.
struct FabricComparison {
  FabricJudgement judgement;
  double common = 1;
};
FabricComparison compare(const Fabric& fabric, const TransferTrace& before, const TransferTrace& after);

}  // namespace lento::chip
