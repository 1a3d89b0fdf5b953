// Names places, finds the groups of transfers that share a wait, and counts and times the records of a
// trace.
#include "chip/read/transfer_record.h"

#include <algorithm>
#include <set>

namespace lento::chip {
namespace {

// Returns the index of the text and adds it when new.
template <typename Id>
Id intern(std::vector<std::string>& words, const std::string& text) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end())
    return static_cast<Id>(found - words.begin());
  words.push_back(text);
  return static_cast<Id>(words.size() - 1);
}

TransferKind transfers_of(TransferKind group) {
  if (group == TransferKind::WriteGroup)
    return TransferKind::Write;
  return TransferKind::Read;
}

// Adds a group for each wait of a stream, and one for each transfer with an end of its own.
void add_groups(const TransferStream& stream, uint32_t index, std::vector<TransferGroup>& out) {
  uint32_t begin[2] = {0, 0};  // first record of the open group: of reads, of writes
  for (uint32_t i = 0; i < stream.records.size(); ++i) {
    const TransferRecord& record = stream.records[i];
    if (ends_alone(record))
      out.push_back({index, i, i, 1, record.bytes});
    if (!is_group(record.kind))
      continue;
    uint32_t& first = begin[record.kind == TransferKind::WriteGroup];
    TransferGroup group{index, first, i, 0, 0};
    for (uint32_t k = first; k < i; ++k) {
      if (stream.records[k].kind != transfers_of(record.kind) || ends_alone(stream.records[k]))
        continue;
      ++group.transfers;
      group.bytes += stream.records[k].bytes;
    }
    first = i + 1;
    out.push_back(group);
  }
}

}  // namespace

std::string to_string(const Place& place) {
  const std::string tile = std::to_string(place.x) + "-" + std::to_string(place.y);
  if (place.chip == 0)
    return tile;
  return "chip" + std::to_string(place.chip) + "/" + tile;
}

const char* name(TransferKind kind) {
  switch (kind) {
    case TransferKind::Zone:
      return "zone";
    case TransferKind::ZoneEnd:
      return "zone-end";
    case TransferKind::Read:
      return "read";
    case TransferKind::Write:
      return "write";
    case TransferKind::ReadGroup:
      return "read-group";
    case TransferKind::WriteGroup:
      return "write-group";
    case TransferKind::Compute:
      return "compute";
    case TransferKind::Other:
      return "other";
  }
  return "other";
}

bool is_transfer(TransferKind kind) {
  return kind == TransferKind::Read || kind == TransferKind::Write;
}

bool is_group(TransferKind kind) {
  return kind == TransferKind::ReadGroup || kind == TransferKind::WriteGroup;
}

bool ends_alone(const TransferRecord& record) {
  return is_transfer(record.kind) && record.end != kNoTime;
}

bool waited_for(const TransferStream& stream, size_t record) {
  const auto& all = stream.records;
  return ends_alone(all[record]) && record + 1 < all.size() && all[record + 1].begin >= all[record].end;
}

uint32_t TransferTrace::name_id(const std::string& text) {
  if (names.empty())
    names.emplace_back();
  return intern<uint32_t>(names, text);
}

uint8_t TransferTrace::network_id(const std::string& text) {
  return intern<uint8_t>(networks, text);
}

std::vector<TransferGroup> groups_of(const TransferTrace& trace) {
  std::vector<TransferGroup> out;
  for (uint32_t i = 0; i < trace.streams.size(); ++i)
    add_groups(trace.streams[i], i, out);
  return out;
}

// Counts records, cores and chips.
TransferCounts count(const TransferTrace& trace) {
  TransferCounts out;
  std::set<Place> cores;
  std::set<Place> peers;
  std::set<int32_t> chips;
  for (const TransferStream& stream : trace.streams) {
    cores.insert(stream.core);
    chips.insert(stream.core.chip);
    for (const TransferRecord& record : stream.records) {
      out.events += record.sources;
      out.zones_begun += record.kind == TransferKind::Zone;
      out.zones_ended += record.kind == TransferKind::ZoneEnd;
      out.groups += is_group(record.kind);
      out.open_groups += is_group(record.kind) && record.end == kNoTime;
      if (record.peer.known())
        peers.insert(record.peer);
      out.transfers += is_transfer(record.kind);
      out.bytes += record.bytes;
    }
  }
  out.cores = cores.size();
  out.peers = peers.size();
  out.chips = chips.size();
  return out;
}

double measured_cycles(const TransferTrace& trace) {
  uint64_t zone = kNoTime;
  uint64_t first = kNoTime;
  uint64_t last = 0;
  bool alone = false;  // records are single transfers with both times: a table without zones
  for (const TransferStream& stream : trace.streams) {
    for (const TransferRecord& record : stream.records) {
      first = std::min(first, record.begin);
      if (record.kind == TransferKind::Zone)
        zone = std::min(zone, record.begin);
      alone = alone || ends_alone(record);
      if ((is_group(record.kind) || ends_alone(record)) && record.end != kNoTime)
        last = std::max(last, record.end);
    }
  }
  const uint64_t begin = zone == kNoTime && alone ? first : zone;
  if (begin == kNoTime || last <= begin)
    return 0;
  return double(last - begin);
}

}  // namespace lento::chip
