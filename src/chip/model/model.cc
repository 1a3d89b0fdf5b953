// Fits in this order: clocks, all nuisances without a slow part, settings of the chip, classes, and a
// first-order scan over all parts. Settings with whole values (issue window, buffers) are not linear. Those
// whose coefficient in the fit is significant are simulated value by value. The likeliest value replaces that
// of the file when twice the log-likelihood grows by more than the threshold of a part's gain.
#include "chip/model/model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/units.h"
#include "chip/model/draws.h"
#include "chip/model/factors.h"
#include "evidence/distribution.h"

namespace lento::chip {
namespace {

constexpr double kCertain = 3;    // standard deviations from which a setting is tried by simulation
constexpr double kMissed = 0.05;  // share of runs that may hide a part of the detectable factor

constexpr const char* kClassNames[] = {"all cores", "all links", "all memory units", "all DRAM ports"};

double last_end(std::span<const ProbeRecord> records) {
  uint64_t end = 0;
  for (const ProbeRecord& r : records)
    end = std::max(end, r.end);
  return double(end);
}

// Returns the setup of simulated runs that are compared with a recording: they end where the recording was
// cut.
LearnSetup cut_setup(LearnSetup setup, const ModelVerdict& v, const ClockMap& clock) {
  if (v.cut)
    setup.until = uint64_t(clock.to_file(last_end(v.raw)));
  return setup;
}

struct FittedSettings {
  spec::Chip chip;
  Solution solution;
};

// Returns the value that a further draw exceeds with probability `chance`, by the Gumbel law with the moments
// of `values`.
double tail(const std::vector<double>& values, double chance) {
  double mean = 0;
  for (const double v : values)
    mean += v / double(values.size());
  double variance = 0;
  for (const double v : values)
    variance += (v - mean) * (v - mean) / double(values.size());
  const double scale = std::sqrt(6 * variance) / std::numbers::pi;
  return mean + scale * (-std::log(-std::log1p(-chance)) - std::numbers::egamma);
}

// Returns the settings with a coefficient beyond kCertain standard deviations, each with the log of its
// fitted value over that of the file.
std::vector<std::pair<ChipSetting, double>> significant(const Dictionary& d, const Solution& s) {
  std::vector<std::pair<ChipSetting, double>> out;
  for (const ChipSetting setting : {ChipSetting::IssueWindow, ChipSetting::Buffers}) {
    double log_value = 0;
    double z = 0;
    for (size_t k = 0; k < d.settings.size(); ++k) {
      if (d.settings[k].setting != setting)
        continue;
      const double eta = s.eta[kNuisances + k];
      log_value += std::copysign(eta, eta * d.settings[k].step);
      z = std::max(z, std::abs(eta) / std::sqrt(s.variance[kNuisances + k]));
    }
    if (z > kCertain)
      out.emplace_back(setting, log_value);
  }
  return out;
}

// Searches settings one after the other: the value that the linear fit gives and the one half as far in
// logarithms, then steps of one around the best. In these comparisons a narrow prior (kSameSetting) keeps the
// settings' coefficients near 0, so that the simulated value itself must explain the run.
//
// A slow part fills queues in the same way as smaller buffers or a smaller window. When a slow part explains
// the run better than the settings do, the settings are compared in the presence of that part.
class SettingSearch {
 public:
  SettingSearch(const ChipModel& model, Likelihood& likelihood, ModelVerdict& of)
      : model_(model),
        likelihood_(likelihood),
        of_(of) {
  }

  // Returns the fit with the best settings. With `parts`, and when settings other than the file's are
  // likelier, compares the settings again on a chip with the likeliest slow part (better_part()), if there is
  // one.
  FittedSettings run(bool parts) {
    try_settings();
    const double gained = best_.solution.log_likelihood - file_.solution.log_likelihood;
    if (parts && gained > 0)
      if (const std::optional<SlowPart> part = better_part(gained)) {
        beside_ = {played_fault(*part, Grid(model_.setup.chip))};
        try_settings();
        beside_.clear();
        return tried(best_.chip);
      }
    likelihood_.expect(model_.shifts->of(model_.dictionary, best_.chip, of_.simulated));
    return best_;
  }

