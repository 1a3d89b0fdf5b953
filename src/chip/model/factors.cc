// The level of a part (factors.h) grows with its factor. The slope, the change of the level per change of the
// log factor, follows from the sensitivities of the dictionary, so that one simulated factor determines the
// step to the next. The slope between two simulated factors replaces that of the dictionary where they are
// more than kApart apart. Two runs are simulated with each factor.
//
// In a recording that was cut, the number of records that a part had served until the cut counts as well: few
// records of a slow part end in time, and those that do are short. Level and number are weighted by their
// covariance in further simulations, some with larger and some with smaller factors.
#include "chip/model/factors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/rng.h"
#include "chip/model/own_records.h"
#include "evidence/distribution.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

constexpr int kMostRounds = 5;
constexpr double kClose = 0.1;         // of the log, between the factors of the last two rounds
constexpr double kApart = 0.25;        // of the log, between two factors that give a slope
constexpr uint32_t kFactorDraws = 8;   // runs with smaller factors, and with larger ones
constexpr double kLeastFactor = 0.02;  // of the log
constexpr double kLeastSlope = 0.1;    // of a level that a part still determines

using Records = std::vector<ProbeRecord>;

// Returns the weighted mean of the values between the weighted quartiles. Pairs are value and weight.
double mean_of_middle(std::vector<std::pair<double, double>> ratios) {
  std::ranges::sort(ratios);
  double total = 0;
  for (const auto& [value, weight] : ratios)
    total += weight;
  double below = 0;
  double sum = 0;
  for (const auto& [value, weight] : ratios) {
    const double above = below + weight;
    sum += value * std::max(0.0, std::min(above, 3 * total / 4) - std::max(below, total / 4));
    below = above;
  }
  return sum / (total / 2);
}

// Summary of the records that a part served in one run.
struct ServedSummary {
  double level = 0;   // mean of log(duration / expectation) over their middle half; NaN: no record
  double number = 0;  // log of one more than their number; 0 when the recording is complete
  size_t records = 0;
};

// Returns the weights with which level and number (ServedSummary) together estimate the log factor of a part:
// the inverse of their covariance times their change between `runs[0]`, simulated with a smaller factor, and
// `runs[1]`, with a larger one. Precondition: every run has a level. `by_chance` is the change of `number`
// when one record more or less ended in time, and counts as a standard deviation.
ServedSummary weights_of(const std::array<std::vector<ServedSummary>, 2>& runs, double by_chance) {
  constexpr double kLeast = 1e-9;  // of a sum of squares, which is 0 where all runs agree
  std::array<ServedSummary, 2> means;
  double levels = kLeast;
  double numbers = kLeast;
  double both = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const ServedSummary& run : runs[i]) {
      means[i].level += run.level / double(runs[i].size());
      means[i].number += run.number / double(runs[i].size());
    }
    for (const ServedSummary& run : runs[i]) {
      const double level = run.level - means[i].level;
      const double number = run.number - means[i].number;
      levels += level * level;
      numbers += number * number + by_chance * by_chance;
      both += level * number;
    }
  }
  const double by_level = means[1].level - means[0].level;
  const double by_number = means[1].number - means[0].number;
  const double determinant = levels * numbers - both * both;
  return {
      (numbers * by_level - both * by_number) / determinant,
      (levels * by_number - both * by_level) / determinant};
}

class FactorSearch {
 public:
  explicit FactorSearch(const ObservedRun& run)
      : run_(run),
        likelihood_(run.likelihood),
        twin_{run.chip, run.setup.own},
        grid_(run.chip) {
  }

  FactorFit fit(std::vector<SlowPart> parts, bool measured) {
    FactorFit out;
    out.parts = std::move(parts);
    take_shares(out.parts);
    nuisances_ = likelihood_.fit(other_cells_);
    for (size_t k = 0; k < out.parts.size(); ++k)
      take_records(k, out.parts[k]);
    if (measured && !cut() && std::ranges::all_of(out.parts, is_core)) {
      out = fit_cores(std::move(out.parts));
      out.simulated = simulated_;
      return out;
    }
    const bool numbers = cut() && std::ranges::all_of(out.parts, whole_run);
    const double close = measured && !numbers ? kApart : kClose;
    std::vector<double> steps;
    FactorFit likeliest;
    for (int round = 1;; ++round) {
      steps = play(out);
      if (round == 1)
        out.log_likelihood_at_start = out.solution.log_likelihood;
      if (round == 1 || out.solution.log_likelihood > likeliest.solution.log_likelihood)
        likeliest = out;
      const bool near = std::ranges::all_of(steps, [close](double step) {
        return std::abs(step) < close;
      });
      if (near || round == kMostRounds)
        break;
      for (size_t k = 0; k < steps.size(); ++k)
        move(out.parts[k], steps[k]);
    }
    if (measured) {
      numbers ? measure_by_number(out) : measure(out, steps);
      add_class_deviations(out);
    } else {
      out.parts = std::move(likeliest.parts);
    }
    out.solution = std::move(likeliest.solution);
    out.simulated = simulated_;
    return out;
  }

