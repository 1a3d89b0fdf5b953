// Finds slow cores first, from the durations of their own operations (slow_cores.h). Each further round finds
// the component that explains best why transfers are slower than the baseline (scan.h). The baseline is the
// level that is expected with everything found so far. With a simulator (DetectOptions::replay) it is
// simulated. Without one, transfers through a found component are ignored.
#include "chip/detect/detect.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/units.h"
#include "chip/detect/contest.h"
#include "chip/detect/evidence.h"
#include "chip/detect/expected.h"
#include "chip/detect/factor.h"
#include "chip/detect/scan.h"
#include "chip/detect/slow_cores.h"
#include "chip/detect/thresholds.h"
#include "chip/detect/tuning.h"
#include "chip/detect/unlike.h"

namespace lento::chip {
namespace {

// Returns the rank of a kind of part by the number of transfers that a slow one delays, fewest first.
int reach(Part part) {
  constexpr Part kByReach[] = {Part::Core, Part::Link, Part::MemoryUnit, Part::DramPort, Part::Router};
  return int(std::ranges::find(kByReach, part) - std::begin(kByReach));
}

class Detector {
 public:
  Detector(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options)
      : chip_(chip),
        grid_(chip),
        options_(options),
        cells_(cells_of(sketch, grid_)),
        paths_(paths_of(cells_, chip, grid_)),
        components_(candidates(paths_, grid_)),
        expected_({cells_, paths_, chip, grid_, options, sketch.records()}) {
    out_.run_cycles = sketch.end_cycles();
    out_.reported = slow_cores(sketch, chip, options, out_.notes);
    if (int(out_.reported.size()) > options.most_suspects)
      out_.reported.resize(size_t(options.most_suspects));
  }

  Detection run() {
    baselines_ = hypotheses_left() > 0 ? expected_.with(out_.reported) : expected_.healthy();
    std::vector<Suspect> rest;
    while (true) {
      rest = scan({cells_, paths_, baselines_}, components_);
      drop_reported(rest);
      std::erase_if(rest, [&](const Suspect& s) {
        return std::ranges::find(mild_, s.component) != mild_.end();
      });
      const bool room = int(out_.reported.size()) < options_.most_suspects;
      if (!room || !bring_forward(rest))
        break;
      if (options_.replay && !out_.reported.empty() && expected_.affordable() < few_more()) {
        too_long_to_tell_ = true;
        break;
      }
      if (!settled_ && !out_.reported.empty() && hypotheses_left() > 0) {
        settle();
        continue;
      }
      if (!options_.replay) {
        judge_unreplayed(rest.front());
      } else if (hypotheses_left() == 0 || !report_replayed(rest)) {
        given_up_ = expected_.affordable() <= kKeptForFinalists;
        break;
      }
    }
    if (out_.reported.empty() && perhaps_) {
      out_.unjudged = "something is slow about " + name_of(*perhaps_, grid_) +
                      ", and no simulated part explains enough of it: in a full network a little more delay "
                      "takes another course";
      out_.would_help = "another mapping or fewer samples at once; the ranked list says where to look first";
    }
    if (out_.reported.empty() && out_.unjudged.empty() && expected_.longer() >= kLeastFactor)
      out_.unjudged = "the run took " + format_factor(expected_.longer()) +
                      " times as long as this chip should, and no slow part explains that";
    if (out_.reported.empty() && out_.unjudged.empty() && given_up_) {
      out_.unjudged = "parts may be slow, and simulations of this run are too long to try each";
      out_.would_help = "record fewer inferences, of which more can be simulated";
    }
    if (options_.replay && options_.own == nullptr && options_.healthy == nullptr)
      doubt_if_unlike();
    add_what_may_be_more();
    rank(rest);
    return std::move(out_);
  }

 private:
  // Returns the strength (log-likelihood ratio of the scan) from which a component is simulated as a
  // hypothesis. It follows from the strengths of that component in simulated runs in which it is not slow.
  // For the first component it is at most that of the whole chip (Thresholds::of_the_chip()) or
  // kSimulatedAnyway, whichever is larger. For a chip that is not simulated it is kUnreplayed.
  double needed(const Suspect& s) {
    if (!options_.replay)
      return kUnreplayed;
    if (!thresholds_)
      calibrate();
    const double needed = thresholds_->needed(s.component);
    const bool first = out_.reported.empty() && !contradicted_;
    const double anyway = std::max(kSimulatedAnyway, thresholds_->of_the_chip());
    return first ? std::min(needed, anyway) : needed;
  }

