// Joins episodes into causes. A cause is one change that several metrics of the same machines show.
#pragma once

#include <vector>

#include "fleet/scan/notes.h"
#include "fleet/scan/record.h"

namespace lento::fleet {

// Episodes of several metrics that are one change.
struct Cause {
  std::vector<const Episode*> episodes;  // by falling score
  std::vector<size_t> machines;          // sorted
  Span span;
  bool active = true;
};

// Joins the episodes that share machines and time into causes, the strongest first.
std::vector<Cause> causes(const View& view, const ScanOptions& options);

// Returns the begins of the spells in which the machine of a cause deviates at least half as far from its
// usual level as in the cause, each as long as the cause.
std::vector<size_t> spells_of(const View& view, const Cause& cause);

// Returns whether spells were there since the begin of the record: the first is not later than the longest
// distance between two of at least three.
bool are_usual(const std::vector<size_t>& begins);

// Returns the begin and end of an episode with the largest likelihood, near those that the windows gave.
Span refine(const View& view, const Episode& episode);

// Returns whether an episode was raised in the part of the record that is judged.
bool judged_then(const Episode& episode, const ScanOptions& options);

float score_of(const Episode& episode);

// Returns the machines of a group that are not among `members`, which are sorted.
std::vector<size_t> others_of(const View& view, size_t group, const std::vector<size_t>& members);

}  // namespace lento::fleet