 private:
  static void move(SlowPart& part, double by) {
    part.log_factor = std::clamp(part.log_factor + by, kLeastFactor, kMostLogFactor);
  }

  // Returns the log factor of a core by its records alone: operations wait in no queue, so that their level
  // (mean log of duration over expectation) is the log factor. The deviation is infinite without records or
  // when the level is not above 0.
  Effect factor_of_core(size_t k, const SlowPart& core) const {
    const ServedSummary observed = observed_summary(k, core);
    if (observed.records == 0 || observed.level <= 0)
      return {core.log_factor, std::numeric_limits<double>::infinity()};
    return {observed.level, run_.chip.core.rate_deviation / std::sqrt(double(observed.records))};
  }

  // Fits parts that are all cores, each by factor_of_core(). The simulation gives only the likelihood.
  FactorFit fit_cores(std::vector<SlowPart> cores) {
    FactorFit out;
    out.parts = std::move(cores);
    for (size_t k = 0; k < out.parts.size(); ++k) {
      const Effect by_records = factor_of_core(k, out.parts[k]);
      out.parts[k].log_factor = by_records.log_factor;
      out.deviation.push_back(std::min(kMostLogFactor, by_records.deviation));
    }
    play(out);
    add_class_deviations(out);
    return out;
  }

  // Adds to the standard deviation of each factor that of the part's class and the spread of parts around it,
  // because the factor is fitted relative to the class.
  void add_class_deviations(FactorFit& fit) const {
    for (size_t k = 0; k < fit.parts.size(); ++k) {
      if (columns_[k].empty())
        continue;
      const uint32_t its_class = likelihood_.dictionary().columns.class_of(columns_[k].front());
      const double of_class =
          std::hypot(nuisances_.classes[its_class].deviation, nuisances_.spread[its_class]);
      fit.deviation[k] = std::min(kMostLogFactor, std::hypot(fit.deviation[k], of_class));
    }
  }

  bool cut() const {
    return run_.setup.until != kForever;
  }

  static bool is_core(const SlowPart& part) {
    return part.part.part == Part::Core;
  }

  static bool whole_run(const SlowPart& part) {
    return part.begin == 0 && part.end == kForever;
  }

  // Stores the columns of each part, its share of every cell that it serves, and the other cells.
  void take_shares(const std::vector<SlowPart>& parts) {
    other_cells_.resize(likelihood_.dictionary().cells.size());
    for (const SlowPart& slow : parts) {
      std::vector<float>& of = shares_.emplace_back(likelihood_.dictionary().cells.size());
      std::vector<uint32_t>& columns = columns_.emplace_back();
      const auto at = std::ranges::find(run_.parts, slow.part, &PartCells::component);
      if (at == run_.parts.end())
        continue;
      columns = at->columns;
      for (const PartCells::Cell& served : at->served)
        of[served.cell] = served.share;
      for (const auto* cells : {&at->served, &at->reached})
        for (const PartCells::Cell& cell : *cells)
          other_cells_[cell.cell] = std::numeric_limits<double>::quiet_NaN();
    }
  }

  // Takes the records that the part serves, and moves the ends of its interval to gaps between them.
  void take_records(size_t k, SlowPart& slow) {
    is_core_.push_back(is_core(slow));
    own_.emplace_back(run_, likelihood_, explained_beside(k), shares_[k]);
    const Stretch stretch = whole_run(slow) ? own_[k].all() : own_[k].likeliest();
    stretches_.push_back(stretch);
    own_[k].set_ends(stretch, slow);
    whole_run_.push_back(whole_run(slow));
  }