  void calibrate() {
    thresholds_.emplace(shown_without_it(), components_.size(), options_.false_alarms);
  }

  std::vector<std::vector<Suspect>> shown_without_it() const {
    std::vector<std::vector<Suspect>> out;
    for (const LeftOut& one : expected_.left_out())
      out.push_back(scan({*one.cells, one.paths, one.baselines}, components_));
    return out;
  }

  // Replaces the baseline by the mean of several simulated runs with the found components. The transfers of a
  // chip with a fault wait in one of several periodic orders, which differ between runs, and factor and begin
  // of the found components have errors.
  void settle() {
    baselines_ = expected_.settled(out_.reported);
    thresholds_.reset();
    settled_ = true;
  }

  // Moves the first suspect whose strength suffices for a simulation (needed()) to the front. Returns whether
  // there is one.
  bool bring_forward(std::vector<Suspect>& found) {
    const auto first = std::ranges::find_if(found, [&](const Suspect& s) {
      return s.strength >= needed(s);
    });
    if (first == found.end())
      return false;
    std::rotate(found.begin(), first, first + 1);
    return true;
  }

  // Returns the least number of simulations that the search for a further component takes.
  double few_more() const {
    return kKeptForFinalists + (settled_ ? 0 : options_.faulty_draws);
  }

  int hypotheses_left() const {
    return expected_.left() > 0 ? std::max(0, options_.most_hypotheses - hypotheses_) : 0;
  }

  // Simulates suspects, DetectOptions::most_together at a time, and reports the best hypothesis of such a
  // group when its gain is convincing and it explains enough. Returns whether one was reported. Time bins may
  // be too coarse for a simulation. When no hypothesis and no earlier component was reported, the suspect
  // with the highest strength is therefore judged as if there were no simulator, if it stands out
  // (stands_out()). This is not done when its interval covers whole bins and all hypotheses of some group had
  // gains below 0.
  bool report_replayed(const std::vector<Suspect>& found) {
    std::vector<Suspect> left = found;
    Hypothesis best;
    size_t simulated = 0;
    double refused = 0;  // largest gain of those not accepted
    bool convinces = false;
    do {
      const std::vector<Suspect> tried = suspects_to_simulate(left);
      hypotheses_ += int(tried.size());
      simulated += tried.size();
      const ScanInput before{cells_, paths_, baselines_};
      Contest contest(before, out_.reported, expected_, slowest_);
      best = contest.best_of(tried);
      contradicted_ = contradicted_ || best.gain < 0;
      convinces = best.gain >= refused && convincing(best, simulated) && is_enough(best, contest);
      refused = std::max(refused, best.gain);
      std::erase_if(left, [&](const Suspect& s) {
        return std::ranges::find(tried, s.component, &Suspect::component) != tried.end();
      });
    } while (!convinces && hypotheses_left() > 0 && bring_forward(left));
    if (convinces) {
      left_over_ = std::max(left_over_, best.own_misfit - best.own_chance.median);
      add_evidence(best.suspect, {cells_, paths_, baselines_}, components_, chip_, out_.run_cycles);
      out_.reported.push_back(std::move(best.suspect));
      baselines_ = std::move(best.baselines);
      settled_ = false;
      perhaps_.reset();
      expected_.next_component();
      return true;
    }
    const bool refuted = contradicted_ && covers_whole_bins(cells_, found.front());
    if (out_.reported.empty() && !refuted && stands_out(found))
      judge_unreplayed(found.front());
    return false;
  }

  static bool stands_out(const std::vector<Suspect>& found) {
    const double first = found.front().strength;
    const double next = found.size() > 1 ? found[1].strength : 0;
    return first >= kUnreplayed && next <= kRivalShare * first;
  }

