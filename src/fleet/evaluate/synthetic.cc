#include "fleet/evaluate/synthetic.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/units.h"
#include "fleet/detect/detect.h"
#include "fleet/detect/minder.h"

namespace lento::fleet {
namespace {

// The paper's seven metrics in its order of priority (PFC, CPU, GPU, NVLink).
const std::vector<std::string> kSeven{
    "pfc_tx_packets",        "cpu_usage",           "gpu_duty_cycle",  "gpu_power_w",
    "gpu_graphics_activity", "gpu_tensor_activity", "nvlink_bandwidth"};
const std::vector<std::string> kFewer{"pfc_tx_packets", "cpu_usage", "gpu_duty_cycle"};
const std::vector<std::string> kMore{"rdma_throughput", "disk_usage", "memory_used"};
constexpr uint64_t kTrainJobs = 1'000'000;  // indices that no judged job has

enum class Rule { None, RawZ, MedianMad, TwiceMedian, ShareOfBest };

struct Method {
  std::string name;
  MinderOptions options;
  bool more_metrics = false;
  Rule rule = Rule::None;
};

std::vector<Method> methods() {
  std::vector<Method> all;
  const auto add = [&](const char* name) -> Method& {
    Method& m = all.emplace_back();
    m.name = name;
    m.options.metrics = kSeven;
    return m;
  };
  add("Minder");
  add("RAW").options.embedding = Embedding::Raw;
  add("CON").options.fusion = Fusion::Concatenate;
  add("INT").options.fusion = Fusion::Integrate;
  add("Mahalanobis").options.fusion = Fusion::Mahalanobis;
  add("no continuity").options.continuity = false;
  add("Manhattan").options.distance = Distance::Manhattan;
  add("Chebyshev").options.distance = Distance::Chebyshev;
  add("fewer metrics").options.metrics = kFewer;
  Method& more = add("more metrics");
  more.more_metrics = true;
  more.options.metrics.insert(more.options.metrics.end(), kMore.begin(), kMore.end());
  add("rule: z of raw values").rule = Rule::RawZ;
  add("rule: median and MAD").rule = Rule::MedianMad;
  add("rule: under half the median").rule = Rule::TwiceMedian;
  add("rule: under 0.7 of the best").rule = Rule::ShareOfBest;
  return all;
}

SimulatedFleet job_of(const SyntheticOptions& o, uint64_t index, bool faulty, double seconds) {
  FleetJob job;
  job.preset = fleet_preset(o.preset);
  job.faulty = faulty;
  job.seconds = seconds;
  job.seed = o.seed;
  job.index = index;
  if (o.max_machines > 0) {
    base::Rng rng(o.seed, "evaluate.size", index);
    job.machines = static_cast<size_t>(
        std::exp(rng.uniform(std::log(4.0), std::log(static_cast<double>(o.max_machines) + 1))));
  }
  return simulate_fleet(job);
}

struct Models {
  FleetModel metrics, integrated;  // integrated: its one network stands under the first metric's name
};

Models train_models(const SyntheticOptions& o, const base::Progress& progress) {
  std::vector<trace::MetricSeries> jobs;
  for (uint64_t i = 0; i < 8; ++i) {
    SyntheticOptions small = o;
    small.max_machines = 48;
    jobs.push_back(job_of(small, kTrainJobs + i, false, 1200).series);
  }
  Models models;
  std::vector<std::string> names = kSeven;
  names.insert(names.end(), kMore.begin(), kMore.end());
  const auto column = [&](const std::string& name) {
    return static_cast<size_t>(std::find(jobs[0].metrics.begin(), jobs[0].metrics.end(), name) -
                               jobs[0].metrics.begin());
  };
  TrainOptions t;
  t.windows = 40'000;
  t.epochs = 30;
  models.metrics.metrics.resize(names.size());
  std::vector<std::vector<float>> bounds(names.size());
  for (size_t k = 0; k < names.size(); ++k) {
    std::vector<double> values;
    for (const auto& s : jobs) {
      const float* v = s.values.data() + s.row_begin(column(names[k]), 0);
      for (size_t i = 0; i < s.steps * s.machines.size(); i += 37) {
        if (!std::isnan(v[i])) values.push_back(v[i]);
      }
    }
    models.metrics.metrics[k].low = base::quantile(values, 0.001);
    models.metrics.metrics[k].high = base::quantile(values, 0.999);
  }
  const auto draw_window = [&](base::Rng& rng, const std::vector<size_t>& which, float* out) {
    const trace::MetricSeries& s = jobs[rng.below(jobs.size())];
    const size_t m = rng.below(s.machines.size()), at = rng.below(s.steps - vae::kWindow + 1);
    for (size_t i = 0; i < vae::kWindow; ++i) {
      double sum = 0;
      for (const size_t k : which) {
        const float v = s.at(column(names[k]), at + i, m);
        sum += std::isnan(v) ? 0.5 : normalise(models.metrics.metrics[k], v);
      }
      out[i] = static_cast<float>(sum / static_cast<double>(which.size()));
    }
  };
  std::vector<MetricModel> trained(names.size() + 1);
  base::parallel_for(names.size() + 1, o.threads, [&](size_t k) {
    if (progress.stopped()) return;
    std::vector<size_t> which{k};
    if (k == names.size()) {
      which.resize(kSeven.size());
      std::iota(which.begin(), which.end(), size_t{0});
    }
    base::Rng rng(o.seed, "evaluate.windows", k);
    trained[k] = train_vae([&](size_t, float* out) { draw_window(rng, which, out); }, t);
  });
  for (size_t k = 0; k < names.size(); ++k) {
    trained[k].low = models.metrics.metrics[k].low;
    trained[k].high = models.metrics.metrics[k].high;
    trained[k].metric = names[k];
  }
  models.integrated.metrics.assign(trained.begin(), trained.end() - 1);
  models.metrics.metrics.assign(trained.begin(), trained.end() - 1);
  for (MetricModel& m : models.integrated.metrics) m.parameters = trained.back().parameters;
  return models;
}

// One list of candidates per metric looked at (a single one for fused methods).
using Candidates = std::vector<std::vector<Candidate>>;

Candidate rule_candidate(Rule rule, const float* x, size_t machines, std::vector<double>& v) {
  v.clear();
  for (size_t m = 0; m < machines; ++m) v.push_back(std::isnan(x[m]) ? 0 : x[m]);
  const double mid = base::median(v);
  const double scale = rule == Rule::RawZ        ? std::sqrt(base::variance(v))
                       : rule == Rule::MedianMad ? 1.4826 * base::mad(v)
                                                 : 0;
  const double center = rule == Rule::RawZ ? base::mean(v) : mid;
  const double best = *std::max_element(v.begin(), v.end());
  Candidate c{0, -1};
  for (size_t m = 0; m < machines; ++m) {
    double z = 0;
    switch (rule) {
      case Rule::TwiceMedian:
        z = mid > 0 ? std::max(mid / std::max(v[m], 1e-6 * mid), v[m] / mid) : 0;
        break;
      case Rule::ShareOfBest:
        z = best / std::max(v[m], 1e-6 * best);
        break;
      default:
        z = std::abs(v[m] - center) / (scale + 1e-6 * std::abs(center) + 1e-12);
    }
    if (z > c.z) c = {static_cast<uint32_t>(m), static_cast<float>(z)};
  }
  return c;
}

Candidates candidates_of(const trace::MetricSeries& s, const Method& method, const Models& models,
                         size_t stride) {
  MinderOptions o = method.options;
  o.stride = stride;
  o.pivots = 128;
  const FleetModel& model = o.fusion == Fusion::Integrate ? models.integrated : models.metrics;
  Candidates out;
  if (method.rule != Rule::None) {
    std::vector<double> scratch;
    for (const std::string& name : o.metrics) {
      const size_t k =
          static_cast<size_t>(std::find(s.metrics.begin(), s.metrics.end(), name) - s.metrics.begin());
      std::vector<Candidate>& list = out.emplace_back();
      for (size_t t = 0; t < s.steps; t += stride) {
        list.push_back(rule_candidate(method.rule, s.row(k, t).data(), s.machines.size(), scratch));
      }
    }
    return out;
  }
  for (size_t k = 0; k < model.metrics.size(); ++k) {
    const auto& keep = o.metrics;
    if (std::find(keep.begin(), keep.end(), model.metrics[k].metric) == keep.end()) continue;
    out.push_back(minder_candidates(s, model, k, o));
    if (o.fusion != Fusion::PerMetric) break;
  }
  return out;
}

size_t needed(const Method& m, size_t stride) {
  return m.options.continuity ? static_cast<size_t>(m.options.continuity_s / static_cast<double>(stride)) : 1;
}

double cap(size_t machines) {  // of a standard score among so many machines
  const double n = static_cast<double>(machines);
  return (n - 1) / std::sqrt(n);
}

// A method's verdict at a threshold that never exceeds 0.8 of what a score can be (rules have no such bound).
std::optional<Candidate> verdict_of(const Candidates& lists, const Method& method, double threshold,
                                    size_t machines, size_t stride) {
  const double limit = method.rule == Rule::None ? std::min(threshold, 0.8 * cap(machines)) : threshold;
  for (const auto& list : lists) {
    if (const auto at = first_verdict(list, limit, needed(method, stride))) return list[*at];
  }
  return {};
}

// The smallest threshold at which this fault-free hour stays silent.
double silent_above(const Candidates& lists, const Method& method, size_t machines, size_t stride) {
  double low = 0, high = 1e7;
  for (int i = 0; i < 50; ++i) {
    const double mid =
        low > 0 ? std::sqrt(std::max(low, 1e-3) * high) : (high > 1 ? std::sqrt(high) * 0.5 : high / 2);
    (verdict_of(lists, method, mid, machines, stride) ? low : high) = mid;
  }
  return high;
}

std::vector<double> calibrate(const SyntheticOptions& o, const std::vector<Method>& all,
                              const Models& models) {
  constexpr size_t kJobs = 60;
  std::vector<std::vector<double>> limits(all.size(), std::vector<double>(kJobs));
  base::parallel_for(kJobs, o.threads, [&](size_t i) {
    SyntheticOptions medium = o;
    if (medium.max_machines == 0) medium.max_machines = 600;
    const trace::MetricSeries s = job_of(medium, kTrainJobs + 100 + i, false, 1800).series;
    for (size_t m = 0; m < all.size(); ++m) {
      limits[m][i] =
          silent_above(candidates_of(s, all[m], models, o.stride), all[m], s.machines.size(), o.stride);
    }
  });
  std::vector<double> thresholds;
  for (auto& l : limits) thresholds.push_back(base::quantile(l, 1 - o.false_hours));
  return thresholds;
}

enum class Outcome : uint8_t { Right, Wrong, Missed, False, Quiet };

struct Judged {
  FleetTruth truth;
  size_t machines = 0;
  std::vector<Outcome> outcome;  // per method, the default mode first
};

Outcome judge(const FleetTruth& truth, bool any, bool right) {
  if (!truth.faulty) return any ? Outcome::False : Outcome::Quiet;
  if (right) return Outcome::Right;
  return any ? Outcome::Wrong : Outcome::Missed;
}

Judged judge_job(const SyntheticOptions& o, const std::vector<Method>& all,
                 const std::vector<double>& thresholds, const Models& models, uint64_t index, bool faulty) {
  const SimulatedFleet job = job_of(o, index, faulty, 3600);
  Judged out{job.truth, job.series.machines.size(), {}};
  DetectOptions detect;
  detect.metrics = kSeven;
  detect.keep_history = false;
  const trace::MetricSeries& s = job.series;
  Detector detector({s.machines, s.labels, s.metrics, s.step_ms}, detect);
  std::vector<float> row(s.metrics.size() * s.machines.size());
  for (size_t t = 0; t < s.steps; ++t) {
    for (size_t k = 0; k < s.metrics.size(); ++k)
      std::copy(s.row(k, t).begin(), s.row(k, t).end(),
                row.begin() + static_cast<std::ptrdiff_t>(k * s.machines.size()));
    detector.push(s.time_ms(t), row);
    if (!detector.verdicts().empty()) break;  // one verdict a job: the first
  }
  const auto& v = detector.verdicts();
  out.outcome.push_back(judge(job.truth, !v.empty(), !v.empty() && v[0].machine == job.truth.machine));
  for (size_t m = 0; m < all.size(); ++m) {
    const auto c = verdict_of(candidates_of(s, all[m], models, o.stride), all[m], thresholds[m],
                              s.machines.size(), o.stride);
    out.outcome.push_back(judge(job.truth, c.has_value(), c && c->machine == job.truth.machine));
  }
  return out;
}

base::Confusion count(const std::vector<Judged>& jobs, size_t method,
                      const std::function<bool(const Judged&)>& keep) {
  base::Confusion c;
  for (const Judged& j : jobs) {
    if (!keep(j)) continue;
    const Outcome o = j.outcome[method];
    c.true_positive += o == Outcome::Right;
    c.false_positive += o == Outcome::Wrong || o == Outcome::False;
    c.false_negative += o == Outcome::Wrong || o == Outcome::Missed;
    c.true_negative += o == Outcome::Quiet;
  }
  return c;
}

std::string with_interval(double value, const base::Interval& i) {
  return base::format_number(value, 3) + " (" + base::format_number(i.low, 3) + " to " +
         base::format_number(i.high, 3) + ")";
}

// 95 % of F1 over resampled jobs; with `other`, of the difference of F1 (paired).
base::Interval bootstrap(const std::vector<Judged>& jobs, size_t method, std::optional<size_t> other,
                         uint64_t seed, const std::function<bool(const Judged&)>& keep) {
  base::Rng rng(seed, "evaluate.bootstrap");
  std::vector<double> values;
  std::vector<Judged> drawn(jobs.size());
  for (int i = 0; i < 400; ++i) {
    for (Judged& j : drawn) j = jobs[rng.below(jobs.size())];
    values.push_back(count(drawn, method, keep).f1() - (other ? count(drawn, *other, keep).f1() : 0));
  }
  return {base::quantile(values, 0.025), base::quantile(values, 0.975)};
}

std::vector<std::string> row_of(const std::vector<Judged>& jobs, size_t method, const std::string& name,
                                uint64_t seed, const std::function<bool(const Judged&)>& keep) {
  const base::Confusion c = count(jobs, method, keep);
  return {name,
          with_interval(c.precision(), base::wilson95(c.true_positive, c.true_positive + c.false_positive)),
          with_interval(c.recall(), base::wilson95(c.true_positive, c.true_positive + c.false_negative)),
          with_interval(c.f1(), bootstrap(jobs, method, {}, seed, keep))};
}

finding::TableFigure by_type(const std::vector<Judged>& jobs) {
  std::map<std::string, std::array<uint64_t, 4>> types;  // faults, visible, default right, Minder right
  for (const Judged& j : jobs) {
    if (!j.truth.faulty) continue;
    auto& t = types[j.truth.type];
    ++t[0];
    t[1] += j.truth.visible;
    t[2] += j.outcome[0] == Outcome::Right;
    t[3] += j.outcome[1] == Outcome::Right;
  }
  finding::TableFigure table;
  table.columns = {"fault type", "faults", "visible", "recall, default mode", "recall, Minder"};
  for (const auto& [name, t] : types) {
    const auto share = [&](uint64_t hits) {
      return with_interval(static_cast<double>(hits) / static_cast<double>(t[0]), base::wilson95(hits, t[0]));
    };
    table.rows.push_back({name, std::to_string(t[0]), std::to_string(t[1]), share(t[2]), share(t[3])});
  }
  return table;
}

}  // namespace

finding::Diagnosis evaluate_synthetic(const SyntheticOptions& o, const base::Progress& progress) {
  const std::vector<Method> all = methods();
  const Models models = train_models(o, progress);
  const std::vector<double> thresholds = calibrate(o, all, models);
  std::vector<Judged> jobs(o.faults + o.hours);
  std::atomic<size_t> done{0};
  base::parallel_for(jobs.size(), o.threads, [&](size_t i) {
    if (progress.stopped()) return;
    jobs[i] = judge_job(o, all, thresholds, models, i, i < o.faults);
    progress("jobs", static_cast<double>(++done), static_cast<double>(jobs.size()));
  });
  std::erase_if(jobs, [](const Judged& j) { return j.outcome.empty(); });

  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Simulated jobs, preset " + o.preset;
  d.seed = o.seed;
  const auto everything = [](const Judged&) { return true; };
  const auto visible = [](const Judged& j) { return !j.truth.faulty || j.truth.visible; };
  finding::TableFigure table;
  table.columns = {"method", "precision", "recall", "F1"};
  table.rows.push_back(row_of(jobs, 0, "default mode, visible faults", o.seed, visible));
  table.rows.push_back(row_of(jobs, 0, "default mode", o.seed, everything));
  for (size_t m = 0; m < all.size(); ++m)
    table.rows.push_back(row_of(jobs, m + 1, all[m].name, o.seed, everything));
  finding::TableFigure paired;
  paired.columns = {"paired", "difference of F1, 95 %"};
  const auto pair = [&](const std::string& a, const std::string& b) {
    const auto at = [&](const std::string& name) {
      return 1 + static_cast<size_t>(
                     std::find_if(all.begin(), all.end(), [&](const Method& m) { return m.name == name; }) -
                     all.begin());
    };
    const auto i = bootstrap(jobs, at(a), at(b), o.seed, everything);
    paired.rows.push_back(
        {a + " - " + b, base::format_number(i.low, 3) + " to " + base::format_number(i.high, 3)});
  };
  for (const char* b : {"CON", "INT", "Mahalanobis", "no continuity", "RAW"}) pair("Minder", b);
  for (const char* a : {"CON", "INT", "Mahalanobis"}) {
    for (const char* b : {"no continuity", "RAW"}) pair(a, b);
  }
  uint64_t faulty = 0, seen = 0;
  for (const Judged& j : jobs) {
    faulty += j.truth.faulty;
    seen += j.truth.faulty && j.truth.visible;
  }
  d.facts.emplace_back("faults", std::to_string(faulty));
  d.facts.emplace_back("fault-free hours", std::to_string(jobs.size() - faulty));
  d.facts.emplace_back(
      "recall ceiling (visible share)",
      base::format_number(static_cast<double>(seen) / std::max<double>(1, static_cast<double>(faulty)), 4));
  for (const auto& r : table.rows) d.facts.emplace_back(r[0], "P " + r[1] + "  R " + r[2] + "  F1 " + r[3]);
  for (const auto& r : paired.rows) d.facts.emplace_back(r[0], r[1]);
  finding::TableFigure limits;
  limits.columns = {"method", "threshold", "training MSE of its models"};
  for (size_t m = 0; m < all.size(); ++m)
    limits.rows.push_back({all[m].name, base::format_number(thresholds[m], 4), ""});
  for (const MetricModel& m : models.metrics.metrics)
    limits.rows.push_back({"model of " + m.metric, "", base::format_number(m.mse, 3)});
  d.verdict = "F1 over visible faults " + table.rows[0][3] + ", precision " + table.rows[0][1];
  d.figures.push_back({"Methods", "Intervals are 95 %.", std::move(table)});
  d.figures.push_back(
      {"Paired differences", "An interval that leaves out 0 is significant.", std::move(paired)});
  d.figures.push_back({"By fault type", "Recall over all faults of the type.", by_type(jobs)});
  d.figures.push_back({"Thresholds", "From fault-free training hours.", std::move(limits)});
  return d;
}

}  // namespace lento::fleet