 private:
  FittedSettings tried(const spec::Chip& chip) {
    if (beside_.empty()) {
      likelihood_.expect(model_.shifts->of(model_.dictionary, chip, of_.simulated));
    } else {
      const Twin twin{chip, model_.setup.own};
      const SimulatedShift shift = simulated_shift(model_.dictionary, model_.setup, twin, beside_);
      of_.simulated += int(kShiftSeeds);
      likelihood_.expect(shift.mean, shift.noise);
    }
    return {chip, likelihood_.fit()};
  }

  void try_settings() {
    likelihood_.let_settings_differ(Likelihood::kAnySetting);
    const auto settings = significant(model_.dictionary, tried(model_.setup.chip).solution);
    likelihood_.let_settings_differ(Likelihood::kSameSetting);
    file_ = best_ = {model_.setup.chip, likelihood_.fit()};
    for (const auto& [setting, log_value] : settings)
      try_setting(setting, log_value);
  }

  // Returns a slow part of the file's chip that raises the log-likelihood by more than `gained`, or nullopt.
  std::optional<SlowPart> better_part(double gained) {
    constexpr size_t kMostTried = 3;
    tried(model_.setup.chip);
    const ClockMap clock(likelihood_, file_.solution);
    const auto leading = scan_parts(likelihood_, file_.solution, model_.parts);
    const ObservedRun run{
        cut_setup(model_.setup, of_, clock),
        likelihood_,
        model_.setup.chip,
        model_.parts,
        of_.raw,
        clock,
        of_.clocks.grain};
    std::optional<FactorFit> best;
    for (size_t i = 0; i < std::min(kMostTried, leading.size()); ++i) {
      const SlowPart part = slow_part(leading[i], clock, likelihood_.end_cycles());
      FactorFit fit = fit_factors(run, {part}, false);
      of_.simulated += fit.simulated;
      if (!best || fit.solution.log_likelihood > best->solution.log_likelihood)
        best = std::move(fit);
    }
    if (!best || best->solution.log_likelihood - file_.solution.log_likelihood <= gained)
      return {};
    return best->parts.front();
  }

  void try_setting(ChipSetting setting, double log_value) {
    const double file = value_of(setting, best_.chip);
    const FittedSettings before = best_;
    for (const double log : {log_value, log_value / 2})
      improve(setting, file * std::exp(std::clamp(log, -1.2, 1.2)));
    for (const double step : {-1.0, 1.0})
      while (improve(setting, value_of(setting, best_.chip) + step))
        ;
    if (2 * (best_.solution.log_likelihood - before.solution.log_likelihood) <= model_.threshold)
      best_ = before;
  }

  // Tries a value, and keeps it when the run becomes more likely than with the best values so far.
  bool improve(ChipSetting setting, double value) {
    spec::Chip chip = best_.chip;
    set(setting, value, chip);
    if (value_of(setting, chip) == value_of(setting, best_.chip))
      return false;
    FittedSettings other = tried(chip);
    if (other.solution.log_likelihood <= best_.solution.log_likelihood)
      return false;
    best_ = std::move(other);
    return true;
  }

