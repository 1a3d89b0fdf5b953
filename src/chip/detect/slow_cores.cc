// Adds up the episodes (stretches of slow operations) that the recorder kept for each core, and compares
// their log-likelihood ratio with the threshold that the allowed number of false alarms gives.
#include "chip/detect/slow_cores.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "chip/detect/evidence.h"
#include "chip/detect/tuning.h"
#include "chip/sketch/level.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

double octaves(double level) {
  return level / kLevelsPerOctave;
}

// Returns by how many octaves the operations of a core took longer than at the nominal level (1/256 octave),
// as a mean weighted by their work. 0 when it computed nothing.
double mean_excess(const CoreSketch& core, double nominal) {
  double sum = 0;
  double weight = 0;
  for (const CoreSketch::Entry& kept : core.entries()) {
    if (Pattern::unpack(kept.entry->key).kind != ProbeKind::Compute)
      continue;
    const double length = kept.entry->count * double{kept.entry->mean_work};
    sum += octaves(kept.entry->mean - nominal) * length;
    weight += length;
  }
  return weight > 0 ? sum / weight : 0;
}

uint64_t operations(const Sketch& sketch) {
  uint64_t sum = 0;
  for (const CoreSketch& core : sketch.cores())
    for (const CoreSketch::Entry& kept : core.entries())
      if (Pattern::unpack(kept.entry->key).kind == ProbeKind::Compute)
        sum += kept.entry->count;
  return sum;
}

// Adds as evidence the layer in which the core was slowest relative to the median of the other cores that
// computed it.
void add_peer_evidence(const Sketch& sketch, Suspect& suspect) {
  const CoreSketch& own = sketch.cores()[size_t(suspect.component.index)];
  double worst = 0;
  uint16_t layer = 0;
  size_t worst_peers = 0;
  for (const CoreSketch::Entry& kept : own.entries()) {
    const Pattern pattern = Pattern::unpack(kept.entry->key);
    if (pattern.kind != ProbeKind::Compute)
      continue;
    std::vector<double> peers;
    for (const CoreSketch& core : sketch.cores()) {
      const SketchEntry* entry = &core == &own ? nullptr : core.find(pattern);
      if (entry != nullptr)
        peers.push_back(entry->mean);
    }
    const double above = octaves(kept.entry->mean - evidence::median(peers));
    if (peers.empty() || above <= worst)
      continue;
    worst = above;
    layer = pattern.subject;
    worst_peers = peers.size();
  }
  if (worst_peers == 0)
    return;
  suspect.evidence.push_back(
      {"mean service time in layer " + std::to_string(layer) + " against the median of " +
           std::to_string(worst_peers) + " cores with the same layer",
       std::exp2(worst),
       "x",
       "sketch, compute entries"});
}

// The reference levels and thresholds for the cores of a chip. A level is log2 of cycles per operation in
// steps of 1/256 octave, with an offset (sketch/level.h).
struct Yardstick {
  double recorder = 0;  // level of the recorder's nominal rate, above which it measures episodes
  double nominal = 0;   // level of the rate in the chip file
  double noise = 0;     // standard deviation of the rate of an operation, relative to the rate
  double least = 1;     // smallest factor that is reported
  double enough = 0;    // smallest log-likelihood ratio that is reported
};

// Returns by how many octaves the mean operation of an episode is slower than a core that is itself
// `reference` octaves slower than the rate in the chip file.
double above(const Episode& e, const Yardstick& by, double reference) {
  return octaves(e.mean + by.recorder - by.nominal) - reference;
}

// Returns the log-likelihood ratio of `count` operations that are slower by `factor`, against normal noise of
// the rate: for each, half the square of its deviation from the rate in standard deviations. A few very slow
// operations weigh as much as many slightly slow ones.
double strength_of(uint64_t count, double factor, double noise) {
  const double z = (1 - 1 / factor) / noise;
  return double(count) * z * z / 2;
}

// Returns by how many octaves an operation may be slower than its core's rate and still count as healthy.
// `noise` is the relative standard deviation of the rate.
double quiet_octaves(double noise) {
  return -std::log2(quiet_share(noise));
}

