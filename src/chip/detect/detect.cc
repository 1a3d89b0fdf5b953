// Cores first, by direct evidence (slow_cores.h). Then, round by round, the transfer component that explains
// most of what is left over (scan.h), against the chip as it would be with everything found so far: with a
// replay that baseline is simulated; without one, rows that a found component touches fall silent.
#include "chip/detect/detect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "chip/detect/alike.h"
#include "chip/detect/contest.h"
#include "chip/detect/expected.h"
#include "chip/detect/factor.h"
#include "chip/detect/scan.h"
#include "chip/detect/slow_cores.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

constexpr size_t kMostClose = 4;   // hypotheses replayed to choose among
constexpr double kClose = 0.45;    // of the strongest: too close to tell apart without a replay
constexpr double kUnreplayed = 3;  // times the strength that a replay would need
constexpr double kApart = 0.65;    // of the strongest: nothing else comes near
constexpr double kLater = 2.5;     // times the strength needed beside a component found before
constexpr double kBesideCore = 5;  // the same beside a slow core, which changes the rhythm of the whole chip
// Strength needed: this, and so many times what the component shows on a healthy chip.
constexpr double kFloor = 6;
constexpr double kHealthyTimes = 2;
// What a replay must explain: this share of the strength, within these bounds.
constexpr double kGainShare = 0.25;
constexpr double kLeastGain = 4;
constexpr double kEnoughGain = 15;
constexpr double kAlone = 2;  // times the strength needed when one pattern accuses and others contradict

