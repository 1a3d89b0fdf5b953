// Predicts the gain of a fix on a given machine: the trace is replayed on its caches and interconnect with
// the data of a finding moved.
//
// The waits in the trace are subtracted, and the replay determines new ones. Loops that poll for another
// CPU's store are left out. Where they are most of a CPU's work (locks, barriers), the replay loses the order
// of the accesses and nothing is predicted.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/read_report.h"
#include "memory/mine/contention.h"
#include "memory/platform/platform.h"

namespace lento::memory {

class MovePredictor {
 public:
  static constexpr uint64_t kMostAccesses = uint64_t{1} << 24;  // in a trace; all are in memory at once

  // Replays the trace once, unchanged.
  MovePredictor(OpenTrace open, const Platform& platform);

  // Returns whether predictions are valid. They are not when the trace is too long, or when the replay's time
  // differs from the trace's by more than a tenth. `reason` names the case.
  bool fits() const {
    return reason_.empty();
  }
  const std::string& reason() const {
    return reason_;
  }

  // Returns the time now over the time with the object moved. False sharing: each word moves to its user's
  // lines. True sharing: a copy for each CPU. Returns nothing for other causes.
  std::optional<double> gain(const FoundObject& object) const;

 private:
  using Move = std::function<uint64_t(const AccessRecord&)>;
  Cycles play(const Move& move) const;
  Move apart(const FoundObject& object) const;

  const OpenTrace open_;
  const Platform platform_;
  Cycles before_ = 0;
  std::string reason_;
};

}  // namespace lento::memory
