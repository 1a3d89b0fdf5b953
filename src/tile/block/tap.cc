// The state of a tap from sample to sample. A sample that is not valid counts as a cycle and changes nothing
// else.
#include "tile/block/tap.h"

#include <algorithm>
#include <utility>

namespace lento::tile {

void TapFilter::skip_samples() {
  last_.reset();
  is_after_hole_ = true;
  gap_has_hole_ = true;
}

std::optional<uint32_t> TapFilter::take(const Tap& tap, bool valid, uint32_t data) {
  const uint32_t cycle = samples_++;
  if (!valid)
    return std::nullopt;
  const uint32_t value = data & tap.mask;
  const bool matches = !tap.equals || value == *tap.equals;
  const bool was = std::exchange(matched_, matches);
  const bool before = std::exchange(is_after_hole_, false) ? matches : was;
  const bool changes = last_ && *last_ != value;
  last_ = value;
  const bool happens = tap.when == Tap::When::Rising    ? matches && !before
                       : tap.when == Tap::When::Falling ? !matches && before
                       : tap.when == Tap::When::Change  ? matches && changes
                                                        : matches;
  if (!happens)
    return std::nullopt;
  ++events_;
  const uint32_t gap = cycle - std::exchange(last_event_, cycle);
  const uint32_t word = tap.take == Tap::Take::Count  ? events_
                        : tap.take == Tap::Take::Time ? cycle
                        : tap.take == Tap::Take::Gap  ? gap
                                                      : value;
  if (std::exchange(gap_has_hole_, false) && tap.take == Tap::Take::Gap)
    return std::nullopt;
  if (tap.peak && word <= most_)
    return std::nullopt;
  most_ = std::max(most_, word);
  return word;
}

}  // namespace lento::tile
