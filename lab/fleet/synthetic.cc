// Simulates one job per run, judges it by every method at every threshold and writes one line. Lines of many
// processes are joined afterwards, so that a campaign may be cut and continued.
#include "lab/fleet/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/units.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

constexpr uint64_t kTrainJobs = 1'000'000;  // indices that no judged job has
constexpr const char* kVersion = "4";       // of the lines: a journal of another version is refused

Outcome judge(const FleetTruth& truth, int machine) {
  if (!truth.faulty)
    return machine < 0 ? Outcome::Quiet : Outcome::False;
  if (machine < 0)
    return Outcome::Missed;
  if (size_t(machine) == truth.machine)
    return Outcome::Right;
  return Outcome::Wrong;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

SyntheticStudy::SyntheticStudy(const SyntheticOptions& options, const base::Progress& progress)
    : options_(options) {
  std::vector<std::pair<double, Planned>> order;
  const auto plan = [&](Kind kind, size_t count, uint64_t first) {
    for (size_t i = 0; i < count; ++i) {
      const double place = (double(i) + 0.5) / double(count);
      const Planned planned{kind, first + i};
      order.emplace_back(place, planned);
    }
  };
  plan(Kind::Fault, options.faults, 0);
  plan(Kind::Hour, options.hours, options.faults);
  plan(Kind::Training, options.training_hours, kTrainJobs + 100);
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  for (const auto& [at, planned] : order)
    plan_.push_back(planned);
  train(progress);
}

std::string SyntheticStudy::identity() const {
  const auto& o = options_;
  std::string parts = std::string(kVersion) + " " + o.preset + " " + std::to_string(o.seed);
  for (const size_t n : {o.faults, o.hours, o.training_hours, o.max_machines})
    parts += " " + std::to_string(n);
  parts += base::digest(base::write_json(to_json(models_.metrics)));
  for (const float x : models_.integrated.parameters)
    parts += base::format_exact(x);
  return base::digest(parts);
}

SimulatedFleet SyntheticStudy::job_of(uint64_t index, bool faulty, double seconds) const {
  FleetJob job;
  job.preset = fleet_preset(options_.preset);
  job.faulty = faulty;
  job.seconds = seconds;
  job.seed = options_.seed;
  job.index = index;
  if (options_.max_machines > 0) {
    base::Rng rng(options_.seed, "evaluate.size", index);
    const double largest = double(options_.max_machines) + 1;
    job.machines = size_t(std::exp(rng.uniform(std::log(4.0), std::log(largest))));
  }
  return simulate_fleet(job);
}

// Trains one network per metric and one for the mean of the seven on windows of healthy jobs. Each job is
// normalised by its own range.
void SyntheticStudy::train(const base::Progress& progress) {
  std::vector<std::string> names = paper_metrics();
  names.insert(names.end(), more_metrics().begin(), more_metrics().end());
  std::vector<std::vector<Plane>> planes;  // [job][metric]
  std::vector<size_t> machines;
  for (uint64_t i = 0; i < 8; ++i) {
    FleetJob job;
    job.preset = fleet_preset(options_.preset);
    job.faulty = false;
    job.machines = size_t{8} << (i % 4);
    job.seconds = 1200;
    job.seed = options_.seed;
    job.index = kTrainJobs + i;
    const MetricSeries s = simulate_fleet(job).series;
    machines.push_back(s.machines.size());
    std::vector<Plane>& of_job = planes.emplace_back();
    for (const std::string& name : names) {
      const size_t column = metric_index(s, name);
      of_job.push_back(normalised_plane(s, column, bounds_of(s, column)));
    }
  }
  const auto draw = [&](base::Rng& rng, size_t first, size_t count, float* out) {
    const size_t j = rng.below(planes.size());
    const size_t machine = rng.below(machines[j]);
    const std::vector<Plane>& job = planes[j];
    const size_t stride = job[0].stride;
    const size_t steps = job[0].x.size() / stride;
    const size_t begin = rng.below(steps - vae::kWindow + 1);
    for (size_t i = 0; i < vae::kWindow; ++i) {
      const size_t at = (begin + i) * stride + machine;
      float sum = 0;
      for (size_t k = first; k < first + count; ++k)
        sum += job[k].x[at];
      out[i] = sum / float(count);
    }
  };
  TrainOptions t;
  t.windows = 40'000;
  t.epochs = 30;
  std::vector<MetricModel> trained(names.size() + 1);
  base::parallel_for(trained.size(), options_.threads, [&](size_t k) {
    if (progress.stopped())
      return;
    const bool mean = k == names.size();
    const size_t first = mean ? 0 : k;
    const size_t count = mean ? paper_metrics().size() : 1;
    base::Rng rng(options_.seed, "evaluate.windows", k);
    const auto next = [&](size_t, float* out) {
      draw(rng, first, count, out);
    };
    trained[k] = train_vae(next, t);
    trained[k].metric = mean ? "mean" : names[k];
  });
  models_.integrated = trained.back();
  trained.pop_back();
  models_.metrics.metrics = std::move(trained);
}

// Returns the machine that is named first, the strongest when several are named at once.
Outcome SyntheticStudy::default_mode(const SimulatedFleet& job) const {
  const MetricSeries& s = job.series;
  ScanOptions options;
  options.metrics = paper_metrics();
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, s.steps}, options);
  std::vector<float> row(s.metrics.size() * s.machines.size());
  for (size_t t = 0; t < s.steps; ++t) {
    for (size_t k = 0; k < s.metrics.size(); ++k)
      std::ranges::copy(s.row(k, t), row.begin() + std::ptrdiff_t(k * s.machines.size()));
    scan.push(s.time_ms(t), row);
    const Member* best = nullptr;
    for (const Episode& e : scan.episodes()) {
      for (const Member& m : e.members) {
        const bool names = e.what == Episode::What::Machines || e.what == Episode::What::Silent;
        if (names && (!best || m.score > best->score))
          best = &m;
      }
    }
    if (best)
      return judge(job.truth, int(best->machine));
  }
  return judge(job.truth, -1);
}

