// Finds the best machine to build and the best way to run a job on it: technology x parallelism x placement
// x shares of area, power and perimeter, for one job or several (CrossFlow sections 7 and 9).
//
//   SearchSpace --> SearchPlan: numbered runs, each one line of text --> DesignResult a point --> Diagnosis
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "predict/crossflow/config.h"
#include "predict/search/goal.h"
#include "predict/search/job.h"
#include "predict/search/minimise.h"
#include "predict/search/technology.h"

namespace lento::predict {

// The space to search, read from a YAML file in the format lento.search/1 (docs/formats/search.md).
struct SearchSpace {
  CrossFlowConfig base;  // an N12, HBM2, NDR-x8 design
  std::vector<Job> jobs;
  int nodes = 1;
  std::vector<int> package_dims{1};  // packages of dim x dim nodes
  std::vector<Generation> logic;
  std::vector<Generation> memory;
  std::vector<Generation> network;
  std::vector<double> power;      // W a node
  std::vector<double> chip_area;  // mm2
  bool all_parallelism = true;    // false: data parallelism alone
  bool optimise_resources = true;
  JobRules rules;
  int refine_best = 8;  // number of best ways whose area, power and perimeter are optimised too
  Goal goal;
  std::vector<Method> methods{Method::Exchange};
  int seeds = 1;  // with several seeds or methods, the methods are compared at equal numbers of evaluations
};

// Reads a search space. Paths inside are relative to the file's folder. Throws base::Error with every fault
// at once.
SearchSpace read_search_space(const std::string& path);

// Returns the digest of the files from which a search space was read. With the options they determine its
// results.
std::string identity_of(const std::string& path);

// One design point: logic, memory, network, package, power, chip area and job.
struct DesignPoint {
  Generation logic;
  Generation memory;
  Generation network;
  int package_dim = 1;
  double power = 0;
  double chip_area = 0;
  size_t job = 0;
};

struct DesignResult {
  DesignPoint point;
  double data_parallel_s = 0;  // best time with data parallelism alone and the base design's shares
  double parallel_s = 0;       // best time over all ways with the base design's shares
  double joint_s = 0;          // best time over ways and shares
  double value = 0;            // value of the goal at the joint optimum
  bool fits = true;            // the memory holds the job
  Way way;                     // at the joint optimum
  CrossFlowConfig config;      // the design at the joint optimum
  uint64_t ways = 0;
  uint64_t evaluations = 0;
};

// One optimisation of one design point by one method from one seed, over all its starts and ways (job.h).
struct Trial {
  size_t point = 0;
  Method method = Method::Exchange;
  int seed = 0;
  double value = 0;
  uint64_t evaluations = 0;
};

// Convert a design to the optimiser's shares, and back. The classes are area, power and perimeter. A network
// inside packages of one node is left out, because nothing uses it.
Shares shares_of(const CrossFlowConfig& config);
CrossFlowConfig with_shares(CrossFlowConfig config, const Shares& shares);

std::vector<DesignPoint> design_points(const SearchSpace& space);

// Returns the base design with the technology, budgets and package of `point`, without parallelism.
CrossFlowConfig design_of(const SearchSpace& space, const DesignPoint& point);

// Describes the results of a search: time against energy or cost, sensitivities of the best point, a table
// of all points. `trials` holds the runs of a comparison of methods, else it is empty.
finding::Diagnosis conclude(
    const SearchSpace& space,
    const std::vector<DesignResult>& results,
    const std::vector<Trial>& trials);

// Returns the result with the best value of the goal. Results whose memory does not hold the job are
// considered only when no result fits. Returns nullptr when no result can work.
const DesignResult* best_of(const std::vector<DesignResult>& results);

// Writes the design as a file of the format that read_crossflow takes.
std::string write_crossflow(const CrossFlowConfig& config);

}  // namespace lento::predict
