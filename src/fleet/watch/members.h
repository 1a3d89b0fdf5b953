// Tracks the machines and metrics of a watched job as they join and leave it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fleet/scan/scan.h"
#include "fleet/watch/cadence.h"
#include "fleet/watch/target_list.h"

namespace lento::fleet {

// A time on two clocks.
struct Moment {
  int64_t steady_ms = 0;
  int64_t now_ms = 0;  // on the store's clock
};

class Members {
 public:
  explicit Members(int64_t forget_ms)
      : forget_ms_(forget_ms) {
  }

  void know(std::set<std::string> machines, std::set<std::string> metrics);  // restores a saved state
  // Adds the machines and metrics of a response and the scrape targets. Returns whether some are new. Throws
  // base::Error for more machines than any job has.
  bool take(const MetricSeries& answer, const TargetList& targets, const std::string& store);
  // Notes that these machines are on a list of targets. Even an incomplete list shows that they have not
  // left.
  void named(const std::vector<std::string>& machines);
  // Updates which machines the scan treats as members of the job, from the scrape targets if the store has
  // any.
  void keep(Scan& scan, const TargetList& targets, const Cadence& cadence, const Moment& at);
  // Drops the names of machines that have left. Call it when a new scan is made.
  void forget_left(Cadence& cadence);

  bool in_job(const std::string& machine, const TargetList& targets) const {
    return !left_.contains(machine) && (!targets.known() || targets.up().contains(machine));
  }
  ScanFleet fleet(int64_t step_ms) const;
  size_t width() const {  // values of a row
    return machines_.size() * metrics_.size();
  }

 private:
  int64_t forget_ms_;
  std::set<std::string> machines_;
  std::set<std::string> metrics_;
  std::map<std::string, Labels> labels_;
  std::set<std::string> left_;
  std::map<std::string, int64_t> missing_;  // machine -> steady time since which no list of targets has it
};

}  // namespace lento::fleet