  // Returns the level and the number of the records of part k whose middle lies between two times. The level
  // is the mean over their middle half, weighted by the part's shares of their durations. `explained` holds
  // by cell the log ratio that the nuisances explain, which is subtracted. Operations of a core wait in no
  // queue, so that its share of a duration gives the log factor itself.
  ServedSummary summary_of(
      size_t k,
      std::span<const ProbeRecord> records,
      std::pair<double, double> times,
      const std::vector<double>& explained = {}) const {
    const Dictionary& d = likelihood_.dictionary();
    std::vector<std::pair<double, double>> ratios;
    for (const ProbeRecord& r : records) {
      const double middle = double(r.begin) + double(r.end - r.begin) / 2;
      if (middle < times.first || middle >= times.second)
        continue;
      const int64_t at = d.find(key_of(r));
      if (at < 0)
        continue;
      const Dictionary::Expected& e = d.expected[size_t(at)];
      const double share = shares_[k][e.cell];
      if (share <= 0)
        continue;
      double ratio = std::log(std::max(0.5, double(r.end - r.begin)) / (e.cycles * d.cells[e.cell].middle));
      ratio -= explained.empty() ? 0 : explained[e.cell];
      if (is_core_[k])
        ratio = std::log1p(std::max(-0.5, std::expm1(ratio) / share));
      ratios.emplace_back(ratio, share);
    }
    ServedSummary out;
    out.records = ratios.size();
    if (cut() && whole_run_[k])
      out.number = std::log1p(double(ratios.size()));
    out.level = ratios.empty() ? std::numeric_limits<double>::quiet_NaN() : mean_of_middle(std::move(ratios));
    return out;
  }

  // Returns the level and number of part k in the judged run, without the effect of the nuisances.
  ServedSummary observed_summary(size_t k, const SlowPart& slow) const {
    const double end = slow.end == kForever ? std::numeric_limits<double>::infinity()
                                            : run_.clock.to_recorder(double(slow.end));
    return summary_of(
        k,
        run_.records,
        {run_.clock.to_recorder(double(slow.begin)), end},
        explained_beside(k));
  }

  ServedSummary simulated_summary(size_t k, const SlowPart& slow, const Records& records) const {
    return summary_of(k, records, {double(slow.begin), double(slow.end)});
  }

  // Returns by cell the log ratio that the nuisances explain. The part's own deviation from its class is not
  // among them.
  std::vector<double> explained_beside(size_t k) const {
    const Dictionary& d = likelihood_.dictionary();
    std::vector<double> explained(d.cells.size());
    const size_t first = likelihood_.columns() - d.columns.parts();
    for (size_t r = 0; r < likelihood_.rows(); ++r) {
      double& of = explained[likelihood_.cell(r)];
      of = likelihood_.explained(nuisances_, r);
      for (const Likelihood::Entry& e : likelihood_.row(r))
        if (e.column >= first && std::ranges::binary_search(columns_[k], e.column - uint32_t(first)))
          of -= e.value * nuisances_.eta[e.column];
    }
    return explained;
  }

  // Returns the part with ends that are drawn by their likelihood, because those of the fit have an error.
  SlowPart with_drawn_ends(size_t k, SlowPart part, bool draws, uint64_t seed) const {
    if (draws && !whole_run_[k]) {
      base::Rng rng(seed, "chip.factor.ends");
      own_[k].set_ends(own_[k].drawn(stretches_[k], part.log_factor, rng), part);
    }
    return part;
  }

  std::vector<Records>
  simulate(const std::vector<SlowPart>& parts, uint64_t first_seed, uint32_t seeds, bool draws = false) {
    std::vector<Records> out;
    for (uint32_t i = 0; i < seeds; ++i) {
      ++simulated_;
      std::vector<Fault> faults;
      for (size_t k = 0; k < parts.size(); ++k)
        faults.push_back(played_fault(with_drawn_ends(k, parts[k], draws, first_seed + i), grid_));
      for (ProbeRecord& r : out.emplace_back(simulated_records(run_.setup, twin_, faults, first_seed + i))) {
        r.begin -= r.begin % run_.grain;
        r.end -= r.end % run_.grain;
      }
    }
    return out;
  }

  // Returns the increase of a part's level (mean log of duration over expectation) with the log of its
  // factor, by the sensitivities of the dictionary. It holds as long as no queue changes.
  double slope_at(size_t k, double log_factor) const {
    double sum = 0;
    double weight = 0;
    for (const Dictionary::Expected& e : likelihood_.dictionary().expected) {
      const double share = shares_[k][e.cell];
      sum += share * share * std::exp(log_factor) / (1 + share * std::expm1(log_factor));
      weight += share;
    }
    return weight > 0 ? sum / weight : 1;
  }

