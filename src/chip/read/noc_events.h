// Events of tt-metal's NoC traces as they stand in the text: one pass, nothing built but what is asked for.
// A base::Json of the same file takes eleven times as long and three times the memory
// (bench/results/2026-11-23/fabric_speed.txt).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace lento::chip {

struct NocEvent {
  static constexpr int64_t kNone = INT64_MIN;  // absent, or no whole number
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
  std::string_view proc;  // of the text, or of NocEvents::decoded
  std::string_view noc;
  std::string_view type;
  std::string_view zone;
  std::string_view zone_phase;
};

struct NocEvents {
  std::vector<NocEvent> events;     // in the file's order; what is no object is an event without anything
  std::deque<std::string> decoded;  // words that were written with escapes
};

// `text` has to outlive the result. Throws base::Error where it is no JSON array, but for values that nobody
// asks for, which are checked as far as their brackets and quotes.
NocEvents scan_noc_events(const std::string& text, const std::string& file);

}  // namespace lento::chip
