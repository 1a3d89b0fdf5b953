// Reads and joins the record files of one run, and lists their contents by component, zone and kind.
#include "chip/records.h"

#include <map>

#include "base/file.h"

namespace lento::chip {
namespace {

// Returns a table of the zones, transfers, bytes and waits that each processor of each core recorded.
finding::Figure component_table(const TransferTrace& trace) {
  struct Row {
    uint64_t zones = 0;
    uint64_t transfers = 0;
    uint64_t bytes = 0;
    uint64_t waits = 0;
  };
  std::map<std::pair<Place, std::string>, Row> rows;
  for (const TransferStream& stream : trace.streams) {
    Row& row = rows[{stream.core, trace.names[stream.processor]}];
    for (const TransferRecord& record : stream.records) {
      row.zones += record.kind == TransferKind::Zone;
      row.transfers += is_transfer(record.kind);
      row.waits += is_group(record.kind);
      row.bytes += record.bytes;
    }
  }
  finding::TableFigure table;
  table.columns = {"core", "processor", "zones", "transfers", "bytes", "waits"};
  for (const auto& [key, row] : rows)
    table.rows.push_back(
        {to_string(key.first),
         key.second.empty() ? "-" : key.second,
         std::to_string(row.zones),
         std::to_string(row.transfers),
         std::to_string(row.bytes),
         std::to_string(row.waits)});
  return {"Recorded components", "What each processor of each core recorded.", table};
}

// Returns a table of all recorded waits: processor, transfers waited for, and times in cycles.
finding::Figure wait_table(const TransferTrace& trace) {
  finding::TableFigure table;
  table.columns = {"core", "processor", "for", "transfers", "bytes", "begin", "end", "cycles"};
  for (const TransferGroup& group : groups_of(trace)) {
    const TransferStream& stream = trace.streams[group.stream];
    const TransferRecord& wait = stream.records[group.wait];
    const bool open = wait.end == kNoTime;
    table.rows.push_back(
        {to_string(stream.core),
         trace.names[stream.processor],
         name(wait.kind),
         std::to_string(group.transfers),
         std::to_string(group.bytes),
         std::to_string(wait.begin),
         open ? "not recorded" : std::to_string(wait.end),
         open ? "-" : std::to_string(wait.end - wait.begin)});
  }
  return {"Waits", "One record each: a group of transfers that share one completion.", table};
}

}  // namespace

Records read_records(const RecordSources& sources) {
  Records out;
  out.report.strict = sources.strict;
  if (sources.files.empty())
    throw base::Error({}, "no records were given");
  for (const std::string& file : sources.files) {
    const std::string text = base::read_file(file);
    if (text.starts_with("lento.probe/"))
      throw base::Error(
          {file, 1},
          "these are probe records of a mapping, and this command reads a real chip's records",
          "`lento chip diagnose RUN --chip FILE --mapping FILE` judges them, with --healthy EARLIER beside "
          "an "
          "earlier run");
    out.inputs.push_back({"records", file, base::digest(text)});
    append(out.trace, parse_transfers(text, file, sources.columns, out.report));
  }
  if (!sources.topology.empty()) {
    const std::string text = base::read_file(sources.topology);
    out.inputs.push_back({"topology", sources.topology, base::digest(text)});
    parse_topology(text, sources.topology, out.trace);
  }
  return out;
}

void add_record_facts(finding::Diagnosis& d, const TransferTrace& trace) {
  const TransferCounts counts = count(trace);
  const auto fact = [&](const char* name, uint64_t value) {
    d.facts.emplace_back(name, std::to_string(value));
  };
  fact("chips", counts.chips);
  fact("cores that recorded", counts.cores);
  fact("components named as peers", counts.peers);
  fact("events", counts.events);
  fact("zones begun", counts.zones_begun);
  fact("zones ended", counts.zones_ended);
  fact("transfers", counts.transfers);
  fact("bytes", counts.bytes);
  fact("waits", counts.groups);
  if (trace.numbered)
    d.notes.push_back(
        "The table numbers its components instead of naming their places x-y: number 6 is written 6-0.");
  if (counts.open_groups > 0)
    fact("waits without an end", counts.open_groups);
}

finding::Diagnosis chip_import(const ChipImportOptions& options) {
  Records records = read_records(options.sources);
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "Records of data movement";
  add_record_facts(d, records.trace);
  const TransferCounts counts = count(records.trace);
  d.verdict =
      "Read " + std::to_string(counts.events) + " events of " + std::to_string(counts.cores) + " cores.";
  if (counts.groups > 0)
    d.notes.push_back(
        "Transfers carry the time of their issue; that they were done is known only of the group that a wait "
        "closes, and only to have been by its end.");
  d.figures = {component_table(records.trace), wait_table(records.trace)};
  if (!options.output.empty())
    write_transfers(options.output, records.trace);
  finding::add_read_report(d, records.report);
  d.inputs = std::move(records.inputs);
  return d;
}

}  // namespace lento::chip
