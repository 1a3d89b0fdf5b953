// Reads tt-metal's NoC event traces: a JSON array of events and zone marks, of one chip or of several.
//
//   {"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"dx":2,"dy":1,"num_bytes":4096,"type":"READ","timestamp":17}
//   {"proc":"BRISC","zone":"BRISC-KERNEL","zone_phase":"begin","sx":1,"sy":1,"timestamp":9}
//
// Names of types are those of github.com/tenstorrent/tt-npe, tt_npe/doc/noc_trace_format.md. A pair of
// ..._BARRIER_START and ..._BARRIER_END becomes one group. Zone marks do not name their chip; the events of
// the same run_host_id do.
#include <map>
#include <unordered_map>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "chip/read/noc_events.h"
#include "chip/read/transfer_readers.h"

namespace lento::chip {
namespace {

using base::Json;
using base::Location;

constexpr int64_t kMaxSide = 65535;

int32_t side(int64_t value) {
  if (value >= 0 && value <= kMaxSide)
    return int32_t(value);
  return -1;
}

// Returns the number after `_dev` in a file name such as `..._dev3_...`, 0 without one. It is the chip of
// events that do not name theirs.
int32_t chip_of_name(const std::string& file) {
  const size_t at = file.rfind("_dev");
  if (at == std::string::npos)
    return 0;
  size_t end = at + 4;
  while (end < file.size() && file[end] >= '0' && file[end] <= '9')
    ++end;
  const auto value = base::try_int(std::string_view(file).substr(at + 4, end - at - 4));
  if (value && *value <= kMaxSide)
    return int32_t(*value);
  return 0;
}

// The properties of an event type, such as `..._SET_STATE`.
struct EventSort {
  bool reads = false;
  bool writes = false;
  bool barrier = false;
  bool ends = false;  // the end of a barrier
  bool sets = false;
  bool with_state = false;
  bool flush = false;
};

// Returns what an event does, from words of its type.
EventSort sort_of(std::string_view type) {
  const auto has = [&](std::string_view part) {
    return type.find(part) != std::string_view::npos;
  };
  EventSort sort;
  sort.reads = has("READ");
  sort.writes = has("WRITE");
  sort.barrier = has("BARRIER") && (sort.reads || sort.writes);
  sort.ends = type.ends_with("END");
  sort.sets = type.ends_with("SET_STATE") || type.ends_with("SET_TRID");
  sort.with_state = has("WITH_STATE");
  sort.flush = has("FLUSH");
  return sort;
}

// Numbers words. The same word usually occurs several times in a row, so the last one is cached.
class Words {
 public:
  template <typename NumberOf>
  // Returns the number of a word, and calls `number_of` for a new one.
  uint32_t id(std::string_view word, NumberOf number_of) {
    if (last_ && last_->first == word)
      return last_->second;
    auto found = ids_.find(word);
    if (found == ids_.end())
      found = ids_.emplace(word, number_of(std::string(word))).first;
    last_ = &*found;
    return found->second;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> ids_;
  const std::pair<const std::string_view, uint32_t>* last_ = nullptr;
};

class NocReader {
 public:
  NocReader(const std::string& file, base::ReadReport& report)
      : file_(file),
        report_(report),
        streams_(trace_),
        default_chip_(chip_of_name(file)) {
  }

  TransferTrace read(const NocEvents& all) {
    for (const NocEvent& event : all.events)
      learn_chip(event);
    for (size_t i = 0; i < all.events.size(); ++i)
      take(all.events[i], i);
    return std::move(trace_);
  }

 private:
  struct State {  // peer and bytes that a ..._SET_STATE set for the next ..._WITH_STATE
    Place peer;
    uint64_t bytes = 0;
  };

  void learn_chip(const NocEvent& event) {
    const int32_t chip = side(event.src_device_id);
    if (event.run_host_id != NocEvent::kNone && chip >= 0)
      chip_of_run_.try_emplace(event.run_host_id, chip);
  }

  // Returns the chip of an event, by its device or its run.
  int32_t chip_of(const NocEvent& event) const {
    const int32_t chip = side(event.src_device_id);
    if (chip >= 0)
      return chip;
    const auto found = chip_of_run_.find(event.run_host_id);
    if (found == chip_of_run_.end())
      return default_chip_;
    return found->second;
  }

  void skip(size_t index, const std::string& reason) {
    report_.skip(base::child({file_}, index), reason);
  }

  uint32_t name_id(Words& words, std::string_view word) {
    return words.id(word, [&](const std::string& text) {
      return trace_.name_id(text);
    });
  }

  // Returns the properties of an event type, by the id of its name.
  const EventSort& sort_of_type(uint32_t name) {
    while (sorts_.size() <= name)
      sorts_.push_back(sort_of(trace_.names[sorts_.size()]));
    return sorts_[name];
  }

  // Adds an event to its stream: a zone, a transfer or a wait.
  void take(const NocEvent& event, size_t index) {
    const Place core{chip_of(event), side(event.sx), side(event.sy)};
    if (event.timestamp < 0)
      return skip(index, "an event without a time");
    if (!core.known())
      return skip(index, "an event without a core");
    if (event.type.empty() && event.zone.empty())
      return skip(index, "neither an event nor a zone");
    TransferRecord record;
    record.begin = uint64_t(event.timestamp);
    if (event.num_bytes > 0)
      record.bytes = uint64_t(event.num_bytes);
    if (!event.noc.empty()) {
      if (trace_.networks.size() > 250)
        return skip(index, "more than 250 networks");
      const auto number_of = [&](const std::string& text) {
        return uint32_t(trace_.network_id(text));
      };
      record.network = uint8_t(networks_.id(event.noc, number_of));
    }
    const uint32_t stream = stream_of(core, name_id(processors_, event.proc));
    ++report_.taken;
    if (!event.zone.empty())
      return take_zone(event, record, trace_.streams[stream]);
    record.name = name_id(names_, event.type);
    record.peer = peer_of(event, core.chip);
    take_event(sort_of_type(record.name), record, stream);
  }

