// Simulates the metrics of a training job together with its true fault (specification:
// docs/methods/fleet.md).
//
// Machines of one pipeline stage share a level, and all share a wave (iterations sampled at 1 s), checkpoint
// dips and a start-up ramp. Each machine has an offset, correlated and white noise, and short disturbances as
// large as a fault. A fault shows in metric classes that are drawn with the probabilities of Minder's Table 1
// for its type. After a while the peers wait for the faulty machine and their difference shrinks, then the
// job halts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

// A preset. There are two, which do not change:
//   paper       faults last at least 4 minutes, the shortest that Minder's continuity rule can detect
//   production  the full mix of durations, rapid propagation, missing samples, whole-machine gaps
struct FleetPreset {
  std::string name;
  double shortest_fault_s = 0;
  double rapid_share = 0.25;     // of PCIe and GPU execution faults: those that spread within 4 minutes
  double missing_share = 0;      // share of samples that never arrive
  double gap_rate_per_hour = 0;  // whole-machine gaps of 5 to 30 s, per machine
};
const std::vector<FleetPreset>& fleet_presets();
const FleetPreset& fleet_preset(const std::string& name);  // throws base::Error with the known names

struct FleetJob {
  FleetPreset preset;
  size_t machines = 0;  // 0: drawn, 70 % log-uniform 4..599, 30 % 600..1500
  bool faulty = true;
  double seconds = 3600;          // length of a fault-free job; a faulty one ends when it halts
  bool extra_metrics = true;      // throughput, disk, memory besides the seven of the paper
  double earliest_onset_s = 240;  // a fault begins at most six minutes later
  bool jitters = true;            // healthy machines have short disturbances as large as a fault
  uint64_t seed = 1;
  uint64_t index = 0;  // number of the job among those of this seed
};

struct FleetTruth {
  bool faulty = false;
  size_t machine = 0;
  std::string type;
  double onset_s = 0;
  double halt_s = 0;
  double contrast_s = 0;           // time for which the machine differs from its peers
  std::vector<std::string> shown;  // metric classes
  bool visible = false;            // it shows in CPU, GPU or PFC metrics for at least 240 s
};

struct SimulatedFleet {
  MetricSeries series;  // 1 s steps from time 0, label `stage`
  FleetTruth truth;
};

SimulatedFleet simulate_fleet(const FleetJob& job);

}  // namespace lento::fleet
