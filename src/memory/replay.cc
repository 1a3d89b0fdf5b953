// Replays an address trace on the platform model and writes an access trace with latencies and culprits.
#include "memory/replay.h"

#include "base/error.h"
#include "finding/inputs.h"
#include "memory/read/access_file.h"
#include "memory/read/foreign.h"

namespace lento::memory {

finding::Diagnosis replay_memory(const MemoryReplayOptions& options) {
  Platform platform;
  platform.harts = Platform::kMaxHarts;
  if (!options.platform.empty())
    platform = read_platform(options.platform);
  if (options.harts > 0)
    platform.harts = options.harts;
  base::ReadReport report;
  report.strict = options.strict;
  program::TraceFacts facts;
  const auto source = open_access_traces(options.traces, report, &facts);
  AccessFileWriter writer(options.output);
  const ReplayResult result = replay(*source, platform, writer, options.progress);
  // The first part of a trace cannot be distinguished from a whole one, so an interrupted replay leaves no
  // file.
  if (options.progress.stopped())
    throw base::Error(
        {options.output},
        "interrupted after " + std::to_string(result.accesses) + " accesses; nothing was written");
  require_records(options.traces, report);
  if (result.accesses == 0)
    throw base::Error(
        {options.traces.paths.front()},
        "holds no access, so there is nothing to replay",
        "needed is a trace of accesses: text, " + foreign_formats() + "; name its kind with --format");
  // The model has its own line size and counts cycles, whatever the trace counted.
  facts.line_bytes = uint32_t(platform.dcache.line_bytes);
  facts.time_unit = "cycles";
  facts.latency_unit = "cycles";
  writer.set_facts(facts);
  writer.finish();

  finding::Diagnosis d;
  d.scale = "memory";
  d.title =
      "Replay of " + options.traces.paths.front() + (options.traces.paths.size() > 1 ? " and others" : "");
  d.verdict = std::to_string(result.accesses) + " accesses took " + std::to_string(result.cycles) + " cycles";
  d.facts = {{"accesses", std::to_string(result.accesses)}, {"cycles", std::to_string(result.cycles)}};
  if (result.folded > 0)
    d.notes.push_back(
        std::to_string(result.folded) +
        " addresses beyond the model's lines were folded into them; rare false conflicts may follow");
  for (const std::string& path : options.traces.paths)
    d.inputs.push_back(finding::input_of("trace", path));
  if (!options.platform.empty())
    d.inputs.push_back(finding::input_of("platform", options.platform));
  d.options = {{"format", options.traces.format}, {"harts", std::to_string(platform.harts)}};
  if (!options.traces.columns.empty())
    d.options.emplace_back("columns", options.traces.columns);
  finding::add_read_report(d, report);
  return d;
}

}  // namespace lento::memory
