// Models the servers that a transfer passes and its time without contention. From them follows by which
// factor a link, router, memory unit or DRAM port must be slower to explain the recorded time of a transfer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "chip/map/faults.h"
#include "chip/map/grid.h"
#include "chip/map/program.h"
#include "chip/sketch/sketch.h"
#include "spec/chip.h"

namespace lento::chip {

// A component that a finding can name. `other` is the second router of a link, with index < other, and -1 for
// all other parts.
struct Component {
  Part part = Part::Core;
  int index = 0;
  int other = -1;
  bool operator==(const Component&) const = default;
  auto operator<=>(const Component&) const = default;
};
std::string name_of(const Component& component, const Grid& grid);
Component component_of(const Fault& fault);
Fault fault_of(const Component& component, const Grid& grid);

// Returns the component of a link. Both directions are one component.
Component link_component(const Grid& grid, int link);

// Returns the links of a transfer that `core` recorded under `pattern`.
std::vector<Grid::Hop> route_of(const Grid& grid, const Pattern& pattern, int core);

class Path {
 public:
  // Cycles per byte of a set of stages (servers on the path): summed over them, and of the slowest one.
  struct Pace {
    double sum = 0;
    double slowest = 0;
  };
  // The cycles per byte of the stages that belong to one component, and of all others. They do not depend on
  // the factor, so they are computed once for many factors.
  struct Share {
    Pace own;
    Pace others;
  };

  // Precondition: `core`, which recorded the transfer, and the peer that `pattern` names exist on the grid.
  Path(const spec::Chip& chip, const Grid& grid, const Pattern& pattern, int core);

  bool crosses(const Component& component) const;
  std::vector<Component> components() const;  // all that it crosses, in order
  Share share_of(const Component& component) const;
  const std::vector<int>& links() const {
    return links_;
  }

  // Returns the cycles from first byte out to last byte in, with `component` slower by `factor`: every
  // segment passes the servers one after the other (store and forward), and segments follow at the pace of
  // the slowest.
  double cycles(double bytes, const Share& share, double factor) const;
  double cycles(double bytes, const Component& component, double factor) const {
    return cycles(bytes, share_of(component), factor);
  }
  double cycles(double bytes) const {
    return all_.sum * std::min(bytes, segment_bytes_) + all_.slowest * std::max(0.0, bytes - segment_bytes_) +
           hop_cycles_;
  }
  // Returns the standard deviation of the log2 duration of one transfer that the chip file states, octaves.
  double noise() const {
    return noise_;
  }
  // Returns the factor by which `component` must be slower so that a transfer of `bytes` takes `cycles`.
  // Infinite when the path does not cross it.
  double factor(double bytes, const Component& component, double cycles) const;

 private:
  struct Stage {
    Component component;  // {Part::Core, -1}: a scratchpad port, which no finding names
    double cycles_per_byte = 0;
    // The routers at both ends of a link, -1 for other stages.
    int from = -1;
    int to = -1;
  };
  static bool belongs(const Stage& stage, const Component& component);

  std::vector<Stage> stages_;
  Pace all_;  // of all stages
  std::vector<int> links_;
  double segment_bytes_ = 0;
  double hop_cycles_ = 0;
  double noise_ = 0;
};

// Returns the indices of the paths that cross each component, ascending.
std::map<Component, std::vector<size_t>> by_component(const std::vector<Path>& paths);

// Visits every record that a program writes: visit(core, record, number per inference). Begin, end and step
// of the record are not set.
using RecordVisit = std::function<void(size_t core, const ProbeRecord&, uint64_t times)>;
void for_each_record(const Program& program, const Grid& grid, const RecordVisit& visit);

// Counts for each core the distinct patterns that the program's records have there. plan_shapes() sizes the
// sketch by them.
std::vector<PatternCount> count_patterns(const Program& program, const spec::Chip& chip);

}  // namespace lento::chip
