// Reads event traces of AMD AI Engines, as the trace parser of mlir-aie writes them: Chrome trace events.
//
//   {"name":"process_name","ph":"M","pid":0,"args":{"name":"core_trace for tile2,0"}}    row 2, column 0
//   {"name":"INSTR_EVENT_0","ph":"B","ts":1000,"pid":0,"tid":0}                          begin of a kernel
//   {"name":"INSTR_VECTOR","ph":"E","ts":1513,"pid":0,"tid":1}                           end of its span
//
// Times are cycles. From INSTR_EVENT_0 to the next INSTR_EVENT_1 is one call of a kernel. Spans of
// instructions are zones of their core. Spans that wait for others (locks, streams, cascades, stalls) are
// kept as other events, and those of tiles without a core are skipped. Source: github.com/Xilinx/mlir-aie,
// its trace utilities.
#include <array>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/number.h"
#include "chip/read/transfer_readers.h"

namespace lento::chip {
namespace {

using base::Json;

constexpr std::string_view kCore = "core_trace for tile";

// Parses "2,0" or "(2,0)": row and column of a tile.
std::optional<Place> tile_of(std::string_view text) {
  if (text.starts_with('('))
    text = text.substr(1, text.find(')') - 1);
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    return {};
  const auto row = base::try_int(text.substr(0, comma));
  const auto column = base::try_int(text.substr(comma + 1));
  constexpr int64_t kMaxSide = 65535;
  if (!row || !column || *row < 0 || *column < 0 || *row > kMaxSide || *column > kMaxSide)
    return {};
  return Place{0, int32_t(*column), int32_t(*row)};
}

// Returns whether a span is work of the core itself. The others last until another core or a stream answers.
bool is_work(std::string_view name) {
  constexpr std::array kWaits{"LOCK", "STREAM", "CASCADE", "STALL"};
  for (const std::string_view word : kWaits)
    if (name.find(word) != std::string_view::npos)
      return false;
  return name.starts_with("INSTR_");
}

class AieReader {
 public:
  AieReader(const std::string& file, base::ReadReport& report)
      : file_(file),
        report_(report),
        streams_(trace_) {
  }

  TransferTrace read(const Json::Array& events) {
    for (const Json& event : events)
      learn_tile(event);
    for (const Json& event : events)
      take(event);
    return std::move(trace_);
  }

 private:
  static std::string_view word(const Json& event, std::string_view key) {
    const Json* value = event.find(key);
    return value != nullptr && value->is_string() ? std::string_view(value->string({})) : std::string_view();
  }

  static std::optional<int64_t> number(const Json& event, std::string_view key) {
    const Json* value = event.find(key);
    return value != nullptr && value->is_int() ? std::optional(value->integer({})) : std::nullopt;
  }

  // Takes the tile of a process from its name.
  void learn_tile(const Json& event) {
    const Json* args = event.find("args");
    const auto pid = number(event, "pid");
    if (word(event, "name") != "process_name" || args == nullptr || !pid)
      return;
    const std::string_view name = word(*args, "name");
    if (const size_t at = name.find(kCore); at != std::string_view::npos)
      if (const auto tile = tile_of(name.substr(at + kCore.size())))
        tiles_[*pid] = *tile;
  }

  void take(const Json& event) {
    const std::string_view phase = word(event, "ph");
    if (phase == "M")
      return;
    const auto pid = number(event, "pid");
    const auto time = number(event, "ts");
    if ((phase != "B" && phase != "E") || !pid)
      return report_.skip({file_}, "an event that is neither the begin nor the end of a span");
    if (!time || *time < 0)
      return report_.skip({file_}, "an event without a time in whole cycles");
    const auto tile = tiles_.find(*pid);
    if (tile == tiles_.end())
      return report_.skip({file_}, "an event of a tile without a core, which is not judged");
    const std::string name(word(event, "name"));
    const bool begins = phase == "B";
    TransferStream& stream = streams_.at(tile->second, trace_.name_id("core"));
    TransferRecord record;
    record.begin = uint64_t(*time);
    record.name = trace_.name_id(name);
    if (name == "INSTR_EVENT_0" || name == "INSTR_EVENT_1") {
      record.name = trace_.name_id("kernel");
      record.kind = name == "INSTR_EVENT_0" ? TransferKind::Zone : TransferKind::ZoneEnd;
      // Each event lasts a cycle, and a second one of its kind in a row belongs to no pair.
      bool& inside = inside_[*pid];
      if (!begins || inside == (record.kind == TransferKind::Zone))
        record.kind = TransferKind::Other;
      else
        inside = !inside;
    } else if (is_work(name)) {
      record.kind = begins ? TransferKind::Zone : TransferKind::ZoneEnd;
    }
    stream.records.push_back(record);
    ++report_.taken;
  }

  const std::string& file_;
  base::ReadReport& report_;
  TransferTrace trace_;
  StreamTable streams_;
  std::map<int64_t, Place> tiles_;  // by process
  std::map<int64_t, bool> inside_;  // by process: a kernel has begun
};

}  // namespace

bool looks_like_aie_trace(std::string_view text) {
  constexpr size_t kHead = 1 << 16;
  return text.substr(0, kHead).find(kCore) != std::string_view::npos;
}

TransferTrace parse_aie_trace(const std::string& text, const std::string& file, base::ReadReport& report) {
  const Json all = base::parse_json(text, file);
  const Json* events = all.is_object() ? &all.at("traceEvents", {file}) : &all;
  return AieReader(file, report).read(events->array({file}));
}

}  // namespace lento::chip