  // Reports the suspect when the factor that its fastest transfers show is at least kLeastFactor. In either
  // case later rounds ignore the transfers through it during its interval.
  void judge_unreplayed(Suspect suspect) {
    const ScanInput seen{cells_, paths_, baselines_};
    suspect.factor = envelope_factor(seen, suspect);
    suspect = refitted(seen, suspect);
    add_evidence(suspect, seen, components_, chip_, out_.run_cycles);
    ignore_rows_through(suspect);
    if (suspect.factor >= kLeastFactor)
      out_.reported.push_back(std::move(suspect));
    else
      mild_.push_back(suspect.component);
  }

  // Returns whether the gain of a hypothesis (in log-likelihood) exceeds the largest that `tried` hypotheses
  // reach by chance. Its gain over the rows that cross its component must also exceed the chance gain that
  // the scatter between healthy runs allows, unless the misfit that it leaves is small (explains()). When
  // transfers cross both its component and a reported one, it must exceed the misfit that the reported one
  // left.
  bool convincing(const Hypothesis& h, size_t tried) const {
    if (h.suspect.factor < kLeastFactor || h.gain < Thresholds::by_chance(tried, options_.false_alarms))
      return false;
    if (beside_found(h.suspect.component) && h.gain < left_over_)
      return false;
    return explains(h) ||
           h.own_gain >= Thresholds::by_chance(tried, options_.false_alarms, h.own_chance.scatter);
  }

  // Returns whether a hypothesis explains enough of the misfit beyond that of a healthy run to be reported.
  // For the first component it also suffices that the second-best hypothesis has at most kRivalShare of its
  // gain. The gain of a further component must exceed what small changes of the found components give
  // (gain_of_given()) by the factor 1 / kRivalShare, because queues that drain after a fault look like slow
  // links.
  bool is_enough(const Hypothesis& h, Contest& contest) {
    const bool first = out_.reported.empty();
    if (!first && expected_.affordable() < 1) {
      too_long_to_tell_ = true;
      return false;
    }
    const double beyond_chance = h.own_gain + h.own_misfit - h.own_chance.median;
    const double share = first ? kLeastExplainedAlone : kLeastExplained;
    const bool ahead = first && h.rival_gain <= kRivalShare * h.gain;
    if (!ahead && h.own_gain < share * beyond_chance) {
      perhaps_ = h.suspect.component;
      return false;
    }
    return first || contest.gain_of_given() <= kRivalShare * h.gain;
  }

  // Withdraws reports when the fastest transfers of the run differ from those of the simulated chip, whose
  // numbers were not fitted to the run. Cores are compared with one another, so reports of cores stay.
  void doubt_if_unlike() {
    const std::string reason =
        unlike_simulated({cells_, paths_, out_.reported}, expected_.draws(), options_.false_alarms);
    if (reason.empty())
      return;
    std::erase_if(out_.reported, [](const Suspect& s) {
      return s.component.part != Part::Core;
    });
    if (!out_.reported.empty()) {
      out_.notes.push_back("Links, routers, memory units and DRAM ports were not judged: " + reason);
      return;
    }
    out_.unjudged = reason;
    out_.would_help =
        "the probe records instead of a sketch, to which the chip's numbers are fitted, or a run of this "
        "chip "
        "that is known to be healthy (--healthy)";
  }

  void add_what_may_be_more() {
    if (too_long_to_tell_)
      out_.notes.emplace_back(
          "whether more is slow was not looked into: simulations of this run are too long");
    if (perhaps_ && !out_.reported.empty())
      out_.notes.push_back(
          "More may be slow: " + name_of(*perhaps_, grid_) +
          " comes nearest to what is left over, and does not explain it.");
  }

  // Returns whether some transfer crosses both this component and a reported one. Errors in the factor, begin
  // and end of the reported one leave a misfit of those transfers, of which the other one explains a part.
  bool beside_found(const Component& component) const {
    return std::ranges::any_of(paths_, [&](const Path& path) {
      return path.crosses(component) && std::ranges::any_of(out_.reported, [&](const Suspect& found) {
               return path.crosses(found.component);
             });
    });
  }

  // Returns whether a suspect may explain the slow transfers that `leading` explains: its strength is at
  // least half as high, and some transfers cross both.
  bool rivals(const Suspect& s, const Suspect& leading) const {
    return 2 * s.strength >= leading.strength && std::ranges::any_of(paths_, [&](const Path& path) {
             return path.crosses(s.component) && path.crosses(leading.component);
           });
  }

