// Plans exchanges between cores in stages over mirror images (recursive doubling), as sets of slices by core.
// Slices that touch are joined, and an exchange in which a core would hold more than kMostSlices is sent
// directly. exchange.h states the recurrences. Cost: cores times stages.
#include "chip/map/plan/exchange.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "chip/map/file/map_file.h"

namespace lento::chip {
namespace {

// Most separate pieces of a tensor (slices) that a core may hold during an exchange. Where a core would hold
// more, all cores send directly instead of in stages.
constexpr size_t kMostSlices = 4;

// An exchange of data between cores is split into stages of pairwise exchanges, each an added layer, only
// when the cores that receive would otherwise receive on average more than this many direct messages for
// each stage.
constexpr size_t kMessagesAStage = 2;

// Joins two slices that differ along one axis only and are adjacent there.
std::optional<Slice> joined(const Slice& a, const Slice& b) {
  std::optional<size_t> joined_axis;
  for (size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis].start == b[axis].start && a[axis].end == b[axis].end)
      continue;
    if (joined_axis)
      return std::nullopt;
    joined_axis = axis;
  }
  if (!joined_axis)
    return a;
  const Range x = a[*joined_axis];
  const Range y = b[*joined_axis];
  if (std::max(x.start, y.start) > std::min(x.end, y.end))
    return std::nullopt;
  Slice out = a;
  out[*joined_axis] = {std::min(x.start, y.start), std::max(x.end, y.end)};
  return out;
}

// Adds the common parts of two lists of slices to `into`.
void take(const Slices& from, const Slices& wanted, Slices& into) {
  Slice common;
  for (const Slice& have : from) {
    for (const Slice& want : wanted) {
      if (intersect(have, want, common))
        add(into, common);
    }
  }
}

// Adds to every core the slices of its mirror image in `bit`. Returns false when a core would then have too
// many slices.
bool widen(ByCore& all, size_t bit) {
  const ByCore before = all;
  for (size_t c = 0; c < all.size(); ++c) {
    for (const Slice& slice : before[c ^ bit])
      add(all[c], slice);
    if (all[c].size() > kMostSlices)
      return false;
  }
  return true;
}

}  // namespace

void add(Slices& slices, Slice fresh) {
  for (size_t i = 0; i < slices.size();) {
    const auto both = joined(slices[i], fresh);
    if (!both) {
      ++i;
      continue;
    }
    fresh = *both;
    slices.erase(slices.begin() + ptrdiff_t(i));
    i = 0;
  }
  slices.push_back(fresh);
}

size_t stages_worth(const ByCore& have, const ByCore& need) {
  size_t bits = 0;
  size_t messages = 0;
  size_t receivers = 0;
  Slice common;
  for (size_t to = 0; to < need.size(); ++to) {
    const size_t before = messages;
    for (size_t from = 0; from < have.size(); ++from) {
      const bool meets = std::ranges::any_of(have[from], [&](const Slice& h) {
        return std::ranges::any_of(need[to], [&](const Slice& n) {
          return intersect(h, n, common);
        });
      });
      if (from == to || !meets)
        continue;
      bits |= from ^ to;
      ++messages;
    }
    receivers += messages > before ? 1 : 0;
  }
  return messages > kMessagesAStage * size_t(std::popcount(bits)) * receivers ? bits : 0;
}

std::vector<size_t> order_of_bits(size_t bits, bool swapped) {
  std::vector<size_t> rising;
  for (size_t bit = 1; bit <= bits; bit <<= 1) {
    if (bits & bit)
      rising.push_back(bit);
  }
  for (size_t i = 0; swapped && i + 1 < rising.size(); i += 2)
    std::swap(rising[i], rising[i + 1]);
  return {rising.rbegin(), rising.rend()};
}

std::vector<ByCore> plan_stages(const ByCore& have, const ByCore& need, const std::vector<size_t>& bits) {
  std::vector<ByCore> needed(bits.size(), need);
  for (size_t i = bits.size(); i-- > 1;) {
    needed[i - 1] = needed[i];
    if (!widen(needed[i - 1], bits[i]))
      return {};
  }
  std::vector<ByCore> stages;
  for (size_t i = 0; i < bits.size(); ++i) {
    const ByCore& owned = i == 0 ? have : stages.back();
    ByCore next(owned.size());
    for (size_t c = 0; c < owned.size(); ++c) {
      take(owned[c], needed[i][c], next[c]);
      take(owned[c ^ bits[i]], needed[i][c], next[c]);
      if (next[c].size() > kMostSlices)
        return {};
    }
    stages.push_back(std::move(next));
  }
  return stages;
}

std::vector<ByCore> plan_sums(const ByCore& need, size_t group) {
  std::vector<ByCore> kept(1, need);
  for (size_t bit = group / 2; bit > 1; bit /= 2) {
    kept.push_back(kept.back());
    if (!widen(kept.back(), bit))
      return {};
  }
  return kept;
}

std::optional<std::array<Slice, 2>> halved(const ByCore& have, const ByCore& need) {
  std::optional<Slice> first;
  std::array<bool, 4> same{true, true, true, true};
  for (const ByCore* all : {&have, &need}) {
    for (const Slices& slices : *all) {
      for (const Slice& slice : slices) {
        first = first.value_or(slice);
        for (size_t axis = 0; axis < same.size(); ++axis)
          same[axis] = same[axis] && slice[axis].start == (*first)[axis].start &&
                       slice[axis].end == (*first)[axis].end;
      }
    }
  }
  for (size_t axis = 0; first && axis < same.size(); ++axis) {
    const Range whole = (*first)[axis];
    if (!same[axis] || whole.size() < 2)
      continue;
    const Range all{0, INT64_MAX};
    std::array<Slice, 2> halves{Slice{all, all, all, all}, Slice{all, all, all, all}};
    halves[0][axis] = {whole.start, whole.start + whole.size() / 2};
    halves[1][axis] = {halves[0][axis].end, whole.end};
    return halves;
  }
  return std::nullopt;
}

// Returns the parts of each core's slices within `part`.
ByCore within(const ByCore& all, const Slice& part) {
  ByCore out(all.size());
  for (size_t c = 0; c < all.size(); ++c)
    take(all[c], {part}, out[c]);
  return out;
}

}  // namespace lento::chip
