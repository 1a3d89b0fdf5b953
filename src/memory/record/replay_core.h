// A thread of a replay: its place in the recording, its virtual time, and the addresses that its instructions
// used last.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/record/record_format.h"
#include "memory/record/recording.h"

namespace lento::memory {

struct ReplayCore {
  const Recording::Thread* thread = nullptr;
  size_t piece = 0;
  const Recording::Event* at = nullptr;
  uint64_t time = 0;
  enum class State {
    Waiting,
    Ready,
    AtBurst,
    AtLock,
    AtJoin,
    AtMeeting,
    Ended
  } state = State::Ready;
  uint64_t waits_for = 0;  // period of bursts, lock, thread, meeting
  uint64_t period = 0;     // of the bursts it is in

  // Returns whether the instruction used a neighbouring address before, as loops over arrays do, and the line
  // came from beyond the first cache.
  bool streams(uint64_t pc, uint64_t address, bool hit_first) {
    constexpr uint64_t kNear = 64;
    LastUse& use = last_uses[pc / 4 % last_uses.size()];
    const bool near = use.pc == pc && address != use.address && address + kNear - use.address <= 2 * kNear;
    use = {pc, address};
    const uint64_t line = address / kNear + 1;
    const bool far = std::ranges::find(far_lines, line) != far_lines.end();
    if (!far && !hit_first)
      far_lines[next_far++ % far_lines.size()] = line;
    return near && (far || !hit_first);
  }
  std::array<uint64_t, 8> far_lines = {};  // that came last, numbered from 1
  size_t next_far = 0;
  struct LastUse {
    uint64_t pc = 0;
    uint64_t address = 0;
  };
  std::array<LastUse, 32> last_uses = {};
};

// Returns the flags of an access record for an event.
inline uint8_t flags_of(unsigned kind) {
  switch (kind) {
    case LENTO_UPDATE:
    case LENTO_GIVE:
    case LENTO_READER:
      return AccessRecord::kUpdate;
    case LENTO_DROP:
    case LENTO_TAKE:
    case LENTO_LEAVE:
      return AccessRecord::kUpdate | AccessRecord::kDown;
    case LENTO_COMPARE:
      return AccessRecord::kCompare;
    case LENTO_LOST:
      return AccessRecord::kCompare | AccessRecord::kFailed;
    default:
      return 0;
  }
}

}  // namespace lento::memory
