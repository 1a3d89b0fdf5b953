// What should we build, and how should we run it: technology x parallelism x placement x shares of area,
// power and perimeter, for one workload (paper sections 7 and 9).
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "predict/crossflow/config.h"
#include "predict/crossflow/language_model.h"
#include "predict/search/minimise.h"
#include "predict/search/strategy.h"
#include "predict/search/technology.h"

namespace lento::predict {

// lento.search/1, docs/formats/search.md.
struct SearchSpace {
  CrossFlowConfig base;  // an N12, HBM2, NDR-x8 design with its workload
  int nodes = 1;
  std::vector<int> package_dims{1};  // packages of dim x dim nodes
  std::vector<Generation> logic, memory, network;
  std::vector<double> power;    // W a node
  bool all_parallelism = true;  // else data parallelism alone
  bool optimise_resources = true;
  bool must_fit = true;  // false: memory overflow is reported, not refused (as in the paper's study)
  int refine_best = 8;   // strategies whose resources are optimised
  std::string objective = "time";  // or "energy": nodes x power x time
};

// Paths inside are taken from the file's folder. Throws base::Error with every fault at once.
SearchSpace read_search_space(const std::string& path);

// One point of technology: logic, memory, network, package and power.
struct DesignPoint {
  Generation logic, memory, network;
  int package_dim = 1;
  double power = 0;
};

struct DesignResult {
  DesignPoint point;
  double data_parallel_s = 0;  // data parallelism, shares of the base
  double parallel_s = 0;       // best strategy, shares of the base
  double joint_s = 0;          // best strategy and shares
  Strategy strategy;           // of joint_s
  CrossFlowConfig config;      // of joint_s: what to build
  uint64_t evaluations = 0;
};

struct SearchOptions {
  MinimiseOptions minimise;
  unsigned threads = 0;
};

// Shares of a design as the optimiser sees them, and back. Classes: area, power, perimeter. Components that
// the strategy never uses (a network inside packages of one node) are left out.
Shares shares_of(const CrossFlowConfig& config);
CrossFlowConfig with_shares(CrossFlowConfig config, const Shares& shares);

// Seconds of an iteration; +infinity when the design cannot work or, with `must_fit`, its memory does not
// hold the job.
double iteration_time(const CrossFlowConfig& config, bool must_fit);

std::vector<DesignPoint> design_points(const SearchSpace& space);
DesignResult search_point(const SearchSpace& space, const DesignPoint& point, const SearchOptions& options);

// All points; stops early, with what there is, when options.minimise.progress says so.
std::vector<DesignResult> search(const SearchSpace& space, const SearchOptions& options);

// Front of time against energy, sensitivities of the best point, table of all.
finding::Diagnosis conclude(const SearchSpace& space, const std::vector<DesignResult>& results);

// The design as a file of the format read_crossflow takes.
std::string write_crossflow(const CrossFlowConfig& config);

}  // namespace lento::predict
