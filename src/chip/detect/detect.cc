// Cores first, by direct evidence (slow_cores.h). Then, round by round, the transfer component that explains
// most of what is left over (scan.h), against the chip as it would be with everything found so far: with a
// replay that baseline is simulated; without one, rows that a found component touches fall silent.
#include "chip/detect/detect.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chip/detect/expected.h"
#include "chip/detect/factor.h"
#include "chip/detect/scan.h"
#include "chip/detect/slow_cores.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

constexpr size_t kMostClose = 3;     // hypotheses replayed to choose among
constexpr double kClose = 0.45;      // of the strongest: too close to tell apart without a replay
constexpr double kMild = 2.5;        // factors below need more evidence
constexpr double kSameFactor = 0.1;  // relative
// Hypotheses whose gains differ by less are equals.
constexpr double kSameGain = 6, kSameShare = 0.1;

// How much else a slow component of this kind would slow.
int reach(Part part) {
  return part == Part::Link ? 0 : part == Part::MemoryUnit ? 1 : part == Part::DramPort ? 2 : 3;
}

std::vector<Path> paths_of(const Cells& cells, const spec::Chip& chip, const Grid& grid) {
  std::vector<Path> out;
  for (const Row& row : cells.rows) out.emplace_back(chip, grid, row.pattern, row.core);
  return out;
}

struct Window {
  uint64_t begin = 0, end = 0;  // cycles
};

// A component slow, what the chip would have recorded then, and how much more that is like the recorded run
// than what was expected before (log-likelihood ratio within the window).
struct Hypothesis {
  Suspect suspect;
  std::vector<Baseline> baselines;
  double gain = 0;
};

class Detector {
 public:
  Detector(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options)
      : grid_(chip),
        options_(options),
        cells_(cells_of(sketch, grid_)),
        paths_(paths_of(cells_, chip, grid_)),
        components_(candidates(paths_, grid_)),
        expected_({cells_, paths_, grid_, options}) {
    out_.run_cycles = sketch.end_cycles();
    out_.reported = slow_cores(sketch, chip, options, out_.notes);
    if (static_cast<int>(out_.reported.size()) > options.most_suspects)
      out_.reported.resize(static_cast<size_t>(options.most_suspects));
  }

