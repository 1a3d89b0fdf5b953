// How far the noise of a metric goes: what a deviation must show to be more than one of its excursions.
//
// An excursion is a deviation that holds over a whole window and then ends by itself within a few windows.
// Its extent is its score without its three strongest blocks (level_track.h), the part that bursts cannot
// make. A deviation is believed when its extent passes both what the window's length asks for and the largest
// excursion that was seen lately, with a margin. The memory of it fades over days, so that one odd hour is
// not for ever. One alarm that ends by itself teaches: the same noise raises no second one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fleet/detect/level_track.h"

namespace lento::fleet {

class Excursions {
 public:
  // Cells are machines of one metric and window; `asked` is the least extent for a window of this rank (0 is
  // the shortest).
  Excursions(size_t machines, size_t rank, int64_t window_ms);

  // One evaluation of a machine.
  void see(size_t machine, const Judged& judged, int64_t now_ms);

  // How far a judgement goes beyond noise: 1 is as far as its window asks for.
  double extent(const Judged& judged) const {
    return std::min<double>(judged.score, judged.score * judged.rest / asked_);
  }
  // `crowd` is 1 for a machine alone, more for one of several.
  bool passes(const Judged& judged, double crowd = 1) const {
    return extent(judged) >= std::min(needed() * crowd, most());
  }
  double needed() const;
  static double most();
  double largest() const {
    return largest_;
  }
  void restore(double largest);

 private:
  struct Running {
    float extent = 0;
    int64_t begin_ms = 0;
  };
  double asked_;
  int64_t window_ms_;
  std::vector<Running> running_;
  double largest_ = 0;
  int64_t faded_ms_ = INT64_MIN;
};

}  // namespace lento::fleet
