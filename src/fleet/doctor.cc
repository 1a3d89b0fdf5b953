// Queries a metric store and advises which options a watch of its jobs needs.
#include "fleet/doctor.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/http/http.h"
#include "base/units.h"
#include "fleet/feed.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::TableFigure;

constexpr int64_t kLookedAt = 600'000;  // ms before now from which samples are read

struct Seen {
  std::string exporter;
  std::string metric;
  size_t machines = 0;
  size_t devices = 0;
  int64_t gap_ms = 0;
  int64_t age_ms = 0;
};

struct Survey {
  std::vector<Seen> metrics;
  std::map<std::string, int64_t> machines;               // time of the newest sample of any metric, ms
  std::map<std::string, std::set<std::string>> devices;  // by machine
  uint64_t taken = 0;
  uint64_t skipped = 0;
  std::map<std::string, uint64_t> reasons;
};

std::string span_text(int64_t ms) {
  return base::format_quantity(double(ms) / 1000, base::Dimension::Time);
}

// Adds one metric to `survey`. Returns false when the store has no usable sample of it.
bool add_metric(
    const PrometheusOptions& store,
    const std::string& exporter,
    const MetricSpec& metric,
    int64_t now,
    Survey& survey) {
  PrometheusOptions one = store;
  one.metrics = {metric};
  base::ReadReport report;
  MetricSeries s;
  try {
    s = read_prometheus(one, now - kLookedAt, now, report);
  } catch (const base::Error&) {
    return false;  // nothing usable under this name
  }
  Seen seen{exporter, metric.name, s.machines.size(), s.devices.size() - 1, s.sample_gap_ms, 0};
  int64_t newest = INT64_MIN;
  for (const int64_t t : s.newest_ms)
    newest = std::max(newest, t);
  seen.age_ms = now - newest;
  survey.metrics.push_back(seen);
  for (size_t m = 0; m < s.machines.size(); ++m) {
    int64_t& last = survey.machines.try_emplace(s.machines[m], INT64_MIN).first->second;
    last = std::max(last, m < s.newest_ms.size() ? s.newest_ms[m] : INT64_MIN);
    for (const uint32_t device : s.devices_seen[m])
      survey.devices[s.machines[m]].insert(s.devices[device]);
  }
  survey.taken += report.taken;
  survey.skipped += report.skipped;
  for (const auto& [reason, n] : report.reasons)
    survey.reasons[reason] += n;
  return true;
}

// Lists which metrics of the exporters the store has, with machines, devices, step and age.
Survey survey_store(const DoctorOptions& o, const PrometheusOptions& store, int64_t now) {
  Survey survey;
  if (!o.source.metrics.empty() || !o.source.exporters.empty()) {
    for (const MetricSpec& m : store.metrics)
      add_metric(store, "named", m, now, survey);
    return survey;
  }
  for (const std::string& exporter : exporters()) {
    for (const MetricSpec& m : exporter_metrics(exporter))
      add_metric(store, exporter, m, now, survey);
  }
  return survey;
}

// Returns a table of the metrics that the store has.
TableFigure metric_table(const Survey& survey) {
  TableFigure table;
  table.columns = {"exporter", "metric", "machines", "devices", "step", "age of the newest sample"};
  for (const Seen& s : survey.metrics) {
    table.rows.push_back(
        {s.exporter,
         s.metric,
         std::to_string(s.machines),
         std::to_string(s.devices),
         span_text(s.gap_ms),
         span_text(s.age_ms)});
  }
  return table;
}

// Lists the machines whose newest sample is older than a watch waits before it calls a machine silent
// (ScanOptions::silence_s, four steps at least).
std::vector<std::string> silent_machines(const Survey& survey, int64_t now) {
  int64_t limit = int64_t(ScanOptions().silence_s * 1000);
  for (const Seen& s : survey.metrics)
    limit = std::max(limit, 4 * s.gap_ms);
  std::vector<std::string> silent;
  for (const auto& [machine, newest] : survey.machines)
    if (newest < now - limit)
      silent.push_back(machine + " for " + span_text(now - std::max(newest, now - kLookedAt)));
  return silent;
}

// Returns a table of the machines and devices that the store has.
TableFigure machine_table(const Survey& survey) {
  TableFigure table;
  table.columns = {"machine", "devices"};
  for (const auto& [machine, newest] : survey.machines) {
    std::string list;
    const auto at = survey.devices.find(machine);
    if (at != survey.devices.end()) {
      for (const std::string& d : at->second)
        list += (list.empty() ? "" : " ") + d;
    }
    table.rows.push_back({machine, list});
  }
  return table;
}