  const ChipModel& model_;
  Likelihood& likelihood_;
  ModelVerdict& of_;  // holds the corrected records, and counts simulated runs
  std::vector<Fault> beside_;
  FittedSettings file_;
  FittedSettings best_;
};

// Returns the column of the part of class `k` that deviates most from its class towards `log_factor`.
uint32_t most_deviating(const ChipModel& model, const Solution& s, size_t k, double log_factor) {
  const InfluenceColumns& columns = model.dictionary.columns;
  const size_t first = s.eta.size() - columns.parts();
  uint32_t most = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (uint32_t column = 0; column < columns.parts(); ++column) {
    if (columns.class_of(column) != k)
      continue;
    // The prior shrinks estimate and variance of a part by this share, which is 0 for a part without records.
    const double from_data = 1 - s.variance[first + column] * std::pow(s.spread[k], -2);
    if (from_data <= 0)
      continue;
    const double z = s.eta[first + column] / std::sqrt(s.variance[first + column] * from_data);
    if (std::copysign(z, z * log_factor) > largest) {
      largest = std::copysign(z, z * log_factor);
      most = column;
    }
  }
  return most;
}

// Returns the fitted class `k` without two parts: that of the class which deviates most towards `log_factor`,
// and the leading part of the chip when it is suspicious. Cells that one of them serves or delays are left
// out, and cells that no other part of the class serves or delays.
Effect class_without_parts(const ChipModel& model, const ModelVerdict& v, size_t k, double log_factor) {
  const Dictionary& d = model.dictionary;
  std::vector<uint32_t> without{most_deviating(model, v.none, k, log_factor)};
  if (v.most_gain() > v.threshold) {
    const auto leading = std::ranges::find(model.parts, v.leading.front().component, &PartCells::component);
    without.insert(without.end(), leading->columns.begin(), leading->columns.end());
  }
  std::vector<double> offset(d.cells.size());
  for (size_t c = 0; c < offset.size(); ++c) {
    bool kept = d.cells[c].classes[k] == 0;
    bool left_out = false;
    for (const Dictionary::Share& s : d.shares_of(d.cells[c])) {
      const bool out = std::ranges::find(without, s.column) != without.end();
      left_out = left_out || out;
      kept = kept || (!out && s.column < d.columns.parts() && d.columns.class_of(s.column) == k);
    }
    if (left_out || !kept)
      offset[c] = std::numeric_limits<double>::quiet_NaN();
  }
  return v.likelihood->fit(offset, &v.none).classes[k];
}

// Returns whether the 90 % interval of a class lies beyond the tolerance on the side of `log_factor`.
bool differs(const Effect& e, double log_factor, double least) {
  return (log_factor < 0 ? -e.log_factor : e.log_factor) - evidence::kNinety * e.deviation > least;
}

// Adds the classes that differ from the file by more than the tolerance, also without the parts that deviate
// most (class_without_parts()): two ports of which one is slow are no slow class, although their mean is
// slow. The whole chip is added instead when all four do, or when at least two do, all are slower, and the
// fitted clock itself is off by more than the tolerance.
void add_classes(const ChipModel& model, ModelVerdict& v, double tolerance) {
  const double least = std::log1p(tolerance);
  std::vector<ClassDifference> found;
  bool slower = true;
  for (size_t k = 0; k < v.none.classes.size(); ++k) {
    const Effect& e = v.none.classes[k];
    const double deviation = evidence::kNinety * e.deviation;
    slower = slower && e.log_factor > 0;
    if (differs(e, e.log_factor, least) &&
        differs(class_without_parts(model, v, k, e.log_factor), e.log_factor, least))
      found.push_back(
          {kClassNames[k],
           std::exp(e.log_factor),
           std::exp(e.log_factor - deviation),
           std::exp(e.log_factor + deviation)});
  }
  const bool alike = std::abs(v.none.eta[0]) > least;
  if (found.size() < v.none.classes.size() && !(alike && found.size() > 1 && slower)) {
    v.classes = std::move(found);
    return;
  }
  if (found.empty())
    return;
  // The factor is taken from the class with the narrowest interval.
  const auto surest = std::ranges::min_element(found, {}, [](const ClassDifference& c) {
    return c.high / c.low;
  });
  v.classes = {{"the whole chip", surest->factor, surest->low, surest->high}};
}

// Divides the chip's rates by the factors of the classes in `v.classes`, relative to the clock, so that parts
// are simulated on a chip with these rates.
void scale_classes(ModelVerdict& v) {
  const std::array<double*, 4> rates = {
      &v.chip.core.ops_per_cycle,
      &v.chip.network.link_bytes_per_cycle,
      &v.chip.memory_unit.bytes_per_cycle,
      &v.chip.dram.port_bytes_per_cycle};
  for (const ClassDifference& c : v.classes)
    if (const auto k = size_t(std::ranges::find(kClassNames, c.what) - std::begin(kClassNames));
        k < rates.size())
      *rates[k] /= std::exp(v.none.classes[k].log_factor - v.none.eta[0]);
}

void add_settings(ModelVerdict& v, const spec::Chip& file) {
  const auto add = [&](const char* what, int fitted, int said) {
    if (fitted != said)
      v.notes.push_back(
          std::string(what) + " behaves like one of " + std::to_string(fitted) + ", the chip file says " +
          std::to_string(said));
  };
  add("the issue window", v.chip.core.issue_window, file.core.issue_window);
  add("the buffers' room", v.chip.network.buffer_segments, file.network.buffer_segments);
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values)
    sum += v * v;
  return std::sqrt(sum / double(std::max<size_t>(1, values.size())));
}

// Returns whether most of the records planned last, as many as there are cores, are missing.
bool lost_its_end(const Dictionary& d, std::span<const ProbeRecord> records) {
  std::vector<uint32_t> order(d.keys.size());
  std::iota(order.begin(), order.end(), 0U);
  std::set<uint16_t> cores;
  for (const RecordKey& key : d.keys)
    cores.insert(key.core);
  const auto last = order.end() - int64_t(std::min(cores.size(), order.size()));
  std::ranges::nth_element(order, last, {}, [&](uint32_t i) {
    return d.expected[i].begin;
  });
  std::vector<bool> seen(d.keys.size());
  for (const ProbeRecord& r : records)
    if (const int64_t at = d.find(key_of(r)); at >= 0)
      seen[size_t(at)] = true;
  const auto missing = std::count_if(last, order.end(), [&](uint32_t i) {
    return !seen[i];
  });
  return 2 * missing > order.end() - last;
}

struct HealthyDraws {
  std::vector<double> gains;
  std::array<std::vector<double>, 4> spreads;
  std::array<std::vector<double>, 4> deviances;
  std::array<std::vector<double>, 5> scores;  // of each part over the whole run, by kind of part
};

HealthyDraws
judged_draws(const ChipModel& model, int count, DrawnChips chips, const base::Progress& progress) {
  HealthyDraws out;
  for (int draw = 0; draw < count; ++draw) {
    progress("healthy runs drawn, to learn this chip and mapping", draw, count);
    progress.throw_if_stopped();
    std::vector<ProbeRecord> records = healthy_draw(model.setup, uint64_t(draw) + 1, chips);
    const ModelVerdict v = judge(model, records, {.parts = false});
    out.gains.push_back(v.most_gain());
    for (size_t k = 0; k < 4; ++k) {
      out.spreads[k].push_back(v.none.spread[k]);
      out.deviances[k].push_back(v.none.deviance[k]);
    }
    const std::vector<Effect> effects = whole_run_effects(*v.likelihood, v.none, model.parts);
    for (size_t p = 0; p < effects.size(); ++p)
      out.scores[size_t(model.parts[p].component.part)].push_back(
          effects[p].log_factor / effects[p].deviation);
  }
  return out;
}

bool like_file(const ChipModel& model, const ModelVerdict& v) {
  for (size_t k = 0; k < model.spread.size(); ++k) {
    const double of_class = v.none.classes[k].log_factor - v.none.eta[0];
    if (v.none.spread[k] > model.spread[k] || std::abs(of_class) > std::log1p(kTolerance))
      return false;
  }
  return v.notes.empty();  // one for each setting that differs
}

double seen_share(const Dictionary& d, const CellSums& sums) {
  double planned = 0;
  double seen = 0;
  for (size_t c = 0; c < d.cells.size(); ++c) {
    planned += d.cells[c].records;
    seen += std::min(sums.records[c], d.cells[c].records);
  }
  return seen / std::max(1.0, planned);
}

}  // namespace

