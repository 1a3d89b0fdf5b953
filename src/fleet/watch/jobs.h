// Watches one named job for days, or every running job, found by the values of a label. With `shard` this
// process takes a share of them. Ends on request or after a given time.
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
  std::string shard = "0/1";  // with `each`: i/n, the jobs whose hash falls to i
  double interval_s = 5;
  double run_for_s = 0;  // 0: until stopped
  std::string listen;    // address of the own /metrics, "host:port", "[::]:port"; "": none
};

// An address to listen on. Throws base::Error for an invalid one.
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

  // `reload` returns true once after each request to read files again (SIGHUP).
  void run(const base::Progress& progress, const std::function<bool()>& reload);

  finding::Diagnosis diagnosis() const;  // of the one job

 private:
  struct Job {
    std::unique_ptr<PrometheusFeed> feed;  // nullptr: collectives only
    std::unique_ptr<RanksWatch> ranks;
    std::unique_ptr<Alertmanagers> alerts;
    std::unique_ptr<HookCommand> hooks;
    std::unique_ptr<FleetWatch> watch;
    FleetSource source;
    int unnamed = 0;  // answers of the store in a row that do not name it
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
  std::map<std::string, std::vector<FleetWatch::Sample>> samples_;  // as last published, under mutex_
  std::unique_ptr<base::HttpServer> server_;                        // last: its threads use the members above
};

}  // namespace lento::fleet
