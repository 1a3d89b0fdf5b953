// Runs the Minder method on a series and turns its verdict into a diagnosis.
#include "fleet/by_minder.h"

#include "base/error.h"
#include "fleet/minder/lstm_vae.h"
#include "fleet/minder/minder.h"
#include "fleet/scan/covered.h"

namespace lento::fleet {
namespace {

finding::Finding finding_of(const MetricSeries& series, const MinderVerdict& v) {
  finding::Finding f;
  f.subject = series.machines[v.machine];
  f.category = "deviating machine";
  f.summary = f.subject + " differs most from its peers in " + v.metric + " in every window of four minutes";
  f.score = 1 - 1 / (1 + v.score);
  const double at = double(series.time_ms(v.step)) / 1000;
  f.when = finding::TimeWindow{at - 240, at, "s"};
  f.evidence.push_back({"standard score of its distance sum", v.score, "", "metric " + v.metric});
  f.evidence.push_back({"first named at", at, "s", "continuity of 240 s"});
  f.next_step = "Run with --method lento for the peers' band and all deviating metrics.";
  return f;
}

}  // namespace

finding::Diagnosis
judge_by_minder(const MetricSeries& series, const FleetDiagnosisOptions& o, const base::Progress&) {
  if (o.model.empty())
    throw base::Error(
        {},
        "the method of the Minder paper needs a model",
        "make one with 'lento fleet train', name it with --model");
  MinderOptions options;
  options.metrics = o.source.metrics;
  options.threshold = o.threshold;
  options.stride = o.stride;
  options.threads = o.threads;
  const auto v = minder(series, read_model(o.model), options);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Fleet of " + std::to_string(series.machines.size()) + " machines, method of the Minder paper";
  d.verdict = v ? series.machines[v->machine] + " is faulty by " + v->metric
                : "No machine stands out from its peers.";
  const std::string covered = covered_text(series, series.step_ms);
  const double period = double(series.steps) * double(series.step_ms) / 1000;
  if (!v && (period < options.continuity_s || series.machines.size() < 3)) {
    finding::cannot_judge(
        d,
        "the method needs 240 s and three machines",
        "read a longer period, or the metrics of the whole job",
        covered);
    return d;
  }
  if (v)
    d.findings.push_back(finding_of(series, *v));
  finding::judged(d, covered);
  return d;
}

}  // namespace lento::fleet
