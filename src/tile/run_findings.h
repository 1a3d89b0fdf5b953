// A run of a tile on a recording, and the findings that follow from it (run.h).
#pragma once

#include <optional>
#include <string>

#include "base/read_report.h"
#include "finding/finding.h"
#include "tile/block/vcd.h"
#include "tile/connected_tile.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

inline constexpr uint32_t kMostQueue = 64;  // largest input queue that is tried

struct LoadedImage {
  Image image;
  VerifyReport report;
  std::string bytes;
};

// The losses of a second run with an input queue of kMostQueue inputs, and the most inputs that waited in it
// at once.
struct QueueTrial {
  uint64_t lost = 0;
  size_t longest = 0;
};

struct TileRun {
  ConnectedTile connected;
  VcdReading reading;
  base::ReadReport report;
  std::optional<QueueTrial> with_queue;
  bool taps_count = false;  // some input of the map counts events
  // IORegs of the map, as bits: all, and those that have data only at some edges (`valid`, a tap).
  uint32_t mapped = 0;
  uint32_t sparse = 0;
};

// Returns "1 input", "2 inputs".
std::string count_text(uint64_t n, const std::string& what);
// Returns a share of 0 to 1 in percent, three digits.
std::string percent_text(double share);

// A finding about the program. `score` is from 0 to 1, `next` the step to take next.
struct ProgramFinding {
  std::string category;
  std::string text;
  double score = 0;
  finding::Evidence evidence;
  std::string next;
};
void add_program_finding(finding::Diagnosis& out, ProgramFinding finding);

// Adds findings about a recording: signals of other clocks, times without recording, unknown bits. `inputs`
// is the number of inputs that came.
void add_reading_findings(const VcdReading& reading, uint64_t inputs, finding::Diagnosis& out);

// Adds a finding for each breach of the image's declarations and each loss of inputs, and writes the verdict.
void add_findings(const LoadedImage& loaded, const TileRun& run, finding::Diagnosis& out);

}  // namespace lento::tile
