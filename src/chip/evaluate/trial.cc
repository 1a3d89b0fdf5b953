#include "chip/evaluate/trial.h"

#include "base/rng.h"

namespace lento::chip {
namespace {

// Loses records at random on their way to another sink.
class Lossy : public trace::RecordSink {
 public:
  Lossy(trace::RecordSink& to, double share, uint64_t seed)
      : to_(to), share_(share), rng_(seed, "lost records") {}
  Outcome record(const trace::ProbeRecord& r) override {
    if (share_ > 0 && rng_.uniform() < share_) return {0, true};
    return to_.record(r);
  }

 private:
  trace::RecordSink& to_;
  double share_;
  base::Rng rng_;
};

}  // namespace

Bench::Bench(std::string name, const spec::Chip& chip, const Mapping& mapping, const TrialOptions& options)
    : name_(std::move(name)),
      options_(options),
      program_(expand(mapping, chip, name_)),
      model_(chip, program_) {
  options_.sketch.ops_per_cycle = chip.core.ops_per_cycle;
  shapes_ = plan_shapes(count_patterns(program_, chip), options_.sketch, options_.most_bins);
}

uint64_t Bench::sketch_bytes() const {
  uint64_t sum = 0;
  for (const SketchShape& shape : shapes_) sum += shape.bytes();
  return sum;
}

Sketch Bench::record(const std::vector<Fault>& faults, uint64_t seed, Result* result) const {
  Sketch sketch(shapes_, options_.sketch);
  Lossy lossy(sketch, options_.lost_share, seed);
  Options run;
  run.inferences = options_.inferences;
  run.seed = seed;
  const Result r = simulate(model_, faults, run, &lossy);
  if (result != nullptr) *result = r;
  return sketch;
}

const std::vector<Sketch>& Bench::healthy() const {
  std::call_once(healthy_once_, [&] {
    for (uint32_t i = 0; i < std::max(1u, options_.detect.healthy_draws); ++i)
      healthy_.push_back(record({}, options_.replay_seed + i));
  });
  return healthy_;
}

std::vector<uint64_t> Bench::hits(const std::vector<Fault>& faults) const {
  Options run;
  run.inferences = options_.inferences;
  run.noise = false;
  return simulate(model_, faults, run).fault_hits;
}

Bench::Outcome Bench::run(const std::vector<Fault>& faults, uint64_t seed) const {
  Outcome out;
  Result result;
  const Sketch sketch = record(faults, seed, &result);
  DetectOptions detect_options = options_.detect;
  if (options_.replay)
    detect_options.replay = [&](const std::vector<Fault>& guess, uint32_t draw) {
      return guess.empty() ? healthy()[draw] : record(guess, options_.replay_seed + draw);
    };
  out.detection = detect(sketch, model_.chip, program_, detect_options);
  out.truth = claims_of(faults);
  out.run_cycles = result.cycles;
  out.records = result.records;
  out.sketch_bytes = sketch.bytes();
  out.strict = strictly_right(out.truth, claims_of(out.detection.reported));
  return out;
}

std::vector<Claim> claims_of(const std::vector<Fault>& faults) {
  std::vector<Claim> out;
  for (const Fault& f : faults) out.push_back({component_of(f), f.begin, f.end});
  return out;
}

std::vector<Claim> claims_of(const std::vector<Suspect>& suspects) {
  std::vector<Claim> out;
  for (const Suspect& s : suspects) out.push_back({s.component, s.begin, s.end});
  return out;
}

}  // namespace lento::chip