  Detection run() {
    baselines_ = expected_.left() > 0 ? expected_.with(out_.reported) : expected_.healthy();
    std::vector<Suspect> rest;
    while (true) {
      rest = scan({cells_, paths_, baselines_}, components_);
      drop_reported(rest);
      const bool room = static_cast<int>(out_.reported.size()) < options_.most_suspects;
      if (rest.empty() || !room || rest.front().strength < needed(rest.front())) break;
      if (!settled_ && !out_.reported.empty() && expected_.left() > 0) {
        baselines_ = expected_.settled(out_.reported);
        settled_ = true;
        continue;
      }
      if (expected_.left() > 0) {
        if (!report_replayed(rest)) break;
      } else {
        report_unreplayed(rest.front());
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

  // The best of the close hypotheses, if the chip simulated with it looks more like the recorded one; when it
  // does not, the next ones.
  bool report_replayed(std::vector<Suspect> found) {
    Hypothesis best;
    do {
      std::vector<Suspect> close = close_to_best(found);
      best = choose(close);
      std::erase_if(found, [&](const Suspect& s) {
        return std::any_of(close.begin(), close.end(),
                           [&](const Suspect& c) { return c.component == s.component; });
      });
    } while (!convincing(best) && expected_.left() > 0 && !found.empty() &&
             found.front().strength >= needed(found.front()));
    if (!convincing(best)) return false;
    finish(best.suspect);
    out_.reported.push_back(std::move(best.suspect));
    baselines_ = std::move(best.baselines);
    settled_ = false;
    return true;
  }

  void report_unreplayed(Suspect suspect) {
    const ScanInput seen{cells_, paths_, baselines_};
    suspect.factor = envelope_factor(seen, suspect);
    suspect = refitted(seen, suspect);
    finish(suspect);
    silence(suspect);
    out_.reported.push_back(std::move(suspect));
  }

  // Mild slowness takes more to convince: a healthy chip shows some, now here, now there.
  bool convincing(const Hypothesis& h) const {
    const double share = h.suspect.factor < kMild ? 0.5 : 0.3, enough = h.suspect.factor < kMild ? 30 : 15;
    return h.suspect.factor >= options_.least_factor && h.suspect.strength >= needed(h.suspect) &&
           h.gain >= std::min(share * h.suspect.strength, enough);
  }

  // What explains nearly as much as the strongest. Components whose own fastest transfers speak against them
  // come last; then the smaller component first.
  static std::vector<Suspect> close_to_best(const std::vector<Suspect>& found) {
    std::vector<Suspect> close;
    for (const Suspect& s : found)
      if (s.strength >= kClose * found.front().strength) close.push_back(s);
    std::stable_sort(close.begin(), close.end(),
                     [](const Suspect& a, const Suspect& b) { return a.bounded < b.bounded; });
    if (close.size() > kMostClose) close.resize(kMostClose);
    std::stable_sort(close.begin(), close.end(), [](const Suspect& a, const Suspect& b) {
      return reach(a.component.part) < reach(b.component.part);
    });
    return close;
  }

  // Hypotheses too close to tell apart by the closed form are replayed, each a second time with the factor
  // that its first replay suggests; the one whose run looks most like the sketch wins. Of equals the first,
  // which is the smaller component.
  Hypothesis choose(std::vector<Suspect>& close) {
    const ScanInput seen{cells_, paths_, baselines_};
    for (Suspect& s : close) {
      s.factor = envelope_factor(seen, s);
      s = refitted(seen, s);
    }
    Window window{UINT64_MAX, 0};
    for (const Suspect& s : close) window = {std::min(window.begin, s.begin), std::max(window.end, s.end)};
    Hypothesis best;
    for (const Suspect& s : close) {
      if (expected_.left() == 0) break;
      Hypothesis h = replayed(s, window);
      correct(h, window);
      const double same = std::max(kSameGain, kSameShare * best.gain);
      if (h.gain > best.gain + same || best.baselines.empty()) best = std::move(h);
    }
    while (correct(best, window)) {
    }
    return best;
  }

  // Tries the factor that the replay suggests, and when that goes too far, half the way; whether one was
  // better.
  bool correct(Hypothesis& h, const Window& window) {
    Suspect again = h.suspect;
    again.factor = corrected_factor({cells_, paths_, baselines_}, h.suspect, h.baselines);
    for (int tries = 0; tries < 2 && expected_.left() > 0; ++tries) {
      if (std::abs(std::log(again.factor / h.suspect.factor)) < kSameFactor) return false;
      Hypothesis next = replayed(again, window);
      if (next.gain > h.gain) {
        h = std::move(next);
        return true;
      }
      again.factor = std::sqrt(again.factor * h.suspect.factor);
    }
    return false;
  }

  Hypothesis replayed(const Suspect& suspect, const Window& window) {
    std::vector<Suspect> given = out_.reported;
    given.push_back(suspect);
    Hypothesis h{suspect, expected_.with(given), 0};
    h.gain = expected_.misfit(baselines_, window.begin, window.end) -
             expected_.misfit(h.baselines, window.begin, window.end);
    return h;
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

  const Grid grid_;
  const DetectOptions& options_;
  Cells cells_;
  const std::vector<Path> paths_;
  const std::vector<Component> components_;
  Expected expected_;
  std::vector<Baseline> baselines_;  // what the chip should show with everything reported so far
  bool settled_ = false;             // baselines_ are of several draws
  Detection out_;
};

}  // namespace

Detection detect(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options) {
  return Detector(sketch, chip, options).run();
}

}  // namespace lento::chip
