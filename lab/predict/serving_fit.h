// Software of serving, fitted to public deployments and judged on deployments that were not fitted.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "lab/predict/validate.h"
#include "predict/time/question.h"
#include "predict/time/serving/serving_step.h"

namespace lento::predict {

// One deployment and load. Repeated dates count by their median.
struct ServedPoint {
  Question question;
  std::shared_ptr<const ServingEngines> engines;
  std::string chip;
  std::string deployment;  // all but the load: kept apart or fitted as one
  // 0: not measured
  double first_s = 0;
  double per_token_s = 0;
  double output_per_s = 0;  // of all devices
  bool speculates = false;
};
std::vector<ServedPoint> served_points(const std::string& folder);

using ServingTable =
    std::map<std::pair<std::string, std::string>, ServingConstants>;  // by chip and framework

// Returns constants fitted to the points in other parts than `part` of four (by deployment). Any other
// number fits to all points.
ServingTable
fit_serving(const std::vector<ServedPoint>& points, int part, const base::Progress& progress = {});

struct JudgedPoint {
  const ServedPoint* point;
  ServingTime time;
};
// Predicts each point with constants fitted to the other parts.
std::vector<JudgedPoint> judge_serving(
    const std::vector<ServedPoint>& points,
    const base::Progress& progress = {});

struct ServingBar {
  std::string what;
  size_t rows = 0;
  double median = 0;
  double limit = 0;
  bool reached() const {
    return median <= limit;
  }
};
// Returns errors by quantity, kind of deployment and concurrency, and the share of pairs in the right order.
std::vector<ServingBar> serving_bars(const std::vector<JudgedPoint>& judged);

// Returns errors of the median request, as answers state them.
std::vector<SeenError> seen_errors(const std::vector<JudgedPoint>& judged);

}  // namespace lento::predict
