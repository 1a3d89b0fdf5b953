// Adds the five published baselines to the methods of the product, under the names that campaign files use.
#include "lab/chip/methods.h"

#include "chip/methods.h"
#include "lab/chip/baseline/baselines.h"

namespace lento::chip {
namespace {

std::vector<Method> made() {
  std::vector<Method> out = chip_methods();
  out.push_back({"threshold", "static thresholds on a profile", threshold_parameters(), judge_by_threshold});
  out.push_back({"microscope", "causal graph and correlation", microscope_parameters(), judge_by_microscope});
  out.push_back({"iaso", "peer timeouts and clustering; cores only", iaso_parameters(), judge_by_iaso});
  out.push_back({"perseus", "latency regression; cores only", perseus_parameters(), judge_by_perseus});
  out.push_back({"adr", "adaptive percentiles; cores only", adr_parameters(), judge_by_adr});
  return out;
}

}  // namespace

const std::vector<Method>& all_methods() {
  static const std::vector<Method> list = made();
  return list;
}

}  // namespace lento::chip
