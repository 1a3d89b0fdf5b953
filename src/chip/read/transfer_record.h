// What real chips record of their data movement: zones of a program, transfers stamped when they were issued,
// and waits that several transfers share (docs/formats/transfers.md).
//
//   zone BRISC begins -> read 1,1 -> read 2,1 -> group (begin: the wait began, end: both had arrived)
//
// A transfer's own end is mostly unknown. What is known is its group's: all transfers of the stream and kind
// since the group before have completed by then, and the last of them shortly before. A group is therefore a
// record of its own, not an end copied into each transfer.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace lento::chip {

constexpr uint64_t kNoTime = UINT64_MAX;

struct Place {
  // x < 0: none
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
  Zone,        // a part of the program begins; end: kNoTime
  ZoneEnd,     // the part with this name ends
  Read,        // data from `peer` to the core
  Write,       // data from the core to `peer`
  ReadGroup,   // the wait for all reads of the stream since the group before
  WriteGroup,  // the same of writes
  Compute,     // work without a transfer; generic tables only
  Other        // known to cost a step: semaphores, flushes, states set
};
const char* name(TransferKind kind);
bool is_transfer(TransferKind kind);
bool is_group(TransferKind kind);

struct TransferRecord {
  uint64_t begin = 0;      // cycles; of a group: when the wait began
  uint64_t end = kNoTime;  // when it was done, where that was recorded
  uint64_t bytes = 0;
  Place peer;  // of a transfer
  TransferKind kind = TransferKind::Other;
  uint8_t network = 0;   // index into TransferTrace::networks
  uint32_t name = 0;     // index into TransferTrace::names: zone, event type or layer
  uint32_t sources = 1;  // events of the source that this record holds: a group two
};

// A transfer whose own end is known: no group closes it.
bool ends_alone(const TransferRecord& record);

// One processor of one core: its records in the order in which it made them.
struct TransferStream {
  Place core;
  uint32_t processor = 0;  // index into names
  std::vector<TransferRecord> records;
};

// Whether the stream stood until this transfer's own end: its next record begins no earlier.
bool waited_for(const TransferStream& stream, size_t record);

struct ChipJoint {  // two ends of a link between chips
  Place from;
  Place to;
};

struct TransferTrace {
  std::vector<std::string> names;     // 0 is ""
  std::vector<std::string> networks;  // by first appearance
  std::vector<TransferStream> streams;
  std::vector<ChipJoint> joints;  // from a topology file

  uint32_t name_id(const std::string& text);
  uint8_t network_id(const std::string& text);
};

// The transfers of one group: records [first, wait) of the stream that are of its kind. A transfer with an
// end of its own is a group of one: first and wait are both its record.
struct TransferGroup {
  uint32_t stream = 0;
  // record indexes; `wait` is the group's own record
  uint32_t first = 0;
  uint32_t wait = 0;
  uint32_t transfers = 0;
  uint64_t bytes = 0;
};
std::vector<TransferGroup> groups_of(const TransferTrace& trace);

struct TransferCounts {
  uint64_t events = 0;  // of the source
  uint64_t zones_begun = 0;
  uint64_t zones_ended = 0;
  // open: the end is missing
  uint64_t transfers = 0;
  uint64_t groups = 0;
  uint64_t open_groups = 0;
  uint64_t bytes = 0;
  // distinct
  uint64_t cores = 0;
  uint64_t peers = 0;
  uint64_t chips = 0;
};
TransferCounts count(const TransferTrace& trace);

// How long the recorded program took: first zone's begin (of single transfers without zones: first begin) to
// the last recorded end of a group or transfer, cycles; 0 when there is none.
double measured_cycles(const TransferTrace& trace);

}  // namespace lento::chip