const std::vector<float>& Shifts::of(const Dictionary& d, const spec::Chip& chip, int& simulated) {
  const std::lock_guard lock(mutex_);
  const std::pair key{chip.core.issue_window, chip.network.buffer_segments};
  const auto [at, added] = known_.try_emplace(key);
  if (!added)
    return at->second;
  if (key == std::pair{setup_.chip.core.issue_window, setup_.chip.network.buffer_segments}) {
    at->second.resize(d.cells.size());
  } else {
    at->second = shift_of(d, setup_, {chip, setup_.own});
    simulated += int(kShiftSeeds);
  }
  return at->second;
}

int simulations_to_learn(const LearnOptions& options) {
  constexpr int kDictionary = 24;
  return kDictionary + 2 * options.draws;
}

ChipModel learn(const LearnSetup& setup, const LearnOptions& options, const base::Progress& progress) {
  Dictionary dictionary = make_dictionary(setup);
  ChipModel model{setup, std::move(dictionary), {}, std::make_shared<Shifts>(setup)};
  model.parts = part_cells(model.dictionary, setup.chip);
  constexpr double kFirst = 30;  // only selects the settings that are simulated here
  model.threshold = kFirst;
  const HealthyDraws any = judged_draws(model, options.draws, DrawnChips::Any, progress);
  const HealthyDraws like = judged_draws(model, options.draws, DrawnChips::LikeFile, progress);
  model.threshold = tail(like.gains, options.false_alarms);
  model.unlike_threshold = std::max(model.threshold, tail(any.gains, options.false_alarms));
  for (size_t k = 0; k < like.scores.size(); ++k)
    model.limits.scatter[k] = std::max(1.0, root_mean_square(like.scores[k]));
  const double each = options.false_alarms / double(any.spreads.size());
  for (size_t k = 0; k < 4; ++k) {
    model.spread[k] = tail(like.spreads[k], options.false_alarms);
    model.limits.spread[k] = tail(like.spreads[k], kMissed);
    model.unlike_spread[k] = std::max(model.spread[k], tail(any.spreads[k], each));
    model.deviance[k] = tail(any.deviances[k], each);
  }
  return model;
}

