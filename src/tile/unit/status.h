// The tile's STATUS register: six states, coded in four bits, and every transition between them.
#pragma once

#include <cstdint>
#include <string_view>

namespace lento::tile {

enum class Status : uint8_t {
  Undefined = 0,
  Paused = 1,
  ActivePaused = 2,
  ActiveRunning = 3,
  Finalize = 4,
  Error = 8
};

enum class Event : uint8_t {
  Reset,     // power on or host reset
  Image,     // an accepted image was written: init runs in Paused
  Resume,    // YPU_RESUME or YPU_CONFIG_START
  Pause,     // YPU_PAUSE; while main runs it takes effect at its end
  Finalize,  // YPU_FINALIZE; while main runs it takes effect at its end
  Input,     // an enabled, armed input arrived
  Done,      // init, main or finish returned
  Fault,     // illegal instruction, access outside the map, fetch outside the code
};
inline constexpr int kEvents = 8;

// Returns the state after `event`. A code that is no state leads to Error, and to Undefined with Reset.
// States: U Undefined, P Paused, AP ActivePaused, AR ActiveRunning, F Finalize, E Error.
//
//              Reset Image Resume Pause Finalize Input Done Fault
//   Undefined   U     P     U      U     U        U     U    E
//   Paused      U     P     AP     P     F        P     P    E
//   AP          U     P     AP     P     F        AR    AP   E
//   AR          U     P     AR     AR    AR       AR    AP   E
//   Finalize    U     P     F      F     F        F     P    E
//   Error       U     P     E      E     E        E     E    E
//
// In AR, a pending pause or finalize command takes effect after Done: Tile then applies its event to AP.
Status next_status(Status state, Event event);

bool is_status(uint8_t code);
std::string_view status_name(Status status);

}  // namespace lento::tile
