// Scans the events of tt-metal's NoC traces in one pass and builds only the values that are used. A
// base::Json of the same file takes eleven times as long and three times the memory
// (bench/results/2026-11-23/fabric_speed.txt).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace lento::chip {

struct NocEvent {
  static constexpr int64_t kNone = INT64_MIN;  // the value is absent or not a whole number
  int64_t timestamp = kNone;
  int64_t sx = kNone;
  int64_t sy = kNone;
  int64_t dx = kNone;
  int64_t dy = kNone;
  int64_t mcast_end_x = kNone;
  int64_t mcast_end_y = kNone;
  int64_t num_bytes = kNone;
  int64_t run_host_id = kNone;
  int64_t src_device_id = kNone;
  int64_t dst_device_id = kNone;
  std::string_view proc;  // points into the text or into NocEvents::decoded
  std::string_view noc;
  std::string_view type;
  std::string_view zone;
  std::string_view zone_phase;
};

struct NocEvents {
  std::vector<NocEvent> events;     // in file order; an element that is not an object is an empty event
  std::deque<std::string> decoded;  // strings that contained escapes
};

// Scans a text, which must outlive the result. Throws base::Error when it is not a JSON array. Values that
// are not used are checked only for balanced brackets and quotes.
NocEvents scan_noc_events(const std::string& text, const std::string& file);

}  // namespace lento::chip
