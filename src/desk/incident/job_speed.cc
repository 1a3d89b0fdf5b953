// Compares the speed of a training job with the speed that its hardware should reach. Of a job that
// became slower, the median before the change is compared, because onset.cc reports the change. One quantity
// is compared, in this order of preference: tokens, floating point operations, time of a step.
#include "desk/incident/judge.h"
#include "desk/incident/series.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

struct Comparable {
  const char* quantity;
  MeasuredSpeed::Kind kind;
  double scale;
};
constexpr Comparable kComparables[] = {
    {"tokens per second and GPU", MeasuredSpeed::Kind::TokensPerGpu, 1},
    {"throughput per GPU", MeasuredSpeed::Kind::FlopsPerGpu, 1e12},
    {"step time", MeasuredSpeed::Kind::StepTime, 1},
};

// Returns the better of the medians before and after the most likely change, or the median of all values when
// no change is significant.
double best_level(const Quantity& quantity, const Track& track) {
  const std::span<const double> values = track.value;
  const Split split = best_split(values);
  constexpr double kUnlikely = 0.01;
  if (split.at == 0 || split.chance > kUnlikely)
    return evidence::median(values);
  const double before = evidence::median(values.subspan(0, split.at));
  const double behind = evidence::median(values.subspan(split.at));
  return times_worse(quantity, behind, before) > 1 ? before : behind;
}

double median_of(const Records& records, const std::vector<Tracks>& all, const char* name) {
  for (const Tracks& tracks : all)
    if (records.quantities()[tracks.quantity].name == name && !tracks.tracks.empty())
      return evidence::median(tracks.tracks[0].value);
  return 0;
}

}  // namespace

// Compares the speed of the whole job with the predicted one.
void judge_speed_of_job(const Records& records, const JudgeOptions& options, Judgement& out) {
  constexpr size_t kFewestSteps = 4;
  if (!options.compare)
    return;
  const std::vector<Tracks> all = tracks_of(records, Scope::Own);
  for (const Comparable& one : kComparables) {
    for (const Tracks& tracks : all) {
      const Quantity& quantity = records.quantities()[tracks.quantity];
      if (quantity.name != one.quantity || tracks.tracks.empty() ||
          tracks.tracks[0].value.size() < kFewestSteps)
        continue;
      MeasuredSpeed speed;
      speed.kind = one.kind;
      speed.value = best_level(quantity, tracks.tracks[0]) * one.scale;
      speed.batch = median_of(records, all, "global batch size");
      speed.sequence = median_of(records, all, "sequence length");
      std::string reason;
      const auto compared = options.compare(speed, reason);
      if (compared)
        add_compared(*compared, "the run", place_text(records, tracks.tracks[0].where[0]), out);
      else
        out.notes.push_back(quantity.name + " is not compared with what should be: " + reason);
      return;
    }
  }
}

}  // namespace lento::desk
