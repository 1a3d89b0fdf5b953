// Finds slow components of a fabric without a mapping, by comparing the records with themselves.
//
// Waits that move the same amount in the same way form equal groups. The fabric, played with the recorded
// issue times, gives the expected tail of each wait (from its last issue to its end), and equal groups share
// one unknown correction of it. The rest is noise, whose spread is estimated from the groups. A hypothesis is
// a candidate (a link, a port, a memory, a whole core), a factor and an effect: every transfer that takes it
// needs factor times its modelled time, so a wait ends no earlier than the latest of them (held_search.h), or
// it serves slowly, and the fabric plays the effect on all traffic (served_search.h). The hypothesis that
// explains the recorded ends best, and sufficiently better than none, is reported. Candidates that the same
// transfers take are not distinguishable and are reported as one class.
//
// Issue stamps show when a transfer was issued, waits when the last of several had come. A slow component
// that never holds the last transfer of a wait therefore leaves no trace here, whatever its factor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/fabric.h"
#include "chip/read/transfer_record.h"

namespace lento::chip {

struct FabricSuspect {
  std::vector<std::string> members;  // one class: components, then servers, by name
  // Other classes that would have left the same ends: their transfers differ, but none of those that do was
  // the last of a wait.
  std::vector<std::vector<std::string>> alike;
  double factor = 1;
  double evidence = 0;  // log-likelihood above that of a healthy fabric
  uint32_t waits = 0;   // that its transfers take part in
  uint32_t moved = 0;   // of them: end later under the hypothesis than without
  uint32_t transfers = 0;
  double spread = 0;  // by which ends that it caused differ from what the factor says, logarithm
};

struct FabricJudgement {
  bool judged = false;
  // Set when it could not be judged.
  std::string reason;
  std::string remedy;
  uint32_t waits = 0;                 // that were compared
  uint32_t patterns = 0;              // sorts of equal groups
  uint32_t left_out = 0;              // waits without an equal
  uint32_t played = 0;                // classes of components that were played slow
  double spread = 0;                  // of equal groups: robust standard deviation of the log of their tails
  std::vector<FabricSuspect> ranked;  // best first, at most ten
  bool blamed = false;                // the first of them is
  double strength = 0;                // evidence of the first, less what is needed
};

FabricJudgement judge(const Fabric& fabric, const TransferTrace& trace);

// The same with an earlier run of the same program: each wait's tail should equal its earlier one. `common`
// is the factor by which all waits together are longer. Not judged when the two are not runs of one program.
struct FabricComparison {
  FabricJudgement judgement;
  double common = 1;
};
FabricComparison compare(const Fabric& fabric, const TransferTrace& before, const TransferTrace& after);

}  // namespace lento::chip
