// Draws the pictures of a scan: the machines of a finding beside their peers, and all machines over time.
#pragma once

#include <vector>

#include "fleet/scan/notes.h"
#include "fleet/scan/record.h"

namespace lento::fleet {

// A picture of one metric: the machines of a finding, their peers, and the time of the finding.
struct Picture {
  size_t metric = 0;
  std::vector<size_t> machines;  // sorted
  std::vector<size_t> peers;     // the other machines of their group
  Span span;
};

void add_picture(const View& view, const Picture& picture, finding::Diagnosis& diagnosis);

// Adds a map of the machines that deviated most from their peers, in multiples of the detectable change.
void add_heat_map(const View& view, finding::Diagnosis& diagnosis);

}  // namespace lento::fleet
