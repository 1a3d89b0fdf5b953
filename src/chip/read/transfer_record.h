// Records of data movement on real chips: zones of a program, transfers with the time of their issue, and
// waits that several transfers share (docs/formats/transfers.md).
//
//   zone BRISC begins -> read 1,1 -> read 2,1 -> group (begin: the wait began, end: both had arrived)
//
// The end of a single transfer is usually unknown. The end of its group is known: all transfers of the same
// stream and kind since the previous group have completed by then, the last one shortly before. A group is
// therefore a record of its own.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lento::chip {

constexpr uint64_t kNoTime = UINT64_MAX;

struct Place {
  // x < 0 means no place.
  int32_t chip = 0;
  int32_t x = -1;
  int32_t y = -1;
  auto operator<=>(const Place&) const = default;
  bool known() const {
    return x >= 0 && y >= 0;
  }
};
std::string to_string(const Place& place);  // "1-2", "chip3/1-2" on chips above 0

enum class TransferKind : uint8_t {
  Zone,        // a part of the program begins; `end` is kNoTime
  ZoneEnd,     // the part with this name ends
  Read,        // data from `peer` to the core
  Write,       // data from the core to `peer`
  ReadGroup,   // the wait for all reads of the stream since the group before
  WriteGroup,  // the wait for all writes of the stream since the previous group
  Compute,     // work without a transfer; generic tables only
  Other        // other events that take time: semaphores, flushes, changes of state
};
const char* name(TransferKind kind);
bool is_transfer(TransferKind kind);
bool is_group(TransferKind kind);

struct TransferRecord {
  uint64_t begin = 0;      // cycles; of a group: begin of the wait
  uint64_t end = kNoTime;  // cycles; kNoTime: not recorded
  uint64_t bytes = 0;
  Place peer;  // the other end of a transfer
  TransferKind kind = TransferKind::Other;
  uint8_t network = 0;   // index into TransferTrace::networks
  uint32_t name = 0;     // index into TransferTrace::names: zone, event type or layer
  uint32_t sources = 1;  // events of the source in this record; a group has two
};

// Returns whether the transfer's own end is recorded, so that no group covers it.
bool ends_alone(const TransferRecord& record);

// The records of one processor of one core, in the order of recording.
struct TransferStream {
  Place core;
  uint32_t processor = 0;  // index into names
  std::vector<TransferRecord> records;
};

// Returns whether the processor waited for this transfer: its next record begins no earlier than the
// transfer's end.
bool waited_for(const TransferStream& stream, size_t record);

struct ChipJoint {  // the two ends of a link between chips
  Place from;
  Place to;
};

struct TransferTrace {
  std::vector<std::string> names;     // names[0] is ""
  std::vector<std::string> networks;  // in order of first appearance
  std::vector<TransferStream> streams;
  std::vector<ChipJoint> joints;         // from a topology file
  std::map<int32_t, double> clock_hz{};  // by chip, where its log states the clock
  bool numbered = false;                 // a table numbers its components: number 6 is the place 6-0

  uint32_t name_id(const std::string& text);
  uint8_t network_id(const std::string& text);
};

// The transfers of one group: those records in [first, wait) of the stream that are of its direction (reads
// for a ReadGroup) and have no end of their own. A transfer with a recorded end is a group of one, where
// first and wait are both its record.
struct TransferGroup {
  uint32_t stream = 0;
  // Indices of records in the stream. `wait` is that of the group itself (ReadGroup or WriteGroup).
  uint32_t first = 0;
  uint32_t wait = 0;
  uint32_t transfers = 0;
  uint64_t bytes = 0;
};
std::vector<TransferGroup> groups_of(const TransferTrace& trace);

struct TransferCounts {
  uint64_t events = 0;  // events of the source
  uint64_t zones_begun = 0;
  uint64_t zones_ended = 0;
  // Numbers of records. `open_groups` counts the groups without an end.
  uint64_t transfers = 0;
  uint64_t groups = 0;
  uint64_t open_groups = 0;
  uint64_t bytes = 0;
  // Numbers of distinct places.
  uint64_t cores = 0;
  uint64_t peers = 0;
  uint64_t chips = 0;
};
TransferCounts count(const TransferTrace& trace);

// Returns the recorded cycles of the program, from the begin of the first zone to the last recorded end of a
// group or transfer. In a trace without zones in which transfers have ends, they count from the first record.
// 0 when there is no such begin or end.
double measured_cycles(const TransferTrace& trace);

}  // namespace lento::chip
