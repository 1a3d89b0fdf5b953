// How many runs of a chip a diagnosis simulates: a healthy draw of a twin once, and each hypothesis.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "chip/detect/detect.h"

namespace lento::chip {

class SimulationCount {
 public:
  // The same replays, counted. May be called by several threads, and may outlive this.
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
