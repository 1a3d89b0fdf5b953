// Cores first, by direct evidence (slow_cores.h). Then, round by round, the transfer component that explains
// most of what is left over (scan.h), against the chip as it would be with everything found so far: with a
// replay that baseline is simulated; without one, rows that a found component touches fall silent.
#include "chip/detect/detect.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chip/detect/scan.h"
#include "chip/detect/slow_cores.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

constexpr size_t kMostClose = 5;  // hypotheses replayed to choose among

std::vector<Fault> as_faults(const std::vector<Suspect>& suspects, const Grid& grid) {
  std::vector<Fault> out;
  for (const Suspect& s : suspects) {
    Fault f = fault_of(s.component, grid);
    f.factor = s.factor;
    f.begin = s.begin;
    f.end = s.end;
    out.push_back(std::move(f));
  }
  return out;
}

class Detector {
 public:
  Detector(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options)
      : sketch_(sketch), grid_(chip), options_(options), cells_(cells_of(sketch, grid_)) {
    for (const Row& row : cells_.rows) paths_.emplace_back(chip, grid_, row.pattern, row.core);
    components_ = candidates(paths_, grid_);
    out_.run_cycles = sketch.end_cycles();
    out_.reported = slow_cores(sketch, chip, options, out_.notes);
    if (static_cast<int>(out_.reported.size()) > options.most_suspects)
      out_.reported.resize(static_cast<size_t>(options.most_suspects));
  }

  Detection run() {
    set_baselines(out_.reported);
    std::vector<Suspect> rest;
    while (true) {
      rest = scan({cells_, paths_, baselines_}, components_);
      drop_reported(rest);
      const bool room = static_cast<int>(out_.reported.size()) < options_.most_suspects;
      if (rest.empty() || !room || rest.front().strength < needed(rest.front())) break;
      Suspect best = choose(rest);
      if (best.strength < needed(best) || !confirmed(best)) break;
      finish(best);
      out_.reported.push_back(best);
      if (!next_.empty()) {
        baselines_ = std::move(next_);
        next_.clear();
      } else {
        silence(best);
      }
    }
    rank(rest);
    return std::move(out_);
  }

 private:
  // A later component must stand out from what the earlier ones stir up: the more so where transfers pass
  // through both.
  double needed(const Suspect& next) const {
    double least = options_.least_strength;
    if (!out_.reported.empty()) least *= 2;
    if (!options_.replay) least *= 3;
    for (const Suspect& s : out_.reported) {
      if (s.component.part == Part::Core) continue;
      const bool apart = next.begin >= s.end || s.begin >= next.end || !related(s.component, next.component);
      const double share = apart ? 0.1 : 0.45;
      least = std::max(least, (options_.replay ? share : 0.45) * s.strength);
    }
    return least;
  }

  bool related(const Component& a, const Component& b) const {
    return std::any_of(paths_.begin(), paths_.end(),
                       [&](const Path& p) { return p.crosses(a) && p.crosses(b); });
  }

  // With a replay, a suspect must make the simulated chip look more like the recorded one.
  bool confirmed(const Suspect& suspect) {
    if (!can_replay()) return true;
    std::vector<Suspect> given = out_.reported;
    given.push_back(suspect);
    next_ = replayed(given);
    return misfit(baselines_) - misfit(next_) >= std::min(0.3 * suspect.strength, 30.0);
  }

  bool can_replay() const { return options_.replay && replays_ < options_.most_replays; }

  void set_baselines(const std::vector<Suspect>& given) {
    if (can_replay()) {
      baselines_ = replayed(given);
    } else if (options_.healthy != nullptr) {
      baselines_ = baselines_from(cells_, cells_of(*options_.healthy, grid_, cells_.bin_cycles), paths_);
    } else {
      baselines_ = baselines_within(cells_, paths_);
    }
  }

  // Levels of the replayed run; spreads always those of the healthy one, since a fault that comes and goes
  // would pass for noise.
  std::vector<Baseline> replayed(const std::vector<Suspect>& given) {
    const auto expected = [&](const std::vector<Suspect>& with, uint32_t draw) {
      const Sketch sketch = options_.replay(as_faults(with, grid_), draw);
      return baselines_from(cells_, cells_of(sketch, grid_, cells_.bin_cycles), paths_);
    };
    if (healthy_.empty()) {
      std::vector<std::vector<Baseline>> draws;
      for (uint32_t i = 0; i < std::max(1u, options_.healthy_draws); ++i) draws.push_back(expected({}, i));
      healthy_ = pooled(draws);
    }
    if (given.empty()) return healthy_;
    ++replays_;
    std::vector<Baseline> out = expected(given, 0);
    for (size_t r = 0; r < out.size(); ++r) {
      out[r].single = healthy_[r].single;
      out[r].common = healthy_[r].common;
    }
    return out;
  }

