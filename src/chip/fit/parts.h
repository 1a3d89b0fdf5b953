// How unequal the parts of a class are, and each part's own share of it.
#pragma once

#include <vector>

#include "chip/detect/path.h"
#include "chip/fit/robust.h"
#include "chip/map/twin.h"

namespace lento::chip {

struct PartsOfClass {
  double centre = 0;  // octaves that all parts of the class share
  double spread = 0;  // octaves, one standard deviation around it; 0: too little to tell them apart
  int told = 0;       // parts that the equations say anything about
};

struct OwnShares {
  std::vector<double>
      octaves;  // by part, beside the centre of its class; 0: like its class, or not to be told
  std::vector<double> errors;  // of these, one standard deviation
  std::vector<double> ill;     // by part: the octaves of one that lies beyond healthy ones; else 0
  std::vector<PartsOfClass> classes;
};

// The part of an own share that passes for that of a healthy part: several spreads, within bounds.
// `tolerance` in octaves, or below 0: estimated.
double most_own(double spread, double tolerance);

// What the parts of a chip were taken for when the equations were made: octaves of their own by part (none:
// 0), and by class what they spread (none: equal). What is found stands in their place.
struct OwnSoFar {
  std::vector<double> octaves;
  std::vector<double> spreads;
};

// `equations` are about parts, beside what these were taken for; `class_of` numbers the class of each from 0
// to `classes` - 1. A part further from its class than healthy parts are is ill and gets nothing of its own.
// `scatter`, by class: how many times larger the errors of parts are than the equations say (none: 1).
OwnShares own_shares(
    std::vector<Equation> equations,
    const std::vector<size_t>& class_of,
    size_t classes,
    double tolerance,
    const OwnSoFar& so_far = {},
    const std::vector<double>& scatter = {});

// By class, how many times further than their errors say its parts seem to lie from its centre; 0 when fewer
// than three are known.
std::vector<double>
scatter_of_parts(const std::vector<Equation>& equations, const std::vector<size_t>& class_of, size_t classes);

// The same of values that are known one by one, each with its error; `deviations` by which chance must be
// exceeded.
PartsOfClass
spread_of(const std::vector<double>& values, const std::vector<double>& errors, double deviations);

// Makes a part this many times slower than it was; both directions of a link. Of a router it does nothing.
void make_slower(Deviations& own, const Grid& grid, const Component& part, double times);

}  // namespace lento::chip
