// Simulates the collectives of a training job: TP x CP x DP x PP ranks with expert groups, a fault at a drawn
// place, host clocks with offset and drift. The records are such as real traces and logs hold.
//
//   RankJob -> simulate_ranks -> RankTrace a rank (+ dumps of a hang) and the truth -> files in three layouts
//
// Random draws are separate by rank, instance and purpose, so that a job with the same seed and without a
// fault differs in nothing but the effects of the fault.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet {

enum class RankFaultKind {
  None,
  SlowGpu,    // kernels of one rank take `factor` times as long
  SlowHost,   // random gaps on all ranks of a host, so that their time outside collectives grows by `factor`
  SlowInput,  // a rank begins every step late, by factor-1 of its time outside collectives
  SlowNic,    // transfers between this host and others take `factor` times as long
  SlowRail,   // transfers between this rank and other hosts take `factor` times as long
  SlowLink,   // transfers between this rank and others of its host take `factor` times as long
  Imbalance,  // each micro-batch takes `factor` times as long on another rank; no part is faulty
  Hang        // a rank stops requesting collectives
};
const char* name(RankFaultKind kind);                    // "slow_gpu"
RankFaultKind rank_fault_kind(const std::string& name);  // throws base::Error with the nearest name

struct RankJob {
  // Degrees of parallelism. ep divides cp * dp.
  int tp = 2;
  int cp = 1;
  int dp = 2;
  int pp = 2;
  int ep = 1;
  int gpus_a_host = 2;
  int steps = 200;
  int micro_batches = 4;
  double compute_ms = 8;        // forward of a micro-batch on one stage; backward takes twice that
  double compute_noise = 0.05;  // standard deviation of the log of each segment's compute time
  double rank_spread = 0.01;    // standard deviation of the log of healthy GPUs' lasting speeds
  double transfer_noise = 0.05;
  double channel_spread = 0.02;
  double gap_ms = 0.3;  // mean time without a kernel, for launches, before an operation
  double inside_gb_s = 100;
  double between_gb_s = 20;
  double latency_us = 30;
  double tp_mib = 64;
  double pp_mib = 32;
  double dp_mib = 256;
  double ep_mib = 32;
  double cp_mib = 16;
  // Largest deviations of a host's clock in either direction.
  double clock_offset_ms = 50;
  double clock_drift_ppm = 50;
  RankFaultKind fault = RankFaultKind::None;
  double factor = 1.5;
  int place = -1;  // rank or host with the fault; -1: drawn
  int from_step =
      -1;  // -1: drawn, the first step in half of the jobs, otherwise in the first half of the run
  double missing = 0;  // share of ranks that leave no file
  uint64_t seed = 1;

  int ranks() const {
    return tp * cp * dp * pp;
  }
  int hosts() const {
    return (ranks() + gpus_a_host - 1) / gpus_a_host;
  }
};

struct RankTruth {
  RankFaultKind fault = RankFaultKind::None;
  int rank = -1;
  int host = -1;
  double factor = 1;
  int from_step = 0;
  std::vector<int> same_ranks;  // places that no record distinguishes from the true one
  std::vector<int> same_hosts;
  bool whole_network = false;  // every channel between hosts crosses the place
  // Clock of each host, relative to the first.
  std::vector<double> offset_ns;
  std::vector<double> drift;
  int64_t begin_ns = 0;       // time at which the clocks differ by offset_ns
  double step_ms = 0;         // mean length of all steps
  double faulty_step_ms = 0;  // mean length of the steps from from_step on
  std::vector<int> missing;
};

struct SimulatedRanks {
  std::vector<fleet::ranks::RankTrace>
      traces;  // with all that a Kineto trace holds: operations, kernels, steps
  std::vector<fleet::ranks::HangDump> dumps;  // one for each rank of a hanging job; else empty
  RankTruth truth;
};

// Simulates a job. Throws base::Error for sizes that are impossible together.
SimulatedRanks simulate_ranks(const RankJob& job);

// Reduces a trace to what the Inspector's verbose log holds: operations from 8 KiB on, times in whole
// microseconds, sequence numbers, no kernels.
fleet::ranks::RankTrace as_inspector(const fleet::ranks::RankTrace& trace);

enum class RankLayout {
  Kineto,
  Inspector,
  FlightRecorder
};
// Writes one file per rank into `folder`, and truth.json. Returns the number of files.
size_t write_ranks(const SimulatedRanks& job, RankLayout layout, const std::string& folder);

}  // namespace lento::fleet
