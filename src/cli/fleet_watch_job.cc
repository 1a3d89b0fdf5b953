#include "cli/fleet_watch_job.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "report/report.h"

namespace lento::cli {

int64_t clock_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Watch::Watch(Context& context, WatchOptions options)
    : context_(context), o_(std::move(options)), store_(jobs::prometheus_of(o_.source)) {
  store_.http.limits.max_bytes = uint64_t{256} << 20;
  if (!o_.expect.empty()) o_.detect.expectations = jobs::read_expectations(o_.expect);
  o_.detect.keep_history = !o_.diagnosis.empty() || !o_.expect.empty();
  if (!o_.group_by.empty()) o_.detect.group_by = o_.group_by;
  if (store_.grid.step_ms == 0) store_.grid.step_ms = 1000;
  load_state();
}

void Watch::step() {
  try {
    pull();
    if (failing_) context_.streams.err << "the store answers again\n";
    failing_ = false;
  } catch (const std::exception& e) {
    ++counters_.failed_pulls;
    if (!failing_) context_.warn(std::string(e.what()) + "\n  (keeping state, trying again)");
    failing_ = true;
  }
  try {
    tell();
    if (clock_ms() - saved_ms_ > 60'000) save_state();
    if (clock_ms() - written_ms_ > 10'000) write_diagnosis();
  } catch (const std::exception& e) {
    context_.warn(e.what());
  }
}

void Watch::close() {
  save_state();
  write_diagnosis();
}

finding::Diagnosis Watch::diagnosis() const {
  if (detector_) return fleet::conclude(*detector_, o_.detect);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Fleet";
  d.verdict = "No sample was seen.";
  return d;
}

std::vector<Watch::Sample> Watch::samples() const {
  size_t active = 0;
  if (detector_) {
    for (const fleet::Verdict& v : detector_->verdicts()) active += v.active;
  }
  const Counters& c = counters_;
  return {{"pulls_total", "counter", static_cast<double>(c.pulls)},
          {"failed_pulls_total", "counter", static_cast<double>(c.failed_pulls)},
          {"rows_total", "counter", static_cast<double>(c.rows)},
          {"samples_total", "counter", static_cast<double>(c.samples)},
          {"skipped_samples_total", "counter", static_cast<double>(c.skipped)},
          {"alerts_total", "counter", static_cast<double>(c.alerts)},
          {"failed_alerts_total", "counter", static_cast<double>(c.failed_alerts)},
          {"hooks_total", "counter", static_cast<double>(c.hooks)},
          {"machines", "gauge", static_cast<double>(known_machines_.size())},
          {"verdicts", "gauge", static_cast<double>(active)},
          {"lag_seconds", "gauge", next_ms_ > 0 ? static_cast<double>(clock_ms() - next_ms_) / 1000 : 0}};
}

int64_t Watch::horizon_ms() const {
  double longest = 60;
  for (const double h : o_.detect.horizons_s) longest = std::max(longest, h);
  return static_cast<int64_t>((longest + o_.detect.startup_s) * 1000) + 8 * store_.grid.step_ms;
}

void Watch::pull() {
  const int64_t step = store_.grid.step_ms;
  const int64_t end = (clock_ms() - static_cast<int64_t>(o_.lag_s * 1000)) / step * step;
  int64_t begin = std::max(next_ms_, end - horizon_ms()) / step * step;
  if (begin > end) return;
  base::ReadReport report;
  ++counters_.pulls;
  const trace::MetricSeries s = fleet::read_prometheus(store_, begin - 2 * step, end + step, report);
  counters_.samples += report.taken;
  counters_.skipped += report.skipped;
  if (rebuild_if_changed(s)) return pull_again(end);
  push(s, begin, end);
}

void Watch::pull_again(int64_t end) {
  const int64_t begin = end - horizon_ms();
  base::ReadReport report;
  const trace::MetricSeries s = fleet::read_prometheus(store_, begin, end + store_.grid.step_ms, report);
  push(s, begin / store_.grid.step_ms * store_.grid.step_ms, end);
}

bool Watch::rebuild_if_changed(const trace::MetricSeries& s) {
  bool fresh = !detector_;
  const auto unknown = std::count_if(s.machines.begin(), s.machines.end(),
                                     [&](const std::string& m) { return !known_machines_.contains(m); });
  if (known_machines_.size() + static_cast<size_t>(unknown) > kMostMachines)
    throw base::Error({store_.url}, "the store names over " + std::to_string(kMostMachines) + " machines",
                      "choose the labels that name one with --machine-label, or the job with --match");
  for (const std::string& m : s.machines) fresh = known_machines_.insert(m).second || fresh;
  for (const std::string& k : s.metrics) fresh = known_metrics_.insert(k).second || fresh;
  if (!fresh) return false;
  for (size_t m = 0; m < s.machines.size(); ++m) labels_[s.machines[m]] = s.labels[m];
  const base::Json state = detector_ ? detector_->save() : std::exchange(state_, {});
  detector_ = new_detector();
  if (!state.is_null()) restore(state);
  return true;
}

std::unique_ptr<fleet::Detector> Watch::new_detector() {
  fleet::Fleet f;
  f.machines.assign(known_machines_.begin(), known_machines_.end());
  f.metrics.assign(known_metrics_.begin(), known_metrics_.end());
  f.step_ms = store_.grid.step_ms;
  for (const std::string& name : f.machines) f.labels.push_back(labels_[name]);
  return std::make_unique<fleet::Detector>(std::move(f), o_.detect);
}

// Verdicts that stood in a saved state were announced before it was saved.
void Watch::restore(const base::Json& state) {
  try {
    detector_->restore(state);
  } catch (const base::Error& e) {
    context_.warn(std::string(e.what()) + "\n  (starting without the saved state)");
    detector_ = new_detector();
  }
  for (const fleet::Verdict& v : detector_->verdicts()) {
    if (v.active) announced_.try_emplace(key_of(v), alert_of(v, 0));
  }
}

void Watch::push(const trace::MetricSeries& s, int64_t begin, int64_t end) {
  const fleet::Fleet& f = detector_->fleet();
  // Read again after the lists were made, an answer may hold names that they lack: the next pull adds them.
  const auto places = [](const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
    std::vector<std::pair<size_t, size_t>> found;  // place in `wanted`, place in `names` (sorted)
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto at = std::lower_bound(names.begin(), names.end(), wanted[i]);
      if (at != names.end() && *at == wanted[i]) found.emplace_back(i, at - names.begin());
    }
    return found;
  };
  const auto machines = places(f.machines, s.machines), metrics = places(f.metrics, s.metrics);
  std::vector<float> row(f.machines.size() * f.metrics.size());
  for (int64_t t = begin; t <= end; t += f.step_ms) {
    std::fill(row.begin(), row.end(), std::numeric_limits<float>::quiet_NaN());
    const int64_t at = (t - s.begin_ms + f.step_ms / 2) / f.step_ms;
    if (t >= s.begin_ms - f.step_ms && at >= 0 && at < static_cast<int64_t>(s.steps)) {
      for (const auto& [k, metric] : metrics) {
        for (const auto& [m, machine] : machines)
          row[metric * f.machines.size() + machine] = s.at(k, static_cast<size_t>(at), m);
      }
    }
    detector_->push(t, row);
    ++counters_.rows;
  }
  next_ms_ = end + f.step_ms;
}

void Watch::load_state() {
  std::error_code unreadable;
  if (o_.state.empty() || !std::filesystem::exists(o_.state, unreadable)) return;
  try {
    std::set<std::string> machines, metrics;
    state_ = base::parse_json(base::read_file(o_.state, uint64_t{1} << 30), o_.state);
    const base::Location where{o_.state};
    for (const base::Json& m : state_.at("machines", where).array(where)) machines.insert(m.string(where));
    for (const base::Json& k : state_.at("metrics", where).array(where)) metrics.insert(k.string(where));
    known_machines_ = std::move(machines), known_metrics_ = std::move(metrics);
  } catch (const base::Error& e) {
    context_.warn(std::string(e.what()) + "\n  (starting without the saved state)");
    state_ = {};
  }
}

void Watch::save_state() {
  saved_ms_ = clock_ms();
  if (detector_) keep(o_.state, [&] { return base::write_json(detector_->save()); });
}

void Watch::write_diagnosis() {
  written_ms_ = clock_ms();
  keep(o_.diagnosis, [&] { return report::write_json(context_.stamped(diagnosis())); });
}

void Watch::keep(const std::string& path, const std::function<std::string()>& content) {
  if (path.empty()) return;
  try {
    base::write_file(path, content());
  } catch (const std::exception& e) {
    context_.warn(e.what());
  }
}

}  // namespace lento::cli
