// Reads and writes the form lento-records 2, and recognises the forms of other tools:
//   lento-records 2
//   {"networks":["NOC_0"],"names":["","BRISC",...],"joints":[[chip,x,y,chip,x,y],...],"clocks":[[chip,Hz],...]}
//   chip x y processor kind network peer_chip peer_x peer_y bytes begin end name sources
//   0 1 1 1 read 0 0 5 3 2048 1720 - 4 1
// Names are indexes into the list of the second line; "-" is an unknown time. Lines of one stream keep the
// order of its records.
#include "chip/read/transfer_file.h"

#include <array>
#include <map>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/scan/lines.h"
#include "chip/read/transfer_readers.h"

namespace lento::chip {
namespace {

using base::Error;
using base::Json;
using base::Location;

constexpr std::string_view kTransferMagic = "lento-records 2";
constexpr std::string_view kTransferColumns =
    "chip x y processor kind network peer_chip peer_x peer_y bytes begin end name sources";
constexpr int kFields = 14;
constexpr int kTransferKinds = 8;

// Splits a line into its fields. Returns false when their number is wrong.
bool split_fields(std::string_view line, std::array<std::string_view, kFields>& out) {
  int n = 0;
  while (!line.empty()) {
    const size_t end = line.find(' ');
    if (n == kFields)
      return false;
    out[n++] = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return n == kFields;
}

bool kind_of(std::string_view word, TransferKind& out) {
  for (int k = 0; k < kTransferKinds; ++k) {
    out = static_cast<TransferKind>(k);
    if (word == name(out))
      return true;
  }
  return false;
}

template <typename T>
bool take(std::string_view text, int64_t low, int64_t high, T& out) {
  const auto value = base::try_int(text);
  if (!value || *value < low || *value > high)
    return false;
  out = static_cast<T>(*value);
  return true;
}

// Parses a time. "-": not recorded.
bool take_time(std::string_view text, uint64_t& out) {
  if (text == "-") {
    out = kNoTime;
    return true;
  }
  const auto value = base::try_uint(text);
  if (!value || *value == kNoTime)
    return false;
  out = *value;
  return true;
}

struct Row {
  Place core;
  uint32_t processor = 0;
  TransferRecord record;
};

// Parses a row. Returns false when a field is out of range.
bool take_row(const std::array<std::string_view, kFields>& f, const TransferTrace& trace, Row& out) {
  constexpr int64_t kSide = 65535;
  const auto names = int64_t(trace.names.size()) - 1;
  const auto networks = int64_t(trace.networks.size()) - 1;
  TransferRecord& r = out.record;
  return take(f[0], 0, kSide, out.core.chip) && take(f[1], 0, kSide, out.core.x) &&
         take(f[2], 0, kSide, out.core.y) && take(f[3], 0, names, out.processor) && kind_of(f[4], r.kind) &&
         take(f[5], 0, std::max<int64_t>(0, networks), r.network) && take(f[6], 0, kSide, r.peer.chip) &&
         take(f[7], -1, kSide, r.peer.x) && take(f[8], -1, kSide, r.peer.y) &&
         take(f[9], 0, INT64_MAX, r.bytes) && take_time(f[10], r.begin) && r.begin != kNoTime &&
         take_time(f[11], r.end) && r.begin <= r.end && take(f[12], 0, names, r.name) &&
         take(f[13], 0, 1 << 20, r.sources);
}

void read_head(const Json& head, const Location& where, TransferTrace& trace) {
  const Location names_at = base::child(where, "names");
  for (const Json& word : head.at("names", where).array(names_at))
    trace.names.push_back(word.string(names_at));
  const Location networks_at = base::child(where, "networks");
  for (const Json& word : head.at("networks", where).array(networks_at))
    trace.networks.push_back(word.string(networks_at));
  if (trace.names.empty() || trace.networks.size() > 255)
    throw Error(where, "needed at least one name and at most 255 networks");
  const Location joints_at = base::child(where, "joints");
  for (const Json& joint : head.at("joints", where).array(joints_at)) {
    const Json::Array& n = joint.array(joints_at);
    if (n.size() != 6)
      throw Error(joints_at, "a joint has six numbers");
    const auto at = [&](int i) {
      return int32_t(n[i].integer(joints_at, 0, 65535));
    };
    trace.joints.push_back({{at(0), at(1), at(2)}, {at(3), at(4), at(5)}});
  }
  const Location clocks_at = base::child(where, "clocks");
  if (const Json* clocks = head.find("clocks"))
    for (const Json& clock : clocks->array(clocks_at)) {
      const Json::Array& n = clock.array(clocks_at);
      if (n.size() != 2 || n[1].number(clocks_at) <= 0)
        throw Error(clocks_at, "a clock is a chip and its Hz");
      trace.clock_hz[int32_t(n[0].integer(clocks_at, 0, 65535))] = n[1].number(clocks_at);
    }
}

Json place_list(const ChipJoint& joint) {
  Json list = Json::array();
  for (const int32_t n : {joint.from.chip, joint.from.x, joint.from.y, joint.to.chip, joint.to.x, joint.to.y})
    list.push(int64_t(n));
  return list;
}

void print_record(const TransferStream& stream, const TransferRecord& r, std::string& out) {
  const auto number = [&out](auto value) {
    out += std::to_string(value);
    out += ' ';
  };
  number(stream.core.chip);
  number(stream.core.x);
  number(stream.core.y);
  number(stream.processor);
  out += name(r.kind);
  out += ' ';
  number(int(r.network));
  number(r.peer.chip);
  number(r.peer.x);
  number(r.peer.y);
  number(r.bytes);
  number(r.begin);
  if (r.end == kNoTime) {
    out += "- ";
  } else {
    number(r.end);
  }
  number(r.name);
  out += std::to_string(r.sources);
  out += '\n';
}

// Returns whether the events have phases, as those of profilers do, and no place on a chip.
bool looks_like_chrome_trace(std::string_view text) {
  constexpr size_t kHead = 1 << 16;
  const std::string_view head = text.substr(0, kHead);
  return (head.find("\"traceEvents\"") != head.npos || head.find("\"ph\"") != head.npos) &&
         head.find("\"sx\"") == head.npos && (head.front() == '[' || head.front() == '{');
}

}  // namespace

std::string print_transfers(const TransferTrace& trace) {
  Json names = Json::array();
  Json networks = Json::array();
  Json joints = Json::array();
  for (const std::string& word : trace.names)
    names.push(word);
  for (const std::string& word : trace.networks)
    networks.push(word);
  for (const ChipJoint& joint : trace.joints)
    joints.push(place_list(joint));
  Json head = Json::object();
  head.set("names", names);
  head.set("networks", networks);
  head.set("joints", joints);
  Json clocks = Json::array();
  for (const auto& [chip, hz] : trace.clock_hz) {
    Json clock = Json::array();
    clock.push(int64_t(chip));
    clock.push(hz);
    clocks.push(clock);
  }
  if (!trace.clock_hz.empty())
    head.set("clocks", clocks);
  std::string out(kTransferMagic);
  out += '\n' + base::write_json(head) + '\n' + std::string(kTransferColumns) + '\n';
  for (const TransferStream& stream : trace.streams)
    for (const TransferRecord& record : stream.records)
      print_record(stream, record, out);
  return out;
}

void write_transfers(const std::string& path, const TransferTrace& trace) {
  base::write_file(path, print_transfers(trace));
}

bool looks_like_records(std::string_view text) {
  return text.starts_with(kTransferMagic);
}

TransferTrace parse_records(std::string_view text, const std::string& file, base::ReadReport& report) {
  base::take_text_line(text);
  TransferTrace trace;
  read_head(base::parse_json(base::take_text_line(text), file, 2), {file, 2}, trace);
  if (base::take_text_line(text) != kTransferColumns)
    throw Error({file, 3}, "the columns are not those of lento-records 2", std::string(kTransferColumns));
  StreamTable streams(trace);
  std::array<std::string_view, kFields> fields;
  for (int line = 4; !text.empty(); ++line) {
    const std::string_view row_text = base::take_text_line(text);
    Row row;
    if (!split_fields(row_text, fields) || !take_row(fields, trace, row)) {
      report.skip({file, line}, "a line that is no record");
      continue;
    }
    streams.at(row.core, row.processor).records.push_back(row.record);
    ++report.taken;
  }
  return trace;
}

TransferTrace parse_transfers(
    const std::string& text,
    const std::string& file,
    const TableColumns& columns,
    base::ReadReport& report) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos)
    throw Error({file}, "the file is empty");
  if (looks_like_records(text))
    return parse_records(text, file, report);
  if ((text[start] == '[' || text[start] == '{') && looks_like_aie_trace(text))
    return parse_aie_trace(text, file, report);
  if (looks_like_chrome_trace(std::string_view(text).substr(start)))
    throw Error(
        {file},
        "a Chrome trace whose processes are no cores of an AI Engine",
        "make a table of it with the columns component,start,end, one row for each piece of work of a core");
  if (text[start] == '[')
    return parse_noc_events(text, file, report);
  if (text.compare(start, 5, "ARCH:") == 0)
    return parse_profile_log(text, file, report);
  if (text[start] == '{')
    throw Error(
        {file},
        "a JSON object, needed an array of events",
        "a topology file is given with --topology");
  return parse_table(text, file, columns, report);
}

