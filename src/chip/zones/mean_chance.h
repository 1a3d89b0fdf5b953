// Compares the mean duration of a few records with those of many others, some of which may be much longer
// than most: a normal limit for the mean would be exceeded by chance.
#pragma once

#include <span>

namespace lento::chip {

// Returns a bound on the probability that as many log durations as `own`, drawn from `peers`, have a mean
// duration as large: exp(-n (t x - log M(t))) at its least, where x is the mean and M the moment generating
// function of the durations of the peers. 1 without peers. Source: Chernoff 1952. Cost: some 50 passes.
double mean_chance(std::span<const double> own, std::span<const double> peers);

}  // namespace lento::chip
