// Reads files that record collectives, each by its layout, judges slowness or a hang, and adds the files to
// the diagnosis as its inputs.
#include "fleet/diagnose_ranks.h"

#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/scan/csv.h"
#include "fleet/ranks/ranks.h"
#include "fleet/ranks/read/collective_files.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;

std::map<std::string, std::string> read_switches(const std::string& path, base::ReadReport& report) {
  std::map<std::string, std::string> out;
  if (path.empty())
    return out;
  base::CsvReader in(path, report);
  const int host = in.require("host");
  const int name = in.require("switch");
  while (in.next())
    out[in.text(host)] = in.text(name);
  return out;
}

// Returns a digest of the file, to check later whether the same file was read.
std::string digest_of(const std::string& path) {
  base::Digest digest;
  base::InputStream in(path);
  std::string buffer(1 << 20, '\0');
  while (const size_t got = in.read({buffer.data(), buffer.size()}))
    digest.add({buffer.data(), got});
  return digest.text();
}

// Adds one line for each of the first 20 files, then one line with the number of the others.
void add_inputs(const fleet::ranks::CollectiveFiles& files, Diagnosis& d) {
  constexpr size_t kMost = 20;
  for (size_t i = 0; i < std::min(kMost, files.files.size()); ++i)
    d.inputs.push_back({"collectives", files.files[i], digest_of(files.files[i])});
  if (files.files.size() > kMost)
    d.inputs.push_back(
        {"collectives", "and " + std::to_string(files.files.size() - kMost) + " further files", ""});
}

}  // namespace

Diagnosis fleet_ranks(const FleetRanksOptions& options, const base::Progress& progress) {
  base::ReadReport report;
  report.strict = options.strict;
  const fleet::ranks::CollectiveFiles files =
      fleet::ranks::read_collective_files(options.paths, report, progress);
  RanksOptions o;
  o.switch_of = read_switches(options.switches, report);
  o.lane_steps = options.lane_steps;
  const bool dumps = !files.dumps.empty() || !files.ras.empty();
  if (options.hang && !dumps)
    throw base::Error(
        {},
        "no flight-recorder dump and no RAS answer among the files",
        "set TORCH_NCCL_DUMP_ON_TIMEOUT=1, or ask the monitor: echo verbose status | nc localhost 28028");
  if (files.ranks.empty() && !dumps && !files.means.empty()) {
    Diagnosis d = diagnose_means(files.means);
    add_inputs(files, d);
    finding::add_read_report(d, report);
    return d;
  }
  if (files.ranks.empty() && !dumps) {
    std::string known;
    for (const auto& [path, layout] : files.not_read)
      known = std::string(" (") + name(layout) + " alone says nothing)";
    throw base::Error(
        {options.paths.empty() ? "" : options.paths.front()},
        "no telemetry of collectives in the files" + known,
        "give Kineto traces, Inspector logs, flight-recorder dumps or RAS answers");
  }
  Diagnosis d = options.hang || files.ranks.empty() ? diagnose_hang(files.dumps, files.ras)
                                                    : diagnose_ranks(files.ranks, o, progress);
  if (!options.hang && !files.ranks.empty() && dumps)
    d.notes.push_back("There are dumps of a hang too: judge them with --hang.");
  for (const auto& [path, layout] : files.not_read)
    d.notes.push_back(path + ": a " + name(layout) + " is not read yet.");
  add_inputs(files, d);
  finding::add_read_report(d, report);
  return d;
}

}  // namespace lento::fleet
