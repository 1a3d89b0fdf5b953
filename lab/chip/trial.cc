// Passes the records of one simulated run to all recorders, and gives each method a function that simulates
// its hypotheses with the same recorder.
#include "lab/chip/trial.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/rng.h"
#include "chip/detect/alike.h"
#include "chip/detect/scan.h"
#include "chip/diagnose.h"
#include "chip/model_judge.h"
#include "chip/recording.h"
#include "chip/replay.h"
#include "lab/chip/apart.h"

namespace lento::chip {
namespace {

// Drops records at random on their way to the recorders, and counts the records that the probes wrote.
class Spread : public RecordSink {
 public:
  Spread(std::vector<Recorder> recorders, double lost_share, uint64_t seed)
      : to(std::move(recorders)),
        share_(lost_share),
        rng_(seed, "lost records") {
  }

  Outcome record(const ProbeRecord& r) override {
    ++written[size_t(r.kind)];
    for (FlowWindow& window : windows)
      window.see(r);
    if (same)
      same->see(r);
    if (apart)
      apart->see(r);
    if (share_ > 0 && rng_.uniform() < share_)
      return {0, true};
    for (Recorder& recorder : to)
      recorder.record(r);
    if (keep && records.size() < kMostPrepared)
      records.push_back(r);
    return {};
  }
  std::vector<Recorder> to;
  std::vector<FlowWindow> windows;   // one for each fault
  std::optional<ApartEvents> apart;  // none: of one fault all events are its own
  std::optional<SameEvents> same;    // none: there is no fault
  uint64_t written[4] = {};          // by kind
  bool keep = false;
  std::vector<ProbeRecord> records;  // that the recorders took, if they are to be kept

