// Intervals and thresholds from measured rows alone. No distribution is assumed, only that the new row is
// exchangeable with the measured ones.
//
// A score measures how badly a row fits (distance from its prediction, a scan's maximum). If the seen rows
// and the new one are exchangeable, the new score exceeds the bound with chance `miss` at most, for any
// number of rows. Too few rows give an infinite bound. Sources: Vovk, Gammerman, Shafer 2005, Lei et al.
// 2018, Tibshirani, Barber, Candes, Ramdas 2019 (weights, where the new row comes from elsewhere).
#pragma once

#include <span>

namespace lento::evidence {

double conformal_bound(std::span<const double> scores, double miss);

// The bound when the new row comes from another distribution than the seen rows. A row's weight is
// proportional to its likelihood ratio: its density under the new row's distribution over that under the
// seen rows' distribution. `own_weight` is the weight of the new row.
double weighted_conformal_bound(
    std::span<const double> scores,
    std::span<const double> weights,
    double own_weight,
    double miss);

}  // namespace lento::evidence
