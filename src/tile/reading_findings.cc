// Findings about a recording. Each says how much of the inputs may be wrong or missing by what the reader
// counted (VcdReading).
#include <algorithm>

#include "base/units.h"
#include "tile/run_findings.h"

namespace lento::tile {
namespace {

// Reports signals that probably belong to another clock than the one that samples them in the map, with the
// number of changes that were not seen, or of inputs that were taken more than once.
void foreign_clocks(const VcdReading& reading, finding::Diagnosis& out) {
  for (const UnsampledSignal& s : reading.unsampled) {
    const std::string about = "'" + s.signal + "' changes with " +
                              (s.likely.empty() ? "no clock of the recording" : s.likely) +
                              " and was sampled by " + s.clock + ": ";
    const std::string next = s.likely.empty()
                                 ? "record the clock that drives it, and give it to the input in the map"
                                 : "give the input its own clock in the map: 'clock: " + s.likely + "'";
    if (s.lost > 0) {
      const double unseen = double(s.lost) / double(s.changes);
      add_program_finding(
          out,
          {"foreign clock",
           about + std::to_string(s.lost) + " of its " + count_text(s.changes, "change") + " (" +
               percent_text(unseen) + " %) fell between two samples and were not seen.",
           0.9,
           {"share of changes not seen", unseen, "", "recording"},
           next});
      continue;
    }
    add_program_finding(
        out,
        {"foreign clock",
         about + "it was set at " + count_text(s.sampled, "edge") + " of " + s.clock + " and at " +
             std::to_string(s.meant) + " of " + s.likely + ", so that " +
             count_text(s.sampled - s.meant, "input") + " too many were taken.",
         0.9,
         {"inputs for each edge of its clock",
          double(s.sampled) / double(std::max<uint64_t>(s.meant, 1)),
          "",
          "recording"},
         next});
  }
}

// Reports the times in which the recording was off. A count or a duration of the program that spans one is
// short by it.
void recording_off(const VcdReading& reading, finding::Diagnosis& out) {
  const RecordingOff& off = reading.off;
  if (off.times == 0)
    return;
  add_program_finding(
      out,
      {"recording off",
       "The recording was off ($dumpoff) " +
           (off.times == 1 ? "" : std::to_string(off.times) + " times, first ") + "from #" +
           std::to_string(off.begin) + " to #" + std::to_string(off.end) + ", " +
           (off.times == 1 ? "" : "in all ") + "about " + base::format_number(off.cycles, 6) +
           " cycles of the block: what happened then was not counted, and a duration that spans it is too "
           "short.",
       0.95,
       {"cycles that were not recorded", off.cycles, "cycles", "recording"},
       "record without $dumpoff, or run on a recording of each part alone"});
}

// Reports inputs with bits that are neither 0 nor 1. The program computes with 0 in their place.
void unknown_inputs(const VcdReading& reading, uint64_t inputs, finding::Diagnosis& out) {
  if (reading.unknown_inputs == 0)
    return;
  const double share = double(reading.unknown_inputs) / double(std::max<uint64_t>(inputs, 1));
  add_program_finding(
      out,
      {"unknown bits",
       std::to_string(reading.unknown_inputs) + " of " + count_text(inputs, "input") + " (" +
           percent_text(share) +
           " %) had bits that are x or z in the recording and were read as 0: sums and " +
           "counts over them are not to be trusted.",
       0.9,
       {"share of inputs with unknown bits", share, "", "recording"},
       "give the input a 'valid' signal that is high only when its bits are driven, or begin after reset"});
}

// Reports edges at which it is not known whether the input was valid, or whether the clock ticked.
void unknown_edges(const VcdReading& reading, finding::Diagnosis& out) {
  const uint64_t edges = reading.unknown_valids + reading.unknown_clocks;
  if (edges == 0)
    return;
  std::string what;
  if (reading.unknown_valids > 0)
    what = "A 'valid' signal was x or z at " + count_text(reading.unknown_valids, "edge");
  if (reading.unknown_clocks > 0)
    what += (what.empty() ? "A" : ", and a") + std::string(" clock became x or z ") +
            count_text(reading.unknown_clocks, "time");
  add_program_finding(
      out,
      {"unknown bits",
       what + " after it had been known: inputs there were not taken.",
       0.9,
       {"edges that are not known", double(edges), "", "recording"},
       "find what drives the signal to x or z, or end the recording before it"});
}

}  // namespace

std::string count_text(uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string percent_text(double share) {
  return base::format_number(100 * share, 3);
}

void add_program_finding(finding::Diagnosis& out, ProgramFinding finding) {
  finding::Finding f;
  f.subject = "program";
  f.category = std::move(finding.category);
  f.summary = std::move(finding.text);
  f.score = finding.score;
  f.evidence.push_back(std::move(finding.evidence));
  f.next_step = std::move(finding.next);
  out.findings.push_back(std::move(f));
}

void add_reading_findings(const VcdReading& reading, uint64_t inputs, finding::Diagnosis& out) {
  foreign_clocks(reading, out);
  recording_off(reading, out);
  unknown_inputs(reading, inputs, out);
  unknown_edges(reading, out);
}

}  // namespace lento::tile