  // Returns the stream of one processor of a core.
  uint32_t stream_of(const Place& core, uint32_t processor) {
    if (!trace_.streams.empty()) {
      const TransferStream& last = trace_.streams[last_stream_];
      if (last.processor == processor && last.core == core)
        return last_stream_;
    }
    last_stream_ = uint32_t(&streams_.at(core, processor) - trace_.streams.data());
    return last_stream_;
  }

  // Returns the other end of a transfer.
  Place peer_of(const NocEvent& event, int32_t own_chip) {
    const int32_t chip = side(event.dst_device_id);
    Place peer{chip >= 0 ? chip : own_chip, side(event.dx), side(event.dy)};
    if (!peer.known()) {
      peer.x = side(event.mcast_end_x);
      peer.y = side(event.mcast_end_y);
    }
    if (peer.known())
      return peer;
    return Place{};
  }

  // Adds the begin or end of a zone.
  void take_zone(const NocEvent& event, TransferRecord& record, TransferStream& stream) {
    record.name = name_id(names_, event.zone);
    const bool ends = event.zone_phase == "end" || event.zone_phase == "ZONE_END";
    record.kind = ends ? TransferKind::ZoneEnd : TransferKind::Zone;
    stream.records.push_back(record);
  }

  // Adds a transfer or a wait for transfers.
  void take_event(const EventSort& sort, TransferRecord& record, uint32_t index) {
    TransferStream& stream = trace_.streams[index];
    if (sort.barrier) {
      record.kind = sort.reads ? TransferKind::ReadGroup : TransferKind::WriteGroup;
      return take_barrier(sort.ends, record, stream);
    }
    if (sort.sets || sort.with_state)
      use_state(sort, record, states_[{index, sort.reads}]);
    const bool moves = !sort.sets && !sort.flush && record.peer.known();
    if (moves && sort.reads)
      record.kind = TransferKind::Read;
    if (moves && sort.writes)
      record.kind = TransferKind::Write;
    stream.records.push_back(record);
  }

  // Completes a transfer from the state that an earlier event set, as the hardware does.
  static void use_state(const EventSort& sort, TransferRecord& record, State& state) {
    if (sort.sets)
      state = {record.peer, record.bytes};
    if (sort.with_state && !record.peer.known())
      record.peer = state.peer;
    if (sort.with_state && record.bytes == 0)
      record.bytes = state.bytes;
  }

  // Adds a mark of a barrier. An end mark closes a start mark that is the last record of the stream. Without
  // one, it is a wait of no length.
  static void take_barrier(bool ends, TransferRecord& record, TransferStream& stream) {
    if (!ends) {
      stream.records.push_back(record);
      return;
    }
    if (!stream.records.empty()) {
      TransferRecord& last = stream.records.back();
      if (last.kind == record.kind && last.end == kNoTime && last.begin <= record.begin) {
        last.end = record.begin;
        ++last.sources;
        return;
      }
    }
    record.end = record.begin;
    stream.records.push_back(record);
  }

  const std::string& file_;
  base::ReadReport& report_;
  TransferTrace trace_;
  StreamTable streams_;
  int32_t default_chip_;
  uint32_t last_stream_ = 0;
  Words names_;
  Words processors_;
  Words networks_;
  std::vector<EventSort> sorts_;  // properties by name id
  std::map<int64_t, int32_t> chip_of_run_;
  std::map<std::pair<uint32_t, bool>, State> states_;
};

int32_t number_at(const Json& object, std::string_view key, const Location& where) {
  return int32_t(object.at(key, where).integer(base::child(where, key), 0, kMaxSide));
}

}  // namespace

TransferTrace parse_noc_events(const std::string& text, const std::string& file, base::ReadReport& report) {
  return NocReader(file, report).read(scan_noc_events(text, file));
}

// Reads tt-metal's topology file: which chips are joined through which Ethernet cores.
void parse_topology(const std::string& text, const std::string& file, TransferTrace& trace) {
  const Location top{file};
  const Json root = base::parse_json(text, file);
  std::map<int32_t, Place> place_of;
  const Location tiles_at = base::child(top, "eth_chan_to_coord");
  for (const auto& [channel, tile] : root.at("eth_chan_to_coord", top).object(tiles_at)) {
    const Json::Array& xy = tile.array(tiles_at);
    const auto number = base::try_int(channel);
    if (!number || xy.size() != 2)
      throw base::Error(tiles_at, "needed \"channel\": [x, y]");
    place_of[int32_t(*number)] = {
        0,
        int32_t(xy[0].integer(tiles_at, 0, kMaxSide)),
        int32_t(xy[1].integer(tiles_at, 0, kMaxSide))};
  }
  const Location pairs_at = base::child(top, "inter_device_channel_pairs");
  const auto end_of = [&](const Json& pair, const std::string& side_name) {
    Place place = place_of[number_at(pair, side_name + "_eth_channel", pairs_at)];
    if (!place.known())
      throw base::Error(pairs_at, "a channel that eth_chan_to_coord does not place");
    place.chip = number_at(pair, side_name + "_device_id", pairs_at);
    return place;
  };
  for (const Json& pair : root.at("inter_device_channel_pairs", top).array(pairs_at))
    trace.joints.push_back({end_of(pair, "local"), end_of(pair, "remote")});
}

void read_topology(const std::string& path, TransferTrace& trace) {
  parse_topology(base::read_file(path), path, trace);
}

}  // namespace lento::chip