  // Simulates the parts, fits the nuisances beside them, and returns for each part the step of its log
  // factor, from -1 to 1, after which the simulated level should equal that of the judged run. -1 when no
  // simulated record ends before the cut, because the simulated part is then too slow.
  std::vector<double> play(FactorFit& fit) {
    const std::vector<Records> runs = simulate(fit.parts, 1, kShiftSeeds);
    const SimulatedShift shifted = shift_of_runs(likelihood_.dictionary(), runs);
    likelihood_.expect(shifted.mean, shifted.noise);
    fit.solution = likelihood_.fit();
    nuisances_ = likelihood_.fit(other_cells_, &fit.solution);
    std::vector<double> out;
    levels_.resize(fit.parts.size());
    for (size_t k = 0; k < fit.parts.size(); ++k) {
      const ServedSummary observed = observed_summary(k, fit.parts[k]);
      Levels& levels = levels_[k].emplace_back(Levels{fit.parts[k].log_factor});
      double step = observed.level - observed.number;
      for (const Records& run : runs) {
        const ServedSummary simulated = simulated_summary(k, fit.parts[k], run);
        step -= (simulated.level - simulated.number) / kShiftSeeds;
        levels.of_runs.push_back(simulated.level);
      }
      if (!cut())
        step /= slope_of(k);
      if (std::isnan(observed.level))
        out.push_back(0);
      else
        out.push_back(std::isnan(step) ? -1 : std::clamp(step, -1.0, 1.0));
    }
    return out;
  }

  // Returns the increase of a part's level with the log of its factor: between the last two simulated factors
  // where they are far enough apart, otherwise from the sensitivities of the dictionary (slope_at()).
  double slope_of(size_t k) const {
    const Levels& last = levels_[k].back();
    if (levels_[k].size() > 1) {
      const Levels& before = levels_[k][levels_[k].size() - 2];
      const double apart = last.log_factor - before.log_factor;
      const double slope = (evidence::mean(last.of_runs) - evidence::mean(before.of_runs)) / apart;
      if (std::abs(apart) > kApart && slope > kLeastSlope)
        return slope;
    }
    return std::max(kLeastSlope, slope_at(k, last.log_factor));
  }

  // Moves each factor by its last step and simulates two runs with it, under seeds of their own. Each run
  // with one of the last two factors gives an estimate of the log factor. The mean of the estimates is taken,
  // and their scatter gives its standard deviation.
  void measure(FactorFit& fit, const std::vector<double>& steps) {
    for (size_t k = 0; k < steps.size(); ++k)
      move(fit.parts[k], steps[k]);
    // The seeds depend on the judged run, so that the noise of the simulations differs from run to run.
    const uint64_t first_seed = base::mix64(uint64_t(likelihood_.end_cycles()));
    const std::vector<Records> runs = simulate(fit.parts, first_seed, kShiftSeeds, true);
    for (size_t k = 0; k < fit.parts.size(); ++k) {
      Levels& last = levels_[k].emplace_back(fit.parts[k].log_factor);
      for (uint32_t i = 0; i < runs.size(); ++i)
        last.of_runs.push_back(
            simulated_summary(k, with_drawn_ends(k, fit.parts[k], true, first_seed + i), runs[i]).level);
      fit.deviation.push_back(kMostLogFactor);
      estimate(fit, k, observed_summary(k, fit.parts[k]).level);
    }
  }

  void estimate(FactorFit& fit, size_t k, double observed) const {
    const double slope = slope_of(k);
    std::vector<double> estimates;
    for (const Levels& one : std::span(levels_[k]).last(2))
      for (const double level : one.of_runs)
        estimates.push_back(one.log_factor + (observed - level) / slope);
    const double mean = evidence::mean(estimates);
    if (std::isnan(mean))
      return;
    // Scaled so that the normal quantile of a 90 % interval becomes that of Student's t.
    const auto n = double(estimates.size());
    const double wider = evidence::student_quantile(0.95, n - 1) / evidence::kNinety;
    fit.deviation[k] = wider * std::sqrt(evidence::variance(estimates) * (1 + 1 / n));
    fit.parts[k].log_factor = std::clamp(mean, kLeastFactor, kMostLogFactor);
  }

