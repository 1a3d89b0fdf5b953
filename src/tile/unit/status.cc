// The table of transitions of the STATUS register (status.h), one row per state and one column per event.
#include "tile/unit/status.h"

namespace lento::tile {

Status next_status(Status state, Event event) {
  constexpr Status U = Status::Undefined;
  constexpr Status P = Status::Paused;
  constexpr Status AP = Status::ActivePaused;
  constexpr Status AR = Status::ActiveRunning;
  constexpr Status F = Status::Finalize;
  constexpr Status E = Status::Error;
  static constexpr Status kTable[6][kEvents] = {
      {U, P, U, U, U, U, U, E},
      {U, P, AP, P, F, P, P, E},
      {U, P, AP, P, F, AR, AP, E},
      {U, P, AR, AR, AR, AR, AP, E},
      {U, P, F, F, F, F, P, E},
      {U, P, E, E, E, E, E, E},
  };
  const auto code = uint8_t(state);
  if (!is_status(code))
    return event == Event::Reset ? U : E;
  return kTable[state == E ? 5 : code][int(event)];
}

bool is_status(uint8_t code) {
  return code <= 4 || code == 8;
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::Undefined:
      return "UNDEFINED";
    case Status::Paused:
      return "PAUSED";
    case Status::ActivePaused:
      return "ACTIVE-PAUSED";
    case Status::ActiveRunning:
      return "ACTIVE-RUNNING";
    case Status::Finalize:
      return "FINALIZE";
    case Status::Error:
      return "ERROR";
  }
  return "ILLEGAL";
}

}  // namespace lento::tile
