// Of the sampled parts of a layer, the one with the most data counts. Data that an earlier reader keeps on
// the same core in any case count once.
#include "chip/map/plan/held_data.h"

#include <algorithm>
#include <utility>

#include "chip/map/plan/tuning.h"

namespace lento::chip {
namespace {

bool holds(Range outer, Range inner) {
  return outer.start <= inner.start && inner.end <= outer.end;
}

bool holds(const Box& outer, const Box& inner) {
  return holds(outer[0], inner[0]) && holds(outer[1], inner[1]) && holds(outer[2], inner[2]);
}

}  // namespace

double bytes_of(const SampledPart& part, const Need& need) {
  return double(part.batch.size()) * double(need.box[0].size() * need.box[1].size() * need.box[2].size());
}

bool takes_too(const Choice& before, const Choice& after, size_t part, const Need& need) {
  if (before.cut.cores != after.cut.cores)
    return false;
  const SampledPart& there = before.parts[part];
  const SampledPart& here = after.parts[part];
  return there.core == here.core && holds(there.batch, here.batch) &&
         std::ranges::any_of(there.needs, [&](const Need& n) {
           return n.source == need.source && holds(n.box, need.box);
         });
}

HeldData::HeldData(
    const LayerGraph& graph,
    const std::vector<std::vector<size_t>>& readers,
    std::vector<const Choice*> chosen)
    : graph_(graph),
      readers_(readers),
      chosen_(std::move(chosen)) {
}

// Returns whether a layer between `first` and `reader` already takes the same data to the same core.
bool HeldData::held_already(size_t reader, size_t part, const Need& need, size_t first) const {
  return std::ranges::any_of(readers_[size_t(need.source)], [&](size_t other) {
    return other >= first && other < reader && takes_too(*chosen_[other], *chosen_[reader], part, need);
  });
}

// Returns the bytes of input that the sampled part with the most data takes from layers in [begin, before),
// without data that an earlier reader from `before` on keeps in any case.
double HeldData::input_bytes(size_t reader, size_t begin, size_t before) const {
  double most = 0;
  const Choice& c = *chosen_[reader];
  for (size_t p = 0; p < c.parts.size(); ++p) {
    double bytes = 0;
    for (const Need& need : c.parts[p].needs) {
      if (need.source >= int(begin) && need.source < int(before) && !held_already(reader, p, need, before))
        bytes += bytes_of(c.parts[p], need);
    }
    most = std::max(most, bytes);
  }
  return most;
}

// Returns the bytes that the sampled part with the most data reads from DRAM.
double HeldData::read_input(size_t reader, size_t begin) const {
  double most = 0;
  for (const SampledPart& part : chosen_[reader]->parts) {
    double bytes = 0;
    for (const Need& need : part.needs) {
      if (need.source < int(begin))
        bytes += bytes_of(part, need);
    }
    most = std::max(most, bytes);
  }
  return most;
}

// Returns the bytes of weights, one run of the next product's part, that cores already pass on while layer i
// runs.
double HeldData::next_weight_bytes(size_t i) const {
  const size_t last = std::min(chosen_.size(), i + kLongestReach);
  for (size_t next = i + 1; next < last; ++next) {
    if (has_matrix(graph_.layers[next])) {
      const Choice& c = *chosen_[next];
      return c.sharers > 1 ? c.weights / c.runs : 0;
    }
  }
  return 0;
}

double HeldData::bytes(size_t i, size_t begin) const {
  const Choice& c = *chosen_[i];
  double bytes = c.output + Choices::streamed(c) + read_input(i, begin) + next_weight_bytes(i);
  const size_t last = std::min(chosen_.size(), i + kLongestReach);
  double of_ranks = 0;  // weights of one rank, because a core has one rank only
  for (size_t reader = i; reader < last; ++reader) {
    const Layer& layer = graph_.layers[reader];
    of_ranks = std::max(of_ranks, input_bytes(reader, begin, i));
    if (layer.rank + 1 < layer.ranks)
      continue;
    bytes += of_ranks;
    of_ranks = 0;
  }
  return bytes + of_ranks;
}

}  // namespace lento::chip
