// Orders hypotheses by their evidence.
#include "chip/fabric/hypothesis.h"

#include <algorithm>

namespace lento::chip {

std::vector<size_t> by_evidence(const std::vector<Hypothesis>& all) {
  std::vector<size_t> order;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].evidence > 0)
      order.push_back(i);
  std::ranges::stable_sort(order, [&all](size_t a, size_t b) {
    return all[a].evidence > all[b].evidence;
  });
  return order;
}

}  // namespace lento::chip
