// The factor and the begin of one hypothesis, moved until its simulated run is as like the recorded one as it
// gets: a pattern search (Hooke and Jeeves, J. ACM 8, 1961), one number at a time; a step that helped is
// tried twice as long, one that did not the other way, then half as long. What a hypothesis is worth is known
// at its best only: a true one whose factor is a fifth off can look worse than a false one that is not.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "chip/detect/detect.h"

namespace lento::chip {

class Search {
 public:
  // The begin is moved by bins of this width, in cycles, and parts of one.
  explicit Search(double bin_cycles);

  // What to try next about the best so far; none when every step has become too small to show.
  std::optional<Suspect> next(const Suspect& best);
  // How much better (above 0) or worse the last was; a better one is the best from now on.
  void told(double better);

 private:
  struct Way {
    double step = 0;   // of the logarithm of the factor, or cycles
    double least = 0;  // below it nothing is tried
    int sign = 1;
    bool turned = false;  // the other sign was tried at this step
    bool helped = false;  // the last try did
  };

  Suspect moved(Suspect s) const;
  void give_way(double times);

  std::array<Way, 2> ways_;
  size_t at_ = 0;
};

}  // namespace lento::chip
