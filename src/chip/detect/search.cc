#include "chip/detect/search.h"

#include <algorithm>
#include <cmath>

#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

uint64_t shifted(uint64_t cycles, double by) {
  return uint64_t(std::max(0.0, double(cycles) + by));
}

bool same(const Suspect& a, const Suspect& b) {
  return a.begin == b.begin && a.end == b.end && a.factor == b.factor;
}

}  // namespace

Search::Search(double bin_cycles) {
  ways_[0] = {std::log(kFactorStep), std::log(kLeastFactorStep)};
  ways_[1] = {bin_cycles, bin_cycles * kLeastBeginStep, -1};
}

std::optional<Suspect> Search::next(const Suspect& best) {
  while (std::ranges::any_of(ways_, [](const Way& w) {
    return w.step >= w.least;
  })) {
    if (ways_[at_].step < ways_[at_].least) {
      at_ = 1 - at_;
      continue;
    }
    Suspect other = moved(best);
    if (!same(other, best))
      return other;
    told(-1);
  }
  return std::nullopt;
}

Suspect Search::moved(Suspect s) const {
  const Way& way = ways_[at_];
  const double by = way.sign * way.step;
  if (at_ == 0) {
    s.factor = std::clamp(s.factor * std::exp(by), 1.0, kMostFactor);
    return s;
  }
  if (shifted(s.begin, by) < s.end)
    s.begin = shifted(s.begin, by);
  return s;
}

void Search::told(double better) {
  Way& way = ways_[at_];
  if (better > 0) {
    way.helped = true;
    way.step *= 2;
    return;
  }
  // Nothing passed the component between the two: nor does it between nearer ones.
  if (better == 0) {
    give_way(0);
    return;
  }
  // What helped one way needs no step back.
  if (way.helped || way.turned) {
    give_way(0.5 / (way.helped ? 2 : 1));
    return;
  }
  way.turned = true;
  way.sign = -way.sign;
}

void Search::give_way(double times) {
  Way& way = ways_[at_];
  way.step *= times;
  way.turned = false;
  way.helped = false;
  at_ = 1 - at_;
}

}  // namespace lento::chip
