#include "chip/detect/slow_cores.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/stats.h"
#include "base/units.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

using trace::ProbeKind;

constexpr double kLeastRoom = 16;    // times slower that can be told
constexpr double kLowestLevel = 64;  // nominal rates at which the noise reaches the end of the scale

double octaves(double level) { return level / kLevelsPerOctave; }

// Mean level of a core's operations above nominal, in octaves; 0 when it computed nothing.
double mean_excess(const CoreSketch& core, double nominal) {
  double sum = 0, weight = 0;
  for (const CoreSketch::Held& held : core.held()) {
    if (Pattern::unpack(held.entry->key).kind != ProbeKind::Compute) continue;
    sum += octaves(held.entry->mean - nominal) * held.entry->count;
    weight += held.entry->count;
  }
  return weight > 0 ? sum / weight : 0;
}

// Slow in proportion: few operations must be far off, many may be a little off.
bool convincing(double factor, uint32_t operations, double least) {
  if (factor < least) return false;
  return operations >= 4 || (operations >= 2 && factor >= 1.25) || factor >= 1.5;
}

// The worst layer against the median of the other cores that ran the same layer.
void add_peer_evidence(const Sketch& sketch, Suspect& suspect) {
  const CoreSketch& own = sketch.cores()[static_cast<size_t>(suspect.component.index)];
  double worst = 0;
  uint16_t layer = 0;
  size_t worst_peers = 0;
  for (const CoreSketch::Held& held : own.held()) {
    const Pattern pattern = Pattern::unpack(held.entry->key);
    if (pattern.kind != ProbeKind::Compute) continue;
    std::vector<double> peers;
    for (const CoreSketch& core : sketch.cores()) {
      const SketchEntry* entry = &core == &own ? nullptr : core.find(pattern);
      if (entry != nullptr) peers.push_back(entry->mean);
    }
    const double above = octaves(held.entry->mean - base::median(peers));
    if (peers.empty() || above <= worst) continue;
    worst = above;
    layer = pattern.subject;
    worst_peers = peers.size();
  }
  if (worst_peers == 0) return;
  suspect.evidence.push_back({"mean service time in layer " + std::to_string(layer) +
                                  " against the median of " + std::to_string(worst_peers) +
                                  " cores with the same layer",
                              std::exp2(worst), "x", "sketch, compute entries"});
}

Suspect judge(const CoreSketch& core, int index, double reference) {
  Suspect s;
  s.component = {Part::Core, index, -1};
  double sum = 0;
  uint64_t count = 0;
  s.begin = UINT64_MAX;
  for (const Episode& e : core.episodes()) {
    if (octaves(e.mean) - reference < std::log2(1.08)) continue;
    sum += (octaves(e.mean) - reference) * e.count;
    count += e.count;
    const Spell spell{uint64_t{e.begin} << kTickShift, uint64_t{e.end} << kTickShift,
                      std::exp2(octaves(e.mean) - reference)};
    s.begin = std::min(s.begin, spell.begin);
    s.end = std::max(s.end, spell.end);
    s.lost_cycles += static_cast<double>(spell.end - spell.begin) * (1 - 1 / spell.factor);
    s.spells.push_back(spell);
  }
  s.seen = count;
  if (count == 0) return s;
  s.factor = std::exp2(sum / static_cast<double>(count));
  // Deviations of the rate noise squared, as a log-likelihood ratio.
  const double z = std::log(s.factor) / 0.0152;
  s.strength = static_cast<double>(count) * std::min(z * z / 2, 50.0);
  s.score = 1 - std::exp(-s.strength / 100);
  s.evidence.push_back(
      {std::to_string(count) + " operations ran slower than the nominal rate by more than 8 %", s.factor, "x",
       "sketch, compute episodes"});
  return s;
}

// Levels have 12 bits: what lies beyond either end of them reads as the end.
void note_headroom(const spec::Chip& chip, double nominal, std::vector<std::string>& notes) {
  const double room = std::exp2(octaves(kMaxLevel - nominal));
  const std::string rate = base::format_number(chip.core.ops_per_cycle) + " operations a cycle";
  if (room < kLeastRoom)
    notes.push_back("Insufficient evidence: at " + rate + " a core can be seen to be at most " +
                    base::format_number(room, 3) + " times slower");
  if (nominal <= kLowestLevel)
    notes.push_back(
        "Insufficient evidence: " + rate +
        " are more than the recorder resolves; slow cores read as faster than they are, or not at all");
}

}  // namespace

std::vector<Suspect> slow_cores(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options,
                                std::vector<std::string>& notes) {
  const double nominal =
      level_of(ProbeKind::Compute, 1 << 20, static_cast<uint64_t>((1 << 20) * chip.core.ops_per_cycle));
  note_headroom(chip, nominal, notes);
  std::vector<double> excess;
  for (const CoreSketch& core : sketch.cores()) excess.push_back(mean_excess(core, nominal));
  double reference = base::median(excess);
  if (reference < std::log2(1.05)) {
    reference = 0;
  } else {
    notes.push_back("most cores compute " + std::to_string(std::exp2(reference)).substr(0, 4) +
                    " times slower than the chip file says; cores are judged against one another");
  }
  std::vector<Suspect> out;
  for (size_t c = 0; c < sketch.cores().size(); ++c) {
    Suspect s = judge(sketch.cores()[c], static_cast<int>(c), reference);
    if (s.seen == 0 || !convincing(s.factor, static_cast<uint32_t>(std::min<uint64_t>(s.seen, 1000)),
                                   options.least_core_factor))
      continue;
    add_peer_evidence(sketch, s);
    out.push_back(std::move(s));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Suspect& a, const Suspect& b) { return a.strength > b.strength; });
  return out;
}

}  // namespace lento::chip