ModelVerdict judge(const ChipModel& model, std::vector<ProbeRecord>& records, const JudgeOptions& options) {
  ModelVerdict v;
  v.clocks = align_clocks(records, model.dictionary);
  v.raw = records;
  auto sums = std::make_shared<CellSums>(sums_of(model.dictionary, records));
  v.strange = sums->strange;
  v.seen = seen_share(model.dictionary, *sums);
  v.cut = lost_its_end(model.dictionary, records);
  const auto likelihood = std::make_shared<Likelihood>(model.dictionary, *sums, v.clocks.grain);
  v.sums = std::move(sums);
  FittedSettings walked = SettingSearch(model, *likelihood, v).run(options.parts);
  v.likelihood = likelihood;
  v.chip = std::move(walked.chip);
  v.none = std::move(walked.solution);
  v.end_cycles = v.likelihood->end_cycles();
  v.clock = std::exp(v.none.eta[0]);
  v.drift = v.none.eta[1];
  add_settings(v, model.setup.chip);
  v.leading = scan_parts(*v.likelihood, v.none, model.parts);
  v.threshold = like_file(model, v) ? model.threshold : model.unlike_threshold;
  add_classes(model, v, options.tolerance);
  scale_classes(v);
  DetectionLimits limits = model.limits;
  limits.threshold = v.threshold;
  limits.least = 1 + options.tolerance;
  v.detectable = detectable_factors(*v.likelihood, v.none, model.parts, limits);
  v.clock_map = ClockMap(*v.likelihood, v.none);
  retime(records, v.clock_map);
  smooth_grain(records, model.dictionary, v.clocks.grain);
  return v;
}

