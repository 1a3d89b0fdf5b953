// Simulates a recorded program on a healthy fabric, and tabulates predicted and measured times of processors,
// waits and busy servers.
#include "chip/play.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/file.h"
#include "base/units.h"
#include "chip/fabric/play.h"

namespace lento::chip {
namespace {

using base::format_number;

constexpr size_t kRowsShown = 20;  // most rows of a ranking

std::string cycles(double value) {
  return format_number(std::round(value), 12);
}

std::string error_text(double predicted, double measured) {
  if (measured > 0)
    return format_number(100 * (predicted - measured) / measured, 3) + " %";
  return "-";
}

// Returns the recorded cycle that counts as time 0: the begin of the first zone, or of the first record when
// there is no zone.
double origin_of(const TransferTrace& trace) {
  uint64_t zone = kNoTime;
  uint64_t any = kNoTime;
  for (const auto& stream : trace.streams) {
    for (const auto& record : stream.records) {
      any = std::min(any, record.begin);
      if (record.kind == TransferKind::Zone)
        zone = std::min(zone, record.begin);
    }
  }
  return double(zone == kNoTime ? any : zone);
}

// Tabulates the predicted and measured time of each processor's program, from its first record to the end of
// its last wait.
finding::Figure program_table(const TransferTrace& trace, const Played& played, double origin) {
  std::vector<double> predicted(trace.streams.size());
  std::vector<double> measured(trace.streams.size());
  for (const PlayedWait& wait : played.waits) {
    predicted[wait.stream] = std::max(predicted[wait.stream], wait.end);
    const uint64_t end = trace.streams[wait.stream].records[wait.record].end;
    if (end != kNoTime)
      measured[wait.stream] = std::max(measured[wait.stream], double(end) - origin);
  }
  finding::TableFigure table;
  table.columns = {"core", "processor", "begin", "predicted cycles", "measured cycles", "difference"};
  for (size_t i = 0; i < trace.streams.size(); ++i) {
    if (measured[i] <= 0)
      continue;
    const auto& stream = trace.streams[i];
    const double begin = double(stream.records.front().begin) - origin;
    table.rows.push_back(
        {to_string(stream.core),
         trace.names[stream.processor],
         cycles(begin),
         cycles(predicted[i] - begin),
         cycles(measured[i] - begin),
         error_text(predicted[i] - begin, measured[i] - begin)});
  }
  return {
      "Programs",
      "How long each processor's program should take, and took, to the end of its last wait.",
      table};
}

// Returns predicted and recorded waits as a table.
finding::Figure wait_table(const TransferTrace& trace, const Played& played, double origin) {
  finding::TableFigure table;
  table.columns = {
      "core",
      "processor",
      "transfers",
      "begin, predicted",
      "end, predicted",
      "begin, measured",
      "end, measured"};
  for (const PlayedWait& wait : played.waits) {
    const auto& stream = trace.streams[wait.stream];
    const auto& record = stream.records[wait.record];
    table.rows.push_back(
        {to_string(stream.core),
         trace.names[stream.processor],
         std::to_string(wait.transfers),
         cycles(wait.begin),
         cycles(wait.end),
         cycles(double(record.begin) - origin),
         record.end == kNoTime ? "not recorded" : cycles(double(record.end) - origin)});
  }
  return {
      "Waits",
      "When each wait for transfers began and ended; cycles since the first zone's begin.",
      table};
}

// Returns the servers at which transfers waited longest.
finding::Figure congestion_table(const Fabric& fabric, const Played& played) {
  std::vector<int> order(size_t(fabric.server_count()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    return played.waited[a] > played.waited[b];
  });
  finding::TableFigure table;
  table.columns = {"component", "waited for, cycles", "busy", "bytes"};
  for (const int id : order) {
    if (table.rows.size() == kRowsShown || played.bytes[id] == 0)
      break;
    const double share = played.end > 0 ? 100 * played.busy[id] / played.end : 0;
    table.rows.push_back(
        {fabric.server_name(id),
         cycles(played.waited[id]),
         format_number(share, 3) + " %",
         std::to_string(played.bytes[id])});
  }
  return {"Congestion", "Links, ports and memories by the time that packets stood before them.", table};
}

}  // namespace

finding::Diagnosis chip_play(const ChipPlayOptions& options) {
  Records records = read_records(options.sources);
  const Fabric fabric(spec::read_fabric(options.chip));
  PlayOptions how;
  if (options.use_stamps)
    how.issue = Issue::Stamps;
  const Played played = play(fabric, records.trace, how);
  const double measured = measured_cycles(records.trace);
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "A recorded program on " + fabric.sheet().name;
  d.verdict = "A healthy chip should take " + cycles(played.end) + " cycles";
  d.verdict += measured > 0 ? ", measured were " + cycles(measured) + "." : ".";
  d.facts.emplace_back("predicted", cycles(played.end) + " cycles");
  if (measured > 0) {
    d.facts.emplace_back("measured", cycles(measured) + " cycles");
    d.facts.emplace_back("difference", error_text(played.end, measured));
  }
  add_record_facts(d, records.trace);
  if (played.unplaced > 0) {
    d.facts.emplace_back("transfers not played", std::to_string(played.unplaced));
    d.notes.push_back(
        std::to_string(played.unplaced) +
        " transfers name a tile, network or chip that the chip file does not join: they take no time");
  }
  if (!options.use_stamps)
    d.notes.push_back(
        "Given to the model: when each processor's program began, what it moved in which order, and "
        "its waits. No later time of the records is used.");
  const double origin = origin_of(records.trace);
  d.figures = {
      congestion_table(fabric, played),
      program_table(records.trace, played, origin),
      wait_table(records.trace, played, origin)};
  d.options = {{"chip", options.chip}, {"issue times", options.use_stamps ? "recorded" : "modelled"}};
  finding::add_read_report(d, records.report);
  d.inputs = std::move(records.inputs);
  return d;
}

}  // namespace lento::chip
