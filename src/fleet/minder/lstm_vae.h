// Trains and stores one denoising model for each metric: an LSTM-VAE over windows of 8 normalised samples
// (Minder, section 3.3).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "fleet/minder/kernel.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

struct TrainOptions {
  size_t windows = 100'000;  // number of windows, drawn from random machines and times of the period
  size_t epochs = 60;
  size_t batch = 256;
  double step = 0.02;  // first learning rate of Adam, which falls to 2 % of this over the epochs
  double kl_weight = 1e-5;
  uint64_t seed = 1;
};

struct MetricModel {
  std::string metric;
  // smallest and largest value of the training period
  double low = 0;
  double high = 1;
  double threshold = 3;  // similarity threshold in the units of the score, from fault-free windows
  double mse = 0;        // mean squared reconstruction error at the end of the training
  std::vector<float> parameters;
};

// Models in order of priority, stored as JSON with a checksum. Reading throws base::Error for another schema
// version, window length or number of parameters.
struct FleetModel {
  static constexpr const char* kSchema = "lento.fleet-model/1";
  std::vector<MetricModel> metrics;
};

float normalise(const MetricModel& model, float value);  // to [0, 1], clipped to [-0.5, 1.5]

// Trains on windows that `draw(i, out)` supplies (kWindow normalised values).
MetricModel train_vae(const std::function<void(size_t, float*)>& draw, const TrainOptions& options);

// Trains a model for one metric and sets its bounds, from a period with no faults or few.
MetricModel train_metric(const MetricSeries& series, size_t metric, const TrainOptions& options);

base::Json to_json(const FleetModel& model);
FleetModel model_from_json(const base::Json& json, const std::string& file);
FleetModel read_model(const std::string& path);

}  // namespace lento::fleet
