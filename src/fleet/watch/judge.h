// The judging part of a watch: runs a scan over rows of samples and holds its current verdicts. It reads no
// store and sends no alerts.
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
  void take_over();  // continues the episodes of the previous scan

  bool begun() const {
    return scan_ != nullptr;
  }
  Scan& scan() {
    return *scan_;
  }
  const Scan& scan() const {
    return *scan_;
  }
  // Compares the job's median of the last minutes with the prediction. Returns nullopt unless the job is
  // slower.
  std::optional<finding::Finding> slower_than_predicted() const;
  finding::Diagnosis diagnosis() const;
  void expect(std::vector<finding::Expectation> expectations) {
    options_.expectations = std::move(expectations);
    medians_.clear();
  }
  const ScanOptions& options() const {
    return options_;
  }

  void load(base::Json state);             // state from Scan::save, for the next take_over()
  std::optional<base::Json> save() const;  // nullopt until a scan has taken over the loaded state

 private:
  void note_medians(int64_t time_ms, std::span<const float> row);

  ScanOptions options_;
  std::function<void(const std::string&)> note_;
  std::unique_ptr<Scan> scan_;
  std::unique_ptr<History> history_;
  base::Json state_;  // the previous scan, until take_over(); else null
  // By expectation: times and medians over the machines in the last minutes.
  std::vector<std::deque<std::pair<int64_t, double>>> medians_;
};

}  // namespace lento::fleet
