// tt-metal's NoC event traces: a JSON array of events and zone marks, of one chip or of several together.
//
//   {"proc":"BRISC","noc":"NOC_1","sx":1,"sy":1,"dx":2,"dy":1,"num_bytes":4096,"type":"READ","timestamp":17}
//   {"proc":"BRISC","zone":"BRISC-KERNEL","zone_phase":"begin","sx":1,"sy":1,"timestamp":9}
//
// Names of types are those of github.com/tenstorrent/tt-npe, tt_npe/doc/noc_trace_format.md. A pair of
// ..._BARRIER_START and ..._BARRIER_END becomes one group. Zone marks do not name their chip; the events of
// the same run_host_id do.
#include <algorithm>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "trace/transfer_readers.h"

namespace lento::trace {
namespace {

using base::Json;
using base::Location;

constexpr int64_t kMaxSide = 65535;

std::optional<int64_t> whole(const Json& event, std::string_view key) {
  const Json* value = event.find(key);
  if (!value || !value->is_int())
    return std::nullopt;
  return value->integer({});
}

int32_t side(const Json& event, std::string_view key) {
  const auto value = whole(event, key);
  if (value && *value >= 0 && *value <= kMaxSide)
    return int32_t(*value);
  return -1;
}

std::string word(const Json& event, std::string_view key) {
  const Json* value = event.find(key);
  if (value && value->is_string())
    return value->string({});
  return std::string();
}

// `..._dev3_...` in a file's name: the chip of a file that does not say it inside.
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

class NocReader {
 public:
  NocReader(const std::string& file, base::ReadReport& report)
      : file_(file),
        report_(report),
        streams_(trace_),
        default_chip_(chip_of_name(file)) {
  }

  TransferTrace read(const Json& root) {
    const Json::Array& events = root.array({file_});
    for (const Json& event : events)
      learn_chip(event);
    for (size_t i = 0; i < events.size(); ++i)
      take(events[i], i);
    return std::move(trace_);
  }

 private:
  struct State {  // what a ..._SET_STATE left for ..._WITH_STATE
    Place peer;
    uint64_t bytes = 0;
  };

  void learn_chip(const Json& event) {
    const auto run = whole(event, "run_host_id");
    const int32_t chip = side(event, "src_device_id");
    if (run && chip >= 0)
      chip_of_run_.try_emplace(*run, chip);
  }

  int32_t chip_of(const Json& event) const {
    const int32_t chip = side(event, "src_device_id");
    if (chip >= 0)
      return chip;
    const auto run = whole(event, "run_host_id");
    const auto found = run ? chip_of_run_.find(*run) : chip_of_run_.end();
    if (found == chip_of_run_.end())
      return default_chip_;
    return found->second;
  }

  void skip(size_t index, const std::string& reason) {
    report_.skip(base::child({file_}, index), reason);
  }

  void take(const Json& event, size_t index) {
    const auto time = whole(event, "timestamp");
    const Place core{chip_of(event), side(event, "sx"), side(event, "sy")};
    if (!time || *time < 0)
      return skip(index, "an event without a time");
    if (!core.known())
      return skip(index, "an event without a core");
    TransferRecord record;
    record.begin = uint64_t(*time);
    const auto bytes = whole(event, "num_bytes");
    if (bytes && *bytes > 0)
      record.bytes = uint64_t(*bytes);
    const std::string type = word(event, "type");
    const std::string zone = word(event, "zone");
    if (type.empty() && zone.empty())
      return skip(index, "neither an event nor a zone");
    if (const std::string noc = word(event, "noc"); !noc.empty()) {
      if (trace_.networks.size() > 250)
        return skip(index, "more than 250 networks");
      record.network = trace_.network_id(noc);
    }
    const uint32_t processor = trace_.name_id(word(event, "proc"));
    TransferStream& stream = streams_.at(core, processor);
    ++report_.taken;
    if (!zone.empty())
      return take_zone(event, zone, record, stream);
    record.name = trace_.name_id(type);
    record.peer = peer_of(event, core.chip);
    take_event(type, record, stream);
  }

  Place peer_of(const Json& event, int32_t own_chip) {
    const int32_t chip = side(event, "dst_device_id");
    Place peer{chip >= 0 ? chip : own_chip, side(event, "dx"), side(event, "dy")};
    if (!peer.known()) {
      peer.x = side(event, "mcast_end_x");
      peer.y = side(event, "mcast_end_y");
    }
    if (peer.known())
      return peer;
    return Place{};
  }

  void take_zone(const Json& event, const std::string& zone, TransferRecord& record, TransferStream& stream) {
    record.name = trace_.name_id(zone);
    const std::string phase = word(event, "zone_phase");
    record.kind = phase == "end" || phase == "ZONE_END" ? TransferKind::ZoneEnd : TransferKind::Zone;
    stream.records.push_back(record);
  }

  void take_event(const std::string& type, TransferRecord& record, TransferStream& stream) {
    const bool reads = type.find("READ") != std::string::npos;
    const bool writes = type.find("WRITE") != std::string::npos;
    if (type.find("BARRIER") != std::string::npos && (reads || writes)) {
      record.kind = reads ? TransferKind::ReadGroup : TransferKind::WriteGroup;
      return take_barrier(type, record, stream);
    }
    const bool sets = type.ends_with("SET_STATE") || type.ends_with("SET_TRID");
    State& state = states_[{&stream - trace_.streams.data(), reads}];
    if (sets)
      state = {record.peer, record.bytes};
    if (type.find("WITH_STATE") != std::string::npos) {
      if (!record.peer.known())
        record.peer = state.peer;
      if (record.bytes == 0)
        record.bytes = state.bytes;
    }
    const bool moves = !sets && type.find("FLUSH") == std::string::npos && record.peer.known();
    if (moves && reads)
      record.kind = TransferKind::Read;
    if (moves && writes)
      record.kind = TransferKind::Write;
    stream.records.push_back(record);
  }

  // An end closes the start before it in the same stream; an end alone waited for nothing that was recorded.
  static void take_barrier(const std::string& type, TransferRecord& record, TransferStream& stream) {
    if (!type.ends_with("END")) {
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
  std::map<int64_t, int32_t> chip_of_run_;
  std::map<std::pair<int64_t, bool>, State> states_;
};

int32_t number_at(const Json& object, std::string_view key, const Location& where) {
  return int32_t(object.at(key, where).integer(base::child(where, key), 0, kMaxSide));
}

}  // namespace

TransferTrace parse_noc_events(const std::string& text, const std::string& file, base::ReadReport& report) {
  return NocReader(file, report).read(base::parse_json(text, file));
}

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

}  // namespace lento::trace
