// Draws of the audit have seeds of their own stream, so that none repeats a draw of the threshold.
#include "lab/chip/audit.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "chip/map/file/map_file.h"
#include "chip/model/draws.h"
#include "chip/model/model.h"
#include "evidence/distribution.h"

namespace lento::chip {
namespace {

using lab::Promise;

class Audit {
 public:
  Audit(const ChipAuditOptions& options, const base::Progress& progress)
      : options_(options),
        progress_(progress),
        chip_(spec::read_chip(options.chip)),
        program_(expand(read_map(options.mapping), chip_, options.mapping)),
        model_(learn({chip_, program_, options.inferences}, {.false_alarms = options.false_alarms})),
        rng_(options.seed, "chip.audit") {
  }

  std::vector<Promise> run() {
    return {false_alarms(), detections(), intervals(false), intervals(true)};
  }

 private:
  using Kind = Promise::Kind;

  bool stopped(const char* what, int done, int all) const {
    if (progress_.report)
      progress_.report(what, double(done), double(all));
    return progress_.stop && progress_.stop();
  }

  Promise false_alarms() {
    Promise out{"false alarms of a healthy run", Kind::AtMost, options_.false_alarms};
    for (int i = 0; i < options_.healthy && !stopped("healthy draws", i, options_.healthy); ++i) {
      auto records = healthy_draw(model_.setup, rng_.next());
      const ModelVerdict v = judge(model_, records, {.parts = false});
      out.hits += v.suspicious(kTolerance) != nullptr;
      ++out.trials;
    }
    return out;
  }

  // A part whose slowness is detectable, and the smallest factor that is promised for it.
  std::pair<Component, double> drawn_part(double most) {
    if (promised_.empty()) {
      auto records = simulated_records(model_.setup, model_.setup.twin(), {}, rng_.next());
      promised_ = judge(model_, records, {.parts = false}).detectable;
    }
    std::vector<size_t> seen;
    for (size_t p = 0; p < promised_.size(); ++p)
      if (promised_[p] < most)
        seen.push_back(p);
    if (seen.empty())
      throw base::Error(
          {options_.mapping},
          "the mapping shows no part of the chip well enough to be audited");
    const size_t part = seen[rng_.below(seen.size())];
    return {model_.parts[part].component, promised_[part]};
  }

  // Judges a run with a part that is slow for the whole run, or for a stretch.
  ModelVerdict judged(const Component& part, double factor, bool stretch = false) {
    Fault fault = fault_of(part, Grid(chip_));
    fault.factor = factor;
    if (stretch) {
      const double begin = rng_.uniform(0.1, 0.4);
      fault.begin = uint64_t(begin * model_.dictionary.run_cycles);
      fault.end = uint64_t((begin + rng_.uniform(0.2, 0.35)) * model_.dictionary.run_cycles);
    }
    auto records = simulated_records(model_.setup, model_.setup.twin(), {fault}, rng_.next());
    return judge(model_, records);
  }

  Promise detections() {
    Promise out{"parts as slow as said: not called healthy", Kind::AtLeast, 0.95};
    // Parts with a larger promise are crossed by few records. Their promise is not audited here.
    constexpr double kMostFactor = 3;
    for (int i = 0; i < options_.detectable && !stopped("parts planted", i, options_.detectable); ++i) {
      const auto [part, factor] = drawn_part(kMostFactor);
      const ModelVerdict v = judged(part, factor);
      out.hits += v.suspicious(kTolerance) != nullptr;
      ++out.trials;
    }
    return out;
  }

  Promise intervals(bool stretch) {
    Promise out{
        stretch ? "factors of a stretch inside their 90 % interval"
                : "factors of the whole run inside their 90 % interval",
        Kind::Equal,
        0.9};
    // Intervals are promised for parts that are named, so each part is planted beyond its own promise: parts
    // with a promise below 2, factors from 2 to 10.
    constexpr double kMostFactor = 2;
    for (int i = 0; i < options_.intervals && !stopped("intervals", i, options_.intervals); ++i) {
      const Component part = drawn_part(kMostFactor).first;
      const double log_factor = rng_.uniform(std::log(kMostFactor), std::log(10));
      const ModelVerdict v = judged(part, std::exp(log_factor), stretch);
      SlowPart guess{part, log_factor / 2, 0, kForever};
      const auto seen = std::ranges::find(v.leading, part, &PartTest::component);
      if (stretch && seen == v.leading.end())
        continue;
      if (stretch)
        guess = slow_part(*seen, v.clock_map, v.end_cycles);
      const FactorFit fit = factors_of(model_, v, {guess}, true);
      out.hits += std::abs(fit.parts[0].log_factor - log_factor) <= evidence::kNinety * fit.deviation[0];
      ++out.trials;
    }
    return out;
  }

  const ChipAuditOptions& options_;
  const base::Progress& progress_;
  const spec::Chip chip_;
  const Program program_;
  const ChipModel model_;
  base::Rng rng_;
  std::vector<double> promised_;  // detectable factors on the plain chip, by part of the model
};

}  // namespace

std::vector<Promise> audit_chip(const ChipAuditOptions& options, const base::Progress& progress) {
  return Audit(options, progress).run();
}

}  // namespace lento::chip
