// Follows growing logs of NCCL's Inspector. Each poll judges the collectives of the last minutes.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "finding/finding.h"
#include "fleet/ranks/ranks.h"
#include "fleet/ranks/read/inspector_log.h"
#include "fleet/ranks/read/inspector_prom.h"

namespace lento::fleet {

struct RanksLiveOptions {
  // Logs of NCCL's Inspector, its Prometheus pages, folders of both, and patterns with * and ?, which also
  // match new files.
  std::vector<std::string> paths;
  std::function<std::vector<fleet::ranks::InspectorMean>()>
      means;                  // returns further means, from a store; may be null
  double window_s = 120;      // length of the records that are judged; older ones are dropped
  double stale_s = 120;       // pages older than the newest one by more than this are ignored
  double least_share = 0.02;  // of a step: a cheaper finding is only listed and raises no alert
  double least_s = 12;        // shorter slowness raises no alert, because healthy machines have it too
  // A finding that costs under `beside` of the costliest one must last for `least_beside_s`: a very slow part
  // delays all others, and the effect on queues and cores looks like faults of theirs.
  double beside = 0.35;
  double least_beside_s = 60;
  int confirm = 2;  // judgements in a row before a finding is reported, and before it is withdrawn
};

// Returns whether a finding has lasted long enough and costs enough to be reported when the costliest finding
// costs the share `costliest` of a step.
bool worth_a_call(const finding::Finding& f, double costliest, const RanksLiveOptions& options);

// A finding that the latest judgement reported for the first time, or withdrew.
struct RanksChange {
  bool begins = true;  // false: the finding is withdrawn
  finding::Finding finding;
};

class RanksLive {
 public:
  explicit RanksLive(const RanksLiveOptions& options)
      : options_(options),
        lines_(report_) {
  }

  // Reads the data added since the last call, drops data older than the window, judges the rest. A file that
  // shrank is read from its start. A line without its end is read by a later call.
  std::vector<RanksChange> poll();

  // Returns the reported findings that were not withdrawn, each as it was last judged.
  std::vector<finding::Finding> standing() const;
  // Returns whether the last poll had new data.
  bool fresh() const {
    return fresh_;
  }
  // Returns whether the last judgement used mean durations alone, which never support an all-clear.
  bool by_means() const {
    return ranks_.empty();
  }
  // Returns the diagnosis of the last judgement.
  const finding::Diagnosis& diagnosis() const {
    return diagnosis_;
  }
  uint64_t records() const {
    return report_.taken;
  }
  const base::ReadReport& report() const {
    return report_;
  }

 private:
  struct Tail {
    uint64_t offset = 0;
    std::string rest;  // a line without its end
  };
  struct Told {
    int seen = 0;
    int missed = 0;
    bool told = false;
    finding::Finding finding;
  };
  void read(const std::string& path, Tail& tail);
  void keep_window();
  std::vector<fleet::ranks::InspectorMean> fresh_means(const std::vector<std::string>& files);
  std::vector<RanksChange> compare();

  RanksLiveOptions options_;
  base::ReadReport report_;
  fleet::ranks::InspectorLines lines_;
  std::map<std::string, Tail> tails_;
  std::vector<fleet::ranks::RankTrace> ranks_;  // by host and process
  std::map<std::string, Told> told_;            // by category and subject
  std::filesystem::file_time_type newest_page_{};
  bool fresh_ = false;
  finding::Diagnosis diagnosis_;
};

}  // namespace lento::fleet