 private:
  double share_;
  base::Rng rng_;
};

RecorderChoice only_recorder(const TrialOptions& options) {
  RecorderChoice choice;
  choice.options = options.sketch;
  choice.most_bins = options.most_bins;
  return choice;
}

}  // namespace

PreparedWorkload::PreparedWorkload(
    std::string name,
    const spec::Chip& chip,
    const Mapping& mapping,
    const TrialOptions& options)
    : name_(std::move(name)),
      options_(options),
      program_(expand(mapping, chip, name_)),
      model_(chip, program_),
      patterns_(count_patterns(program_, chip)) {
  if (options_.recorders.empty())
    options_.recorders = {only_recorder(options)};
  for (RecorderChoice& r : options_.recorders)
    r.options.ops_per_cycle = recorder_rate(chip.core.ops_per_cycle, chip.core.rate_deviation);
}

uint64_t PreparedWorkload::sketch_bytes() const {
  return Recorder(options_.recorders[0], patterns_).bytes();
}

PreparedWorkload::Run PreparedWorkload::simulate_run(
    const std::vector<Fault>& faults,
    uint64_t seed,
    const std::string& probes) const {
  return simulate_run_on(model_, faults, seed, probes);
}

PreparedWorkload::Run PreparedWorkload::simulate_run_on(
    const Model& real,
    const std::vector<Fault>& faults,
    uint64_t seed,
    const std::string& probes) const {
  std::vector<Recorder> recorders;
  for (const RecorderChoice& choice : options_.recorders)
    recorders.emplace_back(choice, patterns_);
  Spread spread(std::move(recorders), options_.lost_share, seed);
  for (const Fault& f : faults)
    spread.windows.push_back({f.begin, f.end});
  if (!faults.empty())
    spread.same.emplace(faults, model_.chip, model_.grid);
  if (faults.size() > 1)
    spread.apart.emplace(faults, model_.chip, model_.grid);
  spread.keep = options_.model;
  Options run;
  run.inferences = options_.inferences;
  run.seed = seed;
  run.probes = named_plan(probes);
  Run out;
  out.result = simulate(real, faults, run, &spread);
  for (Recorder& recorder : spread.to) {
    const uint64_t bytes = recorder.bytes();
    out.recorded.push_back({recorder.take(), bytes});
  }
  const std::vector<Component> all = all_components(model_.grid);
  for (size_t i = 0; i < faults.size(); ++i)
    out.classes.push_back(
        alike(component_of(faults[i]), spread.windows[i].flows, all, model_.chip, model_.grid));
  if (spread.records.size() < kMostPrepared)
    out.records = std::move(spread.records);
  if (spread.same)
    out.edges = spread.same->edges();
  if (spread.apart)
    out.apart = spread.apart->counts();
  out.computes = spread.written[size_t(ProbeKind::Compute)];
  out.messages = spread.written[size_t(ProbeKind::Message)];
  out.memory = spread.written[size_t(ProbeKind::Read)] + spread.written[size_t(ProbeKind::Write)];
  return out;
}

// A hypothesis is simulated with the recorder that it is compared with, and with no other.
ReplayOf PreparedWorkload::replays_of(const Run::Recorded& recorded, size_t recorder) const {
  if (recorded.bytes == 0 || !options_.replay)
    return {};
  const Recorder fresh(options_.recorders[recorder], patterns_);
  Options again = replay_run(recorded.sketch, options_.seed, {});
  const Spread sink({fresh}, options_.lost_share, again.seed);
  return ChipReplays<Spread>(program_, again, sink, fresh.bytes(), [](Spread spread) {
    return spread.to[0].take();
  });
}

// As diagnose_chip() does it: the model takes the records first, and the recorder gets what it makes of them.
MethodResult PreparedWorkload::judge_run(
    const Run& run,
    size_t recorder,
    const MethodChoice& method,
    const ReplayOf& replays,
    const Run* healthy) const {
  if (run.recorded[recorder].bytes == 0)
    return {};
  const ChipUnderTest of{model_.chip, program_};
  DetectOptions detect = options_.detect;
  if (healthy != nullptr)
    detect.healthy = &healthy->recorded[recorder].sketch;
  ChipDiagnosisOptions job;
  job.method = method;
  job.model = options_.model && !run.records.empty();
  job.replay = bool(replays);
  job.false_alarms = detect.false_alarms;
  const base::Progress progress;
  const auto prepared = [](const Prepare& prepare, std::vector<ProbeRecord> records) {
    if (prepare)
      prepare(records);
    return records;
  };
  if (ModelJudge first(job, of, {}, progress); const Prepare prepare = first.prepare())
    std::call_once(learnt_->once, [&] {
      prepared(prepare, run.records);
      learnt_->model = first.model();
    });
  if (learnt_->model) {
    // Each run counts its own simulations, whatever was judged before it.
    auto fresh = std::make_shared<ChipModel>(*learnt_->model);
    fresh->shifts = std::make_shared<Shifts>(fresh->setup);
    job.learnt = std::move(fresh);
  }
  ModelJudge by_model(job, of, {}, progress);
  const std::vector<ProbeRecord> records = prepared(by_model.prepare(), run.records);
  if (!by_model.judged())
    return judge_chip(method, run.recorded[recorder].sketch, of, replays, detect);
  if (healthy != nullptr)
    prepared(by_model.prepare_healthy(), healthy->records);
  Recorder again(options_.recorders[recorder], patterns_);
  for (const ProbeRecord& r : records)
    again.record(r);
  const uint64_t bytes = again.bytes();
  const Run::Recorded corrected{again.take(), bytes};
  return judge_chip(method, corrected.sketch, of, replays_of(corrected, recorder), detect, &by_model);
}

Sketch PreparedWorkload::record(const std::vector<Fault>& faults, uint64_t seed, Result* result) const {
  Run run = simulate_run(faults, seed);
  if (result != nullptr)
    *result = run.result;
  return std::move(run.recorded[0].sketch);
}

std::vector<uint64_t> PreparedWorkload::hits(
    const std::vector<Fault>& faults,
    const std::function<bool()>& stop) const {
  Options run;
  run.inferences = options_.inferences;
  run.noise = false;
  run.stop = stop;
  return simulate(model_, faults, run).fault_hits;
}

PreparedWorkload::Outcome PreparedWorkload::run(const std::vector<Fault>& faults, uint64_t seed) const {
  const Run made = simulate_run(faults, seed);
  Outcome out;
  out.detection = judge_run(made, 0, {}, replays_of(made.recorded[0], 0)).detection;
  out.truth = claims_of(faults);
  out.run_cycles = made.result.cycles;
  out.records = made.result.records;
  out.sketch_bytes = made.recorded[0].bytes;
  out.strict = strictly_right(out.truth, claims_of(out.detection.reported));
  return out;
}

std::vector<Claim> claims_of(const std::vector<Fault>& faults) {
  std::vector<Claim> out;
  for (const Fault& f : faults)
    out.push_back({component_of(f), f.begin, f.end});
  return out;
}

std::vector<Claim> claims_of(const std::vector<Suspect>& suspects) {
  std::vector<Claim> out;
  for (const Suspect& s : suspects)
    out.push_back({s.component, s.begin, s.end, s.alike});
  return out;
}

}  // namespace lento::chip
