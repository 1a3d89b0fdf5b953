// lento fleet watch: one job, for days. Pulls from a Prometheus-compatible store, pushes rows into a
// Detector, keeps an Alertmanager informed, saves its state.
//
// Rows are pushed `lag` seconds behind the clock so that late samples are in. A pull that fails changes
// nothing: it is counted, reported once, retried at the next interval; when the store is back the missed rows
// are read (up to the longest window; before that they are lost and count as missing).
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/http.h"
#include "base/units.h"
#include "cli/fleet.h"
#include "cli/fleet_sources.h"
#include "fleet/detect/detect.h"
#include "fleet/source/prometheus.h"
#include "report/report.h"

extern char** environ;

namespace lento::cli {
namespace {

struct Options {
  FleetSource source;
  fleet::DetectOptions detect;
  std::vector<std::string> group_by;
  std::string state, alertmanager, hook, diagnosis, job = "job";
  double interval_s = 5, lag_s = 5, resend_s = 60, run_for_s = 0;
  bool hook_live = false;
  int hook_per_hour = 2;
  int port = -1;
};

int64_t clock_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct Counters {
  uint64_t pulls = 0, failed_pulls = 0, rows = 0, samples = 0, skipped = 0, alerts = 0, failed_alerts = 0,
           hooks = 0;
};

class Watch {
 public:
  Watch(Context& context, Options& options)
      : context_(context), o_(options), store_(prometheus_of(options.source)) {
    store_.http.limits.max_bytes = uint64_t{256} << 20;
    o_.detect.keep_history = !o_.diagnosis.empty();
    if (!o_.group_by.empty()) o_.detect.group_by = o_.group_by;
    if (store_.grid.step_ms == 0) store_.grid.step_ms = 1000;
    load_state();
    if (o_.port >= 0) {
      server_ = std::make_unique<base::HttpServer>(
          "127.0.0.1", o_.port, [this](const std::string& path, const std::string&) {
            if (path != "/metrics") return base::HttpReply{404, "only /metrics is here\n", "text/plain"};
            const std::lock_guard lock(mutex_);
            return base::HttpReply{200, page_, "text/plain; version=0.0.4"};
          });
      context_.streams.err << "http://127.0.0.1:" << server_->port() << "/metrics\n";
    }
  }