TransferTrace read_transfers(const std::string& path, const TableColumns& columns, base::ReadReport& report) {
  return parse_transfers(base::read_file(path), path, columns, report);
}

void append(TransferTrace& all, const TransferTrace& more) {
  for (const TransferStream& from : more.streams) {
    TransferStream stream = from;
    stream.processor = all.name_id(more.names[from.processor]);
    for (TransferRecord& record : stream.records) {
      record.name = all.name_id(more.names[record.name]);
      if (record.network < more.networks.size())
        record.network = all.network_id(more.networks[record.network]);
    }
    all.streams.push_back(std::move(stream));
  }
  all.joints.insert(all.joints.end(), more.joints.begin(), more.joints.end());
  all.clock_hz.insert(more.clock_hz.begin(), more.clock_hz.end());
  all.numbered |= more.numbered;
}

StreamTable::StreamTable(TransferTrace& trace)
    : trace_(trace) {
}

// Returns the stream of one processor of a core and makes it when new.
TransferStream& StreamTable::at(const Place& core, uint32_t processor) {
  const auto [it, fresh] = index_.try_emplace({core, processor}, trace_.streams.size());
  if (fresh) {
    trace_.streams.emplace_back();
    trace_.streams.back().core = core;
    trace_.streams.back().processor = processor;
  }
  return trace_.streams[it->second];
}

}  // namespace lento::chip