Suspect judge(const CoreSketch& core, int index, double reference, const Yardstick& by) {
  Suspect s;
  s.component = {Part::Core, index, -1};
  double sum = 0;
  uint64_t count = 0;
  s.begin = UINT64_MAX;
  for (const Episode& e : core.episodes()) {
    const double off = above(e, by, reference);
    if (off < std::log2(by.least) || off < quiet_octaves(by.noise))
      continue;
    sum += off * e.count;
    count += e.count;
    const SlowInterval slow_interval{
        uint64_t{e.begin} << kTickShift,
        uint64_t{e.end} << kTickShift,
        std::exp2(off)};
    s.begin = std::min(s.begin, slow_interval.begin);
    s.end = std::max(s.end, slow_interval.end);
    s.lost_cycles += double(slow_interval.end - slow_interval.begin) * (1 - 1 / slow_interval.factor);
    s.slow_intervals.push_back(slow_interval);
  }
  s.seen = count;
  if (count == 0)
    return s;
  s.factor = std::exp2(sum / double(count));
  s.strength = strength_of(count, s.factor, by.noise);
  s.score = score_of(s.strength);
  s.evidence.push_back(
      {std::to_string(count) + " operations ran slower than their core's rate",
       s.factor,
       "x",
       "sketch, compute episodes"});
  return s;
}

// Adds notes when the range of the levels that the recorder stores (12 bits of log2 of cycles per operation)
// is too short to show slow cores of this rate.
void note_headroom(const spec::Chip& chip, const Yardstick& by, std::vector<std::string>& notes) {
  const double room = std::exp2(octaves(kMaxLevel - by.nominal));
  const std::string rate = base::format_number(chip.core.ops_per_cycle) + " operations a cycle";
  if (room < 1 / kLeastShare)
    notes.push_back(
        "Insufficient evidence: at " + rate + " a core can be seen to be at most " + format_factor(room) +
        " times slower");
  if (octaves(by.nominal) <= quiet_octaves(by.noise))
    notes.push_back(
        "Insufficient evidence: " + rate +
        " are more than the recorder resolves; slow cores read as faster than they are, or not at all");
}

// Returns by how many octaves the median core is slower than the chip file states, or 0 when noise explains
// it. A wrong rate in the file is no fault of one core.
double usual_excess(const Sketch& sketch, const Yardstick& by, std::vector<std::string>& notes) {
  std::vector<double> excess;
  for (const CoreSketch& core : sketch.cores())
    excess.push_back(mean_excess(core, by.nominal));
  const double reference = evidence::median(excess);
  if (reference < quiet_octaves(by.noise))
    return 0;
  notes.push_back(
      "most cores compute " + format_factor(std::exp2(reference)) +
      " times slower than the chip file says; cores are judged against one another");
  return reference;
}

}  // namespace

std::vector<Suspect> slow_cores(
    const Sketch& sketch,
    const spec::Chip& chip,
    const DetectOptions& options,
    std::vector<std::string>& notes) {
  Yardstick by;
  by.nominal = compute_level(chip.core.ops_per_cycle);
  by.recorder = compute_level(sketch.options().ops_per_cycle);
  // Durations are rounded to whole cycles, which alone is an error of half a cycle in kLeastCycles.
  by.noise = std::max(0.5 / double(kLeastCycles), chip.core.rate_deviation);
  by.least = kLeastCoreFactor;
  // Each operation is one test, so the allowed number of false alarms is divided by their number.
  by.enough = std::log(double(std::max<uint64_t>(1, operations(sketch))) / options.false_alarms);
  note_headroom(chip, by, notes);
  const double usual = options.own != nullptr ? 0 : usual_excess(sketch, by, notes);
  std::vector<Suspect> out;
  for (size_t c = 0; c < sketch.cores().size(); ++c) {
    const double own = options.own != nullptr ? std::log2(Deviations::of(options.own->cores, c)) : 0;
    Suspect s = judge(sketch.cores()[c], int(c), usual + own, by);
    if (s.seen == 0 || s.factor < by.least || s.strength < by.enough)
      continue;
    if (strength_of(s.seen - 1, s.factor, by.noise) < by.enough) {
      notes.push_back(
          "core" + std::to_string(c) + " took " + format_factor(s.factor) +
          " times as long as it should for " + std::to_string(s.seen) +
          " of its operations, and without one of them that may be chance");
      continue;
    }
    add_peer_evidence(sketch, s);
    out.push_back(std::move(s));
  }
  std::ranges::stable_sort(out, [](const Suspect& a, const Suspect& b) {
    return a.strength > b.strength;
  });
  return out;
}

}  // namespace lento::chip
