// The measured runs of eight processes on four network namespaces, in both layouts, against their truth.
#include <cmath>

#include "base/file.h"
#include "base/json.h"
#include "base/scan/csv.h"
#include "base/units.h"
#include "fleet/ranks/analyse.h"
#include "fleet/ranks/read/collective_files.h"
#include "lab/fleet/rank_campaign.h"

namespace lento::fleet {
namespace {

using base::Json;
using ranks::Analysis;
using ranks::Culprit;
using ranks::FaultKind;

struct Clocks {
  double worst_ms = 0;
  int held = 0;
  int drifts = 0;
};

// Against true time since the first record of the first host, whose clock is right. A drift moves a clock
// from the moment on at which its offset holds, the start of the run.
Clocks judge_clocks(const Analysis& a, const Json& run, const base::Location& where) {
  Clocks out;
  const Json& offsets = run.at("clock_offset_ns_by_host", where);
  const Json& drifts = run.at("clock_drift_by_host", where);
  const int64_t start = a.job.ranks[0].trace->records.front().begin_ns;
  for (size_t h = 0; h < a.job.hosts.size(); ++h) {
    const double offset = offsets.items()[h].number(where);
    const double drift = drifts.items()[h].number(where);
    for (const int r : a.job.hosts[h].ranks) {
      for (const fleet::ranks::CollectiveRecord& record : a.job.ranks[r].trace->records) {
        const auto since = double(record.end_ns - start);
        const double said = double(a.clocks.corrected(int(h), record.end_ns) - start);
        out.worst_ms = std::max(out.worst_ms, std::abs(said - (since - offset) / (1 + drift)) / 1e6);
      }
    }
    if (h == 0)
      continue;
    ++out.drifts;
    out.held += a.clocks.hosts[h].drift95.low <= drift && drift <= a.clocks.hosts[h].drift95.high;
  }
  return out;
}

bool right(const Analysis& a, const Json& fault, const base::Location& where) {
  const std::string kind = fault.string_or("kind", "none", where);
  if (kind == "none" || kind == "imbalance")
    return a.culprits.empty();
  if (a.culprits.size() != 1)
    return false;
  const Culprit& c = a.culprits.front();
  if (kind == "slow_gpu")
    return c.kind == FaultKind::SlowGpu && a.job.ranks[c.rank].number == fault.integer_or("rank", -1, where);
  const auto host = fault.integer_or("host", -1, where);
  if (kind == "slow_host")
    return c.kind == FaultKind::SlowHost && c.rank < 0 && c.host == host;
  return kind == "slow_link" && c.kind == FaultKind::SlowLink && a.parts[c.part].part.a == host;
}

std::string said(const Analysis& a) {
  std::string out;
  for (const Culprit& c : a.culprits) {
    const std::string place = c.part >= 0   ? text(a.job, a.parts[c.part].part, a.switches)
                              : c.rank >= 0 ? a.job.ranks[c.rank].label
                                            : a.job.hosts[c.host].name;
    out += (out.empty() ? "" : "; ") + std::string(name(c.kind)) + " " + place;
  }
  if (out.empty())
    return "nothing";
  return out;
}

}  // namespace

std::string measure_gloo8(const std::string& folder) {
  const std::string path = folder + "/kineto/gloo8_truth.json";
  const base::Location where{path};
  const Json truth = base::parse_json(base::read_file(path), path);
  std::string csv =
      "layout,run,fault,right,said,onset,excess_ms_a_step,lost_ms_a_step,step_ms,clock_error_ms,drifts_held,"
      "drifts\n";
  for (const char* layout : {"kineto", "inspector"}) {
    for (const Json& run : truth.array(where)) {
      const std::string name = run.at("run", where).string(where);
      base::ReadReport report;
      const auto files =
          fleet::ranks::read_collective_files({folder + "/" + layout + "/gloo8_" + name}, report);
      const Analysis a = ranks::analyse(files.ranks, {});
      const Clocks clocks = judge_clocks(a, run, where);
      const Culprit* c = a.culprits.empty() ? nullptr : &a.culprits.front();
      const auto number = [](double v) {
        return base::format_number(v, 4);
      };
      csv += base::csv_line(
                 {layout,
                  name,
                  base::write_json(run.at("fault", where)),
                  right(a, run.at("fault", where), where) ? "1" : "0",
                  said(a),
                  c ? std::to_string(c->stretch.begin) : "",
                  c ? number(c->excess_ns / 1e6) : "",
                  c ? number(c->lost_ns / 1e6) : "",
                  number(a.typical_step_ns / 1e6),
                  number(clocks.worst_ms),
                  std::to_string(clocks.held),
                  std::to_string(clocks.drifts)}) +
             "\n";
    }
  }
  return csv;
}

}  // namespace lento::fleet
