// Finds the running jobs in the store, gives each a watch, and serves their metrics on one page.
#include "fleet/watch/jobs.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/units.h"

namespace lento::fleet {
namespace {

using base::Error;

// In ms: time between searches for jobs, and greatest age of the last sample of a running job.
constexpr int64_t kDiscoverEvery = 60'000;
constexpr int64_t kRunning = 600'000;
constexpr int kForgetAfter = 10;  // successive answers without a job after which its watch ends

struct Shard {
  uint64_t index = 0;
  uint64_t count = 1;
  // Returns whether this process watches the job. A job has the same shard in every process and version.
  bool takes(const std::string& job) const {
    return base::hash_text(job) % count == index;
  }
};

Shard parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  const auto index = base::try_int(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : base::try_int(text.substr(slash + 1));
  if (!index || !count || *index < 0 || *index >= *count || *count > 100'000)
    throw Error({"--shard"}, "'" + text + "' is not i/n with 0 <= i < n", "for example --shard 0/4");
  return {uint64_t(*index), uint64_t(*count)};
}

// Returns a file name for any job name: characters other than letters, digits, dot, dash and underscore
// become %XX, and the end of a long name becomes a digest.
std::string file_of(const std::string& folder, const std::string& job) {
  constexpr size_t kLongest = 200;
  if (folder.empty())
    return {};
  std::string name = base::percent_encoded(job);
  if (name.size() > kLongest)
    name = name.substr(0, kLongest - 33) + "-" + base::digest(job);
  return (std::filesystem::path(folder) / ("job-" + name + ".json")).string();
}

// A feed without samples, for a watch of collectives alone, which reads no metrics.
class NoFeed : public Feed {
 public:
  std::string name() const override {
    return "";
  }
  MetricSeries read(int64_t, int64_t, int64_t, base::ReadReport&) override {
    return {};
  }
  std::optional<std::vector<Target>> targets() override {
    return std::nullopt;
  }
  std::optional<int64_t> now_ms() override {
    return std::nullopt;
  }
};

Feed& no_feed() {
  static NoFeed feed;
  return feed;
}

}  // namespace

ListenAddress parse_listen(const std::string& text) {
  const size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const auto port = base::try_int(colon == std::string::npos ? text : text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535)
    throw Error({"--listen"}, "'" + text + "' is no address", "for example 0.0.0.0:9469 or [::]:9469");
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  if (host.empty())
    host = "0.0.0.0";
  return {host, int(*port)};
}

FleetWatchJobs::FleetWatchJobs(const WatchJobsOptions& options, WatchLog log)
    : o_(options),
      log_(std::move(log)) {
  o_.watch.metrics = !o_.source.prometheus.url.empty();
  if (!o_.watch.metrics && o_.ranks.sources.empty())
    throw Error(
        {},
        "a live source is needed",
        "name the store with --prometheus URL, or the logs of its collectives with --ranks FOLDER");
  if (!o_.each.empty() && (!o_.watch.metrics || !o_.ranks.sources.empty()))
    throw Error(
        {"--each"},
        "finds jobs in a store and watches their machines",
        "give --ranks to a watch of one job");
  parse_shard(o_.shard);
  o_.watch.hook = !o_.hook.empty();
  if (o_.each.empty()) {
    jobs_[o_.watch.job] = start(o_.watch.job, o_.watch, o_.source);
  } else {
    for (const std::string& folder : {o_.watch.state, o_.watch.diagnosis}) {
      if (!folder.empty())
        std::filesystem::create_directories(folder);
    }
    const auto in_state = std::filesystem::path(o_.watch.state) / "hooks.sqlite";
    if (o_.watch.ledger.empty() && !o_.watch.state.empty())
      o_.watch.ledger = in_state.string();
  }
  if (!o_.listen.empty())
    serve();
}

FleetWatchJobs::~FleetWatchJobs() = default;

FleetWatchJobs::Job
FleetWatchJobs::start(const std::string& name, const WatchOptions& options, const FleetSource& source) const {
  Job job;
  job.source = source;
  if (options.metrics)
    job.feed = std::make_unique<PrometheusFeed>(source);
  if (!o_.ranks.sources.empty())
    job.ranks =
        std::make_unique<RanksWatch>(o_.ranks, options.metrics ? prometheus_of(source) : source.prometheus);
  Feed& feed = job.feed ? *job.feed : no_feed();
  job.alerts = std::make_unique<Alertmanagers>(o_.alerts, log_.note);
  job.hooks = std::make_unique<HookCommand>(o_.hook);
  WatchOptions own = options;
  own.job = name;
  job.watch = std::make_unique<FleetWatch>(
      WatchWorld{system_clock(), feed, *job.alerts, *job.hooks, job.ranks.get()},
      log_,
      std::move(own));
  return job;
}

void FleetWatchJobs::run(const base::Progress& progress, const std::function<bool()>& reload) {
  const Clock& clock = system_clock();
  const int64_t start = clock.steady_ms();
  const auto over = [&] {
    const double ran = double(clock.steady_ms() - start) / 1000;
    return progress.stopped() || (o_.run_for_s > 0 && ran >= o_.run_for_s);
  };
  while (!over()) {
    const int64_t begin = clock.steady_ms();
    if (reload())
      reload_all();
    if (!o_.each.empty())
      discover();
    for (auto& [name, job] : jobs_) {
      if (progress.stopped())
        break;
      job.watch->step();
      publish(name, job);
    }
    while (!progress.stopped() && double(clock.steady_ms() - begin) < o_.interval_s * 1000)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (auto& [name, job] : jobs_)
    job.watch->close();
}

finding::Diagnosis FleetWatchJobs::diagnosis() const {
  return jobs_.begin()->second.watch->diagnosis();
}

void FleetWatchJobs::reload_all() {
  log_.note("reading the files of credentials, names and predictions again");
  discovered_ms_ = INT64_MIN;
  for (auto& [name, job] : jobs_) {
    try {
      if (job.feed)
        job.feed->reload(job.source);
    } catch (const std::exception& e) {
      log_.note(std::string(e.what()) + "\n  (keeping what was read before)");
    }
    job.alerts->reload(o_.alerts);
    job.watch->reload();
  }
}

// Queries the store for the running jobs, and begins and ends watches. Without an answer nothing changes. A
// job that is missing from several successive answers is dropped.
void FleetWatchJobs::discover() {
  const Clock& clock = system_clock();
  if (discovered_ms_ != INT64_MIN && clock.steady_ms() - discovered_ms_ < kDiscoverEvery)
    return;
  discovered_ms_ = clock.steady_ms();
  std::vector<std::string> running;
  try {
    const PrometheusOptions store = prometheus_of(o_.source);
    const int64_t now = store_now_ms(store).value_or(clock.wall_ms());
    running = label_values(store, o_.each, now - kRunning, now);
  } catch (const std::exception& e) {
    log_.note(std::string(e.what()) + "\n  (keeping the jobs that are known)");
    return;
  }
  for (auto& [name, job] : jobs_)
    ++job.unnamed;
  const Shard shard = parse_shard(o_.shard);
  for (const std::string& name : running) {
    if (shard.takes(name))
      take(name);
  }
  std::erase_if(jobs_, [&](auto& entry) {
    if (entry.second.unnamed < kForgetAfter)
      return false;
    entry.second.watch->close();
    log_.note("job " + entry.first + " has ended");
    const std::lock_guard lock(mutex_);
    samples_.erase(entry.first);
    return true;
  });
}

void FleetWatchJobs::take(const std::string& name) {
  if (const auto known = jobs_.find(name); known != jobs_.end()) {
    known->second.unnamed = 0;
    return;
  }
  WatchOptions o = o_.watch;
  FleetSource source = o_.source;
  source.match.push_back(o_.each + "=" + base::write_json(base::Json(name)));
  o.state = file_of(o.state, name);
  o.diagnosis = file_of(o.diagnosis, name);
  try {
    jobs_[name] = start(name, o, source);
    log_.note("watching job " + name);
  } catch (const std::exception& e) {
    jobs_.erase(name);
    log_.note("job " + name + " is not watched: " + e.what());
  }
}

void FleetWatchJobs::serve() {
  const ListenAddress at = parse_listen(o_.listen);
  server_ = std::make_unique<base::HttpServer>(at.host, at.port, [this](const base::HttpQuestion& question) {
    if (question.path != "/metrics")
      return base::HttpReply{404, "only /metrics is here\n", "text/plain"};
    return base::HttpReply{200, page(), "text/plain; version=0.0.4"};
  });
  const std::string host = at.host.find(':') == std::string::npos ? at.host : "[" + at.host + "]";
  log_.note("http://" + host + ":" + std::to_string(server_->port()) + "/metrics");
}

void FleetWatchJobs::publish(const std::string& name, const Job& job) {
  std::vector<FleetWatch::Sample> samples = job.watch->samples();
  samples.push_back({"failed_alerts_total", "counter", double(job.alerts->failed())});
  const std::lock_guard lock(mutex_);
  samples_[name] = std::move(samples);
}

// Returns the metrics page: one family after another with a line for each job, as the text format requires.
std::string FleetWatchJobs::page() {
  const std::lock_guard lock(mutex_);
  std::string page;
  for (size_t i = 0; !samples_.empty() && i < samples_.begin()->second.size(); ++i) {
    const FleetWatch::Sample& family = samples_.begin()->second[i];
    page += "# TYPE lento_fleet_" + std::string(family.name) + " " + family.type + "\n";
    for (const auto& [name, samples] : samples_)
      page += "lento_fleet_" + std::string(family.name) + "{task=" + base::write_json(base::Json(name)) +
              "} " + base::format_number(samples[i].value, 15) + "\n";
  }
  return page;
}

}  // namespace lento::fleet
