// Precision, recall and F1 of the detectors on simulated jobs with planted truth: a campaign of independent
// runs.
//
//   SyntheticStudy study(options)      models, in a few seconds
//   study.run(i) -> line               one job simulated and judged by all methods at all thresholds
//   study.conclude(lines) -> Diagnosis tables; missing lines are left out and counted
//
// Counting: one verdict per job. Right machine: true positive. Another machine in a faulty job: false
// positive and false negative. None: false negative. Any verdict in a fault-free hour: false positive. The
// default mode has no choice to make. The other methods' thresholds, which the paper leaves open, are chosen
// on fault-free training hours that are not judged: the smallest at which a share `false_hours` of them
// raises a verdict, the same for every method.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "fleet/simulate/simulate.h"
#include "lab/fleet/methods.h"

namespace lento::fleet {

struct SyntheticOptions {
  std::string preset = "production";
  size_t faults = 1000;
  size_t hours = 1000;
  size_t training_hours = 200;
  size_t max_machines = 0;  // 0: the preset's sizes; else all jobs are drawn up to this size
  // Share of fault-free training hours that may raise an alarm. The paper's precision of 0.904 at recall
  // 0.883 means 0.094 false alarms a fault, and the same number is used for an hour.
  double false_hours = 0.094;
  unsigned threads = 0;
  uint64_t seed = 1;
};

enum class Outcome : char {
  Right = 'R',
  Wrong = 'W',
  Missed = 'M',
  False = 'F',
  Quiet = 'Q'
};

class SyntheticStudy {
 public:
  SyntheticStudy(const SyntheticOptions& options, const base::Progress& progress);

  uint64_t runs() const {
    return plan_.size();
  }
  std::string identity() const;           // of everything that decides the lines
  std::string run(uint64_t index) const;  // from several threads at a time
  finding::Diagnosis conclude(const std::vector<std::string>& lines) const;  // "" for runs not done

 private:
  enum class Kind : char {
    Training = 'T',
    Fault = 'F',
    Hour = 'H'
  };
  struct Planned {
    Kind kind;
    uint64_t job;  // of the simulator
  };
  SimulatedFleet job_of(uint64_t index, bool faulty, double seconds) const;
  void train(const base::Progress& progress);
  Outcome default_mode(const SimulatedFleet& job) const;

  SyntheticOptions options_;
  Models models_;
  std::vector<Planned> plan_;  // the kinds evenly mixed, so that an unfinished campaign is a smaller one
};

// One line of a run, read back.
struct JudgedJob {
  bool training = false;
  bool faulty = false;
  bool visible = false;
  std::string type;
  size_t machines = 0;
  Outcome default_mode{};
  std::vector<std::string> outcomes;  // [method][threshold], letters of Outcome
};
std::string to_line(const JudgedJob& job);
JudgedJob from_line(const std::string& line);  // Error when it is no such line

}  // namespace lento::fleet