// Adds each label of a scheduler that the store has, its number of values, and the option that watches each
// value as a job.
void add_jobs(const PrometheusOptions& store, int64_t now, Diagnosis& d) {
  for (const char* label :
       {"slurm_job_id",
        "hpc_job",
        "jobset_sigs_k8s_io_jobset_name",
        "volcano_sh_job_name",
        "kueue_x_k8s_io_workload_name",
        "training_kubeflow_org_job_name",
        "ray_io_cluster",
        "batch_kubernetes_io_job_name",
        "training_job",
        "task",
        "job_id",
        "pod"}) {
    std::vector<std::string> values;
    try {
      values = label_values(store, label, now - kLookedAt, now);
    } catch (const base::Error&) {
      continue;
    }
    if (values.empty())
      continue;
    d.facts.emplace_back(
        std::string("label ") + label,
        std::to_string(values.size()) + " values, first '" + values.front() + "': --each " + label);
  }
}

// Adds advice on missing, old or coarse metrics.
void add_advice(const DoctorOptions& o, const Survey& survey, Diagnosis& d) {
  std::map<int64_t, size_t> steps;
  int64_t oldest = 0;
  std::set<std::string> exporters;
  for (const Seen& s : survey.metrics) {
    ++steps[s.gap_ms / 1000];
    oldest = std::max(oldest, s.age_ms - s.gap_ms);
    exporters.insert(s.exporter);
    if (s.machines < survey.machines.size())
      d.notes.push_back(
          s.metric + " comes from " + std::to_string(s.machines) + " of " +
          std::to_string(survey.machines.size()) +
          " machines; if names differ for one machine, join them with --names-table FILE");
  }
  if (steps.size() > 1)
    d.notes.push_back(
        "metrics come at " + std::to_string(steps.size()) +
        " different steps; give exporters of one job the same scrape_interval");
  if (!steps.empty() && steps.rbegin()->first > 30)
    d.notes.push_back(
        "scrapes are over 30 s apart: faults are named after eight of them; set scrape_interval: 15s");
  if (oldest > 120'000)
    d.notes.push_back(
        "samples are over " + span_text(oldest) + " late: look at the remote write of the store");
  for (const auto& [reason, n] : survey.reasons)
    d.notes.push_back(
        std::to_string(n) + " samples skipped: " + reason +
        (reason == "no machine label" ? "; name it with --machine-label" : ""));
  std::string command = "lento fleet watch --prometheus " + base::without_password(o.source.prometheus.url);
  for (const std::string& e : exporters) {
    if (e != "named")
      command += " --names " + e;
  }
  d.facts.emplace_back("to watch", command + " --alertmanager URL");
}

}  // namespace

Diagnosis examine_store(const DoctorOptions& o) {
  PrometheusOptions store = prometheus_of(o.source);
  join_names(store);
  const int64_t now = store_now_ms(store).value_or(system_clock().wall_ms());
  const int64_t apart = now - system_clock().wall_ms();
  const Survey survey = survey_store(o, store, now);
  Diagnosis d;
  d.scale = "fleet";
  d.title = "What " + store.url + " holds";
  d.inputs.push_back({"metrics", store.url, ""});
  d.records_taken = survey.taken;
  d.records_skipped = survey.skipped;
  for (const auto& [reason, n] : survey.reasons)
    d.skip_reasons.emplace_back(reason, n);
  size_t devices = 0;
  for (const auto& [machine, names] : survey.devices)
    devices += names.size();
  const std::string covered = span_text(kLookedAt) + ", " + std::to_string(survey.machines.size()) +
                              " machines, " + std::to_string(devices) + " devices, " +
                              std::to_string(survey.metrics.size()) + " metrics";
  d.facts.emplace_back("store's clock against this one", span_text(apart));
  if (survey.metrics.empty()) {
    finding::cannot_judge(
        d,
        "the store holds no metric of a known exporter",
        "name metrics with --metric; known exporters: dcgm, amd, nvidia_gpu, node, nccl, gaudi",
        covered);
    return d;
  }
  add_jobs(store, now, d);
  add_advice(o, survey, d);
  d.figures.push_back({"Metrics", "Of the last ten minutes.", metric_table(survey)});
  d.figures.push_back(
      {"Machines", "One line a machine; correct it with --names-table.", machine_table(survey)});
  if (survey.machines.size() < o.min_peers) {
    finding::cannot_judge(
        d,
        std::to_string(survey.machines.size()) + " machines have no peers",
        std::to_string(o.min_peers) + " machines of one job are needed; check --match and --machine-label",
        covered);
    return d;
  }
  const std::vector<std::string> silent = silent_machines(survey, now);
  if (silent.size() == survey.machines.size()) {
    finding::cannot_judge(
        d,
        "no machine has sent a sample lately, " + silent.front(),
        "the targets of the store (query 'up'), or its remote write",
        covered);
    return d;
  }
  d.verdict = std::to_string(survey.machines.size()) + " machines and " + std::to_string(devices) +
              " devices can be watched by " + std::to_string(survey.metrics.size()) + " metrics.";
  if (!silent.empty())
    d.verdict += " " + std::to_string(silent.size()) + " of them sent no sample lately: " + silent.front() +
                 (silent.size() > 1 ? " and others; query 'up'." : "; query 'up'.");
  d.covered = covered;
  return d;
}

}  // namespace lento::fleet
