// mlperf64: 64 nodes of a GPT-3 training, power every 2 s, all healthy. The planted fault is a loss of power:
// dc_watts of one node times a factor from an onset on.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "base/parallel.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "evidence/share.h"
#include "fleet/read/source.h"
#include "fleet/scan/scan.h"
#include "lab/fleet/real_data.h"
#include "lab/fleet/resampled.h"

namespace lento::fleet {
namespace {

using base::format_number;
using finding::TableFigure;

MetricSeries read_run(const std::string& path) {
  CsvOptions csv;
  csv.paths = {path};
  csv.machine_column = "node";
  csv.time_column = "time_ms";
  csv.time_unit = "ms";
  csv.metrics = {"dc_watts"};
  base::ReadReport report;
  return read_csv(csv, report);
}

ScanOptions options_of(const RealOptions& options) {
  ScanOptions o;
  o.budget = options.budget;
  return o;
}

struct Outcome {
  std::optional<double> named_after_s;  // the planted node
  bool wrong = false;                   // another node was named
  bool done = false;                    // not interrupted before
};

Outcome plant(const MetricSeries& s, const ScanOptions& options, size_t node, double onset_s, double factor) {
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, 0}, options);
  Outcome out;
  std::vector<float> row;
  for (size_t step = 0; step < s.steps; ++step) {
    const double t = double(s.time_ms(step) - s.begin_ms) / 1000;
    if (t > onset_s + 610)
      break;
    row.assign(s.row(0, step).begin(), s.row(0, step).end());
    if (t >= onset_s)
      row[node] *= float(factor);
    scan.push(s.time_ms(step), row);
    for (const Episode& e : scan.episodes()) {
      for (const Member& m : e.members) {
        if (e.what == Episode::What::Machines && m.machine != node)
          out.wrong = true;
        if (e.what == Episode::What::Machines && m.machine == node && t >= onset_s && !out.named_after_s)
          out.named_after_s = t - onset_s;
      }
    }
  }
  out.done = true;
  return out;
}

std::string share(uint64_t hits, uint64_t trials) {
  const evidence::Interval i = evidence::wilson95(hits, trials);
  return std::to_string(hits) + "/" + std::to_string(trials) + " = " +
         format_number(100.0 * double(hits) / double(std::max<uint64_t>(trials, 1)), 4) + " % (" +
         format_number(100 * i.low, 3) + " to " + format_number(100 * i.high, 3) + ")";
}

void planted_rows(
    const MetricSeries& s,
    const std::string& run,
    const RealOptions& options,
    const base::Progress& progress,
    TableFigure& table) {
  const std::vector<double> onsets{660, 1200, 1800, 2400};
  for (const double factor : {0.9, 0.95}) {
    std::vector<std::pair<size_t, double>> trials;
    for (size_t node = 0; node < s.machines.size(); node += size_t(options.node_stride)) {
      for (const double onset : onsets)
        trials.emplace_back(node, onset);
    }
    std::vector<Outcome> outcomes(trials.size());
    base::parallel_for(trials.size(), options.threads, [&](size_t i) {
      if (!progress.stopped())
        outcomes[i] = plant(s, options_of(options), trials[i].first, trials[i].second, factor);
    });
    std::erase_if(outcomes, [](const Outcome& o) {
      return !o.done;
    });  // interrupted: what was measured counts
    if (outcomes.empty())
      return;
    uint64_t wrong = 0;
    std::vector<double> delays;
    for (const Outcome& o : outcomes) {
      wrong += o.wrong;
      if (o.named_after_s)
        delays.push_back(*o.named_after_s);
    }
    const auto within = [&](double limit) {
      return share(
          uint64_t(std::ranges::count_if(
              delays,
              [&](double d) {
                return d <= limit;
              })),
          outcomes.size());
    };
    const std::string name = run + " x " + format_number(factor);
    for (const double limit : {150.0, 240.0, 300.0, 600.0}) {
      table.rows.push_back({name, "named within " + format_number(limit) + " s", within(limit)});
    }
    table.rows.push_back({name, "median delay", format_number(evidence::median(delays), 4) + " s"});
    table.rows.push_back({name, "wrong node named", share(wrong, outcomes.size())});
  }
}

// False alarms in days of noise made of the run's own blocks.
void resampled_rows(
    const MetricSeries& s,
    const std::string& run,
    const RealOptions& options,
    const base::Progress& progress,
    TableFigure& table) {
  struct Way {
    Resampling how;
    double block_s;
    const char* name;
  };
  constexpr std::array<Way, 4> ways{
      {{Resampling::Together, 300, "blocks of 300 s, all machines together"},
       {Resampling::Together, 900, "blocks of 900 s, all machines together"},
       {Resampling::Apart, 120, "blocks of 120 s, each machine its own"},
       {Resampling::Apart, 600, "blocks of 600 s, each machine its own"}}};
  std::vector<FalseAlarms> found(ways.size());
  base::parallel_for(ways.size(), options.threads, [&](size_t i) {
    found[i] = false_alarms(
        s,
        ways[i].how,
        options.resample_days / ways.size(),
        ways[i].block_s,
        options.seed + i,
        options_of(options),
        progress);
  });
  for (size_t i = 0; i < ways.size(); ++i) {
    double highest = 0;
    for (const double score : found[i].scores)
      highest = std::max(highest, score);
    table.rows.push_back(
        {run,
         std::string("false alarms, ") + ways[i].name,
         std::to_string(found[i].alarms) + " in " + format_number(found[i].days, 4) +
             " days, highest score " + format_number(highest, 4)});
  }
}

}  // namespace

TableFigure measure_mlperf64(const RealOptions& options, const base::Progress& progress) {
  TableFigure table;
  table.columns = {"run", "what", "measured"};
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder + "/mlperf64")) {
    if (entry.path().string().ends_with(".csv.gz"))
      paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    const MetricSeries s = read_run(path);
    const std::string run = std::filesystem::path(path).stem().stem().string();
    table.rows.push_back(
        {run, "findings on the healthy run", std::to_string(scan(s, options_of(options)).findings.size())});
    if (s.steps * size_t(s.step_ms) < 3'100'000)
      continue;
    if (options.resample_days > 0)
      resampled_rows(s, run, options, progress, table);
    if (options.node_stride > 0)
      planted_rows(s, run, options, progress, table);
  }
  return table;
}

}  // namespace lento::fleet