  void run() {
    const base::Progress progress = context_.progress();
    const int64_t start = clock_ms();
    while (!progress.stopped() &&
           (o_.run_for_s <= 0 || static_cast<double>(clock_ms() - start) < o_.run_for_s * 1000)) {
      const int64_t begin = clock_ms();
      step();
      while (!progress.stopped() && clock_ms() - begin < static_cast<int64_t>(o_.interval_s * 1000)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    save_state();
    write_diagnosis();
  }

  finding::Diagnosis diagnosis() const {
    if (detector_) return fleet::conclude(*detector_, o_.detect);
    finding::Diagnosis d;
    d.scale = "fleet";
    d.title = "Fleet";
    d.verdict = "No sample was seen.";
    return d;
  }

 private:
  void step() {
    try {
      pull();
      if (failing_) context_.streams.err << "the store answers again\n";
      failing_ = false;
    } catch (const base::Error& e) {
      ++counters_.failed_pulls;
      if (!failing_) context_.warn(std::string(e.what()) + "\n  (keeping state, trying again)");
      failing_ = true;
    }
    tell();
    if (clock_ms() - saved_ms_ > 60'000) save_state();
    if (clock_ms() - written_ms_ > 10'000) write_diagnosis();
    publish();
  }

  int64_t horizon_ms() const {
    double longest = 60;
    for (const double h : o_.detect.horizons_s) longest = std::max(longest, h);
    return static_cast<int64_t>((longest + o_.detect.startup_s) * 1000) + 8 * store_.grid.step_ms;
  }

  // Reads the rows that are due and pushes them. A machine list that grew means a new detector with the old
  // state: what fits by name is kept.
  void pull() {
    const int64_t step = store_.grid.step_ms;
    const int64_t end = (clock_ms() - static_cast<int64_t>(o_.lag_s * 1000)) / step * step;
    int64_t begin = std::max(next_ms_, end - horizon_ms()) / step * step;
    if (begin > end) return;
    base::ReadReport report;
    ++counters_.pulls;
    const trace::MetricSeries s = fleet::read_prometheus(store_, begin - 2 * step, end, report);
    counters_.samples += report.taken;
    counters_.skipped += report.skipped;
    if (rebuild_if_changed(s)) return pull_again(end);
    push(s, begin, end);
  }

  void pull_again(int64_t end) {
    const int64_t begin = end - horizon_ms();
    base::ReadReport report;
    const trace::MetricSeries s = fleet::read_prometheus(store_, begin, end, report);
    push(s, begin / store_.grid.step_ms * store_.grid.step_ms, end);
  }

  bool rebuild_if_changed(const trace::MetricSeries& s) {
    bool fresh = !detector_;
    for (const std::string& m : s.machines) fresh = known_machines_.insert(m).second || fresh;
    for (const std::string& k : s.metrics) fresh = known_metrics_.insert(k).second || fresh;
    if (!fresh) return false;
    fleet::Fleet f;
    f.machines.assign(known_machines_.begin(), known_machines_.end());
    f.metrics.assign(known_metrics_.begin(), known_metrics_.end());
    f.step_ms = store_.grid.step_ms;
    for (const std::string& name : f.machines) {
      for (size_t m = 0; m < s.machines.size(); ++m) {
        if (s.machines[m] == name) labels_[name] = s.labels[m];
      }
      f.labels.push_back(labels_[name]);
    }
    const base::Json state = detector_ ? detector_->save() : state_;
    detector_ = std::make_unique<fleet::Detector>(std::move(f), o_.detect);
    if (!state.is_null()) detector_->restore(state);
    return true;
  }

  void push(const trace::MetricSeries& s, int64_t begin, int64_t end) {
    const fleet::Fleet& f = detector_->fleet();
    const auto index = [](const std::vector<std::string>& names, const std::string& name) {
      const auto at = std::lower_bound(names.begin(), names.end(), name);
      return static_cast<size_t>(at - names.begin());
    };
    std::vector<size_t> machine, metric;
    for (const std::string& m : s.machines) machine.push_back(index(f.machines, m));
    for (const std::string& k : s.metrics) metric.push_back(index(f.metrics, k));
    std::vector<float> row(f.machines.size() * f.metrics.size());
    for (int64_t t = begin; t <= end; t += f.step_ms) {
      std::fill(row.begin(), row.end(), std::numeric_limits<float>::quiet_NaN());
      const int64_t at = (t - s.begin_ms + f.step_ms / 2) / f.step_ms;
      if (t >= s.begin_ms - f.step_ms && at >= 0 && at < static_cast<int64_t>(s.steps)) {
        for (size_t k = 0; k < metric.size(); ++k) {
          for (size_t m = 0; m < machine.size(); ++m)
            row[metric[k] * f.machines.size() + machine[m]] = s.at(k, static_cast<size_t>(at), m);
        }
      }
      detector_->push(t, row);
      ++counters_.rows;
    }
    next_ms_ = end + f.step_ms;
  }

  // New verdicts are announced at once, standing ones again every resend interval, resolved ones once.
  void tell() {
    if (!detector_) return;
    const int64_t now = clock_ms();
    const bool resend = now - told_ms_ >= static_cast<int64_t>(o_.resend_s * 1000);
    std::vector<fleet::Alert> alerts;
    std::set<std::pair<size_t, bool>> active;
    for (const fleet::Verdict& v : detector_->verdicts()) {
      const auto key = std::pair{v.machine, v.silent};
      if (!v.active || active.contains(key)) continue;
      active.insert(key);
      const bool fresh = announced_.insert(key).second;
      if (fresh) announce(v);
      if (fresh || resend) alerts.push_back(alert_of(v, now + 4 * static_cast<int64_t>(o_.resend_s * 1000)));
    }
    for (auto it = announced_.begin(); it != announced_.end();) {
      if (active.contains(*it)) {
        ++it;
        continue;
      }
      for (const fleet::Verdict& v : detector_->verdicts()) {
        if (v.machine == it->first && v.silent == it->second) {
          alerts.push_back(alert_of(v, now));
          break;
        }
      }
      context_.streams.err << detector_->fleet().machines[it->first] << " is like its peers again\n";
      it = announced_.erase(it);
    }
    if (resend) told_ms_ = now;
    detector_->forget_resolved(now - 86'400'000);
    send(alerts);
  }

  void send(const std::vector<fleet::Alert>& alerts) {
    if (o_.alertmanager.empty()) return;
    pending_.insert(pending_.end(), alerts.begin(), alerts.end());
    while (pending_.size() > 10'000) pending_.pop_front();
    if (pending_.empty()) return;
    try {
      base::HttpOptions http;
      http.limits.timeout_s = store_.http.limits.timeout_s;
      fleet::post_alerts(o_.alertmanager, http, {pending_.begin(), pending_.end()});
      counters_.alerts += pending_.size();
      pending_.clear();
    } catch (const base::Error& e) {
      ++counters_.failed_alerts;
      context_.warn(e.what());
    }
  }

  fleet::Alert alert_of(const fleet::Verdict& v, int64_t ends_ms) const {
    const fleet::Fleet& f = detector_->fleet();
    fleet::Alert a;
    a.labels = {{"alertname", v.silent ? "LentoSilentMachine" : "LentoDeviatingMachine"},
                {"task", o_.job},
                {"machine", f.machines[v.machine]},
                {"severity", "warning"}};
    if (!v.silent) {
      const fleet::MetricScore& s = v.metrics.front();
      a.annotations.emplace_back("metric", f.metrics[s.metric]);
      a.annotations.emplace_back("summary", f.machines[v.machine] + ": " + f.metrics[s.metric] + " at " +
                                                base::format_number(s.level) + ", peers " +
                                                base::format_number(s.peers) + ", score " +
                                                base::format_number(s.score, 3));
    } else {
      a.annotations.emplace_back("summary", f.machines[v.machine] + " sends no samples while its peers do");
    }
    a.starts_ms = v.onset_ms;
    a.ends_ms = ends_ms;
    return a;
  }

  void announce(const fleet::Verdict& v) {
    const std::string& machine = detector_->fleet().machines[v.machine];
    context_.streams.out << fleet::rfc3339(v.raised_ms) << " " << alert_of(v, 0).annotations.back().second
                         << "\n";
    context_.streams.out.flush();
    if (o_.hook.empty()) return;
    const int64_t now = clock_ms();
    std::erase_if(hook_times_, [&](int64_t t) { return now - t > 3'600'000; });
    const size_t cap = std::min<size_t>(static_cast<size_t>(o_.hook_per_hour),
                                        std::max<size_t>(1, detector_->fleet().machines.size() / 20));
    if (hook_times_.size() >= cap) {
      context_.warn("hook not run for " + machine + ": the cap of this hour is reached");
      return;
    }
    hook_times_.push_back(now);
    if (!o_.hook_live) {
      context_.streams.err << "dry run: " << o_.hook << " " << machine << "\n";
      return;
    }
    ++counters_.hooks;
    char* argv[] = {o_.hook.data(), const_cast<char*>(machine.c_str()), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, o_.hook.c_str(), nullptr, nullptr, argv, environ) != 0) {
      context_.warn("hook '" + o_.hook + "' could not be started");
    } else {
      children_.push_back(child);
    }
    std::erase_if(children_, [](pid_t p) { return waitpid(p, nullptr, WNOHANG) != 0; });
  }

  void load_state() {
    if (o_.state.empty() || !std::filesystem::exists(o_.state)) return;
    try {
      state_ = base::parse_json(base::read_file(o_.state, uint64_t{1} << 30), o_.state);
      if (const base::Json* tracks = state_.find("tracks")) {
        for (const base::Json& t : tracks->items()) {
          known_metrics_.insert(t.at("metric", {o_.state}).string({o_.state}));
          for (const base::Json& m : t.at("machines", {o_.state}).items())
            known_machines_.insert(m.string({o_.state}));
        }
      }
    } catch (const base::Error& e) {
      context_.warn(std::string(e.what()) + "\n  (starting without the saved state)");
      state_ = {};
    }
  }

  void save_state() {
    saved_ms_ = clock_ms();
    if (detector_) keep(o_.state, [&] { return base::write_json(detector_->save()); });
  }

  void write_diagnosis() {
    written_ms_ = clock_ms();
    keep(o_.diagnosis, [&] { return report::write_json(context_.stamped(diagnosis())); });
  }

  // A full disk must not end the watch: the file stays as it was, the next attempt comes.
  void keep(const std::string& path, const std::function<std::string()>& content) {
    if (path.empty()) return;
    try {
      base::write_file(path, content());
    } catch (const base::Error& e) {
      context_.warn(e.what());
    }
  }

  void publish() {
    size_t active = 0;
    if (detector_) {
      for (const fleet::Verdict& v : detector_->verdicts()) active += v.active;
    }
    const Counters& c = counters_;
    std::string page;
    const auto line = [&](const char* name, const char* type, double value) {
      page += "# TYPE lento_fleet_" + std::string(name) + " " + type + "\nlento_fleet_" + name + "{task=\"" +
              o_.job + "\"} " + base::format_number(value, 15) + "\n";
    };
    line("pulls_total", "counter", static_cast<double>(c.pulls));
    line("failed_pulls_total", "counter", static_cast<double>(c.failed_pulls));
    line("rows_total", "counter", static_cast<double>(c.rows));
    line("samples_total", "counter", static_cast<double>(c.samples));
    line("skipped_samples_total", "counter", static_cast<double>(c.skipped));
    line("alerts_total", "counter", static_cast<double>(c.alerts));
    line("failed_alerts_total", "counter", static_cast<double>(c.failed_alerts));
    line("hooks_total", "counter", static_cast<double>(c.hooks));
    line("machines", "gauge", static_cast<double>(known_machines_.size()));
    line("verdicts", "gauge", static_cast<double>(active));
    line("lag_seconds", "gauge", next_ms_ > 0 ? static_cast<double>(clock_ms() - next_ms_) / 1000 : 0);
    const std::lock_guard lock(mutex_);
    page_ = std::move(page);
  }

  Context& context_;
  Options& o_;
  fleet::PrometheusOptions store_;
  std::unique_ptr<fleet::Detector> detector_;
  base::Json state_;
  std::set<std::string> known_machines_, known_metrics_;
  std::map<std::string, trace::Labels> labels_;
  int64_t next_ms_ = 0, told_ms_ = 0, saved_ms_ = clock_ms(), written_ms_ = 0;
  std::set<std::pair<size_t, bool>> announced_;
  std::deque<fleet::Alert> pending_;
  std::vector<int64_t> hook_times_;
  std::vector<pid_t> children_;
  Counters counters_;
  bool failing_ = false;
  std::mutex mutex_;
  std::string page_;
  std::unique_ptr<base::HttpServer> server_;  // last: its threads use the members above
};

void run(Context& context, Options& o) {
  if (o.source.prometheus.url.empty())
    throw base::Error({}, "a live source is needed", "name it with --prometheus URL");
  Watch watch(context, o);
  watch.run();
  if (context.json || !context.html.empty()) context.show(watch.diagnosis());
}

}  // namespace

void add_fleet_watch(CLI::App& fleet, Context& context) {
  CLI::App* app = fleet.add_subcommand("watch", "Watch a running job and raise alerts");
  auto o = std::make_shared<Options>();
  add_prometheus_options(*app, o->source);
  app->add_option("--metric", o->source.metrics, "Metrics to pull and judge");
  app->add_option("--label", o->source.labels, "More labels to keep");
  app->add_option("--group-by", o->group_by, "Labels whose values separate peers");
  app->add_option("--step", o->source.step_s, "Seconds between rows; 1 when not given")
      ->check(CLI::Range(0.1, 3600.0));
  app->add_option("--job", o->job, "Name of the job in alerts")->capture_default_str();
  app->add_option("--state", o->state, "File that keeps what was learned over a restart")->type_name("FILE");
  app->add_option("--diagnosis", o->diagnosis,
                  "Rewrite the diagnosis in this file every ten seconds, for 'lento serve' of its folder")
      ->type_name("FILE");
  app->add_option("--alertmanager", o->alertmanager, "Alertmanager to tell, http://host:9093")
      ->type_name("URL");
  app->add_option("--resend", o->resend_s, "Seconds between repeats of a standing alert")
      ->check(CLI::Range(1.0, 3600.0))
      ->capture_default_str();
  app->add_option("--hook", o->hook, "Command to run with the machine's name; a dry run unless --hook-live");
  app->add_flag("--hook-live", o->hook_live, "Really run the hook");
  app->add_option("--hook-per-hour", o->hook_per_hour,
                  "At most so many hooks an hour, and never over 5 % of the machines")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app->add_option("--interval", o->interval_s, "Seconds between pulls")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app->add_option("--lag", o->lag_s, "Seconds that rows lie behind the clock")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app->add_option("--horizons", o->detect.horizons_s, "Seconds of the windows that levels are averaged over")
      ->check(CLI::Range(1.0, 1e6));
  app->add_option("--false-alarms", o->detect.false_alarms_per_day, "Budget of false alarms a day")
      ->check(CLI::Range(1e-9, 1e3));
  app->add_option("--serve-metrics", o->port, "Port of the own /metrics; 0 takes a free one")
      ->type_name("PORT")
      ->check(CLI::Range(0, 65535));
  app->add_option("--run-for", o->run_for_s, "Stop after so many seconds; 0 runs until interrupted");
  context.add_output_options(*app);
  example(*app,
          "lento fleet watch --prometheus http://localhost:9090 --names dcgm --match job=training "
          "--alertmanager http://localhost:9093");
  app->callback([&context, o] { run(context, *o); });
}

}  // namespace lento::cli