std::string SyntheticStudy::run(uint64_t index) const {
  const Planned& p = plan_[index];
  const SimulatedFleet job = job_of(p.job, p.kind == Kind::Fault, 3600);
  JudgedJob judged;
  judged.training = p.kind == Kind::Training;
  judged.faulty = job.truth.faulty;
  judged.visible = job.truth.visible;
  judged.type = job.truth.type;
  judged.machines = job.series.machines.size();
  if (judged.training)
    judged.default_mode = Outcome::Quiet;
  else
    judged.default_mode = default_mode(job);
  const Candidates candidates = scan(job.series, models_);
  for (const Method& method : methods()) {
    std::string& letters = judged.outcomes.emplace_back();
    for (size_t i = 0; i < kThresholds; ++i) {
      const int machine = verdict_of(candidates, method, i, judged.machines);
      letters += char(judge(job.truth, machine));
    }
  }
  return to_line(judged);
}

// Sorts the lines by kind: training, visible fault, fault, fault-free hour.
static const char* kind_of(const JudgedJob& job) {
  if (job.training)
    return "T";
  if (!job.faulty)
    return "H";
  return job.visible ? "V" : "F";
}

std::string to_line(const JudgedJob& job) {
  std::string type = job.type.empty() ? "-" : job.type;
  std::replace(type.begin(), type.end(), ' ', '_');
  std::string line = kind_of(job);
  line += " " + std::to_string(job.machines);
  line += " " + type;
  line += " ";
  line += char(job.default_mode);
  for (const std::string& letters : job.outcomes)
    line += " " + letters;
  return line;
}

JudgedJob from_line(const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  const size_t head = 4;
  const auto fits = [&] {
    if (words.size() != head + methods().size() || words[0].size() != 1 || words[3].size() != 1)
      return false;
    return std::all_of(words.begin() + head, words.end(), [](const std::string& letters) {
      return letters.size() == kThresholds;
    });
  };
  if (!fits())
    throw base::Error({}, "not the result of a judged job: '" + line.substr(0, 60) + "'");
  JudgedJob job;
  job.training = words[0] == "T";
  job.visible = words[0] == "V";
  job.faulty = job.visible || words[0] == "F";
  job.machines = std::strtoul(words[1].c_str(), nullptr, 10);
  job.type = words[2];
  std::replace(job.type.begin(), job.type.end(), '_', ' ');
  job.default_mode = static_cast<Outcome>(words[3][0]);
  job.outcomes.assign(words.begin() + head, words.end());
  return job;
}

}  // namespace lento::fleet
