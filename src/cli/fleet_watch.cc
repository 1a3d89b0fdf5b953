// lento fleet watch: jobs under watch, for days. One named job, or every running job that a label tells apart
// (--each), of which this process may take a share (--shard).
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/http.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/units.h"
#include "cli/fleet.h"
#include "cli/fleet_watch_job.h"

namespace lento::cli {
namespace {

constexpr int64_t kDiscoverEvery = 60'000, kRunning = 600'000;  // ms: a job with samples so young is running
constexpr int kForgetAfter = 10;                                // answers of the store that do not name a job

struct WatchCommand {
  WatchOptions watch;
  std::string each, shard = "0/1";
  double run_for_s = 0;
  int port = -1;
};

struct Shard {
  uint64_t index = 0, count = 1;
  // The same job falls to the same shard in every process and version.
  bool takes(const std::string& job) const { return base::hash_text(job) % count == index; }
};

Shard parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  const auto index = base::try_int(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : base::try_int(text.substr(slash + 1));
  if (!index || !count || *index < 0 || *index >= *count || *count > 100'000)
    throw base::Error({"--shard"}, "'" + text + "' is not i/n with 0 <= i < n", "for example --shard 0/4");
  return {static_cast<uint64_t>(*index), static_cast<uint64_t>(*count)};
}

// A file name for any job name: what is no letter, digit, dot, dash or underscore becomes %XX, and the end of
// a long one a digest.
std::string file_of(const std::string& folder, const std::string& job) {
  constexpr size_t kLongest = 200;
  if (folder.empty()) return {};
  std::string name = base::percent_encoded(job);
  if (name.size() > kLongest) name = name.substr(0, kLongest - 33) + "-" + base::digest(job);
  return (std::filesystem::path(folder) / ("job-" + name + ".json")).string();
}

// The jobs under watch and the page that tells of them.
class Jobs {
 public:
  Jobs(Context& context, const WatchCommand& command)
      : context_(context), command_(command), shard_(parse_shard(command.shard)) {
    if (command_.each.empty()) {
      jobs_[command_.watch.job] = {std::make_unique<Watch>(context_, command_.watch)};
    } else {
      for (const std::string& folder : {command_.watch.state, command_.watch.diagnosis}) {
        if (!folder.empty()) std::filesystem::create_directories(folder);
      }
    }
    if (command_.port >= 0) serve();
  }

  void run() {
    const base::Progress progress = context_.progress();
    const int64_t start = clock_ms();
    while (!progress.stopped() &&
           (command_.run_for_s <= 0 || static_cast<double>(clock_ms() - start) < command_.run_for_s * 1000)) {
      const int64_t begin = clock_ms();
      if (!command_.each.empty() && begin - discovered_ms_ >= kDiscoverEvery) discover(begin);
      for (auto& [name, job] : jobs_) {
        if (progress.stopped()) break;
        job.watch->step();
        publish(name, job);
      }
      while (!progress.stopped() &&
             clock_ms() - begin < static_cast<int64_t>(command_.watch.interval_s * 1000)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    for (auto& [name, job] : jobs_) job.watch->close();
  }

  finding::Diagnosis diagnosis() const { return jobs_.begin()->second.watch->diagnosis(); }

 private:
  struct Job {
    std::unique_ptr<Watch> watch;
    int unnamed = 0;  // answers in a row
  };

  // A store that does not answer now changes nothing; a job that its answers no longer name is let go.
  void discover(int64_t now) {
    discovered_ms_ = now;
    std::vector<std::string> running;
    try {
      const fleet::PrometheusOptions store = jobs::prometheus_of(command_.watch.source);
      running = fleet::label_values(store, command_.each, now - kRunning, now);
    } catch (const std::exception& e) {
      context_.warn(std::string(e.what()) + "\n  (keeping the jobs that are known)");
      return;
    }
    for (auto& [name, job] : jobs_) ++job.unnamed;
    for (const std::string& name : running) {
      if (shard_.takes(name)) take(name);
    }
    std::erase_if(jobs_, [&](auto& entry) {
      if (entry.second.unnamed < kForgetAfter) return false;
      entry.second.watch->close();
      context_.streams.err << "job " << entry.first << " has ended\n";
      const std::lock_guard lock(mutex_);
      samples_.erase(entry.first);
      return true;
    });
  }

  void take(const std::string& name) {
    if (const auto known = jobs_.find(name); known != jobs_.end()) {
      known->second.unnamed = 0;
      return;
    }
    WatchOptions o = command_.watch;
    o.job = name;
    o.source.prometheus.match.push_back(command_.each + "=" + name);
    o.state = file_of(o.state, name);
    o.diagnosis = file_of(o.diagnosis, name);
    try {
      jobs_[name] = {std::make_unique<Watch>(context_, std::move(o))};
      context_.streams.err << "watching job " << name << "\n";
    } catch (const std::exception& e) {
      jobs_.erase(name);
      context_.warn("job " + name + " is not watched: " + e.what());
    }
  }

  void serve() {
    server_ = std::make_unique<base::HttpServer>(
        "127.0.0.1", command_.port, [this](const std::string& path, const std::string&) {
          if (path != "/metrics") return base::HttpReply{404, "only /metrics is here\n", "text/plain"};
          return base::HttpReply{200, page(), "text/plain; version=0.0.4"};
        });
    context_.streams.err << "http://127.0.0.1:" << server_->port() << "/metrics\n";
  }

  void publish(const std::string& name, const Job& job) {
    const std::lock_guard lock(mutex_);
    samples_[name] = job.watch->samples();
  }

  // One family after another, a line a job, as the text format wants it.
  std::string page() {
    const std::lock_guard lock(mutex_);
    std::string page;
    for (size_t i = 0; !samples_.empty() && i < samples_.begin()->second.size(); ++i) {
      const Watch::Sample& family = samples_.begin()->second[i];
      page += "# TYPE lento_fleet_" + std::string(family.name) + " " + family.type + "\n";
      for (const auto& [name, samples] : samples_)
        page += "lento_fleet_" + std::string(family.name) + "{task=" + base::write_json(base::Json(name)) +
                "} " + base::format_number(samples[i].value, 15) + "\n";
    }
    return page;
  }

  Context& context_;
  const WatchCommand& command_;
  Shard shard_;
  std::map<std::string, Job> jobs_;
  int64_t discovered_ms_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::vector<Watch::Sample>> samples_;  // as last published, under mutex_
  std::unique_ptr<base::HttpServer> server_;                   // last: its threads use the members above
};

void run(Context& context, const WatchCommand& command) {
  if (command.watch.source.prometheus.url.empty())
    throw base::Error({}, "a live source is needed", "name it with --prometheus URL");
  Jobs jobs(context, command);
  jobs.run();
  if (command.each.empty() && (context.json || !context.html.empty())) context.show(jobs.diagnosis());
}

}  // namespace

void add_fleet_watch(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand("watch", "Watch a running job and raise alerts");
  auto o = std::make_shared<WatchCommand>();
  add_prometheus_options(*app, o->watch.source);
  app->add_option("--metric", o->watch.source.metrics, "Metrics to pull and judge");
  app->add_option("--label", o->watch.source.labels, "More labels to keep");
  app->add_option("--group-by", o->watch.group_by, "Labels whose values separate peers");
  app->add_option("--step", o->watch.source.step_s, "Seconds between rows; 1 when not given")
      ->check(range(0.1, 3600.0));
  app->add_option("--job", o->watch.job, "Name of the job in alerts")->capture_default_str();
  app->add_option("--state", o->watch.state, "File that keeps what was learned over a restart")
      ->type_name("FILE");
  app->add_option("--diagnosis", o->watch.diagnosis,
                  "Rewrite the diagnosis in this file every ten seconds, for 'lento serve' of its folder")
      ->type_name("FILE");
  app->add_option("--alertmanager", o->watch.alertmanager, "Alertmanager to tell, http://host:9093")
      ->type_name("URL");
  app->add_option("--resend", o->watch.resend_s, "Seconds between repeats of a standing alert")
      ->check(range(1.0, 3600.0))
      ->capture_default_str();
  app->add_option("--hook", o->watch.hook,
                  "Command to run with the machine's name; a dry run unless --hook-live");
  app->add_flag("--hook-live", o->watch.hook_live, "Really run the hook");
  app->add_option("--hook-per-hour", o->watch.hook_per_hour,
                  "At most so many hooks an hour for each job, and never over 5 % of its machines")
      ->check(range(0, 1000))
      ->capture_default_str();
  app->add_option("--interval", o->watch.interval_s, "Seconds between pulls")
      ->check(range(0.1, 3600.0))
      ->capture_default_str();
  app->add_option("--lag", o->watch.lag_s, "Seconds that rows lie behind the clock")
      ->check(range(0.0, 3600.0))
      ->capture_default_str();
  app->add_option("--horizons", o->watch.detect.horizons_s,
                  "Seconds of the windows that levels are averaged over")
      ->check(range(1.0, 1e6));
  app->add_option("--false-alarms", o->watch.detect.false_alarms_per_day, "Budget of false alarms a day")
      ->check(range(1e-9, 1e3));
  add_expect_options(*app, o->watch.expect, o->watch.detect);
  app->add_option("--serve-metrics", o->port, "Port of the own /metrics; 0 takes a free one")
      ->type_name("PORT")
      ->check(range(0, 65535));
  app->add_option("--each", o->each,
                  "Find the running jobs by this label and watch each of them; --state and --diagnosis are "
                  "folders then")
      ->type_name("LABEL");
  app->add_option("--shard", o->shard, "With --each: only the jobs of shard i of n, 0 <= i < n")
      ->type_name("i/n")
      ->capture_default_str();
  app->add_option("--run-for", o->run_for_s, "Stop after so many seconds; 0 runs until interrupted");
  context.add_output_options(*app);
  example(*app,
          "lento fleet watch --prometheus http://localhost:9090 --names dcgm --match job=training "
          "--alertmanager http://localhost:9093");
  app->callback([&context, o] { run(context, *o); });
}

}  // namespace lento::cli
