// What a fix would bring on a given machine: the trace is played again on its caches and interconnect with
// the accused data moved.
//
// The waits of the trace are taken out and found anew. Loops that wait for another CPU's store are left out:
// where they are most of what a CPU does (locks, barriers), order is lost and nothing is predicted.
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
  static constexpr uint64_t kMostAccesses = uint64_t{1} << 24;  // of a trace; all are held

  // Plays the trace once as it is.
  MovePredictor(OpenTrace open, const Platform& platform);

  // False: the trace is too long, or as it is takes another time (by more than a tenth) on this machine than
  // it tells; `reason` says which.
  bool fits() const {
    return reason_.empty();
  }
  const std::string& reason() const {
    return reason_;
  }

  // Time now over time with the object moved. False sharing: words to their users' lines; true sharing: a
  // copy each. Nothing for other causes.
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
