// Counts the simulated runs of a diagnosis: each healthy simulation number (`draw`) of a twin once, and each
// run with faults.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

class SimulationCount {
 public:
  // Wraps `replays` so that simulations are counted. The result is thread-safe and may outlive this object.
  ReplayOf counting(ReplayOf replays) const;

  int runs() const;

 private:
  struct Draw {
    Twin twin;
    uint32_t number = 0;
  };
  struct Seen {
    std::mutex mutex;
    std::vector<Draw> healthy;
    int runs = 0;

    void add(const Twin& twin, bool with_faults, uint32_t draw);
  };
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
};

}  // namespace lento::chip
