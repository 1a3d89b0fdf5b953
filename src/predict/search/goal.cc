// Values a design by time, energy or money. The price of a die follows from its share of a wafer and Murphy's
// yield (goal.h). A design over the latency limit is ranked below every design within it, and the rank falls
// with the excess, so that a search can find its way back under the limit.
#include "predict/search/goal.h"

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "predict/crossflow/machine.h"

namespace lento::predict {
namespace {

constexpr double kWaferRadius = 150;  // mm
constexpr double kTooSlow = 1e30;     // larger than the value of any design within the latency limit

// Returns the price of a working die in US dollars, from the wafer price and the yield for its area (mm2).
double die_price(double wafer_usd, double area, double defects_per_mm2) {
  const double dies = std::numbers::pi * kWaferRadius * kWaferRadius / area -
                      std::numbers::pi * 2 * kWaferRadius / std::sqrt(2 * area);
  const double faults = area * defects_per_mm2;
  const double part = faults > 0 ? -std::expm1(-faults) / faults : 1;
  return wafer_usd / (std::max(1.0, std::floor(dies)) * part * part);
}

}  // namespace

double energy_of(const CrossFlowConfig& design, int nodes, double seconds) {
  return nodes * design.budgets.power * seconds;
}

// Returns the price of a node in US dollars: die, memory stacks, links and a fixed part. Throws base::Error
// without a wafer price for the logic process.
double node_price(const Prices& p, const CrossFlowConfig& design, const std::string& logic) {
  const auto wafer = p.wafer_usd.find(logic);
  if (wafer == p.wafer_usd.end())
    throw base::Error({}, "there is no price of a wafer of " + logic, "add it to 'prices: wafer:'");
  const Machine m = generate(design, BelowMargin::FewerUnits);
  return die_price(wafer->second, design.budgets.chip_area, p.defects_per_mm2) +
         p.stack_usd * m.memory[3].units + p.link_usd_per_Bps * m.inter.bytes_per_s + p.node_usd;
}

// Returns the cost of an iteration in US dollars: the price of the nodes times the part of their life that
// it takes, plus electricity.
double cost_of(
    const Goal& goal,
    const CrossFlowConfig& design,
    const std::string& logic,
    int nodes,
    double seconds) {
  const Prices& p = goal.prices;
  return nodes * node_price(p, design, logic) / p.life_s * seconds +
         energy_of(design, nodes, seconds) * p.usd_per_joule;
}

double value_of(
    const Goal& goal,
    const CrossFlowConfig& design,
    const std::string& logic,
    int nodes,
    double seconds) {
  if (!std::isfinite(seconds))
    return seconds;
  if (goal.latency_s > 0 && seconds > goal.latency_s)
    return kTooSlow * (seconds / goal.latency_s);
  switch (goal.measure) {
    case Measure::Time:
      return seconds;
    case Measure::Energy:
      return energy_of(design, nodes, seconds);
    case Measure::Cost:
      return cost_of(goal, design, logic, nodes, seconds);
  }
  return seconds;
}

Measure measure_of(const std::string& name) {
  if (name == "energy")
    return Measure::Energy;
  return name == "cost" ? Measure::Cost : Measure::Time;
}

std::string title_of(Measure measure) {
  switch (measure) {
    case Measure::Time:
      return "time of an iteration (s)";
    case Measure::Energy:
      return "energy of an iteration (J)";
    case Measure::Cost:
      return "cost of an iteration (USD)";
  }
  return "";
}

}  // namespace lento::predict
