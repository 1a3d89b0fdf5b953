// Prepares a campaign (expands and sizes the workloads, draws the cases, counts the events that each fault
// touches) and executes its runs. One simulated run is recorded by every recorder and judged by every method.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "lab/chip/campaign_file.h"
#include "lab/chip/result.h"
#include "lab/chip/trial.h"

namespace lento::chip {

// One workload with its cases, ready to run. It is made once in a process.
struct Stage {
  std::string name;
  std::unique_ptr<PreparedWorkload> bench;
  std::vector<std::unique_ptr<PreparedWorkload>> altered;  // other structures of it
  std::vector<Case> cases;
  std::vector<uint64_t> hits;  // by case: fewest events inside a fault of it
  spec::Chip runs_on;          // what every run is simulated on, before its mismatch is drawn
  uint64_t run_cycles = 0;     // healthy, noise off
};

struct Plan {
  Campaign campaign;
  std::vector<Stage> stages;
  std::vector<uint64_t> first;  // run of each stage, and one past the last
  std::string identity;         // of all that decides the results

  uint64_t runs() const {
    return first.back();
  }
};

// Throws base::Error when the file or one of its inputs is broken. `version` becomes part of the identity.
Plan make_plan(const std::string& path, const std::string& version, const base::Progress& progress = {});

// Returns the faults of one case, so that it can be run alone. `name` is WORKLOAD/CASE as in tables and
// results. Throws base::Error when the campaign has no such case.
std::vector<Fault>
faults_of_case(const std::string& path, const std::string& name, const base::Progress& progress = {});

// The numbers of cases and runs of a plan, counted without simulating, mapping or expanding anything.
struct PlanSize {
  struct Row {
    std::string workload;
    uint64_t cases = 0;
    uint64_t runs = 0;
  };
  std::string title;
  std::vector<Row> rows;
  uint64_t runs = 0;
};
PlanSize size_of_plan(const std::string& path);

// Run `run` of the plan: one result for each recorder and method. Pure: same plan and number, same results.
std::vector<RunResult> run_one(const Plan& plan, uint64_t run);

// Writes the results as one line of text, and reads them back.
std::string write_results(const std::vector<RunResult>& results);
std::vector<RunResult> read_results(const std::string& line, const base::Location& where);

}  // namespace lento::chip
