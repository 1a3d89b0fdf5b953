#include "jobs/fleet_diagnosis.h"

#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "fleet/detect/lstm_vae.h"
#include "fleet/detect/minder.h"

namespace lento::jobs {
namespace {

// The paper's method: one verdict, from the first metric that reaches it.
finding::Diagnosis faithful(const trace::MetricSeries& series, const FleetDiagnosisOptions& o) {
  if (o.model.empty())
    throw base::Error(
        {},
        "the faithful mode needs a model",
        "make one with 'lento fleet train', name it with --model");
  fleet::MinderOptions options;
  options.metrics = o.source.metrics;
  options.threshold = o.threshold;
  options.stride = o.stride;
  options.threads = o.threads;
  const auto v = fleet::minder(series, fleet::read_model(o.model), options);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Fleet of " + std::to_string(series.machines.size()) + " machines, method of the Minder paper";
  d.verdict = v ? series.machines[v->machine] + " is faulty by " + v->metric
                : "No machine stands out from its peers.";
  const std::string covered = fleet::covered_text(series);
  const double period = double(series.steps) * double(series.step_ms) / 1000;
  if (!v && (period < options.continuity_s || series.machines.size() < 3)) {
    finding::cannot_judge(
        d,
        "the method needs 240 s and three machines",
        "read a longer period, or the metrics of the whole job",
        covered);
    return d;
  }
  if (v) {
    finding::Finding f;
    f.subject = series.machines[v->machine];
    f.category = "deviating machine";
    f.summary =
        f.subject + " differs most from its peers in " + v->metric + " in every window of four minutes";
    f.score = 1 - 1 / (1 + v->score);
    const double at = double(series.time_ms(v->step)) / 1000;
    f.when = finding::TimeWindow{at - 240, at, "s"};
    f.evidence.push_back({"standard score of its distance sum", v->score, "", "metric " + v->metric});
    f.evidence.push_back({"first named at", at, "s", "continuity of 240 s"});
    f.next_step = "Run without --faithful for the peers' band and all deviating metrics.";
    d.findings.push_back(std::move(f));
  }
  finding::judged(d, covered);
  return d;
}

// What most records do not say cannot be known from the rest.
void doubt_records(finding::Diagnosis& d, const base::ReadReport& report) {
  if (report.skipped <= report.taken)
    return;
  std::string most;
  uint64_t count = 0;
  for (const auto& [reason, n] : report.reasons) {
    if (n <= count)
      continue;
    most = reason;
    count = n;
  }
  const uint64_t all = report.taken + report.skipped;
  finding::cannot_judge(
      d,
      std::to_string(report.skipped) + " of " + std::to_string(all) + " records do not fit (most: " + most +
          ")",
      "check the columns, the labels that name a machine (--machine-column, "
      "--machine-label) and those that name a device",
      d.covered);
}

}  // namespace

finding::Diagnosis diagnose_fleet(
    const trace::MetricSeries& series,
    const FleetDiagnosisOptions& o,
    const base::Progress& progress) {
  if (o.faithful)
    return faithful(series, o);
  fleet::DetectOptions detect = o.detect;
  if (o.judge_from_s)
    detect.judge_from_ms = series.begin_ms + int64_t(*o.judge_from_s * 1000);
  if (!o.expect.empty())
    detect.expectations = read_expectations(o.expect);
  return fleet::diagnose(series, detect, progress);
}

finding::Diagnosis diagnose_fleet(const FleetDiagnosisOptions& o, const base::Progress& progress) {
  base::ReadReport report;
  report.strict = o.strict;
  std::vector<finding::Input> inputs;
  const trace::MetricSeries series = read_source(o.source, report, inputs);
  finding::Diagnosis d = diagnose_fleet(series, o, progress);
  doubt_records(d, report);
  d.inputs = std::move(inputs);
  finding::add_read_report(d, report);
  return d;
}

}  // namespace lento::jobs
