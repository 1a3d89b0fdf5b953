// Watches one named job, or every running job, found by the values of a label. With `shard` this process
// watches a share of the jobs. Ends on request or after a given time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/http/http.h"
#include "base/progress.h"
#include "fleet/watch/alertmanagers.h"
#include "fleet/watch/hook_command.h"
#include "fleet/watch/prometheus_feed.h"
#include "fleet/watch/watch.h"

namespace lento::fleet {

struct WatchJobsOptions {
  WatchOptions watch;
  FleetSource source;
  AlertmanagerOptions alerts;
  RanksWatchOptions ranks;  // without sources: collectives are not watched
  std::string hook;
  std::string each;           // label whose values are the jobs; "": one job
  std::string shard = "0/1";  // with `each`: i/n selects the jobs whose hash modulo n is i
  double interval_s = 5;
  double run_for_s = 0;  // 0: until stopped
  std::string listen;    // address on which /metrics of the watch is served, "host:port"; "": none
};

// An address to listen on. parse_listen throws base::Error for an invalid one.
struct ListenAddress {
  std::string host;
  int port = 0;
};
ListenAddress parse_listen(const std::string& text);

class FleetWatchJobs {
 public:
  // Throws base::Error for options that contradict each other.
  FleetWatchJobs(const WatchJobsOptions& options, WatchLog log);
  ~FleetWatchJobs();

  // Watches until stopped. `reload` returns true once after each request (SIGHUP) to read files again.
  void run(const base::Progress& progress, const std::function<bool()>& reload);

  finding::Diagnosis diagnosis() const;  // diagnosis of the job, when only one is watched

 private:
  struct Job {
    std::unique_ptr<PrometheusFeed> feed;  // nullptr: collectives only
    std::unique_ptr<RanksWatch> ranks;
    std::unique_ptr<Alertmanagers> alerts;
    std::unique_ptr<HookCommand> hooks;
    std::unique_ptr<FleetWatch> watch;
    FleetSource source;
    int unnamed = 0;  // successive answers of the store that do not list the job
  };

  Job start(const std::string& name, const WatchOptions& options, const FleetSource& source) const;
  void discover();
  void take(const std::string& name);
  void reload_all();
  void serve();
  void publish(const std::string& name, const Job& job);
  std::string page();

  WatchJobsOptions o_;
  WatchLog log_;
  std::map<std::string, Job> jobs_;
  int64_t discovered_ms_ = INT64_MIN;  // steady time
  std::mutex mutex_;
  std::map<std::string, std::vector<FleetWatch::Sample>> samples_;  // by job; guarded by mutex_
  std::unique_ptr<base::HttpServer> server_;                        // last: its threads use the members above
};

}  // namespace lento::fleet
