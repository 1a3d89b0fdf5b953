// The goal of a search: the least time, energy or money, with an optional limit on the time of an iteration.
#pragma once

#include <map>
#include <string>

#include "predict/crossflow/config.h"

namespace lento::predict {

// Prices of building and running a node. A die costs its share of a wafer over the yield of a defect density
// by Murphy's formula ((1 - e^-AD) / AD)^2. Dies a wafer: pi r^2 / A - pi 2 r / sqrt(2 A), r = 150 mm.
struct Prices {
  std::map<std::string, double> wafer_usd;  // price of a processed wafer, by logic node
  double defects_per_mm2 = 0.001;
  double stack_usd = 0;                // one stack of memory with its place on the package
  double node_usd = 0;                 // all other parts of a node
  double link_usd_per_Bps = 0;         // network outside the package, per byte/s
  double life_s = 4 * 365.25 * 86400;  // time over which the price of a node is written off
  double usd_per_joule = 0;
};

enum class Measure {
  Time,
  Energy,
  Cost
};

struct Goal {
  Measure measure = Measure::Time;
  double latency_s = 0;  // longest iteration that is allowed; 0: no limit
  Prices prices;
};

// Returns the joules of an iteration: the power budget of all nodes times its duration.
double energy_of(const CrossFlowConfig& design, int nodes, double seconds);

// Returns the US dollars of an iteration. Throws base::Error when the logic node has no price.
double
cost_of(const Goal& goal, const CrossFlowConfig& design, const std::string& logic, int nodes, double seconds);
double node_price(const Prices& prices, const CrossFlowConfig& design, const std::string& logic);

// Returns the value that the search minimises. Every iteration over the latency limit is worse than every
// iteration within it, and its value grows with the excess, so that a search can descend back under the
// limit. Infinite times stay +infinity.
double value_of(
    const Goal& goal,
    const CrossFlowConfig& design,
    const std::string& logic,
    int nodes,
    double seconds);

// Parse "time", "energy" or "cost", and return the title of a value in tables, with its unit.
Measure measure_of(const std::string& name);
std::string title_of(Measure measure);

}  // namespace lento::predict
