// The judging part of a watch: takes rows and the time, and keeps the verdicts of the present moment. It
// reads no store and sends no alerts.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "finding/finding.h"
#include "fleet/scan/history.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

class JobJudge {
 public:
  JobJudge(ScanOptions options, std::function<void(const std::string&)> note);

  // Begins a scan of other machines, metrics or steps. The caller then pushes the rows of the last hour and
  // calls take_over().
  void begin(ScanFleet fleet);
  void push(int64_t time_ms, std::span<const float> row);
  void take_over();  // continues the episodes of the scan before

  bool begun() const {
    return scan_ != nullptr;
  }
  Scan& scan() {
    return *scan_;
  }
  const Scan& scan() const {
    return *scan_;
  }
  // Compares the job's median of the last minutes with the prediction. Returns nothing while the job is as
  // fast.
  std::optional<finding::Finding> slower_than_predicted() const;
  finding::Diagnosis diagnosis() const;
  void expect(std::vector<finding::Expectation> expectations) {
    options_.expectations = std::move(expectations);
    medians_.clear();
  }
  const ScanOptions& options() const {
    return options_;
  }

  void load(base::Json state);             // of Scan::save
  std::optional<base::Json> save() const;  // nothing before a scan has taken over what was loaded

 private:
  void note_medians(int64_t time_ms, std::span<const float> row);

  ScanOptions options_;
  std::function<void(const std::string&)> note_;
  std::unique_ptr<Scan> scan_;
  std::unique_ptr<History> history_;
  base::Json state_;  // to be taken over once the rows of the last hour are pushed; else null
  // by expectation: medians of the job's machines in the last minutes, with their times
  std::vector<std::deque<std::pair<int64_t, double>>> medians_;
};

}  // namespace lento::fleet
