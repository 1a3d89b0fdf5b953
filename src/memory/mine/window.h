// Builds contention windows of a trace in one pass (Algorithm 1 of the paper, with its defects mended).
//
// A window is all events within omega / 2 cycles, both sides included, of a high event ("seed") that lies in
// no earlier window. Invariants (tested): seeds are more than omega / 2 apart, no event is in more than two
// windows, every high event is in at least one, and memory holds the events of 1.5 omega cycles. Where many
// records share a cycle, a window keeps the 2^20 events nearest before its seed and the first 2^20 of its
// own. With `literal`, windows are those of the printed algorithm with two corrections: its index starts at
// 0, and it continues after each window. An event then belongs to one window only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "memory/read/access_record.h"

namespace lento::memory {

struct Window {
  uint64_t seed = 0;  // cycle of the high event, or centre of a control window
  // The first and the last cycle, both included.
  uint64_t begin = 0;
  uint64_t end = 0;
  std::span<const AccessRecord> events;
};

inline constexpr size_t kMostEvents = size_t{1} << 20;  // most in memory, per builder and purpose

using WindowSink = std::function<void(const Window&)>;

class WindowBuilder {
 public:
  WindowBuilder(uint64_t omega, bool literal, WindowSink sink)
      : half_(omega / 2),
        literal_(literal),
        sink_(std::move(sink)) {
  }

  // Takes events in order of cycle.
  void add(const AccessRecord& event, bool high);
  void finish();

 private:
  void open(uint64_t cycle);
  void close();

  const uint64_t half_;
  const bool literal_;
  const WindowSink sink_;
  std::deque<AccessRecord> recent_;  // the last omega / 2 cycles
  std::vector<AccessRecord> events_;
  uint64_t seed_ = 0;
  uint64_t used_until_ = 0;  // literal: last cycle whose events are in an earlier window
  bool any_ = false;
  bool is_open_ = false;
};

// Builds windows around given rising centres, whatever happens in them. They give the base rate.
class ControlBuilder {
 public:
  ControlBuilder(uint64_t omega, std::vector<uint64_t> centres, WindowSink sink)
      : half_(omega / 2),
        centres_(std::move(centres)),
        sink_(std::move(sink)) {
  }
  void add(const AccessRecord& event);
  void finish();

 private:
  struct Open {
    uint64_t centre = 0;
    std::vector<AccessRecord> events;
  };
  void emit(const Open& window);

  const uint64_t half_;
  const std::vector<uint64_t> centres_;
  const WindowSink sink_;
  std::deque<Open> open_;
  // held_ counts the events in open windows, at most kMostEvents.
  size_t next_ = 0;
  size_t held_ = 0;
};

// Builds groups of a sampled trace, which is far too sparse for windows of cycles: the samples of one slice
// of time on one object (a line, a page: `object_bytes`) of one process. Kernel addresses are the same in all
// processes. Groups of fewer than two samples are dropped. Those with a high sample go to `high`, the others
// to `calm` as the base rate. A slice of more than 2^20 samples is cut.
class SliceBuilder {
 public:
  SliceBuilder(uint64_t slice, uint64_t object_bytes, WindowSink high, WindowSink calm)
      : slice_(slice),
        object_bytes_(object_bytes),
        high_(std::move(high)),
        calm_(std::move(calm)) {
  }

  // Takes events in order of cycle.
  void add(const AccessRecord& event, bool high);
  void finish();

 private:
  struct Group {
    std::vector<AccessRecord> events;
    bool any_high = false;
  };
  const uint64_t slice_;
  const uint64_t object_bytes_;
  const WindowSink high_;
  const WindowSink calm_;
  std::map<std::pair<uint16_t, uint64_t>, Group> groups_;  // by process and object
  // The number of the slice of time that is being filled, and its events so far.
  uint64_t at_ = 0;
  uint64_t events_ = 0;
};

}  // namespace lento::memory
