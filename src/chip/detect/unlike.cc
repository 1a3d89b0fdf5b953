// For each kind of transfer (message, read, write), compares the median over patterns of the shift in octaves
// of the fastest transfer with the interval that the shifts of simulated runs predict for a further run, by
// Student's t.
#include "chip/detect/unlike.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "chip/detect/evidence.h"
#include "chip/detect/tuning.h"
#include "evidence/distribution.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

// The level (log2 of cycles per byte, octaves) of the fastest transfer of each pattern of a core, by
// simulated run.
using Key = std::pair<int, uint64_t>;
using Fastest = std::map<Key, std::vector<double>>;

Key key_of(const Row& row) {
  return {row.core, row.pattern.packed()};
}

Fastest fastest_of(const std::vector<Cells>& runs) {
  Fastest out;
  for (const Cells& run : runs)
    for (const Row& row : run.rows)
      out[key_of(row)].push_back(row.lowest);
  std::erase_if(out, [&](const auto& pattern) {
    return pattern.second.size() < runs.size();
  });
  return out;
}

bool passes_any(const Path& path, const std::vector<Suspect>& suspects) {
  return std::ranges::any_of(suspects, [&](const Suspect& s) {
    return path.crosses(s.component);
  });
}

// Returns the median over patterns of the shift, in octaves, of the fastest transfer: first that of the
// recorded run against the mean of the simulated ones, then that of each simulated run against the others.
std::vector<double> shifts_of(const RecordedRun& run, const Fastest& simulated, size_t runs, ProbeKind kind) {
  std::vector<std::vector<double>> octaves(runs + 1);
  for (size_t r = 0; r < run.cells.rows.size(); ++r) {
    const Row& row = run.cells.rows[r];
    const auto known = simulated.find(key_of(row));
    if (row.pattern.kind != kind || known == simulated.end() || passes_any(run.paths[r], run.reported))
      continue;
    const std::vector<double>& fastest = known->second;
    const double mean = evidence::mean(fastest);
    octaves[0].push_back(row.lowest - mean);
    for (size_t i = 0; i < runs; ++i)
      octaves[i + 1].push_back((fastest[i] - mean) * double(runs) / double(runs - 1));
  }
  std::vector<double> out;
  for (const std::vector<double>& of_run : octaves)
    out.push_back(evidence::median(of_run));
  return out;
}

}  // namespace

std::string unlike_simulated(const RecordedRun& run, const std::vector<Cells>& healthy, double false_alarms) {
  if (healthy.size() < 2)
    return {};
  const Fastest simulated = fastest_of(healthy);
  // A shift below kLeastNoise is within the noise that the scan assumes of each record, and changes no
  // report.
  const double deviations = evidence::student_quantile(1 - false_alarms, double(healthy.size() - 1));
  for (const ProbeKind kind : {ProbeKind::Message, ProbeKind::Read, ProbeKind::Write}) {
    const std::vector<double> shifts = shifts_of(run, simulated, healthy.size(), kind);
    const std::span drawn = std::span(shifts).subspan(1);
    const double off = shifts[0] - evidence::mean(drawn);
    if (std::abs(off) > std::max(kLeastNoise, deviations * std::sqrt(evidence::variance(drawn))))
      return "most transfers take " + format_factor(std::exp2(off)) +
             " times as long as on the chip of the file, also those through no suspect";
  }
  return {};
}

}  // namespace lento::chip