  // Hypotheses too close to tell apart by the closed form are replayed, and the one whose run looks most like
  // the sketch wins.
  Suspect choose(const std::vector<Suspect>& found) {
    std::vector<Suspect> close;
    for (const Suspect& s : found)
      if (s.strength > 0.5 * found.front().strength && close.size() < kMostClose) close.push_back(s);
    if (close.size() < 2 || !can_replay()) return found.front();
    std::vector<std::pair<double, size_t>> fits;
    for (size_t i = 0; i < close.size() && can_replay(); ++i) fits.emplace_back(misfit_with(close[i]), i);
    std::sort(fits.begin(), fits.end());
    // Queues behind a slow server make it look slower than it is: the two best are tried at half the factor.
    for (size_t k = 0; k < 2 && replays_ + 1 < options_.most_replays; ++k) {
      Suspect milder = close[fits[k].second];
      if (milder.factor < 3) continue;
      milder.factor /= 2;
      fits.emplace_back(misfit_with(milder), close.size());
      close.push_back(std::move(milder));
    }
    return close[std::min_element(fits.begin(), fits.end())->second];
  }

  double misfit_with(const Suspect& suspect) {
    std::vector<Suspect> given = out_.reported;
    given.push_back(suspect);
    return misfit(replayed(given));
  }

  double misfit(const std::vector<Baseline>& baselines) const {
    double sum = 0;
    for (size_t r = 0; r < cells_.rows.size(); ++r) {
      const Baseline& base = baselines[r];
      for (size_t b = 0; b < cells_.bins; ++b) {
        const Cell& cell = cells_.rows[r].cells[b];
        if (cell.count == 0) continue;
        const double z2 = (cell.level - base.level[b]) * (cell.level - base.level[b]) /
                          (base.common * base.common + base.single * base.single / cell.count);
        sum += 2 * std::log1p(z2 / 3);
      }
    }
    return sum;
  }

  void drop_reported(std::vector<Suspect>& found) const {
    std::erase_if(found, [&](const Suspect& s) {
      return std::any_of(out_.reported.begin(), out_.reported.end(),
                         [&](const Suspect& r) { return r.component == s.component; });
    });
  }

  // Rows through any link of a found component tell nothing more while it is slow.
  void silence(const Suspect& found) {
    const size_t begin = found.begin / cells_.bin_cycles, end = found.end / cells_.bin_cycles + 1;
    for (size_t r = 0; r < cells_.rows.size(); ++r) {
      if (!paths_[r].crosses(found.component)) continue;
      for (size_t b = begin; b < std::min(end, cells_.bins); ++b) cells_.rows[r].cells[b].count = 0;
    }
  }

  void finish(Suspect& s) const {
    struct Shown {
      double above;
      size_t row;
    };
    std::vector<Shown> shown;
    for (size_t r = 0; r < cells_.rows.size(); ++r) {
      if (!paths_[r].crosses(s.component)) continue;
      double above = 0, weight = 0;
      for (size_t b = s.begin / cells_.bin_cycles;
           b < std::min<size_t>(cells_.bins, s.end / cells_.bin_cycles); ++b) {
        const Cell& cell = cells_.rows[r].cells[b];
        above += (cell.level - baselines_[r].level[b]) * cell.count;
        weight += cell.count;
        s.seen += static_cast<uint64_t>(cell.count);
        if (cell.count > 0)
          s.lost_cycles += std::max(0.0F, std::exp2(cell.level) - std::exp2(baselines_[r].level[b])) / 128 *
                           cells_.rows[r].bytes * cell.count;
      }
      if (weight > 0) shown.push_back({above / weight, r});
    }
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Shown& a, const Shown& b) { return a.above > b.above; });
    s.end = std::min(s.end, out_.run_cycles);
    s.score = 1 - std::exp(-s.strength / 100);
    const auto slow = std::count_if(shown.begin(), shown.end(), [](const Shown& x) { return x.above > 0.3; });
    s.evidence.push_back({std::to_string(slow) + " of " + std::to_string(shown.size()) +
                              " transfer patterns through it were slower than expected in its interval",
                          static_cast<double>(slow) / static_cast<double>(std::max<size_t>(shown.size(), 1)),
                          "share", "sketch, time bins"});
    for (size_t i = 0; i < std::min<size_t>(shown.size(), 6); ++i) {
      s.patterns.push_back(cells_.rows[shown[i].row].pattern);
      s.cores.push_back(cells_.rows[shown[i].row].core);
    }
    if (!shown.empty())
      s.evidence.push_back({"latency of its slowest pattern against what it should be",
                            std::exp2(shown[0].above), "x", "sketch, time bins"});
    s.evidence.push_back({"log-likelihood ratio of this component slow against a healthy chip", s.strength,
                          "", "scan over components, factors and intervals"});
  }

  void rank(std::vector<Suspect>& rest) {
    out_.ranked = out_.reported;
    for (Suspect& s : rest) {
      if (out_.ranked.size() >= 10) break;
      s.score = 0.5 * (1 - std::exp(-s.strength / 100));
      s.end = std::min(s.end, out_.run_cycles);
      out_.ranked.push_back(std::move(s));
    }
  }

  const Sketch& sketch_;
  Grid grid_;
  const DetectOptions& options_;
  Cells cells_;
  std::vector<Path> paths_;
  std::vector<Component> components_;
  std::vector<Baseline> baselines_;  // what the chip should show with everything reported so far
  std::vector<Baseline> healthy_, next_;
  Detection out_;
  int replays_ = 0;
};

}  // namespace

Detection detect(const Sketch& sketch, const spec::Chip& chip, const Program& /*program*/,
                 const DetectOptions& options) {
  return Detector(sketch, chip, options).run();
}

}  // namespace lento::chip