// First-order factors are wrong by a few percent. With half of the tolerance as limit, no part whose true
// factor exceeds the tolerance is missed.
const PartTest* ModelVerdict::suspicious(double tolerance) const {
  for (const PartTest& test : leading) {
    if (test.gain <= threshold)
      break;
    if (test.effect.log_factor + evidence::kNinety * test.effect.deviation > std::log1p(tolerance) / 2)
      return &test;
  }
  return nullptr;
}

SlowPart slow_part(const PartTest& test, const ClockMap& clock, double end_cycles) {
  constexpr double kLeast = 0.2;  // of the log
  constexpr double kMost = 2.5;
  SlowPart out{test.component, std::clamp(test.effect.log_factor, kLeast, kMost)};
  out.begin = uint64_t(clock.to_file(test.begin * end_cycles));
  out.end = test.end < 1 ? uint64_t(clock.to_file(test.end * end_cycles)) : kForever;
  return out;
}

FactorFit
factors_of(const ChipModel& model, const ModelVerdict& v, std::vector<SlowPart> parts, bool measured) {
  const ObservedRun run{
      cut_setup(model.setup, v, v.clock_map),
      *v.likelihood,
      v.chip,
      model.parts,
      v.raw,
      v.clock_map,
      v.clocks.grain};
  return fit_factors(run, std::move(parts), measured);
}

Confirmation
confirm(const ChipModel& model, const ModelVerdict& v, const Component& suspect, double begin, double end) {
  Confirmation out;
  const auto part = std::ranges::find(model.parts, suspect, &PartCells::component);
  if (part == model.parts.end())
    return out;
  const double from = v.clock_map.to_recorder(begin);
  const double until = v.clock_map.to_recorder(end);
  std::vector<float> inside(model.dictionary.cells.size());
  std::vector<float> all(inside.size());
  for (const ProbeRecord& r : v.raw) {
    const int64_t at = model.dictionary.find(key_of(r));
    if (at < 0)
      continue;
    const Dictionary::Expected& e = model.dictionary.expected[size_t(at)];
    const double middle = double(r.begin) + double(r.end - r.begin) / 2;
    all[e.cell] += e.cycles;
    if (middle >= from && middle < until)
      inside[e.cell] += e.cycles;
  }
  for (size_t c = 0; c < all.size(); ++c)
    if (all[c] > 0)
      inside[c] /= all[c];
  out.test = test_part(*v.likelihood, v.none, *part, inside);
  out.test.component = suspect;
  out.test.begin = from / v.end_cycles;
  out.test.end = until / v.end_cycles;
  out.rank = slower_by_rank(model.dictionary, v.raw, *part, from, until);
  const auto scanned = std::ranges::find(v.leading, suspect, &PartTest::component);
  const bool overlaps =
      scanned != v.leading.end() && scanned->begin < out.test.end && out.test.begin < scanned->end;
  out.gains = std::max(out.test.gain, overlaps ? scanned->gain : 0) > v.threshold;
  // The likelihood ratio already gives the significance, and the rank test must agree with it. When too few
  // records pass the part for a rare rank, the test only rejects ranks that point the other way.
  constexpr double kRare = 0.05;
  constexpr double kEvenOdds = 0.5;
  const bool comparable = out.rank.exposed > 0 && out.rank.peers > 0;
  const double budget = out.rank.least_chance() < kRare ? kRare : kEvenOdds;
  out.slower = !comparable || out.rank.chance < budget;
  return out;
}

}  // namespace lento::chip
