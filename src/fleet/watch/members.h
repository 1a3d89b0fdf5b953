// The machines and metrics of a job under watch, with those that join and leave it.
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

// A moment by two clocks.
struct Moment {
  int64_t steady_ms = 0;
  int64_t now_ms = 0;  // the store's
};

class Members {
 public:
  explicit Members(int64_t forget_ms)
      : forget_ms_(forget_ms) {
  }

  void know(std::set<std::string> machines, std::set<std::string> metrics);  // restores a saved state
  // Adds the names of a response and of the scrape targets. Returns whether some are new. Throws base::Error
  // when there are more than any job has.
  bool take(const MetricSeries& answer, const TargetList& targets, const std::string& store);
  // Notes machines that a list of targets names. Even an incomplete list shows that these have not left.
  void named(const std::vector<std::string>& machines);
  // Updates the members in the scan, from the scrape targets where the store has them.
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
  std::map<std::string, int64_t> missing_;  // named by no list since, steady time
};

}  // namespace lento::fleet