  // Simulates runs with log factors smaller and larger by kApart, and corrects each factor by their levels
  // and numbers of records.
  void measure_by_number(FactorFit& fit) {
    // The seeds depend on the judged run, so that the noise of the simulations differs from run to run.
    const uint64_t first_seed = base::mix64(uint64_t(likelihood_.end_cycles()));
    std::vector<std::vector<Records>> runs;
    for (const double by : {-kApart, kApart}) {
      std::vector<SlowPart> moved = fit.parts;
      for (SlowPart& part : moved)
        move(part, by);
      runs.push_back(simulate(moved, first_seed, kFactorDraws));
    }
    for (size_t k = 0; k < fit.parts.size(); ++k) {
      std::array<std::vector<ServedSummary>, 2> simulated;
      for (size_t i = 0; i < runs.size(); ++i)
        for (const Records& run : runs[i])
          if (const ServedSummary s = simulated_summary(k, fit.parts[k], run); !std::isnan(s.level))
            simulated[i].push_back(s);
      const ServedSummary observed = observed_summary(k, fit.parts[k]);
      fit.deviation.push_back(kMostLogFactor);
      if (!std::isnan(observed.level) && simulated[0].size() == kFactorDraws &&
          simulated[1].size() == kFactorDraws)
        correct(fit, k, observed, simulated);
    }
  }

  // Moves the log factor of part k to where the weighted sum of level and number equals that of the judged
  // run (`observed`), by the slope of that sum between the runs with the smaller and the larger factor. The
  // spread of the sum over runs gives the standard deviation of the factor.
  void correct(
      FactorFit& fit,
      size_t k,
      const ServedSummary& observed,
      const std::array<std::vector<ServedSummary>, 2>& simulated) const {
    const double by_chance = cut() ? std::exp(-observed.number) : 0;
    const ServedSummary weights = weights_of(simulated, by_chance);
    const auto weighed = [&](const ServedSummary& s) {
      return weights.level * s.level + weights.number * s.number;
    };
    std::array<std::vector<double>, 2> values;
    for (size_t i = 0; i < values.size(); ++i)
      for (const ServedSummary& s : simulated[i])
        values[i].push_back(weighed(s));
    const double low = evidence::mean(values[0]);
    const double high = evidence::mean(values[1]);
    // Scaled so that the normal quantile of a 90 % interval becomes that of Student's t.
    const double wider =
        evidence::student_quantile(0.95, 2 * (kFactorDraws - 1)) / evidence::normal_quantile(0.95);
    const double variance = (evidence::variance(values[0]) + evidence::variance(values[1])) / 2;
    const double spread = wider * std::hypot(std::sqrt(variance), weights.number * by_chance);
    const double slope = (high - low) / (2 * kApart);
    const double of_slope = spread / std::sqrt(2.0 * kFactorDraws) / kApart;
    if (slope <= evidence::kNinety * of_slope)
      return;
    const double step = (weighed(observed) - (low + high) / 2) / slope;
    move(fit.parts[k], std::clamp(step, -1.0, 1.0));
    const double of_run = std::hypot(spread * std::sqrt(1 + 0.5 / kFactorDraws), step * of_slope) / slope;
    fit.deviation[k] = of_run;
  }

  // Levels of a part in the runs that were simulated with one factor.
  struct Levels {
    double log_factor = 0;
    std::vector<double> of_runs{};
  };

  const ObservedRun& run_;
  Likelihood likelihood_;
  const Twin twin_;
  const Grid grid_;
  std::vector<std::vector<float>> shares_;      // by part and cell
  std::vector<std::vector<uint32_t>> columns_;  // by part, those of InfluenceColumns
  std::vector<bool> is_core_;                   // by part
  std::vector<OwnRecords> own_;                 // by part
  std::vector<Stretch> stretches_;              // by part, in its own records
  std::vector<bool> whole_run_;                 // by part
  // Holds by cell 0, or NaN when a part serves or delays it. A factor that is not exact yet would pull the
  // nuisances that are fitted to them.
  std::vector<double> other_cells_;
  Solution nuisances_;                       // fitted to the other cells
  std::vector<std::vector<Levels>> levels_;  // by part, in order of the simulations
  int simulated_ = 0;
};

}  // namespace

Fault played_fault(const SlowPart& slow, const Grid& grid) {
  Fault out = fault_of(slow.part, grid);
  out.factor = std::exp(slow.log_factor);
  out.begin = slow.begin;
  out.end = slow.end;
  return out;
}

FactorFit fit_factors(const ObservedRun& run, std::vector<SlowPart> parts, bool measured) {
  return FactorSearch(run).fit(std::move(parts), measured);
}

}  // namespace lento::chip
