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

// One deployment and load; repeated dates count by their median.
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

// Fitted to those of `points` that lie in other parts than `part` of four (by deployment); another part: to
// all.
ServingTable
fit_serving(const std::vector<ServedPoint>& points, int part, const base::Progress& progress = {});

struct JudgedPoint {
  const ServedPoint* point;
  ServingTime time;
};
// Each point with constants fitted to the other parts.
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
// By what was measured, kind of deployment and concurrency; then the share of pairs in the right order.
std::vector<ServingBar> serving_bars(const std::vector<JudgedPoint>& judged);

// Of the median request, as answers state them.
std::vector<SeenError> seen_errors(const std::vector<JudgedPoint>& judged);

}  // namespace lento::predict
