// Trains one LSTM-VAE for each metric with the Adam optimizer, and reads and writes the trained models as
// JSON.
#include "fleet/minder/lstm_vae.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "fleet/minder/windows.h"

namespace lento::fleet {
namespace {

// Adam (Kingma, Ba 2015) on the flat parameter vector.
class Adam {
 public:
  explicit Adam(size_t n)
      : m_(n, 0),
        v_(n, 0) {
  }
  // Makes one step of the Adam optimizer.
  void step(std::vector<float>& p, const std::vector<float>& g, double rate) {
    constexpr double b1 = 0.9;
    constexpr double b2 = 0.999;
    ++t_;
    const double scale = rate * std::sqrt(1 - std::pow(b2, t_)) / (1 - std::pow(b1, t_));
    for (size_t i = 0; i < p.size(); ++i) {
      m_[i] += (1 - b1) * (g[i] - m_[i]);
      v_[i] += (1 - b2) * (double(g[i]) * g[i] - v_[i]);
      p[i] -= float(scale * m_[i] / (std::sqrt(v_[i]) + 1e-8));
    }
  }

 private:
  std::vector<double> m_;
  std::vector<double> v_;
  double t_ = 0;
};

std::vector<float> initial_parameters(uint64_t seed) {
  base::Rng rng(seed, "vae.init");
  std::vector<float> p(vae::kParameters);
  for (float& x : p)
    x = float(rng.uniform(-0.5, 0.5));  // 1/sqrt(hidden)
  return p;
}

}  // namespace

float normalise(const MetricModel& model, float value) {
  const double span = std::max(model.high - model.low, 1e-12);
  return float(std::clamp((value - model.low) / span, -0.5, 1.5));
}

MetricModel train_vae(const std::function<void(size_t, float*)>& draw, const TrainOptions& options) {
  const Kernel& k = kernel();
  const size_t lanes = 16;  // windows side by side in the data set; a kernel processes its lanes at a time
  const size_t blocks = std::max<size_t>(1, options.windows / lanes);
  std::vector<float> data(blocks * vae::kWindow * lanes);
  float window[vae::kWindow];
  for (size_t i = 0; i < blocks * lanes; ++i) {
    draw(i, window);
    for (size_t t = 0; t < vae::kWindow; ++t)
      data[((i / lanes) * vae::kWindow + t) * lanes + i % lanes] = window[t];
  }
  MetricModel model;
  model.parameters = initial_parameters(options.seed);
  Adam adam(vae::kParameters);
  base::Rng rng(options.seed, "vae.train");
  std::vector<float> grad(vae::kParameters);
  std::vector<float> eps(vae::kLatent * lanes);
  std::vector<float> x(vae::kWindow * lanes);
  std::vector<float> e(vae::kLatent * lanes);
  std::vector<size_t> order(blocks);
  for (size_t i = 0; i < blocks; ++i)
    order[i] = i;
  const size_t per_batch = std::max<size_t>(1, options.batch / lanes);
  const size_t batches = (blocks + per_batch - 1) / per_batch;
  for (size_t epoch = 0; epoch < options.epochs; ++epoch) {
    for (size_t i = blocks; i > 1; --i)
      std::swap(order[i - 1], order[rng.below(i)]);
    double error = 0;
    for (size_t b = 0; b < batches; ++b) {
      std::ranges::fill(grad, 0.0f);
      const size_t begin = b * per_batch;
      const size_t end = std::min(blocks, begin + per_batch);
      const double n = double((end - begin) * lanes);
      for (size_t i = begin; i < end; ++i) {
        const float* block = data.data() + order[i] * vae::kWindow * lanes;
        for (float& v : eps)
          v = float(rng.normal());
        for (size_t from = 0; from < lanes; from += k.lanes) {
          for (size_t t = 0; t < vae::kWindow; ++t)
            std::copy_n(block + t * lanes + from, k.lanes, x.data() + t * k.lanes);
          for (size_t l = 0; l < vae::kLatent; ++l)
            std::copy_n(eps.data() + l * lanes + from, k.lanes, e.data() + l * k.lanes);
          error += k.train(
              model.parameters.data(),
              x.data(),
              e.data(),
              float(1 / (n * vae::kWindow)),
              float(options.kl_weight / (n * vae::kLatent)),
              grad.data());
        }
      }
      const double done = double(epoch * batches + b) / double(options.epochs * batches);
      adam.step(model.parameters, grad, options.step * std::pow(0.02, done));
    }
    model.mse = error / double(blocks * lanes * vae::kWindow);
  }
  return model;
}

MetricModel train_metric(const MetricSeries& series, size_t metric, const TrainOptions& options) {
  const float* all = series.values.data() + series.row_begin(metric, 0);
  const size_t count = series.steps * series.machines.size();
  const size_t known = count - size_t(std::count_if(all, all + count, [](float v) {
                         return std::isnan(v);
                       }));
  if (known < 100 || series.steps < vae::kWindow) {
    throw base::Error({}, "metric '" + series.metrics[metric] + "' has too few samples to learn from");
  }
  MetricModel bounds;
  bounds.low = bounds_of(series, metric).low;
  bounds.high = bounds_of(series, metric).high;
  base::Rng rng(options.seed, "vae.windows", metric);
  MetricModel model = train_vae(
      [&](size_t, float* out) {
        for (int attempt = 0;; ++attempt) {
          const size_t m = rng.below(series.machines.size());
          const size_t t = rng.below(series.steps - vae::kWindow + 1);
          bool whole = true;
          for (size_t i = 0; i < vae::kWindow; ++i) {
            const float v = series.at(metric, t + i, m);
            whole = whole && !std::isnan(v);
            out[i] = std::isnan(v) ? 0.5f : normalise(bounds, v);
          }
          if (whole || attempt > 100)
            return;
        }
      },
      options);
  model.metric = series.metrics[metric];
  model.low = bounds.low;
  model.high = bounds.high;
  return model;
}

base::Json to_json(const FleetModel& model) {
  base::Json metrics = base::Json::array();
  for (const MetricModel& m : model.metrics) {
    base::Json p = base::Json::array();
    for (const float x : m.parameters)
      p.push(double(x));
    metrics.push(base::Json::object()
                     .set("metric", m.metric)
                     .set("low", m.low)
                     .set("high", m.high)
                     .set("threshold", m.threshold)
                     .set("mse", m.mse)
                     .set("parameters", std::move(p)));
  }
  base::Json json = base::Json::object();
  json.set("schema", FleetModel::kSchema).set("window", int64_t(vae::kWindow));
  const std::string digest = base::digest(base::write_json(metrics));
  json.set("metrics", std::move(metrics)).set("digest", digest);
  return json;
}

FleetModel model_from_json(const base::Json& json, const std::string& file) {
  const base::Location where{file};
  if (json.string_or("schema", "", where) != FleetModel::kSchema) {
    throw base::Error(
        where,
        "not a fleet model",
        std::string("the first key must be schema: ") + FleetModel::kSchema);
  }
  if (json.integer_or("window", 0, where) != int64_t(vae::kWindow)) {
    throw base::Error(where, "the model was learned for another window", "train it again with this version");
  }
  const base::Json& metrics = json.at("metrics", where);
  if (base::digest(base::write_json(metrics)) != json.string_or("digest", "", where)) {
    throw base::Error(
        where,
        "the model does not match its checksum",
        "the file was changed or damaged: train it again");
  }
  FleetModel model;
  size_t index = 0;
  for (const base::Json& entry : metrics.array(base::child(where, "metrics"))) {
    const base::Location at = base::child(base::child(where, "metrics"), index++);
    MetricModel m;
    m.metric = entry.at("metric", at).string(at);
    m.low = entry.at("low", at).number(at);
    m.high = entry.at("high", at).number(at);
    m.threshold = entry.at("threshold", at).number(at);
    m.mse = entry.number_or("mse", 0, at);
    for (const base::Json& x : entry.at("parameters", at).array(at))
      m.parameters.push_back(float(x.number(at)));
    if (m.parameters.size() != vae::kParameters) {
      throw base::Error(
          at,
          std::to_string(m.parameters.size()) + " parameters, needed " + std::to_string(vae::kParameters));
    }
    model.metrics.push_back(std::move(m));
  }
  return model;
}

FleetModel read_model(const std::string& path) {
  return model_from_json(base::parse_json(base::read_file(path, uint64_t{64} << 20), path), path);
}

}  // namespace lento::fleet
