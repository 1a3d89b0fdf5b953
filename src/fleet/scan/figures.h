// Pictures of a scan: the machines of a finding against their peers, and all machines over time.
#pragma once

#include <vector>

#include "fleet/scan/notes.h"
#include "fleet/scan/record.h"

namespace lento::fleet {

// One metric of the machines of a finding, in their group, with the span of the finding marked.
struct Picture {
  size_t metric = 0;
  std::vector<size_t> machines;  // sorted
  std::vector<size_t> peers;     // of their group, without them
  Span span;
};

void add_picture(const View& view, const Picture& picture, finding::Diagnosis& diagnosis);

// Adds a map of the machines that deviated most from their peers, in multiples of the detectable change.
void add_heat_map(const View& view, finding::Diagnosis& diagnosis);

}  // namespace lento::fleet