  // Returns the suspects to simulate: those with the highest strength (log-likelihood ratio of the scan), and
  // those whose fastest transfers show the largest factor. A link behind the slow one, whose transfers wait
  // in its queues, can have a higher strength than the slow link, and in a network with full queues dozens
  // do. Kinds of parts that few transfers cross come first (reach()), because Contest favours the earlier one
  // of two parts.
  std::vector<Suspect> suspects_to_simulate(const std::vector<Suspect>& found) {
    const auto left = size_t(hypotheses_left());
    std::vector<Suspect> out;
    std::vector<Suspect> weaker;
    for (const Suspect& s : found)
      if (s.strength >= needed(s) || (out.size() < kSimulatedFirst && rivals(s, found.front())))
        (out.size() < std::min(size_t(options_.most_together), left) ? out : weaker).push_back(s);
    const ScanInput seen{cells_, paths_, baselines_};
    std::ranges::stable_sort(weaker, std::ranges::greater{}, [&](const Suspect& s) {
      return factor_of_the_fastest(seen, s);
    });
    weaker.resize(std::min({weaker.size(), kSimulatedFirst, left - out.size()}));
    slowest_.clear();
    for (const Suspect& s : weaker)
      if (s.component.part == Part::Link)
        slowest_.push_back(s.component);
    std::ranges::move(weaker, std::back_inserter(out));
    std::ranges::stable_sort(out, {}, [](const Suspect& s) {
      return reach(s.component.part);
    });
    return out;
  }

  void drop_reported(std::vector<Suspect>& found) const {
    std::erase_if(found, [&](const Suspect& s) {
      return std::ranges::any_of(out_.reported, [&](const Suspect& r) {
        return r.component == s.component || std::ranges::find(r.alike, s.component) != r.alike.end();
      });
    });
  }

  // Removes the records of transfers that cross a found component from the bins of its interval.
  void ignore_rows_through(const Suspect& found) {
    const Bins bins = bins_of(cells_, found.begin, found.end);
    for (size_t r = 0; r < cells_.rows.size(); ++r) {
      if (!paths_[r].crosses(found.component))
        continue;
      for (size_t b = bins.begin; b < bins.end; ++b)
        cells_.rows[r].cells[b].count = 0;
    }
  }

  // Fills the ranked list: reported suspects first, then others, with half of the score that their strength
  // gives.
  void rank(std::vector<Suspect>& rest) {
    drop_reported(rest);  // the last one came after the scan
    out_.ranked = out_.reported;
    for (Suspect& s : rest) {
      if (out_.ranked.size() >= kMostRanked)
        break;
      s.score = score_of(s.strength) / 2;
      s.end = std::min(s.end, out_.run_cycles);
      out_.ranked.push_back(std::move(s));
    }
  }

  const spec::Chip& chip_;
  const Grid grid_;
  const DetectOptions& options_;
  Cells cells_;
  const std::vector<Path> paths_;
  const std::vector<Component> components_;
  Expected expected_;
  std::vector<Baseline> baselines_;       // expected with everything that is reported so far
  std::optional<Thresholds> thresholds_;  // of the chip with everything that is reported so far
  std::vector<Component> mild_;           // judged without a replay and not slow enough to be reported
  std::vector<Component> slowest_;  // links that are simulated only for the factor of their fastest transfers
  int hypotheses_ = 0;              // hypotheses that were simulated
  bool settled_ = false;            // baselines_ are means of several simulated runs
  bool contradicted_ = false;       // a best simulated hypothesis had a gain below 0
  bool too_long_to_tell_ = false;   // simulations are too long to find out whether more is slow
  std::optional<Component> perhaps_;  // explains too little of the misfit that the last found part leaves
  double left_over_ = 0;              // misfit that reported parts leave beyond that of a median healthy run
  bool given_up_ = false;             // before all were tried, since simulations are too long
  Detection out_;
};

}  // namespace

Detection detect(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options) {
  return Detector(sketch, chip, options).run();
}

}  // namespace lento::chip