// How much else a slow component of this kind would slow.
int reach(Part part) {
  return part == Part::Link ? 0 : part == Part::MemoryUnit ? 1 : part == Part::DramPort ? 2 : 3;
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
        expected_({cells_, paths_, chip, grid_, options}) {
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
      const bool room = int(out_.reported.size()) < options_.most_suspects;
      if (!room || !bring_forward(rest))
        break;
      if (!settled_ && !out_.reported.empty() && hypotheses_left() > 0) {
        baselines_ = expected_.settled(out_.reported);
        settled_ = true;
        continue;
      }
      if (!options_.replay) {
        report_unreplayed(rest.front());
      } else if (hypotheses_left() == 0 || !report_replayed(rest)) {
        break;
      }
    }
    rank(rest);
    return std::move(out_);
  }

 private:
  // A later component must stand out from what the earlier ones stir up: the more so where transfers pass
  // through both.
  double needed(const Suspect& next) {
    const bool slow_core = std::ranges::any_of(out_.reported, [](const Suspect& s) {
      return s.component.part == Part::Core;
    });
    double least = slow_core ? kBesideCore * options_.least_strength : enough_on_healthy(next);
    if (!slow_core && !out_.reported.empty())
      least *= kLater;
    if (!options_.replay)
      least *= kUnreplayed;
    for (const Suspect& s : out_.reported) {
      if (s.component.part == Part::Core)
        continue;
      const bool apart = next.begin >= s.end || s.begin >= next.end || !related(s.component, next.component);
      const double share = apart ? 0.1 : 0.2;
      least = std::max(least, (options_.replay ? share : 0.45) * s.strength);
    }
    return least;
  }

  // Some components of a healthy chip look slow more often than others: those where queues come and go.
  double enough_on_healthy(const Suspect& s) {
    if (expected_.healthy_runs() < 2)
      return options_.least_strength;
    if (!measured_)
      measure_healthy();
    const auto seen = on_healthy_.find(s.component);
    const double shown = seen == on_healthy_.end() ? 0 : seen->second;
    return std::min(options_.least_strength, kFloor + kHealthyTimes * shown);
  }

  void measure_healthy() {
    measured_ = true;
    for (size_t run = 0; run < expected_.healthy_runs(); ++run) {
      const Expected::LeftOut one = expected_.left_out(run);
      for (const Suspect& s : scan({one.cells, one.paths, one.baselines}, components_)) {
        double& most = on_healthy_[s.component];
        most = std::max(most, s.strength);
      }
    }
  }

  // Puts the strongest that is strong enough first; whether there is one.
  bool bring_forward(std::vector<Suspect>& found) {
    const auto first = std::ranges::find_if(found, [&](const Suspect& s) {
      return s.strength >= needed(s);
    });
    if (first == found.end())
      return false;
    std::rotate(found.begin(), first, first + 1);
    return true;
  }

  int hypotheses_left() const {
    return expected_.left() > 0 ? std::max(0, options_.most_hypotheses - hypotheses_) : 0;
  }

  bool related(const Component& a, const Component& b) const {
    return std::ranges::any_of(paths_, [&](const Path& p) {
      return p.crosses(a) && p.crosses(b);
    });
  }

  // The best of the close hypotheses, if the chip simulated with it looks more like the recorded one; when it
  // does not, the next ones. When none convinces, a first component that stands out by the closed form alone
  // is reported as without a replay: its time bins are too coarse to simulate it.
  bool report_replayed(const std::vector<Suspect>& found) {
    std::vector<Suspect> left = found;
    Hypothesis best;
    do {
      std::vector<Suspect> close = close_to_best(left);
      hypotheses_ += int(close.size());
      best = Contest({cells_, paths_, baselines_}, out_.reported, expected_).best_of(close);
      std::erase_if(left, [&](const Suspect& s) {
        return std::ranges::any_of(close, [&](const Suspect& c) {
          return c.component == s.component;
        });
      });
    } while (!convincing(best) && hypotheses_left() > 0 && bring_forward(left));
    if (convincing(best)) {
      finish(best.suspect);
      out_.reported.push_back(std::move(best.suspect));
      baselines_ = std::move(best.baselines);
      settled_ = false;
      expected_.next_component();
      return true;
    }
    if (out_.reported.empty() && stands_out(found))
      report_unreplayed(found.front());
    return false;
  }

  bool stands_out(const std::vector<Suspect>& found) const {
    const double first = found.front().strength;
    const double next = found.size() > 1 ? found[1].strength : 0;
    return first >= kUnreplayed * options_.least_strength && next <= kApart * first;
  }

  void report_unreplayed(Suspect suspect) {
    const ScanInput seen{cells_, paths_, baselines_};
    suspect.factor = envelope_factor(seen, suspect);
    suspect = refitted(seen, suspect);
    finish(suspect);
    silence(suspect);
    out_.reported.push_back(std::move(suspect));
  }

  bool convincing(const Hypothesis& h) {
    const Voices voices = voices_of({cells_, paths_, baselines_}, h.suspect);
    const bool alone = voices.for_it < 2 && voices.against > 0;
    return h.suspect.factor >= options_.least_factor &&
           h.suspect.strength >= (alone ? kAlone : 1) * needed(h.suspect) &&
           h.gain >= std::clamp(kGainShare * h.suspect.strength, kLeastGain, kEnoughGain);
  }

  // One slow link stirs up the others of its routers, which together may outweigh it: beside a router its
  // strongest link is heard too.
  static void admit_own_links(const std::vector<Suspect>& found, std::vector<Suspect>& close) {
    const size_t heard = close.size();
    for (size_t i = 0; i < heard; ++i) {
      const Component router = close[i].component;
      if (router.part != Part::Router)
        continue;
      const auto own = std::ranges::find_if(found, [&](const Suspect& s) {
        return s.component.part == Part::Link &&
               (s.component.index == router.index || s.component.other == router.index);
      });
      if (own == found.end())
        continue;
      const auto is_own = [&](const Suspect& s) {
        return s.component == own->component;
      };
      if (std::ranges::none_of(close, is_own))
        close.push_back(*own);
    }
  }

  // What explains nearly as much as the strongest. Components whose own fastest transfers speak against them
  // come last; then the smaller component first.
  std::vector<Suspect> close_to_best(const std::vector<Suspect>& found) const {
    std::vector<Suspect> close;
    for (const Suspect& s : found)
      if (s.strength >= kClose * found.front().strength)
        close.push_back(s);
    std::ranges::stable_sort(close, [](const Suspect& a, const Suspect& b) {
      return a.bounded < b.bounded;
    });
    close.resize(std::min({close.size(), kMostClose, size_t(hypotheses_left())}));
    admit_own_links(found, close);
    std::ranges::stable_sort(close, [](const Suspect& a, const Suspect& b) {
      return reach(a.component.part) < reach(b.component.part);
    });
    return close;
  }

  void drop_reported(std::vector<Suspect>& found) const {
    std::erase_if(found, [&](const Suspect& s) {
      return std::ranges::any_of(out_.reported, [&](const Suspect& r) {
        return r.component == s.component || std::ranges::find(r.alike, s.component) != r.alike.end();
      });
    });
  }

  // Rows through any link of a found component tell nothing more while it is slow.
  void silence(const Suspect& found) {
    const Bins bins = bins_of(cells_, found.begin, found.end);
    for (size_t r = 0; r < cells_.rows.size(); ++r) {
      if (!paths_[r].crosses(found.component))
        continue;
      for (size_t b = bins.begin; b < bins.end; ++b)
        cells_.rows[r].cells[b].count = 0;
    }
  }

  void finish(Suspect& s) const {
    s.alike = alike(s.component, flows_between(cells_, s.begin, s.end), components_, chip_, grid_);
    struct Shown {
      double above;
      size_t row;
    };
    const Bins bins = bins_of(cells_, s.begin, s.end);
    std::vector<Shown> shown;
    for (size_t r = 0; r < cells_.rows.size(); ++r) {
      if (!paths_[r].crosses(s.component))
        continue;
      double above = 0;
      double weight = 0;
      for (size_t b = bins.begin; b < bins.end; ++b) {
        const Cell& cell = cells_.rows[r].cells[b];
        above += (cell.level - baselines_[r].level[b]) * cell.count;
        weight += cell.count;
        s.seen += uint64_t(cell.count);
        if (cell.count > 0)
          s.lost_cycles += std::max(0.0F, std::exp2(cell.level) - std::exp2(baselines_[r].level[b])) / 128 *
                           cells_.rows[r].bytes * cell.count;
      }
      if (weight > 0)
        shown.push_back({above / weight, r});
    }
    std::ranges::stable_sort(shown, [](const Shown& a, const Shown& b) {
      return a.above > b.above;
    });
    s.end = std::min(s.end, out_.run_cycles);
    s.score = 1 - std::exp(-s.strength / 100);
    const auto slow = std::ranges::count_if(shown, [](const Shown& x) {
      return x.above > 0.3;
    });
    s.evidence.push_back(
        {std::to_string(slow) + " of " + std::to_string(shown.size()) +
             " transfer patterns through it were slower than expected in its interval",
         double(slow) / double(std::max<size_t>(shown.size(), 1)),
         "share",
         "sketch, time bins"});
    for (size_t i = 0; i < std::min<size_t>(shown.size(), 6); ++i) {
      s.patterns.push_back(cells_.rows[shown[i].row].pattern);
      s.cores.push_back(cells_.rows[shown[i].row].core);
    }
    if (!shown.empty())
      s.evidence.push_back(
          {"latency of its slowest pattern against what it should be",
           std::exp2(shown[0].above),
           "x",
           "sketch, time bins"});
    s.evidence.push_back(
        {"log-likelihood ratio of this component slow against a healthy chip",
         s.strength,
         "",
         "scan over components, factors and intervals"});
  }

  void rank(std::vector<Suspect>& rest) {
    out_.ranked = out_.reported;
    for (Suspect& s : rest) {
      if (out_.ranked.size() >= 10)
        break;
      s.score = 0.5 * (1 - std::exp(-s.strength / 100));
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
  std::vector<Baseline> baselines_;         // what the chip should show with everything reported so far
  std::map<Component, double> on_healthy_;  // the most that it shows there
  int hypotheses_ = 0;                      // replayed
  bool measured_ = false;                   // on_healthy_
  bool settled_ = false;                    // baselines_ are of several draws
  Detection out_;
};

}  // namespace

Detection detect(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options) {
  return Detector(sketch, chip, options).run();
}

}  // namespace lento::chip
